// CommandReader, second half: judges a command that was read to its end.
#include <algorithm>
#include <cstring>

#include "detect/analyze/shell/command_reader.h"
#include "detect/analyze/shell/paths.h"
#include "detect/analyze/shell/windows_words.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::shell {
namespace {

constexpr std::size_t kMaxBraceWords = 16;
constexpr std::size_t kMaxPatterns = 128;
constexpr std::size_t kMaxFewLines = 3;
constexpr std::size_t kMaxSequenceBytes = 128;  // of a name with sequences in it
constexpr std::size_t kMaxLookups = 8;          // of variables in the text before them
constexpr std::size_t kMaxSentenceBytes = 32;
constexpr ByteFinder kWindowsSigns("^%\\`\"");

// A program that only a pattern names: /???/c?t
constexpr CommandRow kPatternProgram{"", Family::kReads, Takes::kFiles, Usage::kTerm, System::kBoth};

bool is_code_option(std::string_view word) noexcept {
  static constexpr WordSet kOptions({"-c", "-e", "-x", "-ic", "-lc", "--command", "--exec", "/c"});
  return kOptions.has(word);
}

// More than a name: words, signs between commands, or what a shell would take quotes from.
bool is_code(std::string_view value) noexcept {
  return value.find_first_of(" \t\n;|&'\"\\`$") != std::string_view::npos;
}

// 5, 1.5s, /, A=b, {}: what wrappers take before the command.
bool is_operand(std::string_view word) noexcept {
  return word.empty() || is_digit(word[0]) || word == "/" || word == "{}" || word == "." || word == "-" ||
         word == "--" || word.find('=') != std::string_view::npos || word.starts_with("0x");
}

// su root -c id: what stands behind the option for code; npos if nothing does.
std::size_t code_of(std::span<const Token> words, std::size_t at) noexcept {
  for (; at + 1 < words.size(); ++at) {
    if (words[at].value == "-c" || words[at].value == "--command") return at + 1;
  }
  return std::string_view::npos;
}

// The command that words[at], a wrapper, runs; npos if none is to be seen.
std::size_t inner_of(std::span<const Token> words, std::size_t at, const CommandRow& wrapper) noexcept {
  constexpr std::size_t kNone = std::string_view::npos;
  // a file, a user, a mask
  bool spare = wrapper.usage == Usage::kTerm || wrapper.has(Takes::kFiles) || wrapper.has(Takes::kNames);
  bool behind_option = false;
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    const std::string_view word = words[i].value;
    if (is_code_option(word) && i + 1 < words.size()) return i + 1;
    if (is_option(word)) {
      behind_option = true;
      continue;
    }
    const Command command = find_command(word);
    // timeout -s KILL 5 id
    const bool value = behind_option && command.odd_case;
    // flock . id: the builtin "." is run by no program
    const bool name = command.row != nullptr && !value && word != ".";
    if (name || is_code(word) || words[i].variable || is_program_path(word)) return i;
    if (!is_operand(word)) {
      if (!behind_option && !spare) return code_of(words, i);
      spare = spare && behind_option;
    }
    behind_option = false;
  }
  return kNone;
}

bool runs_by_option(std::span<const Token> words) noexcept {
  static constexpr WordSet kOptions({"-exec", "-execdir", "-ok", "-okdir", "-wrapper"});
  return std::any_of(words.begin(), words.end(), [](const Token& word) { return kOptions.has(word.value); });
}

// psql, docker: products that people name. visudo, ansible-console are no name of anything else.
bool is_only_a_command(const CommandRow& row) noexcept {
  const bool product =
      row.family == Family::kManages || row.family == Family::kInterprets || row.family == Family::kConnects;
  return row.text.size() > 3 && (!product || row.text.find_first_of("-_") != std::string_view::npos);
}

// ssh -p 22 user@host: a log-in, which instructions and settings name. What runs a command, there or by an
// option (ProxyCommand), is none (ssh(1)).
bool is_log_in(const CommandRow& row, std::span<const Token> words) noexcept {
  static constexpr WordSet kClients({"ssh", "sftp", "mosh", "ssh-copy-id"});
  static constexpr std::string_view kWithValue = "BbcDEeFIiJLlmOopQRSWwP";
  if (!kClients.has(row.text)) return false;
  std::size_t operands = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i].value;
    if (words[i].variable || words[i].hidden || words[i].unknown || words[i].quoted) return false;
    if (ifind(word, "command") != word.npos || ifind(word, "exec") != word.npos ||
        ifind(word, "include") != word.npos)
      return false;
    if (!word.starts_with('-')) {
      ++operands;
    } else if (word.size() == 2 && kWithValue.find(word[1]) != kWithValue.npos && i + 1 < words.size()) {
      ++i;
      if (ifind(words[i].value, "command") != words[i].value.npos || word[1] == 'F' || word[1] == 'E' ||
          word[1] == 'S' || words[i].variable || words[i].hidden || words[i].unknown)
        return false;
    }
  }
  return operands == 1;
}

// don't: what is taken for a quoted string begins inside of a word and runs over the line's end.
bool has_apostrophe(std::string_view text, std::span<const Token> words) noexcept {
  return std::any_of(words.begin(), words.end(), [text](const Token& word) {
    const std::string_view spelled = text.substr(word.begin, word.end - word.begin);
    const std::size_t at = spelled.find('\'');
    return at != spelled.npos && at > 0 && is_alpha(spelled[at - 1]) && at + 1 < spelled.size() &&
           is_alpha(spelled[at + 1]) && spelled.find('\n', at) != spelled.npos;
  });
}

