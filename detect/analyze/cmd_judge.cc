#include "detect/analyze/cmd_judge.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/analyze/batch_reader.h"
#include "detect/analyze/cmd_arguments.h"
#include "detect/analyze/shell_commands.h"
#include "detect/analyze/shell_lexer.h"
#include "detect/analyze/shell_shape.h"
#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect::cmd {
namespace {

// Quotes make commands overlap: all together are read at most this many times the text.
constexpr std::size_t kReadAgain = 4;
constexpr std::size_t kMaxVariableName = 32;

bool is_chain(ShellOperator op) noexcept {
  return op == ShellOperator::kSemicolon || op == ShellOperator::kAnd || op == ShellOperator::kOr ||
         op == ShellOperator::kPipe || op == ShellOperator::kAmpersand || op == ShellOperator::kNewline;
}

bool known(CommandKind kind) noexcept {
  return kind != CommandKind::kUnknown && kind != CommandKind::kKeyword && kind != CommandKind::kStatement;
}

bool is_variable_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kMaxVariableName && !is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_'; });
}

CommandKind kind_of(const ShellWord& word) noexcept {
  std::string_view text = word.text;
  // What closes a template or call behind it is no part of the name.
  while (!text.empty() && (text.back() == '}' || text.back() == ']')) text.remove_suffix(1);
  for (const std::string_view shell : {"$shell", "${shell}", "$0", "$bash", "%comspec%"}) {
    if (iequals(text, shell)) return CommandKind::kShell;
  }
  // An unset variable behind the name: sh$x
  const std::size_t dollar = text.find('$');
  if (word.expands && dollar != std::string_view::npos && dollar > 1) text = text.substr(0, dollar);
  // A command given to an option: -TT=id
  const std::size_t equals = text.rfind('=');
  if (text.starts_with('-') && equals != std::string_view::npos) text.remove_prefix(equals + 1);
  if (text.find_first_of("=:") != std::string_view::npos && text.find(":\\") != 1 && text.find(":/") != 1) {
    return CommandKind::kUnknown;
  }
  while (text.starts_with('{') || text.starts_with('@')) text.remove_prefix(1);
  return command_kind(text);
}

std::string shown(std::string_view word) {
  std::string out;
  for (const char c : command_name(word).substr(0, 24)) {
    if (is_alnum(c) || c == '-' || c == '_' || c == '.') out.push_back(to_lower(c));
  }
  return out;
}

// " & " between words is how people write "and".
bool joins_words(const ShellCommand& command) noexcept {
  return command.before == ShellOperator::kAmpersand && command.space_before && command.space_after;
}

// "Bash bar & Cat tree": names have capitals, commands none.
bool is_name(const ShellCommand& command, const ShellWord& word) noexcept {
  return !word.text.empty() && is_upper(word.text[0]) && !word.spliced &&
         (joins_words(command) || command.before == ShellOperator::kNewline);
}

bool closes(const ShellCommand& command) noexcept {
  switch (command.after) {
    case ShellOperator::kParen:
    case ShellOperator::kDollarParen:
    case ShellOperator::kProcess:
      return false;
    case ShellOperator::kClose:
      return command.before == ShellOperator::kDollarParen || command.before == ShellOperator::kBacktick ||
             command.before == ShellOperator::kProcess;
    default:
      return true;
  }
}

class Judge {
 public:
  Judge(Findings& out, const CmdSigns& signs) : out_(out), command_(out.memory) {
    std::size_t budget = kReadAgain * out.text.size() + kMaxCommandBytes;
    for (const CmdPlace& place : signs.places) {
      // An operator that is not a place may end the command before a pipe.
      if (place.before != ShellOperator::kPipe || place.operator_begin != last_end_)
        last_kind_ = CommandKind::kUnknown;
      command_.before = place.before;
      command_.operator_begin = place.operator_begin;
      from_start_ = !place.quoted;
      read_command(out.text, place.begin, command_);
      judge(command_);
      last_end_ = command_.end;
      const std::size_t read = command_.end - command_.begin;
      if (read >= budget) return;
      budget -= read;
    }
  }

