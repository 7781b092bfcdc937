#include "detect/analyze/shell/shell_tricks.h"

#include "detect/analyze/shell/shell_commands.h"
#include "detect/analyze/shell/shell_shape.h"
#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect::cmd {
namespace {

constexpr std::size_t kMaxFunctionName = 32;
constexpr std::size_t kMaxExpansion = 64;
constexpr std::size_t kMaxPlaces = 256;  // of one kind in one text

constexpr OctetFinder kStatementEnds(";\r\n");

bool name_char(char c) noexcept { return is_alnum(c) || c == '_'; }

std::size_t skip_spaces(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// () { :;}; command: bash up to 4.3 ran what follows the function (CVE-2014-6271). name() { ...; }; name: a
// function that is called where it is defined, a fork bomb if it calls itself.
void read_functions(Report& out) {
  const std::string_view text = out.text();
  std::size_t looked = 0;
  for (std::size_t open = text.find("()"); open != std::string_view::npos && ++looked < kMaxPlaces;
       open = text.find("()", open + 2)) {
    const std::size_t brace = skip_spaces(text, open + 2);
    if (brace >= text.size() || text[brace] != '{') continue;
    std::size_t begin = open;
    while (begin > 0 && open - begin < kMaxFunctionName &&
           (name_char(text[begin - 1]) || text[begin - 1] == '-' || text[begin - 1] == '.' ||
            text[begin - 1] == ':')) {
      --begin;
    }
    const std::string_view name = text.substr(begin, open - begin);
    const std::size_t close = text.find('}', brace);
    if (name.empty()) {
      const bool first = text.find_first_not_of(" \t\"'") == open;
      const bool runs = close != std::string_view::npos &&
                        text.find_first_not_of(" \t;", close + 1) != std::string_view::npos;
      if (first && (runs || close == std::string_view::npos)) {
        out.add(kFunctionImport, open, text.size(),
                "A function definition with code behind it, which old bash runs.");
      }
      continue;
    }
    if (close == std::string_view::npos) continue;
    const std::string_view body = text.substr(brace + 1, close - brace - 1);
    const bool bomb = body.find('|') != std::string_view::npos && body.find('&') != std::string_view::npos &&
                      body.find(name) != std::string_view::npos;
    const std::size_t behind = text.find_first_not_of(" \t\r\n;&", close + 1);
    const bool apart =
        behind != std::string_view::npos &&
        text.substr(close + 1, behind - close - 1).find_first_of(";&\n") != std::string_view::npos;
    const std::string_view rest = apart ? text.substr(behind) : std::string_view();
    const bool called = rest.starts_with(name) &&
                        (rest.size() == name.size() ||
                         std::string_view(" \t\r\n;|&").find(rest[name.size()]) != std::string_view::npos);
    if (bomb) {
      out.add(kFunction, begin, text.size(),
              "A shell function that starts itself again and again: a fork bomb.");
    } else if (called && body.find('(') == std::string_view::npos) {
      const bool script = out.weighs_less(begin, Harm::kNone);
      out.add(script ? kExpansion : kFunction, begin, text.size(), "A shell function is defined and called.");
    }
  }
}

// ${PATH:0:1}, ${IFS}, $IFS$9, $((1+1)), $[1+1]
void read_expansions(Report& out) {
  const std::string_view text = out.text();
  std::size_t looked = 0;
  for (std::size_t at = text.find('$'); at != std::string_view::npos && ++looked < kMaxPlaces;
       at = text.find('$', at + 1)) {
    const std::string_view rest = text.substr(at + 1, kMaxExpansion);
    const bool brace = rest.starts_with('{');
    std::size_t end = brace ? 1 : 0;
    const std::size_t begin = end;
    while (end < rest.size() && name_char(rest[end])) ++end;
    const std::string_view name = rest.substr(begin, end - begin);
    const char next = end < rest.size() ? rest[end] : '\0';
    if (istarts_with(name, "ifs") && (name.size() == 3 || (!brace && is_digit(name[3])))) {
      out.add(kDisguised, at, at + 1 + end, "$IFS stands in place of spaces.");
    } else if (brace && !name.empty() && next == ':' && end + 1 < rest.size() && is_digit(rest[end + 1])) {
      const bool script = out.weighs_less(at, Harm::kNone);
      out.add(script ? kExpansion : kDisguised, at, at + end + 3,
              "Characters are cut out of a shell variable, to spell what filters look for.");
    } else if (rest.starts_with("((") || rest.starts_with('[')) {
      // The whole value computes: no price, selector or template does it this way.
      const bool whole = at == 0 && (text.ends_with("))") || text.ends_with(']'));
      const bool sums = rest.find_first_of("+-*/%$") != std::string_view::npos || rest == "[]";
      if (whole && sums)
        out.add(kExpansion, at, text.size(), "The value is arithmetic that a shell would expand.");
    }
  }
}

// Of these only '}' ends a list of words; a URL may be among them.
constexpr std::string_view kEndsList = "} \t\n:;({";

// {cat,/etc/passwd}, {,id}: a list in braces that becomes a command with its arguments.
void read_brace_list(Report& out) {
  const std::string_view text = out.text();
  std::size_t looked = 0;
  for (std::size_t open = text.find('{'); open != std::string_view::npos && ++looked < kMaxPlaces;
       open = text.find('{', open + 1)) {
    if (open > 0 && text[open - 1] == '$') continue;
    const std::size_t before = text.find_last_not_of(" \t", open == 0 ? 0 : open - 1);
    const bool begins = open == 0 || before == std::string_view::npos ||
                        std::string_view(";|&`\n(").find(text[before]) != std::string_view::npos;
    if (!begins) continue;
    const std::string_view rest = text.substr(open + 1, 256);
    std::size_t end = rest.find_first_of(kEndsList);
    while (end != std::string_view::npos && rest.substr(end).starts_with("://"))
      end = rest.find_first_of(kEndsList, end + 1);
    if (end == std::string_view::npos || rest[end] != '}') continue;
    std::string_view list = rest.substr(0, end);
    if (list.find(',') == std::string_view::npos) continue;
    std::size_t from = 0;
    while (from < list.size() &&
           (list[from] == ',' || list[from] == '"' || list[from] == '\'' || list[from] == '$'))
      ++from;
    std::string_view first = list.substr(from, list.find_first_of(",\"'", from) - from);
    std::pmr::string bare(out.findings().memory);
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i] == '\\') continue;
      if (first[i] == '$') {  // an unset variable
        while (i + 1 < first.size() && name_char(first[i + 1])) ++i;
        continue;
      }
      bare.push_back(first[i]);
    }
    const CommandKind kind = command_kind(bare);
    if (kind == CommandKind::kUnknown || kind == CommandKind::kKeyword || kind == CommandKind::kStatement)
      continue;
    // {id,name} is a selection of fields; an empty element, a path or an option is none.
    const bool odd = list.starts_with(',') || list.ends_with(',') || bare.size() != first.size() ||
                     list.find_first_of("/-\\$#.") != std::string_view::npos || !is_ordinary_word(bare);
    if (!odd) continue;
    out.add(kDisguised, open, open + 2 + end, "A list in braces becomes a command with its arguments.");
    return;
  }
}