// id>5, top < 10: a comparison of a filter. No file is called so; the number of 2>&1 is a descriptor.
bool compares_with_number(std::string_view text, std::span<const Token> targets) noexcept {
  return targets.size() == 1 && !text.substr(0, targets[0].begin).ends_with('&') &&
         (targets[0].sign == Sign::kTo || targets[0].sign == Sign::kFrom) && !targets[0].value.empty() &&
         targets[0].value.find_first_not_of("0123456789.") == std::string_view::npos;
}

// <computing, parallel> …: names in angle brackets, with a comma behind the first.
bool reads_list(std::span<const Token> targets) noexcept {
  return targets.size() > 1 && targets[0].sign == Sign::kFrom && !targets[0].quoted &&
         targets[0].value.ends_with(',') && targets[1].sign == Sign::kTo;
}

// --verbose, --file=x: not "--Milton." behind a citation
bool is_long_option(std::string_view word) noexcept {
  return word.starts_with("--") && word.size() > 2 && !word.ends_with('.');
}

std::string_view extension_of(std::string_view word) noexcept {
  const std::size_t dot = word.rfind('.');
  return dot == word.npos ? std::string_view() : word.substr(dot + 1);
}

// A word, or what input is read from, is a file as applications have them: a.php, not the guide.pdf of a
// list. What interprets has programs.
bool names_server_file(std::span<const Token> words, std::span<const Token> targets,
                       bool interprets) noexcept {
  static constexpr WordSet kFiles({"php", "conf", "cnf", "cfg",  "ini",  "py",  "rb",  "pl",
                                   "sh",  "sql",  "env", "yml",  "yaml", "log", "pem", "key",
                                   "db",  "jsp",  "asp", "aspx", "bak",  "inc"});
  static constexpr WordSet kPrograms({"js", "jar", "lua", "txt", "html", "cjs", "mjs", "class"});
  const auto names = [interprets](const Token& word) {
    const std::string_view extension = extension_of(word.value);
    return kFiles.has(extension) || (interprets && kPrograms.has(extension));
  };
  return std::any_of(words.begin(), words.end(), names) ||
         std::any_of(targets.begin(), targets.end(),
                     [&](const Token& target) { return target.sign == Sign::kFrom && names(target); });
}

// a.pdf: a document, and no host.
bool names_document(std::span<const Token> words) noexcept {
  static constexpr WordSet kDocuments({"pdf", "doc", "docx", "xls", "xlsx", "ppt", "txt", "zip", "jpg",
                                       "jpeg", "png", "gif", "mp3", "mp4", "html", "htm", "md", "csv"});
  return std::any_of(words.begin(), words.end(),
                     [](const Token& word) { return kDocuments.has(extension_of(word.value)); });
}

// The name in $name, ${name…}; empty: another expansion.
std::string_view expanded_name(std::string_view spelled) noexcept {
  spelled.remove_prefix(std::min(spelled.find_first_not_of("\"'"), spelled.size()));
  if (!spelled.starts_with('$')) return {};
  spelled.remove_prefix(spelled.starts_with("${") ? 2 : 1);
  std::size_t size = 0;
  while (size < spelled.size() && is_name_byte(spelled[size])) ++size;
  return size == 0 || is_digit(spelled[0]) ? std::string_view() : spelled.substr(0, size);
}

// ${a#x}, "${a%x}", c${a^^}t, ${!:-id}: an expansion that makes something else of a parameter (POSIX.1-2017
// XCU 2.6.2, bash manual 3.5.3) in the place of a command's name. Other languages have names and signs of
// arithmetic in such braces.
bool computes_name(std::string_view spelled) noexcept {
  static constexpr std::string_view kSpecial = "!?#-$@*";
  for (std::size_t at = spelled.find("${"); at != spelled.npos; at = spelled.find("${", at + 2)) {
    const std::string_view inside = spelled.substr(at + 2);
    std::size_t end = 0;
    while (end < inside.size() && is_name_byte(inside[end])) ++end;
    const bool special = end == 0 && !inside.empty() && kSpecial.find(inside[0]) != inside.npos;
    if (special) end = 1;
    if (end == 0 || end + 1 >= inside.size()) continue;
    const char sign = inside[end];
    const char next = inside[end + 1];
    // ${font:-Arial} of settings and styles is read by its default; a special parameter has none.
    if (special && sign == ':' && std::string_view("-=+?").find(next) != std::string_view::npos) return true;
    if (special && sign != '#') continue;
    if (sign == '#' || (sign == '%' && !is_digit(next) && !is_space(next)) ||
        (sign == '^' && !is_alnum(next)) || (sign == ',' && (next == ',' || next == '}')) ||
        (sign == '/' && next == '/'))
      return true;
  }
  return false;
}

// Of a shell nothing is left of it: a variable that nobody has set, a substitution that prints nothing.
bool comes_to_nothing(std::string_view text, const Token& word) noexcept {
  static constexpr std::array<std::string_view, 8> kEmpty{"$()",     "``",     "$(:)", "`:`",
                                                          "$(true)", "`true`", "$( )", "` `"};
  const std::string_view rest = text.substr(word.begin);
  const std::string_view spelled = rest.substr(0, word.end - word.begin);
  return (word.unknown && word.value.empty() && !word.quoted && !word.open) ||
         (word.open && word.value.empty() &&
          std::any_of(kEmpty.begin(), kEmpty.end(), [rest](auto one) { return rest.starts_with(one); })) ||
         (spelled.starts_with("${") && spelled.find('}') + 1 == spelled.size() &&
          (spelled.ends_with(":-}") || spelled.find(":+") != spelled.npos));
}

