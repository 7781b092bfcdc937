#include "detect/analyze/ssti.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kReach,
  kProbe,
  kExecutes,
  kDirective,
  kInclude,
  kScriptlet,
  kInterpolated,
  kCalls
};

constexpr RuleSpec kRules[] = {
    {"reach", "Template expression that reaches internals", Risk::kHigh, Sensitivity::kLow},
    {"probe", "Template expression that only computes", Risk::kHigh, Sensitivity::kBalanced},
    {"executes", "Template expression that runs a command or reads a file", Risk::kHigh, Sensitivity::kLow},
    {"directive", "Template statement", Risk::kLow, Sensitivity::kStrict},
    {"include", "Server-side include", Risk::kHigh, Sensitivity::kLow},
    {"scriptlet", "Code between <% and %>", Risk::kHigh, Sensitivity::kBalanced},
    {"interpolated", "Code block inside of a string", Risk::kHigh, Sensitivity::kBalanced},
    {"calls", "Template expression that calls", Risk::kLow, Sensitivity::kStrict},
};

// Names by which template languages reach their surroundings. They are no words of a data model.
constexpr std::array<std::string_view, 44> kReaches = {"__class__",
                                                       "__mro__",
                                                       "__subclasses__",
                                                       "__globals__",
                                                       "__builtins__",
                                                       "__import__",
                                                       "__init__",
                                                       "__base__",
                                                       "__bases__",
                                                       "__getitem__",
                                                       "__dict__",
                                                       "__getattribute__",
                                                       "__reduce__",
                                                       "|attr(",
                                                       "| attr(",
                                                       "lipsum",
                                                       "cycler.",
                                                       "joiner.",
                                                       "url_for.",
                                                       "get_flashed_messages.",
                                                       "request.application",
                                                       "request.environ",
                                                       "config.items",
                                                       "config.from",
                                                       "self._templatereference",
                                                       "_self.env",
                                                       "_self.",
                                                       "registerundefinedfiltercallback",
                                                       "getfilter(",
                                                       "?new()",
                                                       "?api",
                                                       "freemarker.template",
                                                       "objectconstructor",
                                                       ".getclass()",
                                                       "class.forname",
                                                       "$class.inspect",
                                                       "classtool",
                                                       "constructor.constructor",
                                                       "process.mainmodule",
                                                       "global.process",
                                                       "root.process",
                                                       "settings.secret_key",
                                                       "$smarty.",
                                                       "smarty_internal"};
// Functions by which a template runs something.
constexpr WordSet kRunning({"system",      "exec",          "shell_exec",     "passthru",
                            "popen",       "proc_open",     "eval",           "execsync",
                            "spawn",       "spawnsync",     "os.system",      "os.popen",
                            "subprocess",  "getruntime",    "processbuilder", "file_get_contents",
                            "require",     "io.popen",      "file.open",      "file.read",
                            "dir.entries", "kernel.system", "kernel.exec",    "process.spawn",
                            "iterator",    "assert",        "include",        "getoutput",
                            "backtick",    "readfile",      "invokeobject"});

struct Delimiters {
  std::string_view open;
  std::string_view close;
  bool everywhere;  // no other use in texts: code between them counts at once
};
constexpr Delimiters kDelimiters[] = {
    {"{{", "}}", false}, {"{%", "%}", false}, {"${", "}", false}, {"#{", "}", false},
    {"<%", "%>", false}, {"[[", "]]", false}, {"@(", ")", false}, {"*{", "}", false},
    {"{#", "#}", false}, {"[=", "]", false},  {"~{", "}", false}, {"{", "}", false},
};

// 7*7, 7*'7', 1+1: digits and operators alone, with at least one operator between operands.
bool only_computes(std::string_view inner) noexcept {
  while (inner.starts_with('{') || inner.starts_with('=') || inner.starts_with('-')) inner.remove_prefix(1);
  while (inner.ends_with('}') || inner.ends_with('-')) inner.remove_suffix(1);
  inner = trim(inner);
  if (inner.size() < 3 || inner.size() > 64) return false;
  bool digit = false;
  bool op = false;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const char c = inner[i];
    if (is_digit(c)) {
      digit = true;
    } else if (c == '*' || c == '+' || c == '/' || c == '%' || c == '-') {
      // A date or a range of numbers is no computation.
      if (i > 0 && i + 1 < inner.size() && (c != '-' && c != '/')) op = true;
    } else if (c != ' ' && c != '\'' && c != '"' && c != '(' && c != ')' && c != '.') {
      return false;
    }
  }
  return digit && op;
}

