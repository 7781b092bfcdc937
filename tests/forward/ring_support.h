// Small helpers for tests of the ring: a folder that goes away, events with recognisable content.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "detect/core/record_json.h"
#include "forward/ring/ring.h"

namespace wafd::forward {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "wafd-ring-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) != nullptr ? name : "";
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline EventId id_of(std::uint64_t number) {
  EventId id;
  // Spread, as random ids are.
  const std::uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15;
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[i] = static_cast<std::uint8_t>(mixed >> (8 * i));
    id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return id;
}

inline EventRecord event(std::uint64_t number, std::size_t body_bytes = 100) {
  AttackEvent e;
  e.event_id = id_of(number);
  e.src_ip = "10.0." + std::to_string(number / 256 % 256) + "." + std::to_string(number % 256);
  e.site_uuid = std::to_string(number % 3);
  e.rule_id = "m_sqli/0123456789abcdef0123456789abcdef";
  e.rule_module = "m_sqli";
  e.host = "shop.example";
  e.method = "GET";
  e.attack_type = static_cast<AttackType>(number % kAttackTypes);
  e.risk = static_cast<Risk>(number % 3);
  e.action = static_cast<Action>(number % 3);
  e.body = std::string(body_bytes, static_cast<char>('a' + number % 26));
  EventRecord r;
  r.time_ms = 1'760'000'000'000 + static_cast<std::int64_t>(number);
  r.id = e.event_id;
  r.attack_type = e.attack_type;
  r.risk = e.risk;
  r.action = e.action;
  r.src_ip = e.src_ip;
  r.site_uuid = e.site_uuid;
  r.rule_id = e.rule_id;
  r.offsets = append_record_json(e, r.json);
  r.detail = "{\"number\":" + std::to_string(number) + "}";
  return r;
}

}  // namespace wafd::forward
