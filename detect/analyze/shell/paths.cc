#include "detect/analyze/shell/paths.h"

#include <algorithm>
#include <array>
#include <span>

#include "detect/analyze/shell/command_table.h"
#include "detect/analyze/shell/secret_files.tsv.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::shell {
namespace {

constexpr std::size_t kMaxPathBytes = 256;
constexpr ByteFinder kSlashes("/\\");
constexpr ByteFinder kMarks("?*[");

constexpr std::array<std::string_view, 14> kProgramFolders{
    "/bin",          "/sbin",     "/usr/bin",     "/usr/sbin",   "/usr/local/bin", "/usr/local/sbin",
    "/opt/bin",      "/snap/bin", "/usr/libexec", "/system/bin", "/system/xbin",   "/opt/homebrew/bin",
    "/usr/xpg4/bin", "/busybox"};
constexpr std::array<std::string_view, 3> kWindowsFolders{"windows/system32", "windows/syswow64",
                                                          "winnt/system32"};
// Where paths of Windows begin, beside drives: shares, variables, drives of PowerShell, roots of the
// registry.
constexpr std::array<std::string_view, 14> kWindowsRoots{"\\\\",
                                                         "%systemroot%",
                                                         "%windir%",
                                                         "%userprofile%",
                                                         "%systemdrive%",
                                                         "%temp%",
                                                         "%appdata%",
                                                         "env:",
                                                         "$env:",
                                                         "hklm\\",
                                                         "hkcu\\",
                                                         "hklm:",
                                                         "hkey_local_machine",
                                                         "hkey_current_user"};

bool has_letter_or_digit(std::string_view word) noexcept {
  return std::any_of(word.begin(), word.end(), is_alnum);
}

// c:\x, c:/x, and c: alone
bool begins_drive(std::string_view word) noexcept {
  return word.size() >= 2 && is_alpha(word[0]) && word[1] == ':' &&
         (word.size() == 2 || word[2] == '\\' || word[2] == '/');
}

bool is_rooted(std::string_view word) noexcept {
  if (word == "/" || word == "~" || word == ".." || word.starts_with("~/") || word.starts_with("../") ||
      word.starts_with("..\\") || begins_drive(word))
    return true;
  // Neither a comment nor a scheme's rest.
  if (word[0] == '/' && word.size() > 1 && word[1] != '/' && word[1] != '*') {
    return is_alpha(word[1]) || word[1] == '.' || word[1] == '_' || kMarks.has(word[1]) || word[1] == '{';
  }
  return std::any_of(kWindowsRoots.begin(), kWindowsRoots.end(),
                     [word](std::string_view root) { return istarts_with(word, root); });
}

bool is_secret(std::string_view word) noexcept {
  if (word.ends_with(".pub")) return false;  // the public half of a key
  return std::any_of(std::begin(kSecretFiles), std::end(kSecretFiles),
                     [word](const Word& file) { return ifind(word, file.text) != std::string_view::npos; });
}

// Of [..] at `at`: whether `c` is in it; `end` is behind it. False with end = at if nothing closes it.
bool in_brackets(std::string_view pattern, std::size_t at, char c, std::size_t& end) noexcept {
  std::size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool in = false;
  const std::size_t first = i;
  while (i < pattern.size() && (pattern[i] != ']' || i == first)) {
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      in = in || (byte(pattern[i]) <= byte(c) && byte(c) <= byte(pattern[i + 2]));
      i += 3;
    } else {
      in = in || pattern[i] == c;
      ++i;
    }
  }
  end = i < pattern.size() ? i + 1 : at;
  return end != at && in != negated && c != '/';
}

bool is_program_path_with_single_slashes(std::string_view word) noexcept {
  std::array<char, kMaxPathBytes> path;
  std::size_t size = 0;
  for (const char c : word.substr(0, path.size())) {
    if (c == '/' && size > 0 && path[size - 1] == '/') continue;
    path[size++] = c;
  }
  return is_program_path({path.data(), size});
}

// Without "/./" and "//", which change nothing of a path (POSIX.1-2017 XBD 4.13).
std::string_view without_dots(std::string_view path, std::span<char> out) noexcept {
  std::size_t size = 0;
  for (std::size_t i = 0; i < path.size() && size < out.size(); ++i) {
    if (path[i] == '/' && i + 1 < path.size() && path[i + 1] == '/') continue;
    if (path[i] == '/' && path.substr(i + 1).starts_with("./")) {
      ++i;
      continue;
    }
    out[size++] = path[i];
  }
  return {out.data(), size};
}

}  // namespace

