// Reads a text as the continuation of a query, in one quoting context and one family of dialects, and says
// what stands where. It goes on to the end of the text: what the grammar does not know ends a phrase and
// lowers the certainty of what holds it; behind the next boundary it is as certain as before.
#pragma once

#include <memory_resource>
#include <optional>
#include <string_view>
#include <vector>

#include "detect/analyze/base/evidence.h"
#include "detect/analyze/sql/sql_lexer.h"
#include "detect/analyze/sql/sql_structures.h"

namespace wafd::detect::sql {

class SqlReader {
 public:
  // Everything given must outlive it. Not `whole`: the text begins somewhere in a longer one.
  SqlReader(std::string_view text, bool whole, Quote quote, Dialect dialect,
            std::pmr::memory_resource* memory, EvidenceList& out);

  // Once. False: nothing in the text ends the application's string.
  bool run();
  // The other dialects may read the text in another way.
  bool is_ambiguous() const noexcept { return lexer_.is_ambiguous(); }

 private:
  Frame& top() noexcept { return frames_.back(); }
  std::string_view spelled(const Token& token) const noexcept {
    return text_.substr(token.begin, token.size());
  }
  Keyword keyword(const Token& token) const noexcept;
  Part part(const Token& token) const noexcept;

  // Tokens (sql_reader.cc).
  void step();
  void begin_phrase(const Token& first);
  void assume_operand();
  bool is_compared_with_column() const noexcept;
  void operand(Facts facts, bool constant);
  void operation();
  void left();
  void right();
  void comma();
  void semicolon();
  void push(FrameKind kind, const Token* function);
  void pop(bool closed);
  void close_term();
  // How the next term of the phrase is joined to the one before it.
  void set_link(Link link, std::uint32_t begin) noexcept {
    if (frames_.size() > 1) return;
    link_ = link;
    link_begin_ = begin;
  }
  void take_logic(Link link);
  void take_compare();
  void unknown();
  void restart(Anchor anchor);
  void finish();

  // Words (sql_words.cc).
  void word();
  bool is_awaited();
  void name();
  void constant();
  void logic_word();
  void prefix();
  void compare_word();
  void clause();
  void clause_of_query(Keyword which);
  void clause_in_parentheses(Keyword which);
  void on_conflict();
  void case_word(Part part);
  void set_operator();
  void select();
  void query_word();
  bool absorbs_name();
  bool absorbs_phrase();
  bool absorbs_rest(std::string_view rest);
  void named_operator();
  void begin_query();
  bool is_behind_quote(std::uint32_t at) const noexcept;

  // Statements (sql_statements.cc).
  bool begin_statement();
  bool begin_unparted_statement();
  bool go_on_with_head();
  bool takes_word_of_head();
  Follow follow_of_word() const;
  Follow follow_of_token() const;
  void give_up_head();
  bool assigns() const noexcept;
  void in_statement();
  void end_statement(Tail tail);

  // Evidence (sql_evidence.cc).
  void weigh_term(const Term& term, Facts nested);
  void end_phrase(Tail tail, std::uint32_t end);
  struct Setting;
  Setting setting_of(const Condition& best, Tail tail) const;
  Certainty sure_of_constants(const Condition& best, const Setting& on) const;
  std::optional<Certainty> sure_of_comparison(const Condition& best, const Setting& on) const;
  std::optional<Certainty> sure_of_value(const Condition& best, const Setting& on) const;
  void judge_condition(Tail tail);
  bool widens_by_column(const Condition& best, const Setting& on) const noexcept;
  bool ends_padded_string() const noexcept;
  bool goes_on_apart(const Setting& on) const noexcept;
  void judge_commented_out(bool single, std::uint32_t end);
  void judge_closed(Tail tail, std::uint32_t end);
  void judge_clause(Tail tail, std::uint32_t end);

  // Pieces of queries (sql_fragment.cc).
  struct Piece {
    std::string_view what;  // or empty: it is none
    Certainty certainty = Certainty::kLikely;
  };
  void judge_fragment(Tail tail, std::uint32_t end);
  Piece piece_that_is_torn() const;
  Piece piece_of_one_term(Tail tail) const;
  Piece piece_that_tests_a_number(Tail tail) const;
  Piece piece_that_asks_of_a_column() const;
  Piece piece_behind_parentheses(Tail tail) const;
  Piece piece_behind(Tail tail);
  void judge_opening(std::uint32_t end);

  // Queries, calls, objects, statements (sql_query_evidence.cc).
  struct QueryParts;
  static QueryParts parts_of(const Frame& frame);
  bool judge_query(const Frame& frame, std::uint32_t end);  // false: it is none
  bool judge_union(const Frame& frame, const QueryParts& parts, std::uint32_t end);
  bool judge_subquery(const Frame& frame, const QueryParts& parts, std::uint32_t end);
  bool judge_stacked_query(const Query& query, const QueryParts& parts, std::uint32_t end);
  bool judge_whole_query(const Frame& frame, const QueryParts& parts, std::uint32_t end);
  bool judge_call(const Frame& frame, std::uint32_t end, bool closed);  // false: ordinary text may have it
  void judge_procedure();
  void judge_object();
  void judge_statement(Tail tail, std::uint32_t end);
  void add(SqlEvidence kind, Certainty certainty, std::uint32_t begin, std::uint32_t end,
           std::string_view detail);

  std::string_view text_;
  Lexer lexer_;
  const Quote quote_;
  const bool whole_;
  EvidenceList& out_;
  std::pmr::vector<Frame> frames_;
  Phrase phrase_;
  Statement statement_;
  Token before_;  // the token before token_
  Token token_;
  Token ahead_;
  Link link_ = Link::kFirst;
  std::uint32_t link_begin_ = 0;
  std::uint32_t set_operator_ = kNowhere;  // a UNION that waits for its query
  Anchor stacked_on_ = Anchor::kLoose;     // of what the last semicolon ended
  std::uint32_t stack_begin_ = 0;
  bool stacking_ = false;
  bool call_ = false;           // the name at hand is called by what is ahead
  std::uint32_t too_deep_ = 0;  // parentheses beyond the deepest that are counted
  bool statement_next_ = false;
  bool heading_ = false;    // a verb waits for the rest of its head
  bool type_next_ = false;  // behind :: and AS
  std::uint32_t value_begin_ = 0;
  std::uint32_t script_ = kNowhere;  // where the first statement of a text of statements begins
  bool pending_ = false;             // the text ends behind an operator
  bool hiding_ = false;              // it ends with a comment that hides nothing of its own
  bool broken_off_ = false;          // the text ends behind a parenthesis where an expression must follow
  bool unclosed_ = false;            // it ends within a parenthesis
  bool reopens_ = false;             // it ends within a parenthesis of the application's
  bool alias_next_ = false;          // behind AS
  bool postfix_next_ = false;        // a parenthesis that belongs to the operand
  bool called_off_ = false;          // it is the name of a function, signs and a parenthesis
  bool leads_ = false;               // nothing but quotes stands before the break
  bool cites_ = false;               // the break ends a citation
  bool opens_ = false;  // the break may as well be a quote that opens: a blank or a sign stands before it
};

}  // namespace wafd::detect::sql
