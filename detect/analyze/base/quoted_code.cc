#include "detect/analyze/base/quoted_code.h"

#include <algorithm>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxJointBytes = 24;  // between the quote and the code
constexpr std::string_view kQuotes = "'\"`";
constexpr std::string_view kClosers = ")]}";
constexpr std::string_view kOpeners = "([{";
// '<' and '>' stand between quotes in markup: <a b="c">.
constexpr std::string_view kOperators = ".+-*/%&|^?:,;=~!";

bool one_of(char c, std::string_view set) noexcept { return set.find(c) != std::string_view::npos; }

// First `quote` of value[from..) that no backslash stands before.
std::size_t open_quote(std::string_view value, char quote) noexcept {
  for (std::size_t at = value.find(quote); at != std::string_view::npos; at = value.find(quote, at + 1)) {
    std::size_t backslash = at;
    while (backslash > 0 && value[backslash - 1] == '\\') --backslash;
    if ((at - backslash) % 2 == 0) return at;
  }
  return std::string_view::npos;
}

// Behind an operator that is a word: ' or f() or '.
std::size_t behind_word_operator(std::string_view value, std::size_t at) noexcept {
  for (const std::string_view word : {"or ", "and ", "xor ", "if "}) {
    if (istarts_with(value.substr(at), word)) return at + word.size();
  }
  return at;
}

bool reads_on(std::string_view value, std::size_t at, QuotedCode& out) noexcept {
  std::size_t end = value.size();
  while (end > at + 1 && is_space(value[end - 1])) --end;
  const bool closes = end > at + 1 && value[end - 1] == out.quote;
  std::size_t begin = at + 1;
  bool spaced = false;
  for (; begin < end; ++begin) {
    if (begin - at > kMaxJointBytes) return false;
    const char c = value[begin];
    if (is_space(c)) {
      spaced = true;
      if (c == '\n' && out.joint == 0) out.joint = c;
    } else if (one_of(c, kOperators) || one_of(c, kClosers)) {
      if (out.joint == 0 || is_space(out.joint)) out.joint = c;
    } else {
      break;
    }
  }
  if (out.joint == 0 && spaced) {
    const std::size_t behind = behind_word_operator(value, begin);
    if (behind != begin) out.joint = value[begin];
    begin = behind;
  }
  if (out.joint == 0) {
    // Nothing that a program could go on with: the quotes are the value's own, if they hold all of it.
    const bool whole = closes && std::all_of(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(at),
                                             [](char c) { return is_space(c); });
    if (!whole) return false;
    out.code = value.substr(at + 1, end - at - 2);
    return !out.code.empty();
  }
  if (closes && end - 1 > begin) {
    --end;
    const std::size_t quote = end;
    while (end > begin && (is_space(value[end - 1]) || one_of(value[end - 1], kOperators) ||
                           one_of(value[end - 1], kOpeners)))
      --end;
    out.rejoins = end < quote;
    if (!out.rejoins) end = quote + 1;  // the last quote is the code's own
  }
  out.code = value.substr(begin, end - begin);
  return !out.code.empty();
}

}  // namespace

bool QuotedReadings::next(QuotedCode& reading) noexcept {
  while (next_ < kQuotes.size()) {
    reading = {};
    reading.quote = kQuotes[next_++];
    const std::size_t at = open_quote(value_, reading.quote);
    if (at != std::string_view::npos && reads_on(value_, at, reading)) return true;
  }
  return false;
}

}  // namespace wafd::detect
