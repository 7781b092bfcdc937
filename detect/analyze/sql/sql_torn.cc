#include "detect/analyze/sql/sql_torn.h"

#include <algorithm>

#include "detect/analyze/sql/heads.tsv.h"
#include "detect/analyze/sql/operators.tsv.h"
#include "detect/analyze/sql/sql_atoms.h"
#include "detect/core/word_set.h"

namespace wafd::detect::sql {
namespace {

// Quotes of one kind that are odd in number: the last one opens what never ends.
std::size_t open_quote(std::string_view text) noexcept {
  std::size_t open = text.npos;
  for (const char quote : kQuotes) {
    if (std::count(text.begin(), text.end(), quote) % 2 == 0) continue;
    const std::size_t last = text.rfind(quote);
    if (open == text.npos || last > open) open = last;
  }
  return open;
}

// 1=', ^", >x##'.: a quote that an operator stands before and that nothing closes.
bool opens_behind_operator(std::string_view text) noexcept {
  const std::size_t quote = open_quote(text);
  if (quote == text.npos || quote == 0) return false;
  const std::size_t before = text.find_last_not_of(" \t\r\n", quote - 1);
  if (before == text.npos || std::string_view("=<>^*|&%~!#").find(text[before]) == std::string_view::npos)
    return false;
  const std::string_view rest = text.substr(quote + 1);
  // ='( and >') are faces.
  const bool face = before == 0 && (rest == "(" || rest == ")");
  // <a class='b: a tag that is cut is no comparison.
  const std::size_t tag = text.find('<');
  const bool in_tag = tag != text.npos && tag + 1 < text.size() && is_alpha(text[tag + 1]);
  return !face && !in_tag && rest.find(' ') == rest.npos;
}

// and 1 !== , || x =': a connective, an operand and a comparison at the beginning.
bool continues_condition(const Atoms& a) noexcept {
  static constexpr WordSet kLogic({"and", "or", "xor"});
  std::size_t at = 0;
  const bool word = a[0].kind == AtomKind::kWord && kLogic.has(a[0].text);
  const bool signs = (a[0].sign() == '&' || a[0].sign() == '|') && a[1].sign() == a[0].sign();
  if (!word && !signs) return false;
  at = word ? 1 : 2;
  while (a[at].sign() == '(' || a[at].sign() == '!') ++at;
  if (!a[at].operand()) return false;
  ++at;
  const char first = a[at].sign();
  const char second = a[at + 1].sign();
  const bool compares =
      (first == '=' && second == '=') || (first == '!' && second == '=') || (first == '<' && second == '>');
  return compares;
}

// ") as x from, 6 as "x' from: the name of a column, then the tables.
bool names_column(const Atoms& a) noexcept {
  for (std::size_t i = 1; i + 2 < a.size(); ++i) {
    if (!a[i].is("as")) continue;
    const Atom& before = a[i - 1];
    if (before.sign() != ')' && !before.quote() && before.kind != AtomKind::kNumber) continue;
    std::size_t at = i + 1;
    if (a[at].quote()) ++at;
    if (a[at].is("from") && a[at - 1].quote()) return true;  // 6 as" from
    if (!a[at].operand()) continue;
    ++at;
    const bool quoted = a[at].quote() || a[i + 1].quote();
    if (a[at].quote()) ++at;
    if (a[at].is("from") && (quoted || before.sign() == ')' || before.quote())) return true;
  }
  return false;
}

// ' limit, ") in(, ` like 1: the quote that ends a string, and a word that only an operand or a query goes on
// with.
bool goes_on_with_clause(const Atoms& a) noexcept {
  static constexpr WordSet kClauses(kBehindStrings);
  if (!a[0].quote()) return false;
  std::size_t at = 1;
  while (a[at].sign() == ')') ++at;
  if (a[at].sign() == '*' && a[at + 1].is("from")) return true;  // ' * from
  if (a[at].kind != AtomKind::kWord || !kClauses.has(a[at].text)) return false;
  for (std::size_t i = at + 1; i < a.size(); ++i)
    if (a[i].quote()) return false;
  return a.size() <= at + 3;
}

// ';update t, 1);select: what ends a statement, and the verb of another one.
bool begins_statement(const Atoms& a) noexcept {
  static constexpr WordSet kVerbs({"select", "insert", "update", "delete", "drop", "create", "alter",
                                   "truncate", "exec", "execute", "declare", "waitfor", "shutdown", "grant",
                                   "revoke", "merge", "set"});
  std::size_t at = 0;
  bool closes = false;
  while (at < a.size() && a[at].sign() != ';') {
    const char sign = a[at].sign();
    if (!a[at].quote() && sign != ')' && sign != '-' && a[at].kind != AtomKind::kNumber) return false;
    closes = closes || a[at].quote() || sign == ')' || sign == '-';
    ++at;
  }
  if (at == a.size() || at > 4) return false;
  while (a[at].sign() == ';') ++at;
  if (a[at].kind != AtomKind::kWord || !kVerbs.has(a[at].text)) return false;
  if (a[at].is("set")) return a[at + 1].sign() == '@' || (a[at + 1].operand() && a[at + 2].sign() == '=');
  // A whole statement is read by the grammar; 1;select alone may be two cells of a table.
  return a.size() <= at + 2 && (closes || at == 1 || a.size() > at + 1);
}

// ) when 1 then, then 1 else 0 end: two words of CASE around an operand.
bool tears_case(const Atoms& a) noexcept {
  std::size_t at = 0;
  while (a[at].sign() == ')') ++at;
  const auto operand_then = [&](std::size_t i, std::string_view word) {
    return a[i].operand() && a[i + 1].is(word);
  };
  if (at > 0 && a[at].is("when")) return operand_then(at + 1, "then");
  return a[at].is("then") && operand_then(at + 1, "else") && operand_then(at + 3, "end");
}

// from `t` where, group by x having: clauses of a query in their order, with names between them.
bool orders_clauses(const Atoms& a) noexcept {
  struct Clause {
    std::string_view word;
    int rank;
    bool by;
  };
  static constexpr Clause kClauses[] = {{"from", 1, false},   {"where", 2, false}, {"group", 3, true},
                                        {"having", 4, false}, {"order", 5, true},  {"limit", 6, false},
                                        {"union", 7, false}};
  int rank = 0;
  std::size_t clauses = 0;
  std::size_t names = 0;
  bool signs = a[0].is("group");
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto* clause = std::find_if(std::begin(kClauses), std::end(kClauses),
                                      [&](const Clause& c) { return a[i].is(c.word); });
    if (clause != std::end(kClauses) && (!clause->by || a[i + 1].is("by"))) {
      if (clause->rank <= rank || (i > 0 && names == 0)) return false;
      rank = clause->rank;
      ++clauses;
      names = 0;
      i += clause->by ? 1 : 0;
    } else if (i == 0) {
      return false;
    } else if (a[i].operand()) {
      // Names stand beside commas, full stops and signs: two words of prose do not.
      if (names > 0 && a[i - 1].operand()) return false;
      ++names;
    } else {
      signs = signs || std::string_view("`=*<>").find(a[i].sign()) != std::string_view::npos;
    }
  }
  return clauses >= 2 && signs;
}

// select *, order by 5, 1=1: the beginning of a query or of a clause (heads.tsv), and little behind it.
bool is_head(const Atoms& a, const HeadRow& head) noexcept {
  std::size_t at = 0;
  for (std::string_view parts = head.text; !parts.empty(); ++at) {
    const std::size_t end = std::min(parts.find(' '), parts.size());
    const std::string_view part = parts.substr(0, end);
    parts.remove_prefix(std::min(end + 1, parts.size()));
    const bool fits = part == "?"              ? a[at].operand()
                      : part == "#"            ? a[at].kind == AtomKind::kNumber
                      : is_alpha(part.front()) ? a[at].is(part)
                                               : a[at].sign() == part.front();
    if (at >= a.size() || !fits) return false;
  }
  return a.size() <= at + head.rest;
}

bool begins_query(const Atoms& a) noexcept {
  if (a.size() == 0) return false;
  const char first = to_lower(a[0].text.front());
  const bool operand = a[0].operand();
  return std::any_of(std::begin(kHeads), std::end(kHeads), [&](const HeadRow& head) {
    const char begins = head.text.front();
    const bool may_be = begins == '?' || begins == '#' ? operand || begins == first : begins == first;
    return may_be && is_head(a, head);
  });
}

// 0x3a3a3a: a number in base 16 that is printable text.
bool is_hex_text(std::string_view text) noexcept {
  constexpr std::size_t kMinBytes = 3;
  if (!istarts_with(text, "0x") || text.size() % 2 != 0 || text.size() < 2 + 2 * kMinBytes) return false;
  for (std::size_t i = 2; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 2 || high > 7 || low < 0 || (high == 7 && low == 15)) return false;
  }
  return true;
}

