// Shell: POSIX sh and bash; separators, quoting, expansions that change nothing.
#include "tests/support/variations/text_tools.h"
#include "tests/support/variations/variations.h"

namespace wafd::variations {
namespace {

constexpr Types kCmd = bit(AttackType::kCmdInjection);

bool for_windows(std::string_view in) {
  return holds_any(in, {"cmd", "powershell", ".exe", "c:", "%", "dir", "iex", "type ", "-enc", "net ", "^"});
}
// Words of the grammar, where white space and separators cannot be swapped as between commands and arguments.
bool has_grammar(std::string_view in) {
  return holds_any(
      in, {"for ", "while ", "if ", "do ", "then", "() {", "<<", "{ ", "case ", "function", "\"", "'", "\n"});
}

constexpr std::string_view kSeparators = ";|&\n(`";

struct Words {
  std::size_t separator = 0;  // the last separator's byte; the command word begins at `command`
  std::size_t command = 0;
  std::size_t command_end = 0;
};

// The last separator that a lower-case command word follows.
bool find_command(std::string_view in, Words& out) {
  if (for_windows(in)) return false;
  for (std::size_t at = in.size(); at-- > 0;) {
    if (kSeparators.find(in[at]) == std::string_view::npos) continue;
    std::size_t begin = at + 1;
    while (begin < in.size() && in[begin] == ' ') ++begin;
    std::size_t end = begin;
    while (end < in.size() && is_lower(in[end])) ++end;
    if (end - begin < 2 ||
        (end < in.size() && std::string_view(" ;|&)`\n").find(in[end]) == std::string_view::npos))
      continue;
    for (const std::string_view word : {"if", "then", "do", "for", "while", "export", "echo"}) {
      if (in.substr(begin, end - begin) == word) return false;
    }
    out = {at, begin, end};
    return true;
  }
  return false;
}

bool in_command(std::string_view in, std::string_view with, std::string& out) {
  Words words;
  if (!find_command(in, words)) return false;
  out = in;
  out.insert(words.command + 1, with);
  return true;
}
bool single_quotes(std::string_view in, std::string& out) { return in_command(in, "''", out); }
bool double_quotes(std::string_view in, std::string& out) { return in_command(in, "\"\"", out); }
bool backslash(std::string_view in, std::string& out) { return in_command(in, "\\", out); }
bool empty_arguments(std::string_view in, std::string& out) { return in_command(in, "$@", out); }
bool empty_variable(std::string_view in, std::string& out) { return in_command(in, "${u}", out); }
bool empty_backticks(std::string_view in, std::string& out) { return in_command(in, "``", out); }

bool respace(std::string_view in, std::string_view with, std::string& out) {
  Words words;
  if (has_grammar(in) || !find_command(in, words)) return false;
  if (words.command_end >= in.size() || in[words.command_end] != ' ') return false;
  return replace_all(in.substr(words.command_end), " ", with, out) &&
         (out.insert(0, in.substr(0, words.command_end)), true);
}
bool ifs(std::string_view in, std::string& out) { return respace(in, "${IFS}", out); }
bool ifs_digit(std::string_view in, std::string& out) { return respace(in, "$IFS$9", out); }
bool tab(std::string_view in, std::string& out) { return respace(in, "\t", out); }

bool separate(std::string_view in, std::string_view with, std::string& out) {
  Words words;
  if (!find_command(in, words) || in[words.separator] != ';') return false;
  out =
      std::string(in.substr(0, words.separator)) + std::string(with) + std::string(in.substr(words.command));
  return true;
}
bool newline(std::string_view in, std::string& out) { return separate(in, "\n", out); }
bool pipe(std::string_view in, std::string& out) { return separate(in, "|", out); }
bool ampersand(std::string_view in, std::string& out) { return separate(in, "&", out); }
bool spaced(std::string_view in, std::string& out) { return separate(in, " ;  ", out); }

bool substitute(std::string_view in, std::string_view begin, std::string_view end, std::string& out) {
  Words words;
  if (has_grammar(in) || !find_command(in, words) ||
      std::string_view(";|").find(in[words.separator]) == std::string_view::npos)
    return false;
  if (in.find_first_of("`$()#", words.command) != std::string_view::npos) return false;
  std::size_t first = words.separator;
  while (first > 0 && std::string_view(";|& ").find(in[first - 1]) != std::string_view::npos) --first;
  out = std::string(in.substr(0, first)) + std::string(begin) + std::string(in.substr(words.command)) +
        std::string(end);
  return true;
}
bool dollar(std::string_view in, std::string& out) { return substitute(in, "$(", ")", out); }
bool backticks(std::string_view in, std::string& out) { return substitute(in, "`", "`", out); }

// Where the command lies on every system with a merged /usr.
bool with_path(std::string_view in, std::string_view prefix, std::string& out) {
  Words words;
  if (!find_command(in, words)) return false;
  const std::string_view command = in.substr(words.command, words.command_end - words.command);
  for (const std::string_view known :
       {"cat", "ls", "id", "uname", "whoami", "sleep", "ping", "wget", "curl", "bash", "sh"}) {
    if (command != known) continue;
    out = in;
    out.insert(words.command, prefix);
    return true;
  }
  return false;
}
bool bin(std::string_view in, std::string& out) { return with_path(in, "/bin/", out); }
bool usr_bin(std::string_view in, std::string& out) { return with_path(in, "/usr/bin/", out); }
bool glob(std::string_view in, std::string& out) {
  std::string path;
  if (!with_path(in, "/bin/", path)) return false;
  const std::size_t at = path.rfind("/bin/");
  if (path.substr(at + 5, 3) != "cat" && path.substr(at + 5, 4) != "curl") return false;
  out = path;
  out.replace(at, 7, "/b?n/" + path.substr(at + 5, 1) + "?");
  return true;
}
bool brace(std::string_view in, std::string& out) {
  Words words;
  if (has_grammar(in) || !find_command(in, words) || words.command_end >= in.size()) return false;
  const std::string_view rest = in.substr(words.command_end + 1);
  if (in[words.command_end] != ' ' || rest.find_first_of(";|&`$(){}<>,\n") != std::string_view::npos)
    return false;
  std::string list;
  replace_all(rest, " ", ",", list);
  out = std::string(in.substr(0, words.command)) + "{" +
        std::string(in.substr(words.command, words.command_end - words.command)) + "," + list + "}";
  return true;
}
bool redirect(std::string_view in, std::string& out) {
  return !for_windows(in) && replace_all(in, "cat /", "cat</", out);
}
bool file_glob(std::string_view in, std::string& out) {
  return replace_all(in, "/etc/passwd", "/etc/pass?d", out);
}
bool file_quotes(std::string_view in, std::string& out) {
  return in.find('\'') == std::string_view::npos && replace_all(in, "/etc/passwd", "/etc/pa'ss'wd", out);
}
bool followed(std::string_view in, std::string& out) {
  Words words;
  if (has_grammar(in) || !find_command(in, words) ||
      in.find_first_of("`$()#", words.separator + 1) != std::string_view::npos)
    return false;
  out = std::string(in) + " # end";
  return in[words.separator] != '(' && in[words.separator] != '`';
}
bool value_before(std::string_view in, std::string& out) {
  if (in.empty() || std::string_view(";|&").find(in[0]) == std::string_view::npos) return false;
  out = "192.0.2.7" + std::string(in);
  return true;
}

constexpr const char* kWord = "sh: a command word behind a separator";
constexpr const char* kSpace = "sh: commands with plain arguments";
constexpr const char* kSeparator = "sh: a semicolon between commands";
constexpr Variation kVariations[] = {
    {"sh c''at", kWord, kCmd, single_quotes},
    {"sh c\"\"at", kWord, kCmd, double_quotes},
    {"sh c\\at", kWord, kCmd, backslash},
    {"sh c$@at", kWord, kCmd, empty_arguments},
    {"sh c${u}at", "sh: a command word, where u is not set", kCmd, empty_variable},
    {"sh c``at", kWord, kCmd, empty_backticks},
    {"sh ${IFS}", kSpace, kCmd, ifs},
    {"sh $IFS$9", kSpace, kCmd, ifs_digit},
    {"sh tab", kSpace, kCmd, tab},
    {"sh newline for ;", kSeparator, kCmd, newline},
    {"sh | for ;", kSeparator, kCmd, pipe},
    {"sh & for ;", kSeparator, kCmd, ampersand},
    {"sh spaces around ;", kSeparator, kCmd, spaced},
    {"sh $(…)", kSpace, kCmd, dollar},
    {"sh `…`", kSpace, kCmd, backticks},
    {"sh /bin/", "commands of every system", kCmd, bin},
    {"sh /usr/bin/", "commands of every system", kCmd, usr_bin},
    {"sh /b?n/c?t", "commands of every system", kCmd, glob},
    {"sh {cat,file}", "bash: a command with plain arguments", kCmd, brace},
    {"sh cat<file", "sh", kCmd, redirect},
    {"sh file with ?", "sh", kCmd, file_glob},
    {"sh file with quotes", "sh", kCmd, file_quotes},
    {"sh comment behind", kSpace, kCmd, followed},
    {"sh value before", "sh: a value that the separator ends", kCmd, value_before},
};

}  // namespace

std::span<const Variation> shell_variations() { return kVariations; }

}  // namespace wafd::variations
