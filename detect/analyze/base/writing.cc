#include "detect/analyze/base/writing.h"

#include <algorithm>

#include "detect/analyze/shell/shell_shape.h"
#include "detect/core/octets.h"
#include "detect/decode/decode_flags.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kProgramLines = 4;     // that are not blank
constexpr std::size_t kMaxLineBytes = 2048;  // of a line are looked at for prose
constexpr std::size_t kSentenceWords = 4;    // with code between them
constexpr std::size_t kMaxIndent = 3;        // before a fence (CommonMark 4.5)

// A fence is three or more of its sign; `length` is how many.
char fence_sign(std::string_view line, std::size_t& length) noexcept {
  std::size_t at = 0;
  while (at < line.size() && at < kMaxIndent && line[at] == ' ') ++at;
  if (at >= line.size() || (line[at] != '`' && line[at] != '~')) return '\0';
  length = std::min(line.find_first_not_of(line[at], at), line.size()) - at;
  return length >= 3 ? line[at] : '\0';
}

bool opens_span(std::string_view line, std::size_t tick) noexcept {
  return tick == 0 || is_space(line[tick - 1]) ||
         std::string_view("([\"'*_/:,|+").find(line[tick - 1]) != std::string_view::npos;
}

bool closes_span(std::string_view line, std::size_t tick) noexcept {
  return tick + 1 >= line.size() || is_space(line[tick + 1]) ||
         std::string_view(".,;:!?)]\"'*_/|+").find(line[tick + 1]) != std::string_view::npos;
}

// A line as programs and their differences have them: it is set in (by plus signs in a form as it was sent),
// is a comment, or ends as statements, blocks and lists do.
bool is_source(std::string_view line) noexcept {
  if (line.starts_with("-->")) return false;  // the end of a comment in a page
  if (line.starts_with("  ") || line.starts_with('\t') || line.starts_with('+') || line.starts_with('-'))
    return true;
  line = trim(line);
  if (line.starts_with("//") || line.starts_with("# ") || line.starts_with("#!") || line.starts_with("/*") ||
      line.starts_with("@@"))
    return true;
  return std::string_view(";{}():,>\\|]").find(line.back()) != std::string_view::npos;
}

// What begins by closing a string, a block or a call was not written by itself: it is put into something.
bool leaves_what_holds_it(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos &&
         (std::string_view("'\"`})").find(text[first]) != std::string_view::npos ||
          text.substr(first).starts_with("${"));
}

}  // namespace

bool Writing::Spans::hold(std::size_t place) const noexcept {
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(count);
  return std::any_of(items.begin(), end,
                     [place](const Span& span) { return span.begin <= place && place < span.end; });
}

bool Writing::shows(std::size_t place) noexcept {
  if (!read_) read();
  return markdown_.hold(place) || elements_.hold(place);
}

bool Writing::shows_server_code(std::size_t place) noexcept {
  if (!read_) read();
  return is_field() && markdown_.hold(place);
}

bool Writing::shows_markup(std::size_t place) noexcept {
  if (!read_) read();
  return markdown_.hold(place) || ((context_->decode_flags & kBesideMarkup) != 0);
}

bool Writing::is_program() noexcept {
  if (!read_) read();
  return program_;
}

bool Writing::is_field() const noexcept {
  return context_->location == Location::kBody && !context_->in_name && !context_->name.empty();
}

void Writing::read() noexcept {
  read_ = true;
  read_lines();
  read_elements();
}

void Writing::read_lines() noexcept {
  std::size_t filled = 0;
  std::size_t source = 0;
  bool prose = false;
  bool code = false;  // in a line of prose
  std::size_t fence = std::string_view::npos;
  char sign = '\0';
  std::size_t length = 0;
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    const std::string_view line = text_.substr(at, end - at);
    std::size_t run = 0;
    const char mark = fence_sign(line, run);
    if (fence != std::string_view::npos) {
      if (mark == sign && run >= length) {
        markdown_.add(fence, at);
        fence = std::string_view::npos;
      }
    } else if (mark != '\0') {
      fence = end;
      sign = mark;
      length = run;
    } else if (!trim(line).empty()) {
      ++filled;
      source += is_source(line) ? 1 : 0;
      prose = prose || has_prose(line.substr(0, kMaxLineBytes));
      if (line.find('`') != std::string_view::npos) code = true;
    }
    at = end + 1;
  }
  if (!prose) markdown_.count = 0;
  program_ = is_field() && filled >= kProgramLines && 2 * source >= filled && !leaves_what_holds_it(text_);
  if (!code) return;
  const std::size_t between = markdown_.count;  // fences come first
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    const bool fenced =
        std::any_of(markdown_.items.begin(), markdown_.items.begin() + static_cast<std::ptrdiff_t>(between),
                    [at](const Span& span) { return span.begin <= at && at < span.end; });
    if (!fenced) read_code_spans(at, end);
    at = end + 1;
  }
}

// Between backticks, in a line that has prose beside them.
void Writing::read_code_spans(std::size_t begin, std::size_t end) noexcept {
  const std::string_view line = text_.substr(begin, end - begin);
  const std::size_t first = markdown_.count;
  std::size_t words = 0;  // beside the spans, so many make a sentence
  bool prose = false;
  const auto read_prose = [&](std::string_view text) {
    text = text.substr(0, kMaxLineBytes);
    words += prose_words(text);
    prose = prose || words >= kSentenceWords || has_prose(text);
  };
  std::size_t from = 0;  // behind the last span
  for (std::size_t open = line.find('`'); open != std::string_view::npos && markdown_.count < kMaxSpans;) {
    const std::size_t close = line.find('`', open + 1);
    if (close == std::string_view::npos) break;
    if (close > open + 1 && opens_span(line, open) && closes_span(line, close)) {
      read_prose(line.substr(from, open - from));
      markdown_.add(begin + open, begin + close);
      from = close + 1;
    }
    open = line.find('`', close + 1);
  }
  read_prose(line.substr(from));
  if (!prose) markdown_.count = first;
}

// <pre>, <code>, <textarea> and what they hold.
void Writing::read_elements() noexcept {
  std::size_t open = std::string_view::npos;
  for (std::size_t at = text_.find('<'); at != std::string_view::npos; at = text_.find('<', at + 1)) {
    const bool closing = at + 1 < text_.size() && text_[at + 1] == '/';
    const std::string_view rest = text_.substr(at + (closing ? 2 : 1), 6);
    const std::size_t size = istarts_with(rest, "pre") ? 3 : istarts_with(rest, "code") ? 4 : 0;
    if (size == 0 || (size < rest.size() && is_alnum(rest[size]))) continue;
    if (!closing && open == std::string_view::npos) {
      open = at;
    } else if (closing && open != std::string_view::npos) {
      elements_.add(open, at);
      open = std::string_view::npos;
    }
  }
}

}  // namespace wafd::detect
