// Whether a text is, from its first byte to its last, one expression of Python, or a few statements, and what
// it uses.
//
// Source: Python language reference, chapters 2 ("Lexical analysis") and 6 ("Expressions"). What is read here
// is the order of operands and operators: a text of words has operands beside each other, an expression none.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect::code {

inline constexpr std::size_t kMaxExpressionBytes = 512;  // nobody writes longer ones into a field

// How a query begins, and what must stand somewhere behind it: select … from, insert into.
struct QueryHead {
  std::string_view verb;
  std::string_view clause;
};
inline constexpr QueryHead kQueryHeads[]{
    {"select", " from "},  {"insert", " into "},    {"replace", " into "}, {"delete", " from "},
    {"update", " set "},   {"drop", " table "},     {"alter", " table "},  {"create", " table "},
    {"truncate", "table"}, {"create", " trigger "}, {"values", "("},       {"with", " as "}};

struct PythonUse {
  bool sound = false;     // it is an expression, and does more than name something
  bool readable = false;  // it is an expression
  bool internal = false;  // reaches for names that Python gives to the internals of objects, or for frames
  bool function = false;  // uses a function that runs code, loads modules or opens files
  bool scope = false;     // lists what a scope has
  bool module = false;    // calls or hands on a module that reaches the system
  bool names = false;     // names what a module that reaches the system holds, or a loader: os.environ
  bool query = false;     // hands a query of SQL to a function

  bool any() const noexcept { return internal || function || scope || module || query; }
};

// Linear time; a text of more than kMaxExpressionBytes is none.
PythonUse read_python_expression(std::string_view text) noexcept;
// Statements, one of which at least is no expression: with open('a') as f:print(f.read()). Linear time, too.
PythonUse read_python_program(std::string_view text) noexcept;

}  // namespace wafd::detect::code
