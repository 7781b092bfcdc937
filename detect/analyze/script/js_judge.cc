#include "detect/analyze/script/js_judge.h"

#include <algorithm>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::uint32_t kNoMatch = 0xffffffffu;
constexpr int kGadgetsForSure = 4;

// "Function" is a sink, "function" a declaration.
bool is_sink(std::uint32_t flags, std::string_view text) noexcept {
  return (flags & kJsSink) != 0 && text != "function";
}

}  // namespace

bool holds_sink_call(std::string_view value) noexcept {
  for (std::size_t at = 0; at < value.size();) {
    if (!is_alpha(value[at])) {
      // A word that begins with another octet is another word.
      if (is_digit(value[at]) || value[at] == '_' || value[at] == '$') {
        while (at < value.size() && (is_alnum(value[at]) || value[at] == '_' || value[at] == '$')) ++at;
      } else {
        ++at;
      }
      continue;
    }
    const std::size_t begin = at;
    while (at < value.size() && (is_alnum(value[at]) || value[at] == '_' || value[at] == '$')) ++at;
    if (at < value.size() && (value[at] == '(' || value[at] == '`')) {
      const std::string_view word = value.substr(begin, at - begin);
      if (is_sink(js_word(word), word)) return true;
    }
  }
  return false;
}

JsJudge::JsJudge(const JsLexer& lexer, bool breaks_out, std::pmr::memory_resource& memory)
    : tokens_(lexer.tokens()),
      ended_(lexer.ends_in_comment()),
      flags_(tokens_.size(), 0, &memory),
      match_(tokens_.size(), kNoMatch, &memory),
      open_(&memory) {
  out_.breaks_out = breaks_out;
}

JsFinding JsJudge::run() {
  match_brackets();
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const JsToken& token = tokens_[i];
    if (token.kind != JsKind::kWord && token.kind != JsKind::kString && token.kind != JsKind::kTemplate)
      continue;
    flags_[i] = js_word(token.text);
    if (token.kind != JsKind::kWord) continue;
    throws_ = throws_ || token.text == "throw";
    // A declaration that a program has: "const a =", "function f(", "class A {"; in a form as it was sent
    // plus signs stand for the spaces.
    if (has(i, kJsDeclaration) && is_lower(token.text[0]) &&
        (is_word(i + 1) || is_punct(i + 1, '(') || (is_punct(i + 1, '+') && is_word(i + 2))))
      out_.declares = true;
  }
  bool sink_text = false;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const JsToken& token = tokens_[i];
    switch (token.kind) {
      case JsKind::kWord:
        at_word(i);
        break;
      case JsKind::kPunct:
        if (token.punct == '[') at_bracket(i);
        if (token.punct == '(') at_call(i);
        break;
      case JsKind::kString:
      case JsKind::kTemplate:
        if (!sink_text && holds_sink_call(token.text)) {
          sink_text = true;
          score_ += 2;
        }
        break;
      default:
        break;
    }
    count_gadgets(i);
  }
  // Wanted: one of the two that lead to Function, reached as a member or named in a string.
  if (score_ >= kGadgetsForSure && gadget_used_ && (seen_gadgets_ & (kJsConstructor | kJsProto)) != 0)
    report(JsAct::kConstructor, JsStrength::kSure, gadget_first_, gadget_last_);
  if (out_.act != JsAct::kNone)
    out_.breaks_out = out_.breaks_out || closes_before(acting_) || ended_ || quote_after(acting_);
  return out_;
}

void JsJudge::count_gadgets(std::size_t i) {
  const std::uint32_t gadget = flags_[i] & kJsGadgets;
  if (gadget == 0 || (tokens_[i].kind == JsKind::kString && tokens_[i].escaped)) return;
  // A second constructor in a row counts again: x.constructor.constructor is the way to Function.
  const bool chained = (gadget & seen_gadgets_ & kJsConstructor) != 0 && i >= 2 && is_punct(i - 1, '.');
  if ((gadget & ~seen_gadgets_) != 0 || chained) score_ += (gadget & kJsHeavyGadgets) != 0 ? 2 : 1;
  if (seen_gadgets_ == 0) gadget_first_ = i;
  // Called, indexed, written to, named in a string or twice in a row; prose that speaks of it does none of
  // these.
  const bool twice = chained && has(i - 2, kJsConstructor);
  gadget_used_ = gadget_used_ || twice || !is_word(i) || is_punct(i + 1, '(') || is_punct(i + 1, '[') ||
                 is_punct(i + 1, '=') || is_text(i + 1);
  seen_gadgets_ |= gadget;
  gadget_last_ = i;
}

