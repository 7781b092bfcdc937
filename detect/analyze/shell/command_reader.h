// Finds the commands in a text that a shell may read from any place on: lists, pipelines, compound commands,
// functions, assignments, wrappers, substitutions (POSIX.1-2017 XCU 2.9 and 2.10, bash manual 3.2).
#pragma once

#include <cstddef>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "detect/analyze/base/evidence.h"
#include "detect/analyze/shell/command_weight.h"
#include "detect/analyze/shell/evidence_kinds.h"
#include "detect/analyze/shell/expansion.h"
#include "detect/analyze/shell/shell_lexer.h"

namespace wafd::detect::shell {

// How a command is reached.
struct Reach {
  Sign sign = Sign::kNone;  // kNone: the text begins there
  std::size_t begin = 0;
  bool dead = false;   // no command begins there
  bool apart = false;  // what stands before it is no sentence: nothing, a quote, one word, or no white space
  bool weak = false;   // the sign has another meaning there: in an alternative, a URL, a character reference
  Pipe pipe = Pipe::kNone;
  bool of_url = false;   // weak since a URL stands before it, whose parameters `&` divides
  bool queried = false;  // and that URL has parameters
};

// One walk for each call of read(). All arguments must outlive it.
class CommandReader {
 public:
  // `has_lines`: the text may be one of many lines, as those of bodies are.
  CommandReader(std::string_view text, bool has_lines, std::pmr::memory_resource* memory, EvidenceList& out);

  // From `at` on, outside of quotes. `begins`: a command begins there.
  void read(std::size_t at, bool begins);

 private:
  static constexpr std::size_t kMaxFrames = 34;
  static constexpr int kMaxNesting = 2;

  // A command that is not at its end yet. All but the last wait for a substitution or a group to be closed.
  struct Frame {
    std::size_t first_word = 0;  // in words_
    std::size_t first_target = 0;
    std::size_t segment = 0;  // where what stands behind the last separator begins
    Reach reach;
    bool word_open = false;     // its last word goes on behind the substitution
    bool undecided = false;     // its first word may not be whole yet
    bool in_case = false;       // patterns end with ")"
    bool split = false;         // $IFS stands between its words
    bool alternative = false;   // a group in the place of an argument
    bool named = false;         // its first word is the name of a function
    bool broken = false;        // a parenthesis stands among its words, as no shell allows it
    bool feeds = false;         // the last command prints something
    std::string_view assigned;  // the variable before its first word: a=
    std::string_view array;     // the variable that its words are the values of
  };
  // Of a text inside of a text: what its evidence is told to be.
  struct Origin {
    std::size_t begin = 0;
    std::size_t end = 0;
    Reach reach;
    int depth = 0;
  };

  struct Weighing;
  // A command inside of the wrappers before it: timeout 1 id.
  struct Unwrapped {
    std::span<const Token> words;
    bool hidden = false;
    std::size_t at = 0;          // of the command's name in `words`
    bool wrapped = false;        // by what is no everyday word
    std::optional<bool> prints;  // nothing is left to judge; whether the command prints something
    Command command{};

    Unwrapped& ended(bool p) noexcept {
      prints = p;
      return *this;
    }
  };

  CommandReader(const CommandReader& outer, std::string_view text, const Origin& origin);

  Frame& frame() noexcept { return frames_.back(); }
  std::span<const Token> words() const noexcept;
  std::span<const Token> targets() const noexcept;

  void on_word(const Token& token);
  void on_open(const Token& token, Lexer& lexer);
  void on_close(const Token& token);
  void on_separator(const Token& token);
  void push(const Reach& reach, std::size_t segment);
  bool decide();
  bool read_keyword(std::string_view word);
  bool read_assignment(const Token& word);
  Reach reach_of(const Token& separator) const;
  bool in_list(const Reach& reach, std::size_t end) const noexcept;
  bool in_sentence(std::size_t begin, std::size_t end) const noexcept;
  void drop_words() noexcept;
  void lead_by(std::string_view next) noexcept;
  void finish(std::size_t end);
  bool judge(std::span<const Token> words, std::size_t end, bool hidden);
  Unwrapped unwrap(std::span<const Token> words, std::size_t end, bool hidden);
  void weigh_wrapper(Weighing& w) noexcept;
  void weigh_in_front(Weighing& w) noexcept;
  void weigh_code_span(Weighing& w);
  void weigh_name(Weighing& w);
  void weigh_target(Weighing& w) noexcept;
  void weigh_behind_url(const Weighing& w) noexcept;
  void weigh_behind_sign(Weighing& w) noexcept;
  bool ends_sentence(const Weighing& w) const noexcept;
  void weigh_as_prose(Weighing& w) noexcept;
  bool is_selection_set() const noexcept;
  void weigh_in_list(Weighing& w) noexcept;
  void report_alias(const Weighing& w);
  int weight_of_path(std::string_view path, std::span<const Token> rest) const;
  void judge_targets(std::size_t end);
  bool writes_over_file() noexcept;
  bool writes_page() noexcept;
  void judge_expanded(std::span<const Token> words, std::size_t end);
  void judge_unknown(std::span<const Token> words, std::size_t end);
  Command command_of(const Token& word, bool& hidden) noexcept;
  bool judge_sequence(std::span<const Token> words, std::size_t end);
  bool judge_braces(std::span<const Token> words, std::size_t end);
  void remember(const Command& command, std::span<const Token> words);
  bool read_split(std::string_view value, std::size_t end);
  void read_inside(std::string_view code, std::size_t end);
  void emit(int weight, bool hidden, std::size_t end, bool secret = false);

  std::string_view text_;
  const bool has_lines_;
  const std::size_t first_blank_;  // or line end
  const std::size_t first_word_;   // behind the blanks and line ends at the beginning
  std::pmr::memory_resource* memory_;
  EvidenceList& out_;
  Variables variables_;
  std::pmr::vector<Token> words_;
  std::pmr::vector<Token> targets_;
  std::pmr::vector<Frame> frames_;
  Sign redirect_ = Sign::kNone;  // whose target comes next
  std::size_t patterns_ = 0;     // of programs
  std::size_t lookups_ = 0;      // of variables
  std::size_t lines_ = 0;        // that ended before
  bool compound_ = false;        // if, while, for, … began one
  bool in_row_ = false;          // the line begins with "|", as a row of a table does
  bool refused_ =
      false;  // the line has a parenthesis where no shell of Unix allows one, and it runs none of it
  bool looked_ahead_ = false;  // for the word that a compound command needs
  const Origin* origin_ = nullptr;
};

}  // namespace wafd::detect::shell
