// Reads PHP code that has no tag, as it lands in eval() and the like: its tokens, and what calls or sets
// something. Calls by name: php_calls.cc; by a string, a variable, an expression: php_made_names.cc;
// settings: php_directives.cc.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "detect/analyze/base/quoted_code.h"
#include "detect/analyze/php/php_lexer.h"
#include "detect/analyze/php/php_names.h"
#include "detect/analyze/php/php_rules.h"
#include "detect/core/word_set.h"

namespace wafd::detect {

inline constexpr std::size_t kMaxPhpValueBytes = 256;  // of a value that may be an expression as a whole

// Words that an expression may follow.
inline constexpr WordSet kPhpLeadIns({"echo", "print", "return", "and", "or", "xor", "new", "else", "throw",
                                      "clone", "do", "try"});

// Lives for one call: keeps views of the text and takes its tokens from context.memory.
class PhpReader {
 public:
  // `text` begins at `base` of what is judged. `landed`: it would be code behind a string that it closed.
  PhpReader(std::string_view text, std::size_t base, const QuotedCode* landed, const FieldContext& context,
            FirstHits& found);

  void run();

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  bool is_punct(std::size_t i, char c) const noexcept {
    return i < tokens_.size() && tokens_[i].kind == PhpKind::kPunct && tokens_[i].punct == c;
  }
  bool is_kind(std::size_t i, PhpKind kind) const noexcept {
    return i < tokens_.size() && tokens_[i].kind == kind;
  }
  bool is_operand(std::size_t i) const noexcept {
    return is_kind(i, PhpKind::kString) || is_kind(i, PhpKind::kVariable) || is_kind(i, PhpKind::kNumber);
  }
  static bool is_function(std::string_view name) noexcept { return php_function(name) != 0; }

  bool ends_value() const noexcept;
  void add(PhpRule rule, std::size_t first, std::size_t last, std::string reason);
  // An expression may begin at token i: not behind a word of prose, a member access or an operand.
  bool expression_start(std::size_t i) const noexcept;
  // fn($x) => f($x); JavaScript's arrows have no "fn".
  bool arrow_function(std::size_t arrow) const noexcept;
  // '.' joins strings in PHP; behind a word it is another language's member access.
  bool string_before(std::size_t dot) const noexcept;
  // The ')' that belongs to `open`, within reach.
  std::size_t close_of(std::size_t open) const noexcept;

  // Calls by name.
  void at_word(std::size_t i);
  void at_class(std::size_t i);
  void at_runner(std::size_t i);
  bool comment_before(std::size_t i) const noexcept;
  bool statement(std::size_t open) const noexcept;
  bool told(std::size_t open) const noexcept;
  bool chosen(std::size_t i) const noexcept;

  // Names that a string, a variable or an expression makes.
  void at_variable(std::size_t i);
  void at_closed(std::size_t close);
  void at_dollar(std::size_t i);
  bool at_bitwise(std::size_t close, std::size_t call);
  bool expression_start_or_member(std::size_t i) const noexcept;
  std::size_t after_index(std::size_t k, bool& indexed) const noexcept;
  bool concatenated(std::size_t open) const noexcept;
  bool assigned_before(std::size_t i) const noexcept;
  bool ends_statement(std::size_t open) const noexcept;
  bool indexed_between(std::size_t open, std::size_t close) const noexcept;
  bool joined_constant(std::size_t open) const noexcept;

  // Settings.
  void at_directive(std::size_t i);
  bool plainly_set(std::string_view name, std::size_t last) const noexcept;
  static bool configuration_value(std::string_view value) noexcept;

  // Somebody writes about PHP: a sentence in the value of a body's field.
  bool in_post() const noexcept;

  std::string_view text_;
  std::size_t base_ = 0;
  const QuotedCode* landed_ = nullptr;
  bool field_ = false;  // the text is, or was taken out of, a field of a body
  FirstHits& found_;
  std::pmr::vector<PhpToken> tokens_;
  std::size_t last_close_ = 0;  // token
  bool value_ = false;          // short enough to be one expression
  bool line_ = false;           // and without a line end
};

}  // namespace wafd::detect