bool JsJudge::is_punct(std::size_t i, char c) const noexcept {
  return i < tokens_.size() && tokens_[i].kind == JsKind::kPunct && tokens_[i].punct == c;
}
bool JsJudge::is_word(std::size_t i) const noexcept {
  return i < tokens_.size() && tokens_[i].kind == JsKind::kWord;
}
bool JsJudge::is_text(std::size_t i) const noexcept {
  return i < tokens_.size() && (tokens_[i].kind == JsKind::kString || tokens_[i].kind == JsKind::kTemplate);
}
bool JsJudge::sink(std::size_t i) const noexcept { return is_sink(flags_[i], tokens_[i].text); }

void JsJudge::match_brackets() {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != JsKind::kPunct) continue;
    const char c = tokens_[i].punct;
    if (c == '(' || c == '[' || c == '{') {
      open_.push_back(static_cast<std::uint32_t>(i));
    } else if (c == ')' || c == ']' || c == '}') {
      const char want = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (!open_.empty() && tokens_[open_.back()].punct == want) {
        match_[open_.back()] = static_cast<std::uint32_t>(i);
        match_[i] = open_.back();
        open_.pop_back();
      } else if (first_loose_ == kNone) {
        first_loose_ = i;
      }
    }
  }
}

bool JsJudge::closes_before(std::size_t i) const noexcept {
  if (first_loose_ < i) return true;
  for (std::size_t k = 0; k < i && k < 64; ++k) {
    if (tokens_[k].kind == JsKind::kLoneQuote) return true;
  }
  return false;
}

bool JsJudge::quote_after(std::size_t i) const noexcept {
  for (std::size_t k = i; k < tokens_.size(); ++k) {
    if (tokens_[k].kind == JsKind::kLoneQuote) return true;
  }
  return false;
}

