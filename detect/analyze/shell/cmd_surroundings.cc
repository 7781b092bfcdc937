#include "detect/analyze/shell/cmd_surroundings.h"

#include <algorithm>

#include "detect/analyze/shell/shell_commands.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect::cmd {
namespace {

constexpr int kDocumentLines = 3;
constexpr std::size_t kMaxLeadWords = 12;  // before the tool that a line begins with
constexpr std::size_t kHeadBytes = 160;    // in which the head of a statement ends

// A plus too ends words: a form as it was sent.
bool ends_word(char c) noexcept { return is_space(c) || c == '+'; }

std::string_view next_word(std::string_view line, std::size_t& at) noexcept {
  while (at < line.size() && ends_word(line[at])) ++at;
  const std::size_t begin = at;
  while (at < line.size() && !ends_word(line[at])) ++at;
  const std::string_view word = line.substr(begin, at - begin);
  if (at < line.size()) ++at;
  return word;
}

// CRON[7]: (root) CMD (command): whether `place` is in the command of such a line of a log. Before its mark
// stand time and host alone; a shell takes the brackets for a mistake.
bool is_logged(std::string_view line, std::size_t place) noexcept {
  constexpr std::string_view kMark = "CRON[";
  constexpr std::string_view kCommand = ") CMD (";
  const std::size_t mark = line.find(kMark);
  const std::size_t command = line.find(kCommand);
  if (mark == std::string_view::npos || command == std::string_view::npos || command < mark) return false;
  const auto plain = [](char c) {
    return is_alnum(c) || std::string_view(" []:(.-_").find(c) != std::string_view::npos;
  };
  const std::string_view head = line.substr(0, command);
  return std::all_of(head.begin(), head.end(), plain) && head.find('[') > mark && head.find('(') > mark &&
         place >= command + kCommand.size() && place < line.rfind(')');
}

// One of the five fields of crontab(5): "*", "*/5", "1-5", "0,30", "mon".
bool schedule_field(std::string_view word) noexcept {
  static constexpr WordSet kNames({"mon", "tue", "wed", "thu", "fri", "sat", "sun"});
  return kNames.has(word) ||
         (!word.empty() && word.find_first_not_of("*/-,0123456789") == std::string_view::npos);
}

bool is_schedule(std::string_view line) noexcept {
  std::size_t at = 0;
  if (line.starts_with('@')) {
    static constexpr WordSet kTimes(
        {"@reboot", "@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@annually", "@midnight"});
    return kTimes.has(next_word(line, at));
  }
  for (int field = 0; field < 5; ++field) {
    if (!schedule_field(next_word(line, at))) return false;
  }
  return true;
}

// What manuals and scripts put before a command: a prompt, the mark of a list, a key, "sudo", an assignment.
bool is_lead(std::string_view word) noexcept {
  static constexpr WordSet kLeads(
      {"$", "#", ">", "%", "-", "*", "@", "sudo", "doas", "time", "exec", "then", "do", "run"});
  if (kLeads.has(word)) return true;
  if (word.ends_with(':') && word.size() > 1) return is_alpha(word[0]);
  if (word.ends_with('.') || word.ends_with(')')) return is_digit(word[0]);
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && is_upper(word[0]) &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return is_upper(c) || is_digit(c) || c == '_'; });
}

// Keys of build settings and instructions of a Dockerfile that a command follows.
bool takes_command(std::string_view word) noexcept {
  static constexpr WordSet kKeys(
      {"run:", "script:", "command:", "cmd:", "exec:", "before_script:", "after_script:"});
  return kKeys.has(word) || word == "RUN" || word == "CMD" || word == "ENTRYPOINT" || word == "HEALTHCHECK";
}

// tom@web:~$
bool is_prompt(std::string_view word) noexcept {
  return word.size() > 3 && (word.ends_with('$') || word.ends_with('#')) &&
         word.find('@') != std::string_view::npos && word.find(':') != std::string_view::npos;
}