// !!, !-2, ~+, ~-1: history and directory stack of an interactive shell, as the whole value.
void read_interactive(Report& out) {
  const std::string_view value = trim(out.text());
  if (value.size() < 2 || value.size() > 32) return;
  const auto digits = [&](std::size_t at) {
    return at < value.size() && value.find_first_not_of("0123456789", at) == std::string_view::npos;
  };
  const bool stack = value[0] == '~' && (value == "~+" || value == "~-" || digits(1) ||
                                         ((value[1] == '+' || value[1] == '-') && digits(2)));
  const bool history =
      value[0] == '!' && (value == "!!" || (value[1] == '-' && value.size() > 2 && is_digit(value[2])));
  if (stack || history) {
    out.add(kExpansion, 0, out.text().size(),
            stack ? "The value names an entry of a shell's directory stack."
                  : "The value recalls a command of a shell's history.");
  }
}

// .shell id (sqlite3), \! id (psql, mysql), :!id (vim): at the beginning or behind a line end or semicolon.
void read_client_commands(Report& out) {
  static constexpr WordSet kDot({"shell", "system", "import", "load",    "once", "excel", "output",
                                 "log",   "trace",  "sh",     "open",    "read", "dump",  "restore",
                                 "save",  "backup", "clone",  "archive", "ar",   "cd"});
  const std::string_view text = out.text();
  std::size_t looked = 0;
  for (std::size_t at = 0; at < text.size() && ++looked < kMaxPlaces;) {
    std::size_t begin = at;
    while (begin < text.size() && (is_space(text[begin]) || text[begin] == '"' || text[begin] == '\''))
      ++begin;
    const std::string_view rest = text.substr(begin);
    if (rest.starts_with('.')) {
      const std::size_t word = skip_spaces(rest, 1);
      std::size_t end = word;
      while (end < rest.size() && is_alpha(rest[end])) ++end;
      const std::string_view name = rest.substr(word, end - word);
      const std::size_t argument = skip_spaces(rest, end);
      const bool shell = iequals(name, "shell") || iequals(name, "system") || iequals(name, "sh");
      const char first = argument < rest.size() ? rest[argument] : '\0';
      const bool runs = shell ? first != '\0' && first != ';'
                              : first == '|' || first == '/' || first == '\'' || first == '"';
      if (argument > end && kDot.has(name) && runs) {
        out.add(kClientCommand, begin, text.size(),
                "A command of an interactive client runs a program or opens a file.");
        return;
      }
    }
    if (rest.starts_with("\\!") || rest.starts_with(":!")) {
      const std::size_t word = skip_spaces(rest, 2);
      std::size_t end = word;
      while (end < rest.size() &&
             (name_char(rest[end]) || rest[end] == '/' || rest[end] == '-' || rest[end] == '.'))
        ++end;
      if (command_kind(rest.substr(word, end - word)) != CommandKind::kUnknown) {
        out.add(kClientCommand, begin, text.size(),
                "A command of an interactive client runs a program or opens a file.");
        return;
      }
    }
    at = kStatementEnds.find(text, begin) + 1;
  }
}

