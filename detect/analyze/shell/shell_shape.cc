#include "detect/analyze/shell/shell_shape.h"

#include <algorithm>

#include "detect/analyze/shell/shell_commands.h"
#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kProseBytes = 160;  // before a place

bool address_like(std::string_view word) noexcept {
  if (const std::size_t scheme = word.find("://"); scheme != std::string_view::npos && scheme > 0)
    return true;
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
    if (i + 1 >= command.words.size()) {
      // "Tablet 10" set / #ff8800": to a shell, a colour is a comment.
      const bool chained =
          command.before != ShellOperator::kStart &&
          !(command.before == ShellOperator::kAmpersand && command.space_before && command.space_after);
      return command.colour_after && !chained && is_ordinary_word(command.words[0].text);
    }
    const std::string_view next = command.words[i + 1].text;
    return !next.empty() && std::string_view("-/.~$*").find(next[0]) == std::string_view::npos;
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 >= text.size()) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_digit(c) || c == '/' || c == '"' || c == '\''; });
}

// Letters or digits, or what a shell puts in their place: "-_-" is no option, ":/" and "._." are no paths.
bool says_something(const ShellWord& word) noexcept {
  return word.expands || std::any_of(word.text.begin(), word.text.end(), is_alnum);
}

// "-x", "--word", "-$x"
bool is_option(const ShellWord& word) noexcept {
  return word.text.size() >= 2 && word.text[0] == '-' && says_something(word);
}

// "/", "..", "~/", "..\..": folders, but not an ellipsis.
bool is_folder(std::string_view text) noexcept {
  if (text.starts_with('~')) text.remove_prefix(1);
  return text.find_first_not_of("./\\") == std::string_view::npos &&
         text.find("...") == std::string_view::npos;
}

// "o/", "\o/", "/o\": arms that wave.
bool waves(std::string_view text) noexcept {
  const auto slash = [](char c) { return c == '/' || c == '\\'; };
  if (text.size() < 2 || text.size() > 3 || !slash(text.back()) || text.front() == text.back()) return false;
  return text[1] != ':' && text[0] != '.' && text[0] != '~';
}

bool can_be_path(const ShellWord& word) noexcept {
  if (word.glob || word.expands || is_folder(word.text)) return true;
  return says_something(word) && !waves(word.text);
}

// "cat < file", but not "I broke it </3": a heart is no file.
bool can_be_file(const ShellWord& word) noexcept {
  if (word.expands || is_folder(word.text)) return true;
  const std::size_t name = word.text.find_first_not_of('/');
  if (name > 0 && is_digit(word.text[name])) return false;
  return word.glob || std::any_of(word.text.begin(), word.text.end(), is_alpha);
}

// What one argument says.
void count(const ShellWord& word, Shape& out) noexcept {
  const std::string_view text = word.text;
  if (text.empty()) return;
  if (is_option(word)) {
    out.option = true;
    out.long_option = out.long_option || (text.size() > 3 && is_alpha(text[2]));
    return;
  }
  if (text.size() == 2 && text[0] == '/' && is_alpha(text[1])) out.option = true;
  static constexpr OctetFinder kSlashes("/\\");
  const bool slash = kSlashes.find(text, 0) < text.size();
  if (word.glob && slash) out.glob = true;
  if (sensitive_path(text)) out.sensitive = true;
  if (word.glob && text[0] == '/' && text.size() > 4 &&
      text.find_first_of("?*[", 1) != std::string_view::npos) {
    out.sensitive = true;
  }
  if ((slash || text[0] == '.' || text[0] == '~') && can_be_path(word)) out.path = true;
  if (text[0] == '/' && text.find('/', 1) != std::string_view::npos &&
      text.find("//") == std::string_view::npos) {
    out.absolute = true;
  }
  if (address_like(text)) out.address = true;
  if (is_digit(text[0]) && !word.input) out.number = true;
  if (word.expands) out.expands = true;
  if (all_letters(text)) ++out.plain;
}

// A plus too: a form as it was sent.
bool ends_word(char c) noexcept { return is_space(c) || c == '+'; }

// A word as prose has it, without the punctuation around it; empty if it is none: "Don't", "server!", "(see".
std::string_view prose_word(std::string_view word) noexcept {
  const auto opens = [](char c) { return c == '(' || c == '"' || c == '\''; };
  const auto closes = [](char c) {
    return c == '.' || c == ',' || c == ':' || c == '?' || c == '!' || c == ')' || c == '"' || c == '\'';
  };
  while (!word.empty() && opens(word.front())) word.remove_prefix(1);
  while (!word.empty() && closes(word.back())) word.remove_suffix(1);
  const auto letter = [](char c) { return is_alpha(c) || octet(c) >= 0x80; };
  if (word.empty() || !letter(word.front()) || !letter(word.back())) return {};
  return std::all_of(word.begin(), word.end(), [&](char c) { return letter(c) || c == '\''; })
             ? word
             : std::string_view();
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
    ++out.words;
    if (!divides(command, i)) count(command.words[i], out);
  }
  for (const ShellWord& target : command.targets) {
    if (!target.input || !can_be_file(target)) continue;
    ++out.words;
    count(target, out);
  }
  return out;
}

namespace {

// Calls visit(whether it is one of prose) for each word, until that says true.
template <class Visit>
bool until_word(std::string_view text, const Visit& visit) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && ends_word(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && !ends_word(text[at])) ++at;
    if (begin == at) break;
    const std::string_view word = prose_word(text.substr(begin, at - begin));
    if (visit(!word.empty() && (command_kind(word) == CommandKind::kUnknown || is_ordinary_word(word))))
      return true;
  }
  return false;
}

}  // namespace

bool has_prose(std::string_view text) noexcept {
  std::size_t run = 0;
  return until_word(text, [&run](bool of_prose) {
    run = of_prose ? run + 1 : 0;
    return run >= 3;
  });
}

std::size_t prose_words(std::string_view text) noexcept {
  std::size_t count = 0;
  until_word(text, [&count](bool of_prose) {
    count += of_prose ? 1 : 0;
    return false;
  });
  return count;
}

bool prose_before(std::string_view text, std::size_t end) noexcept {
  const std::size_t begin = end > kProseBytes ? end - kProseBytes : 0;
  return has_prose(text.substr(begin, end - begin));
}

bool is_secret_file(std::string_view word) noexcept {
  for (const std::string_view file :
       {"/etc/passwd", "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/master.passwd", "/proc/self/",
        "/.ssh/id_rsa", "/.ssh/id_ed25519", "/.aws/credentials", "_history", "win.ini", "boot.ini",
        "config/sam", "config\\sam"}) {
    const std::size_t at = ifind(word, file);
    if (at == std::string_view::npos) continue;
    // The public half of a key is no secret.
    return !word.ends_with(".pub");
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
  std::size_t name = word.size();
  while (name > 0 && word[name - 1] != '/' && word[name - 1] != '\\') --name;
  if (name == 0 || name == word.size()) return false;
  const std::string_view folder = word.substr(0, name - 1);
  if (!std::all_of(word.begin() + static_cast<std::ptrdiff_t>(name), word.end(), [](char c) {
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
