// What stands between a template engine's delimiters: one walk tells what it computes, reaches for and runs.
//
// From the manuals of Jinja2, Tornado, Mako, Django, Twig, Smarty, Freemarker, Velocity, Pebble, Thymeleaf,
// ERB, Slim, Handlebars, Pug, EJS, Nunjucks, Razor and Go's text/template: the objects that a template gets
// from its engine rather than from the page's data, and the functions by which their languages run commands
// and read files.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect {

struct TemplateExpression {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool computes = false;     // nothing but numbers, quoted numbers and operators: 7*7; Go: printf "%s" .
  bool constant = false;     // a statement whose condition is constant: if True
  bool reaches = false;      // internals of the engine or the language: ''.__class__, _self.env
  bool calls = false;        // anything is called
  bool invokes = false;      // Go: call .Field
  std::size_t runs = kNone;  // where a function is called that runs a command or reads a file
  bool imports = false;      // a module of the language: import os
  std::string_view object;   // the whole is a name of the engine's own: config, self
};

// `inner`: the text between the delimiters, at most a few KiB. Linear.
TemplateExpression read_template_expression(std::string_view inner) noexcept;

// Whether `word` is a name of Python's internals that leads from any object to all others: __class__,
// __globals__.
bool python_internal(std::string_view word) noexcept;

}  // namespace wafd::detect
