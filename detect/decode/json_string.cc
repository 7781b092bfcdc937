#include "detect/decode/json_string.h"

#include <algorithm>

#include "detect/core/bytes.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base/utf8_out.h"

namespace wafd::detect {
namespace {

// HHHH of the \uHHHH at `at`, or -1.
std::int32_t unit_at(std::string_view in, std::size_t at) noexcept {
  if (at + 6 > in.size() || in[at] != '\\' || in[at + 1] != 'u') return -1;
  return hex_number(in, at + 2, 4);
}

// The character that a backslash and `c` stand for (RFC 8259 section 7), or 0.
char simple_escape(char kind) noexcept {
  switch (kind) {
    case '"':
    case '\\':
    case '/':
      return kind;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

}  // namespace

bool maybe_json_string(std::string_view in) noexcept { return in.find('\\') != std::string_view::npos; }

bool json_string_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  out.clear();
  out.reserve(in.size());
  bool changed = false;
  for (std::size_t i = 0; i < in.size();) {
    if (in[i] != '\\' || i + 1 >= in.size()) {
      const std::size_t next = std::min(in.find('\\', i + 1), in.size());
      out.append(in.substr(i, next - i));
      i = next;
      continue;
    }
    if (const std::int32_t unit = unit_at(in, i); unit >= 0) {
      auto cp = static_cast<std::uint32_t>(unit);
      i += 6;
      if (cp >= 0xD800 && cp < 0xDC00) {
        const std::int32_t low = unit_at(in, i);
        if (low >= 0xDC00 && low < 0xE000) {
          cp = 0x10000 + ((cp - 0xD800) << 10) + (static_cast<std::uint32_t>(low) - 0xDC00);
          i += 6;
        }
      }
      if (cp < 0x80) flags |= flags_of_decoded(static_cast<unsigned char>(cp));
      append_utf8(out, cp);
      changed = true;
      continue;
    }
    if (const char c = simple_escape(in[i + 1]); c != '\0') {
      out.push_back(c);
      i += 2;
      changed = true;
      continue;
    }
    flags |= kInvalidEscape;
    out.push_back(in[i++]);
  }
  return changed;
}

}  // namespace wafd::detect
