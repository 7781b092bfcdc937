// Values and words: what a text is cut into, and where a reading begins.
#include <algorithm>
#include <iterator>

#include "detect/analyze/sql/sqli_tokenizer.h"
#include "detect/core/octet_finder.h"
#include "detect/core/word_set.h"

namespace wafd::detect::sqli {
namespace {

// Second words of types: double precision, character varying, time with time zone.
constexpr WordSet kTypeEndings({"precision", "varying", "with", "without", "zone", "time"});

// What a string of that quote may end at, or before.
const OctetFinder& ends_of(char quote) noexcept {
  static constexpr OctetFinder kSingle("'\\");
  static constexpr OctetFinder kDouble("\"\\");
  static constexpr OctetFinder kBacktick("`\\");
  return quote == '\'' ? kSingle : quote == '"' ? kDouble : kBacktick;
}

}  // namespace

void Tokenizer::run(std::size_t from, Quote quote, std::size_t max_tokens) {
  out_.clear();
  out_.tokens.reserve(std::min(max_tokens, text_.size() - from + 1));
  at_ = from;
  out_.next = text_.size();
  if (quote != Quote::kNone && !find_break(quote)) return;
  while (at_ < text_.size() && out_.tokens.size() < max_tokens) next();
  out_.next = std::min(at_, text_.size());
}

void Tokenizer::add(Kind kind, std::size_t length) {
  Token token;
  token.kind = kind;
  token.begin = static_cast<std::uint32_t>(at_);
  token.end = static_cast<std::uint32_t>(at_ + length);
  token.first = text_[at_];
  out_.tokens.push_back(token);
  at_ += length;
}

bool Tokenizer::find_break(Quote quote) {
  const char c = quote == Quote::kSingle ? '\'' : quote == Quote::kDouble ? '"' : '`';
  const std::size_t first = text_.find(c);
  if (first == std::string_view::npos) return false;
  std::size_t found = first;
  const bool escapes = dialect_ == Dialect::kMysql;
  if (escapes) {
    const std::size_t escape = text_.substr(0, first).find('\\');
    out_.ambiguous = escape != std::string_view::npos;
    found = std::min(first, escape);
  }
  while (found < text_.size()) {
    if (escapes && text_[found] == '\\') {
      found += 2;
    } else if (text_[found] != c) {
      found = escapes ? ends_of(c).find(text_, found) : std::min(text_.find(c, found), text_.size());
    } else if (found + 1 < text_.size() && text_[found + 1] == c) {
      found += 2;
    } else {
      break;
    }
  }
  at_ = found >= text_.size() ? first : found;
  add(Kind::kBreak, 1);
  return true;
}

void Tokenizer::next() {
  const char c = text_[at_];
  if (is_white(c)) {
    ++at_;
  } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    number();
  } else if (c == '\'' || c == '"') {
    string(at_);
  } else if (is_word_start(c)) {
    word();
  } else if (c == '[' && dialect_ == Dialect::kAnsi && subscript()) {
    return;
  } else if (c == '`' || (c == '[' && dialect_ == Dialect::kAnsi)) {
    quoted_name(c == '`' ? '`' : ']');
  } else {
    symbol(c);
  }
}

void Tokenizer::number() {
  std::size_t i = at_;
  const auto digits = [&] {
    while (i < text_.size() && is_digit(text_[i])) ++i;
  };
  if (text_[i] == '0' && (peek(1) == 'x' || peek(1) == 'X') && hex_value(peek(2)) >= 0) {
    i += 2;
    while (i < text_.size() && hex_value(text_[i]) >= 0) ++i;
  } else if (text_[i] == '0' && (peek(1) == 'b' || peek(1) == 'B') && (peek(2) == '0' || peek(2) == '1')) {
    i += 2;
    while (i < text_.size() && (text_[i] == '0' || text_[i] == '1')) ++i;
  } else {
    digits();
    if (i < text_.size() && text_[i] == '.') {
      ++i;
      digits();
    }
    if (i < text_.size() && (text_[i] == 'e' || text_[i] == 'E')) {
      std::size_t j = i + 1;
      if (j < text_.size() && (text_[j] == '+' || text_[j] == '-')) ++j;
      if (j < text_.size() && is_digit(text_[j])) {
        i = j;
        digits();
      } else if (text_[i - 1] == '.' && (j >= text_.size() || !is_word(text_[j]))) {
        // MySQL takes "1.e" in front of a parenthesis, a comma or a dot as nothing at all.
        out_.glued = true;
        at_ = j;
        return;
      }
    }
  }
  const std::size_t length = i - at_;
  if (i < text_.size() && is_word_start(text_[i]) && !lone_nbsp(i)) {
    const std::size_t end = word_end(i);
    const Part part = word_info(text_.substr(i, end - i)).part;
    if (part == Part::kName) {
      // 3rd, 4x4, 7z: a name that begins with digits.
      name(end - at_, &word_info({}));
      return;
    }
    out_.glued = true;
  }
  add(Kind::kNumber, length);
}