bool separates(Sign sign) noexcept {
  return sign == Sign::kSemicolon || sign == Sign::kPipe || sign == Sign::kAnd || sign == Sign::kOr ||
         sign == Sign::kNewline || sign == Sign::kAmpersand;
}

// Whether a command may begin behind `lead`.
bool may_begin_command(std::string_view lead) noexcept {
  const std::size_t last = lead.find_last_not_of(" \t");
  if (last == lead.npos) return true;
  lead = lead.substr(0, last + 1);
  return std::string_view(";|\n").find(lead.back()) != lead.npos || lead.ends_with("&&");
}

// Whether the text gives the variable a value as shells do, where a command begins: a=, a+=, a[1]=, ${a:=…},
// for a, read a.
bool assigns(std::string_view text, std::string_view name) noexcept {
  static constexpr WordSet kBefore({"for", "read", "select"});
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::string_view behind = text.substr(at + name.size());
    const std::string_view lead = text.substr(0, at);
    if (!behind.empty() && is_name_byte(behind[0])) continue;
    if (lead.ends_with("${") && (behind.starts_with(":=") || behind.starts_with('='))) return true;
    const bool sets = behind.starts_with('[') || behind.starts_with("+=") ||
                      (behind.size() > 1 && behind[0] == '=' && !is_space(behind[1]) && behind[1] != '=');
    if (sets && may_begin_command(lead)) return true;
    const std::size_t last = lead.find_last_not_of(" \t");
    if (last == lead.npos || last + 1 == lead.size()) continue;
    const std::string_view words = lead.substr(0, last + 1);
    const std::size_t begin = words.find_last_of(" \t;&|\n(") + 1;
    if (kBefore.has(words.substr(begin)) && may_begin_command(words.substr(0, begin))) return true;
  }
  return false;
}

// What $name or ${name…} is given, or does, in other languages: $a = 1, $a->b, $a++, $a.b
bool is_other_use(std::string_view behind) noexcept {
  const std::string_view next = behind.substr(std::min(behind.find_first_not_of(" \t"), behind.size()));
  return next.starts_with('=') || next.starts_with("->") || next.starts_with("++") || next.starts_with('.') ||
         next.starts_with('[');
}

// At most `most`. Of a form too, whose plus signs are still there.
std::size_t count_words(std::string_view text, std::size_t most) noexcept {
  static constexpr ByteFinder kBetween(" \t\n+");
  std::size_t words = 0;
  for (std::size_t at = 0; at < text.size() && words < most;) {
    const std::size_t end = kBetween.find(text, at);
    if (end - at > 1 && is_plain_word(text.substr(at, end - at))) ++words;
    at = end + 1;
  }
  return words;
}

}  // namespace

// The name that a word in a command's place has; `hidden` is set if its spelling hides it.
Command CommandReader::command_of(const Token& word, bool& hidden) noexcept {
  Command command = find_command(word.value);
  const std::string_view spelled = text_.substr(word.begin, word.end - word.begin);
  if (command.row != nullptr) {
    hidden = !command.odd_case && (hidden || word.hidden || word.variable);
    return command;
  }
  if (kWindowsSigns.find(spelled, 0) < spelled.size()) {
    command = find_command(spelled);
    if (command.row != nullptr && command.row->system != System::kUnix) return command;
    Value value;
    append_windows_word(spelled, value);
    command = find_command(value.view());
    // Many a system of Windows has tools of Unix, too.
    if (command.row != nullptr &&
        (command.row->system != System::kUnix || spelled.find('^', 1) + 1 < spelled.size())) {
      hidden = true;
      return command;
    }
    command = {};
  }
  // Each is compared with every program; a text with so many is made of them.
  if (is_program_pattern(word.value) && (++patterns_ > kMaxPatterns || glob_names_program(word.value))) {
    command.row = &kPatternProgram;
    command.program_path = hidden = true;
  }
  return command;
}

// One command with all that is known of it, while its weight is found.
struct CommandReader::Weighing {
  const Command& command;
  const Arguments& arguments;
  std::span<const Token> words;
  std::span<const Token> rest;  // behind the command's name
  std::size_t end;
  bool hidden;
  bool in_wrapper;  // timeout 1 id; or behind variables that are not set: $x id
  bool wrapped;     // by what is no everyday word
  bool alone;       // no arguments and no redirections
  bool leading;     // the text begins with it
  bool runs;        // by an option: find -exec
  bool first;       // behind the separator that the text begins with
  bool code_span = false;
  int weight = 0;

  bool is(Family family) const noexcept { return command.row->family == family; }
  bool is(Usage usage) const noexcept { return command.row->usage == usage; }
};

CommandReader::Unwrapped CommandReader::unwrap(std::span<const Token> words, std::size_t end, bool hidden) {
  Unwrapped out{words, hidden};
  // $x $y id, $() id: what comes to nothing is no word
  std::size_t first = 0;
  while (first + 1 < words.size() && comes_to_nothing(text_, words[first])) ++first;
  const bool behind_sign = frame().reach.sign != Sign::kNone || origin_ != nullptr;
  if (first != 0 && (first == 1 || behind_sign) && command_of(words[first], out.hidden).row != nullptr) {
    out.hidden = true;
    out.at = first;
  }
  while (true) {
    const Token& word = words[out.at];
    // A word that a variable holds is split again.
    if (word.variable && word.value.find_first_of(" \t;") != std::string_view::npos) {
      read_inside(word.value, end);
      return out.ended(true);
    }
    if (word.variable && read_split(word.value, end)) return out.ended(true);
    out.command = command_of(word, out.hidden);
    if (out.command.row == nullptr) {
      judge_unknown(out.words.subspan(out.at), end);
      return out.ended(false);
    }
    // name(…): a call of another language.
    if (word.end < text_.size() && text_[word.end] == '(' && origin_ == nullptr) return out.ended(false);
    if (out.command.row->family != Family::kWraps) return out;
    const std::size_t inner = inner_of(out.words, out.at, *out.command.row);
    if (inner == std::string_view::npos) return out;
    if (is_code(words[inner].value) && !words[inner].variable) {
      if (out.command.row->usage == Usage::kTerm) emit(2, out.hidden, end);
      read_inside(words[inner].value, end);
      return out.ended(true);
    }
    out.wrapped = out.wrapped || out.command.row->usage == Usage::kTerm;
    // The others are names of signals.
    if (out.command.row->text == "trap") out.words = words.first(inner + 1);
    out.at = inner;
  }
}