 private:
  void judge(const ShellCommand& command) {
    judge_targets(command);
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
    const Shape shape = shape_of(command, at + 1);
    if (wrapped || runs_others(command.words[0].text)) judge_runner(command, wrapped ? at : at + 1);
    if (at == 0 && is_program_path(word.text)) judge_program_path(command, word);
    if (kind == CommandKind::kUnknown) return judge_unknown(command, at, shape);
    if (!known(kind)) return;
    if (iequals(word.text, "alias")) judge_alias(command, at);
    const bool named = (kind != CommandKind::kTelltale && is_name(command, word)) ||
                       (shape.words == 0 && in_table(command, word));
    const bool prose = named || shape.plain >= 4 || prose_before(out_.text, command.operator_begin);
    const bool closed = closes(command);
    const bool decisive = command.here_string || is_decisive(kind, word, shape, piped, closed);
    const bool start = command.before == ShellOperator::kStart;
    if (command.ifs || (word.spliced && (kind == CommandKind::kTelltale || decisive || !start))) {
      if (!prose || command.ifs) {
        out_.add(kDisguised, command.operator_begin, command.end,
                 fmt::format("A command, {}, is hidden from filters by {}.", shown(word.text),
                             command.ifs ? "$IFS in place of spaces" : "quotes or escapes inside its name"));
      }
    }
    if (start) return judge_start(command, word, kind, shape, decisive, prose);
    if (command.before == ShellOperator::kParen && !decisive) return;
    judge_behind_operator(command, word, kind, shape, {decisive, closed, prose, wrapped});
  }

  // name=value before a command
  static bool assigns(const ShellCommand& command, std::size_t at, CommandKind kind) {
    const std::string_view text = command.words[at].text;
    const std::size_t equals = text.find('=');
    return equals != std::string_view::npos && kind == CommandKind::kUnknown &&
           is_variable_name(text.substr(0, equals)) && at + 1 < command.words.size();
  }

  // The variable was given a value in the text before.
  bool assigned(std::string_view reference, std::size_t end) const noexcept {
    while (reference.starts_with('$') || reference.starts_with('{')) reference.remove_prefix(1);
    std::size_t size = 0;
    while (size < reference.size() && (is_alnum(reference[size]) || reference[size] == '_')) ++size;
    if (size == 0 || size > kMaxVariableName) return false;
    reference = reference.substr(0, size);
    const std::string_view before =
        out_.text.substr(end > 256 ? end - 256 : 0, std::min<std::size_t>(end, 256));
    for (std::size_t at = before.find(reference); at != std::string_view::npos;
         at = before.find(reference, at + 1)) {
      const bool begins =
          at == 0 || (!is_alnum(before[at - 1]) && before[at - 1] != '_' && before[at - 1] != '$');
      if (begins && at + size + 1 < before.size() && before[at + size] == '=' && before[at + size + 1] != '=')
        return true;
    }
    return false;
  }

  // alias x=command, alias -g x=y
  void judge_alias(const ShellCommand& command, std::size_t at) {
    for (std::size_t i = at + 1; i < command.words.size(); ++i) {
      const std::string_view text = command.words[i].text;
      if (text.starts_with('-') || text.starts_with('+')) continue;
      const std::size_t equals = text.find('=');
      if (equals == std::string_view::npos || equals == 0 || equals + 1 >= text.size() ||
          text[equals + 1] == '=')
        return;
      const bool name = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals),
                                    [](char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.'; });
      if (name)
        out_.add(kAlias, command.words[at].begin, command.end, "A shell alias gives a command another name.");
      return;
    }
  }

  bool many_lines() const noexcept {
    constexpr std::ptrdiff_t kFewLines = 2;
    return std::count(out_.text.begin(), out_.text.end(), '\n') > kFewLines;
  }

  // | name | id |: a word alone between pipes, in a line that begins with one and has more of them.
  bool in_table(const ShellCommand& command, const ShellWord& word) const noexcept {
    if (command.before != ShellOperator::kPipe || !is_ordinary_word(word.text)) return false;
    const std::size_t line = out_.text.substr(0, command.end).rfind('\n') + 1;  // npos + 1 is 0
    const std::string_view row = trim(out_.text.substr(line, out_.text.find('\n', line) - line));
    return row.starts_with("| ") && row.ends_with(" |") && std::count(row.begin(), row.end(), '|') >= 3;
  }

  struct Context {
    bool decisive;
    bool closed;
    bool prose;
    bool wrapped;
  };

