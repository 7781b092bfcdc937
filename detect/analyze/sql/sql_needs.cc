// Necessary conditions for the reader to find anything: each follows from what the evidence is made
// of.
#include <string>
#include <string_view>

#include "detect/analyze/sql/operators.tsv.h"
#include "detect/analyze/sql/sql_atoms.h"
#include "detect/analyze/sql/sql_matcher.h"
#include "detect/analyze/sql/sql_piece.h"
#include "detect/analyze/sql/sql_torn.h"
#include "detect/analyze/sql/statements.tsv.h"
#include "detect/analyze/sql/words.tsv.h"

namespace wafd::detect::sql {
namespace {

constexpr std::string_view kDigits = "0123456789";

Sign words_of(Part part) {
  return any_word(kWords, [part](const WordRow& row) { return row.part == part; });
}

// The words, and with the suffix of a number of Oracle before them: 1dunion.
Sign behind_numbers(Sign sign) {
  const std::size_t count = sign.parts.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (const char suffix : {'d', 'f'}) {
      std::string glued = suffix + sign.parts[i];
      if (!kWords.has(glued)) sign.parts.push_back(std::move(glued));
    }
  }
  return sign;
}

// Verbs of statements that `use` says true for.
template <class Use>
Sign verbs(Use&& use) {
  return any_word(kStatements, use);
}

// Words behind verbs.
Sign words_behind_verbs() {
  Sign sign{SignKind::kWords, {}};
  for (const StatementRow& row : kStatements.rows()) {
    for (std::string_view words = row.words; !words.empty();) {
      const std::size_t end = std::min(words.find(' '), words.size());
      sign.parts.emplace_back(words.substr(0, end));
      words.remove_prefix(std::min(end + 1, words.size()));
    }
  }
  return sign;
}

// Words that are one of the words again when it is taken out of them: selselectect.
Sign doubled(const Sign& words) {
  Sign sign{SignKind::kWords, {}};
  for (const std::string& word : words.parts) {
    for (std::size_t i = 1; i < word.size(); ++i)
      sign.parts.push_back(word.substr(0, i) + word + word.substr(i));
  }
  return sign;
}

Sign any_bytes(std::initializer_list<std::string_view> sets) {
  std::string all;
  for (const std::string_view set : sets) all += set;
  return any_byte(all);
}

// The words with an operator before or behind them, perhaps behind one space.
Sign beside_operators(const Sign& words) {
  Sign sign{SignKind::kLiterals, {}};
  for (const std::string& word : words.parts) {
    for (const char op : std::string_view("=<>!&|^*+-/%~,(")) {
      for (const std::string_view space : {"", " "}) {
        sign.parts.push_back(op + std::string(space) + word);
        sign.parts.push_back(word + std::string(space) + op);
      }
    }
  }
  return sign;
}

// Bytes that may stand in place of white space.
std::string blanks() {
  std::string blanks = "\x7f\xa0";
  for (char c = 0; c <= ' '; ++c) blanks += c;
  return blanks;
}

// One of the bytes right behind a quote.
Sign behind_quotes(std::string_view bytes) {
  Sign sign{SignKind::kLiterals, {}};
  for (const char quote : kQuotes) {
    for (const char byte : bytes) sign.parts.push_back({quote, byte});
  }
  return sign;
}

// One of the operators, perhaps with a blank, right before a quote.
Sign before_quotes(std::string_view bytes) {
  Sign sign{SignKind::kLiterals, {}};
  for (const char byte : bytes) {
    for (const char quote : kQuotes) {
      sign.parts.push_back({byte, quote});
      for (const char blank : std::string_view(" \t\r\n")) sign.parts.push_back({byte, blank, quote});
    }
  }
  return sign;
}

// =1, = 1
Sign comparisons_of_numbers() {
  Sign sign{SignKind::kLiterals, {}};
  for (const char digit : kDigits) {
    sign.parts.push_back({'=', digit});
    sign.parts.push_back({'=', ' ', digit});
  }
  return sign;
}

// Operators that only SQL has.
Sign operators() {
  Sign sign{SignKind::kLiterals, {}};
  for (const OperatorRow& row : kOperators) {
    if (row.tells == Tells::kSql) sign.parts.emplace_back(row.text);
  }
  return sign;
}

}  // namespace

