#include "detect/analyze/shell/cmd_judge.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/analyze/shell/batch_reader.h"
#include "detect/analyze/shell/cmd_arguments.h"
#include "detect/analyze/shell/cmd_report.h"
#include "detect/analyze/shell/cmd_statements.h"
#include "detect/analyze/shell/cmd_value.h"
#include "detect/analyze/shell/shell_commands.h"
#include "detect/analyze/shell/shell_lexer.h"
#include "detect/analyze/shell/shell_shape.h"
#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"

namespace wafd::detect::cmd {
namespace {

constexpr std::size_t kTellingBytes = 256;  // in which a sentence begins

// Quotes make commands overlap: all together are read at most this many times the text.
constexpr std::size_t kReadAgain = 4;

constexpr OctetFinder kBlank(" \t\r\n\"'");
constexpr OctetFinder kChains(";|& '\"");
constexpr OctetFinder kOperators(";|&`\r\n$<>");
constexpr OctetFinder kNoSentence(";|&$<>='\"`");
constexpr OctetFinder kPartsValue(" \t=,");

// " & " between words is how people write "and".
bool joins_words(const ShellCommand& command) noexcept {
  return command.before == ShellOperator::kAmpersand && command.space_before && command.space_after;
}

// "Bash bar & Cat tree": names have capitals, commands none.
bool is_name(const ShellCommand& command, const ShellWord& word) noexcept {
  return !word.text.empty() && is_upper(word.text[0]) && !word.spliced &&
         (joins_words(command) || command.before == ShellOperator::kNewline);
}

// name=value before a command
bool assigns(const ShellCommand& command, std::size_t at, CommandKind kind) {
  const std::string_view text = command.words[at].text;
  const std::size_t equals = text.find('=');
  return equals != std::string_view::npos && kind == CommandKind::kUnknown &&
         is_variable_name(text.substr(0, equals)) && at + 1 < command.words.size();
}

class Judge {
 public:
  Judge(Report& out, const CmdSigns& signs)
      : out_(out),
        text_(out.text()),
        command_(out.findings().memory),
        first_octet_(kBlank.find_other(text_, 0)),
        behind_chains_(kChains.find_other(text_, 0)),
        first_operator_(kOperators.find(text_, 0)),
        first_sign_(kNoSentence.find(text_, 0)),
        value_(trim(text_.substr(0, first_operator_))),
        one_word_(kPartsValue.find(value_, 0) == value_.size()),
        letters_(all_letters(value_)) {
    std::size_t budget = kReadAgain * text_.size() + kMaxCommandBytes;
    for (const CmdPlace& place : signs.places) {
      // An operator that is not a place may end the command before a pipe.
      if (place.before != ShellOperator::kPipe || place.operator_begin != last_end_)
        last_kind_ = CommandKind::kUnknown;
      command_.before = place.before;
      command_.operator_begin = place.operator_begin;
      from_start_ = !place.quoted;
      read_command(text_, place.begin, command_);
      judge(command_);
      last_end_ = command_.end;
      const std::size_t read = command_.end - command_.begin;
      if (read >= budget) return;
      budget -= read;
    }
  }

