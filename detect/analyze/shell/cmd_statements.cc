#include "detect/analyze/shell/cmd_statements.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "detect/core/octets.h"

namespace wafd::detect::cmd {
namespace {

constexpr std::size_t kMaxVariableName = 32;
constexpr std::size_t kAssignedBytes = 256;  // before its use, in which the value of a variable is looked for

bool is_chain(ShellOperator op) noexcept {
  return op == ShellOperator::kSemicolon || op == ShellOperator::kAnd || op == ShellOperator::kOr ||
         op == ShellOperator::kPipe || op == ShellOperator::kAmpersand || op == ShellOperator::kNewline;
}

// The variable was given a value in the text before.
bool assigned(std::string_view text, std::string_view reference, std::size_t end) noexcept {
  while (reference.starts_with('$') || reference.starts_with('{')) reference.remove_prefix(1);
  std::size_t size = 0;
  while (size < reference.size() && (is_alnum(reference[size]) || reference[size] == '_')) ++size;
  if (size == 0 || size > kMaxVariableName) return false;
  reference = reference.substr(0, size);
  const std::string_view before =
      text.substr(end > kAssignedBytes ? end - kAssignedBytes : 0, std::min(end, kAssignedBytes));
  for (std::size_t at = before.find(reference); at != std::string_view::npos;
       at = before.find(reference, at + 1)) {
    const bool begins =
        at == 0 || (!is_alnum(before[at - 1]) && before[at - 1] != '_' && before[at - 1] != '$');
    if (begins && at + size + 1 < before.size() && before[at + size] == '=' && before[at + size + 1] != '=')
      return true;
  }
  return false;
}

// /et$x/passwd, /e''tc/passwd
bool hidden_path(const ShellWord& word) noexcept {
  if (!word.text.starts_with('/') || word.text.size() < 4) return false;
  return word.spliced || (word.expands && word.text.find('$') != std::string_view::npos &&
                          word.text.find('/', 1) != std::string_view::npos);
}

bool to_network(const ShellWord& target) noexcept {
  return istarts_with(target.text, "/dev/tcp/") || istarts_with(target.text, "/dev/udp/") ||
         (target.expands && (target.text.find("/tcp/") != std::string_view::npos ||
                             target.text.find("/udp/") != std::string_view::npos));
}

// $(<file), `<file`: bash puts the file's content there.
bool reads_file(const ShellCommand& command, std::string_view text) noexcept {
  if (!command.words.empty() || command.targets.size() != 1) return false;
  if (command.before != ShellOperator::kDollarParen && command.before != ShellOperator::kBacktick)
    return false;
  if (command.after != ShellOperator::kClose) return false;
  const std::string_view target = command.targets[0].text;
  const std::string_view from = trim(text.substr(command.begin, command.end - command.begin));
  return from.starts_with('<') && !from.ends_with('>') && !target.empty() &&
         (target.find('/') != std::string_view::npos || target.find('.', 1) != std::string_view::npos);
}

}  // namespace

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

bool is_variable_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kMaxVariableName && !is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_'; });
}

void judge_runner(Report& out, const ShellCommand& command, std::size_t at, bool from_start) {
  constexpr std::size_t kFewWords = 10;
  if (command.words.size() > kFewWords || prose_before(out.text(), command.operator_begin)) return;
  const bool start = command.before == ShellOperator::kStart;
  if (!from_start && start) return;
  const bool plain_runner = is_ordinary_word(command.words[0].text);
  bool words_between = false;  // "bash and curl"
  bool option = false;
  for (std::size_t i = std::max<std::size_t>(at, 1); i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    const CommandKind kind = kind_of(word);
    if (!is_command(kind) || kind == CommandKind::kWrapper) {
      option = option || word.text.starts_with('-');
      words_between = words_between || (kind == CommandKind::kUnknown && !word.text.starts_with('-') &&
                                        word.text.find_first_of("/$=0123456789") == std::string_view::npos);
      continue;
    }
    const bool plain = is_ordinary_word(word.text);
    if (plain && (plain_runner || kind == CommandKind::kText) && i + 1 < command.words.size()) continue;
    // "(eval at <anonymous>)": a line of a stack; the command needs a time.
    if (i + 1 == command.words.size() && iequals(word.text, "at")) return;
    const bool prose = words_between && !option;
    const bool sure = (!plain || !plain_runner) && !prose &&
                      !(start && (is_developer_tool(word.text) || is_developer_tool(command.words[0].text)));
    if (plain_runner && !sure && (command.words.size() > 2 || kind != CommandKind::kReport)) continue;
    const Rule rule = start ? (sure ? kCommandLine : kCommandWord) : (sure ? kInjected : kInjectedWeak);
    const Rule weighed = out.weighed(rule, command.begin, harm_of(kind, word.text, command));
    if (out.findings().has(weighed)) return;
    out.add(weighed, command.begin, command.end,
            fmt::format("A command that runs another, {}.", shown(word.text)));
    return;
  }
}

