#include "detect/analyze/cmd_injection.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "detect/analyze/shell_commands.h"
#include "detect/analyze/shell_lexer.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kInjectedSure,
  kInjected,
  kInjectedWeak,
  kCommandLine,
  kCommandWord,
  kNetworkRedirect,
  kFunctionImport,
  kDisguised,
  kScriptRedirect,
  kPowerShell,
  kBatch,
};

constexpr RuleSpec kRules[] = {
    {"injected-sure", "Command with telling arguments behind a separator", Risk::kHigh, Sensitivity::kLow},
    {"injected", "Command behind a separator", Risk::kHigh, Sensitivity::kBalanced},
    {"injected-weak", "Word that is a command behind a separator", Risk::kMedium, Sensitivity::kStrict},
    {"command-line", "Value that is a command line", Risk::kHigh, Sensitivity::kBalanced},
    {"command-word", "Value that may be a command line", Risk::kLow, Sensitivity::kStrict},
    {"network-redirect", "Shell connected to the network", Risk::kHigh, Sensitivity::kLow},
    {"function-import", "Function definition for a shell's environment", Risk::kHigh, Sensitivity::kLow},
    {"disguised", "Command hidden by shell syntax", Risk::kHigh, Sensitivity::kBalanced},
    {"script-redirect", "Command output written to a script", Risk::kHigh, Sensitivity::kBalanced},
    {"powershell", "PowerShell or cmd.exe made to run code", Risk::kHigh, Sensitivity::kBalanced},
    {"batch", "Batch statement that runs a command", Risk::kHigh, Sensitivity::kBalanced},
};

// What the words of a command say besides its name.
struct Shape {
  bool option = false;     // -x, --word, /c
  bool path = false;       // holds a slash or begins with a dot
  bool absolute = false;   // /folder/file
  bool sensitive = false;  // a path that attackers want
  bool address = false;    // URL, host name, IP address
  bool number = false;
  bool expands = false;
  std::size_t plain = 0;  // words of letters alone, as prose has
  std::size_t words = 0;
};

bool all_letters(std::string_view word) noexcept {
  while (!word.empty() &&
         (word.back() == ',' || word.back() == '.' || word.back() == ':' || word.back() == '?')) {
    word.remove_suffix(1);
  }
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_alpha(c) || octet(c) >= 0x80; });
}

bool address_like(std::string_view word) noexcept {
  if (word.find("://") != std::string_view::npos) return true;
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 >= word.size()) return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) {
                       return is_alnum(c) || c == '.' || c == '-' || c == ':' || c == '/' || c == '_' ||
                              c == '@';
                     }) &&
         is_alnum(word[dot + 1]);
}

Shape shape_of(const ShellCommand& command, std::size_t from) {
  Shape out;
  for (std::size_t i = from; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    const std::string_view text = word.text;
    ++out.words;
    if (text.empty()) continue;
    if (text.size() >= 2 && text[0] == '-' && (is_alnum(text[1]) || text[1] == '-')) {
      out.option = true;
      continue;
    }
    if (text.size() == 2 && text[0] == '/' && is_alpha(text[1])) out.option = true;
    const bool glob_path =
        word.glob && text[0] == '/' && text.find_first_of("?*[", 1) != std::string_view::npos;
    if (sensitive_path(text) || (glob_path && text.size() > 4)) out.sensitive = true;
    if (text.find('/') != std::string_view::npos || text.find('\\') != std::string_view::npos ||
        text[0] == '.' || text[0] == '~') {
      out.path = true;
    }
    if (text[0] == '/' && text.find('/', 1) != std::string_view::npos &&
        text.find("//") == std::string_view::npos) {
      out.absolute = true;
    }
    if (address_like(text)) out.address = true;
    if (is_digit(text[0])) out.number = true;
    if (word.expands) out.expands = true;
    if (all_letters(text)) ++out.plain;
  }
  return out;
}

