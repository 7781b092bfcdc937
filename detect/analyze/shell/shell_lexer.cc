#include "detect/analyze/shell/shell_lexer.h"

#include <algorithm>
#include <utility>

#include "detect/analyze/shell/shell_commands.h"
#include "detect/core/octets.h"
#include "detect/decode/js_escape.h"

namespace wafd::detect {
namespace {

bool name_char(char c) noexcept { return is_alnum(c) || c == '_'; }

class Reader {
 public:
  Reader(std::string_view text, std::size_t begin, ShellCommand& command)
      : text_(text.substr(0, std::min(text.size(), begin + kMaxCommandBytes))),
        at_(begin),
        in_backticks_(command.before == ShellOperator::kBacktick),
        word_(command.memory()),
        command_(command) {
    command_.words.clear();
    command_.targets.clear();
    command_.ifs = command_.here_string = command_.comment_after = command_.colour_after = false;
    command_.begin = static_cast<std::uint32_t>(begin);
    const std::uint32_t from = command_.operator_begin;
    command_.space_before = from > 0 && is_space(text[from - 1]);
    command_.space_after = begin < text.size() && is_space(text[begin]);
  }

  void run() {
    while (at_ < text_.size() && !done_) step();
    if (done_) return;
    end_word();
    end_command(ShellOperator::kStart, text_.size());
  }

 private:
  static constexpr std::size_t kMaxWordBytes = 512;  // of a word's text; no name or telling path is longer

  char peek(std::size_t ahead) const noexcept {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool in_letters() const noexcept { return in_word_ && !word_.text.empty() && is_alnum(word_.text.back()); }

  void begin_word() {
    if (in_word_) return;
    in_word_ = true;
    word_ = ShellWord(command_.memory());
    word_.begin = static_cast<std::uint32_t>(at_);
  }

  void end_word() {
    if (!in_word_) return;
    in_word_ = false;
    spliced_next_ = false;
    word_.end = static_cast<std::uint32_t>(at_);
    if (target_) {
      target_ = false;
      // "cat</b>" is a tag.
      word_.input = input_ && (at_ >= text_.size() || text_[at_] != '>');
      if (command_.targets.size() < kMaxShellWords) command_.targets.push_back(std::move(word_));
    } else if (command_.words.size() < kMaxShellWords) {
      command_.words.push_back(std::move(word_));
    }
  }

  // "head</h2><ul>": the text of an element ends, and what follows is its page.
  bool end_tag() const noexcept {
    if (!in_word_ || peek(1) != '/' || !is_alpha(peek(2))) return false;
    std::size_t end = at_ + 2;
    while (end < text_.size() && end - at_ < 16 && is_alnum(text_[end])) ++end;
    return end < text_.size() && text_[end] == '>';
  }

  void end_command(ShellOperator op, std::size_t op_begin) {
    command_.after = op;
    command_.end = static_cast<std::uint32_t>(op_begin);
    done_ = true;
  }

  // An operator before any word is part of the one before: x; ;y.
  void op(ShellOperator kind) {
    end_word();
    end_command(kind, at_);
  }

  void take(char c) {
    begin_word();
    if (spliced_next_) {
      if (is_alnum(c)) word_.spliced = true;
      spliced_next_ = false;
    }
    word_.text.push_back(c);
    ++at_;
  }

  // What was left out stands between two letters: a disguise.
  void skip_inside(std::size_t size) {
    if (in_letters()) spliced_next_ = true;
    at_ += size;
  }

  void step() {
    const char c = text_[at_];
    switch (c) {
      case '\n':
      case '\r':
        return op(ShellOperator::kNewline);
      case ';':
        if (ends_reference(text_, at_)) return take(c);
        return op(ShellOperator::kSemicolon);
      case '|':
        return op(peek(1) == '|' ? ShellOperator::kOr : ShellOperator::kPipe);
      case '&':
        if (peek(1) == '&') return op(ShellOperator::kAnd);
        if (peek(1) == '>') return redirect(2);
        if (peek(1) == '#' || begins_reference(text_, at_)) return take(c);
        return op(ShellOperator::kAmpersand);
      case '`':
        if (peek(1) == '`') return skip_inside(2);
        return op(in_backticks_ ? ShellOperator::kClose : ShellOperator::kBacktick);
      case '(':
        return op(ShellOperator::kParen);
      case ')':
        return op(ShellOperator::kClose);
      case '<':
        if (end_tag()) return op(ShellOperator::kNewline);
        [[fallthrough]];
      case '>':
        if (peek(1) == '(' && peek(2) == ')') return skip_inside(3);
        if (peek(1) == '(') return op(ShellOperator::kProcess);
        return redirect(1);
      case '\'':
      case '"':
        return quote(c);
      case '\\':
        return escape();
      case '$':
        return dollar();
      case '%':
        return percent();
      case '^':
        if (in_letters() && is_alnum(peek(1))) return skip_inside(1);
        // cmd.exe drops a caret at the beginning too: ^w^h^o
        if (!in_word_ && is_alnum(peek(1)) && peek(2) == '^') return skip_inside(1);
        return take(c);
      case '#':
        if (!in_word_) {
          // A comment to the end of the line.
          command_.comment_after = true;
          command_.colour_after = is_alnum(peek(1));
          const std::size_t line = text_.find_first_of("\r\n", at_);
          at_ = line == std::string_view::npos ? text_.size() : line;
          return;
        }
        return take(c);
      case '?':
      case '*':
      case '[':
        begin_word();
        word_.glob = true;
        return take(c);
      default:
        break;
    }
    if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
      end_word();
      ++at_;
      return;
    }
    take(c);
    // The rest of a plain run at once.
    std::size_t end = at_;
    while (end < text_.size() && plain(text_[end])) ++end;
    if (end > at_) {
      if (word_.text.size() < kMaxWordBytes)
        word_.text.append(text_.substr(at_, std::min(end - at_, kMaxWordBytes)));
      at_ = end;
    }
  }

