#include "detect/analyze/js_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "detect/analyze/js_lexer.h"
#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

// Functions that make themselves felt or turn text into code; an injected script calls one of them.
constexpr WordSet kSinks({"alert", "eval", "prompt", "confirm", "function", "settimeout", "setinterval",
                          "setimmediate", "execscript", "importscripts", "mssetimmediate",
                          "requestanimationframe"});
// The same for scripts, but so common in programs and prose that more is needed.
constexpr WordSet kCommonSinks({"print",
                                "fetch",
                                "open",
                                "import",
                                "require",
                                "atob",
                                "btoa",
                                "unescape",
                                "decodeuricomponent",
                                "postmessage",
                                "sendbeacon",
                                "xmlhttprequest",
                                "createelement",
                                "write",
                                "writeln",
                                "insertadjacenthtml",
                                "queryselector",
                                "getelementbyid",
                                "log",
                                "replace",
                                "assign",
                                "focus",
                                "click",
                                "submit"});
// Names of the global object and of what leads to another one.
constexpr WordSet kGlobals({"window", "self", "top", "this", "parent", "frames", "globalthis", "document",
                            "opener", "content", "defaultview", "contentwindow", "global", "process", "event",
                            "navigator"});
constexpr WordSet kOperators({"return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw",
                              "case", "do", "else", "yield", "await", "default", "try", "finally"});
constexpr WordSet kDeclarations({"function", "var", "let", "const", "class", "export"});
constexpr WordSet kDocumentMembers(
    {"cookie",  "domain",          "write",         "writeln",        "location",
     "body",    "documentelement", "createelement", "getelementbyid", "queryselector",
     "forms",   "scripts",         "head",          "referrer",       "url",
     "baseuri", "defaultview",     "open",          "implementation", "images"});
// Members that lead from any value to the Function constructor, or change what others inherit.
struct Gadget {
  std::string_view name;
  int weight;
};
constexpr std::array<Gadget, 14> kGadgets{{{"constructor", 2},
                                           {"__proto__", 2},
                                           {"prototype", 1},
                                           {"getownpropertydescriptor", 1},
                                           {"getprototypeof", 1},
                                           {"setprototypeof", 1},
                                           {"defineproperty", 1},
                                           {"__definegetter__", 2},
                                           {"__definesetter__", 2},
                                           {"__lookupgetter__", 2},
                                           {"fromcharcode", 1},
                                           {"hasinstance", 1},
                                           {"valueof", 1},
                                           {"charat", 1}}};
constexpr int kGadgetsForSure = 4;
// Handlers of the global object: a sink assigned to one is called later.
constexpr WordSet kCallLater({"onerror", "onload", "onhashchange", "onmessage", "valueof", "tostring",
                              "tojson", "then", "hasinstance", "onfocus", "onclick", "toprimitive",
                              "onunhandledrejection", "get"});

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMaxFoldTokens = 96;

int gadget_weight(std::string_view name) noexcept {
  for (const Gadget& gadget : kGadgets) {
    if (iequals(name, gadget.name)) return gadget.weight;
  }
  return 0;
}

bool is_sink_word(std::string_view text) noexcept {
  // "Function" is a sink, "function" a declaration.
  return kSinks.has(text) && text != "function";
}

