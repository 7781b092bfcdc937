#include "detect/analyze/template/ssti_expression.h"

#include <algorithm>
#include <utility>

#include "detect/core/octets.h"
#include "detect/core/word_map.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

enum Word : std::uint32_t {
  kInternal = 1u << 0,       // of Python; no word of a data model
  kReach = 1u << 1,          // a name that only somebody has who leaves the template
  kReachMember = 1u << 2,    // the same, if a member of it is taken: lipsum.x
  kReachIsMember = 1u << 3,  // the same, as a member that is called: x.getClass()
  kBuiltin = 1u << 4,        // Freemarker: x?new()
  kRuns = 1u << 5,           // runs a command or code, or reads a file
  kRunsAlone = 1u << 6,      // the same, but as a method of something it may be harmless: include, exec
  kConstant = 1u << 7,
  kCondition = 1u << 8,
  kObject = 1u << 9,  // of the engine, not of the page
};

constexpr WordMap kWords({
    {"__class__", kInternal},
    {"__mro__", kInternal},
    {"__subclasses__", kInternal},
    {"__globals__", kInternal},
    {"__builtins__", kInternal},
    {"__builtin__", kInternal},
    {"__import__", kInternal},
    {"__init__", kInternal},
    {"__base__", kInternal},
    {"__bases__", kInternal},
    {"__getitem__", kInternal},
    {"__dict__", kInternal},
    {"__getattribute__", kInternal},
    {"__getattr__", kInternal},
    {"__reduce__", kInternal},
    {"__reduce_ex__", kInternal},
    {"__func__", kInternal},
    {"__self__", kInternal},
    {"__code__", kInternal},
    {"__closure__", kInternal},
    {"__loader__", kInternal},
    {"__spec__", kInternal},
    {"__call__", kInternal},
    {"__wrapped__", kInternal},
    // Jinja2, Flask, Django, Tornado, Mako
    {"lipsum", kReachMember},
    {"cycler", kReachMember},
    {"joiner", kReachMember},
    {"url_for", kReachMember},
    {"get_flashed_messages", kReachMember},
    {"_templatereference", kReach},
    {"_templatereference__context", kReach},
    {"secret_key", kReach},
    {"__proto__", kReach},
    {"handler", kObject},
    {"request", kObject},
    {"config", kObject},
    {"settings", kObject},
    {"self", kObject},
    {"context", kObject},
    // Twig
    {"_self", kReach},
    {"_context", kReach},
    {"registerundefinedfiltercallback", kReach},
    {"registerundefinedfunctioncallback", kReach},
    {"getfilter", kReachIsMember},
    {"setcache", kReachIsMember},
    {"app", kObject},
    {"dump", kObject},
    // Freemarker, Velocity, Pebble, Thymeleaf
    {"new", kBuiltin},
    {"api", kBuiltin},
    {"eval", kBuiltin | kRuns},
    {"interpret", kBuiltin},
    {"objectconstructor", kReach},
    {"jythonruntime", kReach},
    {"getclass", kReachIsMember},
    {"forname", kReachIsMember},
    {"getruntime", kReach | kRuns},
    {"getprotectiondomain", kReachIsMember},
    {"getclassloader", kReachIsMember},
    {"classtool", kReach},
    {"execinfo", kReach},
    // JavaScript
    {"mainmodule", kReach},
    {"constructor", kReachMember},
    {"global", kObject},
    {"root", kObject},
    {"this", kObject},
    // Smarty
    {"smarty_internal_write_file", kReach},
    {"smarty_internal_data", kReach},
    {"smarty_internal_runtime_writefile", kReach},
    {"getstreamvariable", kReach},
    // Functions
    {"system", kRuns},
    {"exec", kRunsAlone},
    {"shell_exec", kRuns},
    {"passthru", kRuns},
    {"popen", kRuns},
    {"proc_open", kRuns},
    {"pcntl_exec", kRuns},
    {"execsync", kRuns},
    {"execfile", kRuns},
    {"spawn", kRuns},
    {"spawnsync", kRuns},
    {"subprocess", kRuns},
    {"check_output", kRuns},
    {"processbuilder", kRuns},
    {"file_get_contents", kRuns},
    {"file_put_contents", kRuns},
    {"fopen", kRuns},
    {"readfile", kRuns},
    {"show_source", kRuns},
    {"highlight_file", kRuns},
    {"require", kRuns},
    {"instance_eval", kRuns},
    {"class_eval", kRuns},
    {"iterator", kRunsAlone},
    {"assert", kRuns},
    {"include", kRunsAlone},
    {"getoutput", kRuns},
    {"backtick", kRuns},
    {"invokeobject", kRuns},
    {"phpinfo", kRuns},
    {"readalltext", kRuns},
    {"readalllines", kRuns},
    {"readallbytes", kRuns},
    // Statements
    {"if", kCondition},
    {"elif", kCondition},
    {"elseif", kCondition},
    {"unless", kCondition},
    {"while", kCondition},
    {"true", kConstant},
    {"false", kConstant},
    {"none", kConstant},
    {"null", kConstant},
    {"nil", kConstant},
    {"not", kConstant},
    {"and", kConstant},
    {"or", kConstant},
});

