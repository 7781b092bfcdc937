#include "forward/format/ecs.h"

#include "detect/core/record_json.h"

namespace wafd::forward {
namespace {

using enum KeySource;

// Fields of one object stand together: objects are opened and closed in this order.
constexpr KeyRow kEcsRows[] = {
    KeyRow::made("@timestamp", kEventTime),
    KeyRow::made("ecs.version", kFixed, kEcsVersion),
    KeyRow::made("message", kWords),
    KeyRow::made("event.kind", kFixed, "alert"),
    KeyRow::made("event.category", kFixed, R"(["web","intrusion_detection"])"),
    KeyRow::made("event.type", kEventType),
    KeyRow::of("event.action", "action"),
    KeyRow::of("event.id", "event_id"),
    KeyRow::made("event.module", kFixed, "wafd"),
    KeyRow::made("event.dataset", kFixed, "wafd.event"),
    KeyRow::made("event.severity", kSeverity),
    KeyRow::of("event.reason", "reason"),
    KeyRow::of("event.start", "req_start_time", "", kMemberTime),
    KeyRow::of("event.end", "req_end_time", "", kMemberTime),
    KeyRow::of("source.address", "src_ip"),
    KeyRow::of("source.ip", "src_ip", "", kAddress),
    KeyRow::of("source.port", "src_port"),
    KeyRow::of("source.geo.country_iso_code", "country"),
    KeyRow::of("source.geo.region_name", "province"),
    KeyRow::of("source.geo.city_name", "city"),
    KeyRow::of("destination.address", "dest_ip"),
    KeyRow::of("destination.ip", "dest_ip", "", kAddress),
    KeyRow::of("destination.port", "dest_port"),
    KeyRow::of("url.scheme", "scheme"),
    KeyRow::of("url.domain", "host"),
    KeyRow::of("url.path", "urlpath"),
    KeyRow::of("url.query", "query_string"),
    KeyRow::of("http.request.method", "method"),
    KeyRow::of("http.request.referrer", "referer"),
    KeyRow::of("http.request.body.content", "body"),
    KeyRow::made("http.response.status_code", kStatus),
    KeyRow::of("user_agent.original", "user_agent"),
    KeyRow::of("rule.id", "rule_id"),
    KeyRow::of("rule.ruleset", "module"),
    KeyRow::of("rule.category", "attack_type"),
    KeyRow::made("rule.name", kWords),
    KeyRow::of("observer.name", "node"),
    KeyRow::made("observer.type", kFixed, "waf"),
    KeyRow::made("observer.vendor", kFixed, "wafd"),
    KeyRow::made("observer.product", kFixed, "wafd"),
    KeyRow::made("observer.version", kFixed, WAFD_VERSION),
    KeyRow::of("host.name", "node"),
    KeyRow::made("wafd.format", kFixed, kEcsMapping),
    KeyRow::of("wafd.socket_ip", "socket_ip"),
    KeyRow::of("wafd.upstream_addr", "upstream_addr"),
    KeyRow::of("wafd.rsp_start_time", "rsp_start_time"),
    KeyRow::of("wafd.rsp_end_time", "rsp_end_time"),
    KeyRow::of("wafd.session", "session"),
    KeyRow::of("wafd.site_uuid", "site_uuid"),
    KeyRow::of("wafd.site_url", "site_url"),
    KeyRow::of("wafd.req_detect_time", "req_detect_time"),
    KeyRow::of("wafd.proxy_name", "proxy_name"),
    KeyRow::of("wafd.location", "location"),
    KeyRow::of("wafd.payload", "payload"),
    KeyRow::of("wafd.decode_path", "decode_path"),
    KeyRow::of("wafd.req_http_body_is_truncate", "req_http_body_is_truncate"),
    KeyRow::of("wafd.rsp_http_body_is_truncate", "rsp_http_body_is_truncate"),
    KeyRow::of("wafd.http_body_is_abandoned", "http_body_is_abandoned"),
    KeyRow::of("wafd.req_skynet_rule_id_list", "req_skynet_rule_id_list"),
    KeyRow::of("wafd.timestamp_human", "timestamp_human"),
    KeyRow::of("wafd.cookie", "cookie"),
    KeyRow::of("wafd.resp_reason_phrase", "resp_reason_phrase"),
    KeyRow::of("wafd.risk_level", "risk_level"),
    KeyRow::of("wafd.req_block_reason", "req_block_reason"),
    KeyRow::of("wafd.req_header_raw", "req_header_raw"),
};

// Bytes of the objects that `a` and `b` have in common, with the dot: "source.geo." for two fields of it.
std::size_t common_objects(std::string_view a, std::string_view b) noexcept {
  std::size_t common = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i)
    if (a[i] == '.') common = i + 1;
  return common;
}

void close_objects(std::string_view key, std::size_t from, std::string& out) {
  for (const char c : key.substr(from))
    if (c == '.') out += '}';
}

// The text between the value of `before` (empty: none) and that of `key`: closed objects, opened ones, the
// name.
void append_lead(std::string_view before, std::string_view key, std::string& out) {
  std::size_t at = common_objects(before, key);
  close_objects(before, at, out);
  if (!before.empty()) out += ',';
  for (std::size_t dot; (dot = key.find('.', at)) != std::string_view::npos; at = dot + 1)
    out.append("\"").append(key.substr(at, dot - at)).append("\":{");
  out.append("\"").append(key.substr(at)).append("\":");
}

}  // namespace

std::span<const KeyRow> ecs_rows() noexcept { return kEcsRows; }

EcsContent::EcsContent(ZoneTime zone, int precision)
    : KeyedContent(ecs_rows()), zone_(std::move(zone)), precision_(precision) {
  std::string_view before;
  for (const KeyRow& row : rows()) {
    append_lead(before, row.key, leads_.emplace_back());
    before = row.key;
  }
}

void EcsContent::escape(std::string_view text, std::string& out) const { append_json_text(text, out); }

void EcsContent::append_time(std::int64_t time_ms, std::string& out) {
  zone_.append_rfc3339(time_ms * 1000, precision_, out);
}

void EcsContent::write(std::span<const KeyValue> values, std::string& out) const {
  std::string_view before;
  std::size_t next = 0;  // the row whose lead fits
  out += '{';
  for (const KeyValue& value : values) {
    if (value.left_out) continue;
    const std::size_t index = index_of(value);
    if (index == next)
      out += leads_[index];
    else
      append_lead(before, value.row->key, out);
    const bool list =
        value.row->member != 0 && kMembers[value.row->member - 1].type == MemberType::kIntegerList;
    if (list) out += '[';
    if (value.bare) {
      out += value.text;
    } else {
      out += '"';
      if (value.cut_bytes == 0 && !value.json.empty())
        out += value.json;  // the record was escaped by the same function
      else
        append_text(value, out);
      out += '"';
    }
    if (list) out += ']';
    before = value.row->key;
    next = index + 1;
  }
  close_objects(before, 0, out);
  out += '}';
}

}  // namespace wafd::forward
