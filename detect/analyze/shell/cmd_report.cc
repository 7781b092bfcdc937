#include "detect/analyze/shell/cmd_report.h"

#include <algorithm>

#include "detect/analyze/shell/shell_shape.h"
#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect::cmd {

namespace {

// -wrapper sh,-c,id: an argument is a shell with its own.
bool hands_to_shell(std::string_view word) noexcept {
  const std::size_t comma = word.find(',');
  return comma != std::string_view::npos && command_kind(word.substr(0, comma)) == CommandKind::kShell;
}

}  // namespace

Harm harm_of(CommandKind kind, std::string_view name, const ShellCommand& command) noexcept {
  static constexpr WordSet kToNetwork(
      {"nc", "ncat", "netcat", "socat", "telnet", "nc.openbsd", "nc.traditional"});
  const auto secret = [](const ShellWord& word) {
    return is_secret_file(word.text) || hands_to_shell(word.text);
  };
  if (std::any_of(command.words.begin(), command.words.end(), secret) ||
      std::any_of(command.targets.begin(), command.targets.end(), secret)) {
    return Harm::kSecret;
  }
  name = command_name(name);
  const bool to_network = kToNetwork.has(name);
  if (to_network && std::any_of(command.words.begin(), command.words.end(), [](const ShellWord& word) {
        return word.text == "-e" || word.text == "-c" || istarts_with(word.text, "exec:") ||
               (word.text.starts_with('/') && command_kind(word.text) == CommandKind::kShell);
      })) {
    return Harm::kSecret;
  }
  if (to_network) return Harm::kLook;
  return kind == CommandKind::kTelltale && !is_developer_tool(name) && !is_pipeline_cmdlet(name)
             ? Harm::kLook
             : Harm::kNone;
}

bool Report::weighs_less(std::size_t place, Harm harm) noexcept {
  if (out_.in_report && harm != Harm::kSecret) return true;
  switch (surroundings_.at(place)) {
    case Setting::kInlineCode:
      return true;
    case Setting::kDocument:
      return harm != Harm::kSecret;
    case Setting::kToolLine:
      return harm == Harm::kNone;
    default:
      return false;
  }
}

Rule Report::weighed(Rule rule, std::size_t place, Harm harm) noexcept {
  if (!weighs_less(place, harm)) return rule;
  return rule == kCommandLine || rule == kCommandWord ? kCommandWord : kInjectedWeak;
}

std::string shown(std::string_view word) {
  std::string out;
  for (const char c : command_name(word).substr(0, 24)) {
    if (is_alnum(c) || c == '-' || c == '_' || c == '.') out.push_back(to_lower(c));
  }
  return out;
}

CommandKind kind_of(const ShellWord& word) noexcept {
  std::string_view text = word.text;
  // What closes a template or call behind it is no part of the name.
  while (!text.empty() && (text.back() == '}' || text.back() == ']')) text.remove_suffix(1);
  if (text.starts_with('$') || text.starts_with('%')) {
    for (const std::string_view shell : {"$shell", "${shell}", "$0", "${0}", "$bash", "%comspec%"}) {
      if (iequals(text, shell)) return CommandKind::kShell;
    }
  }
  // An unset variable behind the name: sh$x
  const std::size_t dollar = text.find('$');
  if (word.expands && dollar != std::string_view::npos && dollar > 1) text = text.substr(0, dollar);
  // A command given to an option: -TT=id
  const std::size_t equals = text.rfind('=');
  if (text.starts_with('-') && equals != std::string_view::npos) text.remove_prefix(equals + 1);
  static constexpr OctetFinder kAssigns("=:");
  if (kAssigns.find(text, 0) < text.size() && text.find(":\\") != 1 && text.find(":/") != 1) {
    return CommandKind::kUnknown;
  }
  if (text == "{") return CommandKind::kKeyword;  // of a group: { id; }
  while (text.starts_with('{') || text.starts_with('@')) text.remove_prefix(1);
  return command_kind(text);
}

bool is_command(CommandKind kind) noexcept {
  return kind != CommandKind::kUnknown && kind != CommandKind::kKeyword && kind != CommandKind::kStatement;
}

}  // namespace wafd::detect::cmd
