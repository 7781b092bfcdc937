#include "detect/analyze/xml/xpath_reader.h"

#include <algorithm>

#include "detect/analyze/xml/xpath_functions.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::xml {
namespace {

// XPath 1.0 section 2.2.
constexpr WordSet kAxes({"child", "parent", "self", "descendant", "descendant-or-self", "ancestor",
                         "ancestor-or-self", "following", "following-sibling", "preceding",
                         "preceding-sibling", "attribute", "namespace"});
constexpr WordSet kOperators({"or", "and", "mod", "div", "eq", "ne", "lt", "gt", "le", "ge", "is", "union",
                              "intersect", "except"});

bool is_xpath_name_byte(char c) noexcept { return is_alnum(c) || c == '-' || c == '_'; }

// Behind the bracket that closes the one at `open`, quotes passed over; the text's end if none does.
std::size_t behind_brackets(std::string_view text, std::size_t open) noexcept {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      i = std::min(text.find(c, i + 1), text.size());
      continue;
    }
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && --depth == 0) return i + 1;
  }
  return text.size();
}

// Tokens that may follow an operand: the end, an operator, a closing bracket. Two operands never stand side
// by side.
bool may_follow(std::string_view text, std::size_t at) noexcept {
  const std::size_t next = skip_space(text, at);
  if (next >= text.size() || std::string_view("=!<>|)],+-*\0").find(text[next]) != std::string_view::npos)
    return true;
  // count(/)or 1: no blank need stand behind a bracket.
  const bool parted = next > at || (at > 0 && (text[at - 1] == ')' || text[at - 1] == ']'));
  return parted && kOperators.has(xpath_name_at(text, next));
}

bool is_compared(std::string_view text, std::size_t at) noexcept {
  const std::size_t next = skip_space(text, at);
  return next < text.size() && std::string_view("=!<>").find(text[next]) != std::string_view::npos;
}

// f(…): the arguments are counted, and looked through for nodes.
OperandEnd read_call(std::string_view text, std::size_t at, const XpathFunction& function,
                     std::size_t open) noexcept {
  const std::size_t end = behind_brackets(text, open);
  const bool closed = end <= text.size() && text[end - 1] == ')';
  std::size_t commas = 0;
  std::size_t depth = 0;
  bool nodes = function.use == FunctionUse::kOwn || function.use == FunctionUse::kDocument;
  bool begins = false;  // an operand may begin here
  for (std::size_t i = open; i < end; ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      i = std::min(text.find(c, i + 1), end);
      begins = false;
      continue;
    }
    if (begins && !is_space(c)) {
      begins = false;
      const std::string_view name = xpath_name_at(text, i);
      const XpathFunction* inner = kXpathFunctions.find(name);
      const char behind = i + name.size() < end ? text[i + name.size()] : '\0';
      nodes = nodes || read_path(text.substr(0, end), i).kind == Operand::kNodes ||
              (inner != nullptr && behind == '(' && inner->use != FunctionUse::kCommon) || c == '@' ||
              text.substr(i, 2) == ".." ||
              (depth == 1 && function.use == FunctionUse::kNodes && (c == '/' || c == '.' || c == '*'));
    }
    if (c == '(' || c == '[') {
      ++depth;
      begins = true;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',') {
      commas += depth == 1 ? 1 : 0;
      begins = true;
    } else if (c == '=' || c == '<' || c == '>' || c == '|') {
      begins = true;
    }
  }
  const bool empty = closed && skip_space(text, open + 1) + 1 == end;
  const std::size_t arguments = empty ? 0 : commas + 1;
  if (arguments > function.most || (closed && arguments < function.fewest)) return {Operand::kNone, at};
  if (!may_follow(text, end) && !(end < text.size() && (text[end] == '/' || text[end] == '[')))
    return {Operand::kNone, at};
  // name()='user'
  nodes = nodes || (empty && function.use == FunctionUse::kNodes && is_compared(text, end));
  return {nodes ? Operand::kNodes : Operand::kAmbiguous, end};
}

}  // namespace

bool is_axis(std::string_view name) noexcept { return kAxes.has(name); }

std::string_view xpath_name_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && is_xpath_name_byte(text[end])) ++end;
  return text.substr(at, end - at);
}

OperandEnd read_path(std::string_view text, std::size_t at) noexcept {
  OperandEnd out{Operand::kNone, at};
  bool nodes = text.substr(at, 2) == "//";
  std::size_t i = at;
  for (bool slash = false; i < text.size(); slash = true) {
    if (text[i] == '/')
      i += text.substr(i, 2) == "//" ? 2 : 1;
    else if (slash)
      break;
    const std::size_t step = i;
    if (text.substr(i, 2) == "..")
      i += 2;
    else if (i < text.size() && text[i] == '.')
      i += 1;
    else {
      if (i < text.size() && text[i] == '@') i += 1;
      nodes = nodes || i > step;
      std::string_view name = xpath_name_at(text, i);
      if (!name.empty() && text.substr(i + name.size(), 2) == "::" && is_axis(name)) {
        nodes = true;
        i += name.size() + 2;
        name = xpath_name_at(text, i);
      }
      if (i < text.size() && text[i] == '*') {
        nodes = nodes || step > at;
        i += 1;
      } else {
        if (name.empty() || is_digit(name[0])) break;
        i += name.size();
        const XpathFunction* test = kXpathFunctions.find(name);
        if (test != nullptr && test->use == FunctionUse::kTest && text.substr(i, 2) == "()") {
          nodes = true;
          i += 2;
        } else if (i < text.size() && (text[i] == '(' || text[i] == '.' || text[i] == ':')) {
          return {Operand::kNone, at};
        }
      }
    }
    while (i < text.size() && text[i] == '[') {
      nodes = nodes || slash || text[at] == '/' || text[at] == '.';  // a[0] alone is of other languages
      i = behind_brackets(text, i);
    }
    out.end = i;
    if (i >= text.size() || text[i] != '/') break;
  }
  if (out.end == at || !may_follow(text, out.end)) return {Operand::kNone, at};
  const bool named = text[at] == '/' || text[at] == '@' || text.substr(at, 2) == "..";
  out.kind = nodes || (named && is_compared(text, out.end)) ? Operand::kNodes : Operand::kAmbiguous;
  return out;
}

OperandEnd read_operand(std::string_view text, std::size_t at) noexcept {
  text = text.substr(0, at + kMaxOperandBytes);
  const std::string_view name = xpath_name_at(text, at);
  const XpathFunction* function = kXpathFunctions.find(name);
  const std::size_t open = skip_space(text, at + name.size());
  if (function != nullptr && open < text.size() && text[open] == '(' && function->use != FunctionUse::kTest)
    return read_call(text, at, *function, open);
  return read_path(text, at);
}

}  // namespace wafd::detect::xml
