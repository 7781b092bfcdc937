#include "telemetry/otlp/messages.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

namespace wafd::telemetry {
namespace {

const OtlpSender kSender{"node-1", "1.2.3"};
constexpr std::int64_t kNowUs = 1'764'360'000'000'001;

#define RESOURCE                                                                        \
  R"("resource":{"attributes":[{"key":"service.name","value":{"stringValue":"wafd"}},)" \
  R"({"key":"service.instance.id","value":{"stringValue":"node-1"}},)"                  \
  R"({"key":"service.version","value":{"stringValue":"1.2.3"}}]})"

TEST(MetricsRequest, SumsGaugesAndTheirStart) {
  const std::vector<MetricFamily> families{
      {"wafd_requests_total", true, "Requests judged.", "", true, true, {{{}, 7}}},
      {"wafd_rule_hits_total", true, "Hits.", "", true, false, {{{{"rule", "a\"b"}}, 3}}},
      {"wafd_wait_seconds", false, "Wait.", "s", false, true, {{{}, 0.25}}},
      {"wafd_none", false, "No samples.", "", true, true, {}},
  };
  EXPECT_EQ(
      metrics_request(kSender, families, 1'000'000, kNowUs),
      R"({"resourceMetrics":[{)" RESOURCE
      R"(,"scopeMetrics":[{"scope":{"name":"wafd","version":"1.2.3"},"metrics":[)"
      R"({"name":"wafd_requests_total","description":"Requests judged.","sum":{"dataPoints":[{"attributes":[],)"
      R"("timeUnixNano":"1764360000000001000","startTimeUnixNano":"1000000000","asInt":"7"}],)"
      R"("aggregationTemporality":2,"isMonotonic":true}},)"
      R"({"name":"wafd_rule_hits_total","description":"Hits.","sum":{"dataPoints":[{"attributes":[{"key":"rule",)"
      R"("value":{"stringValue":"a\"b"}}],"timeUnixNano":"1764360000000001000","asInt":"3"}],)"
      R"("aggregationTemporality":2,"isMonotonic":true}},)"
      R"({"name":"wafd_wait_seconds","description":"Wait.","unit":"s","gauge":{"dataPoints":[{"attributes":[],)"
      R"("timeUnixNano":"1764360000000001000","asDouble":2.5E-1}]}}]}]}]})");
  EXPECT_EQ(points_in(families), 3u);
  // A clock that was set back: no counter begins in the future.
  EXPECT_NE(metrics_request(kSender, families, kNowUs + 1, kNowUs)
                .find(R"("timeUnixNano":"1764360000000001000","startTimeUnixNano":"1764360000000001000")"),
            std::string::npos);
}

TEST(LogsRequest, SeverityBodyAndAttributes) {
  const std::vector<LogRecord> records{{5, "warning", "disk \xff is full", {{"request_id", "5f-2"}}},
                                       {6, "info", "ready"}};
  EXPECT_EQ(logs_request(kSender, records, kNowUs),
            R"({"resourceLogs":[{)" RESOURCE
            R"(,"scopeLogs":[{"scope":{"name":"wafd","version":"1.2.3"},"logRecords":[)"
            R"({"timeUnixNano":"5000","observedTimeUnixNano":"1764360000000001000","severityNumber":13,)"
            R"("severityText":"warning","body":{"stringValue":"disk )"
            "\xef\xbf\xbd"
            R"( is full"},"attributes":[{"key":"request_id","value":{"stringValue":"5f-2"}}]},)"
            R"({"timeUnixNano":"6000","observedTimeUnixNano":"1764360000000001000","severityNumber":9,)"
            R"("severityText":"info","body":{"stringValue":"ready"},"attributes":[]}]}]}]})");
}

TEST(Gzip, UnpacksToTheSame) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919);
  for (const std::string& given : {std::string(), std::string("x"), text}) {
    std::string packed = gzip_of(given);
    ASSERT_FALSE(packed.empty());
    z_stream stream{};
    ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    std::string out(given.size() + 1, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    EXPECT_EQ(out, given);
  }
}