// '0x3132,: a quote or a backslash, and a number in base 16 that stands for text.
bool begins_with_hex_text(std::string_view text) noexcept {
  constexpr std::size_t kMinDigits = 4;
  if (text.size() < 3 + kMinDigits || (!is_quote(text[0]) && text[0] != '\\')) return false;
  if (text[1] != '0' || to_lower(text[2]) != 'x') return false;
  std::size_t end = 3;
  while (end < text.size() && hex_value(text[end]) >= 0) ++end;
  return end >= 3 + kMinDigits && !(end + 1 == text.size() && text[end] == text[0]);
}

// 1'), '), 1")): a quote and the parentheses that close the application's own.
bool closes_parentheses(std::string_view text) noexcept {
  const std::size_t quote = text.find_first_of(kQuotes);
  if (quote > 4 || quote + 1 == text.size()) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(quote), is_digit) &&
         text.find_first_not_of(')', quote + 1) == text.npos;
}

// Nothing but the signs of a comment, and what ends a statement before them.
bool is_comment_sign(std::string_view text) noexcept {
  static constexpr WordSet kSigns(
      {"/*", "*/", "/*!", "/**/", "-- -", "--+", ";--", ";#", "--;", "/*!*/", "*/--", "*/#"});
  return kSigns.has(text);
}

