// Secrets encrypted for a place: what comes back, and what does not.
#include "console/base/sealing.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/support/console_parts.h"

namespace wafd::console {
namespace {

TEST(Sealing, ComesBackForItsPlaceAlone) {
  test::CountingRandom random;
  const auto keys = SealingKeys::parse(SealingKeys::make(random));
  ASSERT_TRUE(keys) << keys.error().what;
  std::set<std::string> all;
  for (const std::string& text : {std::string(), std::string("s3cret"), std::string(100'000, '\0')}) {
    const std::string sealed = *keys->seal(text, "targets/a/password", random, "{}");
    EXPECT_TRUE(all.insert(sealed).second);
    EXPECT_TRUE(all.insert(*keys->seal(text, "targets/a/password", random, "{}")).second)
        << "never twice the same";
    EXPECT_EQ(sealed.find("s3cret"), std::string::npos);
    EXPECT_EQ(*keys->open(sealed, "targets/a/password", "{}"), text);
    for (const auto& [place, document] :
         {std::pair("targets/b/password", "{}"), {"targets/a/password", "{ }"}}) {
      const auto elsewhere = keys->open(sealed, place, document);
      ASSERT_FALSE(elsewhere);
      EXPECT_EQ(elsewhere.error().code, ErrorCode::kInvalid);
    }
  }
}

TEST(Sealing, EveryChangeIsSeen) {
  test::CountingRandom random;
  const auto keys = SealingKeys::parse(SealingKeys::make(random));
  ASSERT_TRUE(keys);
  const std::string sealed = *keys->seal("secret", "p", random);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(keys->open(changed, "p")) << i;
    EXPECT_FALSE(keys->open(std::string_view(sealed).substr(0, i), "p")) << i;
  }
  EXPECT_FALSE(keys->open(sealed + "AAAA", "p"));
}

TEST(Sealing, TheFirstKeyEncryptsAndAllDecrypt) {
  test::CountingRandom random;
  const std::string old_line = SealingKeys::make(random), new_line = SealingKeys::make(random);
  const auto old_key = SealingKeys::parse(old_line);
  const auto both = SealingKeys::parse("\n " + new_line + "\r\n\n" + old_line + "\n");
  ASSERT_TRUE(old_key && both);
  ASSERT_EQ(both->ids().size(), 2u);
  EXPECT_EQ(both->ids()[1], old_key->ids()[0]);
  EXPECT_EQ(*both->open(*old_key->seal("x", "p", random), "p"), "x");
  const auto without = old_key->open(*both->seal("x", "p", random), "p");
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, ErrorCode::kMissing);
  EXPECT_EQ(without.error().what, "p: the secret is encrypted with the key " + both->ids()[0]);
}

TEST(Sealing, RefusesWhatIsNoKey) {
  for (const char* text :
       {"", "\n \n", "c2hvcnQ=", "not base64 at all", "////////////////////////////////////////////A"}) {
    const auto read = SealingKeys::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalid);
  }
  EXPECT_TRUE(SealingKeys().empty());
  test::CountingRandom random;
  EXPECT_EQ(SealingKeys().seal("x", "p", random).error().code, ErrorCode::kMissing);
}

}  // namespace
}  // namespace wafd::console
