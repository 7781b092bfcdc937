#include "forward/notify/message.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detect/core/bytes.h"
#include "forward/notify/digests.h"

namespace wafd::forward {
namespace {

using ::testing::HasSubstr;

const MessageContext kContext{"node-1", "2026-01-31T13:05:09.123+01:00", 1'769'861'109'123, "abc"};

std::vector<Notification> one(std::string title = "Many: 4 events in 5 minutes") {
  Notification n;
  n.alert = "Many";
  n.when = "matches";
  n.title = std::move(title);
  n.lines = {"Query: type:sqli"};
  return {n};
}

ChannelSettings mail() {
  ChannelSettings out;
  out.sender = "wafd@example.org";
  out.recipients = {"a@example.org", "b@example.org"};
  return out;
}

TEST(MailMessage, IsAMail) {
  EXPECT_EQ(mail_message(mail(), one(), kContext),
            "From: wafd <wafd@example.org>\r\n"
            "To: a@example.org,\r\n b@example.org\r\n"
            "Subject: wafd node-1: [alert] Many: 4 events in 5 minutes\r\n"
            "Date: 31 Jan 2026 13:05:09 +0100\r\n"
            "Message-ID: <abc@example.org>\r\n"
            "Auto-Submitted: auto-generated\r\n"
            "MIME-Version: 1.0\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n"
            "Content-Transfer-Encoding: base64\r\n\r\n"
            "W2FsZXJ0XSBNYW55OiA0IGV2ZW50cyBpbiA1IG1pbnV0ZXMNCiAgUXVlcnk6IHR5cGU6c3FsaQ0K\r\n"
            "DQpOb2RlOiBub2RlLTENCg==\r\n");
}

TEST(MailMessage, NoTextEndsAHeader) {
  const std::string text = mail_message(mail(), one("a\r\nBcc: x@y.z\r\n\r\nbody"), kContext);
  const std::string head = text.substr(0, text.find("\r\n\r\n"));
  EXPECT_EQ(head.find("\r\nBcc"), std::string::npos);
  EXPECT_THAT(head, HasSubstr("[alert] a  Bcc: x@y.z    body\r\n"));
}

TEST(MailMessage, OtherLettersAreEncodedInWholeCharacters) {
  std::string title;
  for (int i = 0; i < 30; ++i) title += "警";
  const std::string text = mail_message(mail(), one(title), kContext);
  std::size_t words = 0;
  for (std::size_t at = text.find("=?UTF-8?B?"); at != std::string::npos && at < text.find("\r\nDate:");
       at = text.find("=?UTF-8?B?", at + 1)) {
    const std::size_t end = text.find("?=", at + 10);
    EXPECT_LE(end + 2 - at, 75u);
    ++words;
  }
  EXPECT_GE(words, 3u);
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

// English, which is what everybody got before there was a choice, is tested above to the byte.
TEST(MailMessage, IsInTheLanguageOfItsChannel) {
  auto list = one();
  EXPECT_EQ(subject_of(list, "node-1", Language::kChinese),
            "wafd node-1：【告警】Many: 4 events in 5 minutes");
  EXPECT_EQ(text_of(list, "node-1", Language::kChinese),
            "【告警】Many: 4 events in 5 minutes\n  Query: type:sqli\n\n节点：node-1\n");
  list.push_back(list.front());
  list.back().state = NotificationState::kEnded;
  EXPECT_EQ(subject_of(list, "node-1", Language::kChinese), "wafd node-1：2 条通知，其中 1 条告警");
  MessageContext context = kContext;
  context.language = Language::kChinese;
  const auto body = boost::json::parse(webhook_message(WebhookFormat::kDingTalk, "", one(), context).body);
  EXPECT_TRUE(
      std::string_view(body.at_pointer("/text/content").as_string()).starts_with("wafd node-1：【告警】"));
}

TEST(WebhookMessage, OwnFormatIsSigned) {
  const auto message = webhook_message(WebhookFormat::kJson, "key", one(), kContext);
  const auto body = boost::json::parse(message.body);
  EXPECT_EQ(body.at("node"), "node-1");
  EXPECT_EQ(body.at("notifications").at(0).at("title"), "Many: 4 events in 5 minutes");
  ASSERT_EQ(message.headers.size(), 3u);
  EXPECT_EQ(message.headers[1].second, "1769861109");
  EXPECT_EQ(message.headers[2].first, "X-Wafd-Signature");
  EXPECT_EQ(message.headers[2].second, "sha256=" + to_hex(hmac_sha256("key", "1769861109." + message.body)));
  const auto other = webhook_message(WebhookFormat::kJson, "kez", one(), kContext);
  EXPECT_NE(other.headers[2].second, message.headers[2].second);
  EXPECT_EQ(webhook_message(WebhookFormat::kJson, "", one(), kContext).headers.size(), 1u);
}

TEST(WebhookMessage, EachServiceGetsItsForm) {
  struct Row {
    WebhookFormat format;
    const char* pointer;
    const char* begins;
  };
  constexpr Row kRows[] = {
      {WebhookFormat::kSlack, "/text", "wafd node-1: [alert] Many &lt;!channel&gt;"},
      {WebhookFormat::kTeams, "/attachments/0/content/body/0/text",
       "wafd node\\-1: \\[alert\\] Many \\<\\!channel\\>"},
      {WebhookFormat::kDingTalk, "/text/content", "wafd node-1: [alert] Many <!channel>"},
      {WebhookFormat::kWeCom, "/text/content", "wafd node-1: [alert] Many <!channel>"},
      {WebhookFormat::kFeishu, "/content/text", "wafd node-1: [alert] Many <!channel>"},
  };
  for (const Row& row : kRows) {
    const auto message = webhook_message(row.format, "", one("Many <!channel>"), kContext);
    const auto body = boost::json::parse(message.body);
    const auto* found = [&] {
      boost::system::error_code error;
      return body.find_pointer(row.pointer, error);
    }();
    ASSERT_NE(found, nullptr) << row.pointer;
    EXPECT_TRUE(std::string_view(found->as_string()).starts_with(row.begins)) << *found;
  }
}

TEST(WebhookMessage, DingTalkAndFeishuSignTheirOwnWay) {
  const auto ding = webhook_message(WebhookFormat::kDingTalk, "SEC", one(), kContext);
  EXPECT_EQ(ding.query, "timestamp=1769861109123&sign=" +
                            percent_encoded(base64(hmac_sha256("SEC", "1769861109123\nSEC"))));
  EXPECT_EQ(ding.headers.size(), 1u);
  const auto feishu =
      boost::json::parse(webhook_message(WebhookFormat::kFeishu, "SEC", one(), kContext).body);
  EXPECT_EQ(feishu.at("timestamp"), "1769861109");
  EXPECT_EQ(std::string(feishu.at("sign").as_string()), base64(hmac_sha256("1769861109\nSEC", "")));
}

TEST(WebhookMessage, WeComIsCutBetweenCharacters) {
  std::string title;
  for (int i = 0; i < 1000; ++i) title += "警";
  const auto body = boost::json::parse(webhook_message(WebhookFormat::kWeCom, "", one(title), kContext).body);
  const auto& text = body.at("text").at("content").as_string();
  EXPECT_LE(text.size(), 2048u);
  EXPECT_TRUE(std::string_view(text).ends_with("警..."));
}

TEST(WebhookMessage, AnAnswerMayRefuseInsideOf200) {
  struct Row {
    WebhookFormat format;
    long status;
    const char* body;
    const char* refusal;
  };
  constexpr Row kRows[] = {
      {WebhookFormat::kJson, 200, "", ""},
      {WebhookFormat::kJson, 204, "", ""},
      {WebhookFormat::kJson, 302, "", "the receiver answered with status 302"},
      {WebhookFormat::kSlack, 404, "no_service", "the receiver answered with status 404"},
      {WebhookFormat::kDingTalk, 200, R"({"errcode":0,"errmsg":"ok"})", ""},
      {WebhookFormat::kDingTalk, 200, R"({"errcode":310000,"errmsg":"<b>"})",
       "the receiver answered with its error code 310000"},
      {WebhookFormat::kWeCom, 200, "<html>",
       "the receiver answered, but not with the code that this service answers with"},
      {WebhookFormat::kFeishu, 200, R"({"code":19021})", "the receiver answered with its error code 19021"},
      {WebhookFormat::kFeishu, 200, R"({"StatusCode":0})", ""},
  };
  for (const Row& row : kRows) EXPECT_EQ(webhook_refusal(row.format, row.status, row.body), row.refusal);
}

TEST(Digests, AreTheStandards) {
  // RFC 4231, test case 2.
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  // RFC 4648 section 10.
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(percent_encoded("a+/="), "a%2B%2F%3D");
}

}  // namespace
}  // namespace wafd::forward