Needs sql_needs() {
  const Sign logic = behind_numbers(any_of(words_of(Part::kLogic), any_word({"where", "having", "on"})));
  const Sign compare = any_of(words_of(Part::kCompare), any_word({"not", "isnull", "notnull", "escape"}));
  const Sign constants = any_word({"null", "true", "false"});
  const Sign sets = behind_numbers(words_of(Part::kSetOperator));
  const Sign quotes = any_byte(kQuotes);
  const Sign comments = any_literal({"--", "/*"});
  return {
      // Names that nobody else has.
      {any_word(kWords,
                [](const WordRow& row) {
                  const bool own = row.use >= Use::kDelay || row.object != Object::kNone ||
                                   (row.use == Use::kInfo && row.part == Part::kConstant);
                  return (own || row.part == Part::kCompare) && row.tells == Tells::kSql;
                })},
      {any_word(kWords, [](const WordRow& row) { return row.object == Object::kSchema; }), any_byte(".")},
      // Calls.
      {any_word(kWords, [](const WordRow& row) { return row.use != Use::kNone; }), any_byte("(")},
      {words_of(Part::kCase), any_word({"when"})},
      {any_word({"then", "else"}), any_word({"when"}), any_byte(")")},
      // Queries.
      {any_word({"select"})},
      {sets, words_of(Part::kQuery)},
      {words_of(Part::kQuery), any_byte("(")},
      {any_word({"table"}), any_byte(";")},
      // Conditions.
      {logic, any_bytes({"=<>~!?@|&^(", kQuotes})},
      {logic, any_bytes({kDigits, kQuotes}), any_of(compare, constants)},
      {logic, comments},
      {logic, any_byte("#")},
      {logic, any_bytes({kDigits, kQuotes}), any_byte(";")},
      {words_of(Part::kLogic), any_byte(kDigits)},
      {any_literal({"&&", "||"}), comments},
      {any_literal({"&&", "||"}), any_byte("#")},
      {any_literal({"&&", "||"}), any_bytes({kDigits, kQuotes, "=<>"})},
      {compare, any_bytes({kDigits, kQuotes, "()"})},
      {any_of(compare, constants), words_of(Part::kConstant)},
      {beside_operators(constants)},
      {any_literal({"!=", "<>", "<=>", "@@", "::", ":=", "=(", "<<", "&&", "@>", "<@", "!~"})},
      // Strings that are closed.
      {behind_quotes("=<>^*+|&%~!-/#;")},
      {behind_quotes(blanks() + ")[]"), any_byte("=<>^*+|&%~!-/#;")},
      {any_first(kQuotes)},
      {any_first("->|"), any_literal({"->", "||", ">>"})},
      {behind_quotes(","), any_byte("=()#")},
      // = b'1', <> n'a': strings with a prefix behind the operator that the value begins with
      {any_first("=<>!"), quotes},
      // ,0x41: a value that goes on with a list or an expression
      {any_first(",=<>+-*/%^|&#"), any_literal({"0x", ".e(", ".e."})},
      {any_literal({"\"'", "'\"", "\"`", "`\"", "'`", "`'", "\\x2", "\\0x"})},
      {quotes, words_of(Part::kArithmetic)},
      {quotes, words_of(Part::kSuffix)},
      {quotes, any_word({"match"})},
      {any_byte("("), any_byte("=<>+-*/%^|&~!")},
      {quotes, Sign{SignKind::kWords, {std::begin(kBehindQuote), std::end(kBehindQuote)}}},
      // Pieces torn out of a query (sql_torn.h).
      {any_literal({"-- -", "--+", "--;", ";--", ";#"})},
      {operators()},
      {any_first(std::string(kDigits) + std::string(kQuotes)), behind_quotes(")")},
      {any_literal({"'0x", "\"0x", "`0x"})},
      {before_quotes("=<>^*|&%~!#")},
      {any_first(kQuotes), Sign{SignKind::kWords, {std::begin(kBehindStrings), std::end(kBehindStrings)}}},
      {any_word({"then"}), any_word({"else"}), any_word({"end"})},
      {any_word({"from"}), any_word({"where", "group", "having", "order", "limit", "union"}),
       any_byte("`=*<>")},
      {any_word({"where"}), any_word({"group", "having", "order", "limit", "union"}), any_byte("`=*<>")},
      {any_word({"group", "order"}), any_word({"by"}), any_word({"having", "limit", "order", "union"})},
      // Beginnings of queries (heads.tsv).
      {any_word({"insert", "outfile", "dumpfile", "boolean"}), any_word({"into", "mode"})},
      {any_word({"update"}), any_word({"set"})},
      {any_word({"union", "intersect", "except"}), any_word({"all", "distinct"})},
      {any_word({"having", "where"}), any_byte(kDigits)},
      {any_first(kDigits), comparisons_of_numbers()},
      {any_first(kDigits), any_literal({"0x", ".e(", ".e."})},
      {any_first(kDigits), any_byte(","), any_byte("=<>!")},
      {any_first(kDigits), any_byte("=<>!"), any_byte("#")},
      // Clauses.
      {any_word({"order", "group"}), any_word({"by"}), any_bytes({kDigits, kQuotes, ")#"})},
      {any_word({"order", "group"}), any_word({"by"}), comments},
      {any_word({"limit", "offset", "fetch", "into", "procedure", "returning", "for"}),
       any_bytes({kDigits, kQuotes, "@)"})},
      {any_word({"outfile", "dumpfile", "regexp", "xor", "terminated"})},
      {any_word({"from"}), any_byte("*(")},
      {any_word({"from"}), comments},
      {any_word({"from"}), any_byte("#")},
      {any_word({"from"}), any_word({"as"})},
      {any_word({"duplicate", "conflict"}), any_word({"on"})},
      // Statements.
      {verbs([](const StatementRow&) { return true; }), any_byte(";")},
      {verbs([](const StatementRow&) { return true; }), words_behind_verbs()},
      {verbs(
          [](const StatementRow& row) { return row.use == Use::kCommand && row.tells == Tells::kNothing; })},
      {verbs([](const StatementRow& row) { return row.follow != Follow::kNothing; }),
       any_bytes({kDigits, kQuotes, "@(["})},
      {verbs([](const StatementRow& row) { return !row.later.empty(); }),
       any_bytes({kDigits, kQuotes, "=(,"})},
      // Words that comments cut, comments that hide the rest.
      {any_literal({"/*", "*/"})},
      {doubled(any_word(kWords, is_taken_by_filters))},
      {any_literal({"--"}), any_bytes({kDigits, kQuotes, ")"})},
      {any_byte(")"), any_byte("#")},
  };
}

}  // namespace wafd::detect::sql
