#include "forward/format/cef.h"

#include "forward/format/text_cut.h"

namespace wafd::forward {
namespace {

using enum KeySource;

// Keys of the CEF dictionary where it has one, cs/cn/deviceCustomDate with labels, then keys of our own.
constexpr KeyRow kCefRows[] = {
    KeyRow::made("rt", kEventTime),
    KeyRow::of("externalId", "event_id"),
    KeyRow::of("act", "action"),
    KeyRow::of("cat", "attack_type"),
    KeyRow::of("src", "src_ip", "", kAddress),
    KeyRow::of("c6a2", "src_ip", "Source IPv6 Address", kAddressV6),
    KeyRow::of("shost", "src_ip", "", kNoAddress),
    KeyRow::of("spt", "src_port"),
    KeyRow::of("dst", "dest_ip", "", kAddress),
    KeyRow::of("c6a3", "dest_ip", "Destination IPv6 Address", kAddressV6),
    KeyRow::of("wafdDest", "dest_ip", "", kNoAddress),
    KeyRow::of("dpt", "dest_port"),
    KeyRow::of("app", "scheme"),
    KeyRow::of("dhost", "host"),
    KeyRow::of("requestMethod", "method"),
    KeyRow::made("request", kUrl),
    KeyRow::of("requestClientApplication", "user_agent"),
    KeyRow::of("requestContext", "referer"),
    KeyRow::of("requestCookies", "cookie"),
    KeyRow::of("reason", "reason"),
    KeyRow::of("dvchost", "node"),
    KeyRow::of("start", "req_start_time"),
    KeyRow::of("end", "req_end_time"),
    KeyRow::of("cs1", "payload", "payload"),
    KeyRow::of("cs2", "location", "location"),
    KeyRow::of("cs3", "decode_path", "decodePath"),
    KeyRow::of("cs4", "risk_level", "riskLevel"),
    KeyRow::of("cs5", "site_uuid", "siteUuid"),
    KeyRow::of("cs6", "country", "country"),
    KeyRow::of("cn1", "req_detect_time", "detectTimeUs"),
    KeyRow::made("cn2", kStatus, "responseStatus"),
    KeyRow::of("deviceCustomDate1", "rsp_start_time", "rspStartTime"),
    KeyRow::of("deviceCustomDate2", "rsp_end_time", "rspEndTime"),
    KeyRow::of("wafdSocketIp", "socket_ip"),
    KeyRow::of("wafdUpstreamAddr", "upstream_addr"),
    KeyRow::of("wafdSession", "session"),
    KeyRow::of("wafdSiteUrl", "site_url"),
    KeyRow::of("wafdProxyName", "proxy_name"),
    KeyRow::of("wafdRuleModule", "module"),
    KeyRow::of("wafdRuleNumbers", "req_skynet_rule_id_list"),
    KeyRow::of("wafdReqBodyTruncated", "req_http_body_is_truncate"),
    KeyRow::of("wafdRspBodyTruncated", "rsp_http_body_is_truncate"),
    KeyRow::of("wafdBodyAbandoned", "http_body_is_abandoned"),
    KeyRow::of("wafdProvince", "province"),
    KeyRow::of("wafdCity", "city"),
    KeyRow::of("wafdTimestampHuman", "timestamp_human"),
    KeyRow::of("wafdRspReason", "resp_reason_phrase"),
    KeyRow::of("wafdBlockReason", "req_block_reason"),
    KeyRow::made("wafdFormat", kFixed, kCefMapping),
    KeyRow::of("wafdRequestHeader", "req_header_raw"),
    KeyRow::of("wafdRequestBody", "body"),
};

}  // namespace

std::span<const KeyRow> cef_rows() noexcept { return kCefRows; }

// The backslash of what a character is shown as is a character of the value, so it has one before it.
void escape_cef(std::string_view text, std::string& out) {
  const auto escape = [](char c, std::string& to) {
    if (c == '\\' || c == '=')
      (to += '\\') += c;
    else if (c == '\n' || c == '\r')
      to += c == '\n' ? "\\n" : "\\r";
    else
      return false;
    return true;
  };
  escape_text(text, '\\', '=', "\\", escape, out);
}

void escape_cef_header(std::string_view text, std::string& out) {
  const auto escape = [](char c, std::string& to) {
    if (c == '\\' || c == '|')
      (to += '\\') += c;
    else if (c == '\n' || c == '\r')
      to += ' ';
    else
      return false;
    return true;
  };
  escape_text(text, '\\', '|', "\\", escape, out);
}

CefContent::CefContent() : KeyedContent(cef_rows()) {
  for (const KeyRow& row : rows()) {
    std::string lead = " ";
    if (row.source != kFixed && !row.text.empty()) {
      lead.append(row.key).append("Label=");
      escape_cef(row.text, lead);
      lead += ' ';
    }
    leads_.push_back(lead.append(row.key) + '=');
  }
}

void CefContent::write(std::span<const KeyValue> values, std::string& out) const {
  out += "CEF:0|wafd|wafd|" WAFD_VERSION "|";
  escape_cef_header(texts()[member_of("rule_id")], out);
  out += '|';
  escape_cef_header(attack_words(texts()[member_of("attack_type")]), out);
  out.append("|").append(severity_text(texts()[member_of("risk_level")])).append("|");
  std::size_t skip = 1;  // the space before the first key
  for (const KeyValue& value : values) {
    if (value.left_out) continue;
    out.append(leads_[index_of(value)], skip);
    skip = 0;
    append_text(value, out);
  }
}

}  // namespace wafd::forward
