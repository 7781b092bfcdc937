#include "detect/analyze/shell/command_weight.h"

#include <algorithm>
#include <array>

#include "detect/analyze/shell/paths.h"
#include "detect/analyze/shell/subcommands.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::shell {
namespace {

bool is_subcommand(std::string_view name, std::string_view word) noexcept {
  std::array<char, 48> joined;
  if (word.empty() || name.size() + 1 + word.size() > joined.size()) return false;
  const auto end = std::copy(name.begin(), name.end(), joined.begin());
  *end = ' ';
  std::copy(word.begin(), word.end(), end + 1);
  return kSubcommands.has({joined.data(), name.size() + 1 + word.size()});
}

// Shared by the families below: the name of the command, and whether it could stand in a sentence.
struct Reading {
  const CommandRow& row;
  const Arguments& a;
  Pipe pipe;
  bool is_word() const noexcept { return row.usage == Usage::kWord; }
  // For a name that is no word the first, else the second.
  int by_name(int other, int word) const noexcept { return is_word() ? word : other; }
  // A file that is written as one. Prose has slashes and full stops in its words, and values of variables.
  bool file() const noexcept {
    return a.glob || a.input || (!is_word() && (a.file_name || a.expands || a.relative)) ||
           (a.words == 1 && a.relative);
  }
};

// which nc, type id
bool is_finder(std::string_view name) noexcept {
  static constexpr WordSet kFinders({"which", "type", "whereis", "man", "where"});
  return kFinders.has(name);
}
bool finds_command(std::string_view name) noexcept {
  const CommandRow* row = find_command(name).row;
  return row != nullptr && row->usage != Usage::kWord;
}

int informs(const Reading& r) noexcept {
  const Arguments& a = r.a;
  if (a.words == 0) return r.row.has(Takes::kAlone) ? r.by_name(2, 1) : 0;
  if (is_subcommand(r.row.text, a.first)) return a.loose <= 3 || a.option ? 2 : 1;
  if (a.loose > 2 && !a.option && !a.rooted) return 0;
  if (r.row.has(Takes::kFiles) && a.rooted) return r.by_name(3, 2);
  if (a.option) return r.row.usage == Usage::kTerm ? 3 : a.loose > 1 ? 1 : 2;
  if (r.row.has(Takes::kFiles) && r.file()) return 2;
  return a.loose > 0 && r.is_word() ? 0 : r.by_name(1, a.output ? 2 : 0);
}

int reads(const Reading& r) noexcept {
  const Arguments& a = r.a;
  if (a.calls) return 3;
  if (r.row.text == "." && !a.rooted && !a.relative && !a.file_name && !a.glob) return 0;
  if (a.rooted && a.loose <= (r.is_word() ? 0u : 1u)) return 3;
  if (a.rooted && a.option) return 3;
  if (a.here_string) return 3;
  if (a.words == 0 && r.pipe == Pipe::kFed && r.row.usage == Usage::kTerm) return 2;
  // where are you? which one? They look for commands, and read nothing.
  static constexpr WordSet kQuestions({"which", "where", "whereis", "man"});
  const bool question = kQuestions.has(r.row.text) && a.loose > 0 && !a.option && !a.relative;
  if (r.file() && !question) return a.loose <= 1 ? 2 : a.option ? 1 : 0;
  if (a.rooted || (a.words == 1 && a.file_name)) return 1;
  // Of what a pipe brings.
  if (a.option)
    return r.pipe != Pipe::kNone ? r.by_name(1, a.loose == 0 ? 1 : 0) : r.by_name(2, a.loose <= 1 ? 1 : 0);
  if (a.words == 1 && is_finder(r.row.text)) return finds_command(a.first) ? 1 : 0;
  return a.words == 1 && (a.loose == 1 || a.other) ? r.by_name(1, 0) : 0;
}

int changes(const Reading& r) noexcept {
  const Arguments& a = r.a;
  if (a.words == 0 && !a.input) return r.row.has(Takes::kAlone) ? r.by_name(2, 1) : 0;
  const bool file = r.file();
  if (a.loose > 2 && !a.option) return 0;
  if (a.rooted || (file && a.option)) return r.by_name(3, a.loose <= 1 ? 2 : 1);
  if (file) return r.by_name(2, a.loose == 0 ? 2 : 0);
  if (r.row.has(Takes::kNumbers) && a.numbers > 0 && a.loose == 0) return 2;
  if (a.option) return r.by_name(2, a.loose <= 1 ? 1 : 0);
  if (is_subcommand(r.row.text, a.first)) return 2;
  // xlsatoms 1.1.3: a release of it
  if (r.row.usage == Usage::kTerm) return a.words <= 2 && !a.foreign && a.numbers < a.words ? 2 : 1;
  return r.by_name(a.words <= 2 ? 1 : 0, 0);
}

int connects(const Reading& r) noexcept {
  const Arguments& a = r.a;
  const bool host = a.address || a.file_name || iequals(a.first, "localhost");
  // ping @team: only those that ask a server by name take it so (dig(1)).
  static constexpr WordSet kAskers({"delv", "dig", "drill", "kdig"});
  if (a.words == 1 && a.first.starts_with('@') && !kAskers.has(r.row.text)) return 0;
  if (a.loose > 2 && !a.option) return 0;
  if (host && (a.option || a.words <= 3)) return r.by_name(3, a.loose == 0 ? 2 : 1);
  if (a.option && (a.numbers > 0 || a.rooted || a.relative)) return r.by_name(3, 2);
  // tracert shows * * *: a program of the network takes no pattern beside words
  if (host || a.expands || (a.glob && a.loose == 0) || a.option) return r.by_name(2, a.loose == 0 ? 2 : 1);
  if (a.words == 1 && !a.odd) return r.by_name(a.other ? 2 : 1, 0);
  // socat tcp:a.example:99 exec:sh: nothing else is called so, and no word of a sentence follows
  return r.row.usage == Usage::kTerm && a.loose == 0 && a.other && !a.odd && a.words <= 4 ? 2 : 0;
}

int interprets(const Reading& r) noexcept {
  const Arguments& a = r.a;
  if (a.code_option || a.here_string) return 3;
  if (a.words == 0 && (a.input || r.row.has(Takes::kAlone))) return r.by_name(2, a.input ? 2 : 1);
  if (a.words == 0) return r.pipe == Pipe::kFed ? 3 : r.pipe == Pipe::kBehind ? r.by_name(1, 0) : 0;
  if (r.row.has(Takes::kNumbers) && a.numbers > 0 && a.loose == 0) return 2;
  if (a.loose > 2 && !a.option) return 0;
  if (a.rooted || a.input || is_script_name(a.first)) return r.by_name(3, 2);
  if (r.pipe == Pipe::kFed && (a.option || a.first == "-")) return 3;
  if (a.glob && a.loose == 0) return 2;
  if (r.file() || a.relative) return r.by_name(2, a.loose == 0 ? 1 : 0);
  if (a.option) return r.by_name(2, a.loose <= 1 ? 1 : 0);
  if (!r.row.has(Takes::kFiles)) return 0;
  if (a.address || a.other || a.quoted) return r.by_name(2, 0);
  return a.words == 1 ? r.by_name(1, 0) : 0;
}

int prints(const Reading& r) noexcept {
  const Arguments& a = r.a;
  if (a.script_output) return 3;
  // echo a b c * lists the folder's files.
  if (a.lists) return 2;
  if (a.words == 0 || a.loose > 2) return 0;
  if (a.sentence || a.odd) return a.output ? 1 : 0;
  if (a.output && a.loose <= 1) return 2;
  if (a.expands && a.loose <= 1) return 2;
  return a.words <= 2 || a.quoted || a.option ? 1 : 0;
}

// GNU's sleep adds up any number of times.
int waits(const Arguments& a) noexcept {
  if (a.loose > 0) return 0;
  return (a.numbers > 0 && (a.numbers == a.words || a.words <= 2)) || (a.expands && a.words <= 2) ? 2 : 0;
}

int manages(const Reading& r) noexcept {
  const Arguments& a = r.a;
  if (a.words == 0) return 0;
  if (a.code_option && a.loose == 0 && a.quoted) return 2;
  if (r.row.usage == Usage::kTerm) return a.option || a.rooted || a.relative || a.file_name ? 2 : 1;
  return a.option || is_subcommand(r.row.text, a.first) || is_subcommand(r.row.text, a.second) ? 1 : 0;
}

}  // namespace

