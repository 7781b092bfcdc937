#include "forward/target/target_warnings.h"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "forward/target/presets.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;

std::string warnings_of(std::string_view members) {
  json::object o{{"name", "n"}, {"transport", "udp"}, {"host", "127.0.0.1"}};
  const json::value given = json::parse("{" + std::string(members) + "}");
  for (const auto& m : given.as_object()) o[m.key()] = m.value();
  const auto t = parse_target(o);
  if (!t) return "refused: " + t.error().what;
  return fmt::format("{}", fmt::join(target_warnings(*t), " | "));
}

TEST(TargetWarnings, WhatDoesNothingIsTold) {
  struct Row {
    const char* members;
    const char* warnings;
  };
  constexpr Row kRows[] = {
      {"", ""},
      {R"("framing":"octet_counting","sequence_id":true,"time_precision":6,"rate_limit":20000)", ""},
      {R"("framing":"lf")", "framing: lf has no effect over udp, which keeps messages apart by itself"},
      {R"("framing":"lf","transport":"relp")",
       "framing: lf has no effect over relp, which keeps messages apart by itself"},
      {R"("framing":"lf","transport":"kafka","kafka":{"topic":"t"})",
       "framing: lf has no effect over kafka, which keeps messages apart by itself"},
      {R"("framing":"lf","transport":"tcp")", ""},
      {R"("rate_limit":20001)", "rate_limit: 20001 has no effect over udp, which is paced to 20000 a second"},
      {R"("rate_limit":20001,"transport":"tcp")", ""},
      {R"("kafka":{"topic":"t"})", "kafka: has no effect over udp"},
      {R"("postgresql":{"database":"d","user":"u"})", "postgresql: has no effect over udp"},
      {R"("transport":"postgresql","postgresql":{"database":"d","user":"u"},"content":"cef")",
       "content: has no effect over postgresql, which keeps the record itself"},
      {R"("header":"rfc3164")", ""},
      {R"("header":"rfc3164","sequence_id":true)",
       "sequence_id: has no effect with header rfc3164, which has no structured data"},
      {R"("header":"rfc3164","time_precision":6)",
       "time_precision: 6 has no effect with header rfc3164, whose times are seconds"},
      {R"("header":"rfc3164","time_precision":6,"content":"ecs")", ""},
      {R"("streams":["audit"])", ""},
      {R"("streams":["audit"],"content":"cef","filter":"risk:high","severity":3)",
       "content: has no effect, streams has no \"event\" | filter: has no effect, streams has no \"event\" | "
       "severity: has no effect, streams has no \"event\""},
      {R"("streams":["health"],"request_detail":"none","wait_for_report_ms":5)",
       "request_detail: has no effect, streams has no \"event\" | wait_for_report_ms: has no effect, streams "
       "has no \"event\""},
      {R"("tls":{"ca":"file:/ca.pem"})", "tls: has no effect, the connection is not encrypted"},
      {R"("tls":{"verify":false},"transport":"tcp")", "tls: has no effect, the connection is not encrypted"},
      {R"("tls":{"ca":"file:/ca.pem"},"transport":"relp")",
       "tls: has no effect, the connection is not encrypted unless tls.enabled is true"},
      {R"("tls":{"enabled":true,"ca":"file:/ca.pem"},"transport":"relp")", ""},
      {R"("tls":{"ca":"file:/ca.pem"},"transport":"tls")", ""},
      {R"("tls":{"ca":"file:/ca.pem","verify":false},"transport":"tls")",
       "tls.ca: has no effect, tls.verify is false"},
  };
  for (const Row& row : kRows) EXPECT_EQ(warnings_of(row.members), row.warnings) << row.members;
}

TEST(TargetWarnings, NoPresetHasAny) {
  for (const Preset& preset : presets()) {
    const auto merged = with_preset(preset.id, {{"name", "n"}, {"host", "127.0.0.1"}});
    const auto t = parse_target(merged.value());
    ASSERT_TRUE(t) << t.error().what;
    EXPECT_EQ(fmt::format("{}", fmt::join(target_warnings(*t), " | ")), "") << preset.id;
  }
}

}  // namespace
}  // namespace wafd::forward
