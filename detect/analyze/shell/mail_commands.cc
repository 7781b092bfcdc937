#include "detect/analyze/shell/mail_commands.h"

#include <algorithm>
#include <array>

#include "detect/analyze/shell/evidence_kinds.h"
#include "detect/analyze/shell/mail_commands.tsv.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd::detect::shell {
namespace {

constexpr ByteFinder kLineEnds("\r\n");
constexpr std::size_t kMaxLineBytes = 512;  // RFC 5321 4.5.3.1.4

bool is_number(std::string_view word) noexcept {
  return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

// A letter and digits, or digits: a001, Z42
bool is_tag(std::string_view word) noexcept {
  return word.size() >= 2 && word.size() <= 8 && is_alnum(word[0]) && is_number(word.substr(1));
}

// 2:4, 1,3,*, INBOX, (\Seen), "text": what commands on mailboxes take and prose does not.
bool is_imap_argument(std::string_view word) noexcept {
  return word.find_first_of(":*()\"{\\%@") != word.npos || is_number(word) ||
         (word.size() > 1 && std::none_of(word.begin(), word.end(), is_lower));
}

struct Line {
  explicit Line(std::string_view line) noexcept {
    for (std::size_t at = 0; at < line.size() && count < words.size();) {
      // Never a tab, as tables have it (RFC 5321 2.2.1, RFC 3501 9)
      const std::size_t begin = std::min(line.find_first_not_of(' ', at), line.size());
      at = std::min(line.find(' ', begin), line.size());
      if (at > begin) words[count++] = line.substr(begin, at - begin);
    }
  }
  std::array<std::string_view, 6> words;
  std::size_t count = 0;
};

class MailCommandReader {
 public:
  MailCommandReader(std::string_view text, EvidenceList& out) noexcept
      : text_(text), out_(out), first_(text.find_first_not_of(" \t\r\n")) {}

  void read_line(std::size_t begin, std::size_t end) {
    const Line line(text_.substr(begin, end - begin));
    if (line.count == 0) return;
    const std::string_view first = line.words[0];
    if ((iequals(first, "mail") && istarts_with(line.words[1], "from:")) ||
        (iequals(first, "rcpt") && istarts_with(line.words[1], "to:"))) {
      add(ShellEvidence::kMailCommand, begin, end);
    } else if (iequals(first, "data") && line.count == 1) {
      data_ = begin;
    } else if (first == "." && line.count == 1 && data_ != text_.npos) {
      // DATA, the mail, and the full stop that ends it.
      add(ShellEvidence::kMailCommand, data_, end);
    } else if (line.count >= 2 && is_tag(first)) {
      read_imap(line, begin, end);
    } else {
      read_other(line, begin, end);
    }
  }

 private:
  void add(ShellEvidence kind, std::size_t begin, std::size_t end) {
    out_.add(kind, Certainty::kLikely, begin, end, text_.substr(begin, end - begin));
  }

  void read_imap(const Line& line, std::size_t begin, std::size_t end) {
    const MailRow* row = kMailCommands.find(line.words[1]);
    if (row == nullptr || row->imap == Follows::kNo) return;
    const bool fits =
        line.count == 2
            ? row->imap == Follows::kNothing
            : std::any_of(line.words.begin() + 2,
                          line.words.begin() + static_cast<std::ptrdiff_t>(line.count), is_imap_argument);
    add(fits ? ShellEvidence::kMailCommand : ShellEvidence::kMailWord, begin, end);
  }

  // Short lines of prose and lists look like these: they count by themselves only.
  void read_other(const Line& line, std::size_t begin, std::size_t end) {
    const MailRow* row = kMailCommands.find(line.words[0]);
    if (row == nullptr || row->other == Follows::kNo) return;
    const bool alone = skip_space(text_, begin) == first_;
    const bool upper = std::none_of(line.words[0].begin(), line.words[0].end(), is_lower);
    const bool numbers = line.count >= 2 && line.count <= 3 && is_number(line.words[1]) &&
                         (line.count == 2 || is_number(line.words[2]));
    if (row->other == Follows::kNumbers && numbers) {
      add(alone && upper ? ShellEvidence::kMailCommand : ShellEvidence::kMailWord, begin, end);
    } else if ((upper || alone) &&
               (row->other == Follows::kWords ? line.count >= 2 && line.count <= 3 : line.count == 1)) {
      add(ShellEvidence::kMailWord, begin, end);
    }
  }

  std::string_view text_;
  EvidenceList& out_;
  std::size_t first_;                          // where the text's first line has its first word
  std::size_t data_ = std::string_view::npos;  // where a line is DATA and nothing else
};

}  // namespace

void read_mail_commands(std::string_view text, EvidenceList& out) {
  MailCommandReader reader(text, out);
  for (std::size_t end = kLineEnds.find(text, 0); end < text.size();) {
    const std::size_t begin = kLineEnds.find_other(text, end);
    if (begin == text.size()) return;
    end = kLineEnds.find(text, begin);
    if (end - begin <= kMaxLineBytes) reader.read_line(begin, end);
  }
}

}  // namespace wafd::detect::shell