void Tokenizer::string(std::size_t open) {
  const char quote = text_[open];
  const OctetFinder& ends = ends_of(quote);
  std::size_t i = open + 1;
  while ((i = ends.find(text_, i)) < text_.size()) {
    if (text_[i] == '\\') {
      out_.ambiguous = true;
      i += dialect_ == Dialect::kMysql ? 2 : 1;
    } else if (i + 1 < text_.size() && text_[i + 1] == quote) {
      i += 2;
    } else {
      break;
    }
  }
  if (i >= text_.size())
    add(Kind::kOpenString, text_.size() - at_);
  else
    add(Kind::kString, i + 1 - at_);
}

void Tokenizer::quoted_name(char close) {
  const std::size_t end = text_.find(close, at_ + 1);
  if (end == std::string_view::npos) {
    add(Kind::kOpenString, text_.size() - at_);
    return;
  }
  const WordInfo* info = &word_info(text_.substr(at_ + 1, end - at_ - 1));
  name(end + 1 - at_, info);
  out_.tokens.back().quoted = true;
}

bool Tokenizer::subscript() {
  if (out_.tokens.empty() || out_.tokens.back().kind != Kind::kWord || out_.tokens.back().end != at_)
    return false;
  const std::size_t close = text_.substr(at_ + 1, kMaxLookahead).find(']');
  if (close == std::string_view::npos) return false;
  at_ += close + 2;
  if (iequals(text_.substr(out_.tokens.back().begin, 5), "array")) out_.tokens.back().kind = Kind::kString;
  return true;
}

void Tokenizer::name(std::size_t length, const WordInfo* info) {
  add(Kind::kWord, length);
  out_.tokens.back().info = info;
}

void Tokenizer::word() {
  const std::size_t end = word_end(at_ + 1);
  const std::string_view spelled = text_.substr(at_, end - at_);
  if (end < text_.size() && text_[end] == '\'' &&
      is_string_prefix(spelled, end + 1 < text_.size() ? text_[end + 1] : '\0')) {
    if (iequals(spelled, "q") && quote_literal(end)) return;
    string(end);
    return;
  }
  if (cast_at_ == out_.tokens.size() && kTypeEndings.has(spelled)) {
    at_ = end;
    return;
  }
  name(spelled.size(), &word_info(spelled));
}

bool Tokenizer::is_string_prefix(std::string_view word, char next) noexcept {
  if (iequals(word, "x") || iequals(word, "b")) return hex_value(next) >= 0;
  return iequals(word, "n") || iequals(word, "e") || iequals(word, "q") ||
         (word.size() > 3 && word[0] == '_');
}

bool Tokenizer::quote_literal(std::size_t open) {
  if (open + 2 >= text_.size()) return false;
  const char c = text_[open + 1];
  const char closing[2] = {c == '[' ? ']' : c == '(' ? ')' : c == '{' ? '}' : c == '<' ? '>' : c, '\''};
  if (is_alnum(c) || is_white(c)) return false;
  const std::size_t end = text_.substr(open + 2, kMaxLookahead).find(std::string_view(closing, 2));
  if (end == std::string_view::npos) return false;
  add(Kind::kString, open + 2 + end + 2 - at_);
  return true;
}

bool Tokenizer::dollar_string() {
  std::size_t end = at_ + 1;
  while (end < text_.size() && end < at_ + 32 && is_alnum(text_[end])) ++end;
  if (end >= text_.size() || text_[end] != '$') return false;
  const std::string_view tag = text_.substr(at_, end + 1 - at_);
  const std::size_t close = text_.substr(end + 1, kMaxLookahead).find(tag);
  if (close == std::string_view::npos) return false;
  add(Kind::kString, end + 1 + close + tag.size() - at_);
  return true;
}

void Tokenizer::variable(std::size_t marker) {
  std::size_t end = at_ + marker;
  if (end < text_.size() && (text_[end] == '`' || text_[end] == '\'' || text_[end] == '"')) {
    const std::size_t close = text_.substr(end + 1, kMaxNameBytes).find(text_[end]);
    end = close == std::string_view::npos ? end : end + 1 + close + 1;
  }
  while (end < text_.size() && ((is_word(text_[end]) && !lone_nbsp(end)) || text_[end] == '.')) ++end;
  if (marker == 1 && end == at_ + 1) return add(text_[at_] == '@' ? Kind::kVariable : Kind::kOther, 1);
  add(Kind::kVariable, end - at_);
}

void TokenStream::clear() {
  tokens.clear();
  comments = 0;
  version_comment = false;
  version_begin = 0;
  glued = false;
  odbc_braces = false;
  casts = 0;
  ambiguous = false;
  next = 0;
}

void tokenize(std::string_view text, std::size_t from, Quote quote, Dialect dialect, std::size_t max_tokens,
              TokenStream& out) {
  Tokenizer(text, dialect, out).run(from, quote, max_tokens);
}

}  // namespace wafd::detect::sqli
