#include "detect/judge/document.h"

#include <algorithm>
#include <array>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/word_set.h"
#include "detect/core/work_counter.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxIndent = 3;   // before a fence (CommonMark 4.5)
constexpr std::size_t kCodeIndent = 4;  // of an indented block (CommonMark 4.4)
constexpr std::size_t kMinWordLetters = 2;
constexpr std::size_t kMaxSearchedBytes = 4u << 20;  // for one request

// Elements whose content is shown as it stands, and what wikis and trackers have for them.
constexpr std::array<std::string_view, 12> kQuotingElements{
    "code", "pre",  "syntaxhighlight", "source",   "samp",      "kbd",
    "tt",   "file", "nowiki",          "textarea", "blockcode", "xmp"};

struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;  // without its line end
};

// Letters of any script: everything from 0x80 on counts.
bool is_letter(char c) noexcept { return is_alpha(c) || byte(c) >= 0x80; }

// Without what marks headings, lists, quotations, rules and rows.
std::string_view without_marks(std::string_view line) noexcept {
  static constexpr ByteFinder kMarks(" \t\r=#*->+|_~:");
  const std::size_t begin = kMarks.find_other(line, 0);
  std::size_t end = line.size();
  while (end > begin && kMarks.has(line[end - 1])) --end;
  return line.substr(begin, end - begin);
}

// A line's words, tags and code spans left out.
struct Reading {
  std::size_t words = 0;  // of letters, perhaps with an apostrophe or a hyphen inside
  std::size_t signs = 0;  // bytes that prose has few of
};
Reading read_prose(std::string_view line) noexcept {
  Reading reading;
  // No sign that closes stands behind the last of it: looked for once.
  const std::size_t last_angle = line.rfind('>');
  const std::size_t last_square = line.rfind(']');
  std::size_t unclosed = std::string_view::npos;  // a run of backticks of this length and more has no other
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (c == '<' || c == '[') {  // a tag, of wikis and boards too
      const std::size_t last = c == '<' ? last_angle : last_square;
      if (last != std::string_view::npos && last > i && (is_alpha(line[i + 1]) || line[i + 1] == '/')) {
        i = line.find(c == '<' ? '>' : ']', i) + 1;
        continue;
      }
    }
    if (c == '`') {  // a code span
      const std::size_t run = std::min(line.find_first_not_of('`', i), line.size()) - i;
      const std::size_t close =
          run < unclosed ? line.find(line.substr(i, run), i + run) : std::string_view::npos;
      if (close != std::string_view::npos) {
        i = close + run;
        continue;
      }
      unclosed = std::min(unclosed, run);
      i += run;
      reading.signs += run;
      continue;
    }
    if (is_letter(c)) {
      const std::size_t begin = i;
      while (i < line.size() && (is_letter(line[i]) || line[i] == '\'' || line[i] == '-')) ++i;
      const bool bounded = i == line.size() || is_space(line[i]) ||
                           std::string_view(".,;:!?)\"*_/<&").find(line[i]) != std::string_view::npos;
      if (i - begin >= kMinWordLetters && bounded) ++reading.words;
      continue;
    }
    if (std::string_view("{}[]()=;$|&<>\\`~^").find(c) != std::string_view::npos) ++reading.signs;
    ++i;
  }
  return reading;
}

// A fence is three or more of its sign (CommonMark 4.5); `length` is how many.
char fence_sign(std::string_view line, std::size_t& length) noexcept {
  std::size_t at = 0;
  while (at < line.size() && at < kMaxIndent && line[at] == ' ') ++at;
  if (at >= line.size() || (line[at] != '`' && line[at] != '~')) return '\0';
  length = std::min(line.find_first_not_of(line[at], at), line.size()) - at;
  return length >= 3 ? line[at] : '\0';
}

bool is_indented_code(std::string_view line) noexcept {
  std::size_t blanks = 0;
  for (const char c : line) {
    if (c == '\t') return true;
    if (c != ' ') break;
    if (++blanks == kCodeIndent) return true;
  }
  return false;
}

// <pre>, <code class="x">: elements of HTML. <code php> is of a wiki, and names its language.
bool is_rendered(std::string_view tag, std::string_view name) noexcept {
  static constexpr WordSet kElements({"code", "pre", "samp", "kbd", "tt"});
  if (!tag.starts_with('<') || !kElements.has(name)) return false;
  const std::string_view rest = trim(tag.substr(name.size() + 1));
  return name != "code" || rest.empty() || rest.find('=') != rest.npos;
}

