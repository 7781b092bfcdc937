#include "detect/analyze/php_lexer.h"

#include <algorithm>
#include <utility>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

bool word_start(char c) noexcept { return is_alpha(c) || c == '_' || octet(c) >= 0x80; }
bool word_part(char c) noexcept { return word_start(c) || is_digit(c); }

// Position of the closing quote, or npos; then there is none up to `looked_to`.
std::size_t close_of(std::string_view code, std::size_t at, std::size_t& looked_to) noexcept {
  for (std::size_t i = at + 1; i < code.size(); ++i) {
    if (code[i] == '\\') {
      ++i;
    } else if (code[i] == code[at]) {
      return i;
    }
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
    const std::string_view rest = code.substr(at);
    if (is_space(c) || c == '\0') {
      space = true;
      ++at;
      continue;
    }
    if (c == '#' || rest.starts_with("//")) {
      // "http://" in a text is no comment.
      const bool address = c == '/' && at > 0 && code[at - 1] == ':';
      if (!address) {
        const std::size_t line = code.find_first_of("\r\n", at);
        if (line == std::string_view::npos) break;
        at = line;
        space = true;
        continue;
      }
    }
    if (rest.starts_with("/*")) {
      const std::size_t close = code.find("*/", at + 2);
      if (close == std::string_view::npos) break;
      at = close + 2;
      space = true;
      continue;
    }
    PhpToken token;
    token.begin = static_cast<std::uint32_t>(at);
    token.space_before = std::exchange(space, false);
    std::size_t end = at + 1;
    if (c == '$' && at + 1 < code.size() && word_start(code[at + 1])) {
      while (end < code.size() && word_part(code[end])) ++end;
      token.kind = PhpKind::kVariable;
      token.text = code.substr(at + 1, end - at - 1);
    } else if (word_start(c)) {
      while (end < code.size() && (word_part(code[end]) || (code[end] == '\\' && end + 1 < code.size() &&
                                                            word_start(code[end + 1])))) {
        ++end;
      }
      token.kind = PhpKind::kWord;
      token.text = code.substr(at, end - at);
    } else if (is_digit(c)) {
      while (end < code.size() && (is_alnum(code[end]) || code[end] == '.')) ++end;
      token.kind = PhpKind::kNumber;
      token.text = code.substr(at, end - at);
    } else if (c == '\'' || c == '"') {
      std::size_t& failed = failed_to[c == '"'];
      const std::size_t close = at < failed ? std::string_view::npos : close_of(code, at, failed);
      if (close != std::string_view::npos) {
        token.kind = PhpKind::kString;
        token.text = code.substr(at + 1, close - at - 1);
        end = close + 1;
      } else {
        token.punct = c;
        token.text = rest.substr(0, 1);
      }
    } else {
      token.punct = c;
      token.text = rest.substr(0, 1);
    }
    at = end;
    token.end = static_cast<std::uint32_t>(at);
    out.push_back(token);
  }
}

}  // namespace wafd::detect
