#include "detect/analyze/shell/shell_commands.h"

#include <algorithm>
#include <array>

#include "detect/analyze/base/telltale_names.h"
#include "detect/analyze/shell/cmdlet_names.h"
#include "detect/analyze/shell/shell_names.h"
#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kNames =
    std::size(names::kTelltale) + std::size(names::kNet) + std::size(names::kShell) +
    std::size(names::kReport) + std::size(names::kReader) + std::size(names::kWriter) +
    std::size(names::kText) + std::size(names::kWait) + std::size(names::kWrapper) +
    std::size(names::kKeyword) + std::size(names::kStatement);
using CommandTable = FixedWordMap<CommandKind, kNames>;

consteval std::array<CommandTable::Entry, kNames> all_names() {
  std::array<CommandTable::Entry, kNames> out{};
  std::size_t size = 0;
  const auto append = [&](const auto& list, CommandKind kind) {
    for (const std::string_view name : list) out[size++] = {name, kind};
  };
  append(names::kTelltale, CommandKind::kTelltale);
  append(names::kNet, CommandKind::kNet);
  append(names::kShell, CommandKind::kShell);
  append(names::kReport, CommandKind::kReport);
  append(names::kReader, CommandKind::kReader);
  append(names::kWriter, CommandKind::kWriter);
  append(names::kText, CommandKind::kText);
  append(names::kWait, CommandKind::kWait);
  append(names::kWrapper, CommandKind::kWrapper);
  append(names::kKeyword, CommandKind::kKeyword);
  append(names::kStatement, CommandKind::kStatement);
  return out;
}

constexpr CommandTable kCommands(all_names());
constexpr WordSet kOrdinary(names::kOrdinary);
constexpr WordSet kDeveloper(names::kDeveloper);
constexpr WordSet kRunners(names::kRunners);
constexpr WordSet kVerbs(names::kVerbs);
constexpr WordSet kNouns(names::kNouns);

bool is_cmdlet(std::string_view name) noexcept {
  const std::size_t dash = name.find('-');
  return dash != std::string_view::npos && kNouns.has(name.substr(dash + 1)) &&
         kVerbs.has(name.substr(0, dash));
}

// gcc-12, python3.11, php8.2, vim9: the name in front of a version.
std::string_view without_version(std::string_view name) noexcept {
  const std::size_t last = name.find_last_not_of("0123456789.");
  if (last == std::string_view::npos || last + 1 == name.size()) return name;
  if (!is_digit(name[last + 1])) return name;
  return name.substr(0, name[last] == '-' ? last : last + 1);
}

// For globs: what attackers spell this way, by path.
constexpr std::array<std::string_view, 6> kFolders = {"/bin/",      "/usr/bin/",       "/sbin/",
                                                      "/usr/sbin/", "/usr/local/bin/", "/etc/"};
constexpr std::array<std::string_view, 40> kGlobbed = {
    "cat",  "ls",    "id",     "sh",   "bash", "nc",     "wget",   "curl",  "python", "python3",
    "perl", "head",  "tail",   "more", "less", "whoami", "uname",  "tac",   "nl",     "base64",
    "echo", "find",  "grep",   "ping", "ps",   "php",    "sed",    "awk",   "cp",     "rm",
    "mv",   "touch", "netcat", "od",   "sort", "passwd", "shadow", "hosts", "group",  "issue"};

bool glob_match(std::string_view pattern, std::string_view text) noexcept {
  // Linear but for restarts at the last '*'; both are short.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
      continue;
    }
    bool same = false;
    std::size_t step = 1;
    if (p < pattern.size()) {
      if (pattern[p] == '?') {
        same = text[t] != '/';
      } else if (pattern[p] == '[') {
        const std::size_t close = pattern.find(']', p + 2);
        if (close != std::string_view::npos) {
          std::string_view set = pattern.substr(p + 1, close - p - 1);
          const bool negated = set.starts_with('!') || set.starts_with('^');
          if (negated) set.remove_prefix(1);
          bool in = false;
          for (std::size_t k = 0; k < set.size(); ++k) {
            if (k + 2 < set.size() && set[k + 1] == '-') {
              in = in || (octet(set[k]) <= octet(text[t]) && octet(text[t]) <= octet(set[k + 2]));
              k += 2;
            } else {
              in = in || set[k] == text[t];
            }
          }
          same = in != negated && text[t] != '/';
          step = close - p + 1;
        }
      } else {
        same = pattern[p] == text[t];
      }
    }
    if (same) {
      p += step;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// dir/s/b: cmd.exe needs no space before the switches of its commands. 0: there are none.
std::size_t switches_begin(std::string_view word) noexcept {
  static constexpr WordSet kSwitched({"dir", "del", "erase", "copy", "xcopy", "tree", "rd", "rmdir", "cmd",
                                      "taskkill", "tasklist", "shutdown", "ipconfig", "netstat", "attrib"});
  const std::size_t begin = word.find('/');
  if (begin == std::string_view::npos || begin < 2 || begin + 1 >= word.size()) return 0;
  for (std::size_t i = begin; i < word.size(); i += 2) {
    if (word[i] != '/' || i + 1 >= word.size() || !(is_alnum(word[i + 1]) || word[i + 1] == '?')) return 0;
  }
  return kSwitched.has(word.substr(0, begin)) ? begin : 0;
}

}  // namespace

