#include "detect/analyze/shell/shell_lexer.h"

#include <algorithm>
#include <cstring>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::shell {
namespace {

constexpr ByteFinder kEndsRun(" \t\n\r\v\f;&|<>()`'\"\\$");
constexpr ByteFinder kJoins("'\"\\$`<>");  // with what a word goes on behind a run, or a redirection
constexpr ByteFinder kSeparates(";&|\n\r()`'\"\\$<>");
constexpr ByteFinder kInDouble("\"\\$`");
constexpr ByteFinder kInParameter("}\"'\\$`");

constexpr std::size_t kMaxTagBytes = 256;

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_line_end(char c) noexcept { return c == '\n' || c == '\r'; }

// </etc>/dev/stdout: from a folder of the root, and to a file.
bool is_redirected_folder(std::string_view name, std::string_view behind) noexcept {
  static constexpr WordSet kFolders({"bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt",
                                     "proc", "root", "run", "sbin", "srv", "sys", "tmp", "usr"});
  // An element of HTML
  if (name == "var") return behind.starts_with('/') || behind.starts_with('&');
  return kFolders.has(name);
}

// <b>, </td>, <a href="x">, <!-- at `at`; not <file >x and </etc/passwd.
bool is_tag(std::string_view text, std::size_t at) noexcept {
  const std::string_view rest = text.substr(at + 1, kMaxTagBytes);
  if (rest.starts_with('!') || rest.starts_with('?')) return true;
  std::size_t end = rest.starts_with('/') ? 1 : 0;
  if (end >= rest.size() || !is_alpha(rest[end])) return false;
  while (end < rest.size() &&
         (is_alnum(rest[end]) || rest[end] == ':' || rest[end] == '-' || rest[end] == '_'))
    ++end;
  if (end >= rest.size()) return false;
  if (rest[0] == '/' && rest[end] == '>' &&
      is_redirected_folder(rest.substr(1, end - 1), rest.substr(end + 1)))
    return false;
  if (rest[end] == '>' || rest.substr(end).starts_with("/>")) return true;
  if (!is_space(rest[end])) return false;
  // With an attribute
  std::size_t name = skip_space(rest, end);
  while (name < rest.size() && (is_alnum(rest[name]) || rest[name] == ':' || rest[name] == '-')) ++name;
  if (name < rest.size() && rest[name] == '=') return true;
  const std::size_t close = rest.find_first_of("<>;|&\n", end);
  return close != rest.npos && rest[close] == '>' && close > end + 1;
}

}  // namespace

bool Lexer::push(State state) noexcept {
  if (depth_ == kMaxDepth) return false;
  states_[depth_++] = state;
  cases_[depth_] = Case::kNone;
  return true;
}

void Lexer::skip_blanks() noexcept {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') {
      at_ += 2;
    } else {
      return;
    }
  }
}

Token Lexer::sign(TokenKind kind, Sign sign, std::size_t size) noexcept {
  Token token;
  token.kind = kind;
  token.sign = sign;
  token.begin = at_;
  at_ = std::min(at_ + size, text_.size());
  token.end = at_;
  return token;
}

Token Lexer::open(Sign opener, std::size_t size) noexcept {
  Token token = sign(TokenKind::kOpen, opener, size);
  token.frames = push(opener == Sign::kBacktick ? State::kBacktick : State::kParenthesis) ? 1 : 0;
  return token;
}

Token Lexer::close_parenthesis() noexcept {
  Token token = sign(TokenKind::kClose, Sign::kGroup, 1);
  if (state() == State::kParenthesis && cases_[depth_] < Case::kIn) {
    --depth_;
    token.frames = 1;
  }
  return token;
}

void Lexer::follow_case(const Token& token) noexcept {
  Case& now = cases_[depth_];
  if (now >= Case::kIn) {
    if (token.kind == TokenKind::kSeparator) {
      const bool choice = token.sign == Sign::kPipe || token.sign == Sign::kOr;
      if (token.sign == Sign::kCaseEnd)
        now = Case::kIn;
      else if (now != Case::kIn && !(now == Case::kPattern && choice))
        now = Case::kBegin;
    } else if (token.kind == TokenKind::kClose) {
      if (token.frames == 0 || now <= Case::kPattern) now = Case::kBegin;
    } else if (now == Case::kIn || now == Case::kBegin) {
      const bool ends = token.kind == TokenKind::kWord && !token.quoted && token.value == "esac";
      now = ends ? Case::kNone : now == Case::kIn ? Case::kPattern : Case::kCommand;
    }
    return;
  }
  if (token.kind != TokenKind::kWord || token.quoted) {
    if (now == Case::kCase) now = token.kind == TokenKind::kWord ? Case::kWord : Case::kNone;
    return;
  }
  const bool begins = last_ == TokenKind::kSeparator || last_ == TokenKind::kOpen;
  if (now == Case::kNone && begins && token.value == "case") {
    now = Case::kCase;
  } else if (now == Case::kCase) {
    now = Case::kWord;
  } else if (now == Case::kWord) {
    now = token.value == "in" ? Case::kIn : Case::kNone;
  }
}

