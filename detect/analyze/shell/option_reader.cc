#include "detect/analyze/shell/option_reader.h"

#include <algorithm>

#include "detect/analyze/shell/command_table.h"
#include "detect/analyze/shell/evidence_kinds.h"
#include "detect/analyze/shell/options.tsv.h"
#include "detect/analyze/shell/paths.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::shell {
namespace {

constexpr std::size_t kMaxOptions = 16;  // of one value

bool is_name_byte(char c) noexcept { return is_alnum(c) || c == '-' || c == '_' || c == '.'; }

struct Option {
  std::string_view name;   // without dashes
  std::string_view value;  // behind "=" or white space, to the end of the text
  bool assigned = false;   // by "="
};

Option read_option(std::string_view text, std::size_t at) noexcept {
  Option out;
  while (at < text.size() && text[at] == '-') ++at;
  const std::size_t begin = at;
  while (at < text.size() && is_name_byte(text[at])) ++at;
  out.name = text.substr(begin, at - begin);
  out.assigned = at < text.size() && text[at] == '=';
  if (out.assigned) ++at;
  while (!out.assigned && at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '+')) ++at;
  out.value = text.substr(at);
  return out;
}

// A command line by itself: a command that is no everyday word, a path of a program, what only shells read.
bool is_command(std::string_view value) noexcept {
  value.remove_prefix(std::min(value.find_first_not_of("\"'!|"), value.size()));
  const std::string_view word = value.substr(0, std::min(value.find_first_of(" \t\"';|&>"), value.size()));
  if (word.empty()) return false;
  const Command command = find_command(word);
  const bool known =
      command.row != nullptr && (command.row->usage != Usage::kWord || word.size() < value.size() ||
                                 command.row->family == Family::kInforms);
  return known || is_program_path(word) || word.starts_with("/tmp/") || word.starts_with("./") ||
         is_script_name(word) || value.find_first_of("`;|") != value.npos || value.find("$(") != value.npos;
}

// core.editor=vim, core.pager=less: what such a setting is for, by its bare name.
bool is_own_program(std::string_view key, std::string_view value) noexcept {
  static constexpr WordSet kEditors({"code", "ed", "emacs", "gedit", "joe", "jed", "kate", "mcedit", "micro",
                                     "nano", "notepad", "nvim", "pico", "subl", "vi", "view", "vim", "zed"});
  static constexpr WordSet kPagers({"bat", "cat", "delta", "less", "more", "most"});
  const std::string_view word = value.substr(0, std::min(value.find_first_of(" \t"), value.size()));
  const bool edits = key.size() >= 6 && iequals(key.substr(key.size() - 6), "editor");
  const bool pages = key.size() >= 5 && iequals(key.substr(key.size() - 5), "pager");
  return (edits && kEditors.has(word)) || (pages && kPagers.has(word));
}

// KEY=…, KEY …, and KEY.name=!command
bool is_setting(std::string_view setting) noexcept {
  const std::size_t end = setting.find_first_of("= ");
  if (end == setting.npos || end + 1 >= setting.size()) return false;
  const std::string_view key = setting.substr(0, end);
  if (is_own_program(key, setting.substr(end + 1))) return false;
  if (const OptionRow* row = kOptions.find(key)) return row->runs == Runs::kSetting;
  const OptionRow* section = kOptions.find(key.substr(0, key.find('.') + 1));
  return section != nullptr && section->runs == Runs::kSetting && is_command(setting.substr(end + 1));
}

// Amid other words: only what no other text has. `text` begins with the option's name.
bool runs_program_inside(const Option& option, std::string_view text) noexcept {
  static constexpr WordSet kGive({"c", "o", "d", "config"});
  static constexpr WordSet kOfFind({"exec", "execdir", "okdir"});
  if (option.name.empty() || option.value.empty()) return false;
  const auto sets = [](std::string_view setting) {
    const std::size_t end = setting.find_first_of("= ");
    return end != setting.npos && setting[end] == '=' && is_setting(setting);
  };
  if (const OptionRow* row = kOptions.find(option.name); row != nullptr && row->runs == Runs::kValue)
    return option.assigned &&
           (!iequals(option.name, "checkpoint-action") || istarts_with(option.value, "exec"));
  if (kOfFind.has(option.name)) return is_command(option.value);
  if (kGive.has(option.name)) return sets(option.value);
  const char first = to_lower(text[0]);
  return (first == 'o' || first == 'd' || first == 'c') && sets(text.substr(1));
}

// `text` begins with the option's name.
bool runs_program(const Option& option, std::string_view text) noexcept {
  static constexpr WordSet kGive({"c", "o", "d", "config"});
  if (option.name.empty() || option.value.empty()) return false;
  if (const OptionRow* row = kOptions.find(option.name)) {
    if (iequals(option.name, "checkpoint-action")) return istarts_with(option.value, "exec");
    if (row->runs == Runs::kValue) return option.assigned || is_command(option.value);
    if (row->runs == Runs::kCommand) return is_command(option.value);
    if (row->runs == Runs::kLoads) return option.value.starts_with(':');
  }
  if (kGive.has(option.name)) return is_setting(option.value);
  // Without white space: -oProxyCommand=id, -dauto_prepend_file=x
  const char first = to_lower(text[0]);
  if ((first == 'o' || first == 'd' || first == 'c') && is_setting(text.substr(1))) return true;
  // java -XX:OnError=id; Ghostscript's -sOutputFile=%pipe%id; sendmail -X/var/www/x.php
  if (istarts_with(text, "xx:on")) return text.find('=') != text.npos;
  if (iequals(option.name, "soutputfile"))
    return istarts_with(option.value, "%pipe%") || option.value.starts_with('|');
  // zip -TT=id
  if (option.assigned && option.name.ends_with("TT")) return is_command(option.value);
  return text[0] == 'X' && is_script_name(text.substr(0, text.find_first_of(" \t")));
}

// The first of the options from text[at] on that runs a program.
bool find_option(std::string_view text, std::size_t at, ShellEvidence kind, EvidenceList& out) {
  for (std::size_t looked = 0; looked < kMaxOptions; ++looked) {
    const std::size_t name = std::min(text.find_first_not_of('-', at), text.size());
    const Option option = read_option(text, at);
    const std::string_view rest = text.substr(name);
    if (kind == ShellEvidence::kOption ? runs_program(option, rest) : runs_program_inside(option, rest)) {
      out.add(kind, Certainty::kLikely, at, text.size(), text.substr(at));
      return true;
    }
    at = text.find(" -", at + 1);
    if (at == text.npos) return false;
    ++at;
  }
  return false;
}

}  // namespace

Needs needs_of_options() {
  Sign names{SignKind::kLiterals, {"exec", "okdir"}};
  for (const OptionRow& row : kOptions.rows()) {
    if (row.runs == Runs::kValue || row.runs == Runs::kSetting) names.parts.emplace_back(row.text);
  }
  return {{any_first("-")},
          {any_literal({"://-"})},
          {any_literal({" --", " -o", " -c", " -d", " -exec"}), any_byte("= "), names}};
}

void read_options(std::string_view text, EvidenceList& out) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\"'");
  if (first == text.npos) return;
  if (text[first] == '-') {
    find_option(text, first, ShellEvidence::kOption, out);
    return;
  }
  const std::size_t host = text.find("://-");
  if (host != text.npos && find_option(text, host + 3, ShellEvidence::kOption, out)) return;
  const std::size_t inner = text.find(" -");
  if (inner != text.npos) find_option(text, inner + 1, ShellEvidence::kInnerOption, out);
}

}  // namespace wafd::detect::shell