bool word_octet(char c) noexcept { return is_alnum(c) || c == '_'; }

// 7*7, 7*'7', 1+1: digits and operators alone, with at least one operator between operands.
bool only_computes(std::string_view inner) noexcept {
  while (inner.starts_with('{') || inner.starts_with('=') || inner.starts_with('-')) inner.remove_prefix(1);
  while (inner.ends_with('}') || inner.ends_with('-')) inner.remove_suffix(1);
  inner = trim(inner);
  if (inner.size() < 3 || inner.size() > 64 ||
      std::string_view("*+%").find(inner[0]) != std::string_view::npos)
    return false;
  bool digit = false;
  bool op = false;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const char c = inner[i];
    if (is_digit(c)) {
      digit = true;
    } else if (c == '*' || c == '+' || c == '%') {
      if (i > 0 && i + 1 < inner.size()) op = true;
      // A date or a range of numbers is no computation.
    } else if (std::string_view("/- '\"().").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return digit && op;
}

// Go's actions, "name operand operand": what a function of the engine gives for constants, or for all of the
// data ('.', '$'). A template of one's own takes fields: .Values.host.
struct GoAction {
  bool constant = false;
  bool call = false;
};
GoAction go_action(std::string_view inner) noexcept {
  constexpr WordSet kFunctions({"printf", "print", "println", "html", "js", "urlquery"});
  if (inner.starts_with('-')) inner.remove_prefix(1);
  if (inner.ends_with('-')) inner.remove_suffix(1);
  inner = trim(inner);
  std::size_t at = 0;
  while (at < inner.size() && is_alpha(inner[at])) ++at;
  const std::string_view name = inner.substr(0, at);
  const std::string_view rest = trim(inner.substr(at));
  GoAction out;
  if (rest.size() == inner.size() - at) return out;
  if (name == "call") {
    out.call = rest.size() > 1 && (rest[0] == '.' || rest[0] == '$') && is_alpha(rest[1]);
    return out;
  }
  if (!kFunctions.has(name)) return out;
  bool any = false;
  for (at = 0; at < rest.size(); any = true) {
    std::size_t end = at + 1;
    if (rest[at] == '"' || rest[at] == '`') {
      end = rest.find(rest[at], at + 1);
      if (end == std::string_view::npos) return out;
      ++end;
    } else if (is_digit(rest[at])) {
      while (end < rest.size() && is_digit(rest[end])) ++end;
    } else if (rest[at] != '.' && rest[at] != '$') {
      return out;
    }
    if (end < rest.size() && rest[end] != ' ') return out;
    at = std::min(rest.find_first_not_of(' ', end), rest.size());
  }
  out.constant = any;
  return out;
}

// The octet before text[at] that is no space, or NUL.
char before(std::string_view text, std::size_t at) noexcept {
  while (at > 0 && text[at - 1] == ' ') --at;
  return at > 0 ? text[at - 1] : '\0';
}

// '__cla' + 'ss__': half of such a name in quotes.
bool split_internal(std::string_view inner, std::size_t begin, std::size_t end) noexcept {
  if (begin == 0 || end >= inner.size()) return false;
  const char quote = inner[begin - 1];
  if ((quote != '\'' && quote != '"') || inner[end] != quote) return false;
  const std::string_view word = inner.substr(begin, end - begin);
  return word.starts_with("__") != word.ends_with("__") || word == "__";
}

// The name in quotes of |filter('system'): what stands before the quote is a filter's parenthesis.
bool filter_argument(std::string_view inner, std::size_t begin) noexcept {
  if (begin < 4 || (inner[begin - 1] != '\'' && inner[begin - 1] != '"')) return false;
  std::size_t at = begin - 1;
  while (at > 0 && inner[at - 1] == ' ') --at;
  if (at == 0 || inner[at - 1] != '(') return false;
  --at;
  while (at > 0 && inner[at - 1] == ' ') --at;
  while (at > 0 && word_octet(inner[at - 1])) --at;
  return before(inner, at) == '|';
}

}  // namespace

