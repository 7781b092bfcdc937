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

// width: expression(…), behavior: url(…): what stands around the word, blanks aside.
bool has_property(std::string_view css, std::string_view word, bool is_value) noexcept {
  for (std::size_t at = ifind(css, word); at != std::string_view::npos; at = ifind(css, word, at + 1)) {
    std::size_t next = skip_space(css, at + word.size());
    if (is_value) {
      const std::string_view before = trim(css.substr(0, at));
      if (before.ends_with(':') && next < css.size() && css[next] == '(') return true;
      continue;
    }
    if (next >= css.size() || css[next] != ':') continue;
    next = skip_space(css, next + 1);
    if (istarts_with(css.substr(next), "url(")) return true;
  }
  return false;
}

std::pmr::string without_blanks(std::string_view css, std::pmr::memory_resource& memory) {
  std::string decoded;
  std::uint32_t flags = 0;
  if (css_escape_decode(css, decoded, flags)) css = decoded;
  std::pmr::string plain(&memory);
  plain.reserve(css.size());
  for (const char c : css) {
    if (byte(c) > ' ') plain.push_back(to_lower(c));
  }
  return plain;
}

}  // namespace

Css read_css_value(std::string_view text, std::pmr::memory_resource& memory) {
  if (has_property(text, "expression", true) || has_property(text, "-moz-binding", false) ||
      has_property(text, "behavior", false) || has_property(text, "behaviour", false))
    return Css::kScript;
  // @import as all of a value; }*{background:url(//host): it ends the rule that it was put in
  const bool import = istarts_with(text.substr(skip_space(text, 0)), "@import");
  const std::size_t close = text.find('}');
  const bool ends_rule = close != std::string_view::npos && text.find('{') > close &&
                         text.find('{') != std::string_view::npos &&
                         ifind(text, "url(") != std::string_view::npos;
  if (!import && !ends_rule) return Css::kPlain;
  const std::pmr::string plain = without_blanks(text, memory);
  return (import && imports(plain)) || (ends_rule && (tells(plain) || loads(plain))) ? Css::kLoads
                                                                                     : Css::kPlain;
}

Css read_css(std::string_view css, std::pmr::memory_resource& memory) {
  if (css.find_first_of("(@\\-") == std::string_view::npos) return Css::kPlain;
  // Nobody escapes the name of an at-rule but to hide it.
  if (css.find("@\\") != std::string_view::npos) return Css::kScript;
  const std::pmr::string plain = without_blanks(css, memory);
  for (const std::string_view sign : kScriptSigns) {
    if (plain.find(sign) != std::string::npos) return Css::kScript;
  }
  if (imports(plain) || tells(plain)) return Css::kLoads;
  return loads(plain) ? Css::kForeign : Css::kPlain;
}

}  // namespace wafd::detect::xss