bool CommandReader::judge(std::span<const Token> all, std::size_t end, bool hidden) {
  const Token& name = all.front();
  if (separates(frame().reach.sign) && name.end <= text_.size() && name.begin < name.end &&
      computes_name(text_.substr(name.begin, name.end - name.begin))) {
    emit(2, true, end);
    return true;
  }
  const Unwrapped unwrapped = unwrap(all, end, hidden);
  if (unwrapped.prints) return *unwrapped.prints;
  const Command& command = unwrapped.command;
  const std::span<const Token> rest = unwrapped.words.subspan(unwrapped.at + 1);
  remember(command, rest);
  const Arguments arguments = read_arguments(text_, rest, targets(), command);
  // Without a file it is an error, and the full stop of a sentence.
  if (arguments.words == 0 && targets().empty() && command.row->text == ".") return false;
  // `notes`.`id` = 10: a column of a table
  if (command.row->text == "." && unwrapped.words.front().open) return false;
  Frame& now = frame();
  Weighing w{command,
             arguments,
             unwrapped.words,
             rest,
             end,
             unwrapped.hidden,
             unwrapped.at > 0,
             unwrapped.wrapped,
             arguments.words == 0 && targets().empty(),
             now.reach.sign == Sign::kNone && origin_ == nullptr,
             runs_by_option(rest) &&
                 (command.row->family == Family::kReads || command.row->family == Family::kManages),
             now.reach.sign != Sign::kNone && skip_space(text_, 0) >= now.reach.begin};
  w.weight = w.runs ? 3 : weight_of(command, arguments, now.reach.pipe);
  weigh_wrapper(w);
  weigh_in_front(w);
  weigh_code_span(w);
  weigh_name(w);
  weigh_behind_sign(w);
  weigh_as_prose(w);
  weigh_target(w);
  weigh_behind_url(w);
  weigh_in_list(w);
  report_alias(w);
  if (now.split && w.words.size() > 1)
    out_.add(ShellEvidence::kSplitWord, Certainty::kCertain, now.reach.begin, end, w.words.front().value);
  emit(std::min(w.weight, 3), w.hidden, end, arguments.secret);
  return arguments.words > 0 || arguments.here_string || arguments.input || command.row->has(Takes::kAlone);
}

// A wrapper around no command that is known.
void CommandReader::weigh_wrapper(Weighing& w) noexcept {
  if (!w.is(Family::kWraps) || w.weight != 0) return;
  const Arguments& a = w.arguments;
  const bool term = w.is(Usage::kTerm);
  const bool waits = a.numbers == 1 && a.words == 1 && frame().reach.sign != Sign::kNone;
  w.weight = waits                                           ? 1
             : a.input || (term && (a.rooted || a.relative)) ? 2
             : (term || a.numbers > 0) && a.option           ? 1
             : a.option && a.loose == 0 && !w.leading        ? 2
                                                             : 0;
}

// At the text's begin, between names in a sentence, inside of a wrapper.
void CommandReader::weigh_in_front(Weighing& w) noexcept {
  const Arguments& a = w.arguments;
  const Reach& reach = frame().reach;
  const bool only_words = a.words == a.loose && a.words > 0 && !w.is(Usage::kTerm);
  const bool log_in = w.leading && targets().empty() && is_log_in(*w.command.row, w.rest);
  if (w.leading && !w.runs && (w.is(Family::kManages) || only_words || log_in))
    w.weight = std::min(w.weight, 1);
  if (w.leading && w.rest.empty() && compares_with_number(text_, targets())) w.weight = 0;
  // R & D net user groups: & and | join names in sentences.
  const bool joins = reach.sign == Sign::kAmpersand || reach.sign == Sign::kPipe;
  if (joins && !reach.apart && only_words && a.loose > 1) w.weight = std::min(w.weight, 1);
  if (w.wrapped && (w.weight > 0 || (w.alone && w.is(Usage::kTerm)))) ++w.weight;
  // nohup psql, sudo curl: two names of commands and nothing else
  if (w.alone && w.in_wrapper && !w.hidden && !w.is(Usage::kWord))
    w.weight = std::max(w.weight, (w.wrapped ? 1 : 0) + (w.is(Usage::kTerm) ? 1 : 0));
  if (frame().broken) w.weight = std::max(w.weight - 1, 0);
  // The reading is that of a shell of Unix outside of quotes; in double quotes substitutions are run still.
  // cmd.exe, which knows no semicolon, reads such a line on, and has interpreters and what people install.
  const bool of_unix =
      w.command.row->system == System::kUnix && !w.is(Family::kInterprets) &&
      (reach.sign == Sign::kSemicolon || !(w.is(Family::kManages) || w.is(Family::kConnects)));
  const bool separated =
      reach.sign == Sign::kSemicolon || joins || reach.sign == Sign::kAnd || reach.sign == Sign::kOr;
  if (refused_ && separated && of_unix && origin_ == nullptr && !w.hidden) w.weight = 0;
}

