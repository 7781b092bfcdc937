#include "detect/analyze/php/php_lexer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr bool starts_word(char c) noexcept { return is_alpha(c) || c == '_' || octet(c) >= 0x80; }

// What an octet begins, but for comments; a word goes on with digits too.
enum class Start : std::uint8_t { kWord, kDigit, kOther, kSpace, kQuote, kVariable, kComment };
constexpr auto kStarts = [] {
  std::array<Start, 256> starts{};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const char c = static_cast<char>(i);
    starts[i] = is_space(c) || c == '\0' ? Start::kSpace
                : starts_word(c)         ? Start::kWord
                : is_digit(c)            ? Start::kDigit
                : c == '\'' || c == '"'  ? Start::kQuote
                : c == '$'               ? Start::kVariable
                : c == '#' || c == '/'   ? Start::kComment
                                         : Start::kOther;
  }
  return starts;
}();
Start start_of(char c) noexcept { return kStarts[octet(c)]; }
bool word_start(char c) noexcept { return start_of(c) == Start::kWord; }
bool word_part(char c) noexcept { return start_of(c) <= Start::kDigit; }

constexpr OctetFinder kLineEnds("\r\n");
constexpr OctetFinder kSingleEnds("'\\");
constexpr OctetFinder kDoubleEnds("\"\\");

// Position of the closing quote, or npos; then there is none up to `looked_to`.
std::size_t close_of(std::string_view code, std::size_t at, std::size_t& looked_to) noexcept {
  const OctetFinder& ends = code[at] == '"' ? kDoubleEnds : kSingleEnds;
  for (std::size_t i = ends.find(code, at + 1); i < code.size(); i = ends.find(code, i + 2)) {
    if (code[i] != '\\') return i;
  }
  looked_to = code.size();
  return std::string_view::npos;
}

}  // namespace

void read_php(std::string_view code, std::pmr::vector<PhpToken>& out) {
  out.clear();
  std::size_t failed_to[2] = {0, 0};
  bool space = false;
  std::size_t at = 0;
  while (at < code.size() && out.size() < kMaxPhpTokens) {
    const char c = code[at];
    const Start start = start_of(c);
    const char second = at + 1 < code.size() ? code[at + 1] : '\0';
    if (start == Start::kSpace) {
      space = true;
      ++at;
      continue;
    }
    if (start == Start::kComment) {
      // "http://" in a text is no comment.
      if (c == '#' || (second == '/' && (at == 0 || code[at - 1] != ':'))) {
        at = kLineEnds.find(code, at);
        space = true;
        continue;
      }
      if (second == '*') {
        const std::size_t close = code.find("*/", at + 2);
        if (close == std::string_view::npos) break;
        at = close + 2;
        space = true;
        continue;
      }
    }
    PhpToken token;
    token.begin = static_cast<std::uint32_t>(at);
    token.space_before = std::exchange(space, false);
    std::size_t end = at + 1;
    const auto sign = [&] {
      token.punct = c;
      token.text = code.substr(at, 1);
    };
    switch (start) {
      case Start::kVariable:
        if (!word_start(second)) {
          sign();
          break;
        }
        while (end < code.size() && word_part(code[end])) ++end;
        token.kind = PhpKind::kVariable;
        token.text = code.substr(at + 1, end - at - 1);
        break;
      case Start::kWord:
        for (;; ++end) {
          while (end < code.size() && word_part(code[end])) ++end;
          if (end + 1 >= code.size() || code[end] != '\\' || !word_start(code[end + 1])) break;
        }
        token.kind = PhpKind::kWord;
        token.text = code.substr(at, end - at);
        break;
      case Start::kDigit:
        while (end < code.size() && (is_alnum(code[end]) || code[end] == '.')) ++end;
        token.kind = PhpKind::kNumber;
        token.text = code.substr(at, end - at);
        break;
      case Start::kQuote: {
        std::size_t& failed = failed_to[c == '"'];
        const std::size_t close = at < failed ? std::string_view::npos : close_of(code, at, failed);
        if (close == std::string_view::npos) {
          sign();
          break;
        }
        token.kind = PhpKind::kString;
        token.text = code.substr(at + 1, close - at - 1);
        end = close + 1;
        break;
      }
      default:
        sign();
        break;
    }
    at = end;
    token.end = static_cast<std::uint32_t>(at);
    out.push_back(token);
  }
}

}  // namespace wafd::detect
