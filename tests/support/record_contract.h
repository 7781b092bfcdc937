// The contract of receivers' parsers: the 58 members of the record, in order, with their types. A
// table of its own, typed in from the description of the record and not taken from the writer, so that a
// change there is noticed.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

namespace wafd::test {

// s string, i integer, n integer or null, l list of integers
inline constexpr std::array<std::pair<std::string_view, char>, 58> kContract{{
    {"scheme", 's'},
    {"src_ip", 's'},
    {"src_port", 'i'},
    {"socket_ip", 's'},
    {"upstream_addr", 's'},
    {"req_start_time", 'i'},
    {"rsp_start_time", 'n'},
    {"req_end_time", 'i'},
    {"rsp_end_time", 'n'},
    {"host", 's'},
    {"method", 's'},
    {"query_string", 's'},
    {"event_id", 's'},
    {"session", 's'},
    {"site_uuid", 's'},
    {"site_url", 's'},
    {"req_detector_name", 's'},
    {"req_detect_time", 'i'},
    {"req_proxy_name", 's'},
    {"req_rule_id", 's'},
    {"req_location", 's'},
    {"req_payload", 's'},
    {"req_decode_path", 's'},
    {"req_rule_module", 's'},
    {"req_http_body_is_truncate", 'i'},
    {"rsp_http_body_is_truncate", 'i'},
    {"req_skynet_rule_id_list", 'l'},
    {"http_body_is_abandoned", 'i'},
    {"country", 's'},
    {"province", 's'},
    {"city", 's'},
    {"timestamp", 'i'},
    {"payload", 's'},
    {"location", 's'},
    {"rule_id", 's'},
    {"decode_path", 's'},
    {"cookie", 's'},
    {"user_agent", 's'},
    {"referer", 's'},
    {"timestamp_human", 's'},
    {"resp_reason_phrase", 's'},
    {"module", 's'},
    {"reason", 's'},
    {"proxy_name", 's'},
    {"node", 's'},
    {"dest_port", 'i'},
    {"dest_ip", 's'},
    {"urlpath", 's'},
    {"protocol", 's'},
    {"attack_type", 's'},
    {"risk_level", 's'},
    {"action", 's'},
    {"req_header_raw", 's'},
    {"body", 's'},
    {"req_block_reason", 's'},
    {"req_attack_type", 's'},
    {"req_risk_level", 's'},
    {"req_action", 's'},
}};

// Empty if `json` is one object with exactly these members; else what is wrong first.
inline std::string check_record(std::string_view json) {
  boost::system::error_code ec;
  const boost::json::value value = boost::json::parse(boost::json::string_view(json.data(), json.size()), ec);
  if (ec || !value.is_object()) return "not one JSON object: " + ec.message();
  const boost::json::object& object = value.as_object();
  if (object.size() != kContract.size()) return "members: " + std::to_string(object.size());
  std::size_t i = 0;
  for (const auto& member : object) {  // in the order of the text
    const auto& [name, type] = kContract[i++];
    if (std::string_view(member.key()) != name) return std::to_string(i) + ": " + std::string(member.key());
    const boost::json::value& v = member.value();
    const bool integer = v.is_int64() || v.is_uint64();
    bool right = type == 's'   ? v.is_string()
                 : type == 'i' ? integer
                 : type == 'n' ? integer || v.is_null()
                               : v.is_array();
    if (type == 'l' && right)
      for (const auto& n : v.as_array()) right = right && (n.is_int64() || n.is_uint64());
    if (!right) return std::string(name) + ": wrong type";
  }
  return "";
}

}  // namespace wafd::test