// The second of two closes, with all that is open between them.
Token Lexer::backtick() noexcept {
  std::size_t opened = depth_;
  while (opened > 0 && states_[opened - 1] != State::kBacktick) --opened;
  if (opened == 0) return open(Sign::kBacktick, 1);
  Token token = sign(TokenKind::kClose, Sign::kBacktick, 1);
  for (; depth_ >= opened; --depth_) {
    const State state = states_[depth_ - 1];
    if (state == State::kBacktick || state == State::kParenthesis) ++token.frames;
  }
  return token;
}

Token Lexer::redirection() noexcept {
  const auto at = [this](std::size_t i) { return at_ + i < text_.size() ? text_[at_ + i] : '\0'; };
  std::size_t size = at(0) == '&' ? 1 : 0;  // &>
  if (at(size) == '>') {
    ++size;
    if (at(size) == '>' || at(size) == '|' || at(size) == '&') ++size;
    return sign(TokenKind::kRedirect, Sign::kTo, size);
  }
  if (at(1) == '<') {
    if (at(2) == '<') return sign(TokenKind::kRedirect, Sign::kHereString, 3);
    return sign(TokenKind::kRedirect, Sign::kHereDocument, at(2) == '-' ? 3 : 2);
  }
  return sign(TokenKind::kRedirect, Sign::kFrom, at(1) == '>' || at(1) == '&' ? 2 : 1);
}

Token Lexer::next() {
  count_steps(28);
  const std::size_t before = at_;
  if (!in_word()) skip_blanks();
  const bool joined = at_ == before;
  Token token;
  token.begin = token.end = at_;
  if (at_ < text_.size()) {
    const char c = text_[at_];
    const char behind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    const bool ended_word = joined && (last_ == TokenKind::kWord || last_ == TokenKind::kClose);
    if (c == '`') {
      token = backtick();
    } else if (c == '$' && behind == '(') {
      token = open(Sign::kSubstitution, 2);
    } else if (in_word()) {
      token = word();
    } else if (is_line_end(c)) {
      std::size_t size = 1;
      while (at_ + size < text_.size() && is_line_end(text_[at_ + size])) ++size;
      token = sign(TokenKind::kSeparator, Sign::kNewline, size);
    } else if (c == ';') {
      const bool two = behind == ';' || behind == '&';
      token = sign(TokenKind::kSeparator, behind == ';' ? Sign::kCaseEnd : Sign::kSemicolon, two ? 2 : 1);
    } else if (c == '&' && behind != '>') {
      token =
          sign(TokenKind::kSeparator, behind == '&' ? Sign::kAnd : Sign::kAmpersand, behind == '&' ? 2 : 1);
    } else if (c == '|') {
      const bool two = behind == '|' || behind == '&';
      token = sign(TokenKind::kSeparator, behind == '|' ? Sign::kOr : Sign::kPipe, two ? 2 : 1);
    } else if (c == '(') {
      token = open(Sign::kGroup, 1);
    } else if (c == ')') {
      token = close_parenthesis();
    } else if ((c == '<' || c == '>') && behind == '(') {
      token = open(c == '<' ? Sign::kInput : Sign::kOutput, 2);
    } else if (c == '<' && is_tag(text_, at_)) {
      token = sign(TokenKind::kSeparator, Sign::kTag, 1);
    } else if (c == '<' || c == '>' || c == '&') {
      token = redirection();
    } else if (c == '#' && !ended_word) {
      token = sign(TokenKind::kSeparator, Sign::kComment, 1);
    } else {
      token = word();
    }
  }
  token.joined = joined;
  follow_case(token);
  last_ = token.kind;
  return token;
}

// A quote begins: it hides a word if it is not around all of it.
void Lexer::quote(Token& token) const noexcept {
  token.hidden = token.hidden || token.quoted || !value_.empty();
  token.quoted = true;
}

void Lexer::read_single_quote() {
  const std::size_t close = std::min(text_.find('\'', at_ + 1), text_.size());
  value_.append(text_.substr(at_ + 1, close - at_ - 1));
  at_ = std::min(close + 1, text_.size());
}

// At a backslash.
void Lexer::read_escape(Token& token) {
  const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  at_ = std::min(at_ + 2, text_.size());
  if (next == '\n') {
    token.hidden = true;
  } else if (state() == State::kDouble && std::string_view("\"\\$`").find(next) == std::string_view::npos) {
    value_.append('\\');
    if (next != '\0') value_.append(next);
  } else if (next != '\0') {
    token.hidden = token.hidden || (!value_.empty() && is_alnum(next));
    value_.append(next);
  }
}

