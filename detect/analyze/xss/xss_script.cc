// Script by itself: URLs that run it, values that are it or leave a string for it, template expressions.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "detect/analyze/script/js_reader.h"
#include "detect/analyze/script/js_words.h"
#include "detect/analyze/xss/script_url.h"
#include "detect/analyze/xss/xss_rules.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

// A script with declarations of its own, or a long text, was written to be read; what breaks out was not.
constexpr std::size_t kMaxBareBytes = 1024;
constexpr std::size_t kMaxTemplates = 16;
constexpr std::size_t kMaxTemplateBytes = 2048;

// The first octet of a value that is no white space.
std::size_t first_octet(std::string_view text) noexcept { return text.find_first_not_of(" \t\r\n"); }

// Script behind "javascript:" begins at once and has a sign of script, or begins with an escaped letter.
bool begins_statement(std::string_view code) noexcept {
  const std::size_t first = std::min(code.find_first_not_of(' '), code.size());
  const std::string_view rest = code.substr(first);
  if (rest.starts_with('\\')) return true;
  return first == 0 && rest.find_first_of("(`=[{;") != std::string_view::npos;
}

void read_url(XssPass& pass) {
  const ScriptUrl url = find_script_url(pass.text);
  if (url.kind == ScriptUrlKind::kScript) {
    const std::string_view code = pass.text.substr(url.code);
    const JsFinding js = read_js(code, *pass.context.memory);
    const bool starts = url.begin <= first_octet(pass.text);
    if (js.strength >= JsStrength::kLikely ||
        (starts && (js.strength != JsStrength::kNone || begins_statement(code)))) {
      pass.add(kScriptUrl, url.begin, pass.text.size(),
               fmt::format("A URL that runs script: it {}.",
                           js.act == JsAct::kNone ? "holds a statement" : to_words(js.act)));
    }
  } else if (url.kind == ScriptUrlKind::kData) {
    const bool image = istarts_with(pass.text.substr(url.code), "image/svg");
    if (!image && url.begin == first_octet(pass.text))
      pass.add(kDataUrl, url.begin, pass.text.size(), "A data: URL that holds a document or script.");
  }
}

// url(javascript without its colon, which a filter may have taken away: style that runs script.
void read_style_url(XssPass& pass) {
  const std::string_view text = pass.text;
  for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at + 1)) {
    if (at < 3 || !iequals(text.substr(at - 3, 3), "url")) continue;
    std::size_t begin = at + 1;
    while (begin < text.size() && begin - at < 16 &&
           (octet(text[begin]) <= ' ' || text[begin] == '"' || text[begin] == '\''))
      ++begin;
    if (!istarts_with(text.substr(begin), "javascript")) continue;
    pass.add(kCssScript, at - 3, begin + 10, "A style holds a URL that runs script.");
    return;
  }
}

// document.cookie, window.location and nothing else: a probe for what a page gives away.
bool whole_secret(std::string_view text) noexcept {
  constexpr std::size_t kMaxSecretBytes = 64;
  const std::size_t first = first_octet(text);
  if (text.size() > kMaxSecretBytes || first == std::string_view::npos) return false;
  std::string_view rest = text.substr(first);
  while (!rest.empty() && (octet(rest.back()) <= ' ' || rest.back() == ';' || rest.back() == ')'))
    rest.remove_suffix(1);
  std::uint32_t root = 0;
  std::uint32_t last = 0;
  for (std::size_t parts = 0; !rest.empty(); ++parts) {
    const std::size_t end = std::min(rest.find('.'), rest.size());
    const std::string_view word = rest.substr(0, end);
    last = js_word(word);
    if (word.empty() || !std::all_of(word.begin(), word.end(), is_alpha)) return false;
    if (parts == 0) root = last;
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (rest.empty()) return parts > 0 && (root & kJsWindow) != 0 && (last & kJsSecretMember) != 0;
  }
  return false;
}

// name(…) from the first octet to the last, by a function that is no word of any language.
bool whole_call(std::string_view text, std::uint32_t flags) noexcept {
  const std::size_t first = first_octet(text);
  std::size_t end = std::min(first, text.size());
  while (end < text.size() && is_alpha(text[end])) ++end;
  if (end == first || (js_word(text.substr(first, end - first)) & flags) == 0) return false;
  while (end < text.size() && text[end] == ' ') ++end;
  const std::size_t last = text.find_last_not_of(" \t\r\n;");
  if (end >= text.size() || text[end] != '(' || last == std::string_view::npos || text[last] != ')')
    return false;
  // alert() vs confirm(): behind a call stands no word.
  const std::size_t close = text.find(')', end);
  const std::size_t next = text.find_first_not_of(" +", close + 1);  // of a form, as it was sent
  return close == last || next == std::string_view::npos || next == close + 1 || !is_alpha(text[next]);
}

