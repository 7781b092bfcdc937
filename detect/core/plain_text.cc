#include "detect/core/plain_text.h"

#include "detect/core/bytes.h"

namespace wafd {
namespace {

bool acts(std::uint32_t c) noexcept {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || is_bidi_control(c);
}

}  // namespace

bool is_plain_text(std::string_view text, bool lines) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t c = 0;
    const std::size_t size = utf8_sequence(text, at, c);
    if (size == 0 || (acts(c) && !(lines && (c == '\n' || c == '\t')))) return false;
    at += size;
  }
  return true;
}

std::string plain_text_of(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t c = 0;
    const std::size_t size = utf8_sequence(text, at, c);
    if (size > 0 && !acts(c)) out += text.substr(at, size);
    at += size == 0 ? 1 : size;
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (byte(c) < 0x20 || byte(c) == 0x7f) c = ' ';
  return out;
}

bool is_bidi_control(std::uint32_t c) noexcept {
  return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

std::string printable_ascii(std::string_view text, std::size_t max_bytes) {
  std::string out(text.substr(0, max_bytes));
  for (char& c : out)
    if (byte(c) < 0x20 || byte(c) > 0x7e) c = '?';
  return out;
}

std::string printable_line(std::string_view text, std::size_t max_bytes) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  std::string out(text.substr(0, max_bytes));
  for (char& c : out)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return printable_ascii(out);
}

}  // namespace wafd
