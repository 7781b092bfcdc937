// Script outside of elements: URLs that run it, values that are it or leave a string for it, handlers behind
// what closes an attribute, expressions of template engines.
#include <algorithm>
#include <array>
#include <string>

#include "detect/analyze/script/js_places.h"
#include "detect/analyze/xss/css_reader.h"
#include "detect/analyze/xss/handlers.tsv.h"
#include "detect/analyze/xss/html_tokenizer.h"
#include "detect/analyze/xss/script_url.h"
#include "detect/analyze/xss/xss_evidence.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/decode/html_entity.h"

namespace wafd::detect::xss {
namespace {

using js::Act;

// Directives of AngularJS, Vue, Alpine, htmx, Stimulus, Knockout, Datastar: their values are expressions.
constexpr std::array<std::string_view, 13> kDirectives{
    "ng-",      "ng:",         "data-ng-", "x-ng-",     "v-",       "x-",   "hx-",
    "data-hx-", "data-action", "data-v-",  "data-bind", "data-on-", "wire:"};
// Of Aurelia: click.trigger
constexpr std::array<std::string_view, 5> kDirectiveEnds{".bind", ".trigger", ".delegate", ".call",
                                                         ".capture"};
// Attributes by which libraries send a request, or put what it brings into the page: htmx, AngularJS,
// rails-ujs, Unpoly, Livewire, Phoenix.
constexpr std::array<std::string_view, 12> kRequests{"hx-get",    "hx-post",    "hx-put",     "hx-patch",
                                                     "hx-delete", "ng-include", "ng:include", "remote",
                                                     "method",    "up-follow",  "wire:",      "phx-"};

constexpr Act kLastOfPage = Act::kSymbols;
constexpr std::size_t kMaxHandlerBytes = 48;
constexpr std::string_view kDirectiveSigns = "-:@.()[]";
constexpr std::size_t kMaxUrls = 8;
constexpr std::size_t kMaxInnerUrlBytes = 256;  // of one amid a text
constexpr std::size_t kMaxStyleValueBytes = 1024;
constexpr std::size_t kMaxTemplates = 32;

bool is_hidden(Act act) noexcept {
  return act == Act::kComputed || act == Act::kConstructor || act == Act::kSymbols;
}
// Runs script or shows it: what nothing but a script has.
bool is_telling(Act act) noexcept { return act >= Act::kSink; }

void add(Pass& pass, XssEvidence kind, Certainty certainty, std::size_t begin, std::size_t end, Act act) {
  pass.out.add(kind, certainty, begin, end, js::to_words(act));
}

// Behind a sign or nothing, without a blank before its parenthesis, and with a value in that: not "alert(s)",
// "x alert(1)".
bool is_tight_call(std::string_view text, const js::ActSpan& span) noexcept {
  const std::string_view call = text.substr(span.begin, span.end - span.begin);
  const std::size_t open = call.find_first_of("(`");
  if (open == std::string_view::npos || open == 0 || byte(call[open - 1]) <= ' ') return false;
  const std::string_view given = call.substr(open + 1, call.size() - open - 2);
  if (std::all_of(given.begin(), given.end(),
                  [](char c) { return is_alpha(c) || c == ' ' || byte(c) >= 0x80; }))
    return false;
  std::size_t before = span.begin;
  while (before > 0 && byte(text[before - 1]) <= ' ') --before;
  return before == 0 ||
         std::string_view("=+-*/|&^~!?:;,([{<>#%").find(text[before - 1]) != std::string_view::npos;
}

// confirm (yes/no): a word and, behind a blank, others in parentheses, as prose has it.
bool is_remark(std::string_view call) noexcept {
  const std::size_t open = call.find('(');
  return open != std::string_view::npos && open != 0 && call[open - 1] == ' ' && call.ends_with(')') &&
         std::all_of(call.begin() + static_cast<std::ptrdiff_t>(open) + 1, call.end() - 1, [](char c) {
           return is_alpha(c) || byte(c) >= 0x80 ||
                  std::string_view(" /,-").find(c) != std::string_view::npos;
         });
}

// As a script, or a value of one.
void at_whole(Pass& pass, const js::Reading& reading, Act act) {
  const js::ActSpan& span = reading.act(act);
  if (is_remark(trim(pass.text))) return;
  if (reading.valid && span.sound && act >= Act::kEffect) {
    // Lines with declarations are a program that somebody wrote to be read.
    const bool program = reading.declares && pass.text.find('\n') != std::string_view::npos;
    // el.innerHTML=x is a line of many programs.
    const bool sure = (!reading.outer || is_telling(act)) && !program && act != Act::kMarkup;
    add(pass, is_hidden(act) ? XssEvidence::kHiddenScript : XssEvidence::kScriptValue,
        sure ? Certainty::kCertain : Certainty::kLikely, span.begin, span.end, act);
  } else if (reading.valid && span.sound && act == Act::kReach && !reading.outer) {
    add(pass, XssEvidence::kPageName, Certainty::kCertain, span.begin, span.end, act);
  } else if (reading.valid && act >= Act::kCommonCall) {
    add(pass, XssEvidence::kScriptValue, Certainty::kPossible, span.begin, span.end, act);
  } else if (reading.cut && is_telling(act)) {
    add(pass, XssEvidence::kScriptValue, Certainty::kLikely, span.begin, span.end, act);
  } else if (act == Act::kSink && !span.sound && is_tight_call(pass.text, span)) {
    add(pass, XssEvidence::kSinkCall, Certainty::kPossible, span.begin, span.end, act);
  } else if (is_telling(act)) {
    add(pass, is_hidden(act) && span.sound ? XssEvidence::kHiddenScript : XssEvidence::kScriptText,
        span.sound && (act != Act::kSink || is_tight_call(pass.text, span)) ? Certainty::kLikely
                                                                            : Certainty::kPossible,
        span.begin, span.end, act);
  }
}

void at_break_out(Pass& pass, const js::PlacedReading& placed, Act act) {
  const js::Reading& reading = placed.reading;
  const js::ActSpan& span = reading.act(act);
  Certainty certainty = Certainty::kPossible;
  if (placed.place == js::Place::kTemplate) {
    if (act < Act::kEffect) return;
    if (reading.valid) certainty = Certainty::kCertain;
  } else if (placed.place == js::Place::kLaterQuote) {
    if (!reading.valid || !is_telling(act)) return;
    certainty = Certainty::kLikely;
  } else if (reading.valid) {
    certainty = Certainty::kCertain;
  } else if (is_telling(act)) {
    certainty = Certainty::kLikely;
  } else if (act < Act::kEffect) {
    return;
  }
  add(pass, XssEvidence::kBreakOut, certainty, placed.begin, span.end, act);
}

void read_urls(Pass& pass) {
  std::size_t from = 0;
  for (std::size_t i = 0; i < kMaxUrls; ++i) {
    const ScriptUrl url = find_script_url(pass.text, from);
    if (url.kind == UrlKind::kNone) return;
    from = url.code;
    const std::string_view code =
        pass.text.substr(url.code, url.begins ? std::string_view::npos : kMaxInnerUrlBytes);
    if (url.kind == UrlKind::kData) {
      if (url.begins && !istarts_with(code, "image/"))
        pass.out.add(XssEvidence::kDataUrl, Certainty::kCertain, url.begin, pass.text.size(), "value");
      continue;
    }
    // A scheme with a line end in it is hidden whatever it runs.
    const std::string_view scheme = trim(pass.text.substr(url.begin, url.code - 1 - url.begin));
    if (url.begins && scheme.find_first_of("\t\r\n") != std::string_view::npos)
      pass.out.add(XssEvidence::kScriptUrl, Certainty::kLikely, url.begin, pass.text.size(), "value");
    if (is_idle_script(code, false)) continue;
    // The URL ends with the text, or with what it stands in: [a](javascript:…) is cut by its parenthesis.
    const Code script = read_code(code, pass.memory);
    const bool sign = url.begin > 0 && byte(pass.text[url.begin - 1]) > ' ';
    if (url.begins && (script.acts || (script.valid && code.find('\\') != std::string_view::npos))) {
      pass.out.add(XssEvidence::kScriptUrl, Certainty::kCertain, url.begin, pass.text.size(), "value");
    } else if (script.acts) {
      pass.out.add(XssEvidence::kScriptUrl,
                   script.telling || sign ? Certainty::kLikely : Certainty::kPossible, url.begin,
                   pass.text.size(), "value");
    }
  }
}

// url(javascript: a style that runs it, perhaps without the colon, which a filter may take away.
void read_style_url(Pass& pass) {
  const std::string_view text = pass.text;
  for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at + 1)) {
    if (at < 3 || !iequals(text.substr(at - 3, 3), "url")) continue;
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n'\"", at + 1), text.size());
    if (!istarts_with(text.substr(begin), "javascript")) continue;
    pass.out.add(XssEvidence::kStyleScript, Certainty::kLikely, at - 3, begin + 10, {});
    return;
  }
}

