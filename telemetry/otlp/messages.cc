#include "telemetry/otlp/messages.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <zlib.h>

#include "detect/core/bytes.h"

namespace wafd::telemetry {
namespace {

namespace json = boost::json;

constexpr int kCumulative = 2;         // AggregationTemporality
constexpr double kWholeMost = 0x1p62;  // a double holds it, and so do 64 bits

// A string of protobuf is UTF-8; a receiver refuses a whole request for one that is not.
json::string utf8(std::string_view text) {
  json::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t code_point = 0;
    const std::size_t size = utf8_sequence(text, at, code_point);
    out.append(size == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(at, size));
    at += std::max<std::size_t>(size, 1);
  }
  return out;
}

json::string nanoseconds(std::int64_t us) { return json::string(fmt::format("{}000", us)); }

json::object attribute(std::string_view key, std::string_view value) {
  return {{"key", utf8(key)}, {"value", json::object{{"stringValue", utf8(value)}}}};
}

json::array attributes(std::span<const std::pair<std::string, std::string>> members) {
  json::array out;
  out.reserve(members.size());
  for (const auto& [name, value] : members) out.push_back(attribute(name, value));
  return out;
}

json::object resource(const OtlpSender& sender) {
  return {{"attributes",
           json::array{attribute("service.name", "wafd"), attribute("service.instance.id", sender.node),
                       attribute("service.version", sender.version)}}};
}

// One resource with one scope, in which `items` stand.
std::string request(const OtlpSender& sender, std::string_view of_resource, std::string_view of_scope,
                    std::string_view member, json::array items) {
  json::object scoped{{"scope", json::object{{"name", "wafd"}, {"version", utf8(sender.version)}}}};
  scoped[member] = std::move(items);
  json::object whole{{"resource", resource(sender)}};
  whole[of_scope] = json::array{std::move(scoped)};
  json::object out;
  out[of_resource] = json::array{std::move(whole)};
  return json::serialize(out);
}

json::object metric_of(const MetricFamily& family, std::int64_t start_us, std::int64_t now_us) {
  json::array points;
  points.reserve(family.samples.size());
  for (const MetricSample& sample : family.samples) {
    json::object point{{"attributes", attributes(sample.labels)}, {"timeUnixNano", nanoseconds(now_us)}};
    if (family.counter && family.since_start)
      point["startTimeUnixNano"] = nanoseconds(std::min(start_us, now_us));
    if (family.whole)
      point["asInt"] =
          fmt::format("{}", static_cast<std::int64_t>(std::clamp(sample.value, -kWholeMost, kWholeMost)));
    else
      point["asDouble"] = sample.value;
    points.push_back(std::move(point));
  }
  json::object data{{"dataPoints", std::move(points)}};
  if (family.counter) {
    data["aggregationTemporality"] = kCumulative;
    data["isMonotonic"] = true;
  }
  json::object out{{"name", utf8(family.name)}, {"description", utf8(family.help)}};
  if (!family.unit.empty()) out["unit"] = utf8(family.unit);
  out[family.counter ? "sum" : "gauge"] = std::move(data);
  return out;
}

// SeverityNumber of opentelemetry/proto/logs/v1/logs.proto.
int severity(std::string_view level) {
  if (level == "debug") return 5;
  if (level == "warning") return 13;
  if (level == "error") return 17;
  if (level == "critical") return 21;
  return 9;
}

// A 64-bit integer as protobuf's JSON mapping has it: as a string or as a number.
std::uint64_t count_of(const json::value* value) {
  if (value == nullptr) return 0;
  if (value->is_int64()) return static_cast<std::uint64_t>(std::max<std::int64_t>(0, value->get_int64()));
  if (value->is_uint64()) return value->get_uint64();
  const json::string* text = value->if_string();
  std::uint64_t out = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), out);
  return out;
}

std::string of_status(int status) { return fmt::format("it answered {}", status); }

}  // namespace

std::string_view to_string(Signal signal) noexcept { return signal == Signal::kMetrics ? "metrics" : "logs"; }

std::string_view path_of(Signal signal) noexcept {
  return signal == Signal::kMetrics ? "/v1/metrics" : "/v1/logs";
}

std::string metrics_request(const OtlpSender& sender, std::span<const MetricFamily> families,
                            std::int64_t start_us, std::int64_t now_us) {
  json::array metrics;
  metrics.reserve(families.size());
  for (const MetricFamily& family : families)
    if (!family.samples.empty()) metrics.push_back(metric_of(family, start_us, now_us));
  return request(sender, "resourceMetrics", "scopeMetrics", "metrics", std::move(metrics));
}

std::size_t points_in(std::span<const MetricFamily> families) noexcept {
  std::size_t points = 0;
  for (const MetricFamily& family : families) points += family.samples.size();
  return points;
}

std::string logs_request(const OtlpSender& sender, std::span<const LogRecord> records, std::int64_t now_us) {
  json::array out;
  out.reserve(records.size());
  for (const LogRecord& record : records)
    out.push_back(json::object{{"timeUnixNano", nanoseconds(record.time_us)},
                               {"observedTimeUnixNano", nanoseconds(now_us)},
                               {"severityNumber", severity(record.level)},
                               {"severityText", utf8(record.level)},
                               {"body", json::object{{"stringValue", utf8(record.message)}}},
                               {"attributes", attributes(record.attributes)}});
  return request(sender, "resourceLogs", "scopeLogs", "logRecords", std::move(out));
}

std::string gzip_of(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  std::string in(bytes);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(whole ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

ExportResult result_of(Signal signal, const OtlpAnswer& answer, std::uint64_t items) {
  if (!answer.failure.empty()) return {Outcome::kLater, 0, answer.failure};
  for (const int later : {429, 502, 503, 504})
    if (answer.status == later) return {Outcome::kLater, 0, of_status(answer.status)};
  if (answer.status < 200 || answer.status > 299) return {Outcome::kRefused, 0, of_status(answer.status)};
  if (answer.cut || trim_space(answer.body).empty()) return {Outcome::kTaken, 0, {}};
  boost::system::error_code error;
  const json::value value = json::parse(answer.body, error);
  if (error || !value.is_object()) return {Outcome::kRefused, 0, "its answer is not one of OTLP in JSON"};
  const json::value* partial = value.get_object().if_contains("partialSuccess");
  if (partial == nullptr || !partial->is_object()) return {Outcome::kTaken, 0, {}};
  const std::string_view member = signal == Signal::kMetrics ? "rejectedDataPoints" : "rejectedLogRecords";
  const std::uint64_t rejected = std::min(count_of(partial->get_object().if_contains(member)), items);
  return {Outcome::kTaken, rejected, {}};  // what it says beside it is a hint for developers
}

}  // namespace wafd::telemetry