void judge_program_path(Report& out, const ShellCommand& command, const ShellWord& word, bool from_start) {
  constexpr std::size_t kFewWords = 8;
  const std::size_t name = word.text.rfind('/') + 1;
  if (name >= word.text.size() ||
      (!is_alnum(word.text[name]) && word.text[name] != '_' && word.text[name] != '['))
    return;
  if (out.findings().in_path || prose_before(out.text(), command.begin) || is_script_name(word.text)) return;
  const bool start = command.before == ShellOperator::kStart;
  if (start && (!from_start || command.words.size() > kFewWords)) return;
  if (command.before == ShellOperator::kNewline && out.many_lines()) return;
  // Settings name programs too; those that nobody knows are an application's own.
  const CommandKind kind = command_kind(word.text);
  // So are shells, in manifests of containers: "command": ["/bin/sh", "-c", ...].
  const bool setting =
      kind == CommandKind::kUnknown || (kind == CommandKind::kShell && out.findings().in_document);
  const bool own = start && setting && (command.words.size() == 1 || kind == CommandKind::kUnknown);
  const Rule rule = own ? kCommandWord : kProgramPath;
  out.add(out.weighs_less(command.begin, harm_of(kind, word.text, command)) ? kCommandWord : rule, word.begin,
          command.end, "A command is named by the path of its program.");
}

void judge_alias(Report& out, const ShellCommand& command, std::size_t at) {
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
      out.add(out.weighs_less(command.begin, Harm::kNone) ? kInjectedWeak : kAlias, command.words[at].begin,
              command.end, "A shell alias gives a command another name.");
    return;
  }
}

void judge_targets(Report& out, const ShellCommand& command) {
  if (reads_file(command, out.text())) {
    const ShellWord& target = command.targets[0];
    const Harm harm = is_secret_file(target.text) ? Harm::kSecret : Harm::kNone;
    out.add(out.weighed(kInjected, command.begin, harm), command.operator_begin, command.end,
            "A shell puts what a file holds in the place of this.");
  }
  for (const ShellWord& target : command.targets) {
    if (to_network(target)) {
      out.add(kNetworkRedirect, command.begin, target.end,
              "Input or output is redirected to a network connection.");
    } else if (is_script_name(target.text) && !command.words.empty()) {
      const CommandKind first = kind_of(command.words.front());
      const bool written = is_command(first) || (is_command(kind_of(command.words.back())) &&
                                                 command.words.back().text.starts_with('-'));
      if (written) {
        out.add(out.weighs_less(command.begin, Harm::kNone) ? kInjectedWeak : kScriptRedirect, command.begin,
                target.end, "The output of a command is written to a script file.");
      }
    } else if (sensitive_path(target.text) && !command.words.empty() &&
               command.before != ShellOperator::kStart && is_command(kind_of(command.words.front()))) {
      const Harm harm = is_secret_file(target.text) ? Harm::kSecret : Harm::kNone;
      out.add(out.weighed(kInjected, command.begin, harm), command.operator_begin, target.end,
              "The output of a command is written to a file.");
    }
  }
}