// A string that holds a call of a sink: code on its way to eval.
bool holds_sink_call(std::string_view value) noexcept {
  for (std::size_t at = 0; at < value.size();) {
    if (!is_alpha(value[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < value.size() && is_alpha(value[at])) ++at;
    if (at < value.size() && (value[at] == '(' || value[at] == '`') &&
        is_sink_word(value.substr(begin, at - begin))) {
      return true;
    }
  }
  return false;
}

// What stands in brackets after an object.
struct Folded {
  std::string value;
  bool computed = false;  // put together from parts, or a literal
  bool literals = false;  // of two or more parts, all of them literals
  bool escaped = false;   // letters or digits written as escapes
  bool known = false;     // `value` is what it evaluates to
};

class Judge {
 public:
  Judge(const JsLexer& lexer, bool breaks_out) : tokens_(lexer.tokens()), ended_(lexer.ends_in_comment()) {
    out_.breaks_out = breaks_out;
  }

  JsFinding run() {
    match_brackets();
    bool throws = false;
    bool gadget_seen = false;
    std::size_t gadget_first = 0;
    std::size_t gadget_last = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const JsToken& token = tokens_[i];
      if (token.kind == JsKind::kWord && token.text == "throw") throws = true;
      if (token.kind == JsKind::kWord && declares(i)) out_.declares = true;
    }
    int score = 0;
    bool sink_text = false;
    std::uint32_t seen_gadgets = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const JsToken& token = tokens_[i];
      switch (token.kind) {
        case JsKind::kWord:
          at_word(i, throws);
          break;
        case JsKind::kPunct:
          if (token.punct == '[') at_bracket(i);
          if (token.punct == '(') at_call(i);
          break;
        case JsKind::kString:
        case JsKind::kTemplate:
          if (!sink_text && holds_sink_call(token.text)) {
            sink_text = true;
            score += 2;
          }
          break;
        default:
          break;
      }
      if (token.kind == JsKind::kWord || token.kind == JsKind::kString) {
        for (std::size_t g = 0; g < kGadgets.size(); ++g) {
          if (!iequals(token.text, kGadgets[g].name)) continue;
          const std::uint32_t bit = 1u << g;
          // A second constructor in a row counts again: x.constructor.constructor is the way to Function.
          const bool chained = g == 0 && (seen_gadgets & 1u) != 0 && i >= 2 && is_punct(i - 1, '.');
          if ((seen_gadgets & bit) == 0 || chained) score += kGadgets[g].weight;
          seen_gadgets |= bit;
          if (!gadget_seen) gadget_first = i;
          gadget_seen = true;
          gadget_last = i;
        }
      }
    }
    // Wanted: one of the two heavy gadgets, reached as a member or named in a string.
    if (score >= kGadgetsForSure && (seen_gadgets & 0b11u) != 0) {
      report(JsAct::kConstructor, JsStrength::kSure, gadget_first, gadget_last);
    }
    if (out_.act != JsAct::kNone) {
      out_.breaks_out = out_.breaks_out || closes_before(acting_) || ended_ || quote_after(acting_);
    }
    return out_;
  }

 private:
  bool is_punct(std::size_t i, char c) const noexcept {
    return i < tokens_.size() && tokens_[i].kind == JsKind::kPunct && tokens_[i].punct == c;
  }
  bool is_word(std::size_t i) const noexcept {
    return i < tokens_.size() && tokens_[i].kind == JsKind::kWord;
  }
  bool is_text(std::size_t i) const noexcept {
    return i < tokens_.size() && (tokens_[i].kind == JsKind::kString || tokens_[i].kind == JsKind::kTemplate);
  }

  void match_brackets() {
    match_.assign(tokens_.size(), kNone);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind != JsKind::kPunct) continue;
      const char c = tokens_[i].punct;
      if (c == '(' || c == '[' || c == '{') {
        open.push_back(i);
      } else if (c == ')' || c == ']' || c == '}') {
        const char want = c == ')' ? '(' : c == ']' ? '[' : '{';
        if (!open.empty() && tokens_[open.back()].punct == want) {
          match_[open.back()] = i;
          match_[i] = open.back();
          open.pop_back();
        } else if (first_loose_ == kNone) {
          first_loose_ = i;
        }
      }
    }
  }

  bool closes_before(std::size_t i) const noexcept {
    if (first_loose_ < i) return true;
    for (std::size_t k = 0; k < i && k < 64; ++k) {
      if (tokens_[k].kind == JsKind::kLoneQuote) return true;
    }
    return false;
  }
  bool quote_after(std::size_t i) const noexcept {
    for (std::size_t k = i; k < tokens_.size(); ++k) {
      if (tokens_[k].kind == JsKind::kLoneQuote) return true;
    }
    return false;
  }

  // A declaration that a program has: "const a =", "function f(" , "class A {".
  bool declares(std::size_t i) const noexcept {
    return kDeclarations.has(tokens_[i].text) && tokens_[i].text[0] >= 'a' &&
           (is_word(i + 1) || is_punct(i + 1, '('));
  }

  // Before token i a new operand may begin; a word before it on the same line means prose.
  bool operand_position(std::size_t i) const noexcept {
    if (i == 0 || tokens_[i].line_before) return true;
    const JsToken& before = tokens_[i - 1];
    switch (before.kind) {
      case JsKind::kWord:
        return kOperators.has(before.text);
      case JsKind::kPunct:
        if (before.punct == '.') return i >= 2 && is_word(i - 2) && kGlobals.has(tokens_[i - 2].text);
        return true;
      case JsKind::kLoneQuote:
        return true;
      case JsKind::kString:
      case JsKind::kTemplate:
      case JsKind::kRegex:
      case JsKind::kNumber:
        return false;
    }
    return false;
  }

  // Token i ends an operand that something can be taken of: x, ), ], "…".
  bool ends_operand(std::size_t i) const noexcept {
    const JsToken& token = tokens_[i];
    if (token.kind == JsKind::kWord) return !kOperators.has(token.text);
    if (token.kind == JsKind::kPunct) return token.punct == ')' || token.punct == ']' || token.punct == '}';
    return token.kind != JsKind::kLoneQuote && token.kind != JsKind::kNumber;
  }

  // Index of what is called with if the operand that ends at i is called: '(' or a template.
  std::size_t call_after(std::size_t i) const noexcept {
    if (is_punct(i + 1, '(')) return i + 1;
    if (i + 1 < tokens_.size() && tokens_[i + 1].kind == JsKind::kTemplate) return i + 1;
    if (is_punct(i + 1, ')') && is_punct(i + 2, '(')) return i + 2;  // (0,alert)(1)
    if (is_punct(i + 1, ')') && i + 2 < tokens_.size() && tokens_[i + 2].kind == JsKind::kTemplate)
      return i + 2;
    if (is_punct(i + 1, '?') && is_punct(i + 2, '.') && is_punct(i + 3, '(')) return i + 3;  // alert?.(1)
    if (is_punct(i + 1, '.') && is_word(i + 2) && is_punct(i + 3, '(') &&
        (tokens_[i + 2].text == "call" || tokens_[i + 2].text == "apply" || tokens_[i + 2].text == "bind")) {
      return i + 3;
    }
    return kNone;
  }

  void report(JsAct act, JsStrength strength, std::size_t first, std::size_t last) {
    if (strength < out_.strength || (strength == out_.strength && act <= out_.act)) return;
    out_.act = act;
    out_.strength = strength;
    last = std::min(last, tokens_.size() - 1);
    out_.begin = tokens_[first].begin;
    out_.end = tokens_[last].end;
    acting_ = first;
  }

  std::size_t end_of_call(std::size_t call) const noexcept {
    return match_[call] != kNone ? match_[call] : call;
  }

  void at_word(std::size_t i, bool throws) {
    const JsToken& token = tokens_[i];
    const bool sink = is_sink_word(token.text);
    if (sink || kCommonSinks.has(token.text)) {
      const std::size_t call = call_after(i);
      if (call != kNone && operand_position(i)) at_sink_call(i, call, sink);
      if (sink && call == kNone) at_sink_value(i, throws);
    }
    if (token.text == "document" && is_punct(i + 1, '.') && is_word(i + 2) &&
        kDocumentMembers.has(tokens_[i + 2].text) && operand_position(i)) {
      const bool used = i > 0 && tokens_[i - 1].kind == JsKind::kPunct && tokens_[i - 1].punct != '.';
      const bool more =
          is_punct(i + 3, '+') || is_punct(i + 3, ')') || is_punct(i + 3, '(') || is_punct(i + 3, '=');
      report(JsAct::kDom, used || more ? JsStrength::kLikely : JsStrength::kWeak, i, i + 2);
    }
    if (token.text == "location" && operand_or_member(i)) at_location(i);
    if ((iequals(token.text, "innerhtml") || iequals(token.text, "outerhtml") ||
         iequals(token.text, "srcdoc")) &&
        i > 0 && is_punct(i - 1, '.') && is_punct(i + 1, '=') && tokens_[i + 1].plain_assign) {
      report(JsAct::kDom, JsStrength::kLikely, i, i + 1);
    }
    if (iequals(token.text, "fromcharcode") && is_punct(i + 1, '(')) {
      report(JsAct::kSinkCall, JsStrength::kLikely, i, end_of_call(i + 1));
    }
    if (token.text == "constructor" && i > 0 && (is_punct(i - 1, '.') || is_punct(i - 1, ']'))) {
      // x.constructor('…')(), x.constructor`…`, x.constructor.constructor(
      if ((is_punct(i + 1, '(') && is_text(i + 2)) || (i + 1 < tokens_.size() && is_text(i + 1))) {
        report(JsAct::kConstructor, JsStrength::kSure, i, i + 2);
      }
    }
    if (i > 0 && is_punct(i - 1, '.') && i + 1 < tokens_.size() && tokens_[i + 1].kind == JsKind::kTemplate &&
        (token.text == "call" || token.text == "apply" || token.text == "map" || token.text == "sort" ||
         token.text == "find" || token.text == "replace")) {
      report(JsAct::kSinkValue, JsStrength::kLikely, i - 1, i + 1);
    }
    if (token.escaped && (sink || gadget_weight(token.text) > 0)) {
      report(JsAct::kComputed, JsStrength::kSure, i, i);
    }
  }

  bool operand_or_member(std::size_t i) const noexcept {
    return operand_position(i) || (is_punct(i - 1, '.') && i >= 2 && is_word(i - 2));
  }

  void at_sink_call(std::size_t i, std::size_t call, bool sink) {
    const std::size_t end = end_of_call(call);
    JsStrength strength = sink ? JsStrength::kLikely : JsStrength::kWeak;
    // "function (x) {" and "if confirm (…)" are read elsewhere; new Function(…) and Function(…)() are sinks.
    if (tokens_[i].text == "import" && is_text(call + 1)) strength = JsStrength::kLikely;
    // A sink fed with made-up text is made to hide.
    const std::size_t stop = std::min({end, call + kMaxFoldTokens, tokens_.size()});
    for (std::size_t k = call + 1; sink && k < stop; ++k) {
      if (tokens_[k].kind == JsKind::kString && tokens_[k].escaped && holds_sink_call(tokens_[k].text)) {
        strength = JsStrength::kSure;
      }
      if (tokens_[k].kind == JsKind::kWord && (iequals(tokens_[k].text, "fromcharcode") ||
                                               tokens_[k].text == "atob" || tokens_[k].text == "unescape")) {
        strength = JsStrength::kSure;
      }
      if (tokens_[k].kind == JsKind::kWord && tokens_[k].text == "document" && is_punct(k + 1, '.')) {
        strength = JsStrength::kSure;  // alert(document.cookie)
      }
    }
    report(JsAct::kSinkCall, strength, i, end);
  }

  // a=alert;a(1)   onerror=eval;throw'…'   [1].map(alert)   {toString:alert}
  void at_sink_value(std::size_t i, bool throws) {
    if (i == 0) return;
    const std::size_t n = tokens_.size();
    const bool closes = i + 1 >= n || is_punct(i + 1, ';') || is_punct(i + 1, ',') || is_punct(i + 1, ')') ||
                        is_punct(i + 1, '}') || is_punct(i + 1, ']') || tokens_[i + 1].line_before;
    if (!closes) return;
    if ((is_punct(i - 1, '=') && tokens_[i - 1].plain_assign) || is_punct(i - 1, ':')) {
      std::size_t name = i >= 2 ? i - 2 : kNone;
      if (name != kNone && is_punct(name, ']')) name = match_[name] != kNone ? name - 1 : kNone;
      if (name == kNone || (!is_word(name) && !is_text(name))) return;
      if (throws || kCallLater.has(tokens_[name].text)) {
        report(JsAct::kSinkValue, JsStrength::kSure, i - 1, i);
        return;
      }
      const std::size_t stop = std::min(n, i + 64);
      for (std::size_t k = i + 1; k < stop; ++k) {
        if (is_word(k) && tokens_[k].text == tokens_[name].text && call_after(k) != kNone) {
          report(JsAct::kSinkValue, JsStrength::kSure, i - 1, k + 1);
          return;
        }
      }
      return;
    }
    // Sole argument of a method: [1].find(alert), 'x'.replace(/./,alert)
    const std::size_t behind = is_punct(i + 1, ')') ? i + 1 : kNone;
    if (behind == kNone || match_[behind] == kNone) return;
    const std::size_t call = match_[behind];
    if (call >= 2 && is_word(call - 1) && is_punct(call - 2, '.') &&
        (call + 1 == i || is_punct(i - 1, ','))) {
      report(JsAct::kSinkValue, JsStrength::kLikely, call - 1, behind);
    }
  }

  void at_location(std::size_t i) {
    std::size_t k = i + 1;
    if (is_punct(k, '.') && is_word(k + 1)) {
      const std::string_view member = tokens_[k + 1].text;
      if ((member == "assign" || member == "replace") && is_punct(k + 2, '(')) {
        report(JsAct::kNavigate, JsStrength::kLikely, i, end_of_call(k + 2));
        return;
      }
      if (member != "href" && member != "hash" && member != "search" && member != "pathname") return;
      k += 2;
    }
    if (!is_punct(k, '=') || !tokens_[k].plain_assign || k + 1 >= tokens_.size()) return;
    const JsToken& value = tokens_[k + 1];
    bool acts = false;
    if (value.kind == JsKind::kString || value.kind == JsKind::kTemplate) {
      acts = value.text.find(':') != std::string_view::npos || value.text.starts_with("//") ||
             is_punct(k + 2, '+');
    } else if (value.kind == JsKind::kWord) {
      acts = value.text == "name" || value.text == "location" || value.text == "document" ||
             value.text == "unescape" || value.text == "atob" || kGlobals.has(value.text);
      acts = acts && k + 2 <= tokens_.size();
    }
    if (acts) report(JsAct::kNavigate, JsStrength::kLikely, i, k + 1);
  }

  Folded fold(std::size_t open) const {
    Folded out;
    const std::size_t close = match_[open];
    if (close == kNone || close == open + 1) return out;
    const std::size_t stop = std::min(close, open + 1 + kMaxFoldTokens);
    std::size_t literals = 0;
    bool unknown = stop != close;
    bool joins = false;
    for (std::size_t k = open + 1; k < stop; ++k) {
      const JsToken& token = tokens_[k];
      if (token.kind == JsKind::kString || token.kind == JsKind::kTemplate) {
        out.value += token.text;
        out.escaped = out.escaped || token.escaped;
        ++literals;
      } else if (token.kind == JsKind::kRegex && is_punct(k + 1, '.') && is_word(k + 2) &&
                 tokens_[k + 2].text == "source") {
        out.value += token.text;
        ++literals;
        joins = true;
        k += 2;
      } else if (token.kind == JsKind::kPunct &&
                 (token.punct == '+' || token.punct == '(' || token.punct == ')' || token.punct == '[' ||
                  token.punct == ']')) {
        joins = joins || token.punct == '+';
      } else if (token.kind == JsKind::kWord && token.text == "concat" && is_punct(k - 1, '.')) {
        joins = true;
      } else if (token.kind == JsKind::kPunct && token.punct == '.') {
        continue;
      } else {
        unknown = true;
      }
    }
    out.known = !unknown && literals > 0;
    out.literals = out.known && joins && literals >= 2;
    out.computed = literals > 0;
    return out;
  }

  void at_bracket(std::size_t i) {
    if (i == 0 || !ends_operand(i - 1) || match_[i] == kNone) return;
    const Folded folded = fold(i);
    if (!folded.computed) return;
    const std::size_t close = match_[i];
    const bool called = call_after(close) != kNone;
    const bool global = is_word(i - 1) && kGlobals.has(tokens_[i - 1].text);
    const bool names_sink =
        folded.known && (is_sink_word(folded.value) || (called && iequals(folded.value, "eval")));
    const bool names_gadget = folded.known && gadget_weight(folded.value) >= 2;
    const bool hides = folded.literals || folded.escaped;
    if (folded.known && kDocumentMembers.has(folded.value) && names_document(i - 1)) {
      report(JsAct::kDom, JsStrength::kLikely, i - 1, close);
    }
    if (names_sink && (called || global || hides)) {
      report(JsAct::kComputed, JsStrength::kSure, i - 1, close + 1);
    } else if (names_gadget && (called || hides)) {
      report(JsAct::kConstructor, JsStrength::kSure, i - 1, close + 1);
    } else if (hides && called && (global || folded.escaped)) {
      report(JsAct::kComputed, JsStrength::kSure, i - 1, close + 1);
    } else if (hides && (global || called)) {
      report(JsAct::kComputed, JsStrength::kLikely, i - 1, close);
    } else if (names_gadget) {
      report(JsAct::kConstructor, JsStrength::kLikely, i - 1, close);
    }
  }

  // document, (document), window.document
  bool names_document(std::size_t i) const noexcept {
    if (is_punct(i, ')')) --i;
    return is_word(i) && tokens_[i].text == "document";
  }

  // A call of what a call made, fed with code: f('alert(1)')()
  void at_call(std::size_t i) {
    if (i == 0 || !is_punct(i - 1, ')') || match_[i - 1] == kNone) return;
    const std::size_t inner = match_[i - 1];
    if (inner > 0 && ends_operand(inner - 1) && i >= 2 && is_text(i - 2) &&
        holds_sink_call(tokens_[i - 2].text)) {
      report(JsAct::kConstructor, JsStrength::kSure, inner - 1, i);
    }
  }

  const std::vector<JsToken>& tokens_;
  const bool ended_;
  std::vector<std::size_t> match_;
  std::size_t first_loose_ = kNone;  // first closing bracket that nothing opened
  std::size_t acting_ = 0;
  JsFinding out_;
};

