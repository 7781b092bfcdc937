#include "detect/analyze/shell/arguments.h"

#include <algorithm>

#include "detect/analyze/shell/paths.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::shell {
namespace {

constexpr std::size_t kMaxSwitchBytes = 8;
constexpr std::size_t kMaxBracketBytes = 8;
constexpr ByteFinder kMarks("*?[");

bool is_letter(char c) noexcept { return is_alpha(c) || byte(c) >= 0x80; }

// 5, 10s, 1.5
bool is_number(std::string_view word) noexcept {
  std::size_t digits = 0;
  while (digits < word.size() && (is_digit(word[digits]) || word[digits] == '.')) ++digits;
  if (digits == 0 || !is_digit(word[0])) return false;
  if (digits + 1 >= word.size()) return true;
  // 5e0, 0x5 of strtod()
  const std::string_view rest = word.substr(digits);
  const bool exponent = rest[0] == 'e' || rest[0] == 'x';
  return exponent && std::all_of(rest.begin() + 1, rest.end(),
                                 [](char c) { return is_digit(c) || c == '+' || c == '-'; });
}

// a.b, with letters behind the last full stop.
bool has_extension(std::string_view word) noexcept {
  const std::size_t dot = word.rfind('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < word.size() && word.size() - dot <= 8 &&
         is_alpha(word[dot + 1]) &&
         std::all_of(word.begin() + static_cast<std::ptrdiff_t>(dot) + 1, word.end(), is_alnum) &&
         is_alnum(word[dot - 1]);
}

// 1.2.3.4, also between other parts: TCP:1.2.3.4:80, a@1.2.3.4
bool has_ip_address(std::string_view word) noexcept {
  std::size_t dots = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (!is_digit(word[i]) && word[i] != '.') {
      dots = 0;
    } else if (word[i] == '.' && i > 0 && is_digit(word[i - 1]) && ++dots == 3 && i + 1 < word.size() &&
               is_digit(word[i + 1])) {
      return true;
    }
  }
  return false;
}

bool is_address(std::string_view word) noexcept {
  if (const std::size_t scheme = word.find("://"); scheme != std::string_view::npos) return scheme > 0;
  if (has_ip_address(word)) return true;
  // a.example:80, a@b.example, a@b:
  const std::size_t colon = word.find(':');
  if (colon != std::string_view::npos && colon + 1 < word.size() && is_digit(word[colon + 1]) &&
      has_extension(word.substr(0, colon)))
    return true;
  const std::size_t at = word.find('@');
  return at != std::string_view::npos && at > 0 &&
         (has_extension(word.substr(at + 1)) || word.ends_with(':'));
}

// a:b, a@b:c, a::b: a file of another machine, as scp, rsync and rclone write it.
bool is_remote_file(std::string_view word) noexcept {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && colon > 0 && is_alnum(word[colon - 1]) &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@") ==
             colon;
}

// -c code, -e code, /c code: the option by which an interpreter takes code, among other letters too (-ic,
// -xe).
bool takes_code(std::string_view option) noexcept {
  static constexpr WordSet kLong({"--eval",
                                  "--command",
                                  "--exec",
                                  "--print",
                                  "-enc",
                                  "-encodedcommand",
                                  "-command",
                                  "-eval",
                                  "-ec",
                                  "-noprofile",
                                  "-nop",
                                  "-ep",
                                  "-executionpolicy",
                                  "-w",
                                  "-windowstyle",
                                  "-noni",
                                  "-sta",
                                  "-noexit",
                                  "-file",
                                  "-f",
                                  "/c",
                                  "/k",
                                  "/r",
                                  "-urlcache",
                                  "-decode",
                                  "-wrapper"});
  if (kLong.has(option)) return true;
  if (option.size() < 2 || option[0] != '-' || !is_alpha(option[1])) return false;
  const std::size_t letters =
      option.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 1);
  const std::string_view flags = option.substr(1, std::min(letters, option.size()) - 1);
  return flags.size() <= 4 && flags.find_first_of("cerERp") != std::string_view::npos;
}

// /c, /all: of cmd.exe's commands.
bool is_switch(std::string_view word) noexcept {
  return word.size() >= 2 && word.size() <= kMaxSwitchBytes && word[0] == '/' &&
         std::all_of(word.begin() + 1, word.end(),
                     [](char c) { return is_alnum(c) || c == '?' || c == ':'; });
}

// `windows`: of a command that takes paths of Windows alone.
void read_path(std::string_view word, bool windows, Arguments& out) noexcept {
  if (windows && word.find_first_of("\\:%") == word.npos) return;
  switch (path_kind(word)) {
    case Path::kSecret:
      out.secret = true;
      break;
    case Path::kRooted:
      out.rooted = true;
      break;
    case Path::kRelative:
      out.relative = true;
      break;
    case Path::kNone:
      break;
  }
}

// =, ==, !=, :=, =>: no argument of a command.
bool is_assignment_sign(std::string_view word) noexcept {
  return word.find('=') != word.npos && word.size() <= 3 &&
         word.find_first_not_of("=!<>:+-*/|&.~") == word.npos;
}

