// MaskWriter: secrets that stand in the middle of other text.
#include <algorithm>
#include <string>

#include "detect/core/bytes.h"
#include "detect/redact/mask_writer.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kNpos = std::string_view::npos;
// A name longer than that is no name of a parameter.
constexpr std::size_t kMaxNameBytes = 64;

// The byte at `at`, percent-encoding undone up to twice, and how many bytes it takes.
struct Byte {
  char value = '\0';
  std::size_t width = 0;
};

Byte byte_at(std::string_view text, std::size_t at) noexcept {
  if (at >= text.size()) return {};
  if (text[at] != '%') return {text[at], 1};
  std::size_t digits = at + 1;
  if (text.substr(digits, 2) == "25") digits += 2;
  if (digits + 1 >= text.size()) return {text[at], 1};
  const int high = hex_value(text[digits]);
  const int low = hex_value(text[digits + 1]);
  if (high < 0 || low < 0) return {text[at], 1};
  return {static_cast<char>(high * 16 + low), digits + 2 - at};
}

bool is_name_byte(char c) noexcept { return is_alnum(c) || c == '_' || c == '-'; }
bool is_quote(char c) noexcept { return c == '"' || c == '\''; }

// Behind white space and the backslashes of escaped quotes.
std::size_t skip_filling(std::string_view text, std::size_t at) noexcept {
  for (Byte o = byte_at(text, at); o.width > 0 && (is_space(o.value) || o.value == '\\' || o.value == '+');
       o = byte_at(text, at))
    at += o.width;
  return at;
}

// End of the quoted value whose text begins at `at`: before the quote, or before the backslash that escapes
// it as the opening one was.
std::size_t quoted_end(std::string_view text, std::size_t at, char quote, bool escaped) noexcept {
  while (at < text.size()) {
    const Byte o = byte_at(text, at);
    if (o.value == quote) return at;
    if (o.value == '\\') {
      const Byte next = byte_at(text, at + o.width);
      if (escaped && next.value == quote) return at;
      at += o.width + next.width;
    } else {
      at += o.width;
    }
  }
  return text.size();
}

std::size_t bare_end(std::string_view text, std::size_t at) noexcept {
  for (Byte o = byte_at(text, at); o.width > 0; o = byte_at(text, at)) {
    if (is_space(o.value) || is_quote(o.value) || std::string_view("&;,<>(){}[]|#\\").find(o.value) != kNpos)
      break;
    at += o.width;
  }
  return at;
}

}  // namespace

// name=value, name: "value", "name": value; also escaped as in JSON inside of JSON, and percent-encoded.
void MaskWriter::assignments(std::string_view text) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Byte first = byte_at(text, at);
    if (!is_name_byte(first.value)) {
      at += first.width;
      continue;
    }
    std::string name;
    std::size_t end = at;
    for (Byte o = first; o.width > 0 && is_name_byte(o.value); o = byte_at(text, end)) {
      if (name.size() <= kMaxNameBytes) name += o.value;
      end += o.width;
    }
    at = end;
    if (name.size() > kMaxNameBytes) continue;
    std::size_t value = skip_filling(text, end);
    Byte o = byte_at(text, value);
    const bool quoted_name = is_quote(o.value);
    // user[password]=, "password":
    while (o.width > 0 && (is_quote(o.value) || o.value == ']')) {
      value = skip_filling(text, value + o.width);
      o = byte_at(text, value);
    }
    if (o.value != '=' && o.value != ':') continue;
    const bool equals = o.value == '=';
    const std::size_t behind = value + o.width;
    value = skip_filling(text, behind);
    o = byte_at(text, value);
    if (equals && o.value == '>') {  // PHP, Ruby
      value = skip_filling(text, value + o.width);
      o = byte_at(text, value);
    }
    // In prose a colon follows a word: there only what is quoted is a value.
    if (o.width == 0 || (!is_quote(o.value) && !quoted_name && !(equals && value == behind))) continue;
    if (!masker_.secret_parameter(name)) continue;
    std::size_t value_end = 0;
    if (is_quote(o.value)) {
      const bool escaped = value > 0 && text[value - 1] == '\\';
      value += o.width;
      value_end = quoted_end(text, value, o.value, escaped);
    } else {
      value_end = bare_end(text, value);
    }
    cards(text.substr(kept, value - kept));
    mask(text.substr(value, value_end - value));
    at = kept = std::max(value_end, value);
  }
  cards(text.substr(kept));
}

}  // namespace wafd::detect