// Name of the quoting element whose tag begins behind `at`, a "<" or "["; its end tag if `closing`.
std::string_view quoting_tag(std::string_view text, std::size_t at, bool closing) noexcept {
  std::size_t begin = at + 1;
  if (closing) {
    if (begin >= text.size() || text[begin] != '/') return {};
    ++begin;
  }
  for (const std::string_view element : kQuotingElements) {
    if (!istarts_with(text.substr(begin), element)) continue;
    const std::size_t end = begin + element.size();
    if (end < text.size() && !is_alnum(text[end])) return text.substr(begin, element.size());
  }
  return {};
}

// A form as it was sent has plus signs where its text has spaces; offsets stay.
std::string_view with_spaces(std::string_view text, std::string& spaced) {
  if (text.find(' ') != std::string_view::npos) return text;
  spaced = text;
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return spaced;
}

// `$(curl a.example|sh)`: nothing but a substitution that holds more than one command. Who writes about one
// names the command; a shell runs it in the marks as without them.
bool is_one_pipeline(std::string_view span) noexcept {
  return span.starts_with("$(") && span.ends_with(')') && span.find_first_of("|;&<>\n") != span.npos;
}

constexpr std::size_t kMinScriptLines = 8;

// Instructions of a Dockerfile (Dockerfile reference).
constexpr std::array<std::string_view, 18> kInstructions{
    "ADD",   "ARG",        "CMD",     "COPY", "ENTRYPOINT", "ENV",        "EXPOSE", "FROM",   "HEALTHCHECK",
    "LABEL", "MAINTAINER", "ONBUILD", "RUN",  "SHELL",      "STOPSIGNAL", "USER",   "VOLUME", "WORKDIR"};

// Lines that go on, comments and instructions, one of them FROM, and nothing else.
bool is_dockerfile(std::string_view text) noexcept {
  bool from = false;
  bool goes_on = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
    if (line.empty() || line.front() == '#') continue;
    if (!goes_on) {
      const std::string_view word = line.substr(0, line.find_first_of(" \t"));
      if (std::find(kInstructions.begin(), kInstructions.end(), word) == kInstructions.end()) return false;
      from = from || word == "FROM";
    }
    goes_on = line.back() == '\\';
  }
  return from && !goes_on;
}

}  // namespace

bool is_script(std::string_view text) noexcept {
  if (text.size() < kMinDocumentBytes) return false;
  if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) < kMinScriptLines) return false;
  if (!text.starts_with("#!")) return is_dockerfile(text);
  const std::size_t path = text.find_first_not_of(" \t", 2);
  return path != text.npos && text[path] == '/' && is_alpha(text[path + 1]);
}

bool is_python_module(std::string_view text) noexcept {
  static constexpr WordSet kHeads({"import", "from", "def", "class", "async"});
  static constexpr WordSet kWords({"if", "else", "elif", "try", "except", "finally", "with", "for", "while",
                                   "return", "assert", "raise", "del", "print", "pass", "global", "await",
                                   "match"});
  if (text.size() < kMinDocumentBytes) return false;
  std::size_t lines = 0;
  std::size_t heads = 0;
  char text_quote = '\0';  // of a string over several lines
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++lines;
    const bool in_text = text_quote != '\0';
    for (std::size_t i = line.find_first_of("\"'"); i < line.size(); i = line.find_first_of("\"'", i + 1)) {
      if (line.substr(i, 3) != std::string_view(line[i] == '"' ? "\"\"\"" : "'''")) continue;
      if (text_quote == '\0')
        text_quote = line[i];
      else if (text_quote == line[i])
        text_quote = '\0';
      i += 2;
    }
    if (in_text || line.empty() || is_space(line[0])) continue;
    const std::size_t word_end = behind_name(line, 0);
    const std::string_view word = line.substr(0, word_end);
    const char behind = word_end < line.size() ? line[word_end] : '\n';
    if (word.empty()) {
      if (std::string_view("@#)]}\"'\r").find(line[0]) == std::string_view::npos) return false;
    } else if (kHeads.has(word) && behind == ' ') {
      ++heads;
    } else if (!kWords.has(word)) {
      const std::string_view rest = trim(line.substr(word_end));
      if (rest.empty() || std::string_view("=.([:,+-*/|&").find(rest[0]) == std::string_view::npos)
        return false;
    }
  }
  return lines >= kMinScriptLines && heads >= 2 && text_quote == '\0';
}

Document::Document(std::string_view text) {
  if (text.size() < kMinDocumentBytes) return;
  read_elements(text);
  read_lines(text);
}

const Document& DocumentCache::of(std::string_view text) {
  if (!document_ || text_.data() != text.data() || text_.size() != text.size()) {
    // Who asks first is not charged for it, so that a field costs the same whatever was asked about before.
    const std::uint64_t steps = steps_of_thread;
    text_ = text;
    document_.emplace(with_spaces(text, spaced_));
    script_ = detect::is_script(text);
    steps_of_thread = steps;
  }
  return *document_;
}

