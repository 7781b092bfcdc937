#include "detect/analyze/template/ssti.h"

#include <algorithm>
#include <array>

#include "detect/analyze/base/writing.h"
#include "detect/analyze/template/ssti_delimiters.h"
#include "detect/analyze/template/ssti_engine.h"
#include "detect/analyze/template/ssti_expression.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

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
  kCalls,
  kObject,
  kInvokes,
  kShownCode,
  kEngine,
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
    {"object", "Template expression that shows the engine's own objects", Risk::kMedium,
     Sensitivity::kStrict},
    {"invokes", "Template expression that calls what the data holds", Risk::kHigh, Sensitivity::kBalanced},
    {"shown-code", "Template in a document about programs", Risk::kLow, Sensitivity::kStrict},
    {"engine", "Template statement for the engine itself", Risk::kHigh, Sensitivity::kBalanced},
};

class Pass {
 public:
  Pass(std::string_view text, const FieldContext& context, std::vector<Hit>& hits)
      : text_(text), writing_(text, context), hits_(text.size(), hits) {
    hits_.weigh(writing_, kShownCode);
  }

  void read() {
    read_delimited();
    read_includes();
    read_statements();
    read_interpolated();
    read_internals();
    read_engine_words(text_, hits_, kEngine, kProbe);
  }

 private:
  static constexpr std::size_t kMaxInner = 2048;
  static constexpr std::size_t kMaxSingleInner = 512;
  static constexpr std::size_t kMaxInnerOctets = 65536;  // read between delimiters, all together

