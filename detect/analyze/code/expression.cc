#include "detect/analyze/code/expression.h"

#include <algorithm>
#include <array>

#include "detect/analyze/code/words.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::code {
namespace {

constexpr std::size_t kMaxDepth = 64;

// __init__, __getitem__: names that the language gives to methods (language reference 3.3).
bool is_internal_name(std::string_view name) noexcept {
  return name.size() > 5 && name.starts_with("__") && name.ends_with("__") && name != "__name__" &&
         name != "__version__" && name != "__main__";
}

// _Printer__setup: a private name as the language stores it (language reference 6.2.1, private name
// mangling).
bool is_mangled_name(std::string_view name) noexcept {
  const std::size_t joint = name.find("__", 2);
  return name.size() > 5 && name[0] == '_' && is_upper(name[1]) && joint != name.npos &&
         joint + 2 < name.size() && !name.ends_with("__");
}

// A statement of SQL by its first word and what must follow it, or a query of constants.
bool is_query(std::string_view text) noexcept {
  text = trim(text);
  std::size_t end = 0;
  while (end < text.size() && is_alpha(text[end])) ++end;
  const std::string_view verb = text.substr(0, end);
  const std::string_view rest = text.substr(end);
  if (rest.empty()) return false;
  const std::string_view first = trim(rest).substr(0, 1);
  if (iequals(verb, "select") && !first.empty() &&
      (is_digit(first[0]) || std::string_view("*('\"@").find(first[0]) != std::string_view::npos))
    return true;
  return std::any_of(std::begin(kQueryHeads), std::end(kQueryHeads), [&](const QueryHead& head) {
    return iequals(verb, head.verb) && ifind(rest, head.clause) != std::string_view::npos;
  });
}

class Walk {
 public:
  explicit Walk(std::string_view text, bool in_statement = false) noexcept
      : text_(text), in_statement_(in_statement) {}

  PythonUse run() noexcept {
    while (sound_ && at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && depth_ == 0) sound_ = false;  // the statement ends
      if (is_space(c))
        ++at_;
      else if (is_name_byte(c) || byte(c) >= 0x80)
        name();
      else if (c == '\'' || c == '"')
        string();
      else
        sign(c);
    }
    // open('x') by itself says nothing.
    out_.function = out_.function || (opens_first_ && (in_statement_ || ends_ > 1 || text_.back() != ')'));
    out_.readable = sound_ && depth_ == 0 && operand_;
    out_.sound = out_.readable && acts_;
    return out_;
  }

 private:
  char next_sign(std::size_t at) const noexcept {
    while (at < text_.size() && is_space(text_[at])) ++at;
    return at < text_.size() ? text_[at] : '\0';
  }
  void operand() noexcept {
    if (operand_) sound_ = false;
    operand_ = true;
    string_ = false;
  }
  void operation() noexcept { operand_ = string_ = false; }

