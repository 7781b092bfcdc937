#include "detect/decode/squeeze.h"

#include <algorithm>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxPeriod = 4;
constexpr std::size_t kKeptBytes = 16;

std::size_t white_end(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && (is_space(text[at]) || text[at] == '\0')) ++at;
  return at;
}

// What SQL and programs pass over between two words: white space and comments, one behind the other.
class FillingReader {
 public:
  explicit FillingReader(std::string_view text) noexcept : text_(text) {}

  // Where the filling that begins at `at` ends, or `at`: there is none. `comment` is set if one is in it.
  std::size_t end(std::size_t at, bool& comment) noexcept {
    while (true) {
      const std::size_t blank = white_end(text_, at);
      const std::size_t behind = blank < text_.size() ? comment_end(blank) : blank;
      if (behind == blank) return blank;
      comment = true;
      at = behind;
    }
  }

  // Whether there is filling that is long enough with a comment in it.
  bool any() noexcept {
    static constexpr ByteFinder kBegins("/-#");
    for (std::size_t at = kBegins.find(text_, 0); at < text_.size(); at = kBegins.find(text_, at + 1)) {
      bool comment = false;
      std::size_t begin = at;
      while (begin > 0 && is_space(text_[begin - 1]) && at - begin < kFillingBytes) --begin;
      const std::size_t behind = end(at, comment);
      if (behind - begin >= kFillingBytes) return true;
      at = std::max(at, behind == at ? at : behind - 1);
    }
    return false;
  }

 private:
  // In shorter texts comments over several lines, and those up to a line's end, are of code.
  bool is_long() const noexcept { return text_.size() > kLongTextBytes; }

  std::size_t comment_end(std::size_t at) noexcept {
    const char c = text_[at];
    const char next = at + 1 < text_.size() ? text_[at + 1] : '\0';
    if (c == '/' && next == '*') {
      const char mark = at + 2 < text_.size() ? text_[at + 2] : '\0';
      if (mark == '!' || mark == '+' || mark == 'M') return at;  // MySQL and MariaDB run it, Oracle obeys it
      const std::size_t end = find_from(block_, "*/", at + 2);
      if (end == text_.npos || (!is_long() && find_from(line_, "\n", at + 1) < end)) return at;
      return end + 2;
    }
    if (!is_long() || !((c == '-' && next == '-') || c == '#')) return at;
    const std::size_t end = find_from(line_, "\n", at + 1);
    return end == text_.npos ? at : end + 1;
  }
  // text_.find(what, from), where `last` is what the call before gave: asked with growing `from`, each byte
  // is looked at once.
  std::size_t find_from(std::size_t& last, std::string_view what, std::size_t from) const noexcept {
    if (last == text_.npos || last >= from) return last;
    last = text_.find(what, from);
    return last;
  }

  std::string_view text_;
  std::size_t block_ = 0;
  std::size_t line_ = 0;
};

std::size_t white_begin(std::string_view text, std::size_t at) noexcept {
  while (at > 0 && (is_space(text[at - 1]) || text[at - 1] == '\0')) --at;
  return at;
}

// Of the run with the period in which text[at] stands.
std::size_t run_begin(std::string_view text, std::size_t at, std::size_t period) noexcept {
  while (at > 0 && text[at - 1] == text[at - 1 + period]) --at;
  return at;
}

// Of the run with the period that begins at `at`.
std::size_t run_end(std::string_view text, std::size_t at, std::size_t period) noexcept {
  std::size_t end = at + period;
  while (end < text.size() && text[end] == text[end - period]) ++end;
  return std::min(end, text.size());
}

}  // namespace

bool maybe_filled(std::string_view in) noexcept {
  // A run covers one of these places with what stands around it.
  constexpr std::size_t kStep = kFillingBytes / 2 - 2 * kMaxPeriod;
  for (std::size_t at = kMaxPeriod; at + 2 * kMaxPeriod < in.size(); at += kStep) {
    if (is_space(in[at]) && white_end(in, at) - white_begin(in, at) >= kFillingBytes) return true;
    for (std::size_t period = 1; period <= kMaxPeriod; ++period) {
      if (in[at] == in[at + period] && run_end(in, at, period) - run_begin(in, at, period) >= kFillingBytes)
        return true;
    }
  }
  return FillingReader(in).any();
}

bool squeeze_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  out.clear();
  FillingReader filling(in);
  bool changed = false;
  for (std::size_t at = 0; at < in.size();) {
    bool comment = false;
    std::size_t end = filling.end(at, comment);
    if (end != at) {
      const std::string_view found = in.substr(at, end - at);
      changed = changed || found.size() >= kFillingBytes;
      if (found.size() < kFillingBytes)
        out += found;
      else
        out += comment ? "/**/" : found.find('\n') == found.npos ? " " : "\n";
      at = end;
      continue;
    }
    end = at + 1;
    for (std::size_t period = 1; period <= kMaxPeriod; ++period) end = std::max(end, run_end(in, at, period));
    const std::size_t size = end - at;
    if (size >= kFillingBytes) {
      out += in.substr(at, kKeptBytes);
      changed = true;
      at = end;
      continue;
    }
    // Within a shorter run no longer one begins but at its end.
    const std::size_t plain = size > 2 * kMaxPeriod ? size - 2 * kMaxPeriod : 1;
    out += in.substr(at, plain);
    at += plain;
  }
  return changed;
}

}  // namespace wafd::detect