// Code of brackets and signs alone (the six characters that suffice, and the like): a run of them that
// indexes, negates and adds empty literals.
JsFinding read_symbols(std::string_view text) {
  constexpr std::size_t kMinRun = 14;
  constexpr std::size_t kMinPairs = 3;
  JsFinding out;
  std::size_t begin = 0;
  std::size_t pairs = 0;
  std::size_t signs = 0;  // without the spaces that a form's '+' became
  bool negates = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : '\0';
    const bool space = c == ' ' && i > begin;
    const bool symbol = space || c == '[' || c == ']' || c == '(' || c == ')' || c == '{' || c == '}' ||
                        c == '!' || c == '+' || c == '~' || c == '-';
    if (symbol) {
      if (!space) ++signs;
      if (i > begin && ((c == ']' && text[i - 1] == '[') || (c == '}' && text[i - 1] == '{'))) ++pairs;
      if ((c == '[' || c == '+') && i > begin && (text[i - 1] == '!' || text[i - 1] == '+')) negates = true;
      continue;
    }
    if (signs >= kMinRun && pairs >= kMinPairs && negates) {
      out.act = JsAct::kSymbolOnly;
      out.strength = JsStrength::kSure;
      out.begin = static_cast<std::uint32_t>(begin);
      out.end = static_cast<std::uint32_t>(i);
      return out;
    }
    begin = i + 1;
    pairs = 0;
    signs = 0;
    negates = false;
  }
  return out;
}

