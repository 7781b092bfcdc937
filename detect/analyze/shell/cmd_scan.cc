#include "detect/analyze/shell/cmd_scan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "detect/analyze/shell/shell_commands.h"
#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxLook = 96;
constexpr std::size_t kMaxName = 48;

// Something may begin at one of these; at quotes too, but at the first of each alone.
constexpr OctetFinder kSigns(";|&`(\r\n{$<>");
// A word of a command ends at what is none of its octets...
constexpr OctetFinder kNameOctets("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:~+");
// ... unless a shell removes or expands it.
constexpr OctetFinder kExpanded("\\'\"^`<>*?[]$");
// What may stand before the name itself; what parts words as shells do (POSIX XCU 2.3, "Token Recognition":
// no form feed).
constexpr OctetFinder kOpening(" \t\r\n'\"@^({!<>");
constexpr OctetFinder kEscapable(";|&`(");
constexpr OctetFinder kBeforeList(" \t;|&`\n(");
constexpr std::size_t kNetworkReach = 20;  // from < or > to /tcp/
// Octets that arguments have and prose seldom: with words alone there is no command line.
constexpr OctetFinder kArgument(";|&`(\r\n{'\"$<>/-\\.*?~%0123456789=@+");

// First words of lines that mail_commands reads.
constexpr WordSet kMailWords({"mail", "rcpt", "rset", "noop", "quit", "starttls", "uidl", "capa",
                              "stls", "retr", "dele", "top",  "list", "helo",     "ehlo", "vrfy",
                              "expn", "auth", "user", "pass", "apop", "bdat",     "etrn"});

// How long the expansion at text[at] == '$' is; 0: none that can stand inside of a name.
std::size_t expansion(std::string_view text, std::size_t at, std::size_t end) noexcept {
  if (at + 1 >= end) return 0;
  const char next = text[at + 1];
  if (next == '@' || next == '*' || next == '!' || next == '?' || next == '#' || next == '$' ||
      is_digit(next))
    return 2;
  if (next == '\'' || next == '"') return 1;
  if (next == '{' || next == '(') {
    const std::size_t close = text.substr(0, end).find(next == '{' ? '}' : ')', at + 2);
    return close == std::string_view::npos ? 2 : close + 1 - at;
  }
  std::size_t name = at + 1;
  while (name < end && (is_alnum(text[name]) || text[name] == '_')) ++name;
  return name == at + 1 ? 0 : name - at;
}

struct Name {
  char last[kMaxName];   // behind the last slash or backslash
  char whole[kMaxName];  // without backslashes
  std::size_t last_size = 0;
  std::size_t whole_size = 0;

  void push(char c) noexcept {
    if (last_size < kMaxName) last[last_size++] = c;
    if (whole_size < kMaxName) whole[whole_size++] = c;
  }
  CommandKind kind() const noexcept {
    std::string_view text(last, last_size);
    while (text.ends_with('}') || text.ends_with(']')) text.remove_suffix(1);
    const CommandKind found = command_kind(text);
    if (found != CommandKind::kUnknown || whole_size == last_size) return found;
    return command_kind(std::string_view(whole, whole_size));
  }
};

// The same of a word with nothing in it that a shell removes. `slash`: its last one.
CommandKind kind_of_plain(std::string_view word, std::size_t slash) noexcept {
  const CommandKind found = command_kind(word.substr(slash + 1, kMaxName));  // npos + 1 is 0
  if (found != CommandKind::kUnknown || slash == std::string_view::npos) return found;
  const std::size_t begin = std::min(word.find_first_not_of('/'), word.size());
  return command_kind(word.substr(begin, kMaxName));
}