  static bool plain(char c) noexcept {
    return is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == ',' ||
           octet(c) >= 0x80;
  }

  void redirect(std::size_t size) {
    // A digit before it is the descriptor: 2>
    if (in_word_ && word_.text.size() == 1 && is_digit(word_.text[0])) {
      in_word_ = false;
    } else {
      end_word();
    }
    if (text_.substr(at_, 3) == "<<<") command_.here_string = true;
    input_ = text_[at_] == '<' && peek(1) != '<' && peek(1) != '>';
    at_ += size;
    while (at_ < text_.size() &&
           (text_[at_] == '>' || text_[at_] == '<' || text_[at_] == '&' || text_[at_] == '|'))
      ++at_;
    target_ = true;
  }

  void quote(char q) {
    const std::size_t close = at_ < no_close_[q == '"'] ? text_.find(q, at_ + 1) : std::string_view::npos;
    if (close == std::string_view::npos) {
      no_close_[q == '"'] = at_;
      // An apostrophe: I'd, it's
      if (q == '\'' && in_letters() && is_alpha(peek(1))) return take(q);
      return skip_inside(1);
    }
    if (close == at_ + 1) return skip_inside(2);
    const std::string_view inner = text_.substr(at_ + 1, close - at_ - 1);
    // In double quotes substitutions still run: read on inside of them.
    if (q == '"' &&
        (inner.find("$(") != std::string_view::npos || inner.find('`') != std::string_view::npos)) {
      return skip_inside(1);
    }
    const bool joins = in_letters() || (close + 1 < text_.size() && is_alnum(text_[close + 1]));
    begin_word();
    word_.quoted = true;
    if (joins && is_alnum(inner.front())) word_.spliced = true;
    word_.text.append(inner.substr(0, kMaxWordBytes));
    at_ = close + 1;
  }

  void escape() {
    const char next = peek(1);
    if (next == '\n') return skip_inside(2);
    if (at_ + 1 >= text_.size()) {
      ++at_;
      return;
    }
    // A backslash between letters may also be a Windows path: it is kept if the word has a drive or another
    // one.
    begin_word();
    const bool path = word_.text.find(':') != std::string::npos ||
                      word_.text.find('\\') != std::string::npos || word_.text.empty();
    if (is_alnum(next) && path && next != 'x') {
      if (word_.text.empty() && at_ + 2 < text_.size() && text_[at_ + 1] != '\\') {
        word_.spliced = true;  // \cat
        ++at_;
        return take(text_[at_]);
      }
      return take('\\');
    }
    word_.quoted = true;
    if (in_letters() && is_alnum(next)) word_.spliced = true;
    ++at_;
    take(text_[at_]);
  }