  void name() noexcept {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_name_byte(text_[at_]) || byte(text_[at_]) >= 0x80)) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const char next = next_sign(at_);
    // The prefix of a string: rb'…', f"…"
    if (name.size() <= 2 && at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"') &&
        name.find_first_not_of("rbfuRBFU") == name.npos) {
      formatted_ = name.find_first_of("fF") != name.npos;
      return;
    }
    static constexpr WordSet kOperators({"and", "or", "in", "is", "if", "else", "for", "async", "from"});
    static constexpr WordSet kPrefixes({"not", "lambda", "await", "yield", "del"});
    if (!member_ && kOperators.has(name)) {
      // is not, not in
      if (!operand_ && name != "in") sound_ = false;
      return operation();
    }
    if (!member_ && kPrefixes.has(name)) {
      lambda_ = lambda_ || name == "lambda";
      acts_ = acts_ || name == "lambda";
      if (operand_ && name != "not") sound_ = false;
      return operation();
    }
    const bool member = member_;
    member_ = false;
    operand();
    if (is_digit(name[0])) return;
    use(name, member, next, begin);
  }

  void use(std::string_view name, bool member, char next, std::size_t begin) noexcept {
    const WordRow* row = kWords.find(name);
    // threading._os
    if (row == nullptr && member && name[0] == '_') row = kWords.find(name.substr(1));
    const Use use =
        row != nullptr && !std::any_of(name.begin(), name.end(), [](char c) { return is_upper(c); })
            ? row->use
            : Use::kNone;
    const bool called = next == '(';
    // x.__class__.__name__ is how programs show what x is.
    const bool shown = name == "__class__" && text_.substr(at_, 9) == ".__name__" && text_.size() <= at_ + 9;
    if (shown) return;
    if (is_internal_name(name) && (member || called || next == '.' || next == '[')) out_.internal = true;
    if (member && (meets(use, Use::kInternal) || is_mangled_name(name))) out_.internal = acts_ = true;
    if (member) {
      if (system_ && name == "path") system_ = false;  // os.path.join(a, b) works on text alone
      out_.names = out_.names || system_;
      system_ = system_ || meets(use, Use::kSystem);
      if (system_ && (called || next == '[' || next == ')' || next == ']' || next == ',')) out_.module = true;
      // os.path.join(…): of a member, too
      system_ = system_ && next == '.';
      return;
    }
    system_ = meets(use, Use::kSystem) && next == '.';
    if (is_internal_name(name) && meets(use, Use::kInternal | Use::kLoader)) out_.names = true;
    // [os], (lambda o:…)(os). f(os), eq(status,open): arguments that are words, as filters have them
    const bool handed_on = depth_ > 0 && !named_[depth_ - 1] && next != '.' && next != '(' && next != '=';
    if (meets(use, Use::kSystem) && handed_on && next != ':') out_.module = true;
    if (meets(use, Use::kFunction)) {
      const bool word = name == "open" || name == "compile";
      if (called ? has_argument()
                 : next != '=' && next != ':' && (!word || handed_on || maps_ || next == '.'))
        (name == "open" && called && begin == 0 ? opens_first_ : out_.function) = true;
    }
    maps_ = maps_ || (called && (name == "map" || name == "filter"));
    if (meets(use, Use::kScope) && called) out_.scope = true;
  }
  bool has_argument() const noexcept {
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos) return false;
    // exec(3): a page of a manual
    const std::size_t argument = text_.find_first_not_of(" \t\r\n", open + 1);
    const std::size_t behind = text_.find_first_not_of("0123456789", std::min(argument, text_.size()));
    return argument != text_.npos && text_[argument] != ')' &&
           (behind == argument || behind == text_.npos || text_[behind] != ')');
  }

  void string() noexcept {
    const char quote = text_[at_];
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) {
      sound_ = false;
      return;
    }
    const std::string_view content = text_.substr(begin, at_++ - begin);
    // 'a' 'b': strings beside each other are one.
    if (!string_) operand();
    string_ = operand_ = true;
    member_ = false;
    if (depth_ > 0 && calls_[depth_ - 1] && is_query(content)) out_.query = true;
    // type('X', (), {'__getattr__': …}): a method that the language calls by itself
    if (depth_ > 0 && calls_[depth_ - 1] && is_internal_name(content)) out_.internal = true;
    read_replaced(content);
    formatted_ = false;
  }
  // f'{open("x")}', '{0.__class__}'.format(…)
  void read_replaced(std::string_view content) noexcept {
    const std::size_t open = content.find('{');
    const std::size_t close = content.rfind('}');
    if (open == content.npos || close == content.npos || close < open) return;
    std::string_view field = content.substr(open + 1, close - open - 1);
    if (field.find(".__") != field.npos || field.find("[__") != field.npos) out_.internal = acts_ = true;
    if (!formatted_ || nested_) return;
    Walk inside(field);
    inside.nested_ = true;
    const PythonUse found = inside.run();
    if (!inside.sound_) return;
    out_.internal = out_.internal || found.internal;
    out_.function = out_.function || found.function;
    out_.scope = out_.scope || found.scope;
    out_.module = out_.module || found.module;
    acts_ = acts_ || found.any();
  }

  void open_bracket(char c, char last) noexcept {
    if (depth_ == kMaxDepth || (operand_ && c == '{')) {
      sound_ = false;
      return;
    }
    const bool inside = depth_ > 0 && calls_[depth_ - 1];
    named_[depth_] = operand_ && c == '(' && at_ > 1 && is_name_byte(last);
    calls_[depth_++] = inside || (operand_ && c == '(');
    // process (spawn, exec): a word and what explains it
    if (operand_ && c == '(' && is_space(last)) sound_ = false;
    acts_ = acts_ || operand_ || c != '(';
    operation();
  }

  void close_bracket() noexcept {
    if (depth_ == 0)
      sound_ = false;
    else
      ends_ += --depth_ == 0 ? 1 : 0;
    operand_ = true;
    string_ = system_ = member_ = false;
  }

  // 1. and .5
  void full_stop(char last) noexcept {
    const bool format = last == '{' && depth_ == 1;  // {.__class__}: a field of str.format()
    if (!operand_ && !format && !(at_ < text_.size() && is_digit(text_[at_]))) sound_ = false;
    member_ = operand_ || format;
    operation();
  }

  void sign(char c) noexcept {
    ++at_;
    const char last = at_ > 1 ? text_[at_ - 2] : '\0';
    if (c == '(' || c == '[' || c == '{') return open_bracket(c, last);
    if (c == ')' || c == ']' || c == '}') return close_bracket();
    if (c == '.') return full_stop(last);
    system_ = false;
    switch (c) {
      case ',':
        if (!operand_) sound_ = false;
        if (depth_ == 0 && at_ == text_.size()) return;
        return operation();
      case '=':
        if (depth_ == 0 && at_ < text_.size() && text_[at_] != '=') sound_ = false;
        return operation();
      case ':':
        if (depth_ == 0 && !lambda_) sound_ = false;
        return operation();
      case '+':
      case '-':
      case '~':
        return operation();
      case '*':
        // f(*a, **b), [*a]
        if (!operand_ && std::string_view("([{,*: ").find(last) == std::string_view::npos) sound_ = false;
        acts_ = acts_ || !operand_;
        return operation();
      case '/':
      case '%':
      case '@':
      case '&':
      case '|':
      case '^':
      case '<':
      case '>':
      case '!':
        acts_ = acts_ || c == '%';
        if (!operand_ && (last != c || (c != '/' && c != '<' && c != '>'))) sound_ = false;
        return operation();
      default:
        sound_ = false;
    }
  }

  std::string_view text_;
  const bool in_statement_;  // it is what a statement uses
  std::size_t at_ = 0;
  PythonUse out_;
  std::array<bool, kMaxDepth> calls_{};  // which open brackets hold arguments
  std::array<bool, kMaxDepth> named_{};  // of a function by its name
  std::size_t depth_ = 0;
  bool sound_ = true;
  bool operand_ = false;      // what was read last is one
  bool string_ = false;       // and it is a string
  bool member_ = false;       // a dot was read
  bool system_ = false;       // the chain of members at hand began with a module
  bool lambda_ = false;       // a colon stands outside of brackets
  bool formatted_ = false;    // the next string is f'…'
  bool nested_ = false;       // this is what such a string holds
  bool maps_ = false;         // map(…) or filter(…), which call what they are given
  bool opens_first_ = false;  // begins with open(
  std::size_t ends_ = 0;      // of outermost brackets
  bool acts_ = false;         // calls, indexes, unpacks, formats: more than a name
};

