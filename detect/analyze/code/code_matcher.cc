#include "detect/analyze/code/code_matcher.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "detect/analyze/code/calls.tsv.h"
#include "detect/analyze/code/expression.h"
#include "detect/analyze/code/telemetry.tsv.h"
#include "detect/analyze/code/words.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

using namespace code;

enum class CodeEvidence : std::uint8_t {
  kRuns,
  kLooksUp,
  kLoads,
  kImports,
  kLists,
  kCommand,
  kSends,
  kExpression,
  kQueryCall,
  kProbe
};
constexpr std::array<std::string_view, 10> kNames{"runs",    "looks_up", "loads",      "imports",    "lists",
                                                  "command", "sends",    "expression", "query_call", "probe"};

// What values show whether somebody's program runs them: it waits, answers, or reads its settings (Python
// library; Node's http; Lua 5.4; Ruby core; Rails; ASP; .NET API). In lower case, with what must follow.
enum class ProbeTakes : std::uint8_t { kNumber, kLiteral, kNothing, kCall, kSecret };
struct Probe {
  std::string_view begin;
  ProbeTakes takes;
};
constexpr std::array<Probe, 17> kProbes{{{"time.sleep(", ProbeTakes::kNumber},
                                         {"thread.sleep(", ProbeTakes::kNumber},
                                         {"socket.socket(", ProbeTakes::kNothing},
                                         {"res.end(", ProbeTakes::kLiteral},
                                         {"res.send(", ProbeTakes::kLiteral},
                                         {"res.write(", ProbeTakes::kLiteral},
                                         {"response.write(", ProbeTakes::kLiteral},
                                         {"response.end(", ProbeTakes::kLiteral},
                                         {"server.mappath(", ProbeTakes::kLiteral},
                                         {"process.start(", ProbeTakes::kLiteral},
                                         {"load('", ProbeTakes::kCall},
                                         {"loadstring('", ProbeTakes::kCall},
                                         {"env['", ProbeTakes::kSecret},
                                         {"env[\"", ProbeTakes::kSecret},
                                         {"rails.application.", ProbeTakes::kSecret},
                                         {"eval request(", ProbeTakes::kLiteral},
                                         {"execute request(", ProbeTakes::kLiteral}}};
constexpr std::size_t kMaxProbeBytes = 96;
constexpr std::array<std::string_view, 6> kSecretParts{"secret", "credential", "password",
                                                       "token",  "key",        "database"};

bool takes(ProbeTakes what, std::string_view rest) noexcept {
  const char first = rest.empty() ? '\0' : rest.front();
  switch (what) {
    case ProbeTakes::kNumber:
      return is_digit(first);
    case ProbeTakes::kLiteral:
      return is_digit(first) || first == '\'' || first == '"';
    case ProbeTakes::kNothing:
      return first == ')';
    case ProbeTakes::kCall:
      return rest.find(")(") != rest.npos;
    case ProbeTakes::kSecret:
      return std::any_of(kSecretParts.begin(), kSecretParts.end(),
                         [rest](std::string_view part) { return ifind(rest, part) != rest.npos; });
  }
  return false;
}

// Nothing but one of these, in one line.
std::string_view probe_of(std::string_view text) noexcept {
  text = trim(text);
  if (text.ends_with(';')) text.remove_suffix(1);
  if (text.empty() || text.size() > kMaxProbeBytes || text.find('\n') != text.npos) return {};
  const auto found = std::find_if(kProbes.begin(), kProbes.end(),
                                  [text](const Probe& one) { return istarts_with(text, one.begin); });
  if (found == kProbes.end() || !takes(found->takes, text.substr(found->begin.size()))) return {};
  // Ruby's constant, and no name of an array of other languages
  if (found->begin.starts_with("env") && !text.starts_with("ENV")) return {};
  const bool closes =
      found->begin.ends_with('.') ? text.find(' ') == text.npos : text.back() == ')' || text.back() == ']';
  return closes ? text : std::string_view();
}

// Limits of the text that is read behind a word.
constexpr std::size_t kMaxWordBytes = 40;
constexpr std::size_t kMaxJointBytes = 16;
constexpr std::size_t kMaxCommandBytes = 256;

// Words are looked for everywhere, inside of quotes too: a string that a value is put into is closed by the
// value, or is run as code itself. What follows a word is read as the languages join a module and its member.
// Functions that code aliases to hide them: a=getattr;a(…).
bool is_handed_on(std::string_view word, Use use) noexcept {
  return meets(use, Use::kAccessor | Use::kLoader) || word == "eval" || word == "exec";
}