// A word between backticks, in a sentence.
void CommandReader::weigh_code_span(Weighing& w) {
  const Reach& reach = frame().reach;
  // `id;x`: names have no separator behind them.
  const bool separated =
      w.end < text_.size() && std::string_view(";|&").find(text_[w.end]) != std::string_view::npos;
  w.code_span =
      w.alone && reach.sign == Sign::kBacktick && !w.hidden && !separated && in_sentence(reach.begin, w.end);
  if (w.code_span) {
    if (w.weight > 0 && !w.is(Family::kManages))
      out_.add(ShellEvidence::kCodeSpan, Certainty::kPossible, reach.begin, w.end, w.command.row->text);
    w.weight = 0;
  }
  if (w.command.program_path && !w.command.odd_case) w.weight = std::max(w.weight, 2);
}

// Alone it may be the name of a field, a country, a folder.
void CommandReader::weigh_name(Weighing& w) {
  const Reach& reach = frame().reach;
  const bool term = w.is(Usage::kTerm);
  if (w.alone && !w.in_wrapper && w.leading && !w.hidden) {
    w.weight = term ? std::min(w.weight, 1) : 0;
    if (term && w.weight == 0 && !w.command.odd_case && is_only_a_command(*w.command.row))
      out_.add(ShellEvidence::kCommandName, Certainty::kLikely, reach.begin, w.end, w.command.row->text);
  }
  const bool close = w.first && text_.substr(reach.begin).find_first_of(" \t") != 1;
  if (w.weight == 0 && w.alone && w.first && !w.code_span && !w.command.odd_case &&
      (!w.is(Usage::kWord) || close))
    w.weight = 1;
}

// ;cat a b c d e /etc/hosts, ;rm = x: words and signs around what a command is for make it no sentence and
// no assignment. Directly behind the separator there is none, whatever the name is.
void CommandReader::weigh_target(Weighing& w) noexcept {
  const Arguments& a = w.arguments;
  const Sign sign = frame().reach.sign;
  if (sign == Sign::kNone || w.command.odd_case) return;
  const std::size_t begin = w.words.front().begin;
  const bool blank = begin > 0 && begin <= text_.size() && is_space(text_[begin - 1]);
  const bool word = w.is(Usage::kWord);
  const bool line = sign == Sign::kNewline;
  const bool file = a.rooted && w.command.row->has(Takes::kFiles);
  // id = x fails; what takes files, hosts or code does what it can with the rest.
  const CommandRow& row = *w.command.row;
  const bool uses = row.has(Takes::kFiles) || row.has(Takes::kHosts) || row.has(Takes::kCode);
  if (a.assigns && uses && !line && !word && (!blank || w.is(Usage::kTerm) || file)) {
    Arguments bare = a;
    bare.assigns = false;
    w.weight = std::max(w.weight, weight_of(w.command, bare, frame().reach.pipe));
  }
  // Echo & Cat: the signs join names in sentences.
  const bool joins = blank && (sign == Sign::kAmpersand || sign == Sign::kPipe) && !w.is(Usage::kTerm);
  // ;echo a b c>x.html, ;echo a b c $PATH
  if (w.is(Family::kPrints) && !blank && !line && (a.output || a.expands)) w.weight = std::max(w.weight, 2);
  // ;gzip a.txt, ;tr a b<a.txt, ;node x.js: files directly behind the separator
  const bool begins = sign == Sign::kSemicolon || sign == Sign::kAnd || sign == Sign::kOr;
  const bool takes = w.is(Family::kReads) || w.is(Family::kChanges) || w.is(Family::kInterprets);
  const bool given = (w.command.row->has(Takes::kFiles) || a.input) &&
                     names_server_file(w.rest, targets(), w.is(Family::kInterprets));
  if (begins && !blank && takes && given && !a.foreign && a.loose <= 1 + (a.input ? 1u : 0u))
    w.weight = std::max(w.weight, 2);
  // ;cat>a.html, ;wget x x x x a.example, ;sh a.sh x x x x
  const bool host = w.is(Family::kConnects) && a.file_name && !names_document(w.rest);
  const bool script = w.is(Family::kInterprets) && is_script_name(a.first);
  if (!blank && !line && ((a.words == 0 && a.output && writes_page()) || (a.loose > 2 && (host || script))))
    w.weight = std::max(w.weight, 2);
  if (a.loose < 2 || (word && (blank || line)) || (joins && !a.secret && !a.last_rooted)) return;
  const bool files = w.is(Family::kReads) || w.is(Family::kChanges);
  if (a.secret || file || (a.address && w.is(Family::kConnects) && !line))
    w.weight = std::max(w.weight, line && !a.last_rooted ? 1 : 2);
  else if (files && (a.file_name || a.glob || (a.relative && !word)) && !line)
    w.weight = std::max(w.weight, blank ? 1 : 2);
}

// http://a.example/&cat x: no URL has a blank, and one without a question mark has no parameters.
void CommandReader::weigh_behind_url(const Weighing& w) noexcept {
  Reach& reach = frame().reach;
  if (reach.of_url && !w.is(Usage::kWord) && !(w.alone && reach.queried)) reach.weak = false;
}

