#include "detect/analyze/shell/shell_forms.h"

#include <algorithm>

#include "detect/analyze/shell/command_table.h"
#include "detect/analyze/shell/evidence_kinds.h"
#include "detect/analyze/shell/paths.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd::detect::shell {
namespace {

constexpr std::size_t kMaxNameBytes = 32;
constexpr std::size_t kMaxBodyBytes = 256;
constexpr std::size_t kMaxPlaces = 64;
constexpr std::size_t kMaxTargetBytes = 64;
constexpr std::string_view kNone;
constexpr ByteFinder kSeparators(";|&`\n");
constexpr ByteFinder kWordEnds(" \t\r\n;|&<>\"'");

bool is_function_byte(char c) noexcept {
  return is_alnum(c) || std::string_view("_-.:").find(c) != kNone.npos;
}

bool all_digits(std::string_view text) noexcept {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// `rest`, behind a function's body, calls it.
bool calls(std::string_view rest, std::string_view name) noexcept {
  const std::size_t begin = rest.find_first_not_of(" \t\r\n;&");
  if (begin == rest.npos || rest.substr(0, begin).find_first_of(";&\n") == rest.npos) return false;
  rest.remove_prefix(begin);
  return rest.starts_with(name) && (rest.size() == name.size() || !is_function_byte(rest[name.size()])) &&
         !rest.substr(name.size()).starts_with('(');
}

// !!, !-2, ~+, ~-1: history and directory stack of an interactive shell.
bool is_interactive(std::string_view value) noexcept {
  if (value.size() < 2) return false;
  if (value[0] == '!')
    return value == "!!" || value == "!$" || value == "!*" || value == "!^" ||
           (value[1] == '-' && value.size() > 2 && is_digit(value[2]));
  if (value[0] != '~') return false;
  return value == "~+" || value == "~-" || value == "~root" || all_digits(value.substr(1)) ||
         ((value[1] == '+' || value[1] == '-') && all_digits(value.substr(2)));
}

// $((1+1)), $[1+1]
bool is_arithmetic(std::string_view value) noexcept {
  const bool round = value.starts_with("$((") && value.ends_with("))");
  const bool square = value.starts_with("$[") && value.ends_with(']');
  return square ? value.size() == 3 || value.find_first_of("+-*/%$", 2) != value.npos
                : round && value.find_first_of("+-*/%$", 3) != value.npos;
}

// The path, with ? or [..] in it, is that of a program or of a file that attackers ask for.
bool names_by_pattern(std::string_view path) noexcept {
  if (!path.starts_with('/') || path.find_first_of("?[*") == path.npos) return false;
  // /usr/bin/*, /*/*: routes and rules are written so. Of a file's own name letters stand beside the star.
  const bool stars = path.find_first_of("?[") == path.npos;
  const auto letters = std::count_if(path.begin(), path.end(), is_alpha);
  if (stars ? letters < 5 || path.ends_with('*') : glob_names_program(path)) return !stars;
  for (const std::string_view file : {"/etc/passwd", "/etc/shadow", "/etc/group", "/etc/hosts"}) {
    if (glob_match(path, file)) return true;
  }
  return false;
}

}  // namespace

// ;c$$at, |wh$@oami: what expands inside of a word stands there to hide it. US$$, $5, and tokens whose
// alphabet has the sign are none.
void read_torn_words(std::string_view text, EvidenceList& out) {
  if (text.find('$') == text.npos) return;
  const std::size_t separator = kSeparators.find(text, 0);
  if (separator == text.size()) return;
  std::size_t looked = 0;
  for (std::size_t at = text.find('$', separator); at != text.npos && ++looked < kMaxPlaces;
       at = text.find('$', at + 1)) {
    if (at + 2 >= text.size() || !is_lower(text[at - 1]) || !is_lower(text[at + 2])) continue;
    if (std::string_view("$@*").find(text[at + 1]) == kNone.npos) continue;
    std::size_t begin = at;
    while (begin > separator && at - begin <= kMaxNameBytes &&
           (is_lower(text[begin - 1]) || text[begin - 1] == '/'))
      --begin;
    if (at - begin > kMaxNameBytes || std::string_view(";|&`\n /").find(text[begin - 1]) == kNone.npos)
      continue;
    out.add(ShellEvidence::kExpansion, Certainty::kLikely, begin, at + 3, text.substr(begin, at + 3 - begin));
    return;
  }
}

void read_functions(std::string_view text, EvidenceList& out) {
  std::size_t looked = 0;
  for (std::size_t open = text.find("()"); open != text.npos && ++looked < kMaxPlaces;
       open = text.find("()", open + 2)) {
    const std::size_t brace = skip_space(text, open + 2);
    if (brace >= text.size() || (text[brace] != '{' && text[brace] != '(')) continue;
    const char end = text[brace] == '{' ? '}' : ')';  // the body may be a group, too
    std::size_t begin = open;
    while (begin > 0 && open - begin < kMaxNameBytes && is_function_byte(text[begin - 1])) --begin;
    const std::string_view name = text.substr(begin, open - begin);
    const std::string_view body = text.substr(brace + 1, kMaxBodyBytes);
    const std::size_t close = body.find(end);
    const std::string_view behind = close == body.npos ? kNone : text.substr(brace + 1 + close + 1);
    if (name.empty()) {
      if (end == ')') continue;
      const bool first = text.find_first_not_of(" \t\"'") == open;
      if (first && (close == body.npos || behind.find_first_not_of(" \t;)\"'") != behind.npos))
        out.add(ShellEvidence::kFunctionImport, Certainty::kCertain, open, text.size());
      continue;
    }
    if (close == body.npos) continue;
    const std::string_view inside = body.substr(0, close);
    const bool bomb = inside.find('|') != inside.npos && inside.find('&') != inside.npos &&
                      inside.find(name) != inside.npos;
    const bool called = calls(behind, name);
    if (called || bomb)
      out.add(ShellEvidence::kFunction,
              bomb || inside.find('(') == inside.npos ? Certainty::kLikely : Certainty::kPossible, begin,
              text.size(), name);
  }
}

void read_network(std::string_view text, EvidenceList& out) {
  if (text.find('<') == text.npos && text.find('>') == text.npos) return;
  for (const std::string_view mark : {"/tcp/", "/udp/"}) {
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
      const std::size_t from = at > kMaxTargetBytes ? at - kMaxTargetBytes : 0;
      const std::string_view before = text.substr(from, at - from);
      const std::size_t sign = before.find_last_of("<>");
      if (sign == before.npos) continue;
      const std::string_view target =
          before.substr(std::min(before.find_first_not_of("<>& \t", sign), before.size()));
      if (!istarts_with(target, "/dev") && !target.starts_with('$')) continue;
      if (target.find_first_of(" \t\n;") != target.npos) continue;
      out.add(ShellEvidence::kNetwork, Certainty::kCertain, from + sign, at + mark.size(),
              text.substr(from + sign, kMaxTargetBytes));
    }
  }
}