// opentelemetry.io/docs/specs/otlp, "OTLP/HTTP Response": "Full Success", "Partial Success", "Failures".
TEST(Answer, WhatItMeans) {
  const struct {
    OtlpAnswer answer;
    Outcome outcome;
    std::uint64_t rejected;
    const char* trouble;
  } rows[] = {
      {{200, "{}", {}, ""}, Outcome::kTaken, 0, ""},
      {{200, "", {}, ""}, Outcome::kTaken, 0, ""},
      {{202, " \r\n", {}, ""}, Outcome::kTaken, 0, ""},
      {{200, R"({"partialSuccess":{}})", {}, ""}, Outcome::kTaken, 0, ""},
      {{200, R"({"partialSuccess":null})", {}, ""}, Outcome::kTaken, 0, ""},
      {{200, R"({"partialSuccess":{"errorMessage":"a hint"}})", {}, ""}, Outcome::kTaken, 0, ""},
      {{200, R"({"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"x"}})", {}, ""},
       Outcome::kTaken,
       2,
       ""},
      {{200, R"({"partialSuccess":{"rejectedLogRecords":2}})", {}, ""}, Outcome::kTaken, 2, ""},
      {{200, R"({"partialSuccess":{"rejectedLogRecords":"18446744073709551615"}})", {}, ""},
       Outcome::kTaken,
       10,
       ""},
      {{200, R"({"partialSuccess":{"rejectedLogRecords":-5}})", {}, ""}, Outcome::kTaken, 0, ""},
      {{200, R"({"partialSuccess":{"rejectedLogRecords":["2"]}})", {}, ""}, Outcome::kTaken, 0, ""},
      {{200, R"({"partialSuccess":{"rejectedDataPoints":"2"}})", {}, ""}, Outcome::kTaken, 0, ""},
      {{200, "<html>", {}, ""}, Outcome::kRefused, 0, "its answer is not one of OTLP in JSON"},
      {{200, R"({"partialSuccess":{"rej)", {}, "", true}, Outcome::kTaken, 0, ""},
      {{200, "<html>", {}, "", true}, Outcome::kTaken, 0, ""},
      {{400, "<html>", {}, "", true}, Outcome::kRefused, 0, "it answered 400"},
      {{503, "<html>", {}, "", true}, Outcome::kLater, 0, "it answered 503"},
      {{200, "[]", {}, ""}, Outcome::kRefused, 0, "its answer is not one of OTLP in JSON"},
      {{200, std::string(10'000, '['), {}, ""},
       Outcome::kRefused,
       0,
       "its answer is not one of OTLP in JSON"},
      {{301, "", {}, ""}, Outcome::kRefused, 0, "it answered 301"},
      {{400, "{}", {}, ""}, Outcome::kRefused, 0, "it answered 400"},
      {{401, "", {}, ""}, Outcome::kRefused, 0, "it answered 401"},
      {{404, "", {}, ""}, Outcome::kRefused, 0, "it answered 404"},
      {{500, "", {}, ""}, Outcome::kRefused, 0, "it answered 500"},
      {{429, "", {}, ""}, Outcome::kLater, 0, "it answered 429"},
      {{502, "", {}, ""}, Outcome::kLater, 0, "it answered 502"},
      {{503, "", 7, ""}, Outcome::kLater, 0, "it answered 503"},
      {{504, "", {}, ""}, Outcome::kLater, 0, "it answered 504"},
      {{0, "", {}, "no answer in time"}, Outcome::kLater, 0, "no answer in time"},
  };
  for (const auto& row : rows) {
    const ExportResult result = result_of(Signal::kLogs, row.answer, 10);
    EXPECT_EQ(result.outcome, row.outcome) << row.answer.status << row.answer.body.substr(0, 80);
    EXPECT_EQ(result.rejected, row.rejected) << row.answer.body.substr(0, 80);
    EXPECT_EQ(result.trouble, row.trouble) << row.answer.status;
  }
  const OtlpAnswer points{200, R"({"partialSuccess":{"rejectedDataPoints":"2"}})", {}, ""};
  EXPECT_EQ(result_of(Signal::kMetrics, points, 10).rejected, 2u);
}

}  // namespace
}  // namespace wafd::telemetry
