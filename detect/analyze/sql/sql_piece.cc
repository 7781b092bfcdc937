#include "detect/analyze/sql/sql_piece.h"

#include <algorithm>

#include "detect/analyze/sql/sql_atoms.h"
#include "detect/analyze/sql/sql_structures.h"
#include "detect/analyze/sql/sql_torn.h"
#include "detect/analyze/sql/words.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::sql {
namespace {

constexpr std::size_t kMaxPieceBytes = 48;

// Tables of MySQL's schema whose names are ordinary words (MySQL 8.0 5.3, MariaDB "The mysql Database
// Tables").
constexpr WordSet kMysqlTables({"user", "db", "host", "func", "proc", "event", "plugin", "servers",
                                "component"});

bool is_sign(char c) noexcept { return byte(c) > 0x20 && byte(c) < 0x7F && !is_alnum(c); }

// Names that only databases have.
bool names_object(const Token& token, std::string_view text) noexcept {
  const WordRow* row = token.word;
  if (token.parts == 1) {
    if (row == nullptr || row->tells != Tells::kSql) return false;
    // pg_index: a page's, too
    return row->object == Object::kTable ? !istarts_with(row->text, "pg_")
                                         : row->object != Object::kNone || row->use >= Use::kDelay;
  }
  const WordRow* schema = token.qualifier;
  // master.dbo.sysobjects
  if (token.parts == 3)
    return schema != nullptr && schema->object == Object::kSchema && row != nullptr &&
           row->object == Object::kTable;
  if (token.parts != 2 || schema == nullptr || schema->object != Object::kSchema) return false;
  if (schema->tells == Tells::kSql) return true;
  const bool known = row != nullptr && row->object == Object::kTable;
  return known || (iequals(schema->text, "mysql") && kMysqlTables.has(text.substr(text.rfind('.') + 1)));
}

// "'", ":35, '', 13, `>6fb: quotes with signs and numbers, where the last is not the first's other half.
// Possible: it is none.
Certainty quotes_and_signs(std::string_view text) noexcept {
  if (!is_quote(text.front()) && !is_quote(text.back())) return Certainty::kPossible;
  std::size_t quotes = 0;
  std::size_t signs = 0;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (byte(text[i]) <= 0x20) continue;
    if (is_digit(text[i])) {
      ++digits;
      while (i + 1 < text.size() && hex_value(text[i + 1]) >= 0) ++i;
    } else if (!is_sign(text[i])) {
      return Certainty::kPossible;
    } else {
      (is_quote(text[i]) ? quotes : signs) += 1;
    }
  }
  if (digits == 0) {
    // Two different quotes side by side
    const auto two = std::adjacent_find(text.begin(), text.end(),
                                        [](char x, char y) { return is_quote(x) && is_quote(y) && x != y; });
    return two != text.end() && text.find(' ') == text.npos ? Certainty::kLikely : Certainty::kPossible;
  }
  if (!is_quote(text.front()) || is_quote(text.back()) || signs == 0) return Certainty::kPossible;
  // "100%: a share, not an operator before an operand
  const std::size_t percent = text.find('%');
  if (percent != text.npos && text.find_first_not_of("% ", percent) == text.npos &&
      signs == static_cast<std::size_t>(
                   std::count(text.begin() + static_cast<std::ptrdiff_t>(percent), text.end(), '%')))
    return Certainty::kPossible;
  // "2562*23: no date, time, fraction or list is written so.
  const std::size_t first = text.find_first_not_of("'\"` 0123456789");
  const bool compares = first != text.npos && std::string_view("*<>=%").find(text[first]) != text.npos;
  return compares && text.find_first_of(".,:;[{|/#") == text.npos ? Certainty::kCertain : Certainty::kLikely;
}

// password>$(, length&&!(: a word, signs and a parenthesis that is left open.
Certainty breaks_off(std::string_view text) noexcept {
  constexpr std::size_t kMaxSigns = 8;
  if (text.back() != '(') return Certainty::kPossible;
  std::size_t size = 0;
  while (size < text.size() && (is_alnum(text[size]) || text[size] == '_')) ++size;
  const std::string_view between = text.substr(size, text.size() - 1 - size);
  if (size < 2 || between.size() > kMaxSigns ||
      !std::all_of(between.begin(), between.end(), [](char c) { return c == ' ' || is_sign(c); }))
    return Certainty::kPossible;
  const WordRow* row = kWords.find(text.substr(0, size));
  if (row == nullptr || (row->use == Use::kNone && row->part == Part::kName)) return Certainty::kPossible;
  // word :( and word =(
  const bool face = between.empty() || std::string_view(":;-= ").find(between.back()) != text.npos;
  if (face && between.find_first_of("<>|&$?") == text.npos) return Certainty::kPossible;
  return row->use != Use::kNone && between.find_first_of("=<>|&$?") != text.npos ? Certainty::kCertain
                                                                                 : Certainty::kLikely;
}

// 'x', `x`, ->: no parameter is called so, but a value that has no "=" stands in the place of a name.
bool is_piece_as_name(std::string_view text) noexcept {
  static constexpr WordSet kOperators({"->", "->>", "||", ">>", ":="});
  if (kOperators.has(text)) return true;
  if (text.size() < 3 || !is_quote(text.front()) || text.back() != text.front()) return false;
  return std::all_of(text.begin() + 1, text.end() - 1, [](char c) { return is_alnum(c) || c == '_'; });
}