// A few words behind a separator: as likely two words as a command and its file.
void CommandReader::weigh_behind_sign(Weighing& w) noexcept {
  if (w.weight != 0 || w.command.odd_case) return;
  const Arguments& a = w.arguments;
  Reach& reach = frame().reach;
  const bool few = a.words <= 3 && !a.assigns;
  // ;head x
  const bool separated = reach.sign != Sign::kNone && reach.sign != Sign::kNewline && reach.apart;
  const bool file = few && a.words > 0 && separated && w.command.row->has(Takes::kFiles) && !a.foreign &&
                    !is_space(text_[std::min(reach.begin + 1, text_.size() - 1)]);
  // ; git x: as all of a value
  const bool ends_other = reach.sign == Sign::kSemicolon || reach.sign == Sign::kPipe ||
                          reach.sign == Sign::kAnd || reach.sign == Sign::kOr;
  const bool all = few && a.words > 0 && w.first && ends_other;
  // x;tclsh, x|cc a.c: nothing else is called so, or there is no blank before the name and only a file
  // behind it
  const bool named =
      ends_other && !w.code_span &&
      (w.alone ? w.is(Usage::kTerm)
               : few && !a.foreign && !w.is(Usage::kWord) && (w.is(Usage::kTerm) || a.file_name));
  if (!file && !all && !named) return;
  w.weight = 1;
  reach.apart = false;
}

// The line's last word ends as a sentence does, and there is nothing but words in it.
bool CommandReader::ends_sentence(const Weighing& w) const noexcept {
  if (!w.is(Usage::kWord) || w.arguments.loose < 3 || w.hidden || w.arguments.option || !targets().empty())
    return false;
  const std::string_view last = w.rest.back().value;
  return (last.ends_with('.') || last.ends_with('?')) &&
         std::all_of(w.rest.begin(), w.rest.end(), [](const Token& word) {
           return !word.quoted && !word.hidden && !word.unknown && !word.variable &&
                  is_plain_word(word.value);
         });
}

// John; id 12345: behind a sign with a blank, a word and numbers, or the words of a sentence, are as likely
// prose. Nobody leaves the blank out there.
void CommandReader::weigh_as_prose(Weighing& w) noexcept {
  const Arguments& a = w.arguments;
  Reach& reach = frame().reach;
  const std::size_t begin = std::min(w.words.front().begin, text_.size());
  const bool blank_behind =
      reach.sign != Sign::kNone && reach.sign != Sign::kNewline && begin > 0 && is_space(text_[begin - 1]);
  const bool numbers = a.words > 0 && a.numbers == a.words && !w.command.row->has(Takes::kNumbers);
  // which don't allow …
  if (reach.sign == Sign::kNewline && w.is(Usage::kWord) && !a.secret && !a.rooted && !w.hidden &&
      has_apostrophe(text_, w.rest)) {
    w.weight = std::min(w.weight, 1);
    reach.apart = false;
  }
  // Another line of a sentence: "more waste and\nmore of the other lawyers."
  if (reads_list(targets()) || (reach.sign == Sign::kNewline && ends_sentence(w))) {
    w.weight = std::min(w.weight, 1);
    reach.apart = false;
  }
  if (blank_behind && !w.is(Usage::kTerm) && !a.option && (numbers || a.prose)) {
    w.weight = std::min(w.weight, 1);
    reach.apart = false;
  }
  // Everyone tells in lines of && how packages, services and builds are managed.
  if (w.is(Family::kManages) && (reach.sign == Sign::kAnd || reach.sign == Sign::kOr)) reach.apart = false;
}

// { user { id } } of GraphQL, which queries hold as well.
bool CommandReader::is_selection_set() const noexcept {
  return text_.find('{') != std::string_view::npos && trim_space(text_).ends_with('}');
}

void CommandReader::weigh_in_list(Weighing& w) noexcept {
  if (!w.alone || w.is(Usage::kTerm)) return;
  Reach& reach = frame().reach;
  const bool list = in_list(reach, w.end);
  if (list || (reach.sign == Sign::kNewline && !reach.apart)) w.weight = std::min(w.weight, 1);
  if (list) reach.apart = false;
  // One of many lines with a name each, as queries and structures of data have them
  if (reach.sign == Sign::kNewline && lines_ > kMaxFewLines && !w.hidden &&
      (has_lines_ || is_selection_set()))
    w.weight = 0;
}

void CommandReader::report_alias(const Weighing& w) {
  if (w.command.row->text != "alias" || w.rest.empty()) return;
  const std::string_view value = w.rest.front().value;
  if (value.find('=') == std::string_view::npos) return;
  const std::string_view meant = value.substr(value.find('=') + 1);
  const bool known = find_command(meant.substr(0, meant.find(' '))).row != nullptr;
  out_.add(ShellEvidence::kAlias, known ? Certainty::kLikely : Certainty::kPossible, frame().reach.begin,
           w.end, value);
}

// Two words and more stand beside the code span from `begin` to `end`.
bool CommandReader::in_sentence(std::size_t begin, std::size_t end) const noexcept {
  const std::string_view before = text_.substr(begin > kMaxSentenceBytes ? begin - kMaxSentenceBytes : 0,
                                               std::min(begin, kMaxSentenceBytes));
  const std::string_view behind = text_.substr(std::min(end + 1, text_.size()), kMaxSentenceBytes);
  constexpr std::size_t kFew = 2;
  const std::size_t words = count_words(before, kFew);
  return words >= kFew || words + count_words(behind, kFew - words) >= kFew;
}

// Records functions and variables that the command defines.
void CommandReader::remember(const Command& command, std::span<const Token> words) {
  if (words.empty()) return;
  if (command.row->text == "set") {
    const Token& last = words.back();
    const Token& first = words[words.size() > 1 && words.front().value == "--" ? 1 : 0];
    variables_.set("@", &first == &last ? first.value : text_.substr(first.begin, last.end - first.begin));
    variables_.set("1", first.value);
  } else if (command.row->text == "read" && !targets().empty()) {
    variables_.set(words.back().value, targets().front().value);
  } else if (command.row->family == Family::kDeclares) {
    for (const Token& word : words) {
      const std::size_t equals = word.value.find('=');
      if (equals != std::string_view::npos)
        variables_.set(word.value.substr(0, equals), word.value.substr(equals + 1));
    }
  }
}