int weight_of(const Command& command, const Arguments& arguments, Pipe pipe) noexcept {
  if (command.row == nullptr) return 0;
  const Reading reading{*command.row, arguments, pipe};
  const Family family = command.row->family;
  // cat = /etc/passwd reads that file, and says that "=" is none.
  if (arguments.signs || (arguments.assigns && !arguments.secret)) return 0;
  // Names that nothing else has, followed by a word of their own.
  const bool own = command.row->usage == Usage::kTerm && is_subcommand(command.row->text, arguments.first);
  if (own) return 2;
  if (arguments.is_sentence()) return 0;
  if (arguments.network) return 3;
  if (arguments.secret && family != Family::kPrints && family != Family::kWaits && arguments.loose <= 3)
    return 3;
  int weight = 0;
  switch (family) {
    case Family::kInforms:
      weight = informs(reading);
      break;
    case Family::kReads:
      weight = reads(reading);
      break;
    case Family::kChanges:
      weight = changes(reading);
      break;
    case Family::kConnects:
      weight = connects(reading);
      break;
    case Family::kInterprets:
      weight = interprets(reading);
      break;
    case Family::kPrints:
      weight = prints(reading);
      break;
    case Family::kWaits:
      weight = waits(arguments);
      break;
    case Family::kManages:
      weight = manages(reading);
      break;
    case Family::kDeclares:
      weight = command.row->has(Takes::kAlone) && (arguments.words == 0 || arguments.first.empty()) ? 1 : 0;
      break;
    case Family::kWraps:
      weight = arguments.words == 0 && command.row->has(Takes::kAlone) ? 2 : 0;
      break;
  }
  if (arguments.here_string && weight == 0) weight = 2;
  // <s*: no text but a shell's has the sign before a pattern of files
  if (arguments.input_pattern) weight = std::max(weight, 2);
  if (arguments.script_output && weight > 0) return 3;
  if (arguments.foreign && weight == 1) return 0;
  // Where names have a case, that is another word.
  if (command.odd_case) return arguments.words > 0 && weight == 3 && !reading.is_word() ? 1 : 0;
  return weight;
}

}  // namespace wafd::detect::shell
