// Attributes: event handlers, URLs, documents and styles inside of them; handlers behind a closed quote.
#include <algorithm>
#include <memory_resource>
#include <string>

#include <fmt/format.h>

#include "detect/analyze/script/js_judge.h"
#include "detect/analyze/script/js_reader.h"
#include "detect/analyze/xss/html_reader.h"
#include "detect/analyze/xss/script_url.h"
#include "detect/analyze/xss/xss_names.h"
#include "detect/analyze/xss/xss_rules.h"
#include "detect/core/octets.h"
#include "detect/decode/html_entity.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxHandlerWindow = 512;
constexpr std::size_t kMaxHandlerName = 48;

// Octets of `value` that stand for something are decoded once; the result lives in `store`.
std::string_view decoded(std::string_view value, std::string& store) {
  if (value.find('&') == std::string_view::npos || !maybe_html_entity(value)) return value;
  std::uint32_t flags = 0;
  return html_entity_decode(value, store, flags) ? std::string_view(store) : value;
}

// Signs that a statement has and an ordinary word or number has not.
bool looks_like_statement(std::string_view value) noexcept {
  return value.find_first_of("(`=[{;") != std::string_view::npos;
}

// onClick={…} is how component source code writes it, not a page.
bool reacts_in_source(const HtmlAttribute& attribute) noexcept {
  return attribute.quote == 0 && attribute.value.starts_with('{');
}

bool template_directive(std::string_view name) noexcept {
  return istarts_with(name, "ng-") || istarts_with(name, "data-ng-") || istarts_with(name, "v-") ||
         istarts_with(name, "x-") || istarts_with(name, "hx-on") || name.starts_with('@') ||
         name.starts_with(':') || name.starts_with('(');
}

void read_handler(XssPass& pass, const HtmlTag& tag, const HtmlAttribute& attribute) {
  const std::string_view name = attribute.name;
  const std::string_view value = decoded(attribute.value, pass.store);
  // onclick="" takes a handler away.
  if (attribute.quote != 0 && !attribute.open && trim(value).empty()) return;
  const JsFinding js = read_js(value, *pass.context.memory);
  const bool known = known_handler(name);
  if (js.strength >= JsStrength::kLikely || (known && js.strength != JsStrength::kNone)) {
    pass.add(kHandlerScript, tag.begin, tag.end,
             fmt::format("The {} attribute of a <{}> element {}.", shown(name), shown(tag.name),
                         to_words(js.act)));
  } else if ((known || looks_like_statement(value)) && !pass.document && !reacts_in_source(attribute)) {
    pass.add(kHandler, tag.begin, tag.end,
             fmt::format("A <{}> element has an event handler attribute, {}.", shown(tag.name), shown(name)));
  }
}

// <set attributename=onclick to=…>: an animation that writes a handler, a link or the content of an element.
bool animates_script(std::string_view target) noexcept {
  return handler_shape(target) || iequals(target, "innerhtml") || iequals(target, "outerhtml") ||
         iequals(target, "srcdoc");
}

void read_url(XssPass& pass, const HtmlTag& tag, const HtmlAttribute& attribute, std::string_view value) {
  const ScriptUrl url = find_script_url(value);
  if (url.kind == ScriptUrlKind::kScript) {
    pass.add(kScriptUrl, tag.begin, tag.end,
             fmt::format("The {} attribute of a <{}> element is a URL that runs script.",
                         shown(attribute.name), shown(tag.name)));
  } else if (url.kind == ScriptUrlKind::kData && (html_element(tag.name) & kImageName) == 0) {
    pass.add(kDataUrl, tag.begin, tag.end,
             fmt::format("The {} attribute of a <{}> element holds a document or script of its own.",
                         shown(attribute.name), shown(tag.name)));
  }
}

// onError={() => f(x)}: JSX. Read as HTML, the block ends early or makes a function that nobody calls. `from`
// begins with the value, which has no quotes.
bool is_jsx_function(std::string_view from) noexcept {
  constexpr std::size_t kMaxBlock = 512;
  from = from.substr(0, kMaxBlock);
  if (!from.starts_with('{')) return false;
  std::size_t at = skip_space(from, 1);
  if (at < from.size() && from[at] == '(') {
    at = from.find_first_of("(){}=;'\"`", at + 1);
    if (at == std::string_view::npos || from[at] != ')') return false;
    ++at;
  } else {
    while (at < from.size() && (is_alnum(from[at]) || from[at] == '_' || from[at] == '$')) ++at;
  }
  if (!from.substr(skip_space(from, at)).starts_with("=>")) return false;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == '{') ++depth;
    if (from[i] != '}' || --depth != 0) continue;
    return i + 1 == from.size() || is_space(from[i + 1]) ||
           std::string_view("/>`'\"").find(from[i + 1]) != std::string_view::npos;
  }
  return false;
}

bool is_jsx_function(const XssPass& pass, const HtmlAttribute& attribute) noexcept {
  const char* begin = attribute.value.data();
  if (attribute.quote != 0 || begin < pass.text.data() || begin > pass.text.data() + pass.text.size())
    return false;
  return is_jsx_function(pass.text.substr(static_cast<std::size_t>(begin - pass.text.data())));
}

}  // namespace

