// PHP, Java's expression languages, templates, XPath: case, white space and strings where their grammars
// allow it.
#include "tests/support/variations/text_tools.h"
#include "tests/support/variations/variations.h"

namespace wafd::variations {
namespace {

constexpr Types kCode = bit(AttackType::kCodeInjection) | bit(AttackType::kBackdoor);
constexpr Types kUploadToo = kCode | bit(AttackType::kFileUpload);
constexpr Types kExpression = bit(AttackType::kExpressionInjection);
constexpr Types kTemplate = bit(AttackType::kSsti);
constexpr Types kXpath = bit(AttackType::kXpathInjection);

bool is_php(std::string_view in) {
  return holds_any(in, {"<?", "$_", "phpinfo", "system(", "passthru(", "shell_exec(", "base64_decode("}) &&
         !holds_any(in, {"this.", "require(", "function(", "=>", "Runtime"});
}

// Names before an opening bracket that no variable, member or quote is.
template <typename Change>
bool php_calls(std::string_view in, std::string& out, Change change) {
  if (!is_php(in)) return false;
  out.clear();
  std::size_t done = 0;
  for (std::size_t at = in.find('('); at != std::string_view::npos; at = in.find('(', at + 1)) {
    std::size_t begin = at;
    while (begin > done && is_word(in[begin - 1])) --begin;
    if (at - begin < 3 || is_digit(in[begin])) continue;
    const char before = begin == 0 ? ' ' : in[begin - 1];
    if (std::string_view("$>:\\'\"").find(before) != std::string_view::npos) continue;
    out += in.substr(done, begin - done);
    out += change(in.substr(begin, at - begin));
    done = at;
  }
  out += in.substr(done);
  return done != 0;
}
bool php_case(std::string_view in, std::string& out) {
  return php_calls(in, out, [](std::string_view name) { return alternate_case(name, true); });
}
bool php_space(std::string_view in, std::string& out) {
  return php_calls(in, out, [](std::string_view name) { return std::string(name) + " "; });
}
bool php_newline(std::string_view in, std::string& out) {
  return php_calls(in, out, [](std::string_view name) { return std::string(name) + "\n"; });
}
bool php_comment(std::string_view in, std::string& out) {
  return php_calls(in, out, [](std::string_view name) { return std::string(name) + "/*x*/"; });
}
bool php_root(std::string_view in, std::string& out) {
  return php_calls(in, out,
                   [](std::string_view name) {
                     for (const std::string_view construct :
                          {"eval", "isset", "empty", "exit", "die", "include", "array", "print"}) {
                       if (iequals(name, construct)) return std::string(name);
                     }
                     return "\\" + std::string(name);
                   }) &&
         out != in;
}
bool php_tag_case(std::string_view in, std::string& out) { return replace_all(in, "<?php", "<?PhP", out); }
bool php_tag_newline(std::string_view in, std::string& out) {
  return replace_all(in, "<?php ", "<?php\n", out);
}
bool php_tag_short(std::string_view in, std::string& out) { return replace_all(in, "<?php ", "<? ", out); }
bool php_image(std::string_view in, std::string& out) {
  if (!in.starts_with("<?")) return false;
  out = "GIF89a;\n" + std::string(in);
  return true;
}

bool jndi_as(std::string_view in, std::string_view with, std::string& out) {
  return replace_all(in, "${jndi:", with, out);
}
bool jndi_case(std::string_view in, std::string& out) { return jndi_as(in, "${jNdI:", out); }
bool jndi_lower(std::string_view in, std::string& out) { return jndi_as(in, "${${lower:J}ndi:", out); }
bool jndi_upper(std::string_view in, std::string& out) { return jndi_as(in, "${j${upper:n}di:", out); }
bool jndi_default(std::string_view in, std::string& out) {
  return jndi_as(in, "${${::-j}${::-n}${::-d}${::-i}:", out);
}
bool jndi_env(std::string_view in, std::string& out) { return jndi_as(in, "${${env:NO_SUCH:-j}ndi:", out); }
bool jndi_colon(std::string_view in, std::string& out) { return jndi_as(in, "${jndi${env:NO_SUCH:-:}", out); }

bool call_space(std::string_view in, std::string& out) {
  std::string once;
  const bool runtime = replace_all(in, ".getRuntime()", " . getRuntime ( )", once);
  return replace_all(runtime ? once : std::string(in), ".exec(", " . exec (", out) ||
         (runtime && (out = once, true));
}
bool call_newline(std::string_view in, std::string& out) {
  return replace_all(in, ".getRuntime()", "\n.getRuntime\n()", out);
}
bool class_space(std::string_view in, std::string& out) {
  return replace_all(in, "T(java.lang.", "T( java.lang. ", out);
}

bool braces(std::string_view in, std::string_view begin, std::string_view end, std::string& out) {
  const std::size_t at = in.find("{{");
  const std::size_t stop = in.rfind("}}");
  if (at == std::string_view::npos || stop == std::string_view::npos || stop < at + 3) return false;
  std::string_view inside = in.substr(at + 2, stop - at - 2);
  if (inside.find("}}") != std::string_view::npos || inside.find("{{") != std::string_view::npos)
    return false;
  while (!inside.empty() && inside.front() == ' ') inside.remove_prefix(1);
  while (!inside.empty() && inside.back() == ' ') inside.remove_suffix(1);
  out = std::string(in.substr(0, at)) + std::string(begin) + std::string(inside) + std::string(end) +
        std::string(in.substr(stop + 2));
  return out != in;
}
bool braces_tight(std::string_view in, std::string& out) { return braces(in, "{{", "}}", out); }
bool braces_space(std::string_view in, std::string& out) { return braces(in, "{{  ", "  }}", out); }
bool braces_newline(std::string_view in, std::string& out) { return braces(in, "{{\n", "\n}}", out); }
bool is_python(std::string_view in) { return in.find("__") != std::string_view::npos; }
bool braces_minus(std::string_view in, std::string& out) {
  return is_python(in) && braces(in, "{{- ", " -}}", out);
}
bool statement(std::string_view in, std::string& out) {
  return is_python(in) && braces(in, "{% if ", " %}a{% endif %}", out);
}
bool attribute(std::string_view in, std::string_view with, std::string& out) {
  return in.find("{{") != std::string_view::npos && replace_all(in, ".__class__", with, out);
}
bool subscript(std::string_view in, std::string& out) {
  return in.find('\'') == std::string_view::npos ? attribute(in, "['__class__']", out)
                                                 : attribute(in, "[\"__class__\"]", out);
}
bool attr_filter(std::string_view in, std::string& out) { return attribute(in, "|attr(\"__class__\")", out); }
bool joined(std::string_view in, std::string& out) { return attribute(in, "[\"__cla\"+\"ss__\"]", out); }
bool escaped(std::string_view in, std::string& out) {
  return attribute(in, "[\"\\x5f\\x5fclass\\x5f\\x5f\"]", out);
}
bool before_words(std::string_view in, std::string& out) {
  if (in.empty() || std::string_view("{$#%<*").find(in[0]) == std::string_view::npos) return false;
  out = "Dear team, " + std::string(in);
  return true;
}

bool xpath_newline(std::string_view in, std::string& out) { return replace_all(in, " ", "\n", out); }
bool xpath_spaces(std::string_view in, std::string& out) { return replace_all(in, " ", "  ", out); }
bool xpath_quotes(std::string_view in, std::string& out) {
  return in.find('"') == std::string_view::npos && replace_all(in, "'", "\"", out);
}

constexpr const char* kPhp = "PHP: names of functions have no case, white space and comments may follow them";
constexpr const char* kTag = "PHP";
constexpr const char* kLog4j = "Log4j 2 before 2.15";
constexpr const char* kWhite = "OGNL, SpEL, EL: white space between tokens";
constexpr const char* kBraces = "Jinja, Twig and their like: white space inside braces";
constexpr const char* kJinja = "Jinja";
constexpr Variation kVariations[] = {
    {"php function in mixed case", kPhp, kCode, php_case},
    {"php space before bracket", kPhp, kCode, php_space},
    {"php newline before bracket", kPhp, kCode, php_newline},
    {"php comment before bracket", kPhp, kCode, php_comment},
    {"php \\function", "PHP 5.3 and later", kCode, php_root},
    {"php tag in mixed case", kTag, kUploadToo, php_tag_case},
    {"php newline behind the tag", kTag, kUploadToo, php_tag_newline},
    {"php short tag", "PHP with short_open_tag", kUploadToo, php_tag_short},
    {"php behind an image's first bytes", kTag, kUploadToo, php_image},
    {"jndi mixed case", kLog4j, kExpression, jndi_case},
    {"jndi ${lower:}", kLog4j, kExpression, jndi_lower},
    {"jndi ${upper:}", kLog4j, kExpression, jndi_upper},
    {"jndi ${::-}", kLog4j, kExpression, jndi_default},
    {"jndi ${env:}", kLog4j, kExpression, jndi_env},
    {"jndi ${env:} for the colon", kLog4j, kExpression, jndi_colon},
    {"java spaces between tokens", kWhite, kExpression, call_space},
    {"java newlines between tokens", kWhite, kExpression, call_newline},
    {"spel spaces in T()", kWhite, kExpression, class_space},
    {"template tight braces", kBraces, kTemplate, braces_tight},
    {"template spaces in braces", kBraces, kTemplate, braces_space},
    {"template newlines in braces", kBraces, kTemplate, braces_newline},
    {"template {{- -}}", kJinja, kTemplate, braces_minus},
    {"template {% %}", kJinja, kTemplate, statement},
    {"template subscript", kJinja, kTemplate, subscript},
    {"template attr filter", kJinja, kTemplate, attr_filter},
    {"template joined string", kJinja, kTemplate, joined},
    {"template escaped string", kJinja, kTemplate, escaped},
    {"expression words before", "templates and logged texts", kTemplate | kExpression, before_words},
    {"xpath newlines", "XPath: white space between tokens", kXpath, xpath_newline},
    {"xpath two spaces", "XPath: white space between tokens", kXpath, xpath_spaces},
    {"xpath double quotes", "XPath, where the query uses them", kXpath, xpath_quotes},
};

}  // namespace

std::span<const Variation> code_variations() { return kVariations; }

}  // namespace wafd::variations