// An expansion in the place of a command's name.
void CommandReader::judge_expanded(std::span<const Token> words, std::size_t end) {
  const Token& word = words.front();
  const std::string_view value = word.value;
  Frame& now = frame();
  // A variable that the text itself has set is the command's name, whatever is made of its value.
  const std::string_view expanded = expanded_name(text_.substr(word.begin, word.end - word.begin));
  const bool runs = separates(now.reach.sign);
  if (runs && text_.substr(word.begin).starts_with("${!"))
    return emit(2, true, end);  // what a variable names
  if (!expanded.empty() && !value.starts_with('=') && runs && ++lookups_ <= kMaxLookups &&
      !is_other_use(text_.substr(word.end)) && assigns(text_.substr(0, word.begin), expanded))
    return emit(2, true, end);
  // $a /etc/passwd
  const bool all = words.size() > 1 &&
                   std::all_of(words.begin(), words.end(), [](const Token& one) { return one.unknown; });
  const bool name =
      std::all_of(value.begin(), value.end(), [](char c) { return is_alnum(c) || c == '/' || c == '_'; });
  if (!name) return;
  const Arguments given = read_arguments(text_, words.subspan(1), targets(), {});
  if (!given.assigns && (given.secret || given.rooted || (all && now.reach.apart))) emit(1, true, end);
}

void CommandReader::judge_unknown(std::span<const Token> words, std::size_t end) {
  const Token& word = words.front();
  const std::string_view value = word.value;
  Frame& now = frame();
  if (is_batch_statement(text_, word.begin)) {
    out_.add(ShellEvidence::kBatch, Certainty::kLikely, now.reach.begin, end,
             text_.substr(word.begin, end - word.begin));
    return;
  }
  if ((value == "for" || value == "select") && words.size() > 3) {
    variables_.set(words[1].value, words[3].value);
    return;
  }
  // Lines of sqlite3 and of vi
  static constexpr WordSet kClient({".shell", ".system", ".sh"});
  if ((kClient.has(value) && words.size() > 1) ||
      (value.starts_with(":!") && find_command(value.substr(2)).row != nullptr)) {
    out_.add(ShellEvidence::kClientCommand, Certainty::kLikely, now.reach.begin, end,
             text_.substr(word.begin, end - word.begin));
    return;
  }
  // Read only where they count: most commands that nobody knows are words of a text.
  const auto arguments = [&] { return read_arguments(text_, words.subspan(1), targets(), {}); };
  // : >a.php empties the file
  if (value == ":" && words.size() == 1 && separates(now.reach.sign) && arguments().script_output)
    return emit(2, false, end);
  if (word.cuts && !word.value.empty())
    out_.add(ShellEvidence::kSplitWord, Certainty::kCertain, now.reach.begin, end,
             text_.substr(word.begin, end - word.begin));
  if (word.unknown && value.starts_with('=') && words.size() == 1) {
    // $x=whoami of PowerShell
    const Command assigned = find_command(value.substr(1));
    if (assigned.row != nullptr && assigned.row->usage == Usage::kTerm) emit(1, true, end);
    return;
  }
  if (word.unknown || word.variable || (word.open && value.empty())) return judge_expanded(words, end);
  int weight = weight_of_path(value, words.subspan(1));
  if (weight == 0 && now.reach.apart && words.size() > 1 && is_long_option(words[1].value))
    if (const Arguments given = arguments(); given.option && given.loose == 0 && given.first.empty())
      weight = 1;
  if (now.split && words.size() > 1)
    out_.add(ShellEvidence::kSplitWord, Certainty::kCertain, now.reach.begin, end, value);
  emit(weight, false, end);
}

// The path of a program that nobody knows by its name.
int CommandReader::weight_of_path(std::string_view path, std::span<const Token> rest) const {
  const Reach& reach = frames_.back().reach;
  const bool program = is_program_path(path) || path.starts_with("/tmp/") || path.starts_with("/dev/shm/") ||
                       path.starts_with("/var/tmp/") ||
                       (path.starts_with("/proc/") && path.ends_with("/exe"));
  const bool here = (path.starts_with("./") || path.starts_with("../") || path.starts_with("~/")) &&
                    path.find_first_not_of("./~") != path.npos;
  if ((!program && !here) || path.back() == '/') return 0;
  // As all of a value it is a path as others, and /usr/bin/x is where … a sentence.
  if (reach.sign == Sign::kNone && origin_ == nullptr) {
    const Arguments a = read_arguments(text_, rest, {}, {});
    const bool names = a.option || a.rooted || a.secret || a.address || a.file_name || a.relative || a.glob;
    if (!is_program_path(path) || (a.is_sentence() && !names)) return 0;
  }
  if (here) return reach.apart ? 2 : 1;
  return path.find(':') == path.npos ? 2 : 0;  // not /tmp/a.go:30 of a trace
}

