// An event as a worker hands it to the ring: its JSON made once, the head fields that are searched, the
// detail block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "detect/core/attack_event.h"
#include "detect/core/error.h"

namespace wafd {

// Byte offsets in `json` of the values of members 7, 9 and 41, so that an amendment can be merged on
// reading.
struct AmendableOffsets {
  std::uint32_t rsp_start_time = 0;
  std::uint32_t rsp_end_time = 0;
  std::uint32_t resp_reason_phrase = 0;
};

struct EventRecord {
  std::int64_t time_ms = 0;  // Unix time of the event
  EventId id;
  AttackType attack_type = AttackType::kCustom;
  Risk risk = Risk::kLow;
  Action action = Action::kAllow;
  std::string src_ip;
  std::string site_uuid;
  std::string rule_id;
  std::string json;  // ATTACK LOG record: one flat object, 58 members, no line end
  AmendableOffsets offsets;
  std::string
      detail;  // JSON object for the console alone: findings, excerpts, why the action was what it was
  bool report_expected = false;  // the gateway announced a response report for what happened to this request
};

// A gateway's later report about the response.
struct ResponseReport {
  EventId id;
  std::int64_t time_ms = 0;  // Unix time at which it came in here
  std::optional<std::int64_t> rsp_start_time_ms;
  std::optional<std::int64_t> rsp_end_time_ms;
  std::uint16_t status = 0;  // 0: unknown
  std::uint64_t size = 0;    // bytes of the body as far as reported
  std::string reason_phrase;

  bool operator==(const ResponseReport&) const = default;
};

// Where events go. Implementations are safe to call from any worker thread and never block on IO.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // The sequence number given to it. An error means that the event is not stored, and has been counted.
  virtual Result<std::uint64_t> append(const EventRecord& record) noexcept = 0;
  // False: the event is gone (or never was); counted.
  virtual bool amend(const ResponseReport& report) noexcept = 0;
};

}  // namespace wafd