// A value that is put into a style.
void read_style_value(Pass& pass) {
  const std::string_view text = pass.text;
  if (text.size() > kMaxStyleValueBytes || text.find('<') != std::string_view::npos) return;
  if (ifind(text, "@import") == std::string_view::npos &&
      (text.find('(') == std::string_view::npos || text.find_first_of(":}") == std::string_view::npos))
    return;
  const Css css = read_css_value(text, pass.memory);
  if (css == Css::kPlain) return;
  pass.out.add(css == Css::kScript ? XssEvidence::kStyleScript : XssEvidence::kStyleLoad, Certainty::kLikely,
               0, text.size(), {});
}

// A directive behind a quote, " @click="alert(1): the letters before its sign = are text[begin..end). Where
// to go on: behind a value without quotes, so that none is read twice.
std::size_t read_loose_directive(Pass& pass, std::size_t begin, std::size_t end) {
  const std::string_view text = pass.text;
  const auto part_of_name = [](char c) {
    return is_alnum(c) || kDirectiveSigns.find(c) != std::string_view::npos;
  };
  while (begin > 0 && end - begin <= kMaxHandlerBytes && part_of_name(text[begin - 1])) --begin;
  const std::string_view name = text.substr(begin, end - begin);
  if (!is_directive(name) || begin == 0 ||
      (byte(text[begin - 1]) > ' ' &&
       std::string_view("\"'`/").find(text[begin - 1]) == std::string_view::npos))
    return end;
  HtmlTokenizer tokenizer(text, begin);
  Tag tag;
  Attribute attribute;
  if (!tokenizer.next_attribute(tag, attribute) || !attribute.has_value) return end;
  const Code code = read_handler(attribute.value, pass.memory);
  if (code.telling)
    pass.out.add(XssEvidence::kLooseHandler, code.valid ? Certainty::kCertain : Certainty::kLikely, begin,
                 tokenizer.position(), name);
  return attribute.quote == '\0' ? std::max(end, tokenizer.position() - 1) : end;
}

