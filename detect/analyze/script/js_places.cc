#include "detect/analyze/script/js_places.h"

#include <algorithm>
#include <array>

#include "detect/analyze/script/js_words.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum Class : unsigned char { kNothing, kWordStart, kBracket, kBackslash };

constexpr bool word_octet(char c) noexcept { return is_alnum(c) || c == '_' || c == '$'; }

constexpr std::array<unsigned char, 256> kClasses = [] {
  std::array<unsigned char, 256> classes{};
  for (unsigned i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    if (word_octet(c)) classes[i] = kWordStart;
  }
  classes['['] = kBracket;
  classes['\\'] = kBackslash;
  return classes;
}();

constexpr bool sign(char c) noexcept {
  return c == '[' || c == ']' || c == '(' || c == ')' || c == '{' || c == '}' || c == '!' || c == '+' ||
         c == '~' || c == '-';
}

// In the octets around a bracket there is none that a script cannot have: binary data is full of brackets.
bool readable_around(std::string_view text, std::size_t at) noexcept {
  constexpr std::size_t kBefore = 4;
  constexpr std::size_t kBehind = 16;
  const std::size_t begin = at - std::min(at, kBefore);
  const std::size_t end = std::min(text.size(), at + kBehind);
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin),
                     text.begin() + static_cast<std::ptrdiff_t>(end),
                     [](char c) { return octet(c) >= ' ' || is_space(c); });
}

}  // namespace

std::size_t JsPlaces::behind_gap(std::size_t at) const noexcept {
  bool line_end = false;
  while (at < text_.size()) {
    const std::size_t space = js_space(text_, at, line_end);
    if (space == 0) break;
    at += space;
  }
  return at;
}

bool JsPlaces::next(std::size_t& place) noexcept {
  const std::size_t size = text_.size();
  while (true) {
    while (at_ < size && kClasses[octet(text_[at_])] == kNothing) ++at_;
    if (at_ >= size) return false;
    const std::size_t begin = at_;
    switch (kClasses[octet(text_[begin])]) {
      case kWordStart:
        while (at_ < size && word_octet(text_[at_])) ++at_;
        if (word_acts(begin, at_)) {
          place = begin;
          return true;
        }
        break;
      case kBracket:
        ++at_;
        if (bracket_acts(begin)) {
          place = begin;
          return true;
        }
        break;
      default:  // \u0061 and \u{61}: a letter in a name
        ++at_;
        if (octet_at(at_) == 'u' && (octet_at(at_ + 1) == '0' || octet_at(at_ + 1) == '{')) {
          place = begin;
          return true;
        }
        break;
    }
  }
}

bool JsPlaces::word_acts(std::size_t begin, std::size_t end) const noexcept {
  const std::uint32_t flags = js_word(text_.substr(begin, end - begin));
  if (flags == 0) return false;
  if ((flags & (kJsHeavyGadgets | kJsHtmlMember)) != 0) return true;
  const std::size_t next = behind_gap(end);
  const char c = octet_at(next);
  const char after = octet_at(next + 1);
  const bool comment = (c == '/' && (after == '/' || after == '*')) || (c == '<' && after == '!');
  if ((flags & kJsSink) != 0) {
    // "function" is a declaration, "Function" makes one of text.
    if (text_.substr(begin, end - begin) == "function") return false;
    if (next >= text_.size() || comment ||
        text_.substr(end, next - end).find_first_of("\n\r\xe2") != std::string_view::npos)
      return true;
    return std::string_view("(`.?);,}]\\").find(c) != std::string_view::npos;
  }
  if (comment) return (flags & ~(kJsOperator | kJsDeclaration | kJsCallsLater)) != 0;
  const bool called = c == '(' || c == '`' || (c == '?' && after == '.');
  const bool closed = c == ')';
  const char behind = closed ? octet_at(behind_gap(next + 1)) : '\0';
  if ((flags & kJsBuildsText) != 0 && called) return true;
  if ((flags & kJsCommonSink) != 0) {
    if (called || behind == '(' || behind == '`') return true;
    const char member = c == '.' ? to_lower(octet_at(behind_gap(next + 1))) : '\0';
    if (member == 'c' || member == 'a' || member == 'b' || member == '/') return true;
  }
  if ((flags & kJsDocument) != 0 &&
      (c == '.' || c == '?' || c == '[' || behind == '[' || behind == '.' || behind == '/'))
    return true;
  if ((flags & kJsLocation) != 0 && (c == '.' || c == '=' || closed)) return true;
  if ((flags & kJsGlobal) != 0 && (c == '[' || c == '?' || behind == '[' || behind == '/')) return true;
  if ((flags & kJsTakesTemplate) != 0 && c == '`') return true;
  return false;
}

bool JsPlaces::bracket_acts(std::size_t at) noexcept {
  std::size_t before = at;
  while (before > 0 && octet(text_[before - 1]) <= ' ') --before;
  char operand = before > 0 ? text_[before - 1] : '\0';
  const std::size_t next = behind_gap(at + 1);
  const char c = octet_at(next);
  if (c == ']') {
    const char after = octet_at(behind_gap(next + 1));
    if ((before == 0 || sign(operand)) && (sign(after) || after == '\0')) signs_ = true;
  }
  if (operand == '.' && before > 1 && text_[before - 2] == '?') operand = ')';
  if (!word_octet(operand) && octet(operand) < 0x80 &&
      std::string_view(")]}'\"`/").find(operand) == std::string_view::npos)
    return false;
  // ({}+"")[x], /…/['…']: text made of signs is taken apart.
  if (operand == ')' || operand == '/') signs_ = true;
  const bool holds_text =
      c == '\'' || c == '"' || c == '`' || c == '(' || c == '[' || c == '/' || c == '+' || c == '\\';
  return holds_text && readable_around(text_, at);
}

}  // namespace wafd::detect
