// The 58 members of the attack log record in their order: names, types, caps. One table for writer, reader
// and cutter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd {

inline constexpr std::size_t kRecordMembers = 58;

enum class MemberType : std::uint8_t { kString, kInteger, kIntegerOrNull, kIntegerList };

struct RecordMember {
  std::string_view name;
  MemberType type = MemberType::kString;
  std::uint16_t cap = 0;  // kString: bytes of input kept; kIntegerList: numbers kept
};

// Numbers from 1, as the documentation counts; kMembers[0] is number 1.
inline constexpr std::array<RecordMember, kRecordMembers> kMembers{{
    {"scheme", MemberType::kString, 1024},
    {"src_ip", MemberType::kString, 1024},
    {"src_port", MemberType::kInteger},
    {"socket_ip", MemberType::kString, 1024},
    {"upstream_addr", MemberType::kString, 1024},
    {"req_start_time", MemberType::kInteger},
    {"rsp_start_time", MemberType::kIntegerOrNull},
    {"req_end_time", MemberType::kInteger},
    {"rsp_end_time", MemberType::kIntegerOrNull},
    {"host", MemberType::kString, 1024},
    {"method", MemberType::kString, 1024},
    {"query_string", MemberType::kString, 2048},
    {"event_id", MemberType::kString, 1024},
    {"session", MemberType::kString, 1024},
    {"site_uuid", MemberType::kString, 1024},
    {"site_url", MemberType::kString, 1024},
    {"req_detector_name", MemberType::kString, 1024},
    {"req_detect_time", MemberType::kInteger},
    {"req_proxy_name", MemberType::kString, 1024},
    {"req_rule_id", MemberType::kString, 1024},
    {"req_location", MemberType::kString, 1024},
    {"req_payload", MemberType::kString, 1024},
    {"req_decode_path", MemberType::kString, 1024},
    {"req_rule_module", MemberType::kString, 1024},
    {"req_http_body_is_truncate", MemberType::kInteger},
    {"rsp_http_body_is_truncate", MemberType::kInteger},
    {"req_skynet_rule_id_list", MemberType::kIntegerList, 128},
    {"http_body_is_abandoned", MemberType::kInteger},
    {"country", MemberType::kString, 1024},
    {"province", MemberType::kString, 1024},
    {"city", MemberType::kString, 1024},
    {"timestamp", MemberType::kInteger},
    {"payload", MemberType::kString, 1024},
    {"location", MemberType::kString, 1024},
    {"rule_id", MemberType::kString, 1024},
    {"decode_path", MemberType::kString, 1024},
    {"cookie", MemberType::kString, 2048},
    {"user_agent", MemberType::kString, 1024},
    {"referer", MemberType::kString, 2048},
    {"timestamp_human", MemberType::kString, 1024},
    {"resp_reason_phrase", MemberType::kString, 1024},
    {"module", MemberType::kString, 1024},
    {"reason", MemberType::kString, 1024},
    {"proxy_name", MemberType::kString, 1024},
    {"node", MemberType::kString, 1024},
    {"dest_port", MemberType::kInteger},
    {"dest_ip", MemberType::kString, 1024},
    {"urlpath", MemberType::kString, 2048},
    {"protocol", MemberType::kString, 1024},
    {"attack_type", MemberType::kString, 1024},
    {"risk_level", MemberType::kString, 1024},
    {"action", MemberType::kString, 1024},
    {"req_header_raw", MemberType::kString, 8192},
    {"body", MemberType::kString, 4096},
    {"req_block_reason", MemberType::kString, 1024},
    {"req_attack_type", MemberType::kString, 1024},
    {"req_risk_level", MemberType::kString, 1024},
    {"req_action", MemberType::kString, 1024},
}};

// Number (1..58) of the member of that name, 0 if there is none. For constant names it costs nothing at run
// time.
constexpr std::size_t member_number(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kRecordMembers; ++i) {
    if (kMembers[i].name == name) return i + 1;
  }
  return 0;
}

}  // namespace wafd