// Folders into which anybody may put a program, and the one in which a shell is.
bool runs_from_folder(std::string_view word) noexcept {
  for (const std::string_view folder : {"./", "~/", "/tmp/", "/var/tmp/", "/dev/shm/"}) {
    if (!word.starts_with(folder) || word.size() < folder.size() + 1) continue;
    return is_alnum(word[folder.size()]) || word[folder.size()] == '.';
  }
  return false;
}

// $x, ${x: of `$$$` nothing is a name.
bool names_variable(std::string_view word) noexcept {
  const std::size_t name = word.starts_with("${") ? 2 : 1;
  return word.starts_with('$') && name < word.size() && (is_alnum(word[name]) || word[1] == '_');
}

// who$(echo)ami, w`x`hoami: a name of letters once what is substituted has gone.
bool names_around_nothing(std::string_view word) noexcept {
  constexpr std::size_t kMaxName = 24;
  std::array<char, kMaxName> name;
  std::size_t size = 0;
  const std::size_t open = std::min(word.find("$("), word.find('`'));
  if (open == std::string_view::npos || open == 0) return false;
  const std::size_t close = word.find(word[open] == '`' ? '`' : ')', open + 1);
  if (close == std::string_view::npos || close + 1 >= word.size()) return false;
  for (const std::string_view part : {word.substr(0, open), word.substr(close + 1)}) {
    for (const char c : part) {
      if (!is_alnum(c) || size == kMaxName) return false;
      name[size++] = c;
    }
  }
  return command_kind({name.data(), size}) != CommandKind::kUnknown;
}

void judge_unknown(Report& out, const ShellCommand& command, std::size_t at, const Shape& shape) {
  const ShellWord& word = command.words[at];
  if (!is_chain(command.before)) return;
  // On a line of its own "$x" in quotes is a text.
  const char opening = out.text()[word.begin];
  if (command.before == ShellOperator::kNewline && (opening == '"' || opening == '\'')) return;
  if (word.expands && names_variable(word.text)) {
    const bool argument = command.words.size() > at + 1;
    const bool runs = argument && (command.words[at + 1].text.starts_with('$') ||
                                   command.words[at + 1].text.starts_with('/') ||
                                   is_command(kind_of(command.words[at + 1])));
    if ((runs || assigned(out.text(), word.text, command.operator_begin)) &&
        word.text.find_first_of("[-=(") == std::string_view::npos) {
      out.add(out.weighs_less(command.begin, Harm::kNone) ? kInjectedWeak : kDisguised,
              command.operator_begin, command.end, "A command is named by a shell variable.");
    }
    return;
  }
  if (names_around_nothing(word.text)) {
    out.add(out.weighs_less(command.begin, Harm::kNone) ? kInjectedWeak : kDisguised, command.operator_begin,
            command.end, "The name of a command has a substitution inside that gives nothing.");
    return;
  }
  if (command.before == ShellOperator::kNewline) return;
  if (command.words.size() > at + 1 && hidden_path(command.words[at + 1]) && closes(command) &&
      command.words.size() <= at + 4) {
    out.add(out.weighs_less(command.begin, Harm::kNone) ? kInjectedWeak : kDisguised, command.operator_begin,
            command.end,
            "Behind an operator stands a path with an empty expansion inside, which only hides it from "
            "filters.");
    return;
  }
  const bool first = trim(out.text().substr(0, command.operator_begin)).empty();
  const bool name = word.text.size() >= 2 && word.text.size() <= 24 && is_lower(word.text[0]) &&
                    std::all_of(word.text.begin(), word.text.end(),
                                [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
  // ;./x ;/tmp/x ;~/x
  if (first && !word.expands && shape.words <= 3 && closes(command) && runs_from_folder(word.text)) {
    out.add(kInjected, command.operator_begin, command.end,
            fmt::format("The value begins with {} and the path of a program.", to_words(command.before)));
    return;
  }
  if (first && name && shape.option && shape.words <= 4 && shape.plain <= 1 && closes(command)) {
    out.add(kInjected, command.operator_begin, command.end,
            fmt::format("The value begins with {} and a command with an option.", to_words(command.before)));
  }
}

}  // namespace wafd::detect::cmd
