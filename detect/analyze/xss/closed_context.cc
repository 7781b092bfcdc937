// A text that ends the attribute or the tag that it is put in (HTML, 13.2.5.36 to 13.2.5.39: after a quoted
// value come blanks and attributes, or the tag's end).
#include <algorithm>

#include "detect/analyze/xss/css_reader.h"
#include "detect/analyze/xss/foreign_url.h"
#include "detect/analyze/xss/html_tokenizer.h"
#include "detect/analyze/xss/xss_evidence.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::xss {
namespace {

constexpr std::size_t kMaxBefore = 48;  // what stands before the quote is a value, no text
constexpr std::string_view kAttributeBlanks = " \t\n\f\r/";

// NAME = and a value, with which `rest` begins: its length, or 0.
std::size_t attribute_at(std::string_view rest) noexcept {
  constexpr std::string_view kNameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-";
  if (rest.empty() || !is_alpha(rest.front())) return 0;
  std::size_t at = std::min(rest.find_first_not_of(kNameBytes), rest.size());
  at = rest.find_first_not_of(" \t\n\f\r", at);
  if (at == std::string_view::npos || rest[at] != '=') return 0;
  return at + 1 < rest.size() && rest[at + 1] != '=' && byte(rest[at + 1]) > ' ' ? at + 1 : 0;
}

// Whether what another host gives is loaded, or what it gets is sent, by the attribute.
bool takes_host(const Attribute& attribute, std::pmr::memory_resource& memory) {
  static constexpr WordSet kNames({"src", "href", "xlink:href", "action", "formaction", "data", "poster",
                                   "ping", "background", "srcset", "imagesrcset", "manifest", "codebase"});
  if (iequals(attribute.name, "style")) return read_css(attribute.value, memory) != Css::kPlain;
  return kNames.has(attribute.name) &&
         (is_foreign(attribute.value) || istarts_with(trim(attribute.value), "data:"));
}

// Whether a browser does with the address before the quote what the attribute says: content="0;url=…"
// http-equiv=refresh, href="…" rel=stylesheet (HTML 4.2.5.3, 4.6.7).
bool acts_on_address(const Attribute& attribute, std::string_view address) noexcept {
  static constexpr WordSet kRelations({"stylesheet", "import", "manifest", "modulepreload"});
  if (iequals(attribute.name, "http-equiv")) return iequals(trim(attribute.value), "refresh");
  if (!iequals(attribute.name, "rel") || !is_foreign(address)) return false;
  // A list of words (4.6.7)
  for (std::string_view rest = trim(attribute.value); !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(" \t\n"), rest.size());
    if (kRelations.has(rest.substr(0, end))) return true;
    rest = trim(rest.substr(end));
  }
  return false;
}

// Whether an attribute behind the quote brings in what is not the page's: x" class=a src=//host
bool brings_in(Pass& pass, std::size_t quote) {
  constexpr int kMaxAttributes = 64;
  HtmlTokenizer tokenizer(pass.text, quote + 1);
  Tag tag;
  Attribute attribute;
  for (int i = 0; i < kMaxAttributes && tokenizer.next_attribute(tag, attribute); ++i) {
    if (attribute.has_value &&
        (takes_host(attribute, pass.memory) || acts_on_address(attribute, pass.text.substr(0, quote)) ||
         (iequals(attribute.name, "srcdoc") && !attribute.value.empty())))
      return true;
  }
  return false;
}

// A quote behind which the text closes it again, as values in quotes are written: name="a b", ("a"), "a" b.
// No citation ends with a blank.
bool opens(std::string_view text, std::size_t quote) noexcept {
  const std::size_t twin = text.find(text[quote], quote + 1);
  if (twin == std::string_view::npos || is_space(text[twin - 1])) return false;
  const auto is_one_of = [](char c, std::string_view signs) {
    return signs.find(c) != std::string_view::npos;
  };
  return (quote == 0 || is_one_of(text[quote - 1], " =([{,:")) &&
         (twin + 1 == text.size() || is_one_of(text[twin + 1], " ;,)]}"));
}

// " src=…" in a program's string: a sign of it before the quote, and the quote that closes it.
bool is_of_program(std::string_view text, std::size_t quote) noexcept {
  if (quote == 0 || std::string_view(" =(+,").find(text[quote - 1]) == std::string_view::npos) return false;
  const std::size_t twin = text.find(text[quote], quote + 1);
  return twin != std::string_view::npos && !is_space(text[twin - 1]);
}

// What stands behind the quote: a blank and attributes, or the name of one directly.
bool continues_tag(std::string_view text, std::size_t quote) noexcept {
  const std::string_view behind = text.substr(quote + 1);
  if (behind.empty()) return false;
  if (kAttributeBlanks.find(behind[0]) != std::string_view::npos) return true;
  const bool tight = std::any_of(kTightAttributes.begin(), kTightAttributes.end(),
                                 [behind](std::string_view one) { return istarts_with(behind, one); });
  return tight && attribute_at(behind) != 0 && !opens(text, quote);
}

}  // namespace

void read_closed_context(Pass& pass) {
  const std::string_view text = pass.text;
  const std::string_view front = text.substr(0, kMaxBefore);
  const std::size_t quote = front.find_first_of("\"'");
  if (quote == std::string_view::npos || text.substr(0, quote).find('<') != std::string_view::npos) return;
  for (const char kind : {'"', '\''}) {  // 5'11" src=…
    const std::size_t first = front.find(kind);
    if (first == std::string_view::npos || is_of_program(text, first) || !continues_tag(text, first) ||
        !brings_in(pass, first))
      continue;
    pass.out.add(XssEvidence::kClosedContext, Certainty::kCertain, first, text.size(), {});
    break;
  }
  const std::string_view behind = text.substr(quote + 1);
  const std::size_t next = behind.find_first_not_of(kAttributeBlanks);
  if (next == std::string_view::npos) return;
  if (behind.starts_with('>') || behind.starts_with("/>")) {
    pass.out.add(XssEvidence::kClosedContext, Certainty::kLikely, quote, quote + 1 + next + 1, {});
    return;
  }
  const std::size_t name = next > 0 ? attribute_at(behind.substr(next)) : 0;
  if (name == 0 || opens(text, quote)) return;
  // 7" screen=x: behind a word only a value in quotes tells.
  const char value = behind[next + name];
  if (quote == 0 || value == '"' || value == '\'')
    pass.out.add(XssEvidence::kClosedContext, Certainty::kLikely, quote, quote + 1 + next + name, {});
}

}  // namespace wafd::detect::xss
