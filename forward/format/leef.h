// Writes an event as QRadar Log Event Extended Format: LEEF:2.0|wafd|wafd|VERSION|TYPE|x09|key=value<TAB>...
#pragma once

#include "forward/format/keyed_content.h"

namespace wafd::forward {

// Counts up when a key gets another meaning or goes; new keys leave it. Sent as wafdFormat.
inline constexpr std::string_view kLeefMapping = "1";

// Appends `text` as a value. LEEF has no escapes: TAB, LF and CR, which would end a key or a line, become the
// two characters \t, \n, \r; other control characters and bytes that are no UTF-8 become text as well
// (\u0001, \x80). Backslash and `=` stay. No character is split.
void escape_leef(std::string_view text, std::string& out);

// Which member of the record goes to which key, in the order of the message; forward/format/FORMATS.md shows
// it.
std::span<const KeyRow> leef_rows() noexcept;

class LeefContent final : public KeyedContent {
 public:
  explicit LeefContent(ZoneTime zone);

 private:
  void write(std::span<const KeyValue> values, std::string& out) const override;
  void escape(std::string_view text, std::string& out) const override { escape_leef(text, out); }
  // As devTimeFormat says: always three digits of milliseconds, the offset without a colon.
  void append_time(std::int64_t time_ms, std::string& out) override;

  ZoneTime zone_;
  std::vector<std::string> leads_;  // by row: "\teventId="
};

}  // namespace wafd::forward