 private:
  void judge(const ShellCommand& command) {
    judge_targets(out_, command);
    if (command.words.empty()) return;
    std::size_t at = 0;
    bool wrapped = false;
    CommandKind kind = CommandKind::kUnknown;
    // Assignments, wrappers and words of the grammar stand before the command itself.
    while (at < command.words.size()) {
      kind = kind_of(command.words[at]);
      if (kind == CommandKind::kWrapper) {
        wrapped = true;
      } else if (kind != CommandKind::kKeyword && !assigns(command, at, kind)) {
        break;
      }
      ++at;
    }
    if (at >= command.words.size()) at = command.words.size() - 1;
    const ShellWord& word = command.words[at];
    if (kind == CommandKind::kStatement) return read_batch_statement(out_, word.begin);
    if (word.glob && glob_names_command(word.text)) {
      out_.add(kDisguised, word.begin, command.end, "A command is named by a pattern of its path.");
      last_kind_ = CommandKind::kTelltale;
      return;
    }
    const bool piped = command.before == ShellOperator::kPipe && last_kind_ != CommandKind::kUnknown;
    last_kind_ = kind;
    Shape shape = shape_of(command, at + 1);
    // dir/s: the switches are in the word of the command.
    const std::string_view name = command_name(word.text);
    if (name.size() < word.text.size() && name.data() == word.text.data() && word.text[name.size()] == '/')
      shape.option = true;
    if (wrapped || runs_others(command.words[0].text))
      judge_runner(out_, command, wrapped ? at : at + 1, from_start_);
    if ((at == 0 || wrapped) && is_program_path(command.words[0].text))
      judge_program_path(out_, command, command.words[0], from_start_);
    if (kind == CommandKind::kUnknown) return judge_unknown(out_, command, at, shape);
    if (!is_command(kind)) return;
    // "at System.IO.File.Open(String path)": a frame of a stack
    if (word.text == "at" && at + 1 < command.words.size() &&
        command.words[at + 1].text.find('.') != std::string_view::npos &&
        !is_digit(command.words[at + 1].text[0]))
      return;
    if (iequals(word.text, "alias")) judge_alias(out_, command, at);
    const bool named = (kind != CommandKind::kTelltale && is_name(command, word)) ||
                       (shape.words == 0 && in_table(command, word));
    const bool prose_before_it = prose_before(text_, command.operator_begin) || inline_code(command);
    // "had 80 GB; logrotate was broken": words before it, and nothing but words behind it.
    const bool told =
        shape.words >= 2 && shape.plain == shape.words && command.targets.empty() &&
        command.before == ShellOperator::kSemicolon && command.space_after && kind != CommandKind::kNet &&
        kind != CommandKind::kTelltale && harm_of(kind, word.text, command) == Harm::kNone &&
        prose_words(text_.substr(0, std::min<std::size_t>(command.operator_begin, kTellingBytes))) >= 3;
    const bool prose = named || shape.plain >= 4 || prose_before_it || told;
    const bool closed = closes(command);
    bool decisive = command.here_string || is_decisive(kind, word, shape, piped, closed);
    const bool start = command.before == ShellOperator::kStart;
    // powershell Get-Process
    decisive = decisive || (!start && kind == CommandKind::kShell && at + 1 < command.words.size() &&
                            kind_of(command.words[at + 1]) == CommandKind::kTelltale);
    if (command.ifs || (word.spliced && (kind == CommandKind::kTelltale || decisive || !start))) {
      if ((!prose || command.ifs) && !out_.findings().has(kDisguised)) {
        out_.add(kDisguised, command.operator_begin, command.end,
                 fmt::format("A command, {}, is hidden from filters by {}.", shown(word.text),
                             command.ifs ? "$IFS in place of spaces" : "quotes or escapes inside its name"));
      }
    }
    if (start) return judge_value(out_, command, word, kind, shape, {decisive, prose, from_start_});
    if (command.before == ShellOperator::kParen && !decisive) {
      if (behind_chain(command) && command.after == ShellOperator::kClose && value_before(command) &&
          !prose && (is_bare(kind, shape) || takes(kind, shape, true))) {
        out_.add(kInjected, command.operator_begin, command.end,
                 fmt::format("Behind an operator stands a command in parentheses, {}.", shown(word.text)));
      }
      return;
    }
    judge_behind_operator(command, word, kind, shape,
                          {decisive, closed, prose, prose_before_it && shape.plain >= 2, wrapped});
  }

  // | name | id |: a word alone between pipes, in a line that begins with one and has more of them.
  bool in_table(const ShellCommand& command, const ShellWord& word) noexcept {
    if (command.before != ShellOperator::kPipe || !is_ordinary_word(word.text)) return false;
    if (command.end < row_begin_ || command.end > row_end_) read_row(command.end);
    return table_row_;
  }

