#include "detect/prefilter/command_place.h"

#include "detect/core/octets.h"
#include "detect/prefilter/octet_set.h"

namespace wafd::detect {
namespace {

constexpr bool is_word_octet(char c) noexcept { return is_alnum(c) || c == '_'; }

// All that a look for a command's place reads before a word.
constexpr std::size_t kMaxSpacesBefore = 16;  // more: it may stand there
constexpr std::size_t kMaxAssignment = 96;

// Behind these, spaces or none between, begins no command: words, file names, closed groups, octets of other
// scripts.
constexpr OctetSet kNoCommandBehind = [] {
  OctetSet set;
  for (unsigned c = 0; c < 256; ++c) {
    const char ch = static_cast<char>(c);
    if (c >= 0x80 || is_word_octet(ch) || ch == '.' || ch == ':' || ch == ')' || ch == ']' || ch == '%' ||
        ch == '-')
      set.add(static_cast<unsigned char>(c));
  }
  return set;
}();

}  // namespace

bool command_may_begin(std::string_view text, std::size_t at) noexcept {
  const std::size_t least = at > kMaxSpacesBefore ? at - kMaxSpacesBefore : 0;
  std::size_t i = at;
  while (i > least && is_space(text[i - 1])) {
    --i;
    if (text[i] == '\n' || text[i] == '\r') return true;
  }
  if (i == 0 || (i == least && i + kMaxSpacesBefore == at)) return true;
  const char before = text[i - 1];
  if (before == ',') return i == at;
  if (!kNoCommandBehind.has(octet(before))) return true;
  if (i == at) return false;
  // A=b command
  for (std::size_t k = i; k > 0 && i - k < kMaxAssignment; --k) {
    const char c = text[k - 1];
    if (c == '=') return true;
    if (is_space(c) || c == ';' || c == '&' || c == '|') return false;
  }
  return false;
}

bool name_may_end(std::string_view text, std::size_t at) noexcept {
  const auto octet_at = [text](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  const auto goes_on = [](char c) {
    return is_word_octet(c) || c == '-' || c == '.' || c == '/' || c == ':' || c == '~' || c == '+';
  };
  const char next = octet_at(at + 1);
  switch (octet_at(at)) {
    case ':':
    case '~':
    case '+':
    case '=':
      return false;
    case '-':
      return !goes_on(next) || is_digit(next);
    case '.':
      return !goes_on(next) || is_digit(next) || to_lower(next) == 'e' || to_lower(next) == 'c';
    case '/':
      return at + 1 < text.size() && (!goes_on(octet_at(at + 2)) || octet_at(at + 2) == '/');
    default:
      return true;
  }
}

}  // namespace wafd::detect