// {{constructor.constructor('alert(1)')()}}
void read_templates(Pass& pass) {
  const std::string_view text = pass.text;
  std::size_t open = text.find("{{");
  for (std::size_t i = 0; i < kMaxTemplates && open != std::string_view::npos; ++i) {
    const std::size_t close = text.find("}}", open + 2);
    if (close == std::string_view::npos) return;
    const std::string_view inner = text.substr(open + 2, close - open - 2);
    const Code code = read_code(inner, pass.memory);
    const std::size_t name = inner.find("constructor");
    const bool leaves = name != std::string_view::npos || inner.find("$eval") != std::string_view::npos;
    // As a text it is looked up: lookup x "constructor"
    const bool looked_up =
        name != std::string_view::npos && name > 0 && (inner[name - 1] == '"' || inner[name - 1] == '\'');
    if (code.telling || leaves)
      pass.out.add(
          XssEvidence::kClientTemplate,
          code.telling || looked_up || (leaves && code.acts) ? Certainty::kCertain : Certainty::kLikely, open,
          close + 2, "an expression in double braces");
    open = text.find("{{", close + 2);
  }
}

// Whether the text between the quote before `at` and `at` can be attributes: "I don't see why onclick="
// cannot.
bool is_behind_quote(std::string_view text, std::size_t at) noexcept {
  constexpr std::size_t kMaxPlainAttributes = 1;  // autofocus
  constexpr std::size_t kMaxBytes = 256;
  const std::size_t first = at - std::min(at, kMaxBytes);
  std::size_t words = 0;
  bool valued = false;  // the word at hand has an equals sign
  bool inside = false;
  for (; at > first && text[at - 1] != '"' && text[at - 1] != '\''; --at) {
    const char c = text[at - 1];
    const bool blank = byte(c) <= ' ' || c == '/';
    if (blank && inside && !valued && ++words > kMaxPlainAttributes) return false;
    if (blank) valued = false;
    inside = !blank;
    valued = valued || c == '=';
  }
  return at > first && (!inside || valued || words < kMaxPlainAttributes);
}