Path path_kind(std::string_view word) noexcept {
  count_steps(40 + (word.size() < kMaxPathBytes ? word.size() : kMaxPathBytes));
  if (word.empty() || word.size() > kMaxPathBytes) return Path::kNone;
  if (word == ".") return Path::kRelative;
  const bool slash = kSlashes.find(word, 0) < word.size();
  const bool rooted = is_rooted(word);
  if (!slash && !rooted)
    return word.starts_with('~') && word.size() > 1 && is_lower(word[1]) ? Path::kRooted : Path::kNone;
  if (word.find("://") != std::string_view::npos) return Path::kNone;
  if (is_secret(word)) return Path::kSecret;
  if (rooted) return Path::kRooted;
  return has_letter_or_digit(word) || kMarks.find(word, 0) < word.size() ? Path::kRelative : Path::kNone;
}

std::size_t last_slash(std::string_view word) noexcept {
  std::size_t at = word.size();
  while (at > 0 && !kSlashes.has(word[at - 1])) --at;
  return at - 1;  // npos if there is none
}

bool is_program_path(std::string_view word) noexcept {
  // /usr//bin/id, //bin/id: slashes beside each other are one (POSIX.1-2017 XBD 4.13)
  if (word.find("//") < 16) return is_program_path_with_single_slashes(word);
  const std::size_t slash = last_slash(word);
  if (slash == std::string_view::npos || slash + 1 >= word.size() ||
      !has_letter_or_digit(word.substr(slash + 1)))
    return false;
  std::string_view folder = word.substr(0, slash);
  if (std::find(kProgramFolders.begin(), kProgramFolders.end(), folder) != kProgramFolders.end()) return true;
  if (begins_drive(folder)) folder.remove_prefix(std::min<std::size_t>(3, folder.size()));
  return std::any_of(kWindowsFolders.begin(), kWindowsFolders.end(), [folder](std::string_view one) {
    return folder.size() == one.size() &&
           std::equal(folder.begin(), folder.end(), one.begin(),
                      [](char a, char b) { return (a == '\\' ? '/' : to_lower(a)) == b; });
  });
}

bool is_script_name(std::string_view word) noexcept {
  static constexpr WordSet kExtensions({"php",  "php3", "php4", "php5", "php7", "phtml", "phar", "jsp",
                                        "jspx", "asp",  "aspx", "ashx", "asmx", "cfm",   "sh",   "py",
                                        "pl",   "cgi",  "rb",   "bat",  "cmd",  "ps1",   "vbs",  "war"});
  const std::size_t dot = word.rfind('.');
  return dot != std::string_view::npos && dot > 0 && kExtensions.has(word.substr(dot + 1));
}

std::size_t behind_brackets(std::string_view pattern, std::size_t at) noexcept {
  std::size_t end = at;
  in_brackets(pattern, at, 'a', end);
  return end;
}

bool glob_match(std::string_view pattern, std::string_view text) noexcept {
  count_steps(10 + pattern.size() + text.size());
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    std::size_t step = 1;
    bool same = false;
    if (p < pattern.size()) {
      if (pattern[p] == '*') {
        star = p++;
        mark = t;
        continue;
      }
      std::size_t end = p;
      if (pattern[p] == '[' && (same = in_brackets(pattern, p, text[t], end), end != p)) {
        step = end - p;
      } else {
        same = pattern[p] == '?' ? text[t] != '/' : pattern[p] == text[t];
      }
    }
    if (same) {
      p += step;
      ++t;
    } else if (star != std::string_view::npos && text[mark] != '/') {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool is_program_pattern(std::string_view pattern) noexcept {
  return pattern.starts_with('/') && pattern.size() <= kMaxPathBytes && pattern.rfind('/') != 0 &&
         kMarks.find(pattern, 0) != pattern.size();
}

bool glob_names_program(std::string_view pattern) noexcept {
  if (!is_program_pattern(pattern)) return false;
  std::array<char, kMaxPathBytes> plain;
  pattern = without_dots(pattern, plain);
  const std::size_t slash = pattern.rfind('/');
  const std::string_view folder = pattern.substr(0, slash);
  const std::string_view name = pattern.substr(slash + 1);
  // Something of the name or the folder must be written: "/*/*" is a pattern of paths.
  if (!has_letter_or_digit(pattern))
    return pattern.find_first_not_of("/?") == std::string_view::npos && name.size() > 1;
  const bool programs = std::any_of(kProgramFolders.begin(), kProgramFolders.end(),
                                    [folder](std::string_view one) { return glob_match(folder, one); });
  if (!programs) return false;
  if (kMarks.find(name, 0) == name.size()) return commands().find(name) != nullptr;
  static constexpr ByteFinder kNameBytes(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-*?[]!^");
  if (kNameBytes.find_other(name, 0) != name.size()) return false;
  return pattern_names_command(name);
}

}  // namespace wafd::detect::shell
