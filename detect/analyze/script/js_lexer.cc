#include "detect/analyze/script/js_lexer.h"

#include <algorithm>
#include <array>

#include "detect/core/bytes.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::js {
namespace {

enum Class : unsigned char { kOther, kBlank, kNamePart, kDigit, kQuote, kHigh };

constexpr std::array<Class, 256> kClasses = [] {
  std::array<Class, 256> classes{};
  for (unsigned i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    if (i <= ' ' || i == 0x7f) classes[i] = kBlank;
    if (is_alpha(c) || c == '_' || c == '$') classes[i] = kNamePart;
    if (is_digit(c)) classes[i] = kDigit;
    if (c == '\'' || c == '"' || c == '`') classes[i] = kQuote;
    if (i >= 0x80) classes[i] = kHigh;
  }
  return classes;
}();

Class class_of(char c) noexcept { return kClasses[byte(c)]; }
bool ends_line(char c) noexcept { return c == '\n' || c == '\r'; }

// \x41 \u0041 \u{41} \101: an escape behind the backslash at `at` that stands for what a name is made of.
bool hides_letter(std::string_view text, std::size_t at) noexcept {
  const char c = at + 1 < text.size() ? text[at + 1] : '\0';
  int code = -1;
  if (c == 'x') {
    code = hex_number(text, at + 2, 2);
  } else if (c == 'u' && at + 2 < text.size() && text[at + 2] == '{') {
    const std::size_t digits = std::min(text.find_first_not_of('0', at + 3), text.size());
    if (text.find('}', digits) == digits + 2) code = hex_number(text, digits, 2);
  } else if (c == 'u') {
    code = hex_number(text, at + 2, 4);
  } else if (c >= '0' && c <= '7') {
    for (std::size_t i = at + 1; i < at + 4 && i < text.size() && text[i] >= '0' && text[i] <= '7'; ++i)
      code = std::max(code, 0) * 8 + (text[i] - '0');
  }
  return code == '$' || code == '_' || (code > 0 && code < 0x80 && is_alnum(static_cast<char>(code)));
}

}  // namespace

std::size_t blank_bytes(std::string_view text, std::size_t at, bool& line_end) noexcept {
  const unsigned char c = byte(text[at]);
  line_end = c == '\n' || c == '\r';
  if (c <= ' ' || c == 0x7f) return 1;
  if (c != 0xc2 && c != 0xef && (c < 0xe1 || c > 0xe3)) return 0;  // with which none of those below begins
  std::uint32_t code = 0;
  const std::size_t size = utf8_sequence(text, at, code);
  line_end = code == 0x2028 || code == 0x2029;
  const bool blank = code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || line_end ||
                     code == 0x202f || code == 0x205f || code == 0x3000 || code == 0xfeff;
  return blank ? size : 0;
}

// The place behind the comment that begins at `at`, or `at`.
std::size_t Lexer::skip_comment(std::size_t at) noexcept {
  const std::string_view rest = text_.substr(at, 4);
  const bool line = rest.starts_with("//") || rest == "<!--" || (line_begins_ && rest.starts_with("-->")) ||
                    (at == 0 && rest.starts_with("#!"));
  if (!line && !rest.starts_with("/*")) return at;
  std::size_t end = at + 2;
  if (line) {
    while (end < text_.size() && !ends_line(text_[end]) &&
           !(text_[end] == '\xe2' && (text_.substr(end, 3) == "\u2028" || text_.substr(end, 3) == "\u2029")))
      ++end;
    ended_in_comment_ = end == text_.size();
    return end;
  }
  end = text_.find("*/", end);
  ended_in_comment_ = end == std::string_view::npos;
  return ended_in_comment_ ? text_.size() : end + 2;
}

void Lexer::skip_blanks(Token& token) noexcept {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const Class kind = class_of(c);
    bool line_end = false;
    if (c == ' ') {
      ++at_;
    } else if (kind == kBlank || kind == kHigh) {
      const std::size_t size = blank_bytes(text_, at_, line_end);
      if (size == 0) return;
      token.line_before = token.line_before || line_end;
      line_begins_ = line_begins_ || line_end;
      at_ += size;
    } else if (c == '/' || c == '<' || c == '-' || (c == '#' && at_ == 0)) {
      const std::size_t end = skip_comment(at_);
      if (end == at_) return;
      const std::string_view comment = text_.substr(at_, end - at_);
      if (c == '/' && (comment.find('\n') != comment.npos || comment.find('\r') != comment.npos))
        token.line_before = line_begins_ = true;
      at_ = end;
    } else {
      return;
    }
  }
}