// At a dollar sign that opens no substitution. False: the word ends there, at white space.
bool Lexer::read_dollar(Token& token) {
  const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (state() != State::kDouble && (next == '\'' || next == '"')) {
    ++at_;
    if (next == '"') return true;
    const std::size_t begin = at_;
    at_ = read_ansi_quote(text_, at_, value_);
    token.quoted = true;
    token.hidden = token.hidden || text_.substr(begin, at_ - begin).find('\\') != std::string_view::npos;
    return true;
  }
  const Expansion found = read_parameter(text_, at_, variables_, value_);
  switch (found.kind) {
    case ExpansionKind::kNone:
      value_.append('$');
      ++at_;
      return true;
    case ExpansionKind::kSplit:
      at_ = found.end;
      token.split = true;
      if (state() != State::kDouble) return value_.empty();
      value_.append(' ');
      return true;
    case ExpansionKind::kAlternative:
      if (!push(State::kParameter)) value_.append('$');
      break;
    case ExpansionKind::kValue:
      token.variable = token.variable || found.known;
      token.unknown = token.unknown || !found.known;
      token.cuts = token.cuts || found.cuts;
      break;
  }
  token.hidden = true;
  at_ = found.end;
  return true;
}

// One run or quote. False where the word ends, or a substitution in it begins.
bool Lexer::read_piece(Token& token) {
  const char c = text_[at_];
  const State where = state();
  if (c == '`' || (c == '$' && at_ + 1 < text_.size() && text_[at_ + 1] == '(')) {
    token.open = true;
    return false;
  }
  if (c == '"') {
    ++at_;
    if (where == State::kDouble) {
      --depth_;
    } else {
      quote(token);
      if (!push(State::kDouble)) value_.append(c);
    }
  } else if (c == '\\') {
    read_escape(token);
  } else if (c == '$') {
    return read_dollar(token);
  } else if (where == State::kParameter && c == '}') {
    --depth_;
    ++at_;
  } else if (c == '\'' && where != State::kDouble) {
    quote(token);
    read_single_quote();
  } else {
    const ByteFinder& ends = where == State::kDouble      ? kInDouble
                             : where == State::kParameter ? kInParameter
                                                          : kEndsRun;
    const std::size_t end = ends.find(text_, at_);
    if (end == at_) {
      token.open = (c == '<' || c == '>') && at_ + 1 < text_.size() && text_[at_ + 1] == '(';
      return false;
    }
    token.hidden = token.hidden || (token.quoted && where != State::kDouble);
    value_.append(text_.substr(at_, end - at_));
    at_ = end;
  }
  return true;
}

Token Lexer::word() {
  Token token;
  token.kind = TokenKind::kWord;
  token.begin = at_;
  if (!in_word()) {
    const std::size_t end = kEndsRun.find(text_, at_);
    const char stop = end < text_.size() ? text_[end] : ' ';
    if (!kJoins.has(stop)) {
      token.value = text_.substr(at_, end - at_);
      at_ = token.end = end;
      return token;
    }
  }
  value_.clear();
  while (at_ < text_.size() && read_piece(token)) {
    count_steps(10);
  }
  token.end = at_;
  // The number of a file descriptor before a redirection.
  if (at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>') && !token.quoted && !token.open &&
      !value_.empty() && value_.view().find_first_not_of("0123456789") == std::string_view::npos) {
    const std::size_t begin = token.begin;
    token = redirection();
    token.begin = begin;
    return token;
  }
  const std::string_view made = value_.view();
  if (made == text_.substr(token.begin, token.end - token.begin)) {
    token.value = text_.substr(token.begin, token.end - token.begin);
  } else if (!made.empty()) {
    char* copy = static_cast<char*>(memory_->allocate(made.size(), 1));
    std::memcpy(copy, made.data(), made.size());
    token.value = {copy, made.size()};
  }
  return token;
}

void Lexer::skip_command() noexcept {
  if (cases_[depth_] == Case::kIn) return;  // a pattern or "esac" stands there, no command
  last_ = TokenKind::kWord;
  while (at_ < text_.size()) {
    const State where = state();
    const bool plain = where != State::kDouble && where != State::kParameter;
    at_ = (where == State::kDouble      ? kInDouble
           : where == State::kParameter ? kInParameter
                                        : kSeparates)
              .find(text_, at_);
    if (at_ >= text_.size()) return;
    const char c = text_[at_];
    const char behind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '`' || (c == '$' && behind == '(')) return;
    if (c == '\\' || (c == '$' && behind == '{')) {
      at_ = std::min(at_ + 2, text_.size());
    } else if (c == '"') {
      ++at_;
      if (where == State::kDouble) {
        --depth_;
      } else {
        push(State::kDouble);
      }
    } else if (c == '\'') {
      at_ = std::min(text_.find('\'', at_ + 1), text_.size() - 1) + 1;
    } else if (c == '}') {
      --depth_;
      ++at_;
    } else if (c == '$' || ((c == '<' || c == '>') && behind != '(')) {
      ++at_;
    } else if (plain) {
      return;
    }
  }
}

}  // namespace wafd::detect::shell
