#include "detect/decode/css_escape.h"

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base/utf8_out.h"

namespace wafd::detect {
namespace {

constexpr ByteFinder kSpecial("\\/");

}  // namespace

bool maybe_css_escape(std::string_view in) noexcept {
  return in.find('\\') != std::string_view::npos || in.find("/*") != std::string_view::npos;
}

bool css_escape_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  out.clear();
  out.reserve(in.size());
  bool changed = false;
  std::size_t no_end_from = std::string_view::npos;
  for (std::size_t i = 0; i < in.size();) {
    if (in[i] == '/' && i + 1 < in.size() && in[i + 1] == '*' && i < no_end_from) {
      const std::size_t end = in.find("*/", i + 2);
      if (end == std::string_view::npos) {
        no_end_from = i;
      } else {
        i = end + 2;
        changed = true;
        continue;
      }
    }
    if (in[i] != '\\' || i + 1 >= in.size()) {
      const std::size_t next = kSpecial.find(in, i + 1);
      out.append(in.substr(i, next - i));
      i = next;
      continue;
    }
    changed = true;
    if (in[i + 1] == '\n' || in[i + 1] == '\f') {
      i += 2;
      continue;
    }
    if (in[i + 1] == '\r') {
      i += in.substr(i + 2, 1) == "\n" ? 3 : 2;
      continue;
    }
    if (hex_value(in[i + 1]) < 0) {
      out.push_back(in[i + 1]);
      i += 2;
      continue;
    }
    std::uint32_t cp = 0;
    std::size_t at = i + 1;
    for (; at < in.size() && at < i + 7 && hex_value(in[at]) >= 0; ++at) {
      cp = cp * 16 + static_cast<std::uint32_t>(hex_value(in[at]));
    }
    if (in.substr(at, 2) == "\r\n")
      at += 2;
    else if (at < in.size() && is_space(in[at]))
      ++at;
    if (cp < 0x80) flags |= flags_of_decoded(static_cast<unsigned char>(cp));
    if (cp != 0) append_utf8(out, cp);  // \0 vanished in old browsers
    i = at;
  }
  return changed;
}

}  // namespace wafd::detect