void keep_stronger(JsFinding& best, const JsFinding& found) {
  const bool stronger =
      found.strength > best.strength ||
      (found.strength == best.strength && found.breaks_out && !best.breaks_out) ||
      (found.strength == best.strength && found.breaks_out == best.breaks_out && found.act > best.act);
  if (stronger) best = found;
}

// Behind a closing quote a script goes on with a sign or a word operator; anything else was a quotation in
// prose.
bool goes_on(const std::vector<JsToken>& tokens) noexcept {
  if (tokens.empty()) return false;
  const JsToken& first = tokens.front();
  if (first.line_before) return true;
  if (first.kind == JsKind::kPunct) return true;
  return first.kind == JsKind::kWord && (first.text == "in" || first.text == "instanceof");
}

constexpr std::size_t kMaxBreakoutBytes = 16384;

// All of `code`, in pieces of as many tokens as the lexer takes at once.
void read_code(JsLexer& lexer, std::string_view code, JsFinding& best) {
  bool declares = false;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t next = lexer.read(code, at);
    const JsFinding found = Judge(lexer, false).run();
    declares = declares || found.declares;
    keep_stronger(best, found);
    if (next <= at) break;
    at = next;
  }
  best.declares = best.declares || declares;
}

}  // namespace

JsFinding read_js(std::string_view code) {
  JsFinding best = read_symbols(code);
  JsLexer lexer;
  read_code(lexer, code, best);
  return best;
}

