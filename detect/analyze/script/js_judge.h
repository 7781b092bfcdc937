// The rules on JavaScript tokens: what in them would act, and how surely it was written for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "detect/analyze/script/js_lexer.h"
#include "detect/analyze/script/js_reader.h"
#include "detect/analyze/script/js_words.h"

namespace wafd::detect {

// Lives for one reading of one text; the lexer's tokens must outlive it.
class JsJudge {
 public:
  // `breaks_out`: the reading began behind a quote or comment that the text closed.
  JsJudge(const JsLexer& lexer, bool breaks_out, std::pmr::memory_resource& memory);

  JsFinding run();

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kMaxFoldTokens = 96;
  static constexpr std::size_t kMaxFoldBytes = 64;

  // What stands in brackets behind an object: a[…].
  struct Folded {
    char text[kMaxFoldBytes];
    std::size_t size = 0;
    bool texts = false;    // there are text literals in it
    bool joined = false;   // of two or more literals, and of nothing else
    bool escaped = false;  // letters or digits written as escapes
    bool known = false;    // text[0..size) is what it evaluates to
    std::string_view value() const noexcept { return {text, size}; }
  };

  // js_judge.cc: the walk, calls, values handed on.
  void match_brackets();
  bool is_punct(std::size_t i, char c) const noexcept;
  bool is_word(std::size_t i) const noexcept;
  bool is_text(std::size_t i) const noexcept;
  bool has(std::size_t i, std::uint32_t flags) const noexcept { return (flags_[i] & flags) != 0; }
  bool sink(std::size_t i) const noexcept;
  bool closes_before(std::size_t i) const noexcept;
  bool quote_after(std::size_t i) const noexcept;
  bool operand_position(std::size_t i) const noexcept;
  bool ends_operand(std::size_t i) const noexcept;
  bool words_before(std::size_t i) const noexcept;
  std::size_t call_after(std::size_t i) const noexcept;
  std::size_t end_of_call(std::size_t call) const noexcept;
  void report(JsAct act, JsStrength strength, std::size_t first, std::size_t last);
  void at_word(std::size_t i);
  void at_sink_call(std::size_t i, std::size_t call);
  void at_sink_value(std::size_t i);
  void at_call(std::size_t i);
  void count_gadgets(std::size_t i);

  // js_members.cc: members by name, by a computed name, of the document and its location.
  Folded fold(std::size_t open) const;
  void at_bracket(std::size_t i);
  void made_name(std::size_t open, std::size_t object);
  void at_document(std::size_t i);
  void at_location(std::size_t i);
  bool names_document(std::size_t i) const noexcept;

  const std::pmr::vector<JsToken>& tokens_;
  const bool ended_;
  std::pmr::vector<std::uint32_t> flags_;  // js_word() of words and texts
  std::pmr::vector<std::uint32_t> match_;  // of each bracket its fellow
  std::pmr::vector<std::uint32_t> open_;
  std::size_t first_loose_ = kNone;  // first closing bracket that nothing opened
  std::size_t acting_ = 0;
  bool throws_ = false;
  int score_ = 0;  // of gadgets
  std::uint32_t seen_gadgets_ = 0;
  bool gadget_used_ = false;
  std::size_t gadget_first_ = 0;
  std::size_t gadget_last_ = 0;
  JsFinding out_;
};

// A text that holds the call of a sink: code on its way to eval.
bool holds_sink_call(std::string_view value) noexcept;

}  // namespace wafd::detect