// `parameters`: the operator is a single &, behind which name=value is a parameter. `quoted`: a quote was
// closed before; one inside of the name would open a string that nothing closes.
bool candidate(std::string_view text, std::size_t at, bool parameters, bool quoted = false) noexcept {
  const std::size_t end = std::min(text.size(), at + kMaxLook);
  for (int words = 0; words < 6; ++words) {
    while (at < end && kOpening.has(text[at])) {
      // In quotes it is a part of the name.
      if (text[at] == '@' && at > 0 && (text[at - 1] == '\'' || text[at - 1] == '"')) return false;
      ++at;
    }
    if (at >= end) return false;
    const std::size_t begin = at;
    at = kNameOctets.find_other(text.substr(0, end), at);
    const bool plain = at == end || !kExpanded.has(text[at]);
    Name name;
    bool glob = false;
    if (!plain) at = begin;
    while (!plain && at < end) {
      const char c = text[at];
      if (kNameOctets.has(c)) {
        if (c == '/') name.last_size = 0;
        if (c != '/' || name.whole_size > 0) name.push(c);
        if (c == '/') name.last_size = 0;
      } else if (c == '\\') {
        name.last_size = 0;
        if (quoted) name.whole_size = 0;
      } else if (c == '\'' || c == '"' || c == '^') {
        // A shell removes it.
        if (quoted) return false;
      } else if (c == '`' && at + 1 < end && text[at + 1] == '`') {
        ++at;
      } else if ((c == '<' || c == '>') && at + 2 < end && text[at + 1] == '(' && text[at + 2] == ')') {
        at += 2;
      } else if (c == '*' || c == '?' || c == '[' || c == ']') {
        glob = true;
        name.push(c);
      } else if (c == '$') {
        const std::size_t size = expansion(text, at, end);
        if (size == 0) return false;
        // Alone it may be the command itself: $SHELL -c, $a /etc/passwd
        if (at == begin) return size > 1 || text[at + 1] == '\'' || text[at + 1] == '"';
        return !quoted || name.kind() != CommandKind::kUnknown;
      } else {
        break;
      }
      ++at;
    }
    const char next = at < text.size() ? text[at] : '\0';
    if (next == '%' && at == begin) return istarts_with(text.substr(at), "%comspec");
    if (glob && text[begin] == '/') return true;
    if (at == begin) return false;
    if (next == '=') {  // an assignment, or an option with a value
      ++at;
      if (text[begin] == '-') continue;
      if (parameters) return false;
      while (at < end && !is_space(text[at]) && text[at] != ';' && text[at] != '&' && text[at] != '|') ++at;
      if (at >= end || !is_space(text[at])) return false;
      continue;
    }
    const std::string_view run = text.substr(begin, at - begin);
    const std::size_t slash = run.rfind('/');
    if ((slash != std::string_view::npos && run.find("bin/") != std::string_view::npos) ||
        (!plain && ifind(run, "\\system32\\") != std::string_view::npos))
      return true;
    const CommandKind kind = plain ? kind_of_plain(run, slash) : name.kind();
    if (kind == CommandKind::kKeyword) continue;
    if (kind == CommandKind::kStatement) return next == ' ' || next == '\t';
    return kind != CommandKind::kUnknown && next != ',';
  }
  return false;
}

