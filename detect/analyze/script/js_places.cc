#include "detect/analyze/script/js_places.h"

#include <algorithm>

#include "detect/analyze/script/js_lexer.h"
#include "detect/core/bytes.h"

namespace wafd::detect::js {

bool Readings::next(PlacedReading& out) {
  static constexpr char kQuotes[] = {'\'', '"', '`'};
  for (; stage_ < 6; ++stage_, at_ = 0, tried_ = 0, first_ = true, escaped_ = false) {
    bool found = false;
    if (stage_ == 0) {
      if (at_ == 0 && !text_.empty()) {
        out = {Place::kWhole, 0, read_script(text_, 0, Start::kProgram, '\0', memory_)};
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
  // &{…} in attributes: what Netscape 4 had of the kind.
  std::size_t open = text_.find('{', at_);
  while (open != std::string_view::npos && (open == 0 || (text_[open - 1] != '$' && text_[open - 1] != '&')))
    open = text_.find('{', open + 1);
  if (open == std::string_view::npos) return false;
  --open;
  out.place = Place::kTemplate;
  out.begin = open;
  out.reading = read_script(text_, open + 2, Start::kInTemplate, '\0', memory_);
  at_ = std::max(open + 2, out.reading.end);
  return true;
}

}  // namespace wafd::detect::js