  void dollar() {
    const char next = peek(1);
    if (next == '(') {
      if (peek(2) == ')') return skip_inside(3);
      if (peek(2) == '(' && arithmetic()) return;
      return op(ShellOperator::kDollarParen);
    }
    if (next == '\'') {  // $'\x63at'
      const std::size_t close = text_.find('\'', at_ + 2);
      if (close != std::string_view::npos && close - at_ < 4096) {
        begin_word();
        word_.quoted = word_.spliced = true;
        const std::string_view inner = text_.substr(at_ + 2, close - at_ - 2);
        std::string value;
        std::uint32_t flags = 0;
        word_.text += js_escape_decode(inner, value, flags) ? std::string_view(value) : inner;
        at_ = close + 1;
        return;
      }
    }
    if (next == '0' && !in_word_) {  // the shell itself
      begin_word();
      word_.expands = true;
      word_.text = "$0";
      at_ += 2;
      return;
    }
    if (next == '@' || next == '*' || next == '!' || next == '$' || is_digit(next)) {
      if (in_letters()) return skip_inside(2);
      begin_word();
      word_.expands = true;
      at_ += 2;
      return;
    }
    std::size_t end = at_ + 1;
    const bool brace = next == '{';
    if (brace) ++end;
    const std::size_t name_begin = end;
    while (end < text_.size() && name_char(text_[end])) ++end;
    const std::string_view name = text_.substr(name_begin, end - name_begin);
    if (brace && name.empty() && !special_parameter(end)) return take('$');
    if (brace) {
      const std::size_t limit = std::min(text_.size(), end + 64);
      while (end < limit && text_[end] != '}') ++end;
      if (end >= limit) return take('$');
      const std::string_view inside = text_.substr(at_ + 2, end - at_ - 2);
      if (inside.find('`') != std::string_view::npos || inside.find("$(") != std::string_view::npos) {
        return skip_inside(2);  // ${`id`}: the substitution runs first
      }
      ++end;
    }
    if (name.empty() && !brace) return take('$');
    if (iequals(name, "IFS")) {
      end_word();
      command_.ifs = true;
      at_ = end;
      return;
    }
    begin_word();
    word_.expands = true;
    // Its value is not known; most that attackers use are unset and so empty.
    const bool between = in_letters() && end < text_.size() && is_alnum(text_[end]);
    if (!between) word_.text.append(text_.substr(at_, end - at_));
    if (between) spliced_next_ = true;
    at_ = end;
  }

  // $((7*7)): a number in place of a word.
  bool arithmetic() {
    constexpr std::size_t kMaxArithmetic = 64;
    const std::size_t close =
        text_.substr(0, std::min(text_.size(), at_ + kMaxArithmetic)).find("))", at_ + 3);
    if (close == std::string_view::npos) return false;
    begin_word();
    word_.expands = true;
    word_.text.append(text_.substr(at_, close + 2 - at_));
    at_ = close + 2;
    return true;
  }

  // ${@}, ${!x}, ${`id`}; `${:-x}` is an error of the shell and runs nothing.
  bool special_parameter(std::size_t at) const noexcept {
    return at < text_.size() && std::string_view("@*#?$!-`").find(text_[at]) != std::string_view::npos;
  }

  void percent() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && end - at_ < 40 && name_char(text_[end])) ++end;
    if (end > at_ + 1 && end < text_.size() && (text_[end] == '%' || text_[end] == ':')) {
      begin_word();
      word_.expands = true;
    }
    take('%');
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t no_close_[2] = {std::string_view::npos, std::string_view::npos};
  bool in_backticks_;
  bool in_word_ = false;
  bool target_ = false;
  bool input_ = false;  // the target is read from
  bool spliced_next_ = false;
  bool done_ = false;
  ShellWord word_;
  ShellCommand& command_;
};

}  // namespace

void read_command(std::string_view text, std::size_t begin, ShellCommand& out) {
  Reader(text, begin, out).run();
}

bool ends_reference(std::string_view text, std::size_t semicolon) noexcept {
  std::size_t at = semicolon;
  while (at > 0 && semicolon - at < 10 && (is_alnum(text[at - 1]) || text[at - 1] == '#')) --at;
  return at > 0 && at < semicolon && text[at - 1] == '&' &&
         command_kind(text.substr(at, semicolon - at)) == CommandKind::kUnknown;
}

bool begins_reference(std::string_view text, std::size_t ampersand) noexcept {
  std::size_t at = ampersand + 1;
  while (at < text.size() && at - ampersand < 9 && is_alnum(text[at])) ++at;
  return at > ampersand + 1 && at < text.size() && text[at] == ';' &&
         command_kind(text.substr(ampersand + 1, at - ampersand - 1)) == CommandKind::kUnknown;
}

const char* to_words(ShellOperator op) noexcept {
  switch (op) {
    case ShellOperator::kStart:
      return "nothing";
    case ShellOperator::kSemicolon:
      return "a semicolon";
    case ShellOperator::kPipe:
      return "a pipe";
    case ShellOperator::kAnd:
      return "&&";
    case ShellOperator::kOr:
      return "||";
    case ShellOperator::kAmpersand:
      return "an ampersand";
    case ShellOperator::kNewline:
      return "a line end";
    case ShellOperator::kDollarParen:
      return "$(";
    case ShellOperator::kBacktick:
      return "a backtick";
    case ShellOperator::kProcess:
      return "a process substitution";
    case ShellOperator::kParen:
      return "an opening bracket";
    case ShellOperator::kClose:
      return "a closing bracket";
  }
  return "";
}

}  // namespace wafd::detect