void Lexer::read_name(Token& token) noexcept {
  token.kind = token.kind == TokenKind::kPrivateName ? token.kind : TokenKind::kName;
  while (at_ < text_.size()) {
    const Class kind = class_of(text_[at_]);
    bool line_end = false;
    if (text_[at_] == '\\' && at(at_ + 1) == 'u') {
      token.escaped = token.escaped || hides_letter(text_, at_);
      at_ += 2;
      if (at(at_) == '{')
        at_ = std::min(text_.find_first_not_of("{0123456789abcdefABCDEF", at_), text_.size() - 1) + 1;
    } else if (kind == kNamePart || kind == kDigit ||
               (kind == kHigh && blank_bytes(text_, at_, line_end) == 0)) {
      ++at_;
    } else {
      return;
    }
  }
}

// A number must not be followed directly by a name (ECMA-262, 12.9.3).
void Lexer::read_number(Token& token) noexcept {
  token.kind = TokenKind::kNumber;
  const bool radix = text_[at_] == '0' &&
                     std::string_view("xXoObB").find(at(at_ + 1)) != std::string_view::npos &&
                     at(at_ + 1) != '\0';
  if (radix) {
    at_ += 2;
    while (hex_value(at(at_)) >= 0 || at(at_) == '_') ++at_;
  } else {
    const auto digits = [this] {
      while (is_digit(at(at_)) || (at(at_) == '_' && is_digit(at(at_ + 1)))) ++at_;
    };
    digits();
    if (at(at_) == '.') {
      ++at_;
      digits();
    }
    const char sign = at(at_ + 1);
    if (to_lower(at(at_)) == 'e' &&
        (is_digit(sign) || ((sign == '+' || sign == '-') && is_digit(at(at_ + 2))))) {
      at_ += 2;
      digits();
    }
  }
  if (at(at_) == 'n') ++at_;
  if (class_of(at(at_)) == kNamePart && at_ < text_.size()) {
    read_name(token);
    token.kind = TokenKind::kUnknown;
  }
}

void Lexer::read_string(Token& token) noexcept {
  const char quote = text_[at_++];
  token.kind = TokenKind::kString;
  const std::size_t begin = at_;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\\') {
      token.escaped = token.escaped || hides_letter(text_, at_);
      if (at(at_ + 1) == '\r' && at(at_ + 2) == '\n') ++at_;
      ++at_;
    } else if (c == quote) {
      token.text = text_.substr(begin, at_ - begin);
      ++at_;
      return;
    } else if (ends_line(c)) {
      token.kind = TokenKind::kUnknown;
      return;
    }
  }
  at_ = text_.size();
  token.open = true;
  token.text = text_.substr(begin);
}

void Lexer::read_template(Token& token) noexcept {
  token.kind = TokenKind::kTemplate;
  const std::size_t begin = at_;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\\') {
      token.escaped = token.escaped || hides_letter(text_, at_);
      ++at_;
    } else if (c == '`' || (c == '$' && at(at_ + 1) == '{')) {
      token.text = text_.substr(begin, at_ - begin);
      token.substitution = c == '$';
      at_ += token.substitution ? 2 : 1;
      token.end = at_;
      return;
    }
  }
  at_ = text_.size();
  token.open = true;
  token.text = text_.substr(std::min(begin, at_));
  token.end = at_;
}

bool Lexer::read_regex(Token& token) noexcept {
  if (at_ < no_regex_before_) return false;
  bool in_class = false;
  std::size_t i = at_ + 1;
  for (; i < text_.size() && !ends_line(text_[i]); ++i) {
    const char c = text_[i];
    if (c == '\\') {
      ++i;
    } else if (c == '[' || c == ']') {
      in_class = c == '[';
    } else if (c == '/' && !in_class) {
      std::size_t end = i + 1;
      while (std::string_view("dgimsuvy").find(at(end)) != std::string_view::npos && end < text_.size())
        ++end;
      if (class_of(at(end)) == kNamePart && end < text_.size()) return false;
      token.kind = TokenKind::kRegex;
      token.text = text_.substr(at_ + 1, i - at_ - 1);
      at_ = end;
      return true;
    }
  }
  no_regex_before_ = i;
  return false;
}

