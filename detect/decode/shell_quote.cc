#include "detect/decode/shell_quote.h"

#include <algorithm>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/decode/base/lazy_copy.h"

namespace wafd::detect {
namespace {

bool is_word(char c) noexcept {
  return is_alnum(c) || c == '_' || c == '/' || c == '.' || c == '-' || c == '*' || c == '?';
}
bool is_quote(char c) noexcept { return c == '\'' || c == '"'; }

// The value of a parameter expansion, and its length. Length 0: none that is known.
struct Expansion {
  std::size_t length = 0;
  std::string_view text;
};

// ${…}: IFS in any form is a space; ${x:-word} is the word; one character of a path variable is a slash; else
// nothing.
Expansion braced_expansion(std::string_view in, std::size_t at) noexcept {
  const std::size_t close = in.substr(at, 66).find('}');
  if (close == std::string_view::npos) return {};
  const std::string_view inner = in.substr(at + 2, close - 2);
  std::size_t name = 0;
  while (name < inner.size() &&
         (is_name_byte(inner[name]) || inner[name] == '@' || inner[name] == '!' || inner[name] == '#'))
    ++name;
  if (name == 0) return {};
  const std::string_view variable = inner.substr(0, name);
  const std::string_view rest = inner.substr(name);
  if (variable == "IFS") return {close + 1, " "};
  if (rest == ":0:1" &&
      (variable == "PATH" || variable == "HOME" || variable == "PWD" || variable == "SHELL")) {
    return {close + 1, "/"};
  }
  if (rest.size() >= 2 && rest[0] == ':' && (rest[1] == '-' || rest[1] == '=' || rest[1] == '+'))
    return {close + 1, rest.substr(2)};
  if (rest.size() >= 2 && (rest[0] == '-' || rest[0] == '=')) return {close + 1, rest.substr(1)};
  if (rest.empty() || rest[0] == '%' || rest[0] == '#' || rest[0] == '/' || rest[0] == ':')
    return {close + 1, ""};
  return {};
}

Expansion expansion_at(std::string_view in, std::size_t at) noexcept {
  if (at + 1 >= in.size()) return {};
  const char next = in[at + 1];
  if (next == '{') return braced_expansion(in, at);
  if (next == '(' && in.substr(at + 2, 1) == ")") return {3, ""};
  if (next == '@' || next == '*' || is_digit(next)) return {2, ""};
  if (is_quote(next)) return {1, ""};
  if (in.substr(at + 1, 3) == "IFS" && !(at + 4 < in.size() && is_name_byte(in[at + 4]))) return {4, " "};
  return {};
}

// {a,b,c} that begins a word: "a b c". `end` is behind the brace. Only characters that need no quoting.
std::size_t brace_list_end(std::string_view in, std::size_t at) noexcept {
  std::size_t commas = 0;
  for (std::size_t i = at + 1; i < in.size() && i < at + 256; ++i) {
    const char c = in[i];
    if (c == '}') return commas > 0 ? i + 1 : 0;
    if (c == ',')
      ++commas;
    else if (is_space(c) || c == '{' || c == ':' || c == ';' || c == '(')
      return 0;
  }
  return 0;
}

// The byte behind a quote and what else is dropped there; 0 at the end.
char behind_quotes(std::string_view in, std::size_t at) noexcept {
  while (at < in.size() && (is_quote(in[at]) || in[at] == '\\')) ++at;
  return at < in.size() ? in[at] : '\0';
}

bool begins_word(char c) noexcept {
  return c == '\0' || is_space(c) || c == ';' || c == '|' || c == '&' || c == '`' || c == '(' || c == '=';
}

constexpr ByteFinder kSpecial("'\"\\^${`");

// One walk over a text. Quotes around whole words say nothing that the word itself does not; only where one
// joins two parts of a word is the text another.
class QuoteRemover {
 public:
  QuoteRemover(std::string_view in, std::string& out) : in_(in), copy_(in, out) {}

  bool run() {
    for (std::size_t i = 0; i < in_.size();) {
      if (i >= list_end_ && !kSpecial.has(in_[i])) {
        i = kSpecial.find(in_, i + 1);
        continue;
      }
      const std::size_t taken = sequence(i);
      if (taken == 0 && drops(i)) copy_.replace(i, i + 1);
      i += std::max<std::size_t>(taken, 1);
    }
    return joins_ && copy_.finish();
  }

 private:
  char at(std::size_t i) const noexcept { return i < in_.size() ? in_[i] : '\0'; }

  // Length of the sequence at i that is read as a unit (continued line, empty backticks, expansion); 0: none.
  std::size_t sequence(std::size_t i) {
    const char c = in_[i];
    if (c == '`' && in_.substr(i, 3) == "```") return 3;  // a fence of Markdown
    if ((c == '\\' && at(i + 1) == '\n') || (c == '`' && at(i + 1) == '`')) {
      copy_.replace(i, i + 2);
      joins_ = true;
      return 2;
    }
    if (c != '$') return 0;
    const Expansion found = expansion_at(in_, i);
    if (found.length == 0) return 0;
    copy_.replace(i, i + found.length).append(found.text);
    joins_ = true;
    return found.length;
  }

  // Whether the byte is left out.
  bool drops(std::size_t i) {
    const char c = in_[i];
    const char before = i > 0 ? in_[i - 1] : '\0';
    const char after = at(i + 1);
    bool drop = false;
    if (is_quote(c)) {
      drop = is_word(before) || is_quote(before) || is_word(after) || is_quote(after) || after == '$';
      joins_ = joins_ || (drop && is_word(copy_.before(i)) && is_word(behind_quotes(in_, i)));
      return drop;
    }
    if (c == '\\') {
      drop = is_word(after);
    } else if (c == '^') {
      drop = is_alnum(after) && (is_alnum(before) || before == '^' || is_space(before) || before == '\0');
    } else if (c == '`') {
      drop = is_alnum(before) && is_alnum(after);
    } else if (c == '{' && i >= list_end_ && begins_word(copy_.before(i))) {
      const std::size_t end = brace_list_end(in_, i);
      drop = end != 0;
      if (drop) list_end_ = end;
    } else if (i < list_end_ && (c == ',' || i + 1 == list_end_)) {
      std::string& to = copy_.replace(i, i + 1);
      if (c == ',') to.push_back(' ');
    }
    joins_ = joins_ || drop;
    return drop;
  }

  std::string_view in_;
  LazyCopy copy_;
  bool joins_ = false;
  std::size_t list_end_ = 0;  // commas before it separate words
};

}  // namespace

bool maybe_shell_quote(std::string_view in) noexcept { return kSpecial.find(in, 0) != in.size(); }

bool shell_quote_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  return QuoteRemover(in, out).run();
}

}  // namespace wafd::detect
