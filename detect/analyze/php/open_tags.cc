#include "detect/analyze/php/open_tags.h"

#include "detect/analyze/php/words.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"

namespace wafd::detect::php {
namespace {

constexpr std::size_t kMaxLookBytes = 128;
constexpr std::size_t kLeastTextBytes = 8;

bool one_of(char c, std::string_view set) noexcept { return set.find(c) != std::string_view::npos; }

// Or the tag is chance in bytes that are no text.
bool is_text(std::string_view code) noexcept {
  for (const char c : code.substr(0, kLeastTextBytes)) {
    if (byte(c) >= 0x7f || (byte(c) < ' ' && !is_space(c))) return false;
  }
  return true;
}

// <?= and an expression: a variable, a literal, a call.
bool prints(std::string_view code) noexcept {
  const std::size_t first = skip_space(code, 0);
  return first < code.size() && is_text(code.substr(first)) &&
         (is_alnum(code[first]) || one_of(code[first], "$@'\"`(_\\-![~"));
}

// Code that a short tag would run: a variable, a statement that begins with a word of PHP, a call, a label.
// "<?xml :" is the label xml where short tags are on.
bool reads_as_code(std::string_view code, bool spaced) noexcept {
  if (code.empty() || !is_text(code)) return false;
  if (one_of(code[0], "$@`")) return code.size() > 1 && (is_name_byte(code[1]) || one_of(code[1], "{$"));
  std::size_t end = 0;
  while (end < code.size() && is_name_byte(code[end])) ++end;
  if (end == 0) return false;
  const std::string_view word = code.substr(0, end);
  if (!spaced && !iequals(word, "xml")) return false;
  const WordRow* row = kWords.find(word);
  const std::size_t next = skip_space(code, end);
  if (row != nullptr && meets(row->use, Use::kStatement)) return true;
  if (next >= code.size()) return false;
  return (end > 1 && code[next] == '(') ||
         (code[next] == ':' && next + 1 < code.size() && code[next + 1] != ':');
}

bool script_element(std::string_view text) noexcept {
  if (!istarts_with(text, "<script") || text.size() < 8 || !is_space(text[7])) return false;
  std::size_t at = skip_space(text, 7);
  if (!istarts_with(text.substr(at), "language")) return false;
  at = skip_space(text, at + 8);
  if (at >= text.size() || text[at] != '=') return false;
  at = skip_space(text, at + 1);
  if (at < text.size() && one_of(text[at], "'\"")) ++at;
  return istarts_with(text.substr(at), "php");
}

}  // namespace

Tag tag_at(std::string_view whole, std::size_t at) noexcept {
  const std::string_view text = whole.substr(at, kMaxLookBytes);
  if (text.size() < 3) return Tag::kNone;
  if (text[0] != '<') {
    return istarts_with(text, "{php}") || istarts_with(text, "[php]") || istarts_with(text, "[/php]")
               ? Tag::kEngine
               : Tag::kNone;
  }
  if (text[1] != '?') return script_element(text) ? Tag::kEngine : Tag::kNone;
  const std::size_t first = skip_space(text, 2);
  const std::string_view code = text.substr(first);
  if (istarts_with(code, "php") && (code.size() == 3 || !is_alnum(code[3]))) return Tag::kFull;
  if (text[2] == '=') return prints(text.substr(3)) ? Tag::kShort : Tag::kNone;
  return reads_as_code(code, first > 2) ? Tag::kShort : Tag::kNone;
}

}  // namespace wafd::detect::php