  void read_delimited() {
    Closers closers(text_);
    std::size_t budget = kMaxInnerOctets;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (!kOpens[octet(text_[at])]) continue;
      const Opener opener = opener_at(text_, at);
      if (opener.size == 0) continue;
      const std::size_t begin = at + opener.size;
      const std::size_t end = closers.find(opener.close, begin);
      const std::size_t limit = opener.kind == Delimited::kSingle ? kMaxSingleInner : kMaxInner;
      if (end == std::string_view::npos || end - begin > limit) continue;
      if (end - begin > budget) return;
      budget -= end - begin;
      const std::string_view inner = text_.substr(begin, end - begin);
      if (readable(inner)) judge(opener, at, end + opener.close.size(), inner);
    }
  }

  void judge(const Opener& opener, std::size_t begin, std::size_t end, std::string_view inner) {
    const TemplateExpression found = read_template_expression(inner);
    const bool single = opener.kind == Delimited::kSingle;
    if (found.computes && !(single && text_.size() > 32)) {
      hits_.add(kProbe, begin, end,
                "A template expression that only computes: a probe whether a template engine runs it.");
      return;
    }
    if (single) {
      // {system('id')}: the call is the whole expression.
      if (found.runs == 0 && inner.find('\n') == std::string_view::npos)
        hits_.add(kScriptlet, begin, end, "A template expression that runs a command or reads a file.");
      judge_smarty(begin, end, inner, found);
      return;
    }
    if (found.reaches && opener.kind != Delimited::kNarrow) {
      hits_.add(kReach, begin, end,
                "A template expression that reaches for the internals of the engine or the language.");
      return;
    }
    if (found.runs != TemplateExpression::kNone && inner.find('\n') == std::string_view::npos) {
      hits_.add(kExecutes, begin, end, "A template expression that runs a command or reads a file.");
      return;
    }
    const bool code = opener.kind == Delimited::kCode;
    if ((code || opener.kind == Delimited::kStatement) && found.constant) {
      hits_.add(kProbe, begin, end,
                "A template statement with a constant condition: a probe whether a template engine runs it.");
    } else if ((code || opener.kind == Delimited::kStatement) && found.imports) {
      hits_.add(kReach, begin, end, "A template statement that imports a module of the language.");
    } else if (code) {
      at_code(begin, end, inner);
    } else if (opener.kind == Delimited::kStatement) {
      hits_.add(kDirective, begin, end, "A template statement.");
    } else if (opener.kind == Delimited::kExpression && found.invokes) {
      hits_.add(kInvokes, begin, end, "A template expression that calls a function which the data holds.");
    } else if (opener.kind == Delimited::kExpression && found.calls) {
      hits_.add(kCalls, begin, end, "A template expression that calls a function.");
    } else if (opener.kind == Delimited::kExpression && !found.object.empty() && opener.close == "}}") {
      hits_.add(kObject, begin, end, "A template expression that shows an object of the engine itself.");
    }
  }

  // {if system('id')}, {$smarty.version}, {Smarty_Internal_Write_File::writeFile(…)}
  void judge_smarty(std::size_t begin, std::size_t end, std::string_view inner,
                    const TemplateExpression& found) {
    if (inner.empty() || inner.find('\n') != std::string_view::npos) return;
    if (inner[0] == '$' ? smarty_internal(inner)
                        : found.reaches && inner.find("::") != std::string_view::npos) {
      hits_.add(kReach, begin, end, "A Smarty expression that reaches for the internals of the engine.");
      return;
    }
    if (modified_to_run(inner))
      hits_.add(kScriptlet, begin, end, "A Smarty modifier that runs its value as a command or as code.");
    if (found.runs != TemplateExpression::kNone && found.runs != 0 && smarty_statement(inner))
      hits_.add(kScriptlet, begin, end, "A Smarty statement that runs a command or reads a file.");
  }

  // {$x|system}, {"id"|passthru:y}: any function of PHP is a modifier (Smarty manual, "Variable Modifiers").
  static bool modified_to_run(std::string_view inner) noexcept {
    constexpr WordSet kRunning({"system", "exec", "shell_exec", "passthru", "popen", "proc_open", "eval",
                                "assert", "phpinfo", "file_get_contents", "readfile", "show_source",
                                "highlight_file"});
    if (inner[0] != '$' && inner[0] != '"' && inner[0] != '\'') return false;
    for (std::size_t at = inner.find('|'); at != std::string_view::npos; at = inner.find('|', at + 1)) {
      std::size_t end = at + 1;
      while (end < inner.size() && (is_alnum(inner[end]) || inner[end] == '_')) ++end;
      if (kRunning.has(inner.substr(at + 1, end - at - 1)) && (end == inner.size() || inner[end] == ':'))
        return true;
    }
    return false;
  }

  // What $smarty holds beyond the page's own variables (Smarty manual, "{$smarty} reserved variable").
  static bool smarty_internal(std::string_view inner) noexcept {
    if (!istarts_with(inner, "$smarty")) return false;
    inner.remove_prefix(7);
    if (inner.starts_with("->")) return true;
    if (!inner.starts_with('.')) return false;
    constexpr WordSet kInternal(
        {"version", "template_object", "server", "env", "const", "template", "current_dir", "config"});
    std::size_t end = 1;
    while (end < inner.size() && (is_alnum(inner[end]) || inner[end] == '_')) ++end;
    return kInternal.has(inner.substr(1, end - 1));
  }

  // A condition or a loop alone; in the braces of a script a statement follows the condition's.
  static bool smarty_statement(std::string_view inner) noexcept {
    constexpr WordSet kStatements({"if", "elseif", "while", "for", "foreach", "assign", "eval"});
    std::size_t end = 0;
    while (end < inner.size() && is_alpha(inner[end])) ++end;
    if (end >= inner.size() || inner[end] != ' ' || !kStatements.has(inner.substr(0, end))) return false;
    int depth = 0;
    for (std::size_t at = end; at < inner.size(); ++at) {
      const char c = inner[at];
      if (c == ';' || c == '{') return false;
      if (c == '(') ++depth;
      if (c != ')' || --depth != 0 || inner[end + 1] != '(') continue;
      const std::size_t next = inner.find_first_not_of(' ', at + 1);
      if (next != std::string_view::npos && is_alpha(inner[next])) return false;
    }
    return true;
  }

  // A parenthesis that is not only that of a condition: <% if (user.vip) { %>.
  static bool calls(std::string_view inner) noexcept {
    constexpr WordSet kConditions({"if", "elseif", "elsif", "while", "unless", "switch"});
    for (std::size_t open = inner.find('('); open != std::string_view::npos;
         open = inner.find('(', open + 1)) {
      std::size_t end = open;
      while (end > 0 && inner[end - 1] == ' ') --end;
      std::size_t begin = end;
      while (begin > 0 && is_alpha(inner[begin - 1])) --begin;
      if (!kConditions.has(inner.substr(begin, end - begin))) return true;
    }
    return false;
  }

  void at_code(std::size_t begin, std::size_t end, std::string_view inner) {
    if (!inner.empty() && !is_alpha(inner[0]) && !is_space(inner[0]) &&
        std::string_view("=@!-#").find(inner[0]) == std::string_view::npos)
      return;
    const bool acts = inner.find_first_of("`;") != std::string_view::npos || inner.starts_with('@') ||
                      inner.starts_with('!') || calls(inner);
    hits_.add(acts ? kScriptlet : kDirective, begin, end,
              "Code between <% and %>, which template engines and page compilers run.");
  }

  // Not the noise of compressed or encrypted data: what an expression is written in.
  static bool readable(std::string_view inner) noexcept {
    return std::all_of(inner.begin(), inner.end(),
                       [](char c) { return (octet(c) >= ' ' && octet(c) < 0x7f) || is_space(c); });
  }

  void read_includes() {
    for (std::size_t at = text_.find("<!--"); at != std::string_view::npos; at = text_.find("<!--", at + 4)) {
      std::size_t word = at + 4;
      while (word < text_.size() && word - at < 16 && is_space(text_[word])) ++word;
      if (word >= text_.size() || text_[word] != '#') continue;
      for (const std::string_view command :
           {"exec", "include", "echo", "printenv", "config", "fsize", "flastmod", "set", "if", "odbc"}) {
        if (!istarts_with(text_.substr(word + 1), command)) continue;
        hits_.add(kInclude, at, at + 64, "A server-side include, which a web server runs in the page.");
        return;
      }
    }
    for (std::size_t at = text_.find('<'); at != std::string_view::npos; at = text_.find('<', at + 1)) {
      if (!istarts_with(text_.substr(at), "<esi:") && !istarts_with(text_.substr(at), "<!--esi")) continue;
      hits_.add(kInclude, at, at + 64, "An edge-side include, which a cache runs in the page.");
      return;
    }
  }

  // Velocity: #set($x=…); Freemarker: <#assign …>, [#assign …]
  void read_statements() {
    for (std::size_t at = text_.find('#'); at != std::string_view::npos; at = text_.find('#', at + 1)) {
      const std::string_view rest = text_.substr(at + 1);
      const char before = at > 0 ? text_[at - 1] : '\0';
      if (istarts_with(rest, "set")) {
        std::size_t paren = 3;
        while (paren < rest.size() && paren < 12 && is_space(rest[paren])) ++paren;
        if (paren < rest.size() && rest[paren] == '(' &&
            rest.substr(paren, 8).find('$') != std::string_view::npos &&
            rest.substr(paren, 256).find('=') != std::string_view::npos)
          hits_.add(kReach, at, at + 64, "A Velocity statement that sets a variable.");
      } else if (before == '<' || before == '[') {
        for (const std::string_view word : {"assign", "include", "import", "list", "setting"}) {
          if (!istarts_with(rest, word)) continue;
          // A loop over what the page was given is in every template that somebody shares.
          const bool plain =
              word == "list" && writing_.is_program() && rest.substr(0, 96).find('.') > rest.find('>');
          hits_.add(plain ? kDirective : kReach, at - 1, at + 64, "A Freemarker statement.");
        }
      }
    }
    for (std::size_t at = text_.find("<@"); at != std::string_view::npos; at = text_.find("<@", at + 2)) {
      if (istarts_with(text_.substr(at + 2), "liferay"))
        hits_.add(kReach, at, at + 64, "A Freemarker statement.");
    }
  }

  // Perl: @{[ … ]} in a string runs the block.
  void read_interpolated() {
    for (std::size_t at = text_.find("@{"); at != std::string_view::npos; at = text_.find("@{", at + 2)) {
      std::size_t open = at + 2;
      while (open < text_.size() && open - at < 64 && is_space(text_[open])) ++open;
      if (open >= text_.size() || text_[open] != '[') continue;
      const std::size_t close = text_.find(']', open);
      if (close == std::string_view::npos) return;
      hits_.add(kInterpolated, at, close + 2, "A block inside of a string that Perl would run.");
      return;
    }
  }

  // Two names of Python's internals, or one that is called, also outside of delimiters.
  void read_internals() {
    std::string_view seen;
    for (std::size_t at = text_.find("__"); at != std::string_view::npos; at = text_.find("__", at + 2)) {
      std::size_t end = at + 2;
      while (end < text_.size() && end - at < 24 && (is_alpha(text_[end]) || text_[end] == '_')) ++end;
      const std::string_view word = text_.substr(at, end - at);
      const char before = at > 0 ? text_[at - 1] : '\0';
      if (is_alnum(before) || before == '_' || !python_internal(word)) continue;
      const char after = end < text_.size() ? text_[end] : '\0';
      const std::size_t word_begin = at;
      // A method of a class, and whether a module is the program itself: def __init__(self), __name__ == "…".
      const std::string_view lead = text_.substr(0, at);
      if (lead.ends_with("def ") || lead.ends_with("def+") || iequals(word, "__name__")) {
        at = end - 2;
        continue;
      }
      const bool reached = before == '.' || before == '[' || before == '\'' || before == '"' ||
                           after == '(' || after == '.' || after == '[' || (before == '(' && after == ',');
      at = end - 2;
      if (!reached) continue;
      const bool imports = (iequals(word, "__import__") && after == '(') ||
                           (after == ',' && text_.substr(0, word_begin).ends_with("getattr("));
      if (imports || (!seen.empty() && !iequals(seen, word))) {
        const auto begin = static_cast<std::size_t>((seen.empty() ? word : seen).data() - text_.data());
        hits_.add(kReach, begin, begin + 64, "A chain through the internals of Python objects.");
        return;
      }
      if (seen.empty()) seen = word;
    }
  }

  std::string_view text_;
  Writing writing_;
  FirstHits hits_;
};

