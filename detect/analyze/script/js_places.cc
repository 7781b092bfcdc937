#include "detect/analyze/script/js_places.h"

#include <algorithm>

#include "detect/analyze/script/js_lexer.h"
#include "detect/core/bytes.h"

namespace wafd::detect::js {

namespace {

// = f(x), != f(x), - var a=…: a line of Pug whose rest is JavaScript. No program begins with the sign.
std::size_t output_sign(std::string_view text) noexcept {
  const std::size_t begin = skip_space(text, 0);
  const std::string_view line = text.substr(begin);
  if (line.starts_with("= ") || line.starts_with("!= ")) return begin + line.find('=') + 1;
  for (const std::string_view declares : {"- var ", "- let ", "- const "})
    if (line.starts_with(declares)) return begin + 1;
  return 0;
}

// Where the code begins of what opens at `brace`: ${…}, &{…} of attributes in Netscape 4, #{…} and !{…} of
// Pug, {{=…}}, {{!…}} and {{?…}} of doT. npos: nothing does.
std::size_t code_of_template(std::string_view text, std::size_t brace) noexcept {
  const char before = brace > 0 ? text[brace - 1] : '\0';
  if (before == '$' || before == '&' || before == '#' || before == '!') return brace + 1;
  const char sign = brace + 1 < text.size() ? text[brace + 1] : '\0';
  return before == '{' && (sign == '=' || sign == '!' || sign == '?') ? brace + 2 : text.npos;
}

}  // namespace

std::span<const PlacedReading> ReadingsCache::of(std::string_view text, std::pmr::memory_resource& memory) {
  if (known_ && text_.data() == text.data() && text_.size() == text.size()) return readings_;
  known_ = true;
  text_ = text;
  readings_.clear();
  Readings readings(text, memory);
  for (PlacedReading placed; readings.next(placed);) readings_.push_back(placed);
  return readings_;
}

bool Readings::next(PlacedReading& out) {
  static constexpr char kQuotes[] = {'\'', '"', '`'};
  for (; stage_ < 6; ++stage_, at_ = 0, tried_ = 0, first_ = true, escaped_ = false) {
    bool found = false;
    if (stage_ == 0) {
      if (at_ == 0 && !text_.empty()) {
        out = {Place::kWhole, 0, read_script(text_, output_sign(text_), Start::kProgram, '\0', memory_)};
        at_ = text_.size();
        return true;
      }
    } else if (stage_ <= 3) {
      found = next_quote(kQuotes[stage_ - 1], out);
    } else {
      found = stage_ == 4 ? comment(out) : next_template(out);
    }
    if (found) return true;
  }
  return false;
}

// Behind a closed string stands an operator, a closing bracket or the end of a line.
bool Readings::may_go_on(std::size_t at) const noexcept {
  bool line_end = false;
  bool lines = false;
  while (at < text_.size()) {
    const std::size_t blank = blank_bytes(text_, at, line_end);
    if (blank == 0) break;
    lines = lines || line_end;
    at += blank;
  }
  if (at >= text_.size()) return false;
  return lines || std::string_view("-+*/%&|^<>=!?:;,.)]}[").find(text_[at]) != std::string_view::npos ||
         text_.substr(at).starts_with("in");
}

// A script element's end tag ends the script, whatever stands around it there (HTML, 13.2.5.15).
std::string_view Readings::up_to_script_end(std::size_t from) {
  std::size_t at = text_.find("</", from);
  while (at != std::string_view::npos && !istarts_with(text_.substr(at + 2), "script"))
    at = text_.find("</", at + 2);
  return text_.substr(0, at);
}

bool Readings::next_quote(char quote, PlacedReading& out) {
  for (at_ = text_.find(quote, at_); at_ != std::string_view::npos; at_ = text_.find(quote, at_)) {
    const std::size_t begin = at_++;
    const bool behind_backslash = begin > 0 && text_[begin - 1] == '\\';
    // An application that writes \ before the quote makes of \' a backslash and a quote that closes.
    const bool closes = first_ || (behind_backslash && !escaped_);
    first_ = false;
    escaped_ = escaped_ || behind_backslash;
    if (!may_go_on(at_) || (!closes && tried_ >= kMaxLater)) continue;
    tried_ += closes ? 0 : 1;
    const std::string_view text = up_to_script_end(at_);
    out.place = closes ? Place::kQuote : Place::kLaterQuote;
    out.begin = begin;
    out.reading = read_script(text, at_, Start::kBehindQuote, quote, memory_);
    if (text.size() != text_.size()) out.reading.valid = out.reading.valid || out.reading.complete;
    at_ = std::max(at_, out.reading.end);
    return true;
  }
  at_ = text_.size();
  return false;
}

// Text that begins inside of a comment: its first end has no beginning.
bool Readings::comment(PlacedReading& out) {
  const std::size_t end = at_ == 0 ? text_.find("*/") : std::string_view::npos;
  at_ = text_.size();
  if (end == std::string_view::npos || text_.find("/*") < end) return false;
  out.place = Place::kComment;
  out.begin = end;
  out.reading = read_script(text_, end + 2, Start::kBehindComment, '\0', memory_);
  return true;
}

bool Readings::next_template(PlacedReading& out) {
  if (tried_++ >= kMaxTemplates) return false;
  std::size_t code = std::string_view::npos;
  std::size_t open = text_.find('{', at_);
  for (; open != std::string_view::npos; open = text_.find('{', open + 1)) {
    code = code_of_template(text_, open);
    if (code != std::string_view::npos) break;
  }
  if (open == std::string_view::npos) return false;
  out.place = Place::kTemplate;
  out.begin = open - 1;
  out.reading = read_script(text_, code, Start::kInTemplate, '\0', memory_);
  at_ = std::max(code, out.reading.end);
  return true;
}

}  // namespace wafd::detect::js
