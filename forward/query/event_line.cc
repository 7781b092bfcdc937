#include "forward/query/event_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/plain_text.h"
#include "forward/ring/record_reader.h"

namespace wafd::forward {
namespace {

// Control characters are escaped in the record already.
std::string for_terminal(std::string_view escaped, std::size_t most) {
  std::string out;
  for (std::size_t at = 0; at < escaped.size();) {
    std::uint32_t c = 0;
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence(escaped, at, c));
    if (at + length > most) return out + "\u2026";
    if (is_bidi_control(c)) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out.append(escaped, at, length);
    }
    at += length;
  }
  return out;
}

}  // namespace

std::string event_line(std::string_view json) {
  const RecordReader record(json);
  const auto text = [&record](std::string_view name, std::size_t most) {
    const std::string shown = for_terminal(record.escaped(member_number(name)), most);
    return shown.empty() ? std::string("-") : shown;
  };
  return fmt::format("{} {:7} {:6} {:14} {} {} {}{} {} {} {}\n", text("timestamp_human", 20),
                     text("action", 16), text("risk_level", 16), text("attack_type", 32), text("src_ip", 46),
                     text("method", 16), text("host", 64), text("urlpath", 120), text("location", 16),
                     text("event_id", 32), text("payload", 80));
}

}  // namespace wafd::forward