// body["content"], ["mysqld"]: of an array in other languages.
bool is_subscript(std::string_view spelled) noexcept {
  const std::size_t bracket = spelled.find('[');
  return bracket != spelled.npos && spelled.find('/') == spelled.npos && bracket + 1 < spelled.size() &&
         (spelled[bracket + 1] == '"' || spelled[bracket + 1] == '\'');
}

// * ? and short brackets among bytes that file names have: s*, /???/c?t, pass[w]d; not a["b"] and {x="y"}.
bool is_glob(std::string_view word) noexcept {
  if (kMarks.find(word, 0) == word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (!is_alnum(c) && byte(c) < 0x80 && std::string_view("*?[]_-./~^!,{}").find(c) == word.npos)
      return false;
    if (c == '[') {
      const std::size_t close = word.find(']', i);
      if (close == word.npos || close - i > kMaxBracketBytes) return false;
    }
  }
  return true;
}

// Signs alone, none of them a path's, a pattern's or a variable's, and no option: they name nothing.
bool is_signs(std::string_view word) noexcept {
  return word.find_first_not_of("-+") != word.npos && std::none_of(word.begin(), word.end(), [](char c) {
           return is_letter(c) || is_digit(c) ||
                  std::string_view("/.*?[~${%@\\").find(c) != std::string_view::npos;
         });
}

// it, well! really? A word of a sentence; what a command takes ends so by chance.
bool ends_as_prose(std::string_view word) noexcept {
  return word.size() > 1 && is_alnum(word[0]) && std::string_view(",!?:").find(word.back()) != word.npos &&
         word.find_first_of("/\\.*$=@[") == word.npos;
}

// Without the quotes around it, and with the backslashes that a shell of Unix would take away.
std::string_view spelled(std::string_view text, const Token& word) noexcept {
  std::string_view out = text.substr(word.begin, word.end - word.begin);
  if (out.size() >= 2 && (out.front() == '"' || out.front() == '\'')) {
    out.remove_prefix(1);
    if (out.back() == '"' || out.back() == '\'') out.remove_suffix(1);
  }
  return out;
}

// Bytes that names of files have; whatever else is allowed, nobody writes.
bool may_be_file(std::string_view word) noexcept {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return is_alnum(c) || std::string_view("/._-~+*?[]{},:$%@\\ ").find(c) != std::string_view::npos;
  });
}

// No name, address or path of anything: a colon begins it that no port follows, or an exclamation mark ends
// it or stands before another.
bool is_odd(const Token& word) noexcept {
  const std::string_view value = word.value;
  if (word.quoted || word.hidden || word.unknown || word.variable || value.empty()) return false;
  const bool port = value[0] == ':' && value.size() > 1 && (value[1] == ':' || is_digit(value[1]));
  return (value[0] == ':' && !port) || value.back() == '!' || value.find("!!") != value.npos;
}

// Whether the command reads what stands on its standard input.
bool reads_input(const Command& command) noexcept {
  if (command.row == nullptr) return true;
  const Family family = command.row->family;
  return command.row->has(Takes::kFiles) || family == Family::kReads || family == Family::kInterprets ||
         family == Family::kConnects || family == Family::kWraps || family == Family::kDeclares;
}

bool has_path(const Arguments& a) noexcept { return a.rooted || a.relative || a.secret; }

void read_target(std::string_view text, const Token& target, Arguments& out) noexcept {
  const std::string_view word = target.value;
  out.network = out.network || word.find("/tcp/") != std::string_view::npos ||
                word.find("/udp/") != std::string_view::npos;
  if (target.sign == Sign::kHereString || target.sign == Sign::kHereDocument) {
    out.here_string = out.here_string || target.sign == Sign::kHereString;
  } else if (target.sign == Sign::kFrom) {
    // <b>: a tag
    const bool tag =
        target.end < text.size() && text[target.end] == '>' && word.find('/', 1) == std::string_view::npos;
    if (tag || !may_be_file(word) ||
        (!is_letter(word[0]) && path_kind(word) == Path::kNone && !target.unknown))
      return;
    out.input = true;
    out.input_pattern = out.input_pattern || word.find('*') != std::string_view::npos;
    read_path(word, false, out);
  } else {
    out.output = out.output || is_letter(word.empty() ? ' ' : word[0]) || path_kind(word) != Path::kNone;
    out.script_output = out.script_output || is_script_name(word) || path_kind(word) == Path::kSecret;
  }
}

}  // namespace

bool is_option(std::string_view word) noexcept {
  if (word.size() < 2 || (word[0] != '-' && word[0] != '+')) return false;
  if (word[0] == '+') return is_alpha(word[1]) || word[1] == '%';
  return is_alpha(word[1]) || (word[1] == '-' && word.size() > 2 && is_alpha(word[2])) || is_digit(word[1]);
}

bool is_plain_word(std::string_view word) noexcept {
  while (!word.empty() && std::string_view(",.:!?)\"'").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || c == '\'' || c == '-'; });
}

