#include "detect/analyzers.h"

#include <set>

#include <gtest/gtest.h>

#include "detect/analyze/base/analyzer.h"
#include "detect/core/rule_id.h"

namespace wafd::detect {
namespace {

TEST(RuleId, IsModuleAnd32HexDigitsAndNeverChanges) {
  EXPECT_EQ(rule_id("m_xss", "script"), "m_xss/96e32954b66017c6996cc7eb3487499a");
  EXPECT_EQ(rule_id("m_sqli", "script"), "m_sqli/dd467f9444b70943c889a9e40947874d");
}

TEST(RuleId, DiffersByModuleAndKey) {
  std::set<std::string> ids;
  std::size_t made = 0;
  for (const char* module : {"m_a", "m_b", "m_ab"}) {
    for (const char* key : {"", "a", "b", "ab", "ba", "aa", "a/b"}) {
      ids.insert(rule_id(module, key).substr(std::string(module).size()));
      ++made;
    }
  }
  EXPECT_EQ(ids.size(), made);
}

TEST(MakeRules, NumbersInOrder) {
  static constexpr RuleSpec kSpecs[] = {
      {"one", "First"},
      {"two", "Second", Risk::kLow, std::nullopt},
  };
  const std::vector<Rule> rules = make_rules("m_test", AttackType::kXss, 40, kSpecs);
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].number, 40u);
  EXPECT_EQ(rules[0].id, rule_id("m_test", "one"));
  EXPECT_EQ(rules[0].denies_from, Sensitivity::kBalanced);
  EXPECT_EQ(rules[1].number, 41u);
  EXPECT_EQ(rules[1].risk, Risk::kLow);
  EXPECT_EQ(rules[1].denies_from, std::nullopt);
  EXPECT_EQ(rules[1].module, "m_test");
}

TEST(Analyzers, WithoutMeaningOfPlusSigns) {
  std::set<std::string_view> without;
  for (const auto& analyzer : all_analyzers()) {
    if (!analyzer->reads_kept_plus()) without.insert(analyzer->name());
  }
  EXPECT_EQ(without, (std::set<std::string_view>{"cmd", "path", "leak", "ldap", "crlf", "ssrf", "xxe",
                                                 "inclusion", "php"}));
}

TEST(Analyzers, FindNothingInPlacesThatTheyDoNotRead) {
  constexpr std::string_view kTexts[] = {
      "http://169.254.169.254/", "//localhost/",  "gopher://a/b",     "php://input",  "file:///etc/passwd",
      "http://1.2.3.4/a.php?",   "shell.php.jpg", "<% eval(1) %>",    "/.git/config", "/index.php.bak",
      "a.php\x01.jpg",           ".htaccess",     "data:text/plain,a"};
  std::size_t unread = 0;
  for (const auto& analyzer : all_analyzers()) {
    for (std::size_t place = 0; place < kPlaces; ++place) {
      FieldContext context;
      context.location = static_cast<Location>(place / 2);
      context.in_name = place % 2 != 0;
      if ((analyzer->reads_places() & place_bit(context.location, context.in_name)) != 0) continue;
      ++unread;
      for (const std::string_view text : kTexts) {
        std::vector<Hit> hits;
        analyzer->analyze(text, context, hits);
        EXPECT_TRUE(hits.empty()) << analyzer->name() << " " << place << " " << text;
      }
    }
  }
  EXPECT_GT(unread, 0u);
}

}  // namespace
}  // namespace wafd::detect
