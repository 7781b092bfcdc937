#include "forward/ring/record_reader.h"

#include "detect/core/bytes.h"

namespace wafd::forward {
namespace {

// Four hex digits at `at`, or -1.
int hex4(std::string_view text, std::size_t at) noexcept {
  if (at + 4 > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const int digit = hex_value(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6), put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 0x3f)), put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18), put(0x80 | (code >> 12 & 0x3f)), put(0x80 | (code >> 6 & 0x3f)),
        put(0x80 | (code & 0x3f));
  }
}

}  // namespace

std::string unescape_json(std::string_view inside) {
  std::string out;
  out.reserve(inside.size());
  append_unescaped_json(inside, out);
  return out;
}

void append_unescaped_json(std::string_view inside, std::string& out) {
  for (std::size_t at = 0; at < inside.size();) {
    const std::size_t slash = inside.find('\\', at);
    out.append(inside, at, slash - at);
    if (slash == std::string_view::npos || slash + 1 >= inside.size()) break;
    at = slash + 2;
    const char c = inside[slash + 1];
    switch (c) {
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'u': {
        int code = hex4(inside, at);
        if (code < 0) break;
        at += 4;
        const int low =
            code >= 0xd800 && code < 0xdc00 && inside.substr(at, 2) == "\\u" ? hex4(inside, at + 2) : -1;
        if (low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00);
          at += 6;
        } else if (code >= 0xd800 && code < 0xe000) {
          code = 0xfffd;
        }
        append_utf8(static_cast<std::uint32_t>(code), out);
        break;
      }
      default:
        out += c;
    }
  }
}

std::string_view RecordReader::escaped(std::size_t number) const noexcept {
  const std::string_view value = raw(number);
  return value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value;
}

std::string RecordReader::text(std::size_t number) const {
  const std::string_view value = raw(number);
  return value.size() >= 2 && value.front() == '"' ? unescape_json(value.substr(1, value.size() - 2))
                                                   : std::string(value);
}

std::string RecordReader::text(std::string_view name) const {
  const std::size_t number = member_number(name);
  return number == 0 ? std::string() : text(number);
}

}  // namespace wafd::forward