// 103/**/, /*x*/7: a word or number with a comment directly beside it, which databases read as a blank.
bool is_operand_and_comment(std::string_view text) noexcept {
  const std::size_t open = text.find("/*");
  const std::size_t close = text.find("*/", open == text.npos ? 0 : open + 2);
  if (open == text.npos || close == text.npos) return false;
  const std::string_view before = text.substr(0, open);
  const std::string_view behind = text.substr(close + 2);
  const auto is_operand = [](std::string_view part) {
    return !part.empty() &&
           std::all_of(part.begin(), part.end(), [](char c) { return is_alnum(c) || c == '_'; });
  };
  return (before.empty() && is_operand(behind)) || (behind.empty() && is_operand(before));
}

// 1.e(1), 1.e.a: a number whose exponent has no digits, which MySQL passes over before a name.
bool is_empty_exponent(std::string_view text) noexcept {
  const std::size_t dot = text.find_first_not_of("0123456789");
  return dot != 0 && dot != text.npos && text[dot] == '.' && dot + 2 < text.size() &&
         to_lower(text[dot + 1]) == 'e' && (text[dot + 2] == '(' || text[dot + 2] == '.');
}

// ')x, ";x: the quote that ends the application's string, what ends its call or statement, and a word.
bool ends_call_or_statement(std::string_view text) noexcept {
  if (!is_quote(text[0]) || text[0] == '`' || text.find_first_of(kQuotes, 1) != text.npos) return false;
  const std::size_t word = text.find_first_not_of(");", 1);
  return word != text.npos && word > 1 && is_alnum(text[word]) &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(word), text.end(),
                     [](char c) { return is_alnum(c) || c == '_'; });
}