void read_whole(std::string_view text, EvidenceList& out) {
  std::string_view value = trim_space(text);
  if (value.size() > 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
    value = value.substr(1, value.size() - 2);
  if (value.size() < 2 || value.size() > 256) return;
  // Of the mysql client
  const std::string_view escaped = value.substr(std::min(value.find_first_not_of(' ', 2), value.size()));
  if (value.starts_with("\\!") &&
      find_command(escaped.substr(0, escaped.find_first_of(" \t;"))).row != nullptr)
    out.add(ShellEvidence::kClientCommand, Certainty::kLikely, 0, text.size(), value);
  if (value == "$IFS" || (value.starts_with("${IFS") && value.find('}') == value.size() - 1))
    out.add(ShellEvidence::kSplitWord, Certainty::kCertain, 0, text.size(), value);
  // A repository of git whose remote helper is a command (gitremote-helpers(7))
  if (value.starts_with("ext::") &&
      find_command(value.substr(5, value.find_first_of(" \t", 5) - 5)).row != nullptr)
    out.add(ShellEvidence::kOption, Certainty::kLikely, 0, text.size(), value);
  if (is_interactive(value) || is_arithmetic(value))
    out.add(ShellEvidence::kExpansion, Certainty::kLikely, 0, text.size(), value);
  const std::size_t blank = kWordEnds.find(value, 0);
  const std::string_view word = value.substr(0, blank);
  const bool relative =
      (istarts_with(word, "bin/") || istarts_with(word, "usr/bin/") || istarts_with(word, "sbin/"));
  if (blank == value.size() && (is_program_path(word) || relative)) {
    const CommandRow* row = find_command(word).row;
    // An interpreter does nothing without a program: accounts, containers and terminals are set to it.
    const Certainty certainty = row == nullptr                       ? Certainty::kPossible
                                : row->family == Family::kInterprets ? Certainty::kLikely
                                                                     : Certainty::kCertain;
    if (row != nullptr || !relative) out.add(ShellEvidence::kProgramPath, certainty, 0, text.size(), word);
  }
  // /etc/pass[w]d, /bi[n]/bash
  if (blank == value.size() && names_by_pattern(word))
    out.add(ShellEvidence::kHidden, Certainty::kLikely, 0, text.size(), word);
  // x=id>a.php
  const std::size_t last = value.rfind('>');
  if (last != value.npos && last > 1 &&
      is_script_name(value.substr(std::min(value.find_first_not_of(" >", last), value.size())))) {
    std::size_t begin = value.find_last_not_of(" >", last);
    const std::size_t end = begin == value.npos ? 0 : begin + 1;
    begin = end;
    while (begin > 0 && is_alnum(value[begin - 1])) --begin;
    if (value.find('<') == value.npos && find_command(value.substr(begin, end - begin)).row != nullptr)
      out.add(ShellEvidence::kRedirect, Certainty::kLikely, 0, text.size(), value.substr(begin));
  }
  // > /tmp/x, 2>&1 >x.php
  const std::size_t sign = value.find_first_not_of("0123456789&");
  if (sign == value.npos || value[sign] != '>' || sign > 1) return;
  const std::size_t begin = value.find_first_not_of(">&| \t", sign);
  if (begin == value.npos) return;
  const std::string_view target = value.substr(begin, value.find_first_of(" \t\r\n;|&<>\"'", begin) - begin);
  const Path path = path_kind(target);
  const bool system =
      target.size() > 2 && target[0] == '/' && (path == Path::kRooted || path == Path::kSecret);
  if (system || (is_script_name(target) && begin + target.size() == value.size()))
    out.add(ShellEvidence::kRedirect, Certainty::kLikely, 0, text.size(), target);
}

}  // namespace wafd::detect::shell