// >&/dev/tcp/10.0.0.1/80, 0>$d/tcp/10.0.0.1/80: bash connects to the network.
void read_network(Report& out) {
  const std::string_view text = out.text();
  std::size_t looked = 0;
  for (std::size_t at = text.find_first_of("<>"); at != std::string_view::npos && ++looked < kMaxPlaces;
       at = text.find_first_of("<>", at + 1)) {
    const std::size_t begin = text.find_first_not_of("<>& \t", at);
    if (begin == std::string_view::npos) return;
    const std::string_view rest = text.substr(begin, 64);
    const std::size_t end = rest.find_first_of(" \t\r\n;|&<>\"'");
    const std::string_view target = rest.substr(0, end);
    if (target.find("/tcp/") == std::string_view::npos && target.find("/udp/") == std::string_view::npos)
      continue;
    if (!istarts_with(target, "/dev/") && !target.starts_with('$')) continue;
    out.add(kNetworkRedirect, at, begin + target.size(),
            "Input or output is redirected to a network connection.");
    return;
  }
}

// > /tmp/x, 2>&1 >x.php: a value that begins with a redirection to a file.
void read_redirect(Report& out) {
  const std::string_view text = out.text();
  std::size_t at = skip_spaces(text, 0);
  if (at < text.size() && (is_digit(text[at]) || text[at] == '&')) ++at;
  if (at >= text.size() || text[at] != '>') return;
  while (at < text.size() && (text[at] == '>' || text[at] == '&' || text[at] == '|')) ++at;
  at = skip_spaces(text, at);
  const std::size_t end = std::min(text.find_first_of(" \t\r\n;|&<>\"'", at), text.size());
  const std::string_view target = text.substr(at, end - at);
  if (target.size() < 2 || target.starts_with("//")) return;
  const bool system = target[0] == '/' && target.size() > 1 && sensitive_path(target);
  if (system || (is_script_name(target) && end == text.size())) {
    out.add(kRedirect, 0, end, "The value redirects output to a file.");
  }
}

}  // namespace

void read_tricks(Report& out, std::uint32_t tricks) {
  if ((tricks & kTrickFunction) != 0) read_functions(out);
  if ((tricks & kTrickExpansion) != 0) read_expansions(out);
  if ((tricks & kTrickBraceList) != 0) read_brace_list(out);
  if ((tricks & kTrickInteractive) != 0) read_interactive(out);
  if ((tricks & kTrickClient) != 0) read_client_commands(out);
  if ((tricks & kTrickNetwork) != 0) read_network(out);
  if ((tricks & kTrickRedirect) != 0) read_redirect(out);
}

}  // namespace wafd::detect::cmd
