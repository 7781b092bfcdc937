#include "detect/analyze/script/js_reader.h"

#include <algorithm>

#include "detect/analyze/script/js_judge.h"
#include "detect/analyze/script/js_lexer.h"
#include "detect/analyze/script/js_places.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

// Of a long text this much is read before and behind a place where script could act.
constexpr std::size_t kWholeBytes = 2048;
constexpr std::size_t kBeforeBytes = 256;
constexpr std::size_t kBehindBytes = 1024;

JsFinding symbol_only(std::size_t begin, std::size_t end) {
  JsFinding out;
  out.act = JsAct::kSymbolOnly;
  out.strength = JsStrength::kSure;
  out.begin = static_cast<std::uint32_t>(begin);
  out.end = static_cast<std::uint32_t>(end);
  return out;
}

// Code of brackets and signs alone (the six characters that suffice, and the like): a run of them that
// indexes, negates and adds empty literals.
JsFinding read_symbols(std::string_view text) {
  constexpr std::size_t kMinRun = 14;
  constexpr std::size_t kMinPairs = 3;
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
    if (signs >= kMinRun && pairs >= kMinPairs && negates) return symbol_only(begin, i);
    begin = i + 1;
    pairs = 0;
    signs = 0;
    negates = false;
  }
  return {};
}

// Whether a sign before the bracket at `open` makes text of a literal: ({}+"")[, (x +'_') [, /…/ ['_']
bool indexes_made_text(std::string_view text, std::size_t open) noexcept {
  const auto back = [text](std::size_t at) {
    while (at > 0 && is_space(text[at - 1])) --at;
    return at;
  };
  std::size_t at = back(open);
  if (at > 0 && text[at - 1] == '/') {
    const std::size_t first = text.find_first_not_of(' ', open + 1);
    return first != std::string_view::npos && (text[first] == '\'' || text[first] == '"');
  }
  if (at == 0 || text[at - 1] != ')') return false;
  at = back(at - 1);
  if (at < 3) return false;
  const char last = text[at - 1];
  const char first = last == ']' ? '[' : last == '}' ? '{' : last;
  if (first != '[' && first != '{' && first != '"' && first != '\'') return false;
  // Empty, or of one octet.
  const std::size_t begin = text[at - 2] == first ? at - 2 : text[at - 3] == first ? at - 3 : 0;
  at = back(begin);
  return at > 0 && text[at - 1] == '+';
}

// Code of hardly any letters that takes its letters out of what literals turn into: jjencode, aaencode and
// their kin, whose names are signs or letters of other scripts.
JsFinding read_coded(std::string_view text) {
  constexpr std::size_t kMinSigns = 10;
  JsFinding out;
  std::size_t begin = 0;
  std::size_t signs = 0;
  bool assigns = false;
  bool takes = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : 'a';
    if (!is_alpha(c)) {
      if (octet(c) > ' ' && octet(c) < 0x7f && !is_digit(c)) ++signs;
      if (c == '=') assigns = true;
      if (c == '[' && !takes && i > begin) takes = indexes_made_text(text.substr(begin), i - begin);
      continue;
    }
    if (assigns && takes && signs >= kMinSigns) return symbol_only(begin, i);
    begin = i + 1;
    signs = 0;
    assigns = false;
    takes = false;
  }
  return out;
}

void keep_stronger(JsFinding& best, const JsFinding& found) {
  const bool stronger =
      found.strength > best.strength ||
      (found.strength == best.strength && found.breaks_out && !best.breaks_out) ||
      (found.strength == best.strength && found.breaks_out == best.breaks_out && found.act > best.act);
  const bool declares = best.declares || found.declares;
  if (stronger) best = found;
  best.declares = declares;
}

// Behind a closing quote a script goes on with a sign or a word operator; anything else was a quotation in
// prose.
bool goes_on(const std::pmr::vector<JsToken>& tokens) noexcept {
  if (tokens.empty()) return false;
  const JsToken& first = tokens.front();
  if (first.line_before) return true;
  if (first.kind == JsKind::kPunct) return true;
  return first.kind == JsKind::kWord && (first.text == "in" || first.text == "instanceof");
}

// The parts of `code` that are worth reading, in order; read(begin, end) for each. Returns whether code of
// signs alone is possible.
template <class Read>
bool read_windows(std::string_view code, const Read& read) {
  JsPlaces places(code);
  std::size_t place = 0;
  std::size_t begin = 0;
  std::size_t end = 0;  // of the window that is open; 0: none
  while (places.next(place)) {
    if (code.size() <= kWholeBytes) {
      read(std::size_t{0}, code.size());
      while (places.next(place)) {
      }
      return places.signs();
    }
    const std::size_t from = place - std::min(place, kBeforeBytes);
    if (end != 0 && from > end) {
      read(begin, end);
      begin = from;
    } else if (end == 0) {
      begin = from;
    }
    end = std::min(code.size(), place + kBehindBytes);
  }
  if (end != 0) read(begin, end);
  return places.signs();
}

// code[begin, end), in pieces of as many tokens as the lexer takes at once.
void read_code(JsLexer& lexer, std::string_view code, std::size_t begin, std::size_t end, JsFinding& best,
               std::pmr::memory_resource& memory) {
  bool declares = best.declares;
  const std::string_view text = code.substr(0, end);
  for (std::size_t at = begin; at < end;) {
    const std::size_t next = lexer.read(text, at);
    const JsFinding found = JsJudge(lexer, false, memory).run();
    declares = declares || found.declares;
    keep_stronger(best, found);
    if (next <= at) break;
    at = next;
  }
  best.declares = declares;
}

}  // namespace

JsFinding read_js(std::string_view code, std::pmr::memory_resource& memory) {
  JsFinding best;
  JsLexer lexer(memory);
  const bool signs = read_windows(
      code, [&](std::size_t begin, std::size_t end) { read_code(lexer, code, begin, end, best, memory); });
  if (signs) {
    keep_stronger(best, read_symbols(code));
    keep_stronger(best, read_coded(code));
  }
  return best;
}

JsFinding read_js_value(std::string_view value, std::pmr::memory_resource& memory) {
  JsFinding best;
  JsLexer lexer(memory);
  const bool signs = read_windows(value, [&](std::size_t begin, std::size_t end) {
    read_code(lexer, value, begin, end, best, memory);
    // What leaves a string acts soon: in a long text only the places themselves count.
    const std::string_view text = value.substr(0, end);
    const bool declares = best.declares;
    for (const std::string_view closer : {"'", "\"", "`", "*/"}) {
      const std::size_t at = text.find(closer, begin);
      if (at == std::string_view::npos) continue;
      lexer.read(text, at + closer.size());
      if (closer != "*/" && !goes_on(lexer.tokens())) continue;
      keep_stronger(best, JsJudge(lexer, true, memory).run());
    }
    best.declares = declares;
  });
  if (signs) {
    keep_stronger(best, read_symbols(value));
    keep_stronger(best, read_coded(value));
  }
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
