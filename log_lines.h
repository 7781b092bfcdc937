// Lines of the log: as text or as one JSON object each, how many may go out, what is said of an event. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/core/event_record.h"

namespace wafd {

enum class LogFormat : std::uint8_t { kText, kJson };

// How many lines may go out: `per_s` a second, as many at once; 0: all. Of one thread at a time.
class LineRate {
 public:
  explicit LineRate(std::int64_t per_s) noexcept;
  bool take(std::int64_t now_us) noexcept;  // false: the line is left out, and counted
  std::uint64_t take_left_out() noexcept;   // since it was asked last

 private:
  std::int64_t cost_us_;  // of a line
  std::int64_t credit_us_ = 1'000'000;
  std::int64_t last_us_ = -1;
  std::uint64_t left_out_ = 0;
};

// A message and what is said beside it.
struct LogLine {
  std::string message;
  std::vector<std::pair<std::string, std::string>> members = {};
};
// On one line, without control bytes that a terminal acts on.
LogLine message_line(std::string_view message);
// `request_id`: the gateway's, from outside; left out where it is none.
LogLine event_line(const EventRecord& record, std::string_view request_id);
// As one text and back, for a logger that takes nothing else.
std::string packed(const LogLine& line);
LogLine unpacked(std::string_view text);

// The part behind time and level: the text, or the members of an object.
std::string line_part(LogFormat format, const LogLine& line);
// The whole line, with its end.
std::string log_line(LogFormat format, std::string_view time, std::string_view level, std::string_view part);

// The id as it may stand in a log: up to 128 letters, digits and -._:/+=@; anything else is no id, and empty.
std::string_view request_id_of(std::string_view text) noexcept;

}  // namespace wafd