namespace {

// The words behind a command's name, one after the other.
class ArgumentReader {
 public:
  ArgumentReader(std::string_view text, std::span<const Token> words, const Command& command) noexcept
      : text_(text), words_(words) {
    if (command.row != nullptr) {
      static constexpr WordSet kCopies({"scp", "rsync", "rclone", "sftp", "unison", "rdiff-backup"});
      windows_ = command.row->system != System::kUnix;
      drives_ = command.row->system == System::kWindows;
      copies_ = kCopies.has(command.row->text);
    }
    if (command.switches.empty()) return;
    out_.option = true;
    behind_option_ = takes_code(command.switches);
    out_.code_option = behind_option_ && !words.empty();
  }

  Arguments run() noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      count(words_[i]);
      if (is_option(words_[i].value) || (windows_ && is_switch(words_[i].value))) {
        read_option(i);
      } else {
        read_word(i);
      }
    }
    out_.lists = !words_.empty() && !words_.back().quoted && words_.back().value == "*";
    out_.last_rooted = out_.rooted && !words_.empty() && path_kind(words_.back().value) != Path::kNone;
    read_first();
    return out_;
  }
  bool drives() const noexcept { return drives_; }

 private:
  void count(const Token& word) noexcept {
    const std::string_view value = word.value;
    ++out_.words;
    out_.expands = out_.expands || word.unknown || word.variable || word.open;
    out_.quoted = out_.quoted || word.quoted;
    out_.foreign =
        out_.foreign || std::any_of(value.begin(), value.end(), [](char c) { return byte(c) >= 0x80; });
    out_.calls = out_.calls ||
                 (word.quoted && (value.find("system") != value.npos || value.find("exec") != value.npos));
  }

  void read_option(std::size_t i) noexcept {
    const std::string_view value = words_[i].value;
    out_.option = true;
    out_.code_option = out_.code_option || (takes_code(value) && (i + 1 < words_.size() || words_[i].quoted));
    behind_option_ = true;
    read_path(value.substr(std::min(value.find('=') + 1, value.size())), drives_, out_);
  }

  void read_word(std::size_t i) noexcept {
    const Token& word = words_[i];
    const std::string_view value = word.value;
    if (out_.first.empty()) {
      out_.first = value;
    } else if (out_.second.empty()) {
      out_.second = value;
    }
    if (i < 2)
      out_.assigns =
          out_.assigns || (word.quoted ? is_subscript(text_.substr(word.begin, word.end - word.begin))
                                       : is_assignment_sign(value));
    const bool had_path = has_path(out_);
    const bool sentence = word.quoted && value.find(' ') != value.npos;
    out_.sentence = out_.sentence || sentence;
    if (sentence && path_kind(value) == Path::kRelative) {
      out_.other = true;
    } else {
      read_path(value, drives_, out_);
      if (!had_path && !has_path(out_) && word.end - word.begin > value.size())
        read_path(spelled(text_, word), drives_, out_);
      classify(word);
    }
    behind_option_ = false;
  }

  // Kinds of arguments besides paths.
  void classify(const Token& word) noexcept {
    const std::string_view value = word.value;
    if (is_address(value) || (copies_ && is_remote_file(value))) {
      out_.address = true;
    } else if (is_number(value)) {
      ++out_.numbers;
    } else if (is_glob(value)) {
      out_.glob = true;
    } else if (has_extension(value)) {
      out_.file_name = true;
    } else if (is_plain_word(value)) {
      if (!behind_option_ && !word.quoted) ++out_.loose;
    } else if (!value.empty()) {
      out_.other = true;
    }
  }

  // The first argument may decide for all of them.
  void read_first() noexcept {
    if (words_.empty()) return;
    const Token& word = words_[0];
    out_.signs = words_.size() == 1 && !word.quoted && !out_.option && !out_.expands && is_signs(word.value);
    out_.odd = is_odd(word);
    const bool names = has_path(out_) || out_.file_name || out_.lists || out_.address;
    out_.prose = !word.quoted && !word.unknown && !word.variable && !out_.option && !names &&
                 ends_as_prose(word.value);
  }

  std::string_view text_;
  std::span<const Token> words_;
  bool windows_ = false;  // its options begin with a slash too
  bool drives_ = false;   // its paths may begin with a letter and a colon
  bool copies_ = false;   // takes HOST:FILE
  bool behind_option_ = false;
  Arguments out_;
};

}  // namespace

Arguments read_arguments(std::string_view text, std::span<const Token> words, std::span<const Token> targets,
                         const Command& command) noexcept {
  ArgumentReader reader(text, words, command);
  count_steps(20 + 20 * words.size());
  Arguments out = reader.run();
  for (const Token& target : targets) {
    // A command of Windows has no paths of Unix.
    const bool ignored = !reads_input(command) && path_kind(target.value) != Path::kSecret;
    if (target.sign == Sign::kFrom && (ignored || (reader.drives() && target.value.starts_with('/'))))
      continue;
    read_target(text, target, out);
  }
  return out;
}

}  // namespace wafd::detect::shell