// x",(": the end of a row and the beginning of another one.
bool begins_row(std::string_view text) noexcept {
  const std::size_t quote = text.find_first_of(kQuotes);
  if (quote == text.npos) return false;
  const std::string_view rest = text.substr(quote + 1);
  const std::string_view row = rest.starts_with(')') ? rest.substr(1) : rest;
  return row.size() == 3 && row.starts_with(",(") && row[2] == text[quote];
}

// `pass`=1: a name in MySQL's quotes is compared with a word or number.
bool compares_quoted_name(const Atoms& a) noexcept {
  if (a.size() < 5 || a.size() > 7 || a[0].sign() != '`' || !a[1].operand() || a[2].sign() != '`')
    return false;
  std::size_t at = 3;
  while (std::string_view("=<>!").find(a[at].sign()) != std::string_view::npos) ++at;
  return at > 3 && a[at].operand() && at + 1 == a.size();
}

// @x:=1: a variable of MySQL is set inside of an expression.
bool sets_variable(const Atoms& a) noexcept {
  return a[0].sign() == '@' && a[1].operand() && a[2].sign() == ':' && a[3].sign() == '=' && a.size() > 4;
}

// Nothing but an operator that no other language has.
bool is_operator_sign(std::string_view text) noexcept {
  return std::any_of(std::begin(kOperators), std::end(kOperators),
                     [&](const OperatorRow& row) { return row.tells == Tells::kSql && row.text == text; });
}

}  // namespace

Torn torn_piece(std::string_view text) noexcept {
  if (text.size() < 2 || text.size() > kMaxTornBytes) return {};
  if (is_comment_sign(text)) return {"the sign of a comment"};
  if (is_operator_sign(text)) return {"an operator"};
  if (closes_parentheses(text)) return {"a quote and a parenthesis that close what they did not open"};
  if (begins_with_hex_text(text)) return {"text in base 16 behind a quote"};
  if (is_hex_text(text)) return {"text in base 16"};
  if (is_operand_and_comment(text)) return {"a value and a comment"};
  if (is_empty_exponent(text)) return {"a number whose exponent is empty"};
  const Atoms atoms(text);
  if (atoms.plain()) {
    if (continues_condition(atoms)) return {"a condition that goes on", true};
    if (names_column(atoms)) return {"an alias before FROM", true};
    if (goes_on_with_clause(atoms)) return {"a quote and a word that goes on with the query"};
    if (begins_statement(atoms))
      return {"the end of a statement and the verb of another", atoms[0].quote() || atoms[0].sign() == ')'};
    if (compares_quoted_name(atoms)) return {"a name in quotes of MySQL that is compared"};
    // @anna := 5 is said to people, too.
    if (sets_variable(atoms)) return {"a variable that is set in an expression", atoms.size() > 5};
    if (tears_case(atoms)) return {"a part of CASE", true};
    if (orders_clauses(atoms)) return {"clauses of a query"};
    if (begins_query(atoms)) return {"the beginning of a query"};
  }
  if (ends_call_or_statement(text)) return {"a quote and what ends a call or a statement"};
  if (begins_row(text)) return {"the end of a row and the beginning of another"};
  if (opens_behind_operator(text)) return {"a comparison with a string that does not end"};
  return {};
}

bool is_quotes_and_signs(std::string_view text) noexcept {
  // ''': three of a kind and nothing else; of backquotes that is Markdown.
  if (text.size() >= 3 && text.front() != '`' && is_quote(text.front()) &&
      text.find_first_not_of(text.front()) == text.npos)
    return true;
  std::size_t quotes = 0;
  bool two = false;
  char before = '\0';
  for (const char c : text) {
    if (is_alnum(c) || byte(c) >= 0x7F) return false;
    if (is_quote(c)) {
      ++quotes;
      two = two || (is_quote(before) && before != c);
    }
    before = c;
  }
  // "!": a string of signs
  const bool string = quotes >= 2 && is_quote(text.front()) && text.front() == text.back() &&
                      text.find_first_of("=<>^*+|&%~!-/#;,()") != text.npos;
  return (quotes >= 3 && two) || string;
}

}  // namespace wafd::detect::sql
