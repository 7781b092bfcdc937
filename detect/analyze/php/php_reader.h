// One walk over a text for what PHP would do if it ran it. Names are looked for everywhere, inside of quotes
// and comments too: a value may close the string that it is put into, or be run as code itself. What stands
// before and behind a name is read as PHP's grammar joins the two (PHP manual, "Expressions", "Functions").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/analyze/base/evidence.h"
#include "detect/analyze/php/words.h"

namespace wafd::detect::php {

enum class PhpEvidence : std::uint8_t {
  kOpenTag,        // <?php
  kShortTag,       // <?= $x, <? echo
  kEngineTag,      // {php}, <script language=php>
  kRequest,        // $_GET['x']; likely: the name alone
  kRunsInput,      // eval(base64_decode(…)), system($_GET[…]), array_map('system',…)
  kCalls,          // system('id'), phpinfo()
  kIncludes,       // include $x, require 'http://…'
  kUsesClass,      // new ReflectionFunction('system'), FFI::cdef(…)
  kMadeCall,       // 'system'('id'), ('sys'.'tem')('id'), ("…"^"…")()
  kVariableCall,   // $f['x']('id'), ${'f'}('id')
  kMadeVariable,   // ${'a'}
  kNameless,       // $_=[];$__=$_; variables without a letter
  kSets,           // auto_prepend_file=…
  kWholeVariable,  // $_GET['c']; and nothing else
};
inline constexpr std::array<std::string_view, 14> kKindNames{
    "open_tag",   "short_tag", "engine_tag",    "request_variable", "runs_input", "calls", "includes",
    "uses_class", "made_call", "variable_call", "made_variable",    "nameless",   "sets",  "whole_variable"};

// Lives for one text. Linear time; allocates nothing.
class PhpReader {
 public:
  // `tags_alone`: the text is a file, which a server runs by its tags or not at all.
  PhpReader(std::string_view text, bool tags_alone, EvidenceList& out) noexcept;
  void run();

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  static constexpr std::size_t kMaxWordBytes = 64;

  char at(std::size_t i) const noexcept { return i < text_.size() ? text_[i] : '\0'; }
  char before(std::size_t i) const noexcept { return i > 0 ? text_[i - 1] : '\0'; }
  bool quote(std::size_t i) const noexcept { return at(i) == '\'' || at(i) == '"'; }
  std::size_t word_end(std::size_t i) const noexcept;
  // Behind white space and comments.
  std::size_t behind_gap(std::size_t i) const noexcept;
  // Where the white space before i begins.
  std::size_t before_gap(std::size_t i) const noexcept;
  bool starts_text(std::size_t i) const noexcept;
  bool ends_text(std::size_t i) const noexcept;
  // A statement ends at i, and what the program has behind it becomes a comment: ;// and ;# at the end.
  bool comments_out(std::size_t i) const noexcept;
  // The word that ends at i.
  std::string_view word_before(std::size_t i) const noexcept;
  // Digits that end there, or nothing.
  std::string_view number_before(std::size_t end) const noexcept;
  // They are an item's key: {1, [1 or ,1.
  bool is_item_number(std::size_t end) const noexcept;
  bool ends_cast(std::size_t end) const noexcept;
  bool is_php_argument(std::size_t i) const noexcept;
  bool stands_alone(std::size_t begin) const noexcept;
  bool ends_head(std::size_t close) const noexcept;
  // An expression may begin at i: not behind a word of prose, a member access or an operand.
  bool expression_start(std::size_t i) const noexcept;
  bool joins_strings(std::size_t dot) const noexcept;
  // The bracket that closes the one at `open`, if it is near.
  std::size_t close_of(std::size_t open) const noexcept;
  // Whether PHP allows what stands behind the call; people who write about it go on with words.
  bool goes_on(std::size_t close) const noexcept;
  // A statement of its own, or joined to the string that a quote before it ended.
  bool breaks_out(std::size_t begin, std::size_t close) const noexcept;
  void add(PhpEvidence kind, Certainty certainty, std::size_t begin, std::size_t end,
           std::string_view name = {});

  void read_word(std::size_t begin, std::size_t end);
  void read_call(std::string_view name, Use use, std::size_t begin, std::size_t end, std::size_t open);
  void read_include(std::size_t begin, std::size_t end);
  void read_class(std::string_view name, std::size_t begin, std::size_t end);
  void read_quoted(std::string_view name, Use use, std::size_t begin, std::size_t end);
  void read_directive(std::size_t begin, std::size_t end);
  bool strong_call(Use use, std::size_t begin, std::size_t end, std::size_t open,
                   std::size_t close) const noexcept;
  bool begins_statement(std::size_t begin) const noexcept;
  bool ends_program(std::size_t begin, std::size_t argument, std::size_t close) const noexcept;
  bool is_prose(std::size_t begin, std::size_t end) const noexcept;
  bool states_condition(std::size_t begin, std::size_t open, std::size_t close) const noexcept;
  bool is_printed(std::size_t begin, std::size_t open, std::size_t close) const noexcept;
  bool ordinary_call(std::string_view name, Use use, std::size_t begin, std::size_t open,
                     std::size_t close) const noexcept;
  bool runs_here(std::size_t at) const noexcept;

  // made_names.cc
  void read_dollar(std::size_t begin);
  void read_variable(std::size_t begin, std::size_t end);
  void read_braced_name(std::size_t begin, std::size_t open);
  void read_closed(std::size_t close);
  std::size_t behind_indexes(std::size_t i, bool& indexed) const noexcept;
  bool assigned(std::string_view name) const noexcept;
  struct MadeName;
  bool read_back(std::size_t close, MadeName& out) const noexcept;

  std::string_view text_;
  bool tags_alone_;
  EvidenceList& out_;
  std::size_t last_close_;  // of the text's closing parentheses; kNowhere: none
  bool one_line_;
  std::array<std::size_t, 2> first_quotes_;  // the text's first ' and "
  bool source_ = false;  // the text is a file of source: it begins with an open tag in a line of its own
  std::size_t runner_ = kNowhere;               // the last call in this statement that runs its argument
  std::size_t runner_open_ = 0;                 // and its parenthesis
  std::array<std::string_view, 8> assigned_{};  // names of the last variables that were set
  std::size_t assignments_ = 0;
  std::size_t nameless_ = 0;
};

// The effect of a function by its name, families of PHP's extensions included; kNone: not a known one.
Use function_use(std::string_view name) noexcept;
// The same, if `use` is what the table says of the name.
Use function_use(std::string_view name, Use use) noexcept;

}  // namespace wafd::detect::php
