// Event times as text in the configured time zone: RFC 3339 for RFC 5424, "Mmm dd hh:mm:ss" for RFC 3164.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/core/error.h"

namespace date {
class time_zone;
}

namespace wafd::forward {

// A value with a cache of the last second inside: one thread at a time. The zone's rules live as long as the
// process.
class ZoneTime {
 public:
  ZoneTime() = default;  // UTC, which needs no time zone data on the machine
  // An IANA name ("Europe/Lisbon") or "UTC".
  static Result<ZoneTime> of(std::string_view zone);

  // "2026-01-31T13:05:09.123+01:00" with 3 or 6 fraction digits; the offset is numeric also for UTC
  // (`+00:00`), as receivers of this message format expect (RFC 5424 section 6.2.3 allows both).
  void append_rfc3339(std::int64_t unix_us, int precision, std::string& out);
  // "Jan  3 13:05:09", local time, day padded with a space (RFC 3164 section 4.1.2).
  void append_rfc3164(std::int64_t unix_us, std::string& out);

 private:
  void load(std::int64_t second);

  const date::time_zone* zone_ = nullptr;
  std::int64_t cached_second_ = INT64_MIN;
  std::int64_t offset_from_ = INT64_MIN;  // seconds since 1970 between which offset_s_ holds
  std::int64_t offset_to_ = INT64_MIN;
  std::int64_t offset_s_ = 0;
  std::string seconds_;  // "2026-01-31T13:05:09"
  std::string offset_;   // "+01:00"
  std::string bsd_;      // "Jan 31 13:05:09"
};

}  // namespace wafd::forward
