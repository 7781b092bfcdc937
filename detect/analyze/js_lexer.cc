#include "detect/analyze/js_lexer.h"

#include <utility>

#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"
#include "detect/decode/js_escape.h"

namespace wafd::detect {
namespace {

bool word_start(char c) noexcept { return is_alpha(c) || c == '_' || c == '$' || octet(c) >= 0x80; }
bool word_part(char c) noexcept { return word_start(c) || is_digit(c); }

// Words after which a '/' begins a regular expression, not a division.
constexpr WordSet kBeforeExpression({"return", "typeof", "instanceof", "in", "of", "new", "delete", "void",
                                     "throw", "case", "do", "else", "yield", "await"});

// U+2028 and U+2029 end a line like LF does.
bool line_separator(std::string_view text, std::size_t at) noexcept {
  return at + 2 < text.size() && octet(text[at]) == 0xe2 && octet(text[at + 1]) == 0x80 &&
         (octet(text[at + 2]) == 0xa8 || octet(text[at + 2]) == 0xa9);
}

bool regex_may_follow(const std::vector<JsToken>& tokens) noexcept {
  if (tokens.empty()) return true;
  const JsToken& last = tokens.back();
  if (last.kind == JsKind::kWord) return kBeforeExpression.has(last.text);
  if (last.kind == JsKind::kPunct) return last.punct != ')' && last.punct != ']' && last.punct != '}';
  return last.kind == JsKind::kLoneQuote;
}

// Position behind the closing '/' and flags, or npos; then `looked_to` is how far there is none.
std::size_t regex_end(std::string_view text, std::size_t at, std::size_t& source_end,
                      std::size_t& looked_to) noexcept {
  bool in_class = false;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    looked_to = i;
    const char c = text[i];
    if (c == '\n' || c == '\r') break;
    if (c == '\\') {
      ++i;
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    } else if (c == '/' && !in_class) {
      source_end = i;
      ++i;
      while (i < text.size() && is_alpha(text[i])) ++i;
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view JsLexer::keep(std::string value) {
  decoded_.push_back(std::move(value));
  return decoded_.back();
}

// Reads the string or template at source[at]; returns the position behind it, or `at` if it has no end up to
// `looked_to`.
std::size_t JsLexer::read_string(std::string_view source, std::size_t at, JsToken& token,
                                 std::size_t& looked_to) {
  const char quote = source[at];
  bool escaped = false;
  for (std::size_t i = at + 1; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '\\') {
      escaped = true;
      ++i;
    } else if (c == quote) {
      token.kind = quote == '`' ? JsKind::kTemplate : JsKind::kString;
      token.text = source.substr(at + 1, i - at - 1);
      if (escaped) {
        std::string value;
        std::uint32_t flags = 0;
        if (js_escape_decode(token.text, value, flags)) {
          token.escaped = true;
          token.text = keep(std::move(value));
        }
      }
      return i + 1;
    } else if ((c == '\n' || c == '\r') && quote != '`') {
      looked_to = i;
      return at;
    }
  }
  looked_to = source.size();
  return at;
}

std::size_t JsLexer::read(std::string_view source, std::size_t from) {
  tokens_.clear();
  decoded_.clear();
  ends_in_comment_ = false;
  // Where a search for the end of a string of each kind, or of a regex, failed: not tried again before that
  // position, or the whole would be quadratic.
  std::size_t failed_to[3] = {0, 0, 0};
  std::size_t regex_failed_to = 0;
  bool line_before = false;
  std::size_t at = from;
  while (at < source.size() && tokens_.size() < kMaxTokens) {
    const char c = source[at];
    if (c == '\n' || c == '\r') {
      line_before = true;
      ++at;
      continue;
    }
    if (octet(c) <= ' ') {
      ++at;
      continue;
    }
    if (line_separator(source, at)) {
      line_before = true;
      at += 3;
      continue;
    }
    JsToken token;
    token.begin = static_cast<std::uint32_t>(at);
    token.line_before = std::exchange(line_before, false);
    const std::string_view rest = source.substr(at);
    if (rest.starts_with("//") || rest.starts_with("<!--")) {
      ends_in_comment_ = true;
      const std::size_t line = source.find_first_of("\n\r", at);
      if (line == std::string_view::npos) {
        at = source.size();
        break;
      }
      ends_in_comment_ = false;
      at = line;
      continue;
    }
    if (rest.starts_with("/*")) {
      const std::size_t close = source.find("*/", at + 2);
      line_before = token.line_before;
      if (close == std::string_view::npos) {
        ends_in_comment_ = true;
        at = source.size();
        break;
      }
      if (source.substr(at, close - at).find('\n') != std::string_view::npos) line_before = true;
      at = close + 2;
      continue;
    }
    if (c == '\'' || c == '"' || c == '`') {
      std::size_t& failed = failed_to[c == '\'' ? 0 : c == '"' ? 1 : 2];
      std::size_t next = at < failed ? at : read_string(source, at, token, failed);
      if (next == at) {
        token.kind = JsKind::kLoneQuote;
        token.punct = c;
        token.text = rest.substr(0, 1);
        next = at + 1;
      }
      at = next;
    } else if (word_start(c) || (c == '\\' && at + 1 < source.size() && source[at + 1] == 'u')) {
      bool escaped = false;
      std::size_t end = at;
      while (end < source.size()) {
        if (source[end] == '\\' && end + 1 < source.size() && source[end + 1] == 'u') {
          escaped = true;
          end += 2;
          if (end < source.size() && source[end] == '{') {
            while (end < source.size() && source[end] != '}') ++end;
            if (end < source.size()) ++end;
          }
        } else if (word_part(source[end]) && !line_separator(source, end)) {
          ++end;
        } else {
          break;
        }
      }
      token.kind = JsKind::kWord;
      token.text = source.substr(at, end - at);
      if (escaped) {
        std::string value;
        std::uint32_t flags = 0;
        if (js_escape_decode(token.text, value, flags)) {
          token.escaped = true;
          token.text = keep(std::move(value));
        }
      }
      at = end;
    } else if (is_digit(c)) {
      std::size_t end = at;
      while (end < source.size() &&
             (is_alnum(source[end]) || source[end] == '_' ||
              (source[end] == '.' && end + 1 < source.size() && is_digit(source[end + 1])))) {
        ++end;
      }
      token.kind = JsKind::kNumber;
      token.text = source.substr(at, end - at);
      at = end;
    } else {
      std::size_t source_end = 0;
      const std::size_t behind = c == '/' && at >= regex_failed_to && regex_may_follow(tokens_)
                                     ? regex_end(source, at, source_end, regex_failed_to)
                                     : std::string_view::npos;
      if (behind != std::string_view::npos) {
        token.kind = JsKind::kRegex;
        token.text = source.substr(at + 1, source_end - at - 1);
        at = behind;
      } else {
        token.punct = c;
        std::size_t end = at + 1;
        if (c == '=' && end < source.size() && (source[end] == '=' || source[end] == '>')) {
          while (end < source.size() && (source[end] == '=' || source[end] == '>')) ++end;
        } else if ((c == '<' || c == '>' || c == '!') && end < source.size() && source[end] == '=') {
          while (end < source.size() && source[end] == '=') ++end;
        } else if (c == '=') {
          token.plain_assign = true;
        }
        token.text = source.substr(at, end - at);
        at = end;
      }
    }
    token.end = static_cast<std::uint32_t>(at);
    tokens_.push_back(token);
  }
  return at;
}

}  // namespace wafd::detect
