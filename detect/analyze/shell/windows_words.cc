#include "detect/analyze/shell/windows_words.h"

#include <algorithm>
#include <array>

#include "detect/analyze/shell/command_table.h"
#include "detect/analyze/shell/evidence_kinds.h"
#include "detect/core/bytes.h"
#include "detect/core/vocabulary.h"
#include "detect/core/word_set.h"

namespace wafd::detect::shell {
namespace {

constexpr std::size_t kMaxWords = 10;
constexpr std::size_t kMaxWordBytes = 256;
constexpr std::size_t kMaxVariableBytes = 32;
constexpr std::size_t kMaxNameBytes = 24;
constexpr std::size_t kMaxTypeBytes = 64;
constexpr std::size_t kMaxCalleeBytes = 96;

bool is_space_or_tab(char c) noexcept { return c == ' ' || c == '\t'; }

// The words of a line from `at` on, quotes kept.
struct Words {
  Words(std::string_view text, std::size_t at) noexcept {
    while (size < kMaxWords) {
      while (at < text.size() && is_space_or_tab(text[at])) ++at;
      const std::size_t begin = at;
      while (at < text.size() && !is_space(text[at]) && at - begin < kMaxWordBytes) ++at;
      if (at == begin || at - begin == kMaxWordBytes) break;
      items[size++] = text.substr(begin, at - begin);
    }
  }
  std::string_view operator[](std::size_t i) const noexcept {
    return i < size ? items[i] : std::string_view();
  }

  std::array<std::string_view, kMaxWords> items;
  std::size_t size = 0;
};

// if [/i] [not] exist f | defined v | errorlevel n | a==b | a equ b … command
bool is_condition(const Words& words) noexcept {
  static constexpr WordSet kTests({"exist", "defined", "errorlevel", "cmdextversion"});
  static constexpr WordSet kCompares({"equ", "neq", "lss", "leq", "gtr", "geq"});
  static constexpr WordSet kStatements(
      {"goto", "exit", "set", "call", "echo", "cmd", "rem", "if", "for", "..."});
  std::size_t at = 0;
  bool sure = iequals(words[0], "/i");
  if (sure) ++at;
  if (iequals(words[at], "not")) ++at;
  std::size_t behind = 0;
  const bool variable = words[at].find_first_of("%!") != std::string_view::npos;
  if (kTests.has(words[at])) {
    behind = at + 2;
  } else if (kCompares.has(words[at + 1])) {
    sure = true;
    behind = at + 3;
  } else if (words[at + 1] == "==") {
    sure = sure || variable;
    behind = at + 3;
  } else if (words[at].find("==") != std::string_view::npos &&
             words[at].find('(') == std::string_view::npos) {
    sure = sure || variable;
    behind = at + 1;
  }
  if (behind == 0 || behind >= words.size || words[behind - 1].ends_with(':')) return false;
  std::string_view command = words[behind];
  const bool group = command.starts_with('(');
  while (command.starts_with('@') || command.starts_with('(')) command.remove_prefix(1);
  while (command.ends_with(')')) command.remove_suffix(1);
  return sure || group || kStatements.has(command) || find_command(command).row != nullptr;
}

// for [/f "options"] %i in (
bool is_loop(const Words& words) noexcept {
  for (std::size_t i = 0; i + 2 < words.size; ++i) {
    if (words[i].size() >= 2 && words[i][0] == '%' && iequals(words[i + 1], "in") &&
        words[i + 2].starts_with('('))
      return true;
  }
  return false;
}

// "who" + 'ami' -> whoami; false if anything else stands between the strings.
bool join_strings(std::string_view text, Value& out) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at]) || text[at] == '+') {
      ++at;
      continue;
    }
    const std::size_t close =
        text[at] == '\'' || text[at] == '"' ? text.find(text[at], at + 1) : std::string_view::npos;
    if (close == std::string_view::npos) return false;
    out.append(text.substr(at + 1, close - at - 1));
    at = close + 1;
  }
  return true;
}

// The parenthesised operand of the call operator names a command.
bool names_command(std::string_view callee) noexcept {
  static constexpr WordSet kLookUps({"gcm", "get-command", "gal", "get-alias", "gi", "get-item"});
  const std::size_t begin = skip_space(callee, 0);
  const std::size_t end = std::min(callee.find_first_of(" \t\r\n", begin), callee.size());
  if (kLookUps.has(callee.substr(begin, end - begin))) return true;
  if (callee.find("{0}") != std::string_view::npos && callee.find("-f") != std::string_view::npos)
    return true;
  Value joined;
  return join_strings(callee, joined) && find_command(joined.view()).row != nullptr;
}