// Runs of words before `end`: three together are prose, in any language that separates words.
bool prose_before(std::string_view text, std::size_t end) noexcept {
  std::size_t begin = end > 160 ? end - 160 : 0;
  std::size_t run = 0;
  for (std::size_t at = begin; at < end;) {
    while (at < end && is_space(text[at])) ++at;
    const std::size_t word = at;
    while (at < end && !is_space(text[at])) ++at;
    if (word == at) break;
    if (all_letters(text.substr(word, at - word)) &&
        command_kind(text.substr(word, at - word)) == CommandKind::kUnknown) {
      if (++run >= 3) return true;
    } else {
      run = 0;
    }
  }
  return false;
}

bool script_name(std::string_view word) noexcept {
  for (const std::string_view extension :
       {".php", ".php5", ".phtml", ".jsp", ".jspx", ".asp", ".aspx", ".ashx", ".sh", ".py", ".pl", ".cgi",
        ".bat", ".ps1", ".vbs", ".war", ".phar"}) {
    if (word.size() > extension.size() && iequals(word.substr(word.size() - extension.size()), extension))
      return true;
  }
  return false;
}

class CmdInjectionAnalyzer final : public Analyzer {
 public:
  CmdInjectionAnalyzer() : rules_(make_rules("m_cmd", AttackType::kCmdInjection, 3000, kRules)) {
    std::string odd_names;  // with octets that words of the gate do not have: apt-get, g++
    for (const std::string_view name : command_names()) {
      const bool word = std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_'; });
      if (word) {
        words_.push_back(name);
        continue;
      }
      if (!odd_names.empty()) odd_names += '|';
      for (const char c : name) {
        if (!is_alnum(c) && c != '-' && c != '_') odd_names += '\\';
        odd_names += c;
      }
    }
    texts_ = {
        "(" + odd_names + ")",
        R"([a-z0-9]([\\^`'"\x00]|\$[@*!$0-9a-z_{('])+[a-z0-9])",
        R"(\\[a-z]|\$'|<<<|\$\$)",
        R"((for|if)\s|^\s*[;|&]|[;|&][\s'\x22\\^\x00]*\$)",
        R"((^|[^a-z0-9/.:_-])/[bsue?*\[][a-z0-9?*\[\]!^/-]{0,46}[?*\[])",
        R"((^|[^a-z0-9/.:_-])/[?*\[])",
        R"(\$\{?ifs|\$\{[a-z0-9_]+:|[a-z0-9]\$[{('`]|\$[\x00{]*(0|shell)|[<>].*dev.*(tcp|udp)|\(\)\s*\{|downloadstring|invoke-|frombase64string|webclient|%comspec%)",
    };
    for (const std::string& text : texts_) hints_.push_back(text.c_str());
  }

  std::string_view name() const noexcept override { return "cmd"; }
  Trick reads_trick() const noexcept override { return Trick::kShell; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override { return hints_; }
  std::span<const std::string_view> hint_words() const noexcept override { return words_; }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (text.size() < 2) return;
    // What a file holds is data; uploaded scripts have an analyser of their own.
    if (context.location == Location::kFile && !context.in_name) return;
    Pass pass{text, {}, {}, {}, 0, false, false};
    pass.first_operator = text.find_first_of(";|&`\r\n$<>");
    pass.lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    read(pass, 0, true);
    for (const char quote : {'\'', '"'}) {
      const std::size_t at = text.find(quote);
      if (at != std::string_view::npos && at + 1 < text.size()) read(pass, at + 1, false);
    }
    read_fixed(pass);
    read_batch(pass);
    for (std::optional<Hit>& hit : pass.found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  struct Pass {
    std::string_view text;
    std::array<std::optional<Hit>, std::size(kRules)> found;
    CommandKind last_kind;  // of the command before, for pipes
    std::size_t first_operator;
    std::size_t lines;
    bool from_start;
    bool last_known;
  };

  static void add(Pass& pass, std::uint16_t rule, std::size_t begin, std::size_t end, std::string reason) {
    if (pass.found[rule]) return;
    Hit hit;
    hit.rule = rule;
    hit.begin = static_cast<std::uint32_t>(begin);
    hit.end = static_cast<std::uint32_t>(std::min(std::max(end, begin), pass.text.size()));
    hit.reason = std::move(reason);
    pass.found[rule] = std::move(hit);
  }

  static std::string shown(std::string_view word) {
    std::string out;
    for (const char c : command_name(word).substr(0, 24)) {
      if (is_alnum(c) || c == '-' || c == '_' || c == '.') out.push_back(to_lower(c));
    }
    return out;
  }

  static void read(Pass& pass, std::size_t from, bool from_start) {
    pass.from_start = from_start;
    pass.last_known = false;
    pass.last_kind = CommandKind::kUnknown;
    // A command that leaves a string stands soon behind its quote; the whole of a long text is read from its
    // start.
    constexpr std::size_t kMaxBreakoutBytes = 16384;
    const std::string_view text = from_start ? pass.text : pass.text.substr(0, from + kMaxBreakoutBytes);
    read_shell(text, from, [&pass](const ShellCommand& command) { judge(pass, command); });
  }

  static void judge(Pass& pass, const ShellCommand& command) {
    judge_targets(pass, command);
    if (command.words.empty()) return;
    if (command.before == ShellOperator::kClose) return;
    // Assignments and wrappers stand before the command itself.
    std::size_t at = 0;
    bool wrapped = false;
    CommandKind kind = CommandKind::kUnknown;
    while (at < command.words.size()) {
      const std::string_view text = command.words[at].text;
      kind = kind_of(command.words[at]);
      const std::size_t equals = text.find('=');
      const bool assigns = equals != std::string_view::npos && equals > 0 && kind == CommandKind::kUnknown &&
                           all_letters(text.substr(0, equals)) && at + 1 < command.words.size();
      if (kind != CommandKind::kWrapper && !assigns) break;
      wrapped = wrapped || kind == CommandKind::kWrapper;
      ++at;
    }
    if (at >= command.words.size()) at = command.words.size() - 1;
    const ShellWord& word = command.words[at];
    if (word.glob && glob_names_command(word.text)) {
      add(pass, kDisguised, word.begin, command.end, "A command is named by a pattern of its path.");
      pass.last_kind = CommandKind::kTelltale;
      return;
    }
    const bool piped = command.before == ShellOperator::kPipe && pass.last_kind != CommandKind::kUnknown;
    pass.last_kind = kind;
    const Shape shape = shape_of(command, at + 1);
    if (wrapped) judge_wrapped(pass, command, at);
    if (kind == CommandKind::kUnknown) return judge_unknown(pass, command, at, shape);
    if (kind == CommandKind::kWrapper) return;
    const bool prose = shape.plain >= 4 || prose_before(pass.text, command.operator_begin);
    const bool closed = closes(command);
    const bool decisive = command.here_string || is_decisive(kind, word, shape, piped, closed);
    if (command.ifs ||
        (word.spliced && (kind == CommandKind::kTelltale || decisive || at_operator(command)))) {
      if (!prose || command.ifs) {
        add(pass, kDisguised, command.operator_begin, command.end,
            fmt::format("A command, {}, is hidden from filters by {}.", shown(word.text),
                        command.ifs ? "$IFS in place of spaces" : "quotes or escapes inside its name"));
      }
    }
    if (command.before == ShellOperator::kStart)
      return judge_start(pass, command, word, kind, shape, decisive, prose);
    if (command.before == ShellOperator::kParen && !decisive) return;

    const bool substituted =
        command.before == ShellOperator::kDollarParen || command.before == ShellOperator::kProcess;
    const bool known_shape = takes(kind, shape, closed) ||
                             (substituted && closed && shape.words > 0 && shape.words <= 3 && !prose);
    // Lines of a longer text: documentation and logs have commands at the start of lines too.
    if (command.before == ShellOperator::kNewline && pass.lines > 2 && !command.ifs && !word.spliced) {
      if (decisive && !prose) {
        add(pass, kInjectedWeak, word.begin, command.end,
            fmt::format("A line of the text is a command, {}, with arguments that it takes.",
                        shown(word.text)));
      }
      return;
    }
    std::uint16_t rule = kInjectedWeak;
    if (decisive) {
      rule = prose ? kInjectedWeak : kInjectedSure;
      if (prose && shape.sensitive && command.before != ShellOperator::kNewline &&
          command.before != ShellOperator::kBacktick) {
        rule = kInjected;
      }
    } else if (kind == CommandKind::kTelltale && (closed || shape.option || shape.words <= 2)) {
      rule = prose ? kInjectedWeak : kInjected;
    } else if (known_shape && !prose) {
      rule = joins_words(command) && !shape.option && !shape.path ? kInjectedWeak : kInjected;
    } else if (bare(kind, shape) && closed) {
      if (!bare_counts(pass, command)) return;
      rule = value_before(pass, command) && !prose ? kInjected : kInjectedWeak;
    } else {
      return;
    }
    if (wrapped && rule == kInjectedWeak && !prose && shape.words > 0) rule = kInjected;
    add(pass, rule, command.operator_begin, command.end,
        fmt::format("Behind {} stands a command, {}{}.", to_words(command.before), shown(word.text),
                    shape.words > 0 ? ", with arguments that it takes" : ""));
  }

  // strace ifconfig, flock -u / whoami: a command that runs another, which is no word of prose.
  static void judge_wrapped(Pass& pass, const ShellCommand& command, std::size_t at) {
    if (command.words.size() > 8 || prose_before(pass.text, command.operator_begin)) return;
    for (std::size_t i = std::max<std::size_t>(at, 1); i < command.words.size(); ++i) {
      if (kind_of(command.words[i]) != CommandKind::kTelltale) continue;
      if (!pass.from_start && command.before == ShellOperator::kStart) return;
      add(pass, command.before == ShellOperator::kStart ? kCommandLine : kInjected, command.begin,
          command.end, fmt::format("A command that runs another, {}.", shown(command.words[i].text)));
      return;
    }
  }

  // A name that is not known can still stand where only a command can: $a $b behind an operator, or right
  // behind an operator that begins the value, with an option.
  static void judge_unknown(Pass& pass, const ShellCommand& command, std::size_t at, const Shape& shape) {
    const ShellWord& word = command.words[at];
    const bool chained = command.before == ShellOperator::kSemicolon ||
                         command.before == ShellOperator::kAnd || command.before == ShellOperator::kOr ||
                         command.before == ShellOperator::kPipe;
    if (!chained) return;
    if (word.expands && word.text.starts_with('$') && command.words.size() > at + 1) {
      const ShellWord& next = command.words[at + 1];
      const bool runs =
          next.text.starts_with('$') || next.text.starts_with('/') || kind_of(next) != CommandKind::kUnknown;
      if (runs && word.text.find_first_of("[-=(") == std::string::npos) {
        add(pass, kDisguised, command.operator_begin, command.end, "A command is named by a shell variable.");
      }
      return;
    }
    const bool first = trim(pass.text.substr(0, command.operator_begin)).empty();
    const bool name = word.text.size() >= 2 && word.text.size() <= 24 && is_lower(word.text[0]) &&
                      std::all_of(word.text.begin(), word.text.end(),
                                  [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
    if (first && name && shape.option && shape.words <= 4 && shape.plain <= 1 && closes(command)) {
      add(pass, kInjected, command.operator_begin, command.end,
          fmt::format("The value begins with {} and a command with an option.", to_words(command.before)));
    }
  }

  static CommandKind kind_of(const ShellWord& word) {
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
    if (text.find('=') != std::string_view::npos || text.find("://") != std::string_view::npos) {
      return CommandKind::kUnknown;
    }
    while (text.starts_with('{') || text.starts_with('@')) text.remove_prefix(1);
    return command_kind(text);
  }

  static bool at_operator(const ShellCommand& command) noexcept {
    return command.before != ShellOperator::kStart;
  }

  // " & " between words is how people write "and".
  static bool joins_words(const ShellCommand& command) noexcept {
    return command.before == ShellOperator::kAmpersand && command.space_before && command.space_after;
  }

  static bool closes(const ShellCommand& command) noexcept {
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

  // Arguments that nobody gives but to do what the command does.
  static bool is_decisive(CommandKind kind, const ShellWord& word, const Shape& shape, bool piped,
                          bool closed) {
    const std::string_view name = command_name(word.text);
    switch (kind) {
      case CommandKind::kReader:
        return shape.sensitive || (shape.absolute && shape.words <= 3 && shape.plain == 0);
      case CommandKind::kReport:
        return shape.sensitive && shape.words <= 4;
      case CommandKind::kWriter:
        return shape.sensitive || (shape.option && shape.path);
      case CommandKind::kNet:
        return (shape.address && (shape.option || shape.words <= 3)) || (shape.option && shape.number);
      case CommandKind::kShell:
        return (shape.option && shape.words >= 2) || shape.sensitive || (piped && closed) ||
               (iequals(name, "cmd") && shape.option);
      case CommandKind::kTelltale:
        return shape.option || shape.sensitive || (shape.address && shape.words <= 3);
      case CommandKind::kText:
        return shape.expands && closed && shape.words <= 3 && shape.option;
      default:
        return false;
    }
  }

  // The arguments are of the kind that the command needs.
  static bool takes(CommandKind kind, const Shape& shape, bool closed) {
    switch (kind) {
      case CommandKind::kReader:
      case CommandKind::kWriter:
        return shape.path || shape.option || (shape.address && shape.words <= 2);
      case CommandKind::kReport:
        return shape.option || shape.path;
      case CommandKind::kNet:
        return shape.address || shape.option || (shape.number && shape.words <= 2);
      case CommandKind::kShell:
        return shape.option || shape.path;
      case CommandKind::kText:
        return closed && shape.words > 0 && shape.words <= 3 && (shape.expands || shape.path || shape.option);
      case CommandKind::kWait:
        return closed && shape.number && shape.words == 1;
      case CommandKind::kTelltale:
        return true;
      default:
        return false;
    }
  }

  // Says something without arguments.
  static bool bare(CommandKind kind, const Shape& shape) noexcept {
    if (shape.words != 0) return kind == CommandKind::kText && shape.words <= 2;
    return kind == CommandKind::kReport || kind == CommandKind::kTelltale || kind == CommandKind::kShell;
  }

  static bool bare_counts(const Pass& pass, const ShellCommand& command) noexcept {
    if (command.before == ShellOperator::kNewline && pass.lines > 2) return false;
    return !joins_words(command);
  }

  // What stands before the first operator is a value (nothing, a number, an address, a file name, a closed
  // quote), not a word beside which another word may stand by itself.
  static bool value_before(const Pass& pass, const ShellCommand& command) noexcept {
    if (command.before == ShellOperator::kAmpersand && !command.space_after &&
        command.after == ShellOperator::kAmpersand) {
      return false;  // a=1&id&date: parameters
    }
    std::string_view value = trim(pass.text.substr(0, std::min(pass.first_operator, pass.text.size())));
    if (value.empty()) return true;
    if (value.find_first_of(" \t=,") != std::string_view::npos) return false;
    return !all_letters(value);
  }

  static void judge_start(Pass& pass, const ShellCommand& command, const ShellWord& word, CommandKind kind,
                          const Shape& shape, bool decisive, bool prose) {
    // "HEAD /index.html" is a request line; the command is written small.
    if (prose || word.text == "HEAD") return;
    const bool to_tool =
        kind == CommandKind::kShell || kind == CommandKind::kNet || kind == CommandKind::kTelltale;
    if (decisive && (shape.sensitive || to_tool || (shape.option && shape.path)) && shape.plain <= 2) {
      add(pass, pass.from_start || shape.sensitive ? kCommandLine : kCommandWord, word.begin, command.end,
          fmt::format("The value is a command line: {}, with arguments that it takes.", shown(word.text)));
      return;
    }
    if (!pass.from_start) return;
    const bool alone = command.begin == 0 && command.end >= pass.text.size();
    if ((kind == CommandKind::kTelltale && shape.words == 0 && alone) ||
        (alone && takes(kind, shape, true) && (shape.option || shape.sensitive))) {
      add(pass, kCommandWord, word.begin, command.end,
          fmt::format("The value may be a command line: {}.", shown(word.text)));
    }
  }

  static void judge_targets(Pass& pass, const ShellCommand& command) {
    for (const ShellWord& target : command.targets) {
      if (istarts_with(target.text, "/dev/tcp/") || istarts_with(target.text, "/dev/udp/")) {
        add(pass, kNetworkRedirect, command.begin, target.end,
            "Input or output is redirected to a network connection.");
      } else if (script_name(target.text) && !command.words.empty()) {
        const CommandKind first = kind_of(command.words.front());
        const CommandKind last = kind_of(command.words.back());
        const bool written = (first != CommandKind::kUnknown && first != CommandKind::kWrapper) ||
                             (last != CommandKind::kUnknown && command.words.back().text.starts_with('-'));
        if (written) {
          add(pass, kScriptRedirect, command.begin, target.end,
              "The output of a command is written to a script file.");
        }
      } else if (sensitive_path(target.text) && !command.words.empty() && at_operator(command) &&
                 kind_of(command.words.front()) != CommandKind::kUnknown) {
        add(pass, kInjected, command.operator_begin, target.end,
            "The output of a command is written to a file.");
      }
    }
  }

  static void read_fixed(Pass& pass) {
    const std::string_view text = pass.text;
    // () { :;}; command: bash up to 4.3 ran what follows the function (CVE-2014-6271).
    std::size_t at = text.find_first_not_of(" \t\"'");
    if (at != std::string_view::npos && text.substr(at).starts_with("()")) {
      std::size_t brace = at + 2;
      while (brace < text.size() && is_space(text[brace])) ++brace;
      const std::size_t close = text.find('}', brace);
      if (brace < text.size() && text[brace] == '{' && close != std::string_view::npos &&
          text.find_first_not_of(" \t;", close + 1) != std::string_view::npos) {
        add(pass, kFunctionImport, at, text.size(),
            "A function definition with code behind it, which old bash runs.");
      }
    }
    for (std::size_t open = text.find("${"); open != std::string_view::npos;
         open = text.find("${", open + 2)) {
      std::size_t end = open + 2;
      while (end < text.size() && end - open < 40 && (is_alnum(text[end]) || text[end] == '_')) ++end;
      if (end > open + 2 && end + 1 < text.size() && text[end] == ':' && is_digit(text[end + 1])) {
        add(pass, kDisguised, open, end + 2,
            "Characters are cut out of a shell variable, to spell what filters look for.");
        break;
      }
      if (iequals(text.substr(open + 2, end - open - 2), "ifs")) {
        add(pass, kDisguised, open, end, "$IFS stands in place of spaces.");
        break;
      }
    }
    const std::size_t ifs = ifind(text, "$ifs");
    if (ifs != std::string_view::npos &&
        (ifs + 4 >= text.size() || !is_alnum(text[ifs + 4]) || is_digit(text[ifs + 4]))) {
      add(pass, kDisguised, ifs, ifs + 4, "$IFS stands in place of spaces.");
    }
    for (const std::string_view sign : {"downloadstring(", "invoke-expression", "frombase64string(",
                                        "net.webclient", "downloadfile(", "%comspec%"}) {
      const std::size_t found = ifind(text, sign);
      if (found == std::string_view::npos) continue;
      if (!prose_before(text, found)) {
        add(pass, kPowerShell, found, found + sign.size(),
            "PowerShell or cmd.exe is told to fetch or run code.");
      }
      break;
    }
  }

  // cmd.exe: for %a in (set) do command; if [not] exist file command, if a==b command
  static void read_batch(Pass& pass) {
    const std::string_view text = pass.text;
    std::size_t looked = 0;
    for (std::size_t at = 0; at + 3 < text.size() && looked < 64; ++at) {
      if (at > 0 && (is_alnum(text[at - 1]) || text[at - 1] == '_')) continue;
      if (istarts_with(text.substr(at), "for") && is_space(text[at + 3])) {
        ++looked;
        batch_for(pass, at);
      } else if (istarts_with(text.substr(at), "if") && is_space(text[at + 2])) {
        ++looked;
        batch_if(pass, at);
      }
    }
  }

  // Words of text[at..), at most `limit`, quotes kept.
  static std::vector<std::string_view> words_from(std::string_view text, std::size_t at, std::size_t limit) {
    std::vector<std::string_view> out;
    while (out.size() < limit) {
      while (at < text.size() && is_space(text[at])) ++at;
      const std::size_t begin = at;
      while (at < text.size() && !is_space(text[at]) && at - begin < 256) ++at;
      if (at == begin) break;
      out.push_back(text.substr(begin, at - begin));
      if (at - begin == 256) break;
    }
    return out;
  }

  static void batch_for(Pass& pass, std::size_t at) {
    const std::vector<std::string_view> words = words_from(pass.text, at + 3, 10);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i].size() < 2 || words[i].size() > 24 || words[i][0] != '%') continue;
      if (iequals(words[i + 1], "in") && i + 2 < words.size() && words[i + 2].starts_with('(')) {
        add(pass, kBatch, at, pass.text.size(), "A batch loop, for %variable in (set) do, runs a command.");
        return;
      }
    }
  }

  static void batch_if(Pass& pass, std::size_t at) {
    const std::vector<std::string_view> words = words_from(pass.text, at + 2, 10);
    std::size_t i = 0;
    bool sure = false;
    if (i < words.size() && iequals(words[i], "/i")) {
      sure = true;
      ++i;
    }
    if (i < words.size() && iequals(words[i], "not")) ++i;
    if (i >= words.size()) return;
    std::size_t behind = 0;
    if (iequals(words[i], "exist") || iequals(words[i], "defined") || iequals(words[i], "errorlevel") ||
        iequals(words[i], "cmdextversion")) {
      behind = i + 2;
    } else if (words[i].find("==") != std::string_view::npos) {
      sure = sure || words[i].find('%') != std::string_view::npos ||
             words[i].find('"') != std::string_view::npos;
      behind = i + 1;
    } else if (i + 2 < words.size() && compares(words[i + 1])) {
      sure = sure || words[i].find('%') != std::string_view::npos ||
             words[i].find('"') != std::string_view::npos;
      behind = i + 3;
    }
    if (behind == 0 || behind >= words.size()) return;
    std::string_view command = words[behind];
    while (command.starts_with('@') || command.starts_with('(')) command.remove_prefix(1);
    while (command.ends_with(')')) command.remove_suffix(1);
    const bool runs = command_kind(command) != CommandKind::kUnknown || words[behind].starts_with('(') ||
                      iequals(command, "goto") || iequals(command, "exit") || iequals(command, "call") ||
                      iequals(command, "do") || iequals(command, "if");
    if (runs || sure)
      add(pass, kBatch, at, pass.text.size(), "A batch condition, if … command, runs a command.");
  }

  static bool compares(std::string_view word) noexcept {
    for (const std::string_view sign : {"==", "equ", "neq", "lss", "leq", "gtr", "geq"}) {
      if (iequals(word, sign)) return true;
    }
    return false;
  }

  std::vector<Rule> rules_;
  std::array<std::string, 7> texts_;
  std::vector<const char*> hints_;
  std::vector<std::string_view> words_;
};

}  // namespace

std::unique_ptr<Analyzer> make_cmd_injection_analyzer() { return std::make_unique<CmdInjectionAnalyzer>(); }

}  // namespace wafd::detect
