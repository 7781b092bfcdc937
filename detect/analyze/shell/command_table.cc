#include "detect/analyze/shell/command_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "detect/analyze/shell/commands.tsv.h"
#include "detect/analyze/shell/nouns.tsv.h"
#include "detect/analyze/shell/paths.h"
#include "detect/analyze/shell/verbs.tsv.h"
#include "detect/core/byte_finder.h"
#include "detect/core/word_set.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::shell {
namespace {

constexpr CommandRow kCmdlet{"cmdlet", Family::kInforms, Takes::kAlone | Takes::kFiles | Takes::kNames,
                             Usage::kTerm, System::kWindows};
constexpr CommandRow kRunsCmdlet{"cmdlet", Family::kInterprets, Takes::kCode | Takes::kFiles, Usage::kTerm,
                                 System::kWindows};

// A bit for each row of the table.
using RowSet = std::array<std::uint64_t, (kCommands.rows().size() + 63) / 64>;

void keep_common(RowSet& rows, const RowSet& others) noexcept {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] &= others[i];
}

// Letters are told apart, other bytes share a number with a few.
constexpr std::size_t kByteNumbers = 64;
constexpr std::size_t number_of(char c) noexcept {
  return is_lower(c) ? static_cast<std::size_t>(c - 'a') : 26u + (byte(c) & 31u);
}

// The commands that a pattern may match, so that it is not compared with two thousand of them.
struct NameIndex {
  std::array<bool, 128> bytes{};                                  // those that stand in names
  std::array<RowSet, kByteNumbers> with_byte{};                   // whose names hold such a byte
  std::array<RowSet, kMaxVocabularyWordBytes + 1> of_at_least{};  // whose names are so long
};
constexpr NameIndex kNames = []() {
  NameIndex index;
  for (std::size_t row = 0; row < kCommands.rows().size(); ++row) {
    const std::string_view name = kCommands.rows()[row].text;
    const std::uint64_t bit = std::uint64_t{1} << (row % 64);
    for (const char c : name) {
      index.with_byte[number_of(c)][row / 64] |= bit;
      index.bytes[byte(c)] = true;
    }
    for (std::size_t size = 0; size <= name.size(); ++size) index.of_at_least[size][row / 64] |= bit;
  }
  return index;
}();

// Of a pattern's brackets: the commands whose names hold a byte that they match.
RowSet names_with_one_of(std::string_view brackets) noexcept {
  RowSet rows{};
  for (std::size_t number = 0; number < kNames.bytes.size(); ++number) {
    const char c = static_cast<char>(number);
    if (!kNames.bytes[number] || !glob_match(brackets, {&c, 1})) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] |= kNames.with_byte[number_of(c)][i];
  }
  return rows;
}

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

// x86_64-linux-gnu-strings, llvm-strings, cpp-12, vim.basic: the name alone, for the program of a target, of
// a suite, in one of its versions, or one of several that Debian's alternatives choose from.
std::string_view without_variant(std::string_view name) noexcept {
  static constexpr WordSet kVariants({"basic", "tiny", "nox", "gtk3", "openbsd", "traditional", "distrib"});
  for (const std::string_view before : {"-linux-gnu-", "-linux-musl-", "llvm-"}) {
    const std::size_t at = name.find(before);
    if (at != name.npos && (at == 0 || before[0] == '-')) return name.substr(at + before.size());
  }
  const std::size_t sign = name.find_last_of(".-");
  if (sign == name.npos || sign == 0) return name;
  const std::string_view behind = name.substr(sign + 1);
  const bool version = name[sign] == '-' && !behind.empty() && behind.size() <= 2 &&
                       std::all_of(behind.begin(), behind.end(), is_digit);
  return version || (name[sign] == '.' && kVariants.has(behind)) ? name.substr(0, sign) : name;
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
  if (const std::string_view bare = without_variant(without_variant(name)); bare.size() != name.size()) {
    if (const CommandRow* row = kCommands.find(bare)) return row;
  }
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

bool pattern_names_command(std::string_view pattern) noexcept {
  std::uint64_t wanted = 0;  // bytes that are in every name that it matches
  std::size_t least = 0;
  RowSet rows = kNames.of_at_least[0];
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::size_t end = pattern[i] == '[' ? behind_brackets(pattern, i) : i;
    if (pattern[i] != '*') ++least;
    if (end != i) {
      keep_common(rows, names_with_one_of(pattern.substr(i, end - i)));
      i = end - 1;
    } else if (pattern[i] != '*' && pattern[i] != '?') {
      wanted |= std::uint64_t{1} << number_of(pattern[i]);
    }
  }
  if (least > kMaxVocabularyWordBytes) return false;
  keep_common(rows, kNames.of_at_least[least]);
  for (; wanted != 0; wanted &= wanted - 1)
    keep_common(rows, kNames.with_byte[static_cast<std::size_t>(std::countr_zero(wanted))]);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::uint64_t left = rows[i]; left != 0; left &= left - 1) {
      const auto row = i * 64 + static_cast<std::size_t>(std::countr_zero(left));
      if (glob_match(pattern, kCommands.rows()[row].text)) return true;
    }
  }
  return false;
}

bool is_cmdlet(std::string_view word) noexcept {
  const std::size_t dash = word.find('-');
  return dash != std::string_view::npos && kVerbs.has(word.substr(0, dash)) &&
         kNouns.has(word.substr(dash + 1));
}

Command find_command(std::string_view word) noexcept {
  count_steps(20);
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