  void read_row(std::size_t place) noexcept {
    row_begin_ = text_.substr(0, place).rfind('\n') + 1;  // npos + 1 is 0
    row_end_ = std::min(text_.find('\n', row_begin_), text_.size());
    const std::string_view row = trim(text_.substr(row_begin_, row_end_ - row_begin_));
    table_row_ = row.starts_with("| ") && row.ends_with(" |") && std::count(row.begin(), row.end(), '|') >= 3;
  }

  // Server down! `curl -I https://a.example` -> 502: code in Markdown, with words before it and text behind.
  bool inline_code(const ShellCommand& command) const noexcept {
    if (command.before != ShellOperator::kBacktick || command.operator_begin < 2 ||
        first_sign_ < command.operator_begin)
      return false;
    const std::size_t close = text_.find('`', command.operator_begin + 1);
    if (close == std::string_view::npos || close + 2 >= text_.size()) return false;
    const std::string_view before = text_.substr(0, command.operator_begin);
    if (before.back() != ' ' || text_[close + 1] != ' ') return false;
    const std::string_view words = trim(before);
    const std::size_t last = words.find_last_of(' ');
    return last != std::string_view::npos && std::any_of(words.begin(), words.end(), is_alpha);
  }

  // ;(id): an operator of the shell right before the parenthesis; it alone parts the value from what is run.
  // At the beginning of a value there may be spaces: || (id).
  bool behind_chain(const ShellCommand& command) const noexcept {
    std::size_t at = command.operator_begin;
    if (behind_chains_ == at) {
      while (at > 0 && text_[at - 1] == ' ') --at;
    }
    if (at == 0) return false;
    const char sign = text_[at - 1];
    const bool chain = sign == ';' || ((sign == '|' || sign == '&') && at >= 2 && text_[at - 2] == sign) ||
                       (sign == '|' && at == 1);
    return chain && first_operator_ + 2 >= at;
  }

  // ;cat<file, but not a tag of HTML behind a word: ;cat<br>
  bool reads_input(const ShellCommand& command) const noexcept {
    return std::any_of(command.targets.begin(), command.targets.end(), [this](const ShellWord& target) {
      const std::size_t end = std::min<std::size_t>(target.end, text_.size());
      const bool tag = target.text.ends_with('/') || (end < text_.size() && text_[end] == '>');
      return target.input && !tag && !target.text.empty() &&
             (is_alnum(target.text[0]) || target.text[0] == '~');
    });
  }

  // cat *
  static bool everything(const ShellCommand& command) noexcept {
    return command.words.size() == 2 && command.words[1].text == "*";
  }

  struct Context {
    bool decisive;
    bool closed;
    bool prose;
    bool amid_prose;  // words before it and behind it
    bool wrapped;
  };

