#include "forward/format/leef.h"

#include "forward/format/text_cut.h"

namespace wafd::forward {
namespace {

using enum KeySource;

// Predefined attributes of LEEF where there is one, then keys of our own. EventID (the attack type) and cat
// (what was done) together are what QRadar maps to its own events.
constexpr KeyRow kLeefRows[] = {
    KeyRow::made("devTime", kEventTime),
    KeyRow::made("devTimeFormat", kFixed, "yyyy-MM-dd'T'HH:mm:ss.SSSZ"),
    KeyRow::made("sev", kSeverity),
    KeyRow::of("cat", "action"),
    KeyRow::of("eventId", "event_id"),
    KeyRow::of("src", "src_ip", "", kAddress),
    KeyRow::of("srcName", "src_ip", "", kNoAddress),
    KeyRow::of("srcPort", "src_port"),
    KeyRow::of("dst", "dest_ip", "", kAddress),
    KeyRow::of("dstName", "dest_ip", "", kNoAddress),
    KeyRow::of("dstPort", "dest_port"),
    KeyRow::of("policy", "rule_id"),
    KeyRow::of("scheme", "scheme"),
    KeyRow::of("host", "host"),
    KeyRow::of("method", "method"),
    KeyRow::made("url", kUrl),
    KeyRow::of("userAgent", "user_agent"),
    KeyRow::of("referer", "referer"),
    KeyRow::of("cookie", "cookie"),
    KeyRow::of("reason", "reason"),
    KeyRow::of("node", "node"),
    KeyRow::of("riskLevel", "risk_level"),
    KeyRow::of("location", "location"),
    KeyRow::of("payload", "payload"),
    KeyRow::of("decodePath", "decode_path"),
    KeyRow::of("siteUuid", "site_uuid"),
    KeyRow::of("siteUrl", "site_url"),
    KeyRow::of("country", "country"),
    KeyRow::of("province", "province"),
    KeyRow::of("city", "city"),
    KeyRow::of("reqStartTime", "req_start_time"),
    KeyRow::of("reqEndTime", "req_end_time"),
    KeyRow::of("rspStartTime", "rsp_start_time"),
    KeyRow::of("rspEndTime", "rsp_end_time"),
    KeyRow::of("detectTimeUs", "req_detect_time"),
    KeyRow::of("socketIp", "socket_ip"),
    KeyRow::of("upstreamAddr", "upstream_addr"),
    KeyRow::of("session", "session"),
    KeyRow::of("proxyName", "proxy_name"),
    KeyRow::of("ruleModule", "module"),
    KeyRow::of("ruleNumbers", "req_skynet_rule_id_list"),
    KeyRow::of("reqBodyTruncated", "req_http_body_is_truncate"),
    KeyRow::of("rspBodyTruncated", "rsp_http_body_is_truncate"),
    KeyRow::of("bodyAbandoned", "http_body_is_abandoned"),
    KeyRow::of("timestampHuman", "timestamp_human"),
    KeyRow::of("rspReason", "resp_reason_phrase"),
    KeyRow::made("rspStatus", kStatus),
    KeyRow::of("blockReason", "req_block_reason"),
    KeyRow::made("wafdFormat", kFixed, kLeefMapping),
    KeyRow::of("requestHeader", "req_header_raw"),
    KeyRow::of("requestBody", "body"),
};

}  // namespace

std::span<const KeyRow> leef_rows() noexcept { return kLeefRows; }

void escape_leef(std::string_view text, std::string& out) {
  const auto escape = [](char c, std::string& to) {
    if (c != '\t' && c != '\n' && c != '\r') return false;
    to += c == '\t' ? "\\t" : c == '\n' ? "\\n" : "\\r";
    return true;
  };
  escape_text(text, '\t', '\t', "", escape, out);
}

LeefContent::LeefContent(ZoneTime zone) : KeyedContent(leef_rows()), zone_(std::move(zone)) {
  for (const KeyRow& row : rows()) leads_.push_back(std::string("\t").append(row.key) + '=');
}

void LeefContent::append_time(std::int64_t time_ms, std::string& out) {
  zone_.append_rfc3339(time_ms * 1000, 3, out);
  out.erase(out.size() - 3, 1);  // the colon of the offset
}

void LeefContent::write(std::span<const KeyValue> values, std::string& out) const {
  out += "LEEF:2.0|wafd|wafd|" WAFD_VERSION "|";
  for (const char c : texts()[member_of("attack_type")]) out += c > 0x20 && c < 0x7f && c != '|' ? c : '_';
  out += "|x09|";
  std::size_t skip = 1;  // the tab before the first key
  for (const KeyValue& value : values) {
    if (value.left_out) continue;
    out.append(leads_[index_of(value)], skip);
    skip = 0;
    append_text(value, out);
  }
}

}  // namespace wafd::forward