bool python_internal(std::string_view word) noexcept { return (kWords.flags(word) & kInternal) != 0; }

TemplateExpression read_template_expression(std::string_view inner) noexcept {
  TemplateExpression out;
  const GoAction go = go_action(inner);
  out.computes = go.constant || only_computes(inner);
  out.invokes = go.call;
  out.calls = inner.find('(') < inner.find('}');
  const std::string_view whole = trim(inner);
  if (whole == "." || whole == "$") out.object = whole;
  std::string_view last_word;
  bool all_constant = true;
  std::size_t words = 0;
  bool condition = false;
  std::uint32_t last_flags = 0;
  for (std::size_t at = 0; at < inner.size();) {
    if (!word_octet(inner[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < inner.size() && word_octet(inner[at])) ++at;
    const std::string_view word = inner.substr(begin, at - begin);
    const std::uint32_t flags = kWords.flags(word);
    std::size_t next = at;
    while (next < inner.size() && inner[next] == ' ') ++next;
    const char c = next < inner.size() ? inner[next] : '\0';
    const char prior = before(inner, begin);
    const bool first = words++ == 0;
    if (first && (flags & kCondition) != 0) {
      condition = true;
    } else if ((flags & kConstant) == 0 && !std::all_of(word.begin(), word.end(), is_digit)) {
      all_constant = false;
    }
    const std::string_view owner = std::exchange(last_word, word);
    if (first && iequals(word, "import") && is_alpha(c) && next > at) out.imports = true;
    if (flags == 0) {
      if (word.size() >= 2 && split_internal(inner, begin, at)) out.reaches = true;
      if (iequals(word, "attr") && prior == '|' && (c == '(' || c == '\'' || c == '"')) out.reaches = true;
      if (iequals(word, "class") && prior == '.' && c == '.') out.reaches = true;
      if (iequals(word, "process") && prior == '.' && (last_flags & kObject) != 0) out.reaches = true;
      if (iequals(word, "smarty") && prior == '$' && c == '.') out.reaches = true;
      if (iequals(word, "start") && prior == '.' && c == '(' && iequals(owner, "process") &&
          out.runs == TemplateExpression::kNone)
        out.runs = begin;
      if (iequals(word, "server") && prior == '.' && iequals(owner, "request")) out.reaches = true;
      if ((iequals(word, "application") || iequals(word, "environ") || iequals(word, "items") ||
           istarts_with(word, "from_")) &&
          prior == '.' && (last_flags & kObject) != 0)
        out.reaches = true;
      if (iequals(word, "template") && prior == '.' && begin >= 11 &&
          iequals(inner.substr(begin - 11, 10), "freemarker"))
        out.reaches = true;
      last_flags = 0;
      continue;
    }
    if ((flags & (kInternal | kReach)) != 0) out.reaches = true;
    if (first && c == '(' && iequals(word, "dump")) out.reaches = true;
    if ((flags & kReachMember) != 0 && (c == '.' || c == '[' || c == '|')) out.reaches = true;
    if ((flags & kReachIsMember) != 0 && prior == '.' && c == '(') out.reaches = true;
    if ((flags & kBuiltin) != 0 && prior == '?') out.reaches = true;
    if ((flags & kObject) != 0 && word.size() == whole.size() && begin <= inner.find(whole))
      out.object = word;
    // A quote right behind the word ends what it stands in; Ruby's system 'id' has a space.
    // Go and Twig put other templates in with include "name".
    const bool called =
        c == '(' || c == '`' || ((c == '\'' || c == '"') && next > at && !iequals(word, "include"));
    const bool alone = (flags & kRunsAlone) != 0 && prior != '.';
    if (out.runs == TemplateExpression::kNone && ((flags & kRuns) != 0 || alone) &&
        (called || filter_argument(inner, begin)))
      out.runs = begin;
    last_flags = flags;
  }
  // File.read('…'), Dir.entries('…'), %x(…) of Ruby.
  if (out.runs == TemplateExpression::kNone) {
    for (const std::string_view call :
         {"File.open", "File.read", "Dir.entries", "Dir.glob", "IO.read", "%x"}) {
      const std::size_t at = inner.find(call);
      if (at == std::string_view::npos) continue;
      const char after = at + call.size() < inner.size() ? inner[at + call.size()] : '\0';
      if (after == '(' || after == '{' || after == '[' || (after == ' ' && call != "%x")) out.runs = at;
    }
  }
  out.constant =
      condition && all_constant && words > 1 && inner.find_first_of("'\"(") == std::string_view::npos;
  return out;
}

}  // namespace wafd::detect