bool style_runs_script(std::string_view css, std::pmr::memory_resource& memory) {
  if (css.find_first_of("(@\\") == std::string_view::npos) return false;
  std::pmr::string plain(&memory);
  plain.reserve(css.size());
  for (std::size_t i = 0; i < css.size(); ++i) {
    const char c = css[i];
    if (c == '/' && i + 1 < css.size() && css[i + 1] == '*') {
      const std::size_t close = css.find("*/", i + 2);
      if (close == std::string_view::npos) break;
      i = close + 1;
    } else if (c == '\\') {
      // Nobody escapes the name of an at-rule but to hide it.
      if (!plain.empty() && plain.back() == '@') return true;
      std::uint32_t code = 0;
      std::size_t digits = 0;
      while (digits < 6 && i + 1 < css.size() && hex_value(css[i + 1]) >= 0) {
        code = code * 16 + static_cast<std::uint32_t>(hex_value(css[++i]));
        ++digits;
      }
      if (digits > 0 && i + 1 < css.size() && is_space(css[i + 1])) ++i;
      if (code > ' ' && code < 0x7f) plain.push_back(to_lower(static_cast<char>(code)));
    } else if (octet(c) > ' ') {
      plain.push_back(to_lower(c));
    }
  }
  for (const std::string_view sign : {"expression(", "-moz-binding", "behavior:url", "behaviour:url",
                                      "javascript:", "vbscript:", "@importdata:", "@import'http",
                                      "@import\"http", "@import'//", "@import\"//", "@importurl("}) {
    if (plain.find(sign) != std::string::npos) return true;
  }
  // input[value^=a]{background:url(//…)}: what a page holds is told to another host, sign by sign.
  for (const std::string_view match : {"[value^=", "[value$=", "[value*="}) {
    const std::size_t at = plain.find(match);
    if (at != std::string::npos && plain.find("//", plain.find("url(", at)) != std::string::npos) return true;
  }
  return false;
}

void read_attributes(XssPass& pass, const HtmlTag& tag) {
  const bool browsers_know = !tag.closing && !tag.prefixed && html_element(tag.name) != 0;
  for (const HtmlAttribute& attribute : tag.attributes()) {
    if (!attribute.has_value) continue;
    const std::string_view name = attribute.name;
    if (handler_shape(name)) {
      if (!pass.has(kHandlerScript) && !is_jsx_function(pass, attribute)) read_handler(pass, tag, attribute);
      continue;
    }
    if (attribute.value.size() < 4) continue;
    if (iequals(name, "srcdoc")) {
      pass.add(kSrcdoc, tag.begin, tag.end,
               "A srcdoc attribute holds a whole document that runs in the page.");
      continue;
    }
    if (iequals(name, "attributename") && animates_script(attribute.value)) {
      pass.add(kActiveElement, tag.begin, tag.end,
               "An animation element writes a handler or the content of another element.");
      continue;
    }
    // Links act on elements that browsers know; what is decoded as a whole comes as a text of its own.
    const std::string_view value = browsers_know ? decoded(attribute.value, pass.store) : attribute.value;
    if (iequals(name, "style")) {
      if (!pass.has(kCssScript) && style_runs_script(value, *pass.context.memory))
        pass.add(kCssScript, tag.begin, tag.end,
                 "A style attribute holds an expression or URL that runs script.");
      continue;
    }
    read_url(pass, tag, attribute, value);
    // $event leads to the window: $event.view.alert(1)
    const auto acts = [&] {
      return read_js(value, *pass.context.memory).strength >= JsStrength::kLikely ||
             (value.find("$event") != std::string_view::npos && holds_sink_call(value));
    };
    if (template_directive(name) && acts()) {
      pass.add(kTemplate, tag.begin, tag.end,
               fmt::format("The {} attribute is a template directive that calls script.", shown(name)));
    }
  }
}

void read_loose_handlers(XssPass& pass) {
  const std::string_view text = pass.text;
  std::size_t first_quote = std::string_view::npos;
  bool quote_sought = false;
  std::size_t budget = 16 * text.size() + 1024;  // octets that may be read again
  HtmlTag tag;
  for (std::size_t equals = text.find('='); equals != std::string_view::npos;
       equals = text.find('=', equals + 1)) {
    std::size_t end = equals;
    for (std::size_t i = 0; i < 16 && end > 0 && octet(text[end - 1]) <= ' '; ++i) --end;
    std::size_t begin = end;
    while (begin > 0 && end - begin <= kMaxHandlerName && is_alpha(text[begin - 1])) --begin;
    const std::string_view name = text.substr(begin, end - begin);
    if (!handler_shape(name)) continue;
    const char before = begin > 0 ? text[begin - 1] : '\0';
    const bool bounded = octet(before) <= ' ' || before == '"' || before == '\'' || before == '`' ||
                         before == '/' || before == ';';
    if (!bounded) continue;
    const std::size_t window = std::min<std::size_t>(text.size() - begin, kMaxHandlerWindow);
    if (window > budget) return;
    budget -= window;
    read_html_attributes(text.substr(0, begin + window), begin, tag);
    if (tag.attributes().empty() || !tag.attributes().front().has_value) continue;
    if (is_jsx_function(pass, tag.attributes().front())) continue;
    if (!quote_sought) first_quote = text.find_first_of("\"'`");
    quote_sought = true;
    const std::string_view value = decoded(tag.attributes().front().value, pass.store);
    const JsFinding js = read_js(value, *pass.context.memory);
    const bool known = known_handler(name);
    const bool quoted_before = first_quote < begin;
    if (js.strength >= JsStrength::kLikely && (known || quoted_before) && (begin > 0 || known)) {
      pass.add(kLooseHandler, begin, tag.end,
               fmt::format("An event handler, {}, follows what would close an attribute, and {}.",
                           shown(name), to_words(js.act)));
    } else if (known && quoted_before && before != ';' && looks_like_statement(value)) {
      pass.add(
          kLooseHandler, begin, tag.end,
          fmt::format("An event handler, {}, follows a quote that would close an attribute.", shown(name)));
    } else if (known && before != ';' && pass.plain_text_place()) {
      pass.add(kHandlerName, begin, tag.end,
               fmt::format("The value holds an event handler attribute, {}.", shown(name)));
    }
  }
}

}  // namespace wafd::detect
