// The effects of an expression between a template engine's delimiters, by its grammar: what it computes,
// calls, reaches for and runs. One walk over its tokens, whichever engine's they are.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "detect/analyze/template/expression_lexer.h"

namespace wafd::detect::templates {

struct Expression {
  bool computes = false;       // an operator between constants, and nothing but constants: 7*7
  bool product = false;        // and the operator is one that dates and ranges do not have
  bool literal_call = false;   // a method of a constant: 'a'.upper()
  bool condition = false;      // a statement whose condition is constant: if True
  bool reaches = false;        // leaves the template: ''.__class__, _self.env, x.getClass()
  bool implicit = false;       // an implicit object of expression languages: pageContext
  bool runs = false;           // calls what runs a command or code, or reads a file
  bool runs_first = false;     // and that call is the first thing in it
  bool object = false;         // does something with an object that the engine gives to every page
  bool assigned = false;       // such an object is what a variable is set to, or what a loop is over
  bool shows_object = false;   // is nothing but such an object's name
  bool engine_object = false;  // and the engine gives it, whatever the page: config, not this
  bool imports = false;        // a module of the language
  bool outside = false;        // takes in a file from outside of the templates
  bool calls = false;          // calls anything
  bool invokes = false;        // Go: calls what a field holds
  bool statements = false;     // calls, and goes on behind a semicolon or makes an object
  bool acts = false;           // calls, assigns, or runs in backticks: more than a condition
  bool smarty = false;         // begins as a statement of Smarty does
  bool scoped = false;         // begins with a class: A::b
  bool file_function = false;  // a function of Smarty that takes a file from outside
  bool modified = false;       // $x|system: a modifier of Smarty that runs its value
  bool evaluates = false;      // a function of Smarty that computes or runs an attribute's value
  bool filters = false;        // a constant goes through filters: 'a'|upper
  bool compares = false;       // words compare constants: 1 in [1]
  bool host = false;           // names an object of the process that renders
  bool asks = false;           // a function that reads what lies outside of the page: env "PATH"
  bool owned = false;          // takes a member of what the engine gives to every page: request.args
  bool constant = false;       // nothing but constants and calls of functions
  bool tagged = false;         // begins with the word of a statement
  bool action = false;         // begins an action of Go's templates or a block of Handlebars
  bool dumps = false;          // a statement of one word that shows all, or begins a block of code
  std::string_view name;       // what it reaches for or runs
};

// Reads text[begin, end); `groups` as for the lexer. Linear time.
Expression read_expression(std::string_view text, std::size_t begin, std::size_t end,
                           std::span<const Stretch> groups);

// __class__: names that Python gives to the internals of all objects (Language Reference 3.3, "Special method
// names").
bool is_internal(std::string_view name) noexcept;

// A file that no template lies in: an absolute path, one above, an address.
bool is_outside(std::string_view file) noexcept;

}  // namespace wafd::detect::templates
