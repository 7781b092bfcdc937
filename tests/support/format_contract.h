// The contract of parsers of CEF, LEEF and ECS: which member of the record stands under which key.
// A table of its own, not taken from the writers, so that a change there is noticed; and the judge that
// compares a message with the record it was made of, cut or not. Header-only.
#pragma once

#include <charconv>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <boost/json.hpp>

#include "tests/support/strict_keys.h"

namespace wafd::test {

struct FormatRow {
  const char* member;
  const char* cef;
  const char* leef;
  const char* ecs;
};

// "": not sent under a key of its own. "=x": as member x.
inline constexpr FormatRow kFormatRows[] = {
    {"scheme", "app", "scheme", "url.scheme"},
    {"src_ip", "src", "src", "source.ip"},
    {"src_port", "spt", "srcPort", "source.port"},
    {"socket_ip", "wafdSocketIp", "socketIp", "wafd.socket_ip"},
    {"upstream_addr", "wafdUpstreamAddr", "upstreamAddr", "wafd.upstream_addr"},
    {"req_start_time", "start", "reqStartTime", ""},
    {"rsp_start_time", "deviceCustomDate1", "rspStartTime", "wafd.rsp_start_time"},
    {"req_end_time", "end", "reqEndTime", ""},
    {"rsp_end_time", "deviceCustomDate2", "rspEndTime", "wafd.rsp_end_time"},
    {"host", "dhost", "host", "url.domain"},
    {"method", "requestMethod", "method", "http.request.method"},
    {"query_string", "", "", "url.query"},
    {"event_id", "externalId", "eventId", "event.id"},
    {"session", "wafdSession", "session", "wafd.session"},
    {"site_uuid", "cs5", "siteUuid", "wafd.site_uuid"},
    {"site_url", "wafdSiteUrl", "siteUrl", "wafd.site_url"},
    {"req_detector_name", "dvchost", "node", "observer.name"},
    {"req_detect_time", "cn1", "detectTimeUs", "wafd.req_detect_time"},
    {"req_proxy_name", "wafdProxyName", "proxyName", "wafd.proxy_name"},
    {"req_rule_id", "", "policy", "rule.id"},
    {"req_location", "cs2", "location", "wafd.location"},
    {"req_payload", "cs1", "payload", "wafd.payload"},
    {"req_decode_path", "cs3", "decodePath", "wafd.decode_path"},
    {"req_rule_module", "wafdRuleModule", "ruleModule", "rule.ruleset"},
    {"req_http_body_is_truncate", "wafdReqBodyTruncated", "reqBodyTruncated",
     "wafd.req_http_body_is_truncate"},
    {"rsp_http_body_is_truncate", "wafdRspBodyTruncated", "rspBodyTruncated",
     "wafd.rsp_http_body_is_truncate"},
    {"req_skynet_rule_id_list", "wafdRuleNumbers", "ruleNumbers", "wafd.req_skynet_rule_id_list"},
    {"http_body_is_abandoned", "wafdBodyAbandoned", "bodyAbandoned", "wafd.http_body_is_abandoned"},
    {"country", "cs6", "country", "source.geo.country_iso_code"},
    {"province", "wafdProvince", "province", "source.geo.region_name"},
    {"city", "wafdCity", "city", "source.geo.city_name"},
    {"timestamp", "", "", ""},
    {"payload", "cs1", "payload", "wafd.payload"},
    {"location", "cs2", "location", "wafd.location"},
    {"rule_id", "", "policy", "rule.id"},
    {"decode_path", "cs3", "decodePath", "wafd.decode_path"},
    {"cookie", "requestCookies", "cookie", "wafd.cookie"},
    {"user_agent", "requestClientApplication", "userAgent", "user_agent.original"},
    {"referer", "requestContext", "referer", "http.request.referrer"},
    {"timestamp_human", "wafdTimestampHuman", "timestampHuman", "wafd.timestamp_human"},
    {"resp_reason_phrase", "wafdRspReason", "rspReason", "wafd.resp_reason_phrase"},
    {"module", "wafdRuleModule", "ruleModule", "rule.ruleset"},
    {"reason", "reason", "reason", "event.reason"},
    {"proxy_name", "wafdProxyName", "proxyName", "wafd.proxy_name"},
    {"node", "dvchost", "node", "host.name"},
    {"dest_port", "dpt", "dstPort", "destination.port"},
    {"dest_ip", "dst", "dst", "destination.ip"},
    {"urlpath", "", "", "url.path"},
    {"protocol", "app", "scheme", "url.scheme"},
    {"attack_type", "cat", "", "rule.category"},
    {"risk_level", "cs4", "riskLevel", "wafd.risk_level"},
    {"action", "act", "cat", "event.action"},
    {"req_header_raw", "wafdRequestHeader", "requestHeader", "wafd.req_header_raw"},
    {"body", "wafdRequestBody", "requestBody", "http.request.body.content"},
    {"req_block_reason", "wafdBlockReason", "blockReason", "wafd.req_block_reason"},
    {"req_attack_type", "cat", "", "rule.category"},
    {"req_risk_level", "cs4", "riskLevel", "wafd.risk_level"},
    {"req_action", "act", "cat", "event.action"},
};
static_assert(std::size(kFormatRows) == 58);

inline const std::set<std::string> kPorts{"spt",     "dpt",         "srcPort",
                                          "dstPort", "source.port", "destination.port"};

enum class Format { kCef, kLeef, kEcs };

// The form of a value in each format: line ends survive in CEF and ECS, all controls in ECS alone.
inline std::string as_shown(Format format, std::string_view text) {
  if (format == Format::kEcs) return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0;
    const auto third = at + 2 < text.size() ? static_cast<unsigned char>(text[at + 2]) : 0;
    if (format == Format::kCef && (c == '\n' || c == '\r')) {
      out += static_cast<char>(c);
    } else if (c == '\n' || c == '\r' || (c == '\t' && format == Format::kLeef)) {
      out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    } else if (c < 0x20 || c == 0x7f || (c == 0xc2 && next < 0xa0)) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c == 0xc2 ? next : c);
      out += code;
      at += c == 0xc2;
    } else if (c == 0xe2 && next == 0x80 && (third == 0xa8 || third == 0xa9)) {
      out += third == 0xa8 ? "\\u2028" : "\\u2029";
      at += 2;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

// Takes "…[cut N]" off.
inline std::size_t take_mark(std::string& text) {
  const std::size_t at = text.rfind("\xe2\x80\xa6[cut ");
  if (at == std::string::npos || text.back() != ']') return 0;
  const std::string digits = text.substr(at + 8, text.size() - at - 9);
  if (digits.empty() || digits.size() > 9 || digits[0] == '0' ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return 0;
  text.erase(at);
  return static_cast<std::size_t>(std::stoul(digits));
}

// Empty if `shown` is `original`, or with `cut` a beginning of it with a true mark.
inline std::string compare_value(Format format, const std::string& original, std::string shown, bool cut) {
  if (shown == as_shown(format, original)) return "";
  if (!cut) return "expected " + as_shown(format, original) + ", got " + shown;
  std::string whole = original;
  const std::size_t earlier = take_mark(whole), told = take_mark(shown);
  if (told <= earlier || told - earlier > whole.size()) return "a false mark: " + shown;
  whole.resize(whole.size() - (told - earlier));
  return as_shown(format, whole) == shown ? "" : "not a beginning: " + shown;
}

inline void flatten(const boost::json::value& v, const std::string& path,
                    std::map<std::string, std::string>& out) {
  if (const auto* object = v.if_object()) {  // our nesting is four deep
    for (const auto& m : *object)
      flatten(m.value(), path + (path.empty() ? "" : ".") + std::string(m.key()), out);
  } else if (const auto* text = v.if_string()) {
    out[path] = std::string(*text);
  } else {
    std::string bare = boost::json::serialize(v);
    out[path] = v.is_array() ? bare.substr(1, bare.size() - 2) : bare;
  }
}

struct FormatVerdict {
  std::map<std::string, std::string> keys;
  std::vector<std::string> header;
  std::string error;  // empty: right
};

// Parses `text` and compares every key with the members of `record_json`. `cut`: values may be shortened and
// keys missing.
inline FormatVerdict judge_format(Format format, std::string_view record_json, std::string_view text,
                                  bool cut) {
  FormatVerdict v;
  boost::system::error_code ec;
  if (format == Format::kEcs) {
    if (v.error = check_utf8(text); !v.error.empty()) return v;
    const boost::json::value parsed = boost::json::parse({text.data(), text.size()}, ec);
    if (ec || !parsed.is_object()) return v.error = "no JSON object", v;
    flatten(parsed, "", v.keys);
    std::size_t names = 0;  // Boost keeps one of duplicate names: each must stand once
    for (const char c : boost::json::serialize(parsed)) names += c == ':';
    std::size_t seen = 0;
    for (const char c : text) seen += c == ':';
    if (names != seen) return v.error = "a name stands twice", v;
  } else {
    KeyedMessage m = format == Format::kCef ? parse_cef(text) : parse_leef(text);
    v.keys = std::move(m.keys);
    v.header = std::move(m.header);
    if (v.error = m.error; !v.error.empty()) return v;
  }
  const boost::json::value record = boost::json::parse({record_json.data(), record_json.size()}, ec);
  if (ec || !record.is_object()) return v.error = "the record is no object", v;
  std::map<std::string, std::string> members;
  flatten(record, "", members);
  const auto check = [&](const std::string& key, const std::string& original) {
    const auto found = v.keys.find(key);
    const bool none = original.empty() || original == "null" || (original == "0" && kPorts.contains(key));
    if (found == v.keys.end()) {
      if (!none && !cut) v.error = key + ": missing";
      return;
    }
    if (none) v.error = key + ": there without a value";
    if (const std::string wrong = compare_value(format, original, found->second, cut); !wrong.empty())
      v.error = key + ": " + wrong;
  };
  for (const FormatRow& row : kFormatRows) {
    const char* key = format == Format::kCef ? row.cef : format == Format::kLeef ? row.leef : row.ecs;
    const std::string member = row.member;
    if (*key == '\0' || !v.error.empty()) continue;
    if (member == "req_http_body_is_truncate" && cut) {
      const auto body = v.keys.find(format == Format::kCef    ? "wafdRequestBody"
                                    : format == Format::kLeef ? "requestBody"
                                                              : "http.request.body.content");
      const bool shortened =
          body == v.keys.end() ? !members["body"].empty() : body->second != as_shown(format, members["body"]);
      if (v.keys.contains(key) && v.keys[key] != (shortened ? "1" : members[member]))
        v.error = std::string(key) + ": " + v.keys[key];
      continue;
    }
    if (member == "req_skynet_rule_id_list" && cut) {  // whole numbers from the beginning
      const auto found = v.keys.find(key);
      if (found != v.keys.end() && !(members[member] + ",").starts_with(found->second + ","))
        v.error = "list";
      continue;
    }
    // Texts that are no address stand elsewhere.
    unsigned char bytes[16];
    const bool address = inet_pton(AF_INET, members[member].c_str(), bytes) == 1 ||
                         inet_pton(AF_INET6, members[member].c_str(), bytes) == 1;
    if ((member == "src_ip" || member == "dest_ip") && !address) continue;
    check(key, members[member]);
  }
  if (v.error.empty() && format != Format::kEcs && !(members["host"].empty() && members["urlpath"].empty()))
    check(format == Format::kCef ? "request" : "url",
          members["scheme"] + "://" + members["host"] + members["urlpath"] +
              (members["query_string"].empty() ? "" : "?" + members["query_string"]));
  return v;
}

}  // namespace wafd::test