namespace {

// Of signs that are one byte, whatever follows; kNone: of others.
Sign single_sign(char c) noexcept {
  switch (c) {
    case '(':
      return Sign::kOpenParen;
    case ')':
      return Sign::kCloseParen;
    case '[':
      return Sign::kOpenBracket;
    case ']':
      return Sign::kCloseBracket;
    case '{':
      return Sign::kOpenBrace;
    case '}':
      return Sign::kCloseBrace;
    case ',':
      return Sign::kComma;
    case ';':
      return Sign::kSemicolon;
    case ':':
      return Sign::kColon;
    case '~':
      return Sign::kNot;
    default:
      return Sign::kNone;
  }
}

}  // namespace

void Lexer::read_sign(Token& token) noexcept {
  token.kind = TokenKind::kSign;
  const char c = text_[at_++];
  token.sign = single_sign(c);
  if (token.sign != Sign::kNone) return;
  const char next = at(at_);
  const auto run = [&](std::size_t more, Sign sign) {
    at_ += more;
    token.sign = sign;
  };
  switch (c) {
    case '.':
      if (next == '.' && at(at_ + 1) == '.') return run(2, Sign::kSpread);
      return run(0, Sign::kDot);
    case '?':
      if (next == '?') return at(at_ + 1) == '=' ? run(2, Sign::kCompoundAssign) : run(1, Sign::kLogical);
      if (next == '.' && !is_digit(at(at_ + 1))) return run(1, Sign::kOptional);
      return run(0, Sign::kQuestion);
    case '=':
      if (next == '>') return run(1, Sign::kArrow);
      if (next == '=') return run(at(at_ + 1) == '=' ? 2 : 1, Sign::kBinary);
      return run(0, Sign::kAssign);
    case '!':
      if (next == '=') return run(at(at_ + 1) == '=' ? 2 : 1, Sign::kBinary);
      return run(0, Sign::kNot);
    case '+':
    case '-':
      if (next == c) return run(1, Sign::kIncrement);
      if (next == '=') return run(1, Sign::kCompoundAssign);
      return run(0, c == '+' ? Sign::kPlus : Sign::kMinus);
    case '|':
    case '&':
      if (next == c) return at(at_ + 1) == '=' ? run(2, Sign::kCompoundAssign) : run(1, Sign::kLogical);
      return next == '=' ? run(1, Sign::kCompoundAssign) : run(0, Sign::kBinary);
    case '<':
    case '>':
    case '*': {
      std::size_t more = next == c ? 1 : 0;
      if (c == '>' && more == 1 && at(at_ + 1) == '>') more = 2;
      if (at(at_ + more) != '=') return run(more, Sign::kBinary);
      return run(more + 1, c == '*' || more != 0 ? Sign::kCompoundAssign : Sign::kBinary);
    }
    case '/':
    case '%':
    case '^':
      return next == '=' ? run(1, Sign::kCompoundAssign) : run(0, Sign::kBinary);
    default:
      token.kind = TokenKind::kUnknown;
  }
}

Token Lexer::rest_of_template() noexcept {
  Token token;
  token.begin = at_;
  read_template(token);
  return token;
}

Token Lexer::next(bool operand) noexcept {
  count_steps(28);
  Token token;
  skip_blanks(token);
  token.begin = at_;
  token.end = at_;
  if (at_ >= text_.size()) return token;
  line_begins_ = false;
  const char c = text_[at_];
  const Class kind = class_of(c);
  if (kind == kNamePart || kind == kHigh || (c == '\\' && at(at_ + 1) == 'u')) {
    read_name(token);
  } else if (kind == kDigit || (c == '.' && is_digit(at(at_ + 1)))) {
    read_number(token);
  } else if (c == '`') {
    ++at_;
    read_template(token);
    return token;
  } else if (kind == kQuote) {
    read_string(token);
    token.end = at_;
    return token;
  } else if (c == '#' && class_of(at(at_ + 1)) == kNamePart) {
    token.kind = TokenKind::kPrivateName;
    ++at_;
    read_name(token);
  } else if (c != '/' || !operand || !read_regex(token)) {
    read_sign(token);
  }
  token.end = at_;
  if (token.kind != TokenKind::kRegex) token.text = text_.substr(token.begin, token.end - token.begin);
  return token;
}

}  // namespace wafd::detect::js
