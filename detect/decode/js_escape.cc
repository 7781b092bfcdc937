#include "detect/decode/js_escape.h"

#include <algorithm>

#include "detect/core/bytes.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base/utf8_out.h"

namespace wafd::detect {
namespace {

struct Escape {
  std::int64_t code_point = -1;
  std::size_t length = 0;  // bytes of the escape, backslash included
};

// \u{H…}, with any number of leading zeros up to 16 digits.
Escape braced(std::string_view in, std::size_t at) noexcept {
  std::int64_t value = 0;
  std::size_t i = at + 3;
  for (; i < in.size() && i < at + 19 && hex_value(in[i]) >= 0; ++i) {
    value = value * 16 + hex_value(in[i]);
    if (value > 0x10FFFF) return {};
  }
  if (i == at + 3 || i >= in.size() || in[i] != '}') return {};
  return {value, i + 1 - at};
}

Escape unicode(std::string_view in, std::size_t at) noexcept {
  if (at + 2 < in.size() && in[at + 2] == '{') return braced(in, at);
  std::int64_t value = hex_number(in, at + 2, 4);
  if (value < 0) return {};
  if (value >= 0xD800 && value < 0xDC00 && in.substr(at + 6, 2) == "\\u") {
    const std::int64_t low = hex_number(in, at + 8, 4);
    if (low >= 0xDC00 && low < 0xE000) return {0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00), 12};
  }
  return {value, 6};
}

Escape octal(std::string_view in, std::size_t at) noexcept {
  std::int64_t value = 0;
  std::size_t i = at + 1;
  for (; i < in.size() && i < at + 4 && in[i] >= '0' && in[i] <= '7' && value * 8 + (in[i] - '0') < 256;
       ++i) {
    value = value * 8 + (in[i] - '0');
  }
  return {value, i - at};
}

// The single-character escape at `at` (ECMA-262 12.9.4): what it stands for, and how many bytes it takes.
std::size_t append_single(std::string& out, std::string_view in, std::size_t at) {
  const char kind = in[at + 1];
  switch (kind) {
    case 'n':
      out.push_back('\n');
      break;
    case 'r':
      out.push_back('\r');
      break;
    case 't':
      out.push_back('\t');
      break;
    case 'v':
      out.push_back('\v');
      break;
    case 'b':
    case 'f':
      out.push_back(' ');
      break;
    case '\n':
      break;
    case '\r':
      return in.substr(at + 2, 1) == "\n" ? 3 : 2;
    default:
      out.push_back(kind);
  }
  return 2;
}

}  // namespace

bool maybe_js_escape(std::string_view in) noexcept { return in.find('\\') != std::string_view::npos; }

bool js_escape_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  out.clear();
  out.reserve(in.size());
  bool changed = false;
  std::uint32_t spellings = 0;  // one bit each: \x, \u, octal
  for (std::size_t i = 0; i < in.size();) {
    if (in[i] != '\\' || i + 1 >= in.size()) {
      const std::size_t next = std::min(in.find('\\', i + 1), in.size());
      out.append(in.substr(i, next - i));
      i = next;
      continue;
    }
    const char kind = in[i + 1];
    Escape escape;
    if (kind == 'x' || kind == 'X') {
      escape = {hex_number(in, i + 2, 2), 4};
      spellings |= 1;
    } else if (kind == 'u' || kind == 'U') {
      escape = unicode(in, i);
      spellings |= 2;
    } else if (kind >= '0' && kind <= '7') {
      escape = octal(in, i);
      spellings |= 4;
    }
    changed = true;
    if (escape.code_point >= 0) {
      const auto cp = static_cast<std::uint32_t>(escape.code_point);
      if (cp < 0x80) flags |= flags_of_decoded(static_cast<unsigned char>(cp));
      append_utf8(out, cp);
      i += escape.length;
      continue;
    }
    if (kind == 'x' || kind == 'u') flags |= kInvalidEscape;
    i += append_single(out, in, i);
  }
  if ((spellings & (spellings - 1)) != 0) flags |= kMixedEscapes;
  return changed;
}

}  // namespace wafd::detect
