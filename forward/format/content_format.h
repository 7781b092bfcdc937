// The content behind the header of an event's message: the record as one kind of receiver reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "forward/format/zone_time.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {

// One thread at a time. Whatever bytes the record holds, what is appended is valid UTF-8 without control
// characters but the tabs that LEEF stands on.
class ContentFormat {
 public:
  virtual ~ContentFormat() = default;

  // Appends the record (58 members, as the ring holds it) with at most `max` bytes; CEF, LEEF and ECS also
  // `response_status`, which is in no member (0: unknown). What is too long is cut
  // in the order of record_cut_order(), each value as little as suffices, never inside a character; a value
  // that was shortened ends in "…[cut N]". If all values together are still too long, CEF, LEEF and ECS leave
  // out whole keys in that order, all but id, time, action and source. True if anything was cut or left out.
  virtual bool append(std::int64_t time_ms, std::string_view record_json, std::uint16_t response_status,
                      std::size_t max, std::string& out) = 0;
};

// `zone` and `precision` (3 or 6) are for times inside of the content. LEEF always has 3.
std::unique_ptr<ContentFormat> make_content_format(Content content, ZoneTime zone, int precision);

}  // namespace wafd::forward
