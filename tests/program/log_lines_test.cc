#include "log_lines.h"

#include <gtest/gtest.h>

namespace wafd {
namespace {

TEST(LogLine, AsTextOrAsOneObject) {
  const struct {
    const char* message;
    const char* text;
    const char* json;
  } rows[] = {
      {"ready", "T info ready\n", "{\"time\":\"T\",\"level\":\"info\",\"message\":\"ready\"}\n"},
      {"target \"A\"", "T info target \"A\"\n",
       "{\"time\":\"T\",\"level\":\"info\",\"message\":\"target \\\"A\\\"\"}\n"},
      {"two\nlines\x1b[31m", "T info two lines [31m\n",
       "{\"time\":\"T\",\"level\":\"info\",\"message\":\"two lines [31m\"}\n"},
      {"接收端", "T info 接收端\n", "{\"time\":\"T\",\"level\":\"info\",\"message\":\"接收端\"}\n"},
      {"turned \xe2\x80\xae round", "T info turned  round\n",
       "{\"time\":\"T\",\"level\":\"info\",\"message\":\"turned  round\"}\n"},
  };
  for (const auto& row : rows) {
    for (const auto& [format, wanted] :
         {std::pair(LogFormat::kText, row.text), std::pair(LogFormat::kJson, row.json)})
      EXPECT_EQ(log_line(format, "T", "info", line_part(format, message_line(row.message))), wanted);
  }
}

EventRecord record_of(std::string rule) {
  EventRecord record;
  record.id = *EventId::parse("0123456789abcdef0123456789abcdef");
  record.action = Action::kDeny;
  record.attack_type = AttackType::kSqli;
  record.risk = Risk::kHigh;
  record.rule_id = std::move(rule);
  record.src_ip = "203.0.113.7";
  return record;
}

TEST(EventPart, NamesTheGatewaysRequestAndNothingOfTheClient) {
  EXPECT_EQ(line_part(LogFormat::kText, event_line(record_of("m_sqli/1"), "5f-2")),
            "event action=deny event_id=0123456789abcdef0123456789abcdef request_id=5f-2 attack_type=sqli "
            "risk=high rule_id=m_sqli/1 src_ip=203.0.113.7");
  EXPECT_EQ(line_part(LogFormat::kJson, event_line(record_of("m_sqli/1"), "x\ny")),
            R"("message":"event","action":"deny","event_id":"0123456789abcdef0123456789abcdef",)"
            R"("attack_type":"sqli","risk":"high","rule_id":"m_sqli/1","src_ip":"203.0.113.7")");
}

TEST(EventLine, IsTheSamePackedAndUnpacked) {
  EventRecord record = record_of("rule\x1fid\nx");
  record.site_uuid = "";
  const LogLine line = event_line(record, "5f-2");
  EXPECT_EQ(line.members.size(), 7u);
  const LogLine again = unpacked(packed(line));
  EXPECT_EQ(again.message, "event");
  EXPECT_EQ(again.members, line.members);
  EXPECT_EQ(again.members[5], std::pair(std::string("rule_id"), std::string("rule?id?x")));
  EXPECT_EQ(unpacked("only this").message, "only this");
  EXPECT_TRUE(unpacked("").members.empty());
}

TEST(RequestId, IsShortAndPlain) {
  for (const char* sound : {"", "0123456789abcdef", "a-b.c_d:e/f+g=h@i", "00-4bf92f3577b34da6-00f0-01"})
    EXPECT_EQ(request_id_of(sound), sound);
  for (const std::string& odd : {std::string("a b"), std::string("a\nb"), std::string("\"x\""),
                                 std::string("<script>"), std::string("\xc3\xa4"), std::string(129, 'a')})
    EXPECT_EQ(request_id_of(odd), "") << odd;
  EXPECT_EQ(request_id_of(std::string(128, 'a')).size(), 128u);
}

TEST(LineRate, LetsASecondsLinesThroughAndCountsTheRest) {
  LineRate rate(10);
  int out = 0;
  for (int i = 0; i < 30; ++i) out += rate.take(1'000'000);
  EXPECT_EQ(out, 10);
  EXPECT_EQ(rate.take_left_out(), 20u);
  EXPECT_EQ(rate.take_left_out(), 0u);
  EXPECT_FALSE(rate.take(1'099'999));
  EXPECT_TRUE(rate.take(1'200'000));
  out = 0;
  for (int i = 0; i < 30; ++i) out += rate.take(9'000'000);
  EXPECT_EQ(out, 10) << "no more than a second's, however long it was quiet";
  EXPECT_TRUE(rate.take(99'000'000));
  EXPECT_TRUE(rate.take(98'000'000)) << "a clock that goes back takes nothing away";
  LineRate all(0);
  for (int i = 0; i < 5000; ++i) EXPECT_TRUE(all.take(5));
}

}  // namespace
}  // namespace wafd
