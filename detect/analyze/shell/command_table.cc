#include "detect/analyze/shell/command_table.h"

#include <algorithm>

#include "detect/analyze/shell/commands.tsv.h"
#include "detect/analyze/shell/nouns.tsv.h"
#include "detect/analyze/shell/paths.h"
#include "detect/analyze/shell/verbs.tsv.h"
#include "detect/core/byte_finder.h"
#include "detect/core/word_set.h"

namespace wafd::detect::shell {
namespace {

constexpr CommandRow kCmdlet{"cmdlet", Family::kInforms, Takes::kAlone | Takes::kFiles | Takes::kNames,
                             Usage::kTerm, System::kWindows};
constexpr CommandRow kRunsCmdlet{"cmdlet", Family::kInterprets, Takes::kCode | Takes::kFiles, Usage::kTerm,
                                 System::kWindows};

// python3.11, gcc-12, lua5.4: the name alone, for what is installed in several versions side by side.
std::string_view without_version(std::string_view name) noexcept {
  std::size_t size = name.size();
  while (size > 0 && (is_digit(name[size - 1]) || name[size - 1] == '.')) --size;
  if (size > 0 && size < name.size() && name[size - 1] == '-') --size;
  return name.substr(0, size);
}

bool is_versioned(Family family) noexcept {
  return family == Family::kInterprets || family == Family::kManages;
}

// dir/s/b, cmd/c: switches of one letter each; 0 if there are none.
std::size_t switches_begin(std::string_view word) noexcept {
  const std::size_t begin = word.find('/');
  if (begin == std::string_view::npos || begin < 2 || begin + 1 >= word.size()) return 0;
  for (std::size_t i = begin; i < word.size(); i += 2) {
    if (word[i] != '/' || i + 1 >= word.size() || !(is_alnum(word[i + 1]) || word[i + 1] == '?')) return 0;
  }
  return begin;
}

// Before a command's name: from a root, a drive or this folder, or one that is called bin.
bool may_be_folder(std::string_view folder) noexcept {
  static constexpr ByteFinder kBegins("/.~\\%$");
  static constexpr ByteFinder kInNone("=,;&'()<>{}|");
  if (folder.empty()) return true;
  if (!kBegins.has(folder[0]) && (folder.size() < 2 || folder[1] != ':') && !folder.ends_with("bin"))
    return false;
  return kInNone.find(folder, 0) == folder.size() && folder.find("//") == std::string_view::npos;
}

std::string_view without_extension(std::string_view name) noexcept {
  static constexpr WordSet kPrograms({"exe", "com", "cmd", "bat"});
  const std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos && dot > 0 && kPrograms.has(name.substr(dot + 1)) ? name.substr(0, dot)
                                                                                         : name;
}

const CommandRow* find_row(std::string_view name) noexcept {
  if (const CommandRow* row = kCommands.find(name)) return row;
  if (const std::string_view bare = without_extension(name); bare.size() != name.size())
    return kCommands.find(bare);
  if (name.size() > 2 && is_digit(name.back())) {
    const CommandRow* row = kCommands.find(without_version(name));
    return row != nullptr && is_versioned(row->family) ? row : nullptr;
  }
  // The loader of programs: ld-linux-x86-64.so.2, ld-musl-x86_64.so.1
  if (name.starts_with("ld-") && name.find(".so.") != std::string_view::npos) return kCommands.find("ld.so");
  if (is_cmdlet(name))
    return istarts_with(name, "invoke-") || istarts_with(name, "start-") ? &kRunsCmdlet : &kCmdlet;
  return nullptr;
}

}  // namespace

const Vocabulary<CommandRow>& commands() noexcept { return kCommands; }

bool is_cmdlet(std::string_view word) noexcept {
  const std::size_t dash = word.find('-');
  return dash != std::string_view::npos && kVerbs.has(word.substr(0, dash)) &&
         kNouns.has(word.substr(dash + 1));
}

Command find_command(std::string_view word) noexcept {
  Command out;
  if (word.empty() || word.size() > kMaxVocabularyWordBytes) return out;
  if (const std::size_t end = switches_begin(word); end != 0) {
    const CommandRow* row = kCommands.find(word.substr(0, end));
    if (row != nullptr && row->system != System::kUnix) {
      out.row = row;
      out.switches = word.substr(end);
      return out;
    }
  }
  const std::size_t slash = last_slash(word);
  const bool path = slash != std::string_view::npos;
  const std::string_view name = path ? word.substr(slash + 1) : word;
  if (path && (name.empty() || name == "." || !may_be_folder(word.substr(0, slash)))) return out;
  out.row = find_row(name);
  if (out.row == nullptr) return out;
  const bool unix_path = path && word[slash] == '/';
  if (unix_path && out.row->system == System::kWindows && word[0] == '/') return {};
  out.program_path = path && is_program_path(word);
  const std::ptrdiff_t capitals = std::count_if(name.begin(), name.end(), is_upper);
  out.odd_case =
      unix_path || out.row->system == System::kUnix
          ? capitals > 0
          : out.row->usage == Usage::kWord && capitals == 1 && is_upper(name[0]) && name.size() > 1;
  return out;
}

}  // namespace wafd::detect::shell