  void judge_behind_operator(const ShellCommand& command, const ShellWord& word, CommandKind kind,
                             const Shape& shape, const Context& is) {
    // Lines of a longer text: documentation and logs have commands at the start of lines too.
    if (command.before == ShellOperator::kNewline && many_lines() && !command.ifs && !word.spliced) {
      if (is.decisive && !is.prose) {
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
    const bool begins = out_.text.find_first_not_of(" \t\r\n\"'") == command.operator_begin;
    Rule rule = kInjectedWeak;
    if (is.decisive) {
      rule = is.prose ? kInjectedWeak : kInjectedSure;
      if (is.prose && shape.sensitive && command.before != ShellOperator::kNewline &&
          command.before != ShellOperator::kBacktick && !is_name(command, word)) {
        rule = kInjected;
      }
    } else if (kind == CommandKind::kTelltale && (is.closed || shape.option || shape.words <= 2)) {
      rule = is.prose ? kInjectedWeak : kInjected;
    } else if (fits && !is.prose) {
      rule = joins_words(command) && !shape.option && !shape.path ? kInjectedWeak : kInjected;
    } else if (is_bare(kind, shape) && is.closed) {
      if ((command.before == ShellOperator::kNewline && many_lines()) || joins_words(command)) return;
      rule = value_before(command) && !is.prose ? kInjected : kInjectedWeak;
    } else if (begins && !is.prose && !is_ordinary_word(word.text) && shape.plain <= 1) {
      rule = kInjected;  // |vi (x
    } else if (begins && !is.prose && !command.space_after) {
      rule = kInjectedWeak;
    } else {
      return;
    }
    // One letter is noise more often than a command.
    if (command_name(word.text).size() < 2 && rule == kInjected) rule = kInjectedWeak;
    if (is.wrapped && rule == kInjectedWeak && !is.prose && shape.words > 0) rule = kInjected;
    out_.add(rule, command.operator_begin, command.end,
             fmt::format("Behind {} stands a command, {}{}.", to_words(command.before), shown(word.text),
                         shape.words > 0 ? ", with arguments that it takes" : ""));
  }

  // strace ifconfig, flock -u / whoami, time who: a command that runs another.
  void judge_runner(const ShellCommand& command, std::size_t at) {
    if (command.words.size() > 10 || prose_before(out_.text, command.operator_begin)) return;
    const bool start = command.before == ShellOperator::kStart;
    if (!from_start_ && start) return;
    const bool plain_runner = is_ordinary_word(command.words[0].text);
    bool words_between = false;  // "bash and curl"
    bool option = false;
    for (std::size_t i = std::max<std::size_t>(at, 1); i < command.words.size(); ++i) {
      const ShellWord& word = command.words[i];
      const CommandKind kind = kind_of(word);
      if (!known(kind) || kind == CommandKind::kWrapper) {
        option = option || word.text.starts_with('-');
        words_between = words_between || (kind == CommandKind::kUnknown && !word.text.starts_with('-') &&
                                          word.text.find_first_of("/$=0123456789") == std::string_view::npos);
        continue;
      }
      const bool plain = is_ordinary_word(word.text);
      if (plain && (plain_runner || kind == CommandKind::kText) && i + 1 < command.words.size()) continue;
      const bool prose = words_between && !option;
      const bool sure =
          (!plain || !plain_runner) && !prose &&
          !(start && (is_developer_tool(word.text) || is_developer_tool(command.words[0].text)));
      if (plain_runner && !sure && (command.words.size() > 2 || kind != CommandKind::kReport)) continue;
      const Rule rule = start ? (sure ? kCommandLine : kCommandWord) : (sure ? kInjected : kInjectedWeak);
      out_.add(rule, command.begin, command.end,
               fmt::format("A command that runs another, {}.", shown(word.text)));
      return;
    }
  }

  // /usr/bin/id as a value or behind an operator.
  void judge_program_path(const ShellCommand& command, const ShellWord& word) {
    if (out_.in_path || prose_before(out_.text, command.begin) || is_script_name(word.text)) return;
    if (command.before == ShellOperator::kStart && (!from_start_ || command.words.size() > 8)) return;
    if (command.before == ShellOperator::kNewline && many_lines()) return;
    out_.add(kProgramPath, word.begin, command.end, "A command is named by the path of its program.");
  }

  // A name that is not known can still stand where only a command can: $a $b behind an operator, or right
  // behind an operator that begins the value, with an option.
  void judge_unknown(const ShellCommand& command, std::size_t at, const Shape& shape) {
    const ShellWord& word = command.words[at];
    if (!is_chain(command.before)) return;
    if (word.expands && word.text.starts_with('$')) {
      const bool argument = command.words.size() > at + 1;
      const bool runs =
          argument && (command.words[at + 1].text.starts_with('$') ||
                       command.words[at + 1].text.starts_with('/') || known(kind_of(command.words[at + 1])));
      if ((runs || assigned(word.text, command.operator_begin)) &&
          word.text.find_first_of("[-=(") == std::string_view::npos) {
        out_.add(kDisguised, command.operator_begin, command.end, "A command is named by a shell variable.");
      }
      return;
    }
    if (command.before == ShellOperator::kNewline) return;
    if (command.words.size() > at + 1 && hidden_path(command.words[at + 1]) && closes(command) &&
        command.words.size() <= at + 4) {
      out_.add(kDisguised, command.operator_begin, command.end,
               "Behind an operator stands a path with an empty expansion inside, which only hides it from "
               "filters.");
      return;
    }
    const bool first = trim(out_.text.substr(0, command.operator_begin)).empty();
    const bool name = word.text.size() >= 2 && word.text.size() <= 24 && is_lower(word.text[0]) &&
                      std::all_of(word.text.begin(), word.text.end(),
                                  [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
    if (first && name && shape.option && shape.words <= 4 && shape.plain <= 1 && closes(command)) {
      out_.add(
          kInjected, command.operator_begin, command.end,
          fmt::format("The value begins with {} and a command with an option.", to_words(command.before)));
    }
  }

  // /et$x/passwd, /e''tc/passwd
  static bool hidden_path(const ShellWord& word) noexcept {
    if (!word.text.starts_with('/') || word.text.size() < 4) return false;
    return word.spliced || (word.expands && word.text.find('$') != std::string_view::npos &&
                            word.text.find('/', 1) != std::string_view::npos);
  }

  // What stands before the first operator is a value (nothing, a number, an address, a file name, a closed
  // quote), not a word beside which another word may stand by itself.
  bool value_before(const ShellCommand& command) const noexcept {
    if (command.before == ShellOperator::kAmpersand && !command.space_after &&
        command.after == ShellOperator::kAmpersand) {
      return false;  // a=1&id&date: parameters
    }
    const std::string_view value = trim(out_.text.substr(0, out_.text.find_first_of(";|&`\r\n$<>")));
    if (value.empty()) return true;
    if (value.find_first_of(" \t=,") != std::string_view::npos) return false;
    return !all_letters(value);
  }

  void judge_start(const ShellCommand& command, const ShellWord& word, CommandKind kind, const Shape& shape,
                   bool decisive, bool prose) {
    // "HEAD /index.html" is a request line; the command is written small.
    if (prose || word.text == "HEAD") return;
    const bool ordinary = is_ordinary_word(word.text);
    const bool to_tool =
        kind == CommandKind::kShell || kind == CommandKind::kNet || kind == CommandKind::kTelltale;
    // What people install and build with is in every manual.
    const bool developer = is_developer_tool(word.text) && !hands_to_shell(command);
    if (decisive && (!developer || shape.sensitive) &&
        (shape.sensitive || to_tool || shape.absolute || command.here_string ||
         (shape.option && shape.path)) &&
        shape.plain <= 2) {
      out_.add(
          from_start_ || shape.sensitive ? kCommandLine : kCommandWord, word.begin, command.end,
          fmt::format("The value is a command line: {}, with arguments that it takes.", shown(word.text)));
      return;
    }
    if (!from_start_) return;
    const bool small = word.text.empty() || !is_upper(word.text[0]);
    const bool short_line =
        shape.words > 0 && shape.words <= 6 && shape.plain <= 3 && command.begin == 0 && small;
    const bool unmistakable = short_line && !developer &&
                              ((shape.long_option && shape.words <= 3 && kind != CommandKind::kText) ||
                               (shape.option && !ordinary) || (shape.glob && kind == CommandKind::kReader) ||
                               (shape.absolute && !ordinary && shape.plain == 0));
    const bool in_header = out_.in_header && kind == CommandKind::kTelltale && shape.words > 0 &&
                           shape.words <= 5 && shape.plain == shape.words &&
                           command.after == ShellOperator::kStart && command.begin == 0;
    if (unmistakable || in_header) {
      out_.add(
          kCommandLine, word.begin, command.end,
          fmt::format("The value is a command line: {}, with arguments that it takes.", shown(word.text)));
      return;
    }
    const std::size_t text_end = out_.text.find_last_not_of(" \t\r\n") + 1;
    const bool alone = command.begin == 0 && command.end >= text_end;
    if (!alone || out_.in_name) return;
    // Names of languages are tags and search terms; a program's file name is neither.
    const bool name_alone =
        shape.words == 0 && !ordinary && word.text.find('/') == std::string_view::npos &&
        (kind == CommandKind::kTelltale || kind == CommandKind::kNet || word.spliced ||
         (kind == CommandKind::kShell && command_name(word.text).size() < word.text.size()));
    const bool subcommand = kind == CommandKind::kTelltale && small && shape.words > 0 && shape.words <= 4 &&
                            std::all_of(command.words.begin(), command.words.end(), subcommand_like);
    if (name_alone || subcommand ||
        (takes(kind, shape, true) && (shape.option || shape.sensitive || shape.absolute))) {
      out_.add(kCommandWord, word.begin, command.end,
               fmt::format("The value may be a command line: {}.", shown(word.text)));
    }
  }

  // -wrapper sh,-c,id: an argument is a shell with its own.
  static bool hands_to_shell(const ShellCommand& command) noexcept {
    return std::any_of(command.words.begin(), command.words.end(), [](const ShellWord& word) {
      const std::size_t comma = word.text.find(',');
      return comma != std::string_view::npos &&
             command_kind(std::string_view(word.text).substr(0, comma)) == CommandKind::kShell;
    });
  }

  static bool subcommand_like(const ShellWord& word) noexcept {
    return std::all_of(word.text.begin(), word.text.end(), [](char c) {
      return is_lower(c) || is_digit(c) || c == '-' || c == '_' || c == '.' || c == ':' || c == '/' ||
             c == '=';
    });
  }

  void judge_targets(const ShellCommand& command) {
    for (const ShellWord& target : command.targets) {
      if (istarts_with(target.text, "/dev/tcp/") || istarts_with(target.text, "/dev/udp/") ||
          (target.expands && (target.text.find("/tcp/") != std::string_view::npos ||
                              target.text.find("/udp/") != std::string_view::npos))) {
        out_.add(kNetworkRedirect, command.begin, target.end,
                 "Input or output is redirected to a network connection.");
      } else if (is_script_name(target.text) && !command.words.empty()) {
        const CommandKind first = kind_of(command.words.front());
        const bool written = known(first) || (known(kind_of(command.words.back())) &&
                                              command.words.back().text.starts_with('-'));
        if (written) {
          out_.add(kScriptRedirect, command.begin, target.end,
                   "The output of a command is written to a script file.");
        }
      } else if (sensitive_path(target.text) && !command.words.empty() &&
                 command.before != ShellOperator::kStart && known(kind_of(command.words.front()))) {
        out_.add(kInjected, command.operator_begin, target.end,
                 "The output of a command is written to a file.");
      }
    }
  }

  Findings& out_;
  ShellCommand command_;
  CommandKind last_kind_ = CommandKind::kUnknown;  // of the command before, for pipes
  std::size_t last_end_ = 0;
  bool from_start_ = true;
};

}  // namespace

void judge_commands(Findings& out, const CmdSigns& signs) { Judge(out, signs); }

void read_powershell(Findings& out) {
  static constexpr WordSet kMethods({"downloadstring", "downloadfile", "downloaddata", "downloadstringasync",
                                     "frombase64string", "downloadfileasync"});
  constexpr std::size_t kMaxPlaces = 512;
  const std::string_view text = out.text;
  std::size_t looked = 0;
  for (std::size_t open = text.find('('); open != std::string_view::npos && ++looked < kMaxPlaces;
       open = text.find('(', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && open - begin < 24 && is_alnum(text[begin - 1])) --begin;
    if (!kMethods.has(text.substr(begin, open - begin)) || prose_before(text, begin)) continue;
    out.add(kPowerShell, begin, open, "PowerShell is told to fetch or run code.");
    return;
  }
}

}  // namespace wafd::detect::cmd