class SstiAnalyzer final : public Analyzer {
 public:
  SstiAnalyzer() : rules_(make_rules("m_ssti", AttackType::kSsti, 5400, kRules)) {}

  std::string_view name() const noexcept override { return "ssti"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 3> kHints = {
        R"(\{\{|\{%|[$#*~@]\{|<%|\[\[|@\(|\{#|\[=|\{[^}]{1,40}[(*'+%])",
        R"(__(class|mro|subclasses|globals|builtins|import|init|base|bases|getitem|dict|getattribute|reduce)__|\|\s*attr)",
        R"(<!--\s*#|<esi:|#set\s*\(|<#|<@)",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location == Location::kFile && !context.in_name) return;
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const auto add = [&](std::uint16_t rule, std::size_t begin, std::size_t end, const char* reason) {
      if (found[rule]) return;
      found[rule] = Hit{rule, static_cast<std::uint32_t>(begin),
                        static_cast<std::uint32_t>(std::min(end, text.size())), reason};
    };
    for (const Delimiters& delimiters : kDelimiters) read_delimited(text, delimiters, add);
    read_includes(text, add);
    read_velocity(text, add);
    read_interpolated(text, add);
    read_dunder(text, add);
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  static constexpr std::size_t kMaxExpressions = 256;
  static constexpr std::size_t kMaxInner = 2048;

  template <class Add>
  static void read_delimited(std::string_view text, const Delimiters& delimiters, const Add& add) {
    std::size_t looked = 0;
    for (std::size_t at = text.find(delimiters.open);
         at != std::string_view::npos && looked < kMaxExpressions; ++looked) {
      const std::size_t begin = at + delimiters.open.size();
      const std::string_view window = text.substr(begin, kMaxInner);
      const std::size_t size = window.find(delimiters.close);
      if (size == std::string_view::npos) {
        if (window.size() < kMaxInner) return;  // none behind it either
        at = text.find(delimiters.open, begin);
        continue;
      }
      const std::size_t end = begin + size + delimiters.close.size();
      if (readable(window.substr(0, size))) judge(text, delimiters, at, end, window.substr(0, size), add);
      at = text.find(delimiters.open, begin);
    }
  }

  template <class Add>
  static void judge(std::string_view text, const Delimiters& delimiters, std::size_t begin, std::size_t end,
                    std::string_view inner, const Add& add) {
    const bool single = delimiters.open == "{";
    if (only_computes(inner) && !(single && text.size() > 32)) {
      add(kProbe, begin, end,
          "A template expression that only computes: a probe whether a template engine runs it.");
      return;
    }
    if (!single) {
      for (const std::string_view name : kReaches) {
        if (ifind(inner, name) == std::string_view::npos) continue;
        add(kReach, begin, end,
            "A template expression that reaches for the internals of the engine or the language.");
        return;
      }
    }
    const std::size_t run = running_call(inner);
    if (run != std::string_view::npos &&
        (!single || inner.substr(0, 40).find_first_of("('") != std::string_view::npos) &&
        inner.find('\n') == std::string_view::npos) {
      if (!single || run == 0) {
        add(delimiters.open == "<%" || !single ? kExecutes : kScriptlet, begin, end,
            "A template expression that runs a command or reads a file.");
        return;
      }
    }
    if (delimiters.open == "<%") {
      if (!inner.empty() && !is_alpha(inner[0]) && !is_space(inner[0]) &&
          std::string_view("=@!-#").find(inner[0]) == std::string_view::npos)
        return;

      const bool code = inner.find_first_of("(`;") != std::string_view::npos || istarts_with(inner, "@") ||
                        istarts_with(inner, "!");
      add(code ? kScriptlet : kDirective, begin, end,
          "Code between <% and %>, which template engines and page compilers run.");
    } else if (delimiters.open == "{%") {
      add(kDirective, begin, end, "A template statement.");
    } else if (!single && inner.find('(') != std::string_view::npos && delimiters.open != "@(" &&
               delimiters.open != "[[") {
      add(kCalls, begin, end, "A template expression that calls a function.");
    }
  }

  // Not the noise of compressed or encrypted data: what an expression is written in.
  static bool readable(std::string_view inner) noexcept {
    return std::all_of(inner.begin(), inner.end(),
                       [](char c) { return (octet(c) >= ' ' && octet(c) < 0x7f) || is_space(c); });
  }

  // Position of a call of something that runs: name ( or |filter('name'), or a command in backticks.
  static std::size_t running_call(std::string_view inner) noexcept {
    for (std::size_t at = 0; at < inner.size();) {
      if (!is_alpha(inner[at]) && inner[at] != '_') {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < inner.size() && (is_alnum(inner[at]) || inner[at] == '_' || inner[at] == '.')) ++at;
      std::string_view name = inner.substr(begin, at - begin);
      std::size_t next = at;
      while (next < inner.size() && inner[next] == ' ') ++next;
      const bool called = next < inner.size() && (inner[next] == '(' || inner[next] == '\'' ||
                                                  inner[next] == '"' || inner[next] == '`');
      const bool quoted = begin > 0 && (inner[begin - 1] == '\'' || inner[begin - 1] == '"') &&
                          ifind(inner.substr(0, begin), "|") != std::string_view::npos;
      const std::size_t dot = name.rfind('.');
      const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
      if ((called || quoted) && (kRunning.has(name) || (kRunning.has(last) && last != "include" &&
                                                        last != "iterator" && last != "exec")))
        return begin;
    }
    return std::string_view::npos;
  }

  template <class Add>
  static void read_includes(std::string_view text, const Add& add) {
    for (std::size_t at = text.find("<!--"); at != std::string_view::npos; at = text.find("<!--", at + 4)) {
      std::size_t word = at + 4;
      while (word < text.size() && word - at < 16 && is_space(text[word])) ++word;
      if (word >= text.size() || text[word] != '#') continue;
      for (const std::string_view command :
           {"exec", "include", "echo", "printenv", "config", "fsize", "flastmod", "set", "if"}) {
        if (istarts_with(text.substr(word + 1), command)) {
          add(kInclude, at, at + 64, "A server-side include, which a web server runs in the page.");
          return;
        }
      }
    }
    const std::size_t esi = ifind(text, "<esi:");
    if (esi != std::string_view::npos)
      add(kInclude, esi, esi + 64, "An edge-side include, which a cache runs in the page.");
  }

  // Velocity: #set($x=…), $x.class.forName(…); Freemarker: <#assign …>
  template <class Add>
  static void read_velocity(std::string_view text, const Add& add) {
    const std::size_t set = ifind(text, "#set");
    if (set != std::string_view::npos) {
      std::size_t paren = set + 4;
      while (paren < text.size() && paren - set < 12 && is_space(text[paren])) ++paren;
      if (paren + 1 < text.size() && text[paren] == '(' && text.find('$', paren) < paren + 8 &&
          text.find('=', paren) != std::string_view::npos) {
        add(kReach, set, set + 64, "A Velocity statement that sets a variable.");
      }
    }
    for (const std::string_view tag :
         {"<#assign", "<#include", "<#import", "<#list", "<#setting", "<@liferay"}) {
      const std::size_t at = ifind(text, tag);
      if (at != std::string_view::npos) {
        add(kReach, at, at + 64, "A Freemarker statement.");
        return;
      }
    }
  }

  // Perl: @{[ … ]} in a string runs the block.
  template <class Add>
  static void read_interpolated(std::string_view text, const Add& add) {
    for (std::size_t at = text.find("@{"); at != std::string_view::npos; at = text.find("@{", at + 2)) {
      std::size_t open = at + 2;
      while (open < text.size() && open - at < 64 && is_space(text[open])) ++open;
      if (open >= text.size() || text[open] != '[') continue;
      const std::size_t close = text.find(']', open);
      if (close == std::string_view::npos) return;
      add(kInterpolated, at, close + 2, "A block inside of a string that Perl would run.");
      return;
    }
  }

  // Two names of Python's internals, or one that is reached for, also outside of delimiters.
  template <class Add>
  static void read_dunder(std::string_view text, const Add& add) {
    std::size_t count = 0;
    std::size_t first = 0;
    for (const std::string_view name : {"__class__", "__mro__", "__subclasses__", "__globals__",
                                        "__builtins__", "__import__", "__init__", "__base__"}) {
      const std::size_t at = text.find(name);
      if (at == std::string_view::npos) continue;
      const char before = at > 0 ? text[at - 1] : '\0';
      const char after = at + name.size() < text.size() ? text[at + name.size()] : '\0';
      const bool reached = before == '.' || before == '[' || before == '\'' || before == '"' ||
                           after == '(' || after == '.' || after == '[';
      if (!reached) continue;
      if (count++ == 0) first = at;
      if (name == "__import__" && after == '(') ++count;
    }
    if (count >= 2) add(kReach, first, first + 64, "A chain through the internals of Python objects.");
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_ssti_analyzer() { return std::make_unique<SstiAnalyzer>(); }

}  // namespace wafd::detect
