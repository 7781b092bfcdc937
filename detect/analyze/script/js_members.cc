// Members by name, by a name that is put together, of the document and of its location.
#include <algorithm>
#include <cstring>

#include "detect/analyze/script/js_judge.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::uint32_t kNoMatch = 0xffffffffu;

}  // namespace

JsJudge::Folded JsJudge::fold(std::size_t open) const {
  Folded out;
  const std::size_t close = match_[open];
  const std::size_t stop = std::min(close, open + 1 + kMaxFoldTokens);
  std::size_t literals = 0;
  bool unknown = stop != close;
  bool joins = false;
  const auto take = [&](std::string_view text) {
    const std::size_t size = std::min(text.size(), kMaxFoldBytes - out.size);
    std::memcpy(out.text + out.size, text.data(), size);
    out.size += size;
    unknown = unknown || size != text.size();
    ++literals;
  };
  for (std::size_t k = open + 1; k < stop; ++k) {
    const JsToken& token = tokens_[k];
    const bool method = token.kind == JsKind::kWord && is_punct(k - 1, '.');
    if (token.kind == JsKind::kString || token.kind == JsKind::kTemplate) {
      // Two strings side by side are no expression.
      unknown = unknown || tokens_[k - 1].kind == JsKind::kString;
      take(token.text);
      out.escaped = out.escaped || token.escaped;
    } else if (token.kind == JsKind::kRegex && is_punct(k + 1, '.') && is_word(k + 2) &&
               has(k + 2, kJsSource)) {
      take(token.text);
      joins = true;
      k += 2;
    } else if (method && has(k, kJsConcat)) {
      joins = true;
    } else if (is_punct(k, '+')) {
      unknown = unknown || is_punct(k - 1, '+');  // ++ takes no text, + + makes a number
      joins = true;
    } else if (!is_punct(k, '(') && !is_punct(k, ')') && !is_punct(k, '[') && !is_punct(k, ']') &&
               !(is_punct(k, '.') && is_word(k + 1))) {
      unknown = true;
    }
  }
  out.texts = literals > 0;
  out.known = !unknown && out.texts;
  out.joined = out.known && joins && literals >= 2;
  return out;
}

// window[Object.keys(window).find(…)](1), top[8680439..toString(30)](1): a function of the page by a name
// that a call makes.
void JsJudge::made_name(std::size_t open, std::size_t object) {
  const std::size_t close = match_[open];
  if (!is_word(object) || !has(object, kJsGlobal) || call_after(close) == kNone) return;
  const std::size_t stop = std::min(close, open + 1 + kMaxFoldTokens);
  for (std::size_t k = open + 1; k < stop; ++k) {
    if (!is_punct(k, '(')) continue;
    const bool number = tokens_[open + 1].kind == JsKind::kNumber;
    return report(JsAct::kComputed, number ? JsStrength::kSure : JsStrength::kLikely, object, close + 1);
  }
}

void JsJudge::at_bracket(std::size_t i) {
  if (i == 0 || match_[i] == kNoMatch || match_[i] == i + 1) return;
  // a?.[…] is a[…] where there is an a.
  const std::size_t object = i >= 2 && is_punct(i - 1, '.') ? i - 2 : i - 1;
  if (!ends_operand(object)) return;
  const JsToken& first = tokens_[i + 1];
  if (first.kind == JsKind::kWord) {  // x[i], but window[atob('…')](…)
    const bool made = has(i + 1, kJsBuildsText) && (is_punct(i + 2, '(') || is_text(i + 2));
    if (made && is_word(object) && has(object, kJsGlobal) && call_after(match_[i]) != kNone)
      report(JsAct::kComputed, JsStrength::kSure, object, match_[i] + 1);
    // self[name](1): whatever function of the page
    else if (is_word(object) && has(object, kJsWindow) && !has(object, kJsDocument) && match_[i] == i + 2 &&
             is_punct(i + 3, '('))
      report(JsAct::kComputed, JsStrength::kLikely, object, i + 3);
    else
      made_name(i, object);
    return;
  }
  if (first.kind == JsKind::kNumber) return made_name(i, object);
  const Folded folded = fold(i);
  if (!folded.known) return made_name(i, object);
  const std::size_t close = match_[i];
  const bool called = call_after(close) != kNone;
  const bool global = is_word(object) && has(object, kJsGlobal);
  const std::uint32_t flags = js_word(folded.value());
  const bool names_sink = (flags & kJsSink) != 0 && folded.value() != "function";
  const bool names_gadget = (flags & kJsHeavyGadgets) != 0;
  const bool hides = folded.joined || folded.escaped;
  if ((flags & kJsDocumentMember) != 0 && names_document(object)) {
    // Who looks up document['cookie'] by its name hides it from those who look for document.cookie.
    const bool secret = (flags & kJsSecretMember) != 0;
    report(secret ? JsAct::kComputed : JsAct::kDom, JsStrength::kLikely, object, close);
  }
  if (names_sink && (called || global || hides)) {
    report(JsAct::kComputed, JsStrength::kSure, object, close + 1);
  } else if (names_gadget && (called || hides)) {
    report(JsAct::kConstructor, JsStrength::kSure, object, close + 1);
  } else if (hides && called && (global || folded.escaped)) {
    report(JsAct::kComputed, JsStrength::kSure, object, close + 1);
  } else if (hides && (global || called)) {
    report(JsAct::kComputed, JsStrength::kLikely, object, close);
  } else if (names_gadget) {
    report(JsAct::kConstructor, JsStrength::kLikely, object, close);
  }
}

