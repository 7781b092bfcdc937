#include "detect/analyze/shell_shape.h"

#include <algorithm>

#include "detect/analyze/shell_commands.h"
#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

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

// "black / white" and "1/2": a slash that is no path.
bool divides(const ShellCommand& command, std::size_t i) noexcept {
  const std::string_view text = command.words[i].text;
  if (text == "/") {
    if (i + 1 >= command.words.size()) return false;
    const std::string_view next = command.words[i + 1].text;
    return !next.empty() && std::string_view("-/.~$*").find(next[0]) == std::string_view::npos;
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 >= text.size()) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_digit(c) || c == '/' || c == '"' || c == '\''; });
}

}  // namespace

bool all_letters(std::string_view word) noexcept {
  while (!word.empty() &&
         (word.back() == ',' || word.back() == '.' || word.back() == ':' || word.back() == '?')) {
    word.remove_suffix(1);
  }
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_alpha(c) || octet(c) >= 0x80; });
}

Shape shape_of(const ShellCommand& command, std::size_t from) {
  Shape out;
  for (std::size_t i = from; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    const std::string_view text = word.text;
    ++out.words;
    if (text.empty() || divides(command, i)) continue;
    if (text.size() >= 2 && text[0] == '-' && (is_alnum(text[1]) || text[1] == '-')) {
      out.option = true;
      out.long_option = out.long_option || (text.size() > 3 && is_alpha(text[2]));
      continue;
    }
    if (text.size() == 2 && text[0] == '/' && is_alpha(text[1])) out.option = true;
    const bool slash = text.find_first_of("/\\") != std::string_view::npos;
    if (word.glob && slash) out.glob = true;
    if (sensitive_path(text)) out.sensitive = true;
    if (word.glob && text[0] == '/' && text.size() > 4 &&
        text.find_first_of("?*[", 1) != std::string_view::npos) {
      out.sensitive = true;
    }
    if (slash || text[0] == '.' || text[0] == '~') out.path = true;
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

bool prose_before(std::string_view text, std::size_t end) noexcept {
  const std::size_t begin = end > 160 ? end - 160 : 0;
  std::size_t run = 0;
  for (std::size_t at = begin; at < end;) {
    while (at < end && is_space(text[at])) ++at;
    const std::size_t word = at;
    while (at < end && !is_space(text[at])) ++at;
    if (word == at) break;
    const std::string_view one = text.substr(word, at - word);
    if (all_letters(one) && (command_kind(one) == CommandKind::kUnknown || is_ordinary_word(one))) {
      if (++run >= 3) return true;
    } else {
      run = 0;
    }
  }
  return false;
}

bool is_script_name(std::string_view word) noexcept {
  static constexpr WordSet kExtensions({"php",  "php3", "php4", "php5", "php7", "phtml", "phar", "jsp",
                                        "jspx", "asp",  "aspx", "ashx", "asmx", "cfm",   "sh",   "py",
                                        "pl",   "cgi",  "rb",   "bat",  "cmd",  "ps1",   "vbs",  "war"});
  const std::size_t dot = word.rfind('.');
  return dot != std::string_view::npos && dot > 0 && kExtensions.has(word.substr(dot + 1));
}

bool is_program_path(std::string_view word) noexcept {
  const std::size_t slash = word.find_last_of("/\\");
  if (slash == std::string_view::npos || slash + 1 >= word.size()) return false;
  const std::string_view folder = word.substr(0, slash);
  if (!std::all_of(word.begin() + static_cast<std::ptrdiff_t>(slash) + 1, word.end(), [](char c) {
        return is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '+' || c == '[';
      })) {
    return false;
  }
  for (const std::string_view programs :
       {"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/bin",
        "/system/bin", "/system/xbin", "/usr/libexec", "/snap/bin", "/opt/homebrew/bin", "/usr/xpg4/bin"}) {
    if (folder == programs) return true;
    if (folder == programs.substr(1) && command_kind(word) != CommandKind::kUnknown) return true;
  }
  std::string_view below = folder;
  if (below.size() > 3 && is_alpha(below[0]) && below[1] == ':') below.remove_prefix(3);
  for (const std::string_view programs : {"windows/system32", "windows/syswow64", "winnt/system32"}) {
    if (below.size() < programs.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < programs.size() && same; ++i) {
      same = programs[i] == '/' ? below[i] == '/' || below[i] == '\\' : to_lower(below[i]) == programs[i];
    }
    if (same) return true;
  }
  return false;
}

}  // namespace wafd::detect
