// Writes RFC 5424 headers: <PRI>1 TIMESTAMP HOSTNAME APP-NAME PROCID MSGID SD, and the RFC 3164 line of old
// receivers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forward/format/zone_time.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {

// Bytes outside PRINTUSASCII (33..126) become '?', what is longer than `most` is cut, empty is "-"
// (section 6.2).
std::string header_field(std::string_view text, std::size_t most);

// PROCID is always 1, so that a message sent again, also after a restart, is byte-identical.
class HeaderWriter {
 public:
  // A node's name that leaves too little of a small `max_message_bytes` is cut.
  HeaderWriter(const TargetSettings& target, std::string_view node, ZoneTime zone);

  // Appends everything up to MSG, the separating space included: "<30>1 … 1 waf_event - ". `sequence_id` 0:
  // no structured data, else [meta sequenceId="N"] (section 7.3.1). With the target's `bom`, the BOM ends it.
  // For RFC 3164: "<30>Jan  3 13:05:09 HOST TAG[1]: ".
  void append(int severity, std::int64_t time_us, std::string_view msgid, std::uint32_t sequence_id,
              std::string& out);

 private:
  HeaderFormat format_;
  int facility_;
  int precision_;
  bool bom_;
  ZoneTime zone_;
  std::string names_;  // " HOSTNAME APP-NAME 1 ", or " HOST TAG[1]: "
};

inline constexpr std::uint32_t kMaxSequenceId = 2147483647;  // then 1 again
constexpr std::uint32_t next_sequence_id(std::uint32_t id) noexcept {
  return id >= kMaxSequenceId ? 1 : id + 1;
}

}  // namespace wafd::forward
