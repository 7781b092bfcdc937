#include "detect/analyze/script/js_lexer.h"

#include <cstring>
#include <utility>

#include "detect/analyze/script/js_words.h"
#include "detect/core/octets.h"
#include "detect/decode/js_escape.h"

namespace wafd::detect {
namespace {

bool word_start(char c) noexcept { return is_alpha(c) || c == '_' || c == '$' || octet(c) >= 0x80; }
bool word_part(char c) noexcept { return word_start(c) || is_digit(c); }

bool regex_may_follow(const std::pmr::vector<JsToken>& tokens) noexcept {
  if (tokens.empty()) return true;
  const JsToken& last = tokens.back();
  if (last.kind == JsKind::kWord) return (js_word(last.text) & kJsOperator) != 0;
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

// An escape that stands for a letter or digit, or for nothing: what is hidden by it could be written plainly.
bool hides_letters(std::string_view text) noexcept {
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 2)) {
    const char c = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '\n' || c == '\r' || (is_alnum(c) && c != 'n' && c != 'r' && c != 't')) return true;
  }
  return false;
}

}  // namespace

void JsLexer::decode(JsToken& token) {
  std::uint32_t flags = 0;
  decoded_.clear();
  if (!js_escape_decode(token.text, decoded_, flags)) return;
  token.escaped = hides_letters(token.text);
  char* kept = static_cast<char*>(memory_.allocate(decoded_.size() + 1, 1));
  std::memcpy(kept, decoded_.data(), decoded_.size());
  token.text = {kept, decoded_.size()};
}

// Reads the string or template at source[at]; returns the position behind it, or `at` if it has no end.
std::size_t JsLexer::read_string(std::string_view source, std::size_t at, JsToken& token, Failed& failed) {
  const char quote = source[at];
  std::size_t& looked_to = failed.strings[quote == '\'' ? 0 : quote == '"' ? 1 : 2];
  if (at < looked_to) return at;
  bool escaped = false;
  for (std::size_t i = at + 1; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '\\') {
      escaped = true;
      ++i;
    } else if (c == quote) {
      token.kind = quote == '`' ? JsKind::kTemplate : JsKind::kString;
      token.text = source.substr(at + 1, i - at - 1);
      if (escaped) decode(token);
      return i + 1;
    } else if ((c == '\n' || c == '\r') && quote != '`') {
      looked_to = i;
      return at;
    }
  }
  looked_to = source.size();
  return at;
}

// Skips the comment at source[at]; false if there is none. One without end leaves `at` at the end.
bool JsLexer::skip_comment(std::string_view source, std::size_t& at, bool& line_before) {
  const std::string_view rest = source.substr(at);
  if (rest.starts_with("//") || rest.starts_with("<!--")) {
    const std::size_t line = source.find_first_of("\n\r", at);
    ends_in_comment_ = line == std::string_view::npos;
    at = ends_in_comment_ ? source.size() : line;
    return true;
  }
  if (!rest.starts_with("/*")) return false;
  const std::size_t close = source.find("*/", at + 2);
  ends_in_comment_ = close == std::string_view::npos;
  if (ends_in_comment_) {
    at = source.size();
    return true;
  }
  if (source.substr(at, close - at).find('\n') != std::string_view::npos) line_before = true;
  at = close + 2;
  return true;
}

std::size_t JsLexer::read_word(std::string_view source, std::size_t at, JsToken& token) {
  bool escaped = false;
  std::size_t end = at;
  while (end < source.size()) {
    bool line_end = false;
    if (source[end] == '\\' && end + 1 < source.size() && source[end + 1] == 'u') {
      escaped = true;
      end += 2;
      if (end < source.size() && source[end] == '{') {
        while (end < source.size() && source[end] != '}') ++end;
        if (end < source.size()) ++end;
      }
    } else if (word_part(source[end]) &&
               (octet(source[end]) < 0x80 || js_space(source, end, line_end) == 0)) {
      ++end;
    } else {
      break;
    }
  }
  token.kind = JsKind::kWord;
  token.text = source.substr(at, end - at);
  if (escaped) decode(token);
  return end;
}

std::size_t JsLexer::read_sign(std::string_view source, std::size_t at, JsToken& token, Failed& failed) {
  const char c = source[at];
  std::size_t source_end = 0;
  const std::size_t behind = c == '/' && at >= failed.regex && regex_may_follow(tokens_)
                                 ? regex_end(source, at, source_end, failed.regex)
                                 : std::string_view::npos;
  if (behind != std::string_view::npos) {
    token.kind = JsKind::kRegex;
    token.text = source.substr(at + 1, source_end - at - 1);
    return behind;
  }
  token.punct = c;
  std::size_t end = at + 1;
  const char next = end < source.size() ? source[end] : '\0';
  if (c == '=' && (next == '=' || next == '>')) {
    while (end < source.size() && (source[end] == '=' || source[end] == '>')) ++end;
  } else if ((c == '<' || c == '>' || c == '!') && next == '=') {
    while (end < source.size() && source[end] == '=') ++end;
  } else if (c == '=') {
    token.plain_assign = true;
  } else if (c == '?' && next == '.' && !(end + 1 < source.size() && is_digit(source[end + 1]))) {
    token.punct = '.';
    ++end;
  }
  token.text = source.substr(at, end - at);
  return end;
}

std::size_t JsLexer::read(std::string_view source, std::size_t from) {
  tokens_.clear();
  ends_in_comment_ = false;
  Failed failed;
  bool line_before = false;
  std::size_t at = from;
  while (at < source.size() && tokens_.size() < kMaxTokens) {
    const char c = source[at];
    bool line_end = false;
    if (const std::size_t space = js_space(source, at, line_end); space != 0) {
      line_before = line_before || line_end;
      at += space;
      continue;
    }
    if ((c == '/' || c == '<') && skip_comment(source, at, line_before)) continue;
    JsToken token;
    token.begin = static_cast<std::uint32_t>(at);
    token.line_before = std::exchange(line_before, false);
    if (c == '\'' || c == '"' || c == '`') {
      std::size_t next = read_string(source, at, token, failed);
      if (next == at) {
        token.kind = JsKind::kLoneQuote;
        token.punct = c;
        token.text = source.substr(at, 1);
        next = at + 1;
      }
      at = next;
    } else if (word_start(c) || (c == '\\' && at + 1 < source.size() && source[at + 1] == 'u')) {
      at = read_word(source, at, token);
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
      at = read_sign(source, at, token, failed);
    }
    token.end = static_cast<std::uint32_t>(at);
    tokens_.push_back(token);
  }
  return at;
}

}  // namespace wafd::detect
