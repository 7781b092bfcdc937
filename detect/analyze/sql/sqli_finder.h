// One reading of one text, in which structures are looked for: sqli_rules.cc walks it and judges its words,
// sqli_functions.cc its calls and subqueries, sqli_conditions.cc its logic, sqli_pieces.cc what stands
// directly behind a quote and values that are SQL as a whole, sqli_fragments.cc pieces of queries,
// sqli_suspicions.cc what is only odd.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "detect/analyze/sql/sqli_rules.h"
#include "detect/core/octets.h"

namespace wafd::detect::sqli {

inline bool is_text(const Token& t) noexcept {
  return t.kind == Kind::kString || t.kind == Kind::kOpenString;
}
inline bool is_logic(const Token& t) noexcept { return t.kind == Kind::kLogic || t.part() == Part::kLogic; }
// For reasons.
std::string to_upper(std::string_view text);

class Finder {
 public:
  Finder(const Reading& reading, const TokenStream& stream, std::vector<Hit>& hits)
      : text_(reading.text),
        quoted_(reading.quote != Quote::kNone),
        beginning_(reading.beginning),
        pair_(reading.pair),
        noisy_(reading.noisy),
        script_(reading.script),
        where_(reading.where),
        stored_(reading.stored),
        complete_(stream.next >= reading.text.size()),
        stream_(stream),
        sql_(reading.text, stream),
        hits_(hits) {}

  bool run();

 private:
  void find_anchor();

  static bool is_word_logic(const Token& t) noexcept { return t.part() == Part::kLogic; }

  bool in_reading(std::size_t i) const noexcept { return anchored_ && i < plausible_; }
  bool ends_with_comment() const noexcept { return plausible_ > 0 && sql_.is_comment(plausible_ - 1); }
  const char* opening() const noexcept { return quoted_ ? "closes a string" : "continues a value"; }

  void hit(RuleIndex rule, std::size_t first, std::size_t last, std::string reason);

  void hit_octets(RuleIndex rule, std::size_t begin, std::size_t end, std::string reason);

  void word(std::size_t i);

  void union_select(std::size_t i);

  void case_expression(std::size_t i);
  void compared_choice(std::size_t i);
  void arithmetic(std::size_t i);

  void clause_by(std::size_t i);

  void system_object(std::size_t i);

  // `i` is a name whose call is of use to an attacker.
  void function(std::size_t i);

  // Names that other languages know too (sleep, benchmark, polygon): only where SQL would call them.
  bool position_of_a_call(std::size_t i, std::size_t open) const;

  bool saw_sql_before(std::size_t i) const noexcept;

  void subquery(std::size_t i);

  void stacked(std::size_t i);
  bool only_statements(std::size_t i);
  bool calls_closely(std::size_t i) const noexcept;
  bool looks_around(std::size_t i) const noexcept;

  // `i` is AND, OR, || or the like, inside of what reads as SQL.
  void logic(std::size_t i);

  // Token behind the strings of a list that a parenthesis ends which the value did not open: 'a','b'); or 0.
  std::size_t values_before() const;
  // Between the start of a bare value and the operator `i` stand plain values: 1, (1), '1', -1, null, 1,2);
  // or nothing.
  bool simple_before(std::size_t i) const;

  bool word_before(std::size_t i) const noexcept { return i == 1 && sql_.at(0).kind == Kind::kWord; }

  bool equal_sign(std::size_t from, std::size_t to) const noexcept;

  // What stands directly behind the quote that ends the string.
  void behind_quote();
  bool quotes_sign(std::size_t next) const noexcept;
  bool cuts_off() const noexcept;

  // Values that are SQL from the beginning to the end.
  void whole_value();

  // The statement `i` is whole, on tables of an application, and hides nothing: what people write to each
  // other about SQL, in forms of help and of search. Injected it would stand behind a value, so that it is an
  // attack only where an application runs what it gets.
  bool as_written(std::size_t i) const noexcept;

  // Values that are a piece of a query from beginning to end. `i` is the first token behind parentheses.
  void fragment(std::size_t i, bool whole);
  bool alone(std::size_t i);
  static bool changes_data(Word word) noexcept;

  void delay_behind_quote();
  void suspect_behind_quote();
  // Values that nobody types, but that may be anything: signs, quotes and operators alone.
  void suspect_value();
  void suspect_signs(std::string_view text);

  // Whether a string stands among the tokens.
  bool has_text() const noexcept {
    return std::any_of(stream_.tokens.begin(), stream_.tokens.end(), is_text);
  }

  std::string_view text_;
  bool quoted_;
  bool beginning_;
  bool pair_;
  bool noisy_;     // the text holds controls that no text has
  bool script_;    // the text is a file of statements
  bool where_;     // the parameter takes a condition
  bool stored_;    // the text is lines of statements in a field
  bool complete_;  // the tokens are all that the text has
  const TokenStream& stream_;
  Grammar sql_;
  std::vector<Hit>& hits_;
  std::size_t start_ = 0;                   // first token behind the quote and its parentheses
  std::size_t plausible_ = 0;               // the reading holds up to here
  bool anchored_ = false;                   // the text begins as the continuation of a query would
  bool numeric_ = false;                    // it begins with a number
  std::size_t statements_from_ = kNothing;  // behind it semicolons part statements alone; kNothing: not asked
};

}  // namespace wafd::detect::sqli