class SstiAnalyzer final : public Analyzer {
 public:
  SstiAnalyzer() : rules_(make_rules("m_ssti", AttackType::kSsti, 5400, kRules)) {}

  std::string_view name() const noexcept override { return "ssti"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 19> kHints = {
        R"(<%|\{%)",
        R"(\$\{(\.[a-z]|[0-9'"][^ }?]*\?[a-z]))",
        R"(#(parse|evaluate|include)\(['"$])",
        // Computing.
        R"((\{|@\(|\[\[|\[=)[\x00-\x20={-]*[0-9\x27\x22(). /-]+[*+%])",
        // Calls, or the engine's own objects, in delimiters.
        R"((\{\{|[$#*~@]\{)[^(}]*\()",
        // Go.
        R"~([{(\[=%]-?[ \t]*(printf|print|println|html|js|urlquery|call)[ \t]+["`0-9.$])~",
        R"(\{\{[ \t]*[.$][ \t]*\}\})",
        R"(\{[^a-z0-9_}]*dump *\()",
        R"(process[^a-z0-9_]*\. *start *\(|request[^a-z0-9_]*\. *server)",
        R"(\{\{[\x00-\x20]*(handler|request|config|settings|self|context|app|dump|global|root|this)[\x00-\x20]*\}\})",
        // What runs something, and filters that are given it.
        R"~(\b(system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec|execsync|execfile|spawn|spawnsync|subprocess|check_output|getruntime|processbuilder|file_get_contents|file_put_contents|fopen|readfile|show_source|highlight_file|require|instance_eval|class_eval|eval|iterator|assert|include|getoutput|backtick|invokeobject|phpinfo|readalltext|readalllines|readallbytes)( *[(\x60]| +[\x27\x22]))~",
        R"(\| *[a-z0-9_]+ *\( *[\x27\x22])",
        R"(\|(system|exec|shell_exec|passthru|popen|proc_open|eval|assert|phpinfo|file_get_contents|readfile|show_source|highlight_file)[:}])",
        R"((file\.(open|read)|dir\.(entries|glob)|io\.read|%x)[(\[{ ])",
        // What leaves the template; further names are words.
        R"(\| *attr *[(\x27\x22]|\? *(new|api|eval|interpret)\b|\. *class *\.|freemarker.template)",
        R"~((handler|request|config|settings|self|context|app|dump|global|root|this)[^a-z0-9_]*\. *(process|application|environ|items|from_))~",
        R"([\x27\x22](__[a-z0-9_]*|[a-z0-9_]*__)[\x27\x22])",
        R"(<!--\s*#|<!--esi|<esi:|#set\s*\(|[<\[]#(assign|include|import|list|setting)|<@liferay)",
        R"(@\{\s*\[)",
    };
    return kHints;
  }

  std::uint32_t reads_places() const noexcept override { return ~place_bit(Location::kFile, false); }
  std::span<const std::string_view> hint_words() const noexcept override {
    static constexpr std::array<std::string_view, 55> kNames = {"__class__",
                                                                "__proto__",
                                                                "__mro__",
                                                                "__subclasses__",
                                                                "__globals__",
                                                                "__builtins__",
                                                                "__builtin__",
                                                                "__import__",
                                                                "__init__",
                                                                "__base__",
                                                                "__bases__",
                                                                "__getitem__",
                                                                "__dict__",
                                                                "__getattribute__",
                                                                "__getattr__",
                                                                "__reduce__",
                                                                "__reduce_ex__",
                                                                "__func__",
                                                                "__self__",
                                                                "__code__",
                                                                "__closure__",
                                                                "__loader__",
                                                                "__spec__",
                                                                "__call__",
                                                                "__wrapped__",
                                                                "lipsum",
                                                                "cycler",
                                                                "joiner",
                                                                "url_for",
                                                                "get_flashed_messages",
                                                                "_templatereference",
                                                                "_templatereference__context",
                                                                "secret_key",
                                                                "_self",
                                                                "_context",
                                                                "registerundefinedfiltercallback",
                                                                "registerundefinedfunctioncallback",
                                                                "getfilter",
                                                                "setcache",
                                                                "objectconstructor",
                                                                "jythonruntime",
                                                                "getclass",
                                                                "forname",
                                                                "getruntime",
                                                                "getprotectiondomain",
                                                                "getclassloader",
                                                                "classtool",
                                                                "execinfo",
                                                                "mainmodule",
                                                                "constructor",
                                                                "smarty_internal_write_file",
                                                                "smarty_internal_data",
                                                                "smarty_internal_runtime_writefile",
                                                                "getstreamvariable",
                                                                "smarty"};
    return kNames;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location == Location::kFile && !context.in_name) return;
    Pass(text, context, hits).read();
  }

 private:
  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_ssti_analyzer() { return std::make_unique<SstiAnalyzer>(); }

}  // namespace wafd::detect