JsFinding read_js_value(std::string_view value) {
  JsFinding best = read_symbols(value);
  JsLexer lexer;
  read_code(lexer, value, best);
  const bool declares = best.declares;
  for (const std::string_view closer : {"'", "\"", "`", "*/"}) {
    const std::size_t at = value.find(closer);
    if (at == std::string_view::npos) continue;
    // What leaves a string acts soon; the whole of a long text is read as code above.
    lexer.read(value.substr(0, at + kMaxBreakoutBytes), at + closer.size());
    if (closer != "*/" && !goes_on(lexer.tokens())) continue;
    keep_stronger(best, Judge(lexer, true).run());
  }
  best.declares = best.declares || declares;
  return best;
}

const char* to_words(JsAct act) noexcept {
  switch (act) {
    case JsAct::kNone:
      return "does nothing known";
    case JsAct::kDom:
      return "reads or writes the document";
    case JsAct::kSinkCall:
      return "calls a script function";
    case JsAct::kSinkValue:
      return "arranges for a script function to be called";
    case JsAct::kNavigate:
      return "sends the browser to another address";
    case JsAct::kComputed:
      return "calls a function whose name it puts together";
    case JsAct::kConstructor:
      return "reaches for the Function constructor";
    case JsAct::kSymbolOnly:
      return "is code written in brackets and signs alone";
  }
  return "";
}

}  // namespace wafd::detect