// A whole statement of sh: for … in … do, while … do, if [ … then.
bool is_statement(std::string_view line) noexcept {
  const bool loop = line.starts_with("for ") || line.starts_with("while ") || line.starts_with("until ");
  const bool condition = line.starts_with("if [") || line.starts_with("if test ");
  if (!loop && !condition) return false;
  const std::string_view head = line.substr(0, kHeadBytes);
  return head.find(loop ? "; do" : "; then") != std::string_view::npos;
}

bool begins_with_tool(std::string_view line) noexcept {
  line = trim(line);
  if (is_statement(line)) return true;
  if (line.starts_with("PS ") && line.substr(0, kHeadBytes).find("> ") != std::string_view::npos) return true;
  if (line.starts_with("#!") || line.starts_with("diff --git ") || is_schedule(line)) return true;
  std::size_t at = 0;
  for (std::size_t words = 0; words < kMaxLeadWords; ++words) {
    std::string_view word = next_word(line, at);
    if (word.empty()) return false;
    if (takes_command(word) || is_prompt(word)) return true;
    if (is_lead(word)) continue;
    if (word[0] == '$' && word.size() > 1) {  // a script: $name = command
      std::size_t behind = at;
      return next_word(line, behind) == "=";
    }
    // ExecStart=/usr/bin/docker run, body=git log
    if (is_alpha(word[0])) word.remove_prefix(word.rfind('=') + 1);  // npos + 1 is 0
    if (!is_developer_tool(word)) return false;
    // Alone, or right before an operator, it is no line of a manual.
    const std::string_view argument = next_word(line, at);
    if (argument == "&&" && is_developer_tool(next_word(line, at))) return true;  // make && make test
    return !argument.empty() && std::string_view(";|&").find(argument[0]) == std::string_view::npos;
  }
  return false;
}

// An address, a name with dots, or what ends with an operator of the shell, by itself: a value that was asked
// for, and no document begins so.
bool is_bare_value(std::string_view line) noexcept {
  line = trim(line);
  const bool chained = !line.empty() && std::string_view(";|&").find(line.back()) != std::string_view::npos;
  while (!line.empty() && std::string_view("'\";|& ").find(line.back()) != std::string_view::npos)
    line.remove_suffix(1);
  const auto plain = [](char c) { return is_alnum(c) || c == '.' || c == '-' || c == '_'; };
  const std::size_t dot = line.find('.');
  const bool dotted = dot != std::string_view::npos && dot + 1 < line.size() && is_alnum(line[dot + 1]);
  return std::all_of(line.begin(), line.end(), plain) && (dotted || chained);
}

}  // namespace

void Surroundings::read_lines() noexcept {
  lines_read_ = true;
  int filled = 0;
  bool value = false;
  for (std::size_t at = 0; at < text_.size() && filled < kDocumentLines;) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    const std::string_view line = text_.substr(at, end - at);
    if (!trim(line).empty() && ++filled == 1) {
      first_line_end_ = end;
      value = is_bare_value(line);
    }
    at = end + 1;
  }
  document_ = filled >= kDocumentLines && !value;
  line_ends_ = static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n'));
}

std::size_t Surroundings::line_ends() noexcept {
  if (!lines_read_) read_lines();
  return line_ends_;
}

void Surroundings::read_line(std::size_t place) noexcept {
  const std::size_t before = place == 0 ? std::string_view::npos : text_.rfind('\n', place - 1);
  begin_ = before == std::string_view::npos ? 0 : before + 1;
  end_ = std::min(text_.find('\n', place), text_.size());
  const std::string_view line = text_.substr(begin_, end_ - begin_);
  tool_line_ = is_logged(line, place - begin_) || begins_with_tool(line);
}

Setting Surroundings::at(std::size_t place) noexcept {
  if (!lines_read_) read_lines();
  if (place < begin_ || place > end_) read_line(place);
  if (writing_.shows(place)) return Setting::kInlineCode;
  if ((document_ && place > first_line_end_) || writing_.is_program()) return Setting::kDocument;
  if (tool_line_) return Setting::kToolLine;
  return Setting::kValue;
}

}  // namespace wafd::detect::cmd
