// The parser behind js_reading.h: a pushdown automaton over the tokens, with a stack of open brackets.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "detect/analyze/script/js_lexer.h"
#include "detect/analyze/script/js_reading.h"
#include "detect/analyze/script/js_words.h"

namespace wafd::detect::js {

// Of a name; escapes in it make it none.
Keyword keyword_of(const Token& token) noexcept;

// Lives for one reading.
class Parser {
 public:
  Parser(std::string_view text, std::size_t begin, Start start, char quote,
         std::pmr::memory_resource& memory);
  Reading run();

 private:
  enum class Expect : std::uint8_t {
    kStatement,
    kOperand,
    kOperator,
    kEither,      // behind what closed an unknown bracket
    kMemberName,  // behind a full stop
    kFunctionName,
    kClassName,
    kParameters,  // the parenthesis of a function
    kHead,        // the parenthesis of a statement
    kBody,        // the brace of a function
    kKey,         // of an object or class
    kBehindKey,
    kImport,  // behind the word where a statement begins
    kImportClause,
  };
  enum class Bracket : std::uint8_t {
    kOuter,  // none is open
    kGroup,
    kArguments,
    kIndex,
    kArray,
    kObject,
    kComputedKey,
    kBlock,
    kFunctionBody,
    kParameters,
    kHead,
    kSubstitution,
    kClass,
  };
  // The value at hand.
  struct Value {
    Ref is = Ref::kNone;
    std::size_t begin = 0;
  };
  struct Frame {
    Bracket kind = Bracket::kOuter;
    bool statement = false;          // what it ends is a statement: a declaration, no expression
    bool method = false;             // of an object or class
    bool tagged = false;             // the template has a function before it
    bool literal = false;            // the last value in it is one as written
    bool added = false;              // + stands before it
    bool arrow = false;              // an arrow function stands in it
    bool constant = false;           // the head of a loop, and its condition is constant so far
    bool property = false;           // the value of a property of the application's object is read
    std::uint16_t conditionals = 0;  // ? whose : is to come
    std::uint16_t texts = 0;         // literals of text in it
    std::uint16_t others = 0;        // other operands in it
    Ref values = Ref::kNone;         // of all values that may come out of it
    Ref target = Ref::kNone;         // of the assignment at hand; none: there is none
    std::size_t target_begin = 0;
    std::size_t begin = 0;
    std::string_view text;  // the last literal of text
    Value outer;            // what stands before it: what is called or indexed
  };

  // js_parser.cc, js_operands.cc, js_operators.cc, js_brackets.cc: the grammar.
  void step(const Token& token);
  bool begins_statement(const Token& token) const noexcept;
  void at_operand(const Token& token);
  void open_operand(const Token& token, bool arrow);
  bool close_without_operand(const Token& token);
  void at_operand_sign(const Token& token);
  void at_name(const Token& token);
  bool at_operand_word(Keyword keyword, const Token& token, bool statement);
  bool at_statement_word(Keyword keyword, const Token& token, bool statement);
  void at_keyword(Keyword keyword, const Token& token);
  void at_operator(const Token& token);
  void open_behind_value(const Token& token);
  void at_operator_sign(const Token& token);
  void at_member_name(const Token& token);
  void at_import(const Token& token);
  void at_key(const Token& token);
  void behind_key(const Token& token);
  void at_colon(const Token& token);
  void at_semicolon(const Token& token);
  void at_text_that_ends(const Token& token);
  void open(Bracket kind, const Token& token, Expect next);
  void close(const Token& token);
  void close_outer(const Token& token);
  void close_frame(const Token& token);
  void behind_template(const Token& token);
  void operand(Ref is, const Token& token);
  void boundary(Expect next) noexcept;
  void fail() noexcept;
  bool in_statements() const noexcept;
  bool in_outer_list() const noexcept;
  bool statement_may_begin() const noexcept;
  Frame& top() noexcept { return frames_.back(); }
  void finish();

  // js_values.cc: what values are, and what is done with them.
  void name(const Token& token);
  void member(std::string_view name, bool escaped);
  void indexed(const Frame& index, const Token& token);
  void call(const Frame& arguments, std::size_t end);
  Act act_of_call(Ref callee, const Frame& arguments) const noexcept;
  void assign(const Token& token);
  void assigned(std::size_t end, bool flows);
  void value_ends(std::size_t end, bool flows);
  void import_clause(const Token& token);
  void learn(std::string_view name, Ref is) noexcept;
  void count_sign(std::size_t at, unsigned count) noexcept;
  void report(Act act, std::size_t begin, std::size_t end) noexcept;
  void settle(bool sound) noexcept;

  static constexpr std::size_t kMaxDepth = 256;
  static constexpr std::size_t kMaxLearned = 16;

  std::string_view text_;
  Lexer lexer_;
  Start start_;
  char quote_;
  std::pmr::vector<Frame> frames_;
  Expect expect_ = Expect::kStatement;
  Value value_;
  Sign before_ = Sign::kNone;  // the sign before the token at hand
  std::string_view last_key_;
  std::size_t begin_;  // of the reading
  std::size_t statement_begin_ = 0;
  std::size_t errors_ = 0;
  bool dirty_ = false;      // an error stands in the statement at hand
  bool ended_ = false;      // the } of the template stands there
  bool cut_ = false;        // the text ends inside of a string or template, which is no error
  bool reopened_ = false;   // the text ends inside of a string like the one that it closed
  bool may_end_ = false;    // the operand may be missing: return
  bool new_ = false;        // behind `new`
  bool arrow_ = false;      // behind =>
  bool case_ = false;       // behind `case`, before its colon
  bool class_ = false;      // behind `class`, before its brace
  bool statement_ = false;  // the function or class at hand is a declaration
  bool method_ = false;     // the function at hand is one of an object or class
  bool loop_ = false;       // the head at hand is that of a loop

  // Names that the text gives to what it knows.
  struct Learned {
    std::string_view name;
    Ref is = Ref::kNone;
  };
  std::array<Learned, kMaxLearned> learned_;
  std::size_t learned_count_ = 0;

  std::size_t signs_ = 0;  // ![] +[] ""+ : texts made of signs, without a name of letters between
  std::size_t signs_begin_ = 0;
  std::uint32_t pending_ = 0;  // a bit for each act of the statement at hand
  std::array<ActSpan, kActs> pending_acts_;
  Reading out_;
};

}  // namespace wafd::detect::js
