// Texts that people give to things, shown to other people: nothing in them may act on a terminal or turn the
// direction of what stands around it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wafd {

// No control characters (C0, DEL, C1), line or paragraph separators, and none that change the direction of
// text (bidi controls, Unicode UAX #9 section 2). `lines`: line feeds and tabs are fine. `text` is UTF-8;
// what is not, is not plain.
bool is_plain_text(std::string_view text, bool lines = false) noexcept;

// The same text without them.
std::string plain_text_of(std::string_view text);

// The same text on one line: control characters of ASCII, which end a line or which terminals and mail
// programs act on, are spaces.
std::string one_line(std::string_view text);

// Characters that reorder text (Unicode UAX #9 section 2).
bool is_bidi_control(std::uint32_t code_point) noexcept;

// Printable ASCII for messages and logs: the first `max_bytes` of a text from elsewhere, every other byte a
// '?'.
std::string printable_ascii(std::string_view text, std::size_t max_bytes = std::string_view::npos);
// The same of what a library or peer says: one line, without the line ends behind it; those within it and
// tabs are spaces.
std::string printable_line(std::string_view text, std::size_t max_bytes);

}  // namespace wafd