// document, (document), window.document
bool JsJudge::names_document(std::size_t i) const noexcept {
  if (i > 0 && is_punct(i, ')')) --i;
  return is_word(i) && tokens_[i].text == "document";
}

void JsJudge::at_document(std::size_t i) {
  if (tokens_[i].text != "document" || !operand_position(i)) return;
  const std::size_t dot = is_punct(i + 1, ')') ? i + 2 : i + 1;
  if (!is_punct(dot, '.') || !is_word(dot + 1) || !has(dot + 1, kJsDocumentMember)) return;
  const std::size_t behind = dot + 2;
  // document.querySelector('a') returns null: behind a call in one line stands no word but of an operator.
  if (is_punct(behind, '(') && match_[behind] != kNoMatch) {
    const std::size_t next = match_[behind] + 1;
    if (is_word(next) && !iequals(tokens_[next].text, "in") && !iequals(tokens_[next].text, "instanceof") &&
        !tokens_[next].line_before)
      return;
  }
  const bool used = i > 0 && tokens_[i - 1].kind == JsKind::kPunct && tokens_[i - 1].punct != '.';
  const bool more =
      is_punct(behind, '+') || is_punct(behind, ')') || is_punct(behind, '(') || is_punct(behind, '=');
  // '//evil.example/?'+document.cookie
  const bool sent = i >= 2 && is_punct(i - 1, '+') && is_text(i - 2) && has(dot + 1, kJsSecretMember) &&
                    tokens_[i - 2].text.find("//") != std::string_view::npos;
  report(JsAct::kDom,
         sent           ? JsStrength::kSure
         : used || more ? JsStrength::kLikely
                        : JsStrength::kWeak,
         i, dot + 1);
}

void JsJudge::at_location(std::size_t i) {
  if (tokens_[i].text != "location") return;
  const bool member = i >= 2 && is_punct(i - 1, '.') && is_word(i - 2);
  if (!member && !operand_position(i)) return;
  std::size_t k = i + 1;
  if (is_punct(k, '.') && is_word(k + 1)) {
    const std::string_view name = tokens_[k + 1].text;
    if ((name == "assign" || name == "replace") && is_punct(k + 2, '(')) {
      report(JsAct::kNavigate, JsStrength::kLikely, i, end_of_call(k + 2));
      return;
    }
    if (name != "href" && name != "hash" && name != "search" && name != "pathname") return;
    k += 2;
  }
  if (!is_punct(k, '=') || !tokens_[k].plain_assign || k + 1 >= tokens_.size()) return;
  const JsToken& value = tokens_[k + 1];
  bool acts = false;
  if (is_text(k + 1)) {
    // A path of the same site leads nowhere else.
    const bool own =
        value.text.size() > 1 && value.text[0] == '/' && (is_alnum(value.text[1]) || value.text[1] == '?');
    acts = !own && (value.text.find(':') != std::string_view::npos || value.text.starts_with("//") ||
                    is_punct(k + 2, '+'));
  } else if (value.kind == JsKind::kWord) {
    acts = value.text == "name" || has(k + 1, kJsGlobal | kJsLocation | kJsBuildsText);
  }
  if (acts) report(JsAct::kNavigate, JsStrength::kLikely, i, k + 1);
}

}  // namespace wafd::detect
