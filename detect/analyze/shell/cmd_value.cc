#include "detect/analyze/shell/cmd_value.h"

#include <algorithm>

#include <fmt/format.h>

#include "detect/analyze/shell/cmd_arguments.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect::cmd {
namespace {

// curl with header fields and a body of its own is a request as API documentation shows it; browsers copy
// them so. What writes or sends a file is none.
bool is_api_call(const ShellWord& word, const ShellCommand& command) noexcept {
  static constexpr WordSet kOfRequests({"-x", "-h", "--header", "--request", "-d", "--data", "--data-raw",
                                        "--data-binary", "--json", "--url", "--compressed"});
  if (!iequals(word.text, "curl")) return false;
  bool request = false;
  for (const ShellWord& one : command.words) {
    const std::string_view text = one.text;
    if (text.starts_with('@') || text.find("=@") != std::string_view::npos || text == "-o" || text == "-O" ||
        text == "-T" || text == "-K" || text.find("file:") != std::string_view::npos || one.expands) {
      return false;
    }
    request = request || (kOfRequests.has(text) && text != "-x");
  }
  return request;
}

// "python -snake": how one searches for a word without another.
bool excludes_word(const ShellCommand& command, CommandKind kind) noexcept {
  if (command.here_string || !command.targets.empty()) return false;
  // "powershell get-content -tail": how one searches for a cmdlet's option, which would take a value.
  if (kind == CommandKind::kShell && command.words.size() == 3 && is_pipeline_cmdlet(command.words[1].text) &&
      command.words[2].text.starts_with('-') && all_letters(command.words[2].text.substr(1)))
    return true;
  if (kind == CommandKind::kTelltale || command.words.size() != 2) return false;
  const std::string_view word = command.words[1].text;
  return word.size() > 4 && word[0] == '-' && all_letters(word.substr(1)) && !word.ends_with("version") &&
         !word.ends_with("help");
}

// tar -xzf vs tar -xvf: how one searches for what options do. All of it is words and options of letters, with
// which no command reads, writes or runs what it is not asked about anyway.
bool asks(const ShellCommand& command) noexcept {
  if (command.here_string || !command.targets.empty()) return false;
  std::size_t compared = 0;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    const std::string_view letters =
        word.text.starts_with('-') ? std::string_view(word.text).substr(1) : std::string_view(word.text);
    if (word.expands || word.spliced || !all_letters(letters)) return false;
    if (iequals(word.text, "vs")) compared = i;
  }
  return compared > 1 && compared + 1 < command.words.size();
}

bool subcommand_like(const ShellWord& word) noexcept {
  return std::all_of(word.text.begin(), word.text.end(), [](char c) {
    return is_lower(c) || is_digit(c) || c == '-' || c == '_' || c == '.' || c == ':' || c == '/' || c == '=';
  });
}

// wmic process call create calc: no other language has the tool's name and its own words behind it.
bool administers(const ShellCommand& command, const ShellWord& word) noexcept {
  static constexpr WordSet kTools(
      {"wmic", "netsh", "vssadmin", "schtasks", "bcdedit", "wevtutil", "diskpart", "bitsadmin"});
  static constexpr WordSet kParts({"process",     "os",         "service",     "useraccount",
                                   "qfe",         "product",    "startup",     "computersystem",
                                   "logicaldisk", "shadowcopy", "nic",         "nicconfig",
                                   "bios",        "cpu",        "advfirewall", "firewall",
                                   "interface",   "wlan",       "winhttp",     "http",
                                   "delete",      "list",       "resize",      "create",
                                   "query",       "run",        "change",      "cl",
                                   "qe",          "el",         "set",         "transfer"});
  const auto name = std::find_if(command.words.begin(), command.words.end(),
                                 [&](const ShellWord& one) { return &one == &word; });
  if (name == command.words.end() || name + 1 == command.words.end()) return false;
  return kTools.has(command_name(word.text)) && kParts.has((name + 1)->text);
}

}  // namespace

void judge_value(Report& out, const ShellCommand& command, const ShellWord& word, CommandKind kind,
                 const Shape& shape, const ValueReading& is) {
  const std::string_view text = out.text();
  const bool administered = is.from_start && command.begin == 0 && administers(command, word);
  // "HEAD /index.html" is a request line, 'File "a.py", line 3' a frame of Python's; commands are written
  // small.
  if ((is.prose && !administered) || word.text == "HEAD" || word.text == "File") return;
  const Harm harm = harm_of(kind, word.text, command);
  const auto add = [&](Rule rule) {
    out.add(
        out.weighed(rule, command.begin, harm), word.begin, command.end,
        rule == kCommandLine
            ? fmt::format("The value is a command line: {}, with arguments that it takes.", shown(word.text))
            : fmt::format("The value may be a command line: {}.", shown(word.text)));
  };
  if (harm != Harm::kSecret && asks(command)) return add(kCommandWord);
  const bool ordinary = is_ordinary_word(word.text);
  const bool to_tool =
      kind == CommandKind::kShell || kind == CommandKind::kNet || kind == CommandKind::kTelltale;
  // What people install and build with, or ask an API with, is in every manual.
  const bool developer =
      (is_developer_tool(word.text) && harm != Harm::kSecret) || is_api_call(word, command);
  if (is.decisive && !developer && !excludes_word(command, kind) &&
      (shape.sensitive || to_tool || shape.absolute || command.here_string || (shape.option && shape.path)) &&
      shape.plain <= 2) {
    return add(is.from_start || shape.sensitive ? kCommandLine : kCommandWord);
  }
  if (!is.from_start) return;
  const bool small = word.text.empty() || !is_upper(word.text[0]);
  const bool short_line =
      shape.words > 0 && shape.words <= 6 && shape.plain <= 3 && command.begin == 0 && small;
  const bool unmistakable =
      short_line && !developer && !excludes_word(command, kind) &&
      ((shape.long_option && shape.words <= 3 && kind != CommandKind::kText) || (shape.option && !ordinary) ||
       (shape.glob && kind == CommandKind::kReader) || (shape.absolute && !ordinary && shape.plain == 0));
  const bool in_header = out.findings().in_header && kind == CommandKind::kTelltale && shape.words > 0 &&
                         shape.words <= 5 && shape.plain == shape.words &&
                         command.after == ShellOperator::kStart && command.begin == 0;
  if (unmistakable || in_header || administered) return add(kCommandLine);
  const std::size_t text_end = text.find_last_not_of(" \t\r\n;|&") + 1;
  const bool alone = command.begin == 0 && command.end >= text_end;
  if (!alone || out.findings().in_name) return;
  // Names of languages are tags and search terms; a program's file name is neither.
  const bool name_alone =
      shape.words == 0 && !ordinary && word.text.find('/') == std::string_view::npos &&
      (kind == CommandKind::kTelltale || kind == CommandKind::kNet || word.spliced ||
       (kind == CommandKind::kShell && command_name(word.text).size() < word.text.size()));
  const bool subcommand = kind == CommandKind::kTelltale && small && shape.words > 0 && shape.words <= 4 &&
                          std::all_of(command.words.begin(), command.words.end(), subcommand_like);
  if (name_alone || subcommand ||
      (takes(kind, shape, true) && (shape.option || shape.sensitive || shape.absolute))) {
    add(kCommandWord);
  }
}

}  // namespace wafd::detect::cmd