// Before token i a new operand may begin; a word before it on the same line means prose.
bool JsJudge::operand_position(std::size_t i) const noexcept {
  if (i == 0 || tokens_[i].line_before) return true;
  const JsToken& before = tokens_[i - 1];
  switch (before.kind) {
    case JsKind::kWord:
      return has(i - 1, kJsOperator);
    case JsKind::kPunct:
      if (before.punct == '.') return i >= 2 && is_word(i - 2) && has(i - 2, kJsGlobal);
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
bool JsJudge::ends_operand(std::size_t i) const noexcept {
  const JsToken& token = tokens_[i];
  if (token.kind == JsKind::kWord) return !has(i, kJsOperator);
  if (token.kind == JsKind::kPunct) return token.punct == ')' || token.punct == ']' || token.punct == '}';
  return token.kind != JsKind::kLoneQuote && token.kind != JsKind::kNumber;
}

// Index of what is called with if the operand that ends at i is called: '(' or a template.
std::size_t JsJudge::call_after(std::size_t i) const noexcept {
  const auto template_at = [this](std::size_t k) {
    return k < tokens_.size() && tokens_[k].kind == JsKind::kTemplate;
  };
  if (is_punct(i + 1, '(') || template_at(i + 1)) return i + 1;
  if (is_punct(i + 1, ')') && (is_punct(i + 2, '(') || template_at(i + 2))) return i + 2;  // (0,alert)(1)
  if (!is_punct(i + 1, '.')) return kNone;
  if (is_punct(i + 2, '(')) return i + 2;  // alert?.(1)
  if (is_word(i + 2) && is_punct(i + 3, '(') &&
      (tokens_[i + 2].text == "call" || tokens_[i + 2].text == "apply" || tokens_[i + 2].text == "bind")) {
    return i + 3;
  }
  return kNone;
}

std::size_t JsJudge::end_of_call(std::size_t call) const noexcept {
  return match_[call] != kNoMatch ? match_[call] : call;
}

void JsJudge::report(JsAct act, JsStrength strength, std::size_t first, std::size_t last) {
  if (strength < out_.strength || (strength == out_.strength && act <= out_.act)) return;
  out_.act = act;
  out_.strength = strength;
  last = std::min(last, tokens_.size() - 1);
  out_.begin = tokens_[first].begin;
  out_.end = tokens_[last].end;
  acting_ = first;
}

void JsJudge::at_word(std::size_t i) {
  const JsToken& token = tokens_[i];
  const std::uint32_t flags = flags_[i];
  if (flags == 0) return;
  if (sink(i) || (flags & kJsCommonSink) != 0) {
    const std::size_t call = call_after(i);
    if (call != kNone && operand_position(i)) at_sink_call(i, call);
    if (call == kNone && sink(i)) at_sink_value(i);
  }
  if ((flags & kJsDocument) != 0) at_document(i);
  if ((flags & kJsLocation) != 0) at_location(i);
  const bool member = i > 0 && is_punct(i - 1, '.');
  if ((flags & kJsHtmlMember) != 0 && member && is_punct(i + 1, '=') && tokens_[i + 1].plain_assign)
    report(JsAct::kDom, JsStrength::kLikely, i, i + 1);
  if (iequals(token.text, "fromcharcode") && is_punct(i + 1, '('))
    report(JsAct::kSinkCall, JsStrength::kLikely, i, end_of_call(i + 1));
  if ((flags & kJsConstructor) != 0 && i > 0 && (member || is_punct(i - 1, ']'))) {
    // x.constructor('…')(), x.constructor`…`, x.constructor.constructor(
    if ((is_punct(i + 1, '(') && is_text(i + 2)) || is_text(i + 1))
      report(JsAct::kConstructor, JsStrength::kSure, i, i + 2);
    // x.constructor(y)(): what was made of text is called.
    const std::size_t end = is_punct(i + 1, '(') ? match_[i + 1] : kNoMatch;
    if (end != kNoMatch && end > i + 2 && (is_punct(end + 1, '(') || is_text(end + 1)))
      report(JsAct::kConstructor, JsStrength::kSure, i, end + 1);
  }
  if ((flags & kJsTakesTemplate) != 0 && member && i + 1 < tokens_.size() &&
      tokens_[i + 1].kind == JsKind::kTemplate) {
    report(JsAct::kSinkValue, JsStrength::kLikely, i - 1, i + 1);
  }
  if (token.escaped && (sink(i) || (flags & kJsGadgets) != 0))
    report(JsAct::kComputed, JsStrength::kSure, i, i);
}

void JsJudge::at_sink_call(std::size_t i, std::size_t call) {
  const bool certain = sink(i);
  const std::size_t end = end_of_call(call);
  JsStrength strength = certain ? JsStrength::kLikely : JsStrength::kWeak;
  // import('…') loads and runs.
  if (tokens_[i].text == "import" && is_text(call + 1)) strength = JsStrength::kLikely;
  // fetch('//…'): what asks another host, in a value that is no program.
  const bool address = is_text(call + 1) && (tokens_[call + 1].text.starts_with("//") ||
                                             tokens_[call + 1].text.find("://") != std::string_view::npos);
  if (!certain && address && tokens_[i].text == "fetch") strength = JsStrength::kLikely;
  // A sink fed with made-up text is made to hide.
  const std::size_t stop = std::min({end, call + kMaxFoldTokens, tokens_.size()});
  for (std::size_t k = call + 1; certain && k < stop; ++k) {
    const JsToken& token = tokens_[k];
    const bool hidden = token.kind == JsKind::kString && token.escaped && holds_sink_call(token.text);
    const bool built = token.kind == JsKind::kWord && has(k, kJsBuildsText);
    const bool secret =
        token.kind == JsKind::kWord && has(k, kJsDocument) && is_punct(k + 1, '.');  // alert(document.cookie)
    if (hidden || built || secret) strength = JsStrength::kSure;
  }
  if (strength == JsStrength::kLikely && is_punct(i + 1, '(') && tokens_[call].begin > tokens_[i].end &&
      (words_before(i) || (is_word(call + 1) && octet(tokens_[call + 1].text[0]) >= 0x80))) {
    strength = JsStrength::kWeak;
  }
  // "eval() is evil", "confirm(ation) by mail": no operator stands between the call and the words behind it.
  if (strength == JsStrength::kLikely && is_word(end + 1) && !tokens_[end + 1].line_before &&
      !has(end + 1, kJsOperator) &&
      (is_word(end + 2) || (end == call + 2 && is_word(call + 1) && end + 2 == tokens_.size())))
    strength = JsStrength::kWeak;
  report(JsAct::kSinkCall, strength, i, end);
}

// Two words in a row in the statement that holds token i: no script is "blue host & alert (5)".
bool JsJudge::words_before(std::size_t i) const noexcept {
  constexpr std::size_t kLookBack = 16;
  for (std::size_t k = i; k > 1 && i - k < kLookBack; --k) {
    const JsToken& token = tokens_[k - 1];
    if (token.line_before || token.kind == JsKind::kLoneQuote || is_text(k - 1) || is_punct(k - 1, ';'))
      return false;
    if (token.kind != JsKind::kWord || !is_word(k - 2)) continue;
    const bool binary = token.text == "in" || token.text == "instanceof" || token.text == "of";
    if (!binary && !has(k - 2, kJsOperator | kJsDeclaration)) return true;
  }
  return false;
}

// a=alert;a(1)   onerror=eval;throw'…'   [1].map(alert)   {toString:alert}
void JsJudge::at_sink_value(std::size_t i) {
  if (i == 0) return;
  const std::size_t n = tokens_.size();
  const bool closes = i + 1 >= n || is_punct(i + 1, ';') || is_punct(i + 1, ',') || is_punct(i + 1, ')') ||
                      is_punct(i + 1, '}') || is_punct(i + 1, ']') || tokens_[i + 1].line_before;
  if (!closes) return;
  // Object.values({a:alert})[0](1)
  for (std::size_t k = i + 1; is_punct(i - 1, ':') && k + 1 < std::min(n, i + 12); ++k) {
    if (is_punct(k, ']') && is_punct(k + 1, '('))
      return report(JsAct::kSinkValue, JsStrength::kSure, i - 1, k + 1);
  }
  if ((is_punct(i - 1, '=') && tokens_[i - 1].plain_assign) || is_punct(i - 1, ':')) {
    std::size_t name = i >= 2 ? i - 2 : kNone;
    if (name != kNone && is_punct(name, ']')) name = match_[name] != kNoMatch ? name - 1 : kNone;
    if (name == kNone || (!is_word(name) && !is_text(name))) return;
    if (throws_ || has(name, kJsCallsLater)) {
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
  // What a method is to call, in front of what to call it with: Reflect.apply(alert,null,[1])
  if (is_punct(i - 1, '(') && is_punct(i + 1, ',') && i >= 4 && is_word(i - 2) && is_punct(i - 3, '.')) {
    const bool reflects = (tokens_[i - 2].text == "apply" || tokens_[i - 2].text == "construct") &&
                          is_word(i - 4) && tokens_[i - 4].text == "Reflect";
    if (reflects || has(i - 2, kJsTakesTemplate))
      report(JsAct::kSinkValue, reflects ? JsStrength::kSure : JsStrength::kLikely, i - 4, i);
    return;
  }
  // Sole argument of a method: [1].find(alert), 'x'.replace(/./,alert)
  const std::size_t behind = is_punct(i + 1, ')') ? i + 1 : kNone;
  if (behind == kNone || match_[behind] == kNoMatch) return;
  const std::size_t call = match_[behind];
  if (call >= 2 && is_word(call - 1) && is_punct(call - 2, '.') && (call + 1 == i || is_punct(i - 1, ',')))
    report(JsAct::kSinkValue, JsStrength::kLikely, call - 1, behind);
}

// A call of what a call made, fed with code: f('alert(1)')()
void JsJudge::at_call(std::size_t i) {
  if (i < 2 || !is_punct(i - 1, ')') || match_[i - 1] == kNoMatch) return;
  const std::size_t inner = match_[i - 1];
  // Reflect.get(window,'al'+'ert')(1)
  if (inner >= 3 && is_word(inner - 1) && tokens_[inner - 1].text == "get" && is_word(inner - 3) &&
      tokens_[inner - 3].text == "Reflect" && is_word(inner + 1) && has(inner + 1, kJsGlobal))
    report(JsAct::kComputed, JsStrength::kSure, inner - 3, i);
  if (inner > 0 && ends_operand(inner - 1) && is_text(i - 2) && !tokens_[i - 2].escaped &&
      holds_sink_call(tokens_[i - 2].text)) {
    report(JsAct::kConstructor, JsStrength::kSure, inner - 1, i);
  }
}

}  // namespace wafd::detect
