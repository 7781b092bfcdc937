#include "detect/analyze/http/message_lines.h"

#include <algorithm>

#include "detect/analyze/http/header_fields.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::http {
namespace {

constexpr std::size_t kMaxNameBytes = 64;

// RFC 9110 section 9, RFC 5789, RFC 4918.
constexpr WordSet kMethods({"get", "head", "post", "put", "delete", "connect", "options", "trace", "patch",
                            "propfind", "proppatch", "mkcol", "copy", "move", "lock", "unlock"});
// Values of fields that are words, by which a field is told from a sentence.
constexpr std::string_view kOptions[] = {"close",  "keep-alive", "upgrade", "no-cache",
                                         "basic ", "bearer ",    "digest ", "negotiate "};

constexpr auto kBeginsLineEnd = [] {
  std::array<bool, 256> begins{};
  begins['\r'] = begins['\n'] = true;
  for (const std::string_view wide : kWideLineEnds) begins[byte(wide[0])] = true;
  return begins;
}();

// Bytes of the line end at `at`, or 0.
std::size_t line_end_at(std::string_view text, std::size_t at) noexcept {
  if (!kBeginsLineEnd[byte(text[at])]) return 0;
  if (byte(text[at]) < 0x80) return 1;
  for (const std::string_view wide : kWideLineEnds) {
    if (text.substr(at, wide.size()) == wide) return wide.size();
  }
  return 0;
}

std::size_t next_line_end(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && line_end_at(text, at) == 0) ++at;
  return at;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

bool is_name_byte(char c) noexcept { return is_alnum(c) || c == '-' || c == '_'; }

bool fits(FieldValue kind, std::string_view value) noexcept {
  const bool one = value.find(' ') == std::string_view::npos;
  switch (kind) {
    case FieldValue::kAny:
      return true;
    case FieldValue::kNumber:
      return !value.empty() && is_digit(value[0]);
    case FieldValue::kPair:
      return value.find('=') != std::string_view::npos && value.find('=') < value.find(' ');
    case FieldValue::kPlace:
      return !value.empty() && (one || value[0] == '<') && value.find('/') != std::string_view::npos;
    case FieldValue::kHost:
      return one && !value.empty() && is_alnum(value[0]) &&
             value.find_first_of(".:") != std::string_view::npos;
    case FieldValue::kOption:
      return std::any_of(std::begin(kOptions), std::end(kOptions),
                         [value](std::string_view option) { return istarts_with(value, option); });
    case FieldValue::kAddress:
      return has_address(value);
  }
  return false;
}

void read_kind(Line& line) noexcept {
  const std::string_view text = line.text;
  line.kind = LineKind::kText;
  line.end = line.begin;
  if ((istarts_with(text, "http/1") || istarts_with(text, "http/2")) && text.size() > 7) {
    line.kind = LineKind::kStatus;
    line.end += 6;
    return;
  }
  std::size_t name = 0;
  while (name < text.size() && name < kMaxNameBytes && is_name_byte(text[name])) ++name;
  if (name == 0 || name == text.size()) return;
  if (text[name] == ' ' && kMethods.has(text.substr(0, name)) && ifind(text, " http/", name) != text.npos) {
    line.kind = LineKind::kRequest;
    line.end += name;
    return;
  }
  line.field = kFields.find(text.substr(0, name));
  // Set-Cookie : a=b: many readers take off what RFC 9112 section 5.1 forbids there.
  const std::size_t colon =
      line.field != nullptr && line.field->use == FieldUse::kTelling ? skip_blanks(text, name) : name;
  if (colon >= text.size() || text[colon] != ':') {
    line.field = nullptr;
    return;
  }
  line.end += colon + 1;
  name = colon;
  line.kind = line.field == nullptr                                  ? LineKind::kUnknown
              : fits(line.field->value, trim(text.substr(name + 1))) ? LineKind::kField
                                                                     : LineKind::kMisfit;
}

}  // namespace

std::size_t words_in(std::string_view line) noexcept {
  std::size_t words = 0;
  const auto blank = [](char c) { return is_space(c) || c == '+'; };
  for (std::size_t i = 0; i < line.size(); ++i)
    words += !blank(line[i]) && (i == 0 || blank(line[i - 1])) ? 1 : 0;
  return words;
}

bool has_address(std::string_view text) noexcept {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() && is_alnum(text[at + 1]);
}

Line MessageLines::next() noexcept {
  Line line;
  line.break_at = at_;
  line.begin = at_;
  while (line.begin < text_.size()) {
    const std::size_t bytes = line_end_at(text_, line.begin);
    if (bytes == 0 && !is_space(text_[line.begin])) break;
    line.behind_end = line.behind_end || bytes != 0;
    line.begin += bytes == 0 ? 1 : bytes;
  }
  if (line.begin >= text_.size()) {
    at_ = line.end = text_.size();
    return line;
  }
  at_ = next_line_end(text_, line.begin);
  // %%0a0a: what a filter leaves that takes %0a out, or undoes it, once.
  if (line.break_at > 0 && text_[line.break_at - 1] == '%' && at_ - line.begin > 2 &&
      text_[line.begin] == '0' &&
      (to_lower(text_[line.begin + 1]) == 'a' || to_lower(text_[line.begin + 1]) == 'd'))
    line.begin += 2;
  line.text = text_.substr(line.begin, std::min(at_ - line.begin, kMaxLineBytes));
  read_kind(line);
  return line;
}

}  // namespace wafd::detect::http