// []+{}, (![])[+[]]: a script of brackets and operators alone (ECMA-262 7.1: what they are made into).
void read_symbols(Pass& pass) {
  const std::string_view text = trim(pass.text);
  constexpr std::size_t kMinBytes = 5;
  constexpr std::size_t kMaxBytes = 4096;
  if (text.size() < kMinBytes || text.size() > kMaxBytes ||
      text.find_first_not_of("[](){}!+ \t\r\n") != std::string_view::npos)
    return;
  const bool lists = text.find("[]") != std::string_view::npos;
  // +[] and ![] make a number or a truth value of a list.
  const bool converts = text.find("![]") != std::string_view::npos ||
                        text.find("+[]") != std::string_view::npos ||
                        text.find("[]+") != std::string_view::npos;
  if (lists && converts)
    add(pass, XssEvidence::kHiddenScript, Certainty::kLikely, 0, pass.text.size(), Act::kSymbols);
}

}  // namespace

bool is_handler_name(std::string_view name) noexcept {
  return name.size() >= 5 && name.size() <= kMaxHandlerBytes && istarts_with(name, "on") &&
         std::all_of(name.begin(), name.end(), is_alpha);
}

bool is_directive(std::string_view name) noexcept {
  if (name.empty()) return false;
  return std::string_view("@:([").find(name.front()) != std::string_view::npos ||
         std::any_of(kDirectiveEnds.begin(), kDirectiveEnds.end(),
                     [name](std::string_view one) { return name.ends_with(one); }) ||
         std::any_of(kDirectives.begin(), kDirectives.end(),
                     [name](std::string_view one) { return istarts_with(name, one); });
}

bool is_request(std::string_view name) noexcept {
  const bool data = istarts_with(name, "data-");
  if (data) name.remove_prefix(5);
  return std::any_of(kRequests.begin(), kRequests.end(), [&](std::string_view one) {
    const bool prefix = one.back() == ':' || one.back() == '-';
    // remote and method are names of others without what marks them.
    const bool needs_data = one == "remote" || one == "method";
    return (data || !needs_data) && (prefix ? istarts_with(name, one) : iequals(name, one));
  });
}

Code read_code(std::string_view code, std::pmr::memory_resource& memory) {
  const js::Reading reading = js::read_script(code, 0, js::Start::kProgram, '\0', memory);
  Code out;
  out.valid = reading.valid;
  out.module = reading.module;
  if (!reading.strongest(Act::kCall, kLastOfPage, out.act)) return out;
  const js::ActSpan& span = reading.act(out.act);
  out.acts = reading.valid || span.sound || span.end <= reading.error;
  out.telling = out.acts && is_telling(out.act);
  return out;
}

// Whether the attribute from `begin` to `end` is all of the text but for a word before it, which an unquoted
// attribute's value can be, and one behind it: onfocus='location="//a.example"', x onfocus='…' y
bool is_rest_of_tag(std::string_view text, std::size_t begin, std::size_t end) noexcept {
  const std::string_view before = trim_space(text.substr(0, begin));
  const std::string_view behind = trim_space(text.substr(std::min(end, text.size())));
  return std::all_of(before.begin(), before.end(), is_alnum) &&
         std::none_of(behind.begin(), behind.end(), is_space);
}