// The text begins with a command that is a word too, and nothing else in it looks like an argument.
bool only_words(std::string_view text) noexcept {
  std::size_t begin = 0;
  while (begin < text.size() && is_space(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && (is_alnum(text[end]) || text[end] == '_')) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  return is_ordinary_word(word) && (end == text.size() || !runs_others(word)) &&
         kArgument.find(text, 0) == text.size();
}

class Scan {
 public:
  Scan(std::string_view text, CmdSigns& out) : text_(text), out_(out) {}

  void run() {
    const std::size_t single = std::min(text_.find('\''), text_.size());
    const std::size_t doubled = std::min(text_.find('"'), text_.size());
    std::size_t quotes[] = {std::min(single, doubled), std::max(single, doubled)};
    std::size_t next = 0;
    const auto quotes_before = [&](std::size_t end) {
      for (; next < 2 && quotes[next] < end; ++next) place(ShellOperator::kStart, quotes[next], 1, true);
    };
    kSigns.each(text_, [&](std::size_t i) {
      quotes_before(i);
      look(i);
    });
    quotes_before(text_.size());
    if (ifind(text_, "//-") != std::string_view::npos) out_.tricks |= kTrickOption;
    if (!only_words(text_)) look_at_start();
  }

 private:
  char at(std::size_t i) const noexcept { return i < text_.size() ? text_[i] : '\0'; }
  char before(std::size_t i) const noexcept { return i > 0 ? text_[i - 1] : '\0'; }

  void place(ShellOperator op, std::size_t begin, std::size_t size, bool quoted = false) {
    const std::size_t from = begin + size;
    const bool substitution = op == ShellOperator::kDollarParen || op == ShellOperator::kBacktick;
    if (!(substitution && reads_file(from)) &&
        !candidate(text_, from, op == ShellOperator::kAmpersand, quoted)) {
      return;
    }
    out_.places.push_back({op, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(from), quoted});
  }

  // $(<file
  bool reads_file(std::size_t i) const noexcept {
    while (at(i) == ' ' || at(i) == '\t') ++i;
    if (at(i) != '<') return false;
    ++i;
    while (at(i) == ' ' || at(i) == '\t') ++i;
    return is_alnum(at(i)) || std::string_view("/.~\"'$").find(at(i)) != std::string_view::npos;
  }

  void look(std::size_t i) {
    if (before(i) == '\\' && kEscapable.has(text_[i])) return;
    switch (text_[i]) {
      case ';':
        if (!ends_reference(text_, i)) statement(ShellOperator::kSemicolon, i);
        break;
      case '\r':
        if (at(i + 1) == '\n') break;
        [[fallthrough]];
      case '\n':
        statement(ShellOperator::kNewline, i);
        mail(i + 1);
        break;
      case '|':
        if (at(i + 1) == '|') break;
        before(i) == '|' ? place(ShellOperator::kOr, i - 1, 2) : place(ShellOperator::kPipe, i, 1);
        break;
      case '&':
        if (at(i + 1) == '&' || at(i + 1) == '#' || at(i + 1) == '>' || before(i) == '>' || before(i) == '<')
          break;
        if (before(i) == '&') {
          place(ShellOperator::kAnd, i - 1, 2);
        } else if (!begins_reference(text_, i)) {
          place(ShellOperator::kAmpersand, i, 1);
        }
        break;
      case '`':
        if (at(i + 1) == '`' || before(i) == '`') break;
        in_backticks_ = !in_backticks_;
        if (in_backticks_) place(ShellOperator::kBacktick, i, 1);
        break;
      case '(':
        parenthesis(i);
        break;
      case '{':
        if ((i == 0 || kBeforeList.has(before(i))) && at(i + 1) != '"' && at(i + 1) != '}') {
          out_.tricks |= kTrickBraceList;
        }
        break;
      case '$':
        dollar(i);
        break;
      default:  // < or >
        network(i);
        break;
    }
  }

  // /tcp/ or /udp/ soon behind < or >
  void network(std::size_t i) {
    if (!networks_) {
      networks_ = text_.find("/tcp/", i) != std::string_view::npos ||
                  text_.find("/udp/", i) != std::string_view::npos;
    }
    if (!*networks_) return;
    const std::string_view behind = text_.substr(i + 1, kNetworkReach + 4);
    if (behind.find("/tcp/") != std::string_view::npos || behind.find("/udp/") != std::string_view::npos)
      out_.tricks |= kTrickNetwork;
  }

  void statement(ShellOperator op, std::size_t i) {
    place(op, i, 1);
    client(i + 1);
  }

  // .shell, \!, :! and alias where a statement begins.
  void client(std::size_t i) {
    const std::size_t limit = std::min(text_.size(), i + 16);
    while (i < limit && (is_space(text_[i]) || text_[i] == '\'' || text_[i] == '"')) ++i;
    const char c = at(i);
    if (c == '.' || ((c == '\\' || c == ':') && at(i + 1) == '!')) out_.tricks |= kTrickClient;
  }

  void mail(std::size_t i) {
    while (at(i) == ' ' || at(i) == '\t') ++i;
    const std::size_t begin = i;
    while (i - begin < 9 && is_alnum(at(i))) ++i;
    const std::string_view word = text_.substr(std::min(begin, text_.size()), i - begin);
    if (word.size() < 2) return;
    const bool tag = at(i) == ' ' && is_digit(word[1]) && is_digit(word.back()) && word.size() <= 8;
    if (tag || kMailWords.has(word)) out_.tricks |= kTrickMail;
  }

  void parenthesis(std::size_t i) {
    if (at(i + 1) == ')') {
      std::size_t brace = i + 2;
      while (brace < text_.size() && brace < i + 16 && is_space(text_[brace])) ++brace;
      if (at(brace) == '{') out_.tricks |= kTrickFunction;
      return;
    }
    if (i >= 12 &&
        (istarts_with(text_.substr(i - 6), "string(") || istarts_with(text_.substr(i - 12), "download"))) {
      out_.tricks |= kTrickPowerShell;
    }
    const char opener = before(i);
    if (opener == '&' || opener == '.' ||
        (is_space(opener) && i >= 2 && (text_[i - 2] == '&' || text_[i - 2] == '.')))
      out_.tricks |= kTrickCall;
    if (opener == '$') return place(ShellOperator::kDollarParen, i - 1, 2);
    if (opener == '<' || opener == '>') return place(ShellOperator::kProcess, i - 1, 2);
    place(ShellOperator::kParen, i, 1);
  }

  void dollar(std::size_t i) {
    const char next = to_lower(at(i + 1));
    if (next == '[' || (next == '(' && at(i + 2) == '(')) {
      out_.tricks |= kTrickExpansion;
    } else if (next == 'i' || next == '{') {
      std::size_t end = i + (next == '{' ? 2 : 1);
      const std::size_t name = end;
      while (end < text_.size() && end - name < 40 && (is_alnum(text_[end]) || text_[end] == '_')) ++end;
      if (istarts_with(text_.substr(name), "ifs") || (at(end) == ':' && is_digit(at(end + 1)))) {
        out_.tricks |= kTrickExpansion;
      }
    }
  }

  void look_at_start() {
    const std::size_t begin = text_.find_first_not_of(" \t\r\n\"'");
    if (begin == std::string_view::npos) return;
    const char first = text_[begin];
    if (first == '!' || first == '~') out_.tricks |= kTrickInteractive;
    if (first == '-') out_.tricks |= kTrickOption;
    if (first == '>' || at(begin + 1) == '>') out_.tricks |= kTrickRedirect;
    client(begin);
    if (candidate(text_, 0, false)) {
      out_.places.insert(out_.places.begin(), CmdPlace{});
    } else if (first == ';' || first == '&' || first == '|') {
      // Any name with an option right behind an operator that begins the value is a command.
      if (out_.places.empty() || out_.places.front().operator_begin != begin) {
        const std::size_t size = at(begin + 1) == first ? 2 : 1;
        const ShellOperator op = first == ';'   ? ShellOperator::kSemicolon
                                 : first == '|' ? size == 2 ? ShellOperator::kOr : ShellOperator::kPipe
                                 : size == 2    ? ShellOperator::kAnd
                                                : ShellOperator::kAmpersand;
        out_.places.insert(out_.places.begin(), CmdPlace{op, static_cast<std::uint32_t>(begin),
                                                         static_cast<std::uint32_t>(begin + size), false});
      }
    }
  }

  std::string_view text_;
  CmdSigns& out_;
  bool in_backticks_ = false;
  std::optional<bool> networks_;  // whether there are any; asked at the first < or >
};

}  // namespace

void scan_for_commands(std::string_view text, CmdSigns& out) { Scan(text, out).run(); }

}  // namespace wafd::detect
