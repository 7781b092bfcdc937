// Reads pieces of SQL out of a token stream: operands, conditions, select lists, and how far tokens are SQL
// at all.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "detect/analyze/sql/sqli_tokens.h"

namespace wafd::detect::sqli {

inline constexpr std::size_t kNothing = static_cast<std::size_t>(-1);

inline bool is_value(const Token& t) noexcept {
  return t.kind == Kind::kNumber || t.kind == Kind::kString || t.kind == Kind::kOpenString ||
         t.kind == Kind::kVariable;
}
inline bool is_sign(const Token& t) noexcept {
  return t.kind == Kind::kArithmetic &&
         (t.first == '+' || t.first == '-' || t.first == '~' || t.first == '!');
}

// A value in an expression, with everything that arithmetic binds to it. `end` is the token behind it.
struct Operand {
  std::size_t end = kNothing;  // kNothing: there is none
  bool constant = true;        // no column, no call: its value is known from the text
  bool subquery = false;
  bool call = false;
  bool variable = false;  // @@x or the like
  bool text = false;      // begins with a string
  Use use = Use::kNone;   // the gravest function inside of it
  std::size_t first = 0;  // first token behind signs

  explicit operator bool() const noexcept { return end != kNothing; }
};

enum class Truth : std::uint8_t { kUnknown, kTrue, kFalse };

struct Condition {
  std::size_t end = kNothing;
  bool compares = false;  // two operands and an operator; else a single operand
  Operand left;
  Operand right;
  Truth truth = Truth::kUnknown;  // of constants that could be compared here

  explicit operator bool() const noexcept { return end != kNothing; }
  bool constant() const noexcept { return left.constant && (!compares || right.constant); }
  bool subquery() const noexcept { return left.subquery || right.subquery; }
  Use use() const noexcept { return left.use > right.use ? left.use : right.use; }
};

enum class Shape : std::uint8_t {
  kNone,    // not the statement that its first word announces
  kWeak,    // could be, could be a sentence of prose
  kStrong,  // a statement of SQL
};

struct SelectShape {
  Shape shape = Shape::kNone;
  bool from = false;     // names a table
  bool system = false;   // of the database's own data
  bool telling = false;  // selects what no form shows: a function of SQL, a subquery, a system variable
  std::size_t items = 0;
  std::size_t end = 0;
};

// Views of a text and its tokens (at most 65,535); both must outlive it. All functions take the index of a
// token and are total.
class Grammar {
 public:
  Grammar(std::string_view text, const TokenStream& stream);

  std::size_t size() const noexcept { return tokens_.size(); }
  const Token& at(std::size_t i) const noexcept { return i < tokens_.size() ? tokens_[i] : end_; }
  std::string_view spelled(std::size_t i) const noexcept;
  bool at_end(std::size_t i) const noexcept { return i >= tokens_.size(); }
  bool is_comment(std::size_t i) const noexcept;

  // Index behind the token where `i` (a kLeft) closes; size() if it never does.
  std::size_t behind_group(std::size_t i) const noexcept;
  Operand operand(std::size_t i) const;
  Condition condition(std::size_t i) const;
  // The same, but parentheses around the whole are looked into: what they compare is what it compares.
  Condition condition_inside(std::size_t i) const;
  // `i` is a SELECT.
  SelectShape select(std::size_t i) const;
  // `i` is the first word of a statement (SELECT included).
  Shape statement(std::size_t i) const;

  // Index of the first token from `i` that cannot stand where it stands, with `after_operand` saying whether
  // a value came before. Behind it the text is no SQL, whatever it was before. Comments end it: index behind
  // the comment.
  std::size_t plausible_end(std::size_t i, bool after_operand) const;
  // Behind the ON at `i` stands DUPLICATE KEY UPDATE or CONFLICT.
  bool handles_conflict(std::size_t i) const noexcept;
  // What may follow a complete condition: nothing, a comment, a parenthesis, logic, a clause.
  bool may_follow_condition(std::size_t i) const noexcept;
  // What an expression may follow: an operator, a comma, a parenthesis, a keyword that takes one, or the very
  // beginning.
  bool expects_expression_before(std::size_t i) const noexcept;

 private:
  std::size_t path_end(std::size_t i, Use& use) const noexcept;
  bool names_server_object(std::size_t i) const noexcept;
  bool term(std::size_t& i, Operand& operand) const;
  Truth compare(const Operand& a, const Token& op, const Operand& b) const noexcept;
  Use use_in(std::size_t begin, std::size_t end) const;
  bool select_in(std::size_t begin, std::size_t end) const;
  bool word_in(std::size_t begin, std::size_t end) const;

  std::string_view text_;
  const std::pmr::vector<Token>& tokens_;
  Token end_;
  // Running counts up to each token, so that a group is judged without walking it: words, SELECTs, functions
  // by use. Made as far as somebody asked.
  struct Counts {
    std::uint16_t words = 0;
    std::uint16_t selects = 0;
    std::uint16_t uses[8] = {};
  };
  const Counts& counts(std::size_t i) const;
  mutable std::pmr::vector<Counts> counts_;
};

}  // namespace wafd::detect::sqli
