#include "detect/analyze/shell/mail_commands.h"

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect::cmd {
namespace {

constexpr std::size_t kMaxLines = 512;

constexpr WordSet kImap({"append", "authenticate", "capability",   "check",   "close",     "copy",
                         "create", "delete",       "deleteacl",    "examine", "expunge",   "fetch",
                         "getacl", "getquota",     "getquotaroot", "idle",    "list",      "listrights",
                         "login",  "logout",       "lsub",         "move",    "myrights",  "namespace",
                         "noop",   "rename",       "search",       "select",  "setacl",    "setquota",
                         "sort",   "starttls",     "status",       "store",   "subscribe", "thread",
                         "uid",    "unselect",     "unsubscribe",  "quit"});
// With these no argument is needed.
constexpr WordSet kImapAlone({"capability", "check", "close", "expunge", "idle", "logout", "namespace",
                              "noop", "starttls", "unselect", "quit"});
// Of SMTP and POP3, by what follows: nothing, numbers, or a word.
constexpr WordSet kAlone({"rset", "noop", "quit", "starttls", "uidl", "capa", "stls"});
constexpr WordSet kNumbered({"retr", "dele", "top", "list", "uidl"});
constexpr WordSet kWorded({"helo", "ehlo", "vrfy", "expn", "auth", "user", "pass", "apop", "bdat", "etrn"});

struct Line {
  std::string_view words[6];
  std::size_t count = 0;
};

// What parts words (RFC 5321 names the space alone; servers take tabs).
bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

std::string_view without_blanks(std::string_view line) noexcept {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

Line words_of(std::string_view line) noexcept {
  Line out;
  for (std::size_t at = 0; at < line.size() && out.count < std::size(out.words);) {
    while (at < line.size() && is_blank(line[at])) ++at;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (at > begin) out.words[out.count++] = line.substr(begin, at - begin);
  }
  return out;
}

bool number(std::string_view word) noexcept {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// A letter and digits, or digits: a001, Z42
bool is_tag(std::string_view word) noexcept {
  return word.size() >= 2 && word.size() <= 8 && (is_alpha(word[0]) || is_digit(word[0])) &&
         number(word.substr(1));
}

// 2:4, 1,3,*, INBOX, (\Seen), "text": what commands on mailboxes take and prose does not.
bool imap_argument(std::string_view word) noexcept {
  return word.find_first_of(":*()\"{\\%") != std::string_view::npos || number(word) ||
         (word.size() > 1 && word.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos) ||
         word.find('@') != std::string_view::npos;
}

}  // namespace

void read_mail_commands(Findings& out) {
  const std::string_view text = out.text;
  std::size_t looked = 0;
  std::size_t data = std::string_view::npos;  // where a line is DATA and nothing else
  for (std::size_t end = text.find_first_of("\r\n"); end != std::string_view::npos && ++looked < kMaxLines;) {
    const std::size_t begin = text.find_first_not_of("\r\n", end);
    if (begin == std::string_view::npos) return;
    end = text.find_first_of("\r\n", begin);
    const std::string_view line = without_blanks(text.substr(begin, std::min(end, text.size()) - begin));
    if ((line.size() < 4 && line != ".") || line.size() > 512) continue;
    const Line parts = words_of(line);
    const std::string_view first = parts.words[0];
    const std::size_t line_end = begin + line.size();
    const bool alone = text.find_first_not_of(" \t\r\n") == begin;  // nothing stands before it
    if ((iequals(first, "mail") && istarts_with(parts.words[1], "from:")) ||
        (iequals(first, "rcpt") && istarts_with(parts.words[1], "to:"))) {
      out.add(kMailCommand, begin, line_end, "A line is a command of the mail protocol SMTP.");
      return;
    }
    // DATA, the mail, and the full stop that ends it.
    if (iequals(first, "data") && parts.count == 1) data = begin;
    if (line == "." && data != std::string_view::npos) {
      out.add(kMailCommand, data, line_end, "Lines give a mail to the mail protocol SMTP.");
      return;
    }
    if (parts.count >= 2 && is_tag(first) && kImap.has(parts.words[1])) {
      bool arguments = parts.count == 2 && kImapAlone.has(parts.words[1]);
      for (std::size_t i = 2; i < parts.count; ++i) arguments = arguments || imap_argument(parts.words[i]);
      if (arguments) {
        out.add(kMailCommand, begin, line_end, "A line is a tagged command of the mail protocol IMAP.");
        return;
      }
      out.add(kMailWord, begin, line_end, "A line may be a tagged command of the mail protocol IMAP.");
      continue;
    }
    // Short lines of prose and lists look like these: they count by themselves only.
    const bool numbers = parts.count >= 2 && parts.count <= 3 && number(parts.words[1]) &&
                         (parts.count == 2 || number(parts.words[2]));
    const bool upper =
        !is_lower(first[0]) && first.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
    if (kNumbered.has(first) && numbers) {
      out.add(alone && upper ? kMailCommand : kMailWord, begin, line_end,
              "A line is a command of the mail protocol POP3.");
    } else if (kAlone.has(first) && parts.count == 1 && (upper || alone)) {
      out.add(kMailWord, begin, line_end, "A line may be a command of a mail protocol.");
    } else if (kWorded.has(first) && parts.count >= 2 && parts.count <= 3 && (upper || alone)) {
      out.add(kMailWord, begin, line_end, "A line may be a command of a mail protocol.");
    }
  }
}

}  // namespace wafd::detect::cmd