// At a parenthesis that opens: what is before it calls it.
bool is_called(std::string_view text, std::size_t open) noexcept {
  std::size_t sign = open;
  while (sign > 0 && open - sign < 4 && is_space_or_tab(text[sign - 1])) --sign;
  if (sign == 0 || (text[sign - 1] != '&' && text[sign - 1] != '.')) return false;
  --sign;
  // x.(y) and && are of other languages.
  return sign == 0 || is_space(text[sign - 1]) ||
         std::string_view(";|{(='\"&").find(text[sign - 1]) != std::string_view::npos;
}

// Invoke-Expression (…), New-Object Net.Sockets.TCPClient(…: a cmdlet whose argument is an expression.
// `begin` is that of the name right before the parenthesis at `open`.
bool calls_cmdlet(std::string_view text, std::size_t begin, std::size_t open) noexcept {
  const auto word_before = [&](std::size_t end) {
    std::size_t at = end;
    while (at > 0 && end - at < kMaxNameBytes && (is_alnum(text[at - 1]) || text[at - 1] == '-')) --at;
    return text.substr(at, end - at);
  };
  std::size_t name = begin;
  while (name > 0 && open - name < kMaxTypeBytes && (is_alnum(text[name - 1]) || text[name - 1] == '.'))
    --name;
  if (name == 0 || text[name - 1] != ' ') return false;
  const std::string_view cmdlet = word_before(name - 1);
  if (name != open) return iequals(cmdlet, "new-object");
  // see Get-Help (online): in a sentence a remark.
  const std::size_t before = text.find_last_not_of(" \t", name - 1 - cmdlet.size() - 1);
  const bool begins =
      name - 1 == cmdlet.size() ||
      (before != text.npos && std::string_view(";|&({=\n").find(text[before]) != std::string_view::npos);
  return begins && is_cmdlet(cmdlet);
}

}  // namespace

void append_windows_word(std::string_view spelled, Value& out) noexcept {
  // A longer one is no command.
  for (std::size_t i = 0; i < spelled.size() && out.view().size() <= kMaxVocabularyWordBytes; ++i) {
    const char c = spelled[i];
    if (c == '^' || c == '"' || c == '`') continue;
    if (c == '%') {
      const std::size_t close = spelled.substr(0, i + kMaxVariableBytes).find('%', i + 1);
      if (close != std::string_view::npos) {
        if (iequals(spelled.substr(i + 1, close - i - 1), "comspec")) out.append("cmd");
        i = close;
        continue;
      }
    }
    out.append(c);
  }
}

bool is_batch_statement(std::string_view text, std::size_t at) noexcept {
  const std::string_view rest = text.substr(at);
  const bool loop = istarts_with(rest, "for");
  const std::size_t size = loop ? 3 : 2;
  if ((!loop && !istarts_with(rest, "if")) || rest.size() <= size || !is_space_or_tab(rest[size]))
    return false;
  const Words words(rest, size);
  return loop ? is_loop(words) : is_condition(words);
}

void read_powershell(std::string_view text, EvidenceList& out) {
  static constexpr WordSet kMethods({"downloadstring", "downloadfile", "downloaddata", "downloadstringasync",
                                     "downloadfileasync", "frombase64string", "invokescript", "iex",
                                     "invoke-expression", "invoke-command"});
  for (std::size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && open - begin < kMaxNameBytes && (is_alnum(text[begin - 1]) || text[begin - 1] == '-'))
      --begin;
    // [System.Net.Dns]::GetHostAddresses(
    const bool of_class = begin > 3 && begin < open && text.substr(begin - 3, 3) == "]::";
    if (of_class || kMethods.has(text.substr(begin, open - begin))) {
      out.add(ShellEvidence::kPowershell, Certainty::kLikely, begin, open, text.substr(begin, open - begin));
      continue;
    }
    if (calls_cmdlet(text, begin, open)) {
      out.add(ShellEvidence::kPowershell, Certainty::kPossible, begin, open + 1,
              text.substr(begin, open - begin));
      continue;
    }
    if (begin != open || !is_called(text, open)) continue;
    const std::string_view behind = text.substr(open + 1, kMaxCalleeBytes);
    const std::size_t close = behind.find(')');
    if (close == std::string_view::npos || !names_command(behind.substr(0, close))) continue;
    out.add(ShellEvidence::kPowershell, Certainty::kLikely, open, open + close + 2, behind.substr(0, close));
  }
}

}  // namespace wafd::detect::shell
