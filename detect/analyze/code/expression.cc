#include "detect/analyze/code/expression.h"

#include <algorithm>
#include <array>

#include "detect/analyze/code/words.tsv.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect::code {
namespace {

constexpr std::size_t kMaxDepth = 64;

bool is_name_byte(char c) noexcept { return is_alnum(c) || c == '_'; }

// __init__, __getitem__: names that the language gives to methods (language reference 3.3).
bool is_internal_name(std::string_view name) noexcept {
  return name.size() > 5 && name.starts_with("__") && name.ends_with("__") && name != "__name__" &&
         name != "__version__" && name != "__main__";
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
  explicit Walk(std::string_view text) noexcept : text_(text) {}

  PythonUse run() noexcept {
    while (sound_ && at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && depth_ == 0) sound_ = false;  // the statement ends
      if (is_space(c))
        ++at_;
      else if (is_name_byte(c) || octet(c) >= 0x80)
        name();
      else if (c == '\'' || c == '"')
        string();
      else
        sign(c);
    }
    // open('x') by itself says nothing.
    out_.function = out_.function || (opens_first_ && (ends_ > 1 || text_.back() != ')'));
    out_.sound = sound_ && depth_ == 0 && operand_ && acts_;
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
    while (at_ < text_.size() && (is_name_byte(text_[at_]) || octet(text_[at_]) >= 0x80)) ++at_;
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
    if (is_internal_name(name) && (member || called || next == '.' || next == '[')) out_.internal = true;
    if (member && meets(use, Use::kInternal)) out_.internal = acts_ = true;
    if (member) {
      system_ = system_ || meets(use, Use::kSystem);
      if (system_ && (called || next == '[' || next == ')' || next == ']' || next == ',')) out_.module = true;
      // os.path.join(…): of a member, too
      system_ = system_ && next == '.';
      return;
    }
    system_ = meets(use, Use::kSystem) && next == '.';
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
    return open != text_.npos && next_sign(open + 1) != ')';
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

  void sign(char c) noexcept {
    ++at_;
    const char last = at_ > 1 ? text_[at_ - 2] : '\0';
    if (c == '(' || c == '[' || c == '{') {
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
      return;
    }
    if (c == ')' || c == ']' || c == '}') {
      if (depth_ == 0)
        sound_ = false;
      else
        ends_ += --depth_ == 0 ? 1 : 0;
      operand_ = true;
      string_ = system_ = member_ = false;
      return;
    }
    if (c == '.') {
      // 1. and .5
      if (!operand_ && !(at_ < text_.size() && is_digit(text_[at_]))) sound_ = false;
      member_ = operand_;
      operation();
      return;
    }
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

}  // namespace

PythonUse read_python_expression(std::string_view text) noexcept {
  text = trim(text);
  if (text.empty() || text.size() > kMaxExpressionBytes) return {};
  return Walk(text).run();
}

}  // namespace wafd::detect::code