// x' onclick=y: directly behind the first quote of the text, whatever its value does. A blank before the
// quote means that it opens something, and a citation ends with its quote.
bool closes_attribute(std::string_view text, std::size_t first_quote, std::size_t begin) noexcept {
  if (first_quote >= begin) return false;
  const std::string_view between = text.substr(first_quote + 1, begin - first_quote - 1);
  const bool opens = first_quote > 0 && byte(text[first_quote - 1]) <= ' ';
  const bool cited = first_quote == 0 && text.back() == text[0];
  return !opens && !cited && between.size() <= kMaxHandlerBytes &&
         between.find_first_not_of(" \t\r\n\f/") == between.npos;
}

void read_loose_handlers(Pass& pass) {
  const std::string_view text = pass.text;
  static constexpr ByteFinder kQuotes("\"'");
  const std::size_t first_quote = kQuotes.find(text, 0);
  const bool in_tag = text.find('<') < first_quote;
  for (std::size_t equals = text.find('='); equals != std::string_view::npos;
       equals = text.find('=', equals + 1)) {
    std::size_t end = equals;
    while (end > 0 && equals - end < 16 && byte(text[end - 1]) <= ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && end - begin <= kMaxHandlerBytes && is_alpha(text[begin - 1])) --begin;
    if (begin > 0 && begin > first_quote && kDirectiveSigns.find(text[begin - 1]) != std::string_view::npos) {
      equals = std::max(equals, read_loose_directive(pass, begin, end));
      continue;
    }
    const std::string_view name = text.substr(begin, end - begin);
    if (!is_handler_name(name)) continue;
    const char before = begin > 0 ? text[begin - 1] : ' ';
    if (byte(before) > ' ' && std::string_view("\"'`/;(").find(before) == std::string_view::npos) continue;
    HtmlTokenizer tokenizer(text, begin);
    Tag tag;
    Attribute attribute;
    if (!tokenizer.next_attribute(tag, attribute) || !attribute.has_value) continue;
    if (attribute.quote == '\0') equals = std::max(equals, tokenizer.position() - 1);
    const bool known = kHandlers.has(name);
    std::string store;
    std::uint32_t flags = 0;
    std::string_view value = attribute.value;
    if (maybe_html_entity(value) && html_entity_decode(value, store, flags)) value = store;
    const Code code = read_handler(value, pass.memory);
    const bool quoted_before = first_quote < begin;
    Certainty certainty = Certainty::kPossible;
    const bool closes = quoted_before ? code.act >= Act::kEffect || is_behind_quote(text, begin)
                                      : code.act >= Act::kEffect && attribute.quote != '\0' &&
                                            is_rest_of_tag(text, begin, tokenizer.position());
    if (known && code.acts && code.valid && (closes || code.telling)) {
      certainty = Certainty::kCertain;
    } else if ((code.telling && (known || quoted_before)) ||
               (known && !in_tag && closes_attribute(text, first_quote, begin))) {
      certainty = Certainty::kLikely;
    } else if (!known || before == ';' || before == '(') {
      continue;
    }
    pass.out.add(XssEvidence::kLooseHandler, certainty, begin, std::max(equals, tokenizer.position()), name);
  }
}

void read_scripts(Pass& pass) {
  read_urls(pass);
  read_style_url(pass);
  read_style_value(pass);
  read_templates(pass);
  read_symbols(pass);
  js::ReadingsCache own;
  js::ReadingsCache& readings = pass.scripts != nullptr ? *pass.scripts : own;
  for (const js::PlacedReading& placed : readings.of(pass.text, pass.memory)) {
    Act act{};
    if (!placed.reading.strongest(Act::kCall, kLastOfPage, act)) continue;
    if (placed.place == js::Place::kWhole) {
      at_whole(pass, placed.reading, act);
    } else {
      at_break_out(pass, placed, act);
    }
  }
}

}  // namespace wafd::detect::xss
