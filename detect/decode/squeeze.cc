#include "detect/decode/squeeze.h"

#include <algorithm>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxPeriod = 4;
constexpr std::size_t kKeptBytes = 16;

// Of a comment that begins at `at`, what is left of it; `end` is set behind it. Empty: none, or a short one.
class CommentReader {
 public:
  explicit CommentReader(std::string_view text) noexcept : text_(text) {}

  std::string_view read(std::size_t at, std::size_t& end) noexcept {
    const char c = text_[at];
    const char next = at + 1 < text_.size() ? text_[at + 1] : '\0';
    if (c == '/' && next == '*') {
      const char mark = at + 2 < text_.size() ? text_[at + 2] : '\0';
      if (mark == '!' || mark == '+' || mark == 'M') return {};  // MySQL and MariaDB run it, Oracle obeys it
      end = find_from(block_, "*/", at + 2);
      if (end == text_.npos) return {};
      end += 2;
      const bool code = !is_long() && find_from(line_, "\n", at + 1) < end;
      return end - at >= kFillingBytes && !code ? "/**/" : std::string_view();
    }
    if (!is_long()) return {};
    const bool dashes = c == '-' && next == '-';
    if (!dashes && c != '#') return {};
    end = find_from(line_, "\n", at + 1);
    if (end == text_.npos) return {};
    ++end;
    if (end - at < kFillingBytes) return {};
    return dashes ? "-- \n" : "#\n";
  }

  // The first comment that is filling: whether there is one.
  bool any() noexcept {
    static constexpr ByteFinder kBegins("/-#");
    for (std::size_t at = kBegins.find(text_, 0); at < text_.size(); at = kBegins.find(text_, at + 1)) {
      std::size_t end = at;
      if (!read(at, end).empty()) return true;
    }
    return false;
  }

 private:
  bool is_long() const noexcept { return text_.size() > kLongTextBytes; }
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

std::size_t white_end(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && (is_space(text[at]) || text[at] == '\0')) ++at;
  return at;
}

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
  return CommentReader(in).any();
}

bool squeeze_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  out.clear();
  CommentReader comments(in);
  bool changed = false;
  for (std::size_t at = 0; at < in.size();) {
    if (const std::size_t end = white_end(in, at); end != at) {
      const std::string_view blanks = in.substr(at, end - at);
      changed = changed || blanks.size() >= kFillingBytes;
      if (blanks.size() < kFillingBytes)
        out += blanks;
      else
        out += blanks.find('\n') == blanks.npos ? ' ' : '\n';
      at = end;
      continue;
    }
    std::size_t end = at;
    if (const std::string_view comment = comments.read(at, end); !comment.empty()) {
      out += comment;
      changed = true;
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