class CodeReader {
 public:
  CodeReader(std::string_view text, EvidenceList& out) noexcept
      : text_(text), trimmed_bytes_(trim(text).size()), out_(out) {}

  void run() {
    for (std::size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      if ((c == '%' || c == '$') && text_.substr(at + 1, 3) == "ENV") environment(at);
      if (c == '%' && at_(at + 1) == 'x' && !is_name_byte(at_(at + 2))) command(at, at + 2);
      if (!is_name_byte(c)) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < text_.size() && is_name_byte(text_[at])) ++at;
      if (at - begin <= kMaxWordBytes) read_word(begin, at);
    }
  }

 private:
  char at_(std::size_t at) const noexcept { return at < text_.size() ? text_[at] : '\0'; }
  char before(std::size_t at) const noexcept { return at > 0 ? text_[at - 1] : '\0'; }
  std::size_t word_end(std::size_t at) const noexcept {
    const std::size_t limit = std::min(text_.size(), at + kMaxWordBytes);
    while (at < limit && is_name_byte(text_[at])) ++at;
    return at;
  }
  std::size_t skip(std::size_t at) const noexcept {
    const std::size_t limit = std::min(text_.size(), at + kMaxJointBytes);
    while (at < limit && is_space(text_[at])) ++at;
    return at;
  }
  bool quote(std::size_t at) const noexcept { return at_(at) == '\'' || at_(at) == '"'; }
  void add(CodeEvidence kind, Certainty certainty, std::size_t begin, std::size_t end) {
    out_.add(kind, certainty, begin, std::min(end, text_.size()),
             text_.substr(begin, std::min(end, text_.size()) - begin));
  }

  void read_word(std::size_t begin, std::size_t end) {
    std::string_view word = text_.substr(begin, end - begin);
    const WordRow* row = kWords.find(word);
    if (row == nullptr && word[0] == '_') {
      // threading._os: how modules of the library name others that they import.
      word.remove_prefix(1);
      row = kWords.find(word);
      if (row != nullptr && !meets(row->use, Use::kModule)) row = nullptr;
    }
    if (row == nullptr) return;
    const Use use = row->use;
    if (meets(use, Use::kModule | Use::kClass)) module(word, begin, end);
    if (meets(use, Use::kNames | Use::kLists)) scope(use, begin, end);
    if (meets(use, Use::kTable)) table(word, begin, end);
    if (meets(use, Use::kAccessor)) accessor(begin, end);
    if (is_handed_on(word, use)) renamed(begin, end);
    if (meets(use, Use::kSender)) sender(begin, end);
    if (meets(use, Use::kLoader)) loader(begin, end);
    if (meets(use, Use::kRuns)) command_call(begin, end);
    if (word == "open") pipe(begin, end);
    if (meets(use, Use::kCommand) && word == "qx") command(begin, end);
    if (meets(use, Use::kImport)) imports(begin, end);
    if (meets(use, Use::kFrom)) from(begin, end);
  }

  // os.popen(, os').popen(, os'].__dict__['popen'](, os,'popen')(
  void module(std::string_view word, std::size_t begin, std::size_t end) {
    std::size_t at = end;
    for (int members = 0; members < 3; ++members) {
      const Joint joint = join(at);
      if (joint.member == 0) return;
      const std::size_t member_end = word_end(joint.member);
      const std::string_view member = text_.substr(joint.member, member_end - joint.member);
      if (member.empty()) return;
      at = member_end;
      if (member == "__dict__" || member == "__self__") continue;
      const std::size_t open = close_member(member_end, joint.quoted);
      if (at_(open) == '(' && known_call(word, member)) add_call(begin, open);
      return;
    }
  }

  struct Joint {
    std::size_t member = 0;  // where the member's name begins; 0: nothing is joined
    bool quoted = false;
  };
  // The sign that closes the module's name, the one that takes a member, the one that opens the member's
  // name.
  Joint join(std::size_t end) const noexcept {
    std::size_t at = end;
    const std::size_t limit = std::min(text_.size(), end + kMaxJointBytes);
    while (at < limit && (is_space(text_[at]) || text_[at] == '\'' || text_[at] == '"' || text_[at] == ')' ||
                          text_[at] == ']' || text_[at] == '\\'))
      ++at;
    const char sign = at_(at);
    if (sign == '.' || (sign == ':' && at_(at + 1) == ':') || (sign == '&' && at_(at + 1) == '.'))
      return {skip(sign == '.' ? at + 1 : at + 2), false};
    if (sign != '[' && sign != ',') return {};
    at = skip(at + 1);
    if (at_(at) == '\\') ++at;
    return quote(at) ? Joint{at + 1, true} : Joint{};
  }
  std::size_t close_member(std::size_t at, bool quoted) const noexcept {
    const std::size_t limit = std::min(text_.size(), at + kMaxJointBytes);
    while (at < limit &&
           (is_space(text_[at]) || (quoted && (text_[at] == '\'' || text_[at] == '"' || text_[at] == ')' ||
                                               text_[at] == ']' || text_[at] == '\\'))))
      ++at;
    return at;
  }
  static bool known_call(std::string_view word, std::string_view member) noexcept {
    std::array<char, 2 * kMaxWordBytes + 1> key;
    const std::size_t size = word.size() + 1 + member.size();
    if (size > key.size()) return false;
    std::copy(word.begin(), word.end(), key.begin());
    key[word.size()] = '.';
    std::copy(member.begin(), member.end(), key.begin() + static_cast<std::ptrdiff_t>(word.size()) + 1);
    const CallRow* row = kCalls.find({key.data(), size});
    return row != nullptr && meets(row->owner, is_upper(word[0]) ? Use::kClass : Use::kModule);
  }
  // Called with something: os.system() alone is how people name it.
  void add_call(std::size_t begin, std::size_t open) {
    const std::size_t argument = skip(open + 1);
    const char c = at_(argument);
    const bool literal = quote(argument) || std::string_view("[(\\`{%").find(c) != std::string_view::npos;
    const Certainty certainty = c == '\0'                                             ? Certainty::kPossible
                                : literal                                             ? Certainty::kCertain
                                : is_name_byte(c) || c == '*' || c == '$' || c == '@' ? Certainty::kLikely
                                                                                      : Certainty::kPossible;
    add(CodeEvidence::kRuns, certainty, begin, argument + 1);
  }

  // globals()['os'], vars(os)['x'], locals().get('a'); dir() as all of the value
  void scope(Use use, std::size_t begin, std::size_t end) {
    if (at_(end) != '(' || before(begin) == '.') return;
    const std::size_t close = text_.substr(0, std::min(text_.size(), end + 48)).find(')', end);
    if (close == std::string_view::npos) return;
    const std::size_t next = skip(close + 1);
    if (meets(use, Use::kNames) && (at_(next) == '[' || (at_(next) == '.' && member_of_dict(next + 1)))) {
      add(CodeEvidence::kLooksUp, Certainty::kCertain, begin, next + 1);
      return;
    }
    const bool whole = trimmed_bytes_ == close + 1 - begin && close == end + 1;
    if (whole) add(CodeEvidence::kLists, Certainty::kLikely, begin, close + 1);
  }
  bool member_of_dict(std::size_t at) const noexcept {
    const std::string_view member = text_.substr(at, word_end(at) - at);
    return member == "get" || member == "values" || member == "items" || member == "keys" || member == "pop";
  }

  // sys.modules['os'], x.__dict__['y'], _G["os"]
  void table(std::string_view word, std::size_t begin, std::size_t end) {
    const std::size_t open = skip(end);
    if (word == "modules" && !text_.substr(0, begin).ends_with("sys.")) return;
    if ((word == "_g" || word == "_G" || word == "_ENV") && !is_upper(word[1])) return;
    const bool name = at_(open) == '[' && open == end &&
                      (quote(open + 1) || is_name_byte(at_(open + 1)) || at_(open + 1) == '\\');
    const bool method = word == "modules" && at_(open) == '.' && member_of_dict(open + 1);
    if (name || method) add(CodeEvidence::kLooksUp, Certainty::kCertain, begin, open + 2);
  }

  // getattr(os,'popen'), getattr(x,"y"+"z"); three arguments are a default, which programs have
  void accessor(std::size_t begin, std::size_t end) {
    if (at_(end) != '(') return;
    const std::string_view inner = text_.substr(end + 1, 96);
    const std::size_t comma = inner.find(',');
    const std::size_t member = comma == std::string_view::npos ? 0 : skip(end + comma + 2);
    const bool call = text_.substr(begin, end - begin) != "getattr";
    if (call && quote(end + 1)) add(CodeEvidence::kLooksUp, Certainty::kLikely, begin, end + 2);
    if (comma == std::string_view::npos ||
        inner.substr(0, comma).find_first_of("\n;") != std::string_view::npos)
      return;
    if (quote(member) || at_(member) == '\\')
      add(CodeEvidence::kLooksUp,
          takes_default(inner.substr(0, comma), member) ? Certainty::kLikely : Certainty::kCertain, begin,
          member + 1);
  }

  // (order, "note", None): a member of a program's own object, with what is taken where it has none.
  bool takes_default(std::string_view object, std::size_t open) const noexcept {
    const std::size_t close = open < text_.size() && quote(open) ? close_of_string(open) : 0;
    if (close == 0 || at_(skip(close + 1)) != ',') return false;
    const std::string_view name = text_.substr(open + 1, close - open - 1);
    const auto is_plain = [](std::string_view word) {
      return !word.empty() && std::all_of(word.begin(), word.end(), is_name_byte) && !is_digit(word[0]) &&
             word.find("__") == word.npos;
    };
    const WordRow* owner = kWords.find(object);
    return is_plain(object) && is_plain(name) && (owner == nullptr || !meets(owner->use, Use::kModule)) &&
           kWords.find(name) == nullptr && !is_member_that_runs(name);
  }
  // system, popen: of whatever module
  static bool is_member_that_runs(std::string_view name) noexcept {
    return std::any_of(kCalls.rows().begin(), kCalls.rows().end(), [name](const CallRow& row) {
      return row.text.size() > name.size() && row.text.ends_with(name) &&
             row.text[row.text.size() - name.size() - 1] == '.';
    });
  }

  // a=getattr;a(…): a function of the language by another name, in one line
  void renamed(std::size_t begin, std::size_t end) {
    if (before(begin) != '=' || begin < 2 || !is_name_byte(before(begin - 1)) || at_(end) != ';') return;
    if (text_.substr(end, kMaxCommandBytes).find('(') != std::string_view::npos)
      add(CodeEvidence::kLooksUp, Certainty::kCertain, begin - 1, end + 1);
  }

  // send(:system, 'id'), public_send("eval", …), const_get(:Kernel)
  void sender(std::size_t begin, std::size_t end) {
    std::size_t at = skip(end);
    if (at_(at) != '(' && at == end) return;
    if (at_(at) == '(') at = skip(at + 1);
    if (at_(at) != ':' && !quote(at)) return;
    if (at_(at) == ':' && at_(at + 1) == '`') add(CodeEvidence::kSends, Certainty::kCertain, begin, at + 2);
    const std::size_t name_end = word_end(at + 1);
    const WordRow* row = kWords.find(text_.substr(at + 1, name_end - at - 1));
    if (row != nullptr && meets(row->use, Use::kRuns | Use::kClass))
      add(CodeEvidence::kSends, Certainty::kCertain, begin, name_end);
  }

  // The string whose quote is at `open`: the position of its other quote; 0: it does not end in this line.
  std::size_t close_of_string(std::size_t open) const noexcept {
    const std::string_view inner = text_.substr(0, std::min(text_.size(), open + kMaxCommandBytes));
    const std::size_t close = inner.find(text_[open], open + 1);
    if (close == std::string_view::npos ||
        inner.substr(open, close - open).find('\n') != std::string_view::npos)
      return 0;
    return close;
  }

  // system 'id' of Ruby and Perl, as a statement: calls of both need no parentheses.
  void command_call(std::size_t begin, std::size_t end) {
    const std::size_t open = skip(end);
    if (at_(open) == '(') return whole_call(begin, open);
    if (open == end || !quote(open)) return;
    const std::size_t close = close_of_string(open);
    // A command, not the name of a thing: system "A"
    const char first = close < open + 2 ? '\0' : text_[open + 1];
    if (!is_lower(first) && std::string_view("/.$\\").find(first) == std::string_view::npos) return;
    const std::size_t next = skip(close + 1);
    const char ends = at_(next);
    const bool owned = before(begin) == '.' && text_.substr(0, begin).ends_with("Kernel.");
    if (next < text_.size() && std::string_view(";\n#}+)'\"").find(ends) == std::string_view::npos) return;
    std::size_t lead = begin;
    while (lead > 0 && begin - lead < kMaxJointBytes && is_space(text_[lead - 1])) --lead;
    const bool line = text_.substr(lead, begin - lead).find('\n') != std::string_view::npos;
    const bool joined =
        lead == 0 || std::string_view("=+(;{,&|'\"").find(text_[lead - 1]) != std::string_view::npos;
    if (!owned && !line && !joined) return;
    const bool whole = skip(0) == begin || owned;
    add(CodeEvidence::kRuns, whole ? Certainty::kCertain : Certainty::kLikely, begin, close + 1);
  }

  // instance_eval('`id`'): code with a command in it; spawn('id'): the call is all of a statement.
  void whole_call(std::size_t begin, std::size_t bracket) {
    const std::size_t open = skip(bracket + 1);
    if (!quote(open)) return;
    const std::size_t close = close_of_string(open);
    if (close < open + 2) return;
    // cp.spawn('sh',['-c','id']): a program and the list of its arguments (Node, "child_process"); what else
    // is called exec takes values of a query there.
    static constexpr WordSet kPrograms({"spawn", "spawnsync", "execfile", "execfilesync"});
    const std::size_t list = skip(close + 1);
    if (at_(list) == ',' && at_(skip(list + 1)) == '[' && before(begin) == '.' &&
        kPrograms.has(text_.substr(begin, word_end(begin) - begin))) {
      add(CodeEvidence::kRuns, Certainty::kLikely, begin, list + 1);
      return;
    }
    if (at_(list) != ')') return;
    const std::string_view argument = text_.substr(open + 1, close - open - 1);
    if (argument.find('`') != std::string_view::npos) {
      add(CodeEvidence::kRuns, Certainty::kCertain, begin, close + 1);
      return;
    }
    const std::size_t next = skip(skip(close + 1) + 1);
    const bool ends =
        next >= text_.size() || std::string_view(";\n#.").find(text_[next]) != std::string_view::npos;
    if (ends && (begins_statement(begin) || before(begin) == '.'))
      add(CodeEvidence::kRuns, Certainty::kLikely, begin, close + 1);
  }

  // open('|id') of Ruby, open(F,'id|') of Perl: the name of a file that is a command.
  void pipe(std::size_t begin, std::size_t end) {
    std::size_t open = skip(end);
    if (at_(open) == '(') open = skip(open + 1);
    // open(my $f, …: the handle is declared where it is opened (perlfunc, open)
    for (const std::string_view scope : {"my ", "our ", "local "})
      if (text_.substr(open).starts_with(scope)) open = skip(open + scope.size());
    std::string_view handle;
    if (is_name_byte(at_(open)) || at_(open) == '$') {
      const std::size_t handle_end = word_end(open + 1);
      const std::size_t comma = skip(handle_end);
      if (at_(comma) != ',') return;
      handle = text_.substr(open, handle_end - open);
      open = skip(comma + 1);
    }
    if (!quote(open)) return;
    const std::size_t close = close_of_string(open);
    // open F,'a';print <F>: what it opens is read in the same text
    if (close > open + 1 && !handle.empty() && reads_handle(handle)) {
      add(CodeEvidence::kRuns, Certainty::kCertain, begin, close + 1);
      return;
    }
    if (close < open + 3) return;
    // open(F, '-|', 'id'): a mode of its own says that what follows is a command.
    const std::string_view mode = trim(text_.substr(open + 1, close - open - 1));
    if ((mode == "-|" || mode == "|-") && at_(skip(close + 1)) == ',') {
      add(CodeEvidence::kCommand, Certainty::kCertain, begin, close + 1);
      return;
    }
    if ((mode.starts_with('|') || mode.ends_with('|')) &&
        mode.find_first_of("abcdefghijklmnopqrstuvwxyz") != mode.npos)
      add(CodeEvidence::kCommand, Certainty::kCertain, begin, close + 1);
  }

  // <F>, <$f>: whether the text reads from the handle. What it reads from is looked for once, whoever asks.
  bool reads_handle(std::string_view handle) {
    if (!handles_known_) {
      handles_known_ = true;
      for (std::size_t at = text_.find('<'); at != text_.npos; at = text_.find('<', at + 1)) {
        const std::size_t begin = at + 1;
        if (!is_name_byte(at_(begin)) && at_(begin) != '$') continue;
        const std::size_t end = word_end(begin + 1);
        if (at_(end) == '>') handles_.push_back(text_.substr(begin, end - begin));
      }
      std::sort(handles_.begin(), handles_.end());
    }
    return std::binary_search(handles_.begin(), handles_.end(), handle);
  }

  // print %ENV, join(' ',%ENV); $ENV{PATH} as all of the value, which settings have, too (perlvar; CMake);
  // not %ENV% of Windows, nor (%ENV) behind a word of prose
  void environment(std::size_t begin) {
    const std::size_t end = begin + 4;
    if (is_name_byte(at_(end)) || is_name_byte(before(begin))) return;
    if (at_(begin) == '$') {
      const std::size_t close = at_(end) == '{' ? text_.substr(0, end + kMaxWordBytes).find('}', end) : 0;
      if (close != 0 && close != text_.npos && trimmed_bytes_ == close + 1 - begin)
        add(CodeEvidence::kLists, Certainty::kPossible, begin, close + 1);
      return;
    }
    std::size_t lead = begin;
    while (lead > 0 && begin - lead < kMaxJointBytes && is_space(text_[lead - 1])) --lead;
    const std::size_t next = skip(end);
    const bool ends = next >= text_.size() || std::string_view(";})+#'\"").find(text_[next]) != text_.npos;
    const bool given =
        takes_list(lead) || before(lead) == ',' || (before(lead) == '(' && opens_list(lead - 1));
    if (ends && given && lead != 0) add(CodeEvidence::kLooksUp, Certainty::kCertain, begin, end);
  }

  // The parenthesis of a call, or behind a word that takes a list (perlfunc): print sort (%ENV)
  bool opens_list(std::size_t open) const noexcept {
    static constexpr WordSet kTakers({"die", "each", "foreach", "join", "keys", "map", "print", "printf",
                                      "say", "sort", "values", "warn"});
    if (open == 0) return false;
    if (is_name_byte(text_[open - 1])) return true;
    const std::size_t last = text_.substr(0, open).find_last_not_of(' ');
    if (last == text_.npos) return false;
    std::size_t begin = last + 1;
    while (begin > 0 && last + 1 - begin < kMaxWordBytes && is_name_byte(text_[begin - 1])) --begin;
    return kTakers.has(text_.substr(begin, last + 1 - begin));
  }

  // __import__('os')
  void loader(std::size_t begin, std::size_t end) {
    const std::size_t open = skip(end);
    if (at_(open) != '(') return;
    const std::size_t name = skip(open + 1);
    if (quote(name) || at_(name) == '\\') add(CodeEvidence::kLoads, Certainty::kCertain, begin, name + 1);
  }

  // import os;…  import os, sys  import os as x
  void imports(std::size_t begin, std::size_t end) {
    const std::size_t name = skip(end);
    if (name == end || !begins_statement(begin)) return;
    const std::size_t name_end = word_end(name);
    const WordRow* row = kWords.find(text_.substr(name, name_end - name));
    if (row == nullptr || !meets(row->use, Use::kModule) || !is_lower(text_[name])) return;
    std::size_t next = skip(name_end);
    // import os as o;…
    if (text_.substr(next, 3) == "as " && next > name_end) next = skip(word_end(skip(next + 3)));
    if (at_(next) == ';')
      add(CodeEvidence::kImports, Certainty::kCertain, begin, next + 1);
    else if (next >= text_.size() || at_(name_end) == '\n' || at_(next) == ',')
      add(CodeEvidence::kImports, Certainty::kPossible, begin, next);
  }

  // from os import system
  void from(std::size_t begin, std::size_t end) {
    const std::size_t name = skip(end);
    if (name == end || !begins_statement(begin)) return;
    const std::size_t name_end = word_end(name);
    const std::size_t keyword = skip(name_end);
    if (text_.substr(keyword, 7) != "import ") return;
    const std::size_t member = skip(keyword + 6);
    if (at_(member) != '*' &&
        !known_call(text_.substr(name, name_end - name), text_.substr(member, word_end(member) - member)))
      return;
    const WordRow* row = kWords.find(text_.substr(name, name_end - name));
    if (row == nullptr || !meets(row->use, Use::kModule)) return;
    // from os import popen as p;…
    std::size_t next = skip(at_(member) == '*' ? member + 1 : word_end(member));
    if (text_.substr(next, 3) == "as ") next = skip(word_end(skip(next + 3)));
    add(CodeEvidence::kImports, at_(next) == ';' ? Certainty::kCertain : Certainty::kLikely, begin,
        word_end(member));
  }
  bool begins_statement(std::size_t begin) const noexcept {
    while (begin > 0 && (text_[begin - 1] == ' ' || text_[begin - 1] == '\t')) --begin;
    const char c = before(begin);
    return begin == 0 || c == '\n' || c == ';' || c == '\'' || c == '"' || c == ':' || c == '(' || c == '\r';
  }

  // A function of Perl or Ruby that shows or returns what it is given stands before `end`, as a statement.
  bool takes_list(std::size_t end) const noexcept {
    static constexpr WordSet kTakers({"print", "say", "printf", "return", "die", "warn", "puts", "p"});
    std::size_t begin = end;
    while (begin > 0 && is_name_byte(text_[begin - 1])) --begin;
    if (!kTakers.has(text_.substr(begin, end - begin))) return false;
    const std::size_t lead = text_.substr(0, begin).find_last_not_of(' ');
    const char sign = lead == text_.npos ? ';' : text_[lead];
    return begins_statement(begin) || sign == '=' || sign == '+' || sign == '{';
  }

  // qx/Rw7…/ in a token: letters of base64 (RFC 4648 section 4) all around, as no command is written.
  bool is_in_base64(std::size_t begin, std::size_t open, std::size_t close) const noexcept {
    constexpr std::size_t kLeastBytes = 48;
    const auto is_letter = [](char c) { return is_alnum(c) || c == '+' || c == '/'; };
    const std::string_view inside = text_.substr(open + 1, close - open - 1);
    if (at_(open) != '/' || std::none_of(inside.begin(), inside.end(), is_upper) ||
        !std::all_of(inside.begin(), inside.end(), is_letter))
      return false;
    std::size_t end = close;
    while (begin > 0 && end - begin < kLeastBytes && is_letter(text_[begin - 1])) --begin;
    while (end < text_.size() && end - begin < kLeastBytes && is_letter(text_[end])) ++end;
    const std::string_view around = text_.substr(begin, end - begin);
    return around.size() >= kLeastBytes && std::any_of(around.begin(), around.end(), is_digit) &&
           std::count_if(around.begin(), around.end(), is_upper) > 4;
  }

  // %x(id), qx{id}, qx/id/: the text between the delimiters is a command.
  void command(std::size_t begin, std::size_t open) {
    static constexpr std::string_view kOpen = "({[<|!/", kClose = ")}]>|!/";
    const std::size_t kind = kOpen.find(at_(open));
    if (kind == std::string_view::npos || open >= text_.size() || is_name_byte(before(begin)) ||
        before(begin) == '%')
      return;
    const std::size_t close =
        text_.substr(0, std::min(text_.size(), open + 256)).find(kClose[kind], open + 1);
    if (close == std::string_view::npos || close < open + 3 ||
        (!is_alpha(at_(open + 1)) && at_(open + 1) != '/') || is_in_base64(begin, open, close))
      return;
    std::size_t lead = begin;
    while (lead > 0 && begin - lead < kMaxJointBytes && text_[lead - 1] == ' ') --lead;
    const char sign = before(lead);
    const char c =
        lead < begin && (lead == 0 || std::string_view("=(;,{[").find(sign) != std::string_view::npos)
            ? sign
            : before(begin);
    const bool starts = begin == 0 || std::string_view("=(;,{[+'\"\n ").find(c) != std::string_view::npos;
    // print qx(id): the operator of Perl is what the function is given
    const bool given = c == ' ' && text_[begin] == 'q' && takes_list(lead);
    if (starts)
      add(CodeEvidence::kCommand, c == ' ' && !given ? Certainty::kLikely : Certainty::kCertain, begin,
          close + 1);
  }

  std::string_view text_;
  const std::size_t trimmed_bytes_;        // of the text without the blanks around it
  std::vector<std::string_view> handles_;  // that are read, sorted; once handles_known_
  bool handles_known_ = false;
  EvidenceList& out_;
};

class CodeMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "interpreter"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  std::uint32_t reads_places() const noexcept override { return ~place_bit(Location::kFile, false); }
  Needs needs() const override {
    const auto of = [](Use use) {
      return any_word(kWords, [use](const WordRow& row) { return meets(row.use, use); });
    };
    Sign modules = of(Use::kModule | Use::kClass);
    // _os: the underscore is part of the word.
    const std::size_t plain = modules.parts.size();
    for (std::size_t i = 0; i < plain; ++i) modules.parts.push_back("_" + modules.parts[i]);
    return {{modules, any_byte("("), any_byte(".[,:")},
            {of(Use::kNames | Use::kLists | Use::kAccessor | Use::kLoader), any_byte("(")},
            {of(Use::kTable), any_byte("[.")},
            {of(Use::kSender), of(Use::kRuns | Use::kClass)},
            {of(Use::kSender), any_literal({":`"})},
            {of(Use::kRuns), any_byte("'\"")},
            {any_word({"open"}), any_byte("|<"), any_byte("'\"")},
            {renamed_functions(), any_byte("(")},
            {of(Use::kImport), of(Use::kModule)},
            {of(Use::kCommand)},
            {probes()},
            // A whole expression
            {of(Use::kFunction | Use::kScope | Use::kSystem), any_byte("([{"), any_byte(")]}")},
            {of(Use::kInternal), any_byte(".")},
            {any_literal({"__"})},
            {of(Use::kSystem), any_byte(".")},
            {any_byte("("), any_byte("'\""), queries()}};
  }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    CodeReader(text, out).run();
    const bool whole =
        context.uncut.empty() && (context.whole.empty() || context.whole.size() == text.size());
    const bool known = std::any_of(out.items().begin(), out.items().end(), [](const Evidence& evidence) {
      return evidence.certainty == Certainty::kCertain ||
             evidence.kind == static_cast<std::uint8_t>(CodeEvidence::kLists);
    });
    if (whole && !known) read_expression(text, out);
    if (const std::string_view probe = whole ? probe_of(text) : std::string_view(); !probe.empty())
      out.add(CodeEvidence::kProbe, Certainty::kLikely, 0, text.size(), probe);
  }

 private:
  static Sign probes() {
    Sign sign = any_literal({"%x", "%env", "$env{"});
    for (const Probe& probe : kProbes) sign.parts.emplace_back(probe.begin);
    return sign;
  }
  static Sign renamed_functions() {
    Sign sign{SignKind::kLiterals, {}};
    for (const WordRow& row : kWords.rows()) {
      if (is_handed_on(row.text, row.use)) sign.parts.push_back('=' + std::string(row.text) + ';');
    }
    return sign;
  }
  static Sign queries() {
    Sign sign{SignKind::kLiterals, {}};
    for (const QueryHead& head : kQueryHeads) sign.parts.emplace_back(head.verb);
    return sign;
  }

  // % if open('a').read():  of Mako, a line of a template whose rest is a statement of Python: its
  // expression. Empty: it is none.
  static std::string_view control_line(std::string_view text) noexcept {
    text = trim(text);
    if (!text.starts_with('%')) return {};
    std::string_view line = trim(text.substr(1, text.find('\n') - 1));
    if (!line.ends_with(':')) return {};
    line.remove_suffix(1);
    for (const std::string_view word : {"if ", "elif ", "while ", "for "}) {
      if (!line.starts_with(word)) continue;
      const std::size_t in = word == "for " ? line.find(" in ") : 0;
      return in == line.npos ? std::string_view() : line.substr(word == "for " ? in + 4 : word.size());
    }
    return {};
  }

  static void read_expression(std::string_view text, EvidenceList& out) {
    const std::string_view control = control_line(text);
    const std::size_t begin = control.empty() ? 0 : static_cast<std::size_t>(control.data() - text.data());
    if (!control.empty()) text = control;
    const std::size_t end = begin + text.size();
    PythonUse use = read_python_expression(text);
    if (use.readable && !use.sound && use.names) {
      if (kTelemetry.has(trim(text))) return;
      out.add(CodeEvidence::kExpression, Certainty::kPossible, begin, end, trim(text));
      return;
    }
    if (!use.sound) use = read_python_program(text);
    if (!use.sound || !use.any()) return;
    const int uses = use.internal + use.function + use.scope + use.module + use.query;
    // Several lines are what people write programs in.
    const bool lines = trim(text).find('\n') != std::string_view::npos;
    if (use.query && uses == 1) {
      out.add(CodeEvidence::kQueryCall, Certainty::kLikely, begin, end, trim(text));
      return;
    }
    out.add(CodeEvidence::kExpression,
            uses > 1 ? Certainty::kCertain
            : lines  ? Certainty::kPossible
                     : Certainty::kLikely,
            begin, end, trim(text));
  }
};

}  // namespace

std::unique_ptr<Matcher> make_code_matcher() { return std::make_unique<CodeMatcher>(); }

}  // namespace wafd::detect
