#include "detect/decode/sql_comment.h"

#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr OctetFinder kSpecial("*/");

}  // namespace

bool maybe_sql_comment(std::string_view in) noexcept { return in.find("/*") != std::string_view::npos; }

bool sql_comment_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  out.clear();
  out.reserve(in.size());
  bool changed = false;
  bool inside_version = false;  // the "*/" that ends a version comment whose text was let through
  std::size_t no_end_from =
      std::string_view::npos;  // from here on there is no "*/": a search that is not repeated
  for (std::size_t i = 0; i < in.size();) {
    if (inside_version && in.substr(i, 2) == "*/") {
      inside_version = false;
      i += 2;
      continue;
    }
    if (in[i] != '/' || i + 1 >= in.size() || in[i + 1] != '*' || i >= no_end_from) {
      const std::size_t next = kSpecial.find(in, i + 1);
      out.append(in.substr(i, next - i));
      i = next;
      continue;
    }
    const std::size_t end = in.find("*/", i + 2);
    if (end == std::string_view::npos) {
      no_end_from = i;
      out.push_back(in[i++]);
      continue;
    }
    changed = true;
    std::size_t text = i + 2;
    if (text < in.size() &&
        (in[text] == '!' || ((in[text] == 'M' || in[text] == 'm') && in.substr(text + 1, 1) == "!"))) {
      text += in[text] == '!' ? 1 : 2;
      std::size_t digits = 0;
      while (digits < 6 && text < in.size() && is_digit(in[text])) ++text, ++digits;
      inside_version = true;
      i = text;
      continue;
    }
    i = end + 2;
  }
  return changed;
}

}  // namespace wafd::detect
