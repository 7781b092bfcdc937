#include "forward/notify/channel.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "forward/notify/alert.h"
#include "forward/notify/web_address.h"

namespace wafd::forward {
namespace {

Result<ChannelSettings> read(const char* text, const ChannelSettings* previous = nullptr) {
  return parse_channel(boost::json::parse(text).as_object(), previous);
}

constexpr const char* kMail =
    R"({"id":"a","name":"Team","kind":"mail","host":"mail.example","sender":"wafd@example.org",)"
    R"("recipients":["team@example.org"],"username":"wafd","password":"s3cret"})";
constexpr const char* kHook =
    R"({"id":"b","name":"Chat","kind":"webhook","url":"https://hooks.example/services/T0/B0","secret":"k"})";

TEST(Channel, ReadsWhatItWrites) {
  for (const char* text : {kMail, kHook}) {
    const auto channel = read(text);
    ASSERT_TRUE(channel) << channel.error().what;
    const auto again = parse_channel(to_json(*channel, true));
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(to_json(*again, true), to_json(*channel, true));
  }
}

TEST(Channel, SecretsAreNeverAnswered) {
  const auto hook = to_json(*read(kHook), false);
  const std::string text = boost::json::serialize(hook);
  EXPECT_EQ(text.find("T0"), std::string::npos);
  EXPECT_EQ(text.find("\"k\""), std::string::npos);
  EXPECT_EQ(hook.at("origin"), "https://hooks.example");
  EXPECT_TRUE(hook.at("url_set").as_bool());
  EXPECT_TRUE(hook.at("secret_set").as_bool());
  EXPECT_EQ(boost::json::serialize(to_json(*read(kMail), false)).find("s3cret"), std::string::npos);
}

TEST(Channel, PortsFollowTheSecurity) {
  const auto port = [](const char* security) {
    auto object = boost::json::parse(kMail).as_object();
    object["security"] = security;
    object.erase("username");
    return parse_channel(object)->port;
  };
  EXPECT_EQ(port("starttls"), 587);
  EXPECT_EQ(port("tls"), 465);
  EXPECT_EQ(port("none"), 25);
}

TEST(Channel, SecretsStayWithTheirDestination) {
  struct Row {
    const char* base;
    const char* member;
    boost::json::value value;
    const char* error;  // null: the secret is kept
  };
  const Row rows[] = {
      {kMail, "name", "Other", nullptr},
      {kMail, "recipients", boost::json::array{"a@example.org"}, nullptr},
      {kMail, "host", "evil.example", "password: expected again, because host is not as it was saved with"},
      {kMail, "port", 2525, "password: expected again, because port is not as it was saved with"},
      {kMail, "security", "tls", "password: expected again, because port is not as it was saved with"},
      {kMail, "verify", false, "password: expected again, because verify is not as it was saved with"},
      {kMail, "ca", "file:/tmp/ca", "password: expected again, because ca is not as it was saved with"},
      {kHook, "format", "slack", nullptr},
      {kHook, "url", "https://hooks.example/other", nullptr},
      {kHook, "url", "http://hooks.example/services/T0/B0",
       "secret: expected again, because url is not as it was saved with"},
      {kHook, "url", "https://evil.example/",
       "secret: expected again, because url is not as it was saved with"},
      {kHook, "verify", false, "url: expected again, because verify is not as it was saved with"},
  };
  for (const Row& row : rows) {
    const auto before = read(row.base);
    auto object = to_json(*before, false);
    for (const char* answered : {"password_set", "url_set", "secret_set", "origin"})
      ASSERT_TRUE(object.contains(answered));
    object[row.member] = row.value;
    if (std::string_view(row.member) == "security") object.erase("port");
    const auto after = parse_channel(object, &*before);
    if (row.error != nullptr) {
      ASSERT_FALSE(after) << row.member;
      EXPECT_EQ(after.error().what, row.error);
    } else {
      ASSERT_TRUE(after) << row.member << ": " << after.error().what;
      EXPECT_EQ(after->password, before->password);
      EXPECT_EQ(after->secret, before->secret);
    }
  }
}

TEST(Channel, RefusesWhatIsWrong) {
  struct Row {
    const char* text;
    const char* error;
  };
  const Row rows[] = {
      {R"({"kind":"mail"})", "name: "},
      {R"({"name":"a"})", "kind: "},
      {R"({"name":"a","kind":"pager"})", "kind: expected one of "},
      {R"({"name":"a","kind":"mail"})", "host: "},
      {R"({"name":"a","kind":"mail","host":"a b"})", "host: "},
      {R"({"name":"a","kind":"mail","host":"m","sender":"x"})", "sender: "},
      {R"({"name":"a","kind":"mail","host":"m","sender":"x@y.z"})", "recipients: "},
      {R"({"name":"a","kind":"mail","host":"m","sender":"x@y.z","recipients":["a@b.c>\r\nRCPT TO:<d@e.f"]})",
       "recipients[0]: "},
      {R"({"name":"a","kind":"mail","host":"m","sender":"x@y.z","recipients":["a@b.c"],"security":"none","username":"u","password":"p"})",
       "security: expected starttls or tls"},
      {R"({"name":"a","kind":"mail","host":"m","sender":"x@y.z","recipients":["a@b.c"],"username":"u"})",
       "password: "},
      {R"({"name":"a","kind":"webhook"})", "url: "},
      {R"({"name":"a","kind":"webhook","url":"ftp://a/"})", "url: "},
      {R"({"name":"a","kind":"webhook","url":"https://u:p@a/"})", "url: "},
      {R"({"name":"a","kind":"webhook","url":"https://a/","quiet_from":"22:00"})", "quiet_to: "},
      {R"({"name":"a","kind":"webhook","url":"https://a/","quiet_from":"25:00","quiet_to":"07:00"})",
       "quiet_from: "},
      {R"({"name":"a","kind":"webhook","url":"https://a/","ca":"x"})", "ca: "},
      {R"({"name":"a","kind":"webhook","url":"https://a/","language":"tlh"})", "language: expected one of "},
      {R"({"name":"a","kind":"webhook","url":"https://a/","no":1})", "no: "},
  };
  for (const Row& row : rows) {
    const auto channel = read(row.text);
    ASSERT_FALSE(channel) << row.text;
    EXPECT_TRUE(channel.error().what.starts_with(row.error)) << row.text << ": " << channel.error().what;
  }
}

TEST(Channel, QuietTimesGoOverMidnight) {
  ChannelSettings channel;
  EXPECT_FALSE(quiet_at(channel, 0));
  channel.quiet_from = "22:00";
  channel.quiet_to = "07:30";
  for (const int minute : {22 * 60, 23 * 60 + 59, 0, 7 * 60 + 29})
    EXPECT_TRUE(quiet_at(channel, minute)) << minute;
  for (const int minute : {21 * 60 + 59, 7 * 60 + 30, 12 * 60})
    EXPECT_FALSE(quiet_at(channel, minute)) << minute;
  channel.quiet_from = "12:00";
  channel.quiet_to = "13:00";
  EXPECT_TRUE(quiet_at(channel, 12 * 60));
  EXPECT_FALSE(quiet_at(channel, 13 * 60));
}

TEST(WebAddress, IsTakenApart) {
  struct Row {
    const char* url;
    const char* shown;  // origin and path; empty: refused
  };
  constexpr Row kRows[] = {
      {"https://hooks.example/a?b=c", "https://hooks.example /a?b=c"},
      {"HTTPS://hooks.example", "https://hooks.example /"},
      {"http://127.0.0.1:8080?x", "http://127.0.0.1:8080 /?x"},
      {"https://[2001:db8::1]:444/", "https://[2001:db8::1]:444 /"},
      {"https://hooks.example:443/", "https://hooks.example /"},
      {"https://", ""},
      {"https://a b/", ""},
      {"https://a/#f", ""},
      {"https://a@b/", ""},
      {"https://a:0/", ""},
      {"https://a:65536/", ""},
      {"https://a:80x/", ""},
      {"https://[::1/", ""},
      {"https://[a]/", ""},
      {"https://1.2.3/", ""},
      {"gopher://a/", ""},
      {"https://a/\r\nX: y", ""},
  };
  for (const Row& row : kRows) {
    const auto address = parse_web_address(row.url);
    EXPECT_EQ(address ? address->origin() + " " + address->path : "", row.shown) << row.url;
  }
}

TEST(Alert, ReadsWhatItWritesAndRefusesTheRest) {
  const auto alert = parse_alert(
      boost::json::parse(
          R"({"id":"x","name":"Many","when":"matches","query":"type:sqli","count":10,"minutes":5,"channels":["a"]})")
          .as_object());
  ASSERT_TRUE(alert) << alert.error().what;
  EXPECT_EQ(*parse_alert(to_json(*alert)), *alert);
  struct Row {
    const char* text;
    const char* error;
  };
  constexpr Row kRows[] = {
      {R"({"when":"matches"})", "name: "},
      {R"({"name":"a"})", "when: "},
      {R"({"name":"a","when":"never"})", "when: expected one of "},
      {R"({"name":"a","when":"matches","query":"type:"})", "query: at character 6: "},
      {R"({"name":"a","when":"matches","minutes":0})", "minutes: "},
      {R"({"name":"a","when":"ring_reach","hours":9000})", "hours: "},
      {R"({"name":"a","when":"first_seen","of":"path"})", "of: "},
  };
  for (const Row& row : kRows) {
    const auto wrong = parse_alert(boost::json::parse(row.text).as_object());
    ASSERT_FALSE(wrong) << row.text;
    EXPECT_TRUE(wrong.error().what.starts_with(row.error)) << wrong.error().what;
  }
}

}  // namespace
}  // namespace wafd::forward
