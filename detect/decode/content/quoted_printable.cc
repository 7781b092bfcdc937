#include "detect/decode/content/quoted_printable.h"

#include "detect/core/bytes.h"
#include "detect/decode/base/lazy_copy.h"
#include "detect/decode/base/text_check.h"

namespace wafd::detect {

bool maybe_quoted_printable(std::string_view in) noexcept { return in.find('=') != std::string_view::npos; }

bool quoted_printable_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  LazyCopy copy(in, out);
  for (std::size_t i = in.find('='); i != std::string_view::npos; i = in.find('=', i)) {
    const std::size_t begin = i++;
    if (i + 1 < in.size() && hex_value(in[i]) >= 0 && hex_value(in[i + 1]) >= 0) {
      const auto c = static_cast<unsigned char>(hex_value(in[i]) * 16 + hex_value(in[i + 1]));
      i += 2;
      flags |= flags_of_decoded(c);
      copy.replace(begin, i).push_back(static_cast<char>(c));
      continue;
    }
    std::size_t end = i;
    while (end < in.size() && (in[end] == ' ' || in[end] == '\t')) ++end;
    if (in.substr(end, 2) == "\r\n") {
      copy.replace(begin, i = end + 2);
    } else if (end < in.size() && in[end] == '\n') {
      copy.replace(begin, i = end + 1);
    } else {
      i = end;  // spaces are not looked at again, so that the walk stays linear
    }
  }
  return copy.finish();
}

}  // namespace wafd::detect