// ' alter/, 1") union, ' or: signs and numbers with a quote among them, then a word that goes on with the
// query.
bool goes_on_behind_quote(std::string_view text) noexcept {
  static constexpr WordSet kVerbs(kBehindQuote);
  static constexpr WordSet kJoins({"select", "and", "or", "xor", "rlike", "regexp"});
  std::size_t word = 0;
  while (word < text.size() && !is_alpha(text[word])) ++word;
  std::size_t end = word;
  while (end < text.size() && (is_alnum(text[end]) || text[end] == '_')) ++end;
  const std::string_view before = text.substr(0, word);
  const std::string_view next = text.substr(word, end - word);
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  return last != text.npos && (is_quote(before[last]) || before[last] == ')') &&
         before.find_first_of(kQuotes) != text.npos && (kVerbs.has(next) || kJoins.has(next)) &&
         text.substr(end).find_first_of(kQuotes) == text.npos &&
         std::all_of(before.begin(), before.end(), [](char c) { return byte(c) < 0x7F; });
}

// ' union, ") select: the verb of a query right behind the quote that the text begins with. Of 'Update the
// page more stands behind it. ' or x, ') and (: behind a blank, logic with one word; more
// are prose.
bool behind_quote_is_verb(std::string_view text) noexcept {
  static constexpr WordSet kVerbs({"union", "select", "intersect", "except", "waitfor", "having"});
  static constexpr WordSet kLogic({"and", "or", "xor", "rlike", "regexp"});
  const std::size_t word = text.find_first_not_of("'\"`) \t\r\n");
  if (word == text.npos) return false;
  std::size_t end = word;
  while (end < text.size() && is_alpha(text[end])) ++end;
  const std::size_t next = text.find_first_not_of(" \t\r\n", end);
  if (kLogic.has(text.substr(word, end - word)))
    return is_space(text[word - 1]) && next != text.npos && next > end && text.find(' ', next) == text.npos &&
           (is_alnum(text[next]) || std::string_view("(!@~-+").find(text[next]) != text.npos);
  return kVerbs.has(text.substr(word, end - word)) && (next == text.npos || !is_alpha(text[next]));
}

// An escaped quote, comment or NUL of MySQL's strings at the beginning: \x27, \0x
bool is_escaped(std::string_view text) noexcept {
  if (text.size() < 4 || text[0] != '\\') return false;
  if (text[1] == '0' && to_lower(text[2]) == 'x') return hex_value(text[3]) >= 0;
  if (to_lower(text[1]) != 'x' || hex_value(text[2]) < 0 || hex_value(text[3]) < 0) return false;
  const int code = hex_value(text[2]) * 16 + hex_value(text[3]);
  return code == '\'' || code == '"' || code == '`' || code == '#';
}

}  // namespace

void read_piece(std::string_view whole, bool in_name, EvidenceList& out) {
  const std::string_view text = trim_space(whole);
  const auto add = [&](std::string_view what, Certainty certainty = Certainty::kLikely) {
    out.add(SqlEvidence::kPiece, certainty, 0, whole.size(), what);
  };
  if (is_quotes_and_signs(text)) return add("quotes and signs");
  if (const Torn torn = torn_piece(text); !torn.what.empty())
    add(torn.what, torn.sure ? Certainty::kCertain : Certainty::kLikely);
  if (text.size() < 2 || text.size() > kMaxPieceBytes) return;
  if (in_name && is_piece_as_name(text)) return add("a string or an operator in the place of a name");
  if (const Certainty sure = quotes_and_signs(text); sure > Certainty::kPossible)
    return add("quotes and signs", sure);
  if (const Certainty sure = breaks_off(text); sure > Certainty::kPossible)
    return add("an expression that breaks off", sure);
  if (goes_on_behind_quote(text))
    return add(
        "a quote and a word that goes on with the query",
        is_quote(text.front()) && behind_quote_is_verb(text) ? Certainty::kCertain : Certainty::kLikely);
  if (is_escaped(text)) return add("an escaped quote");
  Lexer lexer(text, Quote::kNone, Dialect::kMysql);
  const Token token = lexer.next();
  if (token.begin != 0 || token.end != text.size()) return;
  switch (token.kind) {
    case TokenKind::kOperator:
      static constexpr WordSet kOperators({"@>", "<@", "!~", "!~*", "&&", "<=>", "<<"});
      if (kOperators.has(text)) add("an operator");
      break;
    case TokenKind::kWord:
      if (!token.quoted && names_object(token, text)) {
        const bool column = token.word != nullptr && token.word->object == Object::kColumn;
        // information_schema.tables: a table of a schema that nothing else is called.
        const bool table = token.parts > 1 && token.qualifier->tells == Tells::kSql;
        add(text, column ? Certainty::kPossible : table ? Certainty::kCertain : Certainty::kLikely);
      } else if (token.word != nullptr &&
                 (token.word->text == "regexp" || token.word->text == "rlike" || token.word->text == "xor")) {
        add("an operator", Certainty::kPossible);
      }
      break;
    default:
      break;
  }
}

}  // namespace wafd::detect::sql
