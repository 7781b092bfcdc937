// The attack log record as a value: 58 members for receivers, plus what the console alone sees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detect/core/event_id.h"
#include "detect/core/verdict.h"

namespace wafd {

// The members of the record that are not mere repetitions of others (the serialiser writes those again).
// Strings hold bytes as received, masked, not yet escaped and not yet cut; record_json applies the caps.
struct AttackEvent {
  std::string scheme;
  std::string src_ip;
  std::uint16_t src_port = 0;
  std::string socket_ip;
  std::string upstream_addr;
  std::int64_t req_start_time_ms = 0;
  std::optional<std::int64_t> rsp_start_time_ms;
  std::int64_t req_end_time_ms = 0;
  std::optional<std::int64_t> rsp_end_time_ms;
  std::string host;
  std::string method;
  std::string query_string;
  EventId event_id;
  std::string session;
  std::string site_uuid;
  std::string site_url;
  std::int64_t detect_time_us = 0;
  std::string proxy_name;
  std::string rule_id;
  std::string location;
  std::string payload;
  std::string decode_path;
  std::string rule_module;
  bool req_body_truncated = false;
  bool rsp_body_truncated = false;
  std::vector<std::uint32_t> rule_numbers;
  bool body_abandoned = false;
  std::string country;
  std::string province;
  std::string city;
  std::int64_t timestamp_s = 0;
  std::string timestamp_human;  // "YYYY-MM-DD HH:MM:SS" in the configured zone
  std::string cookie;
  std::string user_agent;
  std::string referer;
  std::string resp_reason_phrase;
  std::string reason;
  std::string node;
  std::uint16_t dest_port = 0;
  std::string dest_ip;
  std::string urlpath;  // percent-decoded once
  AttackType attack_type = AttackType::kCustom;
  Risk risk = Risk::kLow;
  Action action = Action::kAllow;
  std::string header_raw;
  std::string body;
  std::string block_reason;  // "web" | "acl" | "rate"
};

}  // namespace wafd