// Elements from beginning to end: no script of its own, though words of one stand between them.
bool is_markup(std::string_view text) noexcept {
  text = trim(text);
  return text.size() > 2 && text[0] == '<' && is_alpha(text[1]) && text.back() == '>';
}

void read_script(XssPass& pass) {
  const std::string_view text = pass.text;
  const JsFinding js = read_js_value(text, *pass.context.memory);
  const bool program = js.declares || text.size() > kMaxBareBytes;
  const bool starts = js.begin <= first_octet(text) + 1;
  const bool ends = js.end + 2 >= text.size();
  // document.cookie and nothing else: a probe.
  if (js.act == JsAct::kDom && starts && ends && text.size() < 64 &&
      (ifind(text, "cookie") != std::string_view::npos || ifind(text, "domain") != std::string_view::npos)) {
    pass.add(kBareCall, js.begin, js.end,
             "The value is a script expression that reads the document's secrets.");
    return;
  }
  const char* what = to_words(js.act);
  if (js.strength < JsStrength::kLikely) {
    if (js.strength != JsStrength::kWeak || js.act != JsAct::kSinkCall || program) return;
    if (whole_call(text, kJsTellingSink)) {
      pass.add(kBareCall, js.begin, js.end, fmt::format("Read as script, the value {}.", what));
    } else if (js.breaks_out) {
      pass.add(kScriptText, js.begin, js.end,
               fmt::format("The value closes what it was put in and {}.", what));
    }
    return;
  }
  if (js.strength == JsStrength::kSure && (!program || js.act == JsAct::kSymbolOnly)) {
    pass.add(kHiddenScript, js.begin, js.end, fmt::format("Read as script, the value {}.", what));
  } else if (js.breaks_out && !program) {
    pass.add(kBreakout, js.begin, js.end,
             fmt::format("Read as script, the value closes what it was put in and {}.", what));
  } else if (!program && !is_markup(text) && (js.act >= JsAct::kSinkCall || (starts && text.size() < 256))) {
    pass.add(kBareCall, js.begin, js.end, fmt::format("Read as script, the value {}.", what));
  } else {
    pass.add(kScriptText, js.begin, js.end, fmt::format("The text holds script that {}.", what));
  }
}

// {{constructor.constructor('alert(1)')()}}: evaluated by client-side template engines.
void read_templates(XssPass& pass) {
  const std::string_view text = pass.text;
  std::size_t looked = 0;
  for (std::size_t open = text.find("{{"); open != std::string_view::npos && looked < kMaxTemplates;
       ++looked) {
    const std::size_t close =
        text.substr(0, std::min(text.size(), open + kMaxTemplateBytes)).find("}}", open + 2);
    if (close == std::string_view::npos) return;
    const std::string_view inner = text.substr(open + 2, close - open - 2);
    if (read_js(inner, *pass.context.memory).strength >= JsStrength::kLikely ||
        ifind(inner, "constructor") != std::string_view::npos ||
        ifind(inner, "$eval") != std::string_view::npos || ifind(inner, "$on.") != std::string_view::npos) {
      pass.add(kTemplate, open, close + 2,
               "An expression in double braces that leaves the sandbox of a client-side template engine.");
    }
    open = text.find("{{", close + 2);
  }
}

}  // namespace

// Sentry's event payloads, "context_line"; Content Security Policy Level 3, "sample".
bool XssPass::reports_source() const noexcept {
  if (context.location != Location::kBody) return false;
  const std::string_view name = context.name;
  return name == "context_line" || name == "pre_context" || name == "post_context" || name == "script-sample";
}

void read_scripts(XssPass& pass) {
  read_url(pass);
  read_style_url(pass);
  if (whole_secret(pass.text)) {
    pass.add(kBareCall, 0, pass.text.size(),
             "The value is a script expression that reads the document's secrets.");
  } else {
    read_script(pass);
  }
  read_templates(pass);
}

}  // namespace wafd::detect
