// PHP expressions that call what a variable holds or what brackets put together.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "detect/analyze/php/php_reader.h"
#include "detect/analyze/shell/shell_shape.h"
#include "detect/core/octets.h"

namespace wafd::detect {

void PhpReader::at_variable(std::size_t i) {
  const PhpToken& token = tokens_[i];
  if (php_request_variable(token.text)) {
    if (is_punct(i + 1, '[') || is_punct(i + 1, '{')) {
      const bool handed = i > 0 && is_punct(i - 1, '(');
      add(!handed && in_post() ? kPhpVariableText : kPhpRequestVariable, i, i + 3,
          fmt::format("PHP code reads ${}.", shown_name(token.text)));
    } else if (token.begin + 2 < text_.size() && is_upper(text_[token.begin + 2])) {
      // php $_GET undefined index: between words, of which none takes it.
      // A form has plus signs for spaces.
      const std::size_t before = i > 1 && is_punct(i - 1, '+') ? i - 2 : i - 1;
      const std::size_t behind = is_punct(i + 1, '+') ? i + 2 : i + 1;
      const bool amid = i > 0 && is_kind(before, PhpKind::kWord) && is_kind(behind, PhpKind::kWord) &&
                        !kPhpLeadIns.has(tokens_[before].text) && !kPhpLeadIns.has(tokens_[behind].text);
      add(amid ? kPhpCallText : kPhpRequestName, i, i,
          fmt::format("The text names PHP's ${}.", shown_name(token.text)));
    }
  }
  // ($y)('…')
  if (i > 0 && is_punct(i - 1, '(') && is_punct(i + 1, ')') && is_punct(i + 2, '(') && is_operand(i + 3) &&
      value_ && (i < 2 || !is_kind(i - 2, PhpKind::kWord))) {
    add(kPhpVariableCall, i, i + 3, "A function is called whose name a variable holds.");
  }
  // $x['f'](…), $x{0}(…), $x(…), $x->$y(…)
  bool indexed = false;
  std::size_t k = after_index(i + 1, indexed);
  if (!is_punct(k, '(') || !expression_start_or_member(i) || !value_) return;
  const bool doubled = i > 0 && is_punct(i - 1, '$');
  const bool member = i > 1 && is_punct(i - 1, '>') && is_punct(i - 2, '-');
  const bool quiet = i > 0 && is_punct(i - 1, '@');
  const bool argued =
      is_operand(k + 1) && ends_value() && !tokens_[k].space_before && tokens_[i].text.size() > 1;
  if (indexed || doubled || quiet || member || assigned_before(i) || ends_statement(k) || argued ||
      (concatenated(k) && !tokens_[k].space_before)) {
    add(kPhpVariableCall, i, k, "A function is called whose name a variable holds.");
  } else {
    add(kPhpVariableText, i, k, "The text reads as a call through a variable.");
  }
}

bool PhpReader::in_post() const noexcept { return field_ && has_prose(text_); }

bool PhpReader::expression_start_or_member(std::size_t i) const noexcept {
  return expression_start(i) ||
         (i > 2 && is_punct(i - 1, '>') && is_punct(i - 2, '-') && is_kind(i - 3, PhpKind::kVariable));
}

// The token behind up to four [...] or {...} from k on.
std::size_t PhpReader::after_index(std::size_t k, bool& indexed) const noexcept {
  for (int count = 0; count < 4 && (is_punct(k, '[') || is_punct(k, '{')); ++count) {
    const char open = tokens_[k].punct;
    const char close = open == '[' ? ']' : '}';
    std::size_t end = k + 1;
    int depth = 1;
    for (; end < tokens_.size() && end - k < 16; ++end) {
      if (is_punct(end, open)) ++depth;
      if (is_punct(end, close) && --depth == 0) break;
    }
    if (depth != 0) break;
    k = end + 1;
    indexed = true;
  }
  return k;
}

// $f(101).$f(120)
bool PhpReader::concatenated(std::size_t open) const noexcept {
  for (std::size_t k = open + 1; k < tokens_.size() && k < open + 12; ++k) {
    if (is_punct(k, ')')) return is_punct(k + 1, '.') && is_kind(k + 2, PhpKind::kVariable);
  }
  return false;
}

// $x = 'sys'.'tem'; $x('id')
bool PhpReader::assigned_before(std::size_t i) const noexcept {
  for (std::size_t k = 0; k + 1 < i && k < 64; ++k) {
    if (tokens_[k].kind == PhpKind::kVariable && tokens_[k].text == tokens_[i].text &&
        (is_punct(k + 1, '=') || is_punct(k + 2, '='))) {
      return true;
    }
  }
  return false;
}

// The call is a statement of its own: $x(…);
bool PhpReader::ends_statement(std::size_t open) const noexcept {
  for (std::size_t k = open + 1; k < tokens_.size() && k < open + 24; ++k) {
    if (is_punct(k, ')')) return is_punct(k + 1, ';') && k + 2 == tokens_.size();
  }
  return false;
}

// (…)(…), [system][0](…) and (name)[0](…): what stands in the brackets, put together, names a function.
void PhpReader::at_closed(std::size_t close) {
  std::size_t call = close + 1;
  if (is_punct(call, '{')) {
    while (call < tokens_.size() && call < close + 6 && !is_punct(call, '}')) ++call;
    ++call;
  }
  if (!is_punct(call, '(') || close == 0) return;
  if (at_bitwise(close, call)) return;
  std::string name;
  std::size_t k = close;
  std::size_t begin = close;
  for (std::size_t looked = 0; looked < 24 && k > 0; ++looked) {
    --k;
    const PhpToken& token = tokens_[k];
    if (token.kind == PhpKind::kString || token.kind == PhpKind::kWord) {
      name.insert(0, token.text);
      begin = k;
    } else if (token.kind == PhpKind::kNumber ||
               (token.kind == PhpKind::kPunct &&
                std::string_view("()[].{}").find(token.punct) != std::string_view::npos)) {
      begin = k;
    } else {
      break;
    }
    if (name.size() > 64) return;
  }
  while (begin < close && tokens_[begin].kind != PhpKind::kPunct) ++begin;
  if (!is_punct(begin, '(') && !is_punct(begin, '[')) return;
  if (is_punct(begin, '[') && !indexed_between(begin, close)) return;  // [text](/link)
  if (begin > 0 && tokens_[begin - 1].kind == PhpKind::kWord && !kPhpLeadIns.has(tokens_[begin - 1].text))
    return;
  for (const std::string_view cast : {"string", "int", "array"}) {
    if (istarts_with(name, cast) && is_function(std::string_view(name).substr(cast.size())))
      name.erase(0, cast.size());
  }
  if (is_function(name)) {
    add(kPhpStringCall, begin, call + 1,
        fmt::format("PHP calls {} through an expression that puts its name together.", shown_name(name)));
  } else if (value_ && is_punct(begin, '(') && is_punct(close, ']') && joined_constant(begin) &&
             is_kind(call + 1, PhpKind::kString)) {
    add(kPhpStringCall, begin, call + 1, "PHP calls what an element of a constant names.");
  }
}

// (~"…")(…), ("…"^"…")(…), ("…"|"…")(…): strings put together octet by octet name a function.
bool PhpReader::at_bitwise(std::size_t close, std::size_t call) {
  std::size_t begin = close;
  char sign = 0;
  bool noise = false;
  for (std::size_t looked = 0; looked < 24 && begin > 0; ++looked) {
    const PhpToken& token = tokens_[--begin];
    const bool high = token.kind == PhpKind::kWord && std::any_of(token.text.begin(), token.text.end(),
                                                                  [](char c) { return octet(c) >= 0x80; });
    if (token.kind == PhpKind::kString || high) {
      noise = noise || high || std::any_of(token.text.begin(), token.text.end(), [](char c) {
                return octet(c) < ' ' || octet(c) >= 0x7f;
              });
    } else if (token.kind == PhpKind::kPunct &&
               std::string_view("~^|&").find(token.punct) != std::string_view::npos) {
      if (sign == 0 || token.punct == '~' || token.punct == '^') sign = token.punct;
    } else if (is_punct(begin, '(')) {
      if (begin > 0 && is_punct(begin - 1, '(')) continue;
      break;
    } else if (!is_punct(begin, ')') && !is_punct(begin, '.')) {
      return false;
    }
  }
  // Regular expressions and grammars have choices between quoted words.
  if (!is_punct(begin, '(') || sign == 0 || !(sign == '~' || sign == '^' || noise) || !value_) return false;
  if (begin > 0 && tokens_[begin - 1].kind == PhpKind::kWord && !kPhpLeadIns.has(tokens_[begin - 1].text))
    return false;
  add(kPhpStringCall, begin, call + 1, "PHP calls what strings combined octet by octet name.");
  return true;
}

// A list is called by an element of it alone: another bracket closes before the last.
bool PhpReader::indexed_between(std::size_t open, std::size_t close) const noexcept {
  for (std::size_t k = open + 1; k < close; ++k) {
    if (is_punct(k, ']') || is_punct(k, '[')) return true;
  }
  return is_punct(close + 1, '{');
}

// (z)[0]…
bool PhpReader::joined_constant(std::size_t open) const noexcept {
  return is_kind(open + 1, PhpKind::kWord) && is_punct(open + 2, ')') && is_punct(open + 3, '[') &&
         (open == 0 || is_punct(open - 1, ';'));
}

// ${'x'}, ${@a}(…), $ {…}
void PhpReader::at_dollar(std::size_t i) {
  if (!is_punct(i + 1, '{')) return;
  std::size_t end = i + 2;
  while (end < tokens_.size() && end < i + 16 && !is_punct(end, '}')) ++end;
  if (!is_punct(end, '}')) return;
  const bool strings = is_kind(i + 2, PhpKind::kString) || is_punct(i + 2, '@');
  const bool variable = is_kind(i + 2, PhpKind::kVariable);
  bool indexed = false;
  const std::size_t k = after_index(end + 1, indexed);
  if (is_punct(k, '(') && value_ && (strings || indexed || variable)) {
    add(kPhpVariableCall, i, k, "A function is called whose name an expression in ${} makes.");
  } else if (strings && i == 0 && value_ && (end + 1 == tokens_.size() || is_punct(end + 1, ';'))) {
    add(kPhpVariableCall, i, end, "A PHP variable is named by an expression.");
  } else if ((strings && tokens_[end].end - tokens_[i].begin > 4) || (variable && i == 0 && value_)) {
    add(kPhpVariableText, i, end, "A PHP variable is named by an expression.");
  }
}

}  // namespace wafd::detect