std::string_view command_name(std::string_view word) noexcept {
  std::size_t name = word.size();
  while (name > 0 && word[name - 1] != '/' && word[name - 1] != '\\') --name;
  if (name != 0) {
    if (const std::size_t end = switches_begin(word); end != 0) return word.substr(0, end);
    word.remove_prefix(name);
    if (word == ".") return {};  // a folder; the command is a dot alone
  }
  if (word.size() > 4 && word[word.size() - 4] == '.') {
    const std::string_view extension = word.substr(word.size() - 3);
    if (iequals(extension, "exe") || iequals(extension, "com")) word.remove_suffix(4);
  }
  return word;
}

CommandKind command_kind(std::string_view word) noexcept {
  const std::string_view name = command_name(word);
  if (name.empty() || name.size() > CommandTable::kMaxWordBytes) return CommandKind::kUnknown;
  if (const CommandKind* kind = kCommands.find(name)) return *kind;
  if (is_cmdlet(name)) return CommandKind::kTelltale;
  if (!is_digit(name.back()) && name.back() != '.') return CommandKind::kUnknown;
  const std::string_view bare = without_version(name);
  if (bare.size() == name.size() || bare.size() < 2) return CommandKind::kUnknown;
  const CommandKind* kind = kCommands.find(bare);
  return kind != nullptr && !kOrdinary.has(bare) ? *kind : CommandKind::kUnknown;
}

bool is_ordinary_word(std::string_view word) noexcept { return kOrdinary.has(command_name(word)); }

bool is_developer_tool(std::string_view word) noexcept { return kDeveloper.has(command_name(word)); }

bool is_pipeline_cmdlet(std::string_view word) noexcept {
  static constexpr WordSet kLooking({"get", "where", "select", "sort", "format", "measure", "group", "out",
                                     "write", "convertto", "convertfrom", "foreach", "export", "import",
                                     "compare", "join", "split", "test"});
  const std::string_view name = command_name(word);
  return is_cmdlet(name) && kLooking.has(name.substr(0, name.find('-')));
}

bool is_filter_cmdlet(std::string_view word) noexcept {
  static constexpr WordSet kFilters({"where-object", "select-object", "sort-object", "group-object",
                                     "measure-object", "format-table", "format-list", "format-wide"});
  return kFilters.has(command_name(word));
}

bool runs_others(std::string_view word) noexcept {
  const std::string_view name = command_name(word);
  const CommandKind* kind = kCommands.find(name);
  return kind != nullptr && (*kind == CommandKind::kWrapper || kRunners.has(name));
}

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> out;
  for (const auto& entry : kCommands) {
    const bool sign = entry.value == CommandKind::kKeyword && !is_alpha(entry.word[0]);
    if (!sign && entry.value != CommandKind::kStatement) out.push_back(entry.word);
  }
  return out;
}

std::vector<std::string_view> cmdlet_verbs() { return {std::begin(names::kVerbs), std::end(names::kVerbs)}; }

std::vector<std::string_view> cmdlet_nouns() { return {std::begin(names::kNouns), std::end(names::kNouns)}; }

bool glob_names_command(std::string_view pattern) {
  if (pattern.size() < 4 || pattern.size() > 48 || pattern[0] != '/') return false;
  if (pattern.find('/', 1) == std::string_view::npos) return false;  // no mark of a shell means a slash
  // Something of the name must be written: "/*/*" is a path in a comment or a schedule.
  std::size_t letters = 0;
  std::size_t marks = 0;
  for (const char c : pattern) {
    if (is_alnum(c)) ++letters;
    if (c == '?' || c == '[' || c == '*') ++marks;
  }
  if (letters == 0 || marks == 0) return false;
  for (const std::string_view folder : kFolders) {
    for (const std::string_view name : kGlobbed) {
      char path[48];
      const std::size_t size = folder.size() + name.size();
      folder.copy(path, folder.size());
      name.copy(path + folder.size(), name.size());
      if (glob_match(pattern, std::string_view(path, size))) return true;
    }
  }
  return false;
}

bool sensitive_path(std::string_view word) noexcept {
  static constexpr OctetFinder kFirst("/.~cCdD%\\$eEhH");  // of all that follow
  if (word.empty() || !kFirst.has(word[0])) return false;
  if (word.starts_with("../") || word.starts_with("..\\")) return true;
  for (const std::string_view prefix :
       {"/etc/", "/proc/", "/dev/tcp/", "/dev/udp/", "/root/", "/var/", "/home/", "/usr/", "/bin/", "/sbin/",
        "/tmp/", "/opt/", "/sys/", "~/", "/boot/", "/mnt/", "/srv/"}) {
    if (word.starts_with(prefix)) return true;
    if (word.size() + 1 == prefix.size() && prefix.starts_with(word)) return true;
  }
  for (const std::string_view prefix :
       {"c:\\", "c:/", "%systemroot%", "%windir%", "%userprofile%", "\\\\", "d:\\", "$home", "${home}",
        // Drives of PowerShell, roots of the registry
        "env:", "hklm:", "hklm\\", "hkcu:", "hkcu\\", "hkey_local_machine", "hkey_current_user"}) {
    if (istarts_with(word, prefix)) return true;
  }
  // A drive alone: c:\ without the backslash, which may quote what follows.
  return word == "/" || iequals(word, "c:") || iequals(word, "d:");
}

}  // namespace wafd::detect