  void judge_behind_operator(const ShellCommand& command, const ShellWord& word, CommandKind kind,
                             const Shape& shape, const Context& is) {
    // Lines of a longer text: documentation and logs have commands at the start of lines too.
    if (command.before == ShellOperator::kNewline && out_.many_lines() && !command.ifs && !word.spliced) {
      if (is.decisive && !is.prose && !out_.findings().has(kInjectedWeak)) {
        out_.add(kInjectedWeak, word.begin, command.end,
                 fmt::format("A line of the text is a command, {}, with arguments that it takes.",
                             shown(word.text)));
      }
      return;
    }
    const bool substituted =
        command.before == ShellOperator::kDollarParen || command.before == ShellOperator::kProcess;
    const bool fits = (takes(kind, shape, is.closed) && !says_amount(kind, word, shape)) ||
                      (substituted && is.closed && shape.words > 0 && shape.words <= 3 && !is.prose);
    const bool begins = first_octet_ == command.operator_begin;
    const bool few = is.closed && !is.prose && shape.words <= 3 && command.words.size() <= 5;
    const ShellWord* next = &word < &command.words.back() ? &word + 1 : nullptr;
    const bool subcommand =
        few && next != nullptr && takes_subcommand(word.text, next->text) && value_before(command);
    Rule rule = kInjectedWeak;
    if (is.decisive) {
      rule = is.prose ? kInjectedWeak : kInjectedSure;
      if (is.prose && shape.sensitive && !is.amid_prose && command.before != ShellOperator::kNewline &&
          command.before != ShellOperator::kBacktick && !is_name(command, word)) {
        rule = kInjected;
      }
    } else if (kind == CommandKind::kTelltale && (is.closed || shape.option || shape.words <= 2)) {
      rule = is.prose ? kInjectedWeak : kInjected;
    } else if (fits && !is.prose) {
      rule = joins_words(command) && !shape.option && !shape.path ? kInjectedWeak : kInjected;
    } else if (subcommand || (few && kind == CommandKind::kReader && value_before(command) &&
                              (reads_input(command) || (begins && everything(command))))) {
      rule = kInjected;
    } else if (is_bare(kind, shape) && is.closed) {
      if ((command.before == ShellOperator::kNewline && out_.many_lines()) || joins_words(command)) return;
      rule = value_before(command) && !is.prose ? kInjected : kInjectedWeak;
    } else if (begins && !is.prose && !is_ordinary_word(word.text) && (shape.plain <= 1 || few)) {
      rule = kInjected;  // |vi (x
    } else if (begins && !is.prose && !command.space_after) {
      rule = kInjectedWeak;
    } else {
      return;
    }
    // One letter is noise more often than a command.
    if (command_name(word.text).size() < 2 && rule == kInjected) rule = kInjectedWeak;
    if (is.wrapped && rule == kInjectedWeak && !is.prose && shape.words > 0) rule = kInjected;
    // | Where-Object Status -eq Running, without a block that could run something
    if (command.before == ShellOperator::kPipe && is_filter_cmdlet(word.text) &&
        text_.substr(command.begin, command.end - command.begin).find_first_of("{($") == text_.npos)
      rule = kInjectedWeak;
    if (rule != kInjectedWeak) rule = out_.weighed(rule, command.begin, harm_of(kind, word.text, command));
    if (out_.findings().has(rule)) return;
    out_.add(rule, command.operator_begin, command.end,
             fmt::format("Behind {} stands a command, {}{}.", to_words(command.before), shown(word.text),
                         shape.words > 0 ? ", with arguments that it takes" : ""));
  }

  // What stands before the first operator is a value (nothing, a number, an address, a file name, a closed
  // quote), not a word beside which another word may stand by itself.
  bool value_before(const ShellCommand& command) const noexcept {
    const std::string_view value = value_;
    if (value == "\"" || value == "'") return true;
    if (command.before == ShellOperator::kAmpersand && !command.space_after &&
        command.after == ShellOperator::kAmpersand) {
      return false;  // a=1&id&date: parameters
    }
    if (value.empty()) return true;
    if (!one_word_) return false;
    // One letter is what is put in to try; two and more may be the name of a column.
    return !letters_ ||
           (value.size() == 1 && first_operator_ == command.operator_begin && !command.space_before);
  }

  Report& out_;
  std::string_view text_;
  ShellCommand command_;
  CommandKind last_kind_ = CommandKind::kUnknown;  // of the command before, for pipes
  std::size_t last_end_ = 0;
  bool from_start_ = true;

  // Of the text, so that no command asks for them again: what stands first in it but white space and quotes;
  // but operators, spaces and quotes; the first operator; the first sign that is none of a sentence's.
  const std::size_t first_octet_;
  const std::size_t behind_chains_;
  const std::size_t first_operator_;
  const std::size_t first_sign_;
  const std::string_view value_;  // before the first operator
  const bool one_word_;
  const bool letters_;
  // The line in which a row of a table was looked for.
  std::size_t row_begin_ = 1;
  std::size_t row_end_ = 0;
  bool table_row_ = false;
};

}  // namespace

void judge_commands(Report& out, const CmdSigns& signs) { Judge(out, signs); }

}  // namespace wafd::detect::cmd
