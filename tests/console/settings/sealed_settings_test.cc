// Settings as a fleet's database keeps them: no secret in the clear, nothing lost on the way.
#include "console/settings/sealed_settings.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "console/base/secrets.h"
#include "tests/support/console_parts.h"

namespace wafd::console {
namespace {

constexpr const char* kSealedGiven = R"json({"format": 1,
  "sites": [{"uuid": "1", "name": "shop", "hosts": ["shop.example"]}],
  "targets": [
    {"id": "target-01", "name": "db", "host": "db.example", "transport": "postgresql", "port": 5432,
     "postgresql": {"database": "d", "user": "u", "password": "first-secret"}},
    {"id": "target-02", "name": "bus", "host": "bus.example", "transport": "kafka", "port": 9092,
     "kafka": {"topic": "t", "sasl": {"mechanism": "PLAIN", "username": "u", "password": "second-secret"}}},
    {"id": "target-03", "name": "filed", "host": "db.example", "transport": "postgresql", "port": 5432,
     "postgresql": {"database": "d", "user": "u", "password": "file:/etc/wafd/password"}}],
  "channels": [{"id": "channel-1", "name": "hook", "kind": "webhook", "url": "https://hook.example/", "secret": "third-secret"}],
  "oidc": {"client_secret": "fourth-secret"}})json";

struct Sealed : ::testing::Test {
  test::CountingRandom random;
  Result<Settings> given = parse_settings(kSealedGiven);
  Result<SealingKeys> keys = SealingKeys::parse(SealingKeys::make(random));
  std::vector<std::string> notes;
};

TEST_F(Sealed, SecretsAreNotInTheClearAndComeBack) {
  ASSERT_TRUE(given) << given.error().what;
  const auto sealed = seal_settings(*given, *keys, random);
  ASSERT_TRUE(sealed) << sealed.error().what;
  for (const char* secret : {"first-secret", "second-secret", "third-secret", "fourth-secret"}) {
    EXPECT_EQ(sealed->document.find(secret), std::string::npos) << secret;
    EXPECT_EQ(sealed->secrets.find(secret), std::string::npos) << secret;
  }
  EXPECT_NE(sealed->document.find("file:/etc/wafd/password"), std::string::npos) << "a path is none";
  const auto secrets = boost::json::parse(sealed->secrets).as_object();
  EXPECT_EQ(secrets.size(), 6u) << sealed->secrets;
  EXPECT_TRUE(secrets.contains("targets/target-01/postgresql/password"));
  EXPECT_TRUE(secrets.contains("targets/target-02/kafka/sasl/password"));
  EXPECT_TRUE(secrets.contains("channels/channel-1/secret"));
  EXPECT_TRUE(secrets.contains("channels/channel-1/url"));
  EXPECT_TRUE(secrets.contains("oidc/client_secret"));
  const auto back = open_settings(*sealed, *keys, notes);
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(to_json(*back, true), to_json(*given, true));
}

TEST_F(Sealed, WithoutTheKeyNothingIsSealedOrRead) {
  ASSERT_TRUE(given) << given.error().what;
  const auto refused = seal_settings(*given, SealingKeys(), random);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kMissing);
  const auto sealed = seal_settings(*given, *keys, random);
  ASSERT_TRUE(sealed);
  const auto read = open_settings(*sealed, *SealingKeys::parse(SealingKeys::make(random)), notes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kMissing);
  const auto plain = seal_settings(Settings{}, SealingKeys(), random);
  ASSERT_TRUE(plain) << "without secrets no key is needed";
  EXPECT_EQ(plain->secrets, "{}");
  EXPECT_TRUE(open_settings(*plain, SealingKeys(), notes));
}

TEST_F(Sealed, WhatAForeignHandWroteIsRefused) {
  const auto sealed = seal_settings(*given, *keys, random);
  ASSERT_TRUE(sealed);
  auto secrets = boost::json::parse(sealed->secrets).as_object();
  const auto refused = [&](const boost::json::object& now, const std::string& document) {
    const auto read = open_settings({document, boost::json::serialize(now)}, *keys, notes);
    return !read && read.error().code == ErrorCode::kInvalid;
  };
  auto swapped = secrets;  // the secret of one target for another
  swapped["targets/target-01/postgresql/password"] = secrets["channels/channel-1/secret"];
  EXPECT_TRUE(refused(swapped, sealed->document));
  for (const char* place : {"", "/", "targets", "targets/target-09/postgresql/password", "sites/1/name/x",
                            "a b", "oidc/x/y", "a/b/c/d/e/f/g/h/i"}) {
    auto more = secrets;
    more[place] = *keys->seal("x", place, random, sha256_hex(sealed->document));
    EXPECT_TRUE(refused(more, sealed->document)) << place;
  }
  auto number = secrets;
  number["oidc/client_secret"] = 1;
  EXPECT_TRUE(refused(number, sealed->document));
  for (const char* document : {"", "[]", "{", R"({"format":2})"})
    EXPECT_TRUE(refused({}, document)) << document;
  // The secret of a target is not sent to another host, and nobody without the key makes a document.
  std::string elsewhere = sealed->document;
  elsewhere.replace(elsewhere.find("bus.example"), 11, "bad.example");
  EXPECT_TRUE(refused(secrets, elsewhere));
  EXPECT_TRUE(refused({{"document", secrets["document"]}}, elsewhere));
  EXPECT_TRUE(refused({}, elsewhere));
  EXPECT_TRUE(refused({}, R"({"format":1})"));
  EXPECT_FALSE(open_settings({sealed->document, "[]"}, *keys, notes));
}

TEST_F(Sealed, FilesOfANodeAreNamedByWhoHasTheKeyAlone) {
  for (
      const char* target :
      {R"("transport":"postgresql","port":5432,"postgresql":{"database":"d","user":"u","password":"file:/etc/wafd/fleet-key"})",
       R"("transport":"kafka","port":9092,"kafka":{"topic":"t","sasl":{"mechanism":"PLAIN","username":"u","password":"file:/etc/wafd/fleet-key"}})"}) {
    const std::string document =
        std::string(R"({"format":1,"targets":[{"id":"target-01","name":"x","host":"db.example",)") + target +
        "}]}";
    const auto unsealed = open_settings({document, "{}"}, *keys, notes);
    ASSERT_FALSE(unsealed);
    EXPECT_EQ(unsealed.error().code, ErrorCode::kInvalid);
    const auto keyless = open_settings({document, "{}"}, SealingKeys(), notes);
    ASSERT_FALSE(keyless);
    EXPECT_EQ(keyless.error().code, ErrorCode::kMissing);
    EXPECT_NE(keyless.error().what.find("a file of this node"), std::string::npos) << keyless.error().what;
    const auto settings = parse_settings(document);
    ASSERT_TRUE(settings) << settings.error().what;
    EXPECT_EQ(seal_settings(*settings, SealingKeys(), random).error().code, ErrorCode::kMissing);
    const auto sealed = seal_settings(*settings, *keys, random);
    ASSERT_TRUE(sealed);
    EXPECT_TRUE(open_settings(*sealed, *keys, notes));
  }
  // A node without a key goes on reading what holds no secret, also of a console that has one.
  const auto plain = seal_settings(Settings{}, *keys, random);
  ASSERT_TRUE(plain);
  EXPECT_TRUE(open_settings(*plain, SealingKeys(), notes));
}

}  // namespace
}  // namespace wafd::console