// >x.php and </etc/passwd where a command is expected.
void CommandReader::judge_targets(std::size_t end) {
  const Arguments arguments = read_arguments(text_, {}, targets(), {});
  const Sign sign = frame().reach.sign;
  if (sign == Sign::kNone) return;
  const bool inside = sign == Sign::kSubstitution || sign == Sign::kBacktick || sign == Sign::kInput;
  // `<version`: as likely the name of something
  const bool word = sign == Sign::kBacktick && !targets().empty() && is_plain_word(targets().front().value);
  const bool reads = arguments.input && (arguments.secret || (inside && !word));
  emit(reads || arguments.script_output                                                              ? 3
       : (arguments.input && word) || (arguments.output && (arguments.rooted || writes_over_file())) ? 2
                                                                                                     : 0,
       false, end);
}

// ;>index.html: what a web server shows, with nothing between it and the signs
bool CommandReader::writes_page() noexcept {
  static constexpr WordSet kPages({"html", "htm", "js", "css", "txt", "json", "xml"});
  const std::string_view file = targets().empty() ? std::string_view() : targets().front().value;
  const std::size_t dot = file.rfind('.');
  return dot != file.npos && kPages.has(file.substr(dot + 1)) && text_[targets().front().begin - 1] == '>';
}

// ;>/srv/a/index.html: a redirection with no command behind a separator empties the file.
bool CommandReader::writes_over_file() noexcept {
  const Sign sign = frame().reach.sign;
  if (sign != Sign::kSemicolon && sign != Sign::kAnd && sign != Sign::kOr) return false;
  const std::string_view file = targets().empty() ? std::string_view() : targets().front().value;
  if (writes_page() && targets().front().begin == frame().reach.begin + 2) return true;
  return file.starts_with('/') && file.find('/', 1) != file.npos && file.find('.') != file.npos;
}

// c{a..a}t: a sequence of one letter in the name of a command. The first word of a longer one is its first.
bool CommandReader::judge_sequence(std::span<const Token> words, std::size_t end) {
  const Token& word = words.front();
  char* made = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0; i < word.value.size() && size < kMaxSequenceBytes; ++i) {
    const std::string_view rest = word.value.substr(i);
    const bool sequence = rest.size() >= 6 && rest[0] == '{' && is_alnum(rest[1]) && rest[2] == '.' &&
                          rest[3] == '.' && is_alnum(rest[4]) && rest[5] == '}';
    if (made == nullptr) {
      if (!sequence) continue;
      made = static_cast<char*>(memory_->allocate(kMaxSequenceBytes, 1));
      size = word.value.copy(made, std::min(i, kMaxSequenceBytes - 1));
    }
    made[size++] = rest[sequence ? 1 : 0];
    if (sequence) i += 5;
  }
  if (made == nullptr || size == 1) return false;
  std::pmr::vector<Token> read(words.begin(), words.end(), memory_);
  read.front().value = {made, size};
  frame().feeds = judge(read, end, true);
  return true;
}

// {cat,/etc/passwd}: a list in braces becomes the words of a command.
bool CommandReader::judge_braces(std::span<const Token> words, std::size_t end) {
  const Token word = words.front();
  if (judge_sequence(words, end)) return true;
  const std::size_t open = word.value.find('{');
  const std::size_t close = word.value.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      word.value.substr(open, close - open).find(',') == std::string_view::npos)
    return false;
  const std::string_view before = word.value.substr(0, open);
  const std::string_view behind = word.value.substr(close + 1);
  std::pmr::vector<Token> made(memory_);
  std::string_view list = word.value.substr(open + 1, close - open - 1);
  while (made.size() < kMaxBraceWords) {
    // An empty item that nothing stands around is no word.
    if (before.empty() && behind.empty())
      list.remove_prefix(std::min(list.find_first_not_of(','), list.size()));
    const std::size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    char* joined = static_cast<char*>(memory_->allocate(before.size() + item.size() + behind.size() + 1, 1));
    std::size_t size = before.copy(joined, before.size());
    // Lists inside of the list are read as a part of it.
    for (const char c : item)
      if (c != '{' && c != '}') joined[size++] = c;
    size += behind.copy(joined + size, behind.size());
    Token token = word;
    token.value = {joined, size};
    token.hidden = false;
    if (size != 0) made.push_back(token);
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  if (made.empty()) return false;
  // {id,name}: of a query
  const bool names =
      made.size() > 1 &&
      std::count(word.value.begin(), word.value.end(), ',') + 1 == static_cast<std::ptrdiff_t>(made.size()) &&
      std::all_of(made.begin(), made.end(),
                  [](const Token& one) { return is_plain_word(one.value) && !is_option(one.value); });
  if (names && words.size() == 1 && !(frame().reach.apart && frame().reach.sign != Sign::kNone)) return true;
  made.insert(made.end(), words.begin() + 1, words.end());
  frame().feeds = judge(made, end, true);
  return true;
}

// a=cat,x;$a once the text has set IFS. False if it has not.
bool CommandReader::read_split(std::string_view value, std::size_t end) {
  const std::string_view signs = variables_.get("IFS");
  if (signs.empty() || value.find_first_of(signs) == std::string_view::npos) return false;
  char* split = static_cast<char*>(memory_->allocate(value.size(), 1));
  std::transform(value.begin(), value.end(), split,
                 [signs](char c) { return signs.find(c) != std::string_view::npos ? ' ' : c; });
  read_inside({split, value.size()}, end);
  return true;
}

// Code that a command is given in a string.
void CommandReader::read_inside(std::string_view code, std::size_t end) {
  const int depth = origin_ != nullptr ? origin_->depth + 1 : 1;
  if (depth > kMaxNesting) return;
  Origin origin{frame().reach.begin, end, frame().reach, depth};
  if (origin_ != nullptr) {
    origin.begin = origin_->begin;
    origin.end = origin_->end;
  }
  origin.reach.apart = true;
  CommandReader(*this, code, origin).read(0, true);
}

}  // namespace wafd::detect::shell
