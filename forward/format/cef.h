// Writes an event as ArcSight Common Event Format: CEF:0|wafd|wafd|VERSION|RULE|NAME|SEVERITY|key=value ...
#pragma once

#include "forward/format/keyed_content.h"

namespace wafd::forward {

// Counts up when a key gets another meaning or goes; new keys leave it. Sent as wafdFormat.
inline constexpr std::string_view kCefMapping = "1";

// Appends `text` as the value of an extension key. `\` and `=` get a backslash, LF and CR become \n and \r;
// `|` stays. Other control characters and bytes that are no UTF-8 become text (\u0001, \x80), so that
// nothing in a value ends a key, a line or a frame. No character is split.
void escape_cef(std::string_view text, std::string& out);

// Appends `text` as a field of the header: `\` and `|` get a backslash, line ends become spaces, the rest is
// as in values.
void escape_cef_header(std::string_view text, std::string& out);

// Which member of the record goes to which key, in the order of the message; forward/format/FORMATS.md shows
// it.
std::span<const KeyRow> cef_rows() noexcept;

class CefContent final : public KeyedContent {
 public:
  CefContent();

 private:
  void write(std::span<const KeyValue> values, std::string& out) const override;
  void escape(std::string_view text, std::string& out) const override { escape_cef(text, out); }
  void append_time(std::int64_t time_ms, std::string& out) override { out += std::to_string(time_ms); }

  std::vector<std::string> leads_;  // by row: " cs1Label=payload cs1="
};

}  // namespace wafd::forward