// Simple statements and the heads of compound ones (language reference, chapters 7 and 8), one after the
// other.
class Program {
 public:
  explicit Program(std::string_view text) noexcept : text_(text) {}

  PythonUse run() noexcept {
    std::size_t begin = 0;
    while (begin < text_.size() && readable_) {
      const std::size_t end = piece_end(begin);
      statement(trim(text_.substr(begin, end - begin)), end < text_.size() ? text_[end] : ';');
      begin = end + 1;
    }
    out_.sound = readable_ && statements_ > 0;
    return out_;
  }

 private:
  // A semicolon, a line end or a colon outside of brackets and strings.
  std::size_t piece_end(std::size_t at) const noexcept {
    std::size_t depth = 0;
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '\'' || c == '"') {
        const char quote = c;
        for (++at; at < text_.size() && text_[at] != quote; ++at) at += text_[at] == '\\' ? 1 : 0;
        if (at >= text_.size()) break;
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth;
      } else if (c == ')' || c == ']' || c == '}') {
        depth -= depth > 0 ? 1 : 0;
      } else if (depth == 0 &&
                 (c == ';' || c == '\n' || (c == ':' && (at + 1 == text_.size() || text_[at + 1] != '=')))) {
        return at;
      }
    }
    return text_.size();
  }

  void statement(std::string_view piece, char behind) noexcept {
    if (piece.empty()) return;
    const bool head = behind == ':';
    std::size_t end = 0;
    while (end < piece.size() && is_name_byte(piece[end])) ++end;
    const std::string_view word = piece.substr(0, end);
    const std::string_view rest = trim(piece.substr(end));
    static constexpr WordSet kBare({"try", "else", "finally", "pass", "break", "continue"});
    static constexpr WordSet kHeads(
        {"if", "elif", "while", "with", "for", "except", "class", "def", "async"});
    static constexpr WordSet kLeads({"return", "assert", "raise", "del", "yield", "await"});
    if (kBare.has(word) && rest.empty()) {
      statements_ += head ? 1 : 0;
    } else if (head && kHeads.has(word)) {
      ++statements_;
      compound(word, rest);
    } else if (head) {
      readable_ = false;
    } else if (word == "import" || word == "from") {
      readable_ = !rest.empty() && rest.find_first_of("()'\"=:?!") == rest.npos;
    } else if (kLeads.has(word)) {
      ++statements_;
      if (!rest.empty()) expression(rest);
    } else {
      simple(piece);
    }
  }

  // with E as x, for x in E, except E as x; what a class or function is called
  void compound(std::string_view word, std::string_view rest) noexcept {
    if (word == "def" || word == "class" || word == "async") return;
    if (word == "with" || word == "except") {
      const std::size_t as = rest.rfind(" as ");
      return rest.empty() ? void() : expression(trim(rest.substr(0, as)));
    }
    if (word == "for") {
      const std::size_t in = rest.find(" in ");
      if (in == rest.npos) return void(readable_ = false);
      rest = trim(rest.substr(in + 4));
    }
    expression(rest);
  }

  // x=E, x.y+=E: what stands before the first "=" that is no comparison is a target.
  void simple(std::string_view piece) noexcept {
    const std::size_t equals = piece.find('=');
    const bool assigns = equals != piece.npos && equals > 0 && equals + 1 < piece.size() &&
                         piece[equals + 1] != '=' && piece.find_first_of("(\"'<>!:") > equals;
    if (!assigns) return expression(piece);
    const std::string_view target = trim(piece.substr(0, equals));
    if (!std::all_of(target.begin(), target.end(), [](char c) {
          return is_name_byte(c) || std::string_view(".[], +-*/%|&").find(c) != std::string_view::npos;
        }))
      readable_ = false;
    ++statements_;
    expression(trim(piece.substr(equals + 1)));
  }

  void expression(std::string_view text) noexcept {
    const PythonUse found = Walk(text, true).run();
    if (!found.readable) readable_ = false;
    out_.internal = out_.internal || found.internal;
    out_.function = out_.function || found.function;
    out_.scope = out_.scope || found.scope;
    out_.module = out_.module || found.module;
    out_.query = out_.query || found.query;
  }

  std::string_view text_;
  PythonUse out_;
  bool readable_ = true;
  std::size_t statements_ = 0;  // that are no expression
};

}  // namespace

PythonUse read_python_program(std::string_view text) noexcept {
  text = trim(text);
  if (text.empty() || text.size() > kMaxExpressionBytes) return {};
  return Program(text).run();
}

PythonUse read_python_expression(std::string_view text) noexcept {
  text = trim(text);
  if (text.empty() || text.size() > kMaxExpressionBytes) return {};
  return Walk(text).run();
}

}  // namespace wafd::detect::code
