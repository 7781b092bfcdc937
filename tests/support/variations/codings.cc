#include "tests/support/variations/codings.h"

#include <fmt/format.h>
#include <zlib.h>

#include "detect/core/bytes.h"

namespace wafd::variations {

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t point = 0;
    const std::size_t size = utf8_sequence(text, at, point);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

std::string percent_encode(std::string_view text, std::string_view keep) {
  std::string out;
  for (const char c : text) {
    if (is_alnum(c) || keep.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte(c));
    }
  }
  return out;
}

std::string percent_encode_all(std::string_view text, bool lower_case) {
  std::string out;
  for (const char c : text)
    out += lower_case ? fmt::format("%{:02x}", byte(c)) : fmt::format("%{:02X}", byte(c));
  return out;
}

std::string percent_decode(std::string_view text, bool plus) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string percent_u(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_alnum(c)) {
      out += c;
    } else {
      out += byte(c) < 0x80 ? fmt::format("%u{:04x}", byte(c)) : fmt::format("%{:02X}", byte(c));
    }
  }
  return out;
}

std::string overlong(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_alnum(c) || c == ' ') {
      out += c == ' ' ? std::string("%20") : std::string(1, c);
    } else if (byte(c) < 0x80) {
      out += fmt::format("%{:02x}%{:02x}", 0xc0 | byte(c) >> 6, 0x80 | (byte(c) & 0x3f));
    } else {
      out += fmt::format("%{:02x}", byte(c));
    }
  }
  return out;
}

std::string json_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte(c) < 0x20) {
      out += fmt::format("\\u{:04x}", byte(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string json_escape_all(std::string_view text) {
  std::string out;
  for (const char c : text) out += byte(c) < 0x80 ? fmt::format("\\u{:04x}", byte(c)) : std::string(1, c);
  return out;
}

std::string json_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    constexpr std::string_view kShort = "bfnrt";
    const std::size_t at = kShort.find(c);
    if (at != std::string_view::npos) {
      out += "\b\f\n\r\t"[at];
    } else if (c == 'u' && i + 4 < text.size()) {
      std::uint32_t point = 0;
      for (std::size_t k = 1; k <= 4; ++k)
        point = point * 16 + static_cast<std::uint32_t>(std::max(0, hex_value(text[i + k])));
      i += 4;
      if (point < 0x80) {
        out += static_cast<char>(point);
      } else if (point < 0x800) {
        out += static_cast<char>(0xc0 | point >> 6);
        out += static_cast<char>(0x80 | (point & 0x3f));
      } else {  // surrogates stay what they are: such a value is not valid UTF-8 and no place takes it
        out += static_cast<char>(0xe0 | point >> 12);
        out += static_cast<char>(0x80 | (point >> 6 & 0x3f));
        out += static_cast<char>(0x80 | (point & 0x3f));
      }
    } else {
      out += c;
    }
  }
  return out;
}

std::string xml_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string xml_references(std::string_view text, bool hex, bool all) {
  std::string out;
  for (const char c : text) {
    if (byte(c) >= 0x80 || (!all && is_alnum(c))) {
      out += c;
    } else {
      out += hex ? fmt::format("&#x{:x};", byte(c)) : fmt::format("&#{};", byte(c));
    }
  }
  return out;
}

std::string xml_decode(std::string_view text) {
  constexpr std::pair<std::string_view, char> kNames[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] != '&') continue;
    for (const auto& [name, c] : kNames) {
      if (!text.substr(i).starts_with(name)) continue;
      out.back() = c;
      i += name.size() - 1;
      break;
    }
  }
  return out;
}

std::string base64(std::string_view text, bool url_safe) {
  const std::string_view digits = url_safe
                                      ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                                      : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    std::uint32_t bits = 0;
    const std::size_t size = std::min<std::size_t>(3, text.size() - i);
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < size ? byte(text[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) {
      if (k <= size) {
        out += digits[bits >> (18 - 6 * k) & 63];
      } else if (!url_safe) {
        out += '=';
      }
    }
  }
  return out;
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace wafd::variations
