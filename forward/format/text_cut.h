// Shortens one value so that it takes less room as written, never inside of a character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wafd::forward {

// How a character must be shown where a format has no place for it: C0, DEL, C1, U+2028 and U+2029 as the six
// characters \u0001, a byte that is no UTF-8 as the four characters \x80. shown_length 0: it goes through,
// `length` bytes of it.
struct Unit {
  std::size_t length = 1;
  char shown[6];
  std::size_t shown_length = 0;
};
Unit unit_at(std::string_view text, std::size_t at) noexcept;

// Bytes that are never parted: a character, or the four characters \xnn that stand for a byte.
std::size_t whole_at(std::string_view text, std::size_t at) noexcept;

// Where the run of bytes from 0x20 to 0x7e that begins at `at` ends, or the first `a` or `b` in it.
std::size_t plain_end(std::string_view text, std::size_t at, char a, char b) noexcept;

// Appends `text` as a format writes it. `escape(c, out)` writes a byte that the format has an escape for and
// returns whether it did; `a` and `b` are those among 0x20 to 0x7e (the same twice: there is one).
// `before_shown` goes before what a character is shown as.
template <class Escape>
void escape_text(std::string_view text, char a, char b, std::string_view before_shown, const Escape& escape,
                 std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    at = plain_end(text, at, a, b);
    out.append(text, from, at - from);
    if (at == text.size()) return;
    const Unit unit = unit_at(text, at);
    if (!escape(text[at], out)) {
      if (unit.shown_length > 0)
        out.append(before_shown).append(unit.shown, unit.shown_length);
      else
        out.append(text, at, unit.length);
    }
    at += unit.length;
  }
}

// The end of a shortened value: "…[cut N]", N = bytes of the value left out.
std::string cut_mark(std::size_t bytes);
// Takes such a mark off and gives its N; 0 if there is none.
std::size_t take_cut_mark(std::string_view& text) noexcept;

struct ShortText {
  std::string_view text;  // the mark taken off
  std::size_t cut_bytes = 0;
};

// The longest beginning of `value` that takes at most `most` bytes as `escape(text, out)` writes it, its
// mark included, and is at least `at_least` bytes long. `scratch` is for the escaped text. One pass.
template <class Escape>
ShortText shorten_text(ShortText value, std::size_t most, std::size_t at_least, const Escape& escape,
                       std::string& scratch) {
  if (value.cut_bytes == 0) value.cut_bytes = take_cut_mark(value.text);
  // Sized for everything left out; fewer digits than reserved only make the value shorter.
  const std::size_t mark = cut_mark(value.cut_bytes + value.text.size()).size();
  std::size_t kept = 0;
  scratch.clear();
  while (kept < value.text.size()) {
    const std::size_t length = whole_at(value.text, kept);
    escape(value.text.substr(kept, length), scratch);
    if (scratch.size() + mark > most && kept >= at_least) break;
    kept += length;
  }
  value.cut_bytes += value.text.size() - kept;
  value.text = value.text.substr(0, kept);
  return value;
}

// Appends `json`, one object without white space between its tokens, with at most `max` bytes: string values
// of its last member are shortened, the longest first, then that member becomes the string "…[cut N]", then
// the strings before it are shortened. Control characters and line separators in strings leave as \u escapes.
// True if anything was cut. Names and numbers stay, so a very small `max` can be missed. Text that is no such
// object is cut at a whole character.
bool cut_json_object(std::string_view json, std::size_t max, std::string& out);

}  // namespace wafd::forward