bool DocumentCache::is_python(std::string_view text) noexcept {
  if (module_text_.data() != text.data() || module_text_.size() != text.size()) {
    const std::uint64_t steps = steps_of_thread;
    module_text_ = text;
    module_ = is_python_module(text);
    steps_of_thread = steps;
  }
  return module_;
}

bool DocumentCache::may_search(std::size_t bytes) noexcept {
  searched_ += bytes;
  return searched_ <= kMaxSearchedBytes;
}

bool Document::is_quoted(std::size_t at) const noexcept { return quotes(at, at + 1); }

bool Document::quotes(std::size_t begin, std::size_t end) const noexcept {
  return span_around(begin, end) != nullptr;
}

bool Document::renders(std::size_t begin, std::size_t end) const noexcept {
  const Span* span = span_around(begin, end);
  return span != nullptr && span->rendered;
}

const Document::Span* Document::span_around(std::size_t begin, std::size_t end) const noexcept {
  const auto behind = std::upper_bound(quoted_.begin(), quoted_.end(), begin,
                                       [](std::size_t at, const Span& span) { return at < span.begin; });
  return behind != quoted_.begin() && end <= std::prev(behind)->end ? &*std::prev(behind) : nullptr;
}

// <code php> … </code>, <pre>, [code] … [/code]: what stands between a tag and its own end tag.
void Document::read_elements(std::string_view text) {
  static constexpr ByteFinder kOpens("<[");
  for (std::size_t at = kOpens.find(text, 0); at < text.size(); at = kOpens.find(text, at + 1)) {
    const std::string_view name = quoting_tag(text, at, false);
    if (name.empty()) continue;
    const char close = text[at] == '<' ? '>' : ']';
    const std::size_t begin = text.find(close, at);
    if (begin == std::string_view::npos) return;
    std::size_t end = begin;
    do {
      end = text.find(text[at], end + 1);
    } while (end != std::string_view::npos && !iequals(quoting_tag(text, end, true), name));
    if (end == std::string_view::npos)
      return;  // of an element without an end nothing is known, nor behind it
    if (!is_one_pipeline(trim(text.substr(begin + 1, end - begin - 1))))
      quoted_.push_back({begin + 1, end, is_rendered(text.substr(at, begin - at), name)});
    at = end;
  }
}

void Document::read_lines(std::string_view text) {
  std::vector<Span> fences;
  std::size_t words = 0;
  std::size_t prose_lines = 0;
  std::size_t other_lines = 0;
  bool blank_before = true;
  bool in_code = false;  // an indented block
  bool open = false;
  char sign = '\0';
  std::size_t length = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    std::size_t run = 0;
    const char mark = fence_sign(line, run);
    const bool blank = trim(line).empty() || trim(line) == "\r";
    if (open) {
      if (mark == sign && run >= length &&
          trim(line.substr(line.find_last_of(sign) + 1)).find_first_not_of('\r') == std::string_view::npos) {
        fences.push_back({begin, at});
        open = false;
      }
    } else if (mark != '\0' && !is_quoted(at)) {
      open = true;
      sign = mark;
      length = run;
      begin = end;
    } else if (!blank && (blank_before || in_code) && is_indented_code(line) && !is_quoted(at)) {
      fences.push_back({at, end});
      in_code = true;
    } else if (!blank) {
      in_code = false;
      if (!is_quoted(at)) {
        const Reading reading = read_prose(without_marks(line));
        words += reading.words;
        ++(reading.words * 2 >= reading.signs ? prose_lines : other_lines);
        read_spans(line, at);
      }
    }
    blank_before = blank || (open && mark != '\0');
    at = end + 1;
  }
  document_ = !open && words >= kMinDocumentWords && prose_lines > other_lines * 4;
  quoted_.insert(quoted_.end(), fences.begin(), fences.end());
  std::sort(quoted_.begin(), quoted_.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
}

// Code spans of one line (CommonMark 6.1): between runs of backticks of one length.
void Document::read_spans(std::string_view line, std::size_t begin) {
  for (std::size_t at = line.find('`'); at < line.size();) {
    const std::size_t run = std::min(line.find_first_not_of('`', at), line.size()) - at;
    std::size_t close = at + run;
    while (true) {
      close = line.find('`', close);
      if (close >= line.size()) return;
      const std::size_t closing = std::min(line.find_first_not_of('`', close), line.size()) - close;
      if (closing == run) break;
      close += closing;
    }
    if (!is_one_pipeline(trim(line.substr(at + run, close - at - run))))
      quoted_.push_back({begin + at + run, begin + close});
    at = line.find('`', close + run);
  }
}

}  // namespace wafd::detect
