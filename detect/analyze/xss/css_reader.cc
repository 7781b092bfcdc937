#include "detect/analyze/xss/css_reader.h"

#include <array>
#include <string>

#include "detect/core/bytes.h"
#include "detect/decode/css_escape.h"

namespace wafd::detect::xss {
namespace {

// Without blanks, in lower case.
constexpr std::array<std::string_view, 7> kScriptSigns{
    "expression(", "-moz-binding", "behavior:url", "behaviour:url", "javascript:", "vbscript:", "-o-link"};
constexpr std::array<std::string_view, 3> kMatches{"^=", "$=", "*="};

// An address of another host, or one that holds its content, begins there.
bool is_foreign(std::string_view url) noexcept {
  while (!url.empty() && (url.front() == '"' || url.front() == '\'')) url.remove_prefix(1);
  return url.starts_with("//") || url.starts_with("http:") || url.starts_with("https:") ||
         url.starts_with("data:");
}

// @import "//host"  @import url(//host)
bool imports(std::string_view css) noexcept {
  for (std::size_t at = css.find("@import"); at != std::string_view::npos; at = css.find("@import", at + 1)) {
    std::string_view url = css.substr(at + 7);
    if (url.starts_with("url(")) url.remove_prefix(4);
    if (is_foreign(url)) return true;
  }
  return false;
}

// input[value^=a]{background:url(//host/a)}
bool tells(std::string_view css) noexcept {
  const std::size_t url = css.rfind("url(");
  if (url == std::string_view::npos || !is_foreign(css.substr(url + 4))) return false;
  for (const std::string_view match : kMatches) {
    const std::size_t at = css.find(match);
    if (at < url && css.rfind('[', at) != std::string_view::npos) return true;
  }
  return false;
}

bool loads(std::string_view css) noexcept {
  for (std::size_t at = css.find("url("); at != std::string_view::npos; at = css.find("url(", at + 4)) {
    const std::string_view url = css.substr(at + 4);
    if (is_foreign(url) && url.substr(0, 6).find("data:") == std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Css read_css(std::string_view css, std::pmr::memory_resource& memory) {
  if (css.find_first_of("(@\\-") == std::string_view::npos) return Css::kPlain;
  // Nobody escapes the name of an at-rule but to hide it.
  if (css.find("@\\") != std::string_view::npos) return Css::kScript;
  std::string decoded;
  std::uint32_t flags = 0;
  if (css_escape_decode(css, decoded, flags)) css = decoded;
  std::pmr::string plain(&memory);
  plain.reserve(css.size());
  for (const char c : css) {
    if (byte(c) > ' ') plain.push_back(to_lower(c));
  }
  for (const std::string_view sign : kScriptSigns) {
    if (plain.find(sign) != std::string::npos) return Css::kScript;
  }
  if (imports(plain) || tells(plain)) return Css::kLoads;
  return loads(plain) ? Css::kForeign : Css::kPlain;
}

}  // namespace wafd::detect::xss
