#include "detect/analyze/script/script_code.h"

#include <algorithm>
#include <array>

#include "detect/analyze/base/hint_text.h"
#include "detect/analyze/base/quoted_code.h"
#include "detect/analyze/base/writing.h"
#include "detect/analyze/script/js_lexer.h"
#include "detect/analyze/script/js_words.h"
#include "detect/analyze/script/script_calls.h"
#include "detect/analyze/script/script_objects.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kModule,
  kProcess,
  kPrototype,
  kPrototypeText,
  kFlight,
  kRuns,
  kLoop,
  kMention,
  kExecute,
  kEndless,
  kShownCode,
};

constexpr RuleSpec kRules[] = {
    {"module", "Node module that reaches the system", Risk::kHigh, Sensitivity::kLow},
    {"process", "Node's process object", Risk::kHigh, Sensitivity::kBalanced},
    {"prototype", "Prototype pollution", Risk::kHigh, Sensitivity::kBalanced},
    {"prototype-text", "Name of a prototype in a value", Risk::kMedium, Sensitivity::kStrict},
    {"flight", "Reference that walks to a constructor", Risk::kHigh, Sensitivity::kLow},
    {"runs", "Call that runs a command", Risk::kHigh, Sensitivity::kBalanced},
    {"loop", "Loop without end", Risk::kMedium, Sensitivity::kStrict},
    {"mention", "Name from Node's environment", Risk::kLow, Sensitivity::kStrict},
    {"execute", "Groovy text that is run as a command", Risk::kHigh, Sensitivity::kBalanced},
    {"endless", "Loop whose condition is constant", Risk::kHigh, Sensitivity::kBalanced},
    {"shown-code", "Script in a document about programs", Risk::kLow, Sensitivity::kStrict},
};

// Long texts with several lines are programs that people share: there only what nobody writes but to run it
// counts.
constexpr std::size_t kMaxValueBytes = 1024;
constexpr std::ptrdiff_t kMaxValueLines = 3;
// What is read at a place, and at how many.
constexpr std::size_t kPlaceBytes = 192;
constexpr std::size_t kMaxPlaces = 512;
constexpr std::size_t kMaxStringBytes = 256;  // of the text that Groovy would run

// JavaScript's words, and what other languages have in theirs. With backslashes: \u0072equire.
constexpr std::array<bool, 256> kWordPart = [] {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    const char ch = static_cast<char>(c);
    table[c] = is_alnum(ch) || ch == '_' || ch == '$' || ch == '\\';
  }
  return table;
}();

// Code is read where it could begin to act, whatever quotes stand before: a string that a value is put into
// is closed by the value, or is run as code itself.
class Pass {
 public:
  Pass(std::string_view text, const FieldContext& context, std::vector<Hit>& hits)
      : text_(text),
        context_(context),
        writing_(text, context),
        hits_(text.size(), hits),
        lexer_(*context.memory) {
    hits_.weigh(writing_, kShownCode, 1u << kModule | 1u << kProcess | 1u << kRuns | 1u << kExecute);
  }

  void read() {
    read_objects();
    value_ = text_.size() < kMaxValueBytes && std::count(text_.begin(), text_.end(), '\n') <= kMaxValueLines;
    read_places();
    if (value_) read_starts();
    if (!value_) return;
    if (const std::string_view call = other_language_call(text_); !call.empty()) {
      const auto begin = static_cast<std::size_t>(call.data() - text_.data());
      hits_.add(kRuns, begin, begin + call.size(),
                "A call that runs a command, loads code or stops the program.");
    }
  }

 private:
  void read_objects() {
    if (const auto walk = prototype_name(text_, context_.in_name))
      hits_.add(walk->sure ? kPrototype : kPrototypeText, walk->begin, walk->end,
                "A name that sets properties of every object of a script.");
    if (const auto walk = constructor_prototype(text_, context_.in_name))
      hits_.add(kPrototype, walk->begin, walk->end,
                "A name that sets properties of every object of a script.");
    if (const auto walk = message_reference(text_))
      hits_.add(kFlight, walk->begin, walk->end,
                "A reference between parts of a message that walks to a constructor or prototype.");
  }

  // One walk over the words; only behind those that could act is there something to read.
  void read_places() {
    std::size_t places = 0;
    for (std::size_t at = 0; at < text_.size();) {
      if (!kWordPart[octet(text_[at])]) {
        ++at;
        continue;
      }
      std::size_t begin = at;
      std::size_t backslash = std::string_view::npos;
      for (; at < text_.size() && kWordPart[octet(text_[at])]; ++at) {
        if (text_[at] == '\\') backslash = at;
      }
      bool hidden = false;
      if (backslash != std::string_view::npos) {
        hidden = text_.substr(begin, at - begin).find("\\u") != std::string_view::npos;
        if (!hidden) begin = backslash + 1;
      }
      if (!hidden && (!acts(text_.substr(begin, at - begin), at) || inside_of_word(begin))) continue;
      if (++places > kMaxPlaces) return;
      read_place(begin);
    }
  }

  // Letters beyond ASCII stand before it, which are part of the word; beyond ASCII there are spaces too.
  bool inside_of_word(std::size_t begin) const noexcept {
    if (begin == 0 || octet(text_[begin - 1]) < 0x80) return false;
    bool line_end = false;
    return !((begin > 1 && js_space(text_, begin - 2, line_end) == 2) ||
             (begin > 2 && js_space(text_, begin - 3, line_end) == 3));
  }

  // A word that reads on as a call or member does.
  bool acts(std::string_view word, std::size_t end) const noexcept {
    const ScriptWord known = script_word(word);
    if (known == ScriptWord::kNone || (known == ScriptWord::kShort && !value_)) return false;
    if (word == "mainModule") return true;
    while (end < text_.size() && octet(text_[end]) <= ' ') ++end;
    const char c = end < text_.size() ? text_[end] : '\0';
    if (octet(c) >= 0x80 || std::string_view(".[?/<\\").find(c) != std::string_view::npos) return true;
    // Receivers are no functions: "the file (see below)".
    if (c == '(') return known == ScriptWord::kAny || word == "open";
    return word == "child_process" && (c == ')' || c == '\'' || c == '"');
  }

  void read_place(std::size_t begin) {
    lexer_.read(text_.substr(0, begin + kPlaceBytes), begin);
    if (tokens().empty() || tokens()[0].kind != JsKind::kWord) return;
    const std::string_view word = tokens()[0].text;
    at_module();
    if (word == "__import__" && is(1, '(')) add(kRuns, 0, 1, "Python imports a module by its name.");
    if (word == "execute" && is(1, '(')) at_execute(begin);
    if ((word == "execSync" || word == "spawnSync" || word == "execFileSync") && is(1, '(') && string(2) &&
        tight(0, 1))
      add(kRuns, 0, 2, "A function of Node's child_process runs a command.");
    if (!value_) return;
    if (word == "child_process" && begin > 0 && (text_[begin - 1] == '\'' || text_[begin - 1] == '"') &&
        text_.substr(begin + word.size(), 1) == text_.substr(begin - 1, 1))
      add(declared(begin - 1) ? kMention : kProcess, 0, 0, "Node's module for processes is named in code.");
    at_environment(begin);
    at_call(begin);
  }

  const std::pmr::vector<JsToken>& tokens() const noexcept { return lexer_.tokens(); }
  bool is(std::size_t i, char c) const noexcept {
    return i < tokens().size() && tokens()[i].kind == JsKind::kPunct && tokens()[i].punct == c;
  }
  bool word(std::size_t i) const noexcept { return i < tokens().size() && tokens()[i].kind == JsKind::kWord; }
  bool string(std::size_t i) const noexcept {
    return i < tokens().size() &&
           (tokens()[i].kind == JsKind::kString || tokens()[i].kind == JsKind::kTemplate);
  }
  // The quote of an argument is there, if not its end.
  bool quoted(std::size_t i) const noexcept {
    return string(i) || (i < tokens().size() && tokens()[i].kind == JsKind::kLoneQuote);
  }
  // No comment stands between tokens first and last.
  bool tight(std::size_t first, std::size_t last) const noexcept {
    for (std::size_t i = first; i < last && i + 1 < tokens().size(); ++i) {
      const std::size_t end = tokens()[i].end;
      if (text_.substr(end, tokens()[i + 1].begin - end).find_first_of("/<") != std::string_view::npos)
        return false;
    }
    return true;
  }
  void add(RuleIndex rule, std::size_t first, std::size_t last, const char* reason) {
    last = std::min(last, tokens().size() - 1);
    hits_.add(rule, tokens()[first].begin, tokens()[last].end, reason);
  }

  // The octet before text[at] that is no white space, or NUL; `where` is its place.
  char before(std::size_t at, std::size_t& where) const noexcept {
    while (at > 0 && octet(text_[at - 1]) <= ' ') --at;
    where = at > 0 ? at - 1 : 0;
    return at > 0 ? text_[at - 1] : '\0';
  }
  char before(std::size_t at) const noexcept {
    std::size_t where = 0;
    return before(at, where);
  }

  // 'id'.execute(), "id"?.execute()
  void at_execute(std::size_t begin) {
    std::size_t at = 0;
    // Groovy has escapes in names nowhere: spelt as it is called.
    if (before(begin, at) != '.' || !istarts_with(text_.substr(begin), "execute")) return;
    if (at > 0 && text_[at - 1] == '?') --at;
    char quote = before(at, at);
    if (quote == ']' && at > 0) quote = before(at, at);  // ['sh','-c','id'].execute()
    if ((quote != '\'' && quote != '"') || at == 0) return;
    const std::size_t open = text_.find_last_of("\r\n'\"", at - 1);
    if (open == std::string_view::npos || text_[open] != quote || at - open < 3 ||
        at - open > kMaxStringBytes)
      return;
    add(kExecute, 0, 1, "A text is run as a command, as Groovy does it.");
  }

  // require('fs'), import('node:vm'), child_process.exec
  void at_module() {
    const std::string_view name = tokens()[0].text;
    const bool loads = name == "require" || name == "import" || name == "_load" || name == "getBuiltinModule";
    if (loads && is(1, '(') && tokens().size() > 2) {
      std::string joined;
      const std::string_view module = argument(joined);
      const bool named = node_module(module);
      const bool system = named && module.find("child_process") != std::string_view::npos;
      if (system || (named && value_))
        add(kModule, 0, 2, "A Node module that reaches files, processes or the network is loaded.");
    }
    if (value_ && name == "child_process" &&
        (is(1, '.') || (before(tokens()[0].begin) == '(' && !string_around())))
      add(kModule, 0, 0, "Node's module for processes is used.");
  }
  bool string_around() const noexcept {
    const std::size_t begin = tokens()[0].begin;
    return begin > 0 && (text_[begin - 1] == '\'' || text_[begin - 1] == '"');
  }

  // import … from 'child_process': a module's source has it, what is evaluated cannot.
  bool declared(std::size_t quote) const noexcept {
    std::size_t at = 0;
    if (before(quote, at) != 'm') return false;
    return text_.substr(0, at + 1).ends_with(" from") || text_.substr(0, at + 1).ends_with("}from");
  }

  // The first argument of the call: a word, a string, strings that '+' joins.
  std::string_view argument(std::string& joined) const {
    if (word(2)) return tokens()[2].text;
    if (!string(2)) return {};
    if (!is(3, '+')) return tokens()[2].text;
    joined = tokens()[2].text;
    for (std::size_t i = 3; is(i, '+') && string(i + 1) && i < 32; i += 2) joined += tokens()[i + 1].text;
    return joined;
  }

  // process.env, process['binding'], module.exports=
  void at_environment(std::size_t begin) {
    const std::string_view name = tokens()[0].text;
    if (name == "process" && !word_before(begin)) {
      if (is(1, '.') && word(2) && process_member(tokens()[2].text)) {
        add(kProcess, 0, 2, "Node's process object is read.");
      } else if (is(1, '[') && (string(2) || word(2))) {
        const bool member = string(2) || process_member(tokens()[2].text) || of_request(2);
        add(member ? kProcess : kMention, 0, 2, "A member of Node's process object is looked up.");
      }
    }
    if (name == "require" && is(1, '[') && (string(2) || word(2)))
      add(of_request(2) ? kProcess : kMention, 0, 2,
          "A member of Node's function that loads modules is looked up.");
    if (name == "mainModule" && before(begin) == '.') add(kProcess, 0, 0, "Node's main module is reached.");
    if (name == "module" && is(1, '.') && word(2) && tokens()[2].text == "exports")
      // module.exports = { entry: … }: settings that are a module's source
      add(is(3, '=') && !is(4, '{') ? kProcess : kMention, 0, 2, "What a Node module gives out is replaced.");
  }
  // req.query.x: what the request says is looked up
  bool of_request(std::size_t i) const noexcept {
    return word(i) && (tokens()[i].text == "req" || tokens()[i].text == "request") &&
           (is(i + 1, '.') || is(i + 1, '['));
  }
  // "a process.env file": prose, but "return process.env".
  bool word_before(std::size_t begin) const noexcept {
    std::size_t at = 0;
    const char c = before(begin, at);
    if (begin == 0 || at + 1 == begin || !(is_alnum(c) || c == '_' || octet(c) >= 0x80)) return false;
    std::size_t first = at;
    while (first > 0 && at - first < 16 && is_alnum(text_[first - 1])) --first;
    const std::string_view word = text_.substr(first, at + 1 - first);
    return word != "return" && word != "throw" && word != "typeof" && word != "void" && word != "await";
  }

  // os.system('id'), IO.popen("id"), Deno.run({…}), open("|id"), open('a').read()
  void at_call(std::size_t begin) {
    const std::string_view name = tokens()[0].text;
    if (name == "open" && is(1, '(') && tight(0, 1) && !member(begin)) at_open();
    if (!is(1, '.') || !word(2) || !is(3, '(') || member(begin) || !tight(0, 3)) return;
    // "File.open(…)" needs its argument to be one.
    const std::size_t first = is(4, '[') || is(4, '{') ? 5 : 4;
    if (script_call(name, tokens()[2].text) == ScriptCall::kRuns && (quoted(first) || word(first)) &&
        !python_traceback(text_, begin))
      add(kRuns, 0, 3, "A call that runs a command or reads a file.");
  }

  // a.os, but Lua joins strings by "..".
  bool member(std::size_t begin) const noexcept {
    std::size_t at = 0;
    return before(begin, at) == '.' && !(at > 0 && text_[at - 1] == '.');
  }

  // Perl and Ruby run what stands beside '|' in the name of a file; a file that is read where it is opened.
  void at_open() {
    for (std::size_t i = 2; i < 5 && i < tokens().size(); ++i) {
      if (is(i, ')')) return;
      if (!string(i)) continue;
      std::string_view name = trim(tokens()[i].text);
      if (name.size() > 1 && (name.front() == '|' || name.back() == '|')) {
        add(kRuns, 0, i, "A file is opened whose name is a pipe from or to a command.");
        return;
      }
      if (i > 2) continue;
      for (std::size_t close = i + 1; close < i + 4; ++close) {
        if (!is(close, ')')) continue;
        if (is(close + 1, '.') && word(close + 2) && istarts_with(tokens()[close + 2].text, "read"))
          add(kRuns, 0, close + 2, "A file is opened and read.");
        return;
      }
    }
  }

  // Where the value begins, and where it goes on once it has closed the string around it.
  void read_starts() {
    at_start(text_, 0, false);
    QuotedReadings readings(text_);
    for (QuotedCode landed; readings.next(landed);) {
      if (landed.joint == 0) continue;
      at_start(landed.code, static_cast<std::size_t>(landed.code.data() - text_.data()), true);
    }
  }

  void at_start(std::string_view code, std::size_t base, bool landed) {
    const std::size_t begin = code.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return;
    const std::string_view rest = code.substr(begin);
    const bool loops = rest.starts_with("while") || rest.starts_with("for");
    if (!loops && !rest.starts_with("console") && octet(rest[0]) < 0x80 && rest[0] != '\\' && rest[0] != '/')
      return;
    lexer_.read(text_.substr(0, base + code.size()), base + begin);
    if (!word(0)) return;
    if (tokens()[0].text == "console") {
      at_console();
    } else if (tokens()[0].begin == base + begin) {
      at_loop(landed);
    }
  }

  // console.log(1), console["log"](1)
  void at_console() {
    const bool member = is(1, '.') && word(2) && is(3, '(') && tight(0, 3);
    const bool index = is(1, '[') && string(2) && is(3, ']') && is(4, '(');
    if ((member || index) && script_call(tokens()[0].text, tokens()[2].text) == ScriptCall::kPrints)
      add(kRuns, 0, 4, "The value is a call that prints: a probe whether it runs.");
  }

  // while(true), while(!0), for(;;): keeps a script busy for ever.
  void at_loop(bool landed) {
    const std::string_view keyword = tokens()[0].text;
    if (context_.in_name || !is(1, '(') || !tight(0, 1)) return;
    if (keyword == "for") {
      if (is(2, ';') && is(3, ';') && is(4, ')'))
        add(kEndless, 0, 4, "A loop without a condition keeps a script busy.");
      return;
    }
    if (keyword != "while") return;
    std::size_t depth = 1;
    bool constant = true;
    std::size_t i = 2;
    for (; i < tokens().size() && depth > 0; ++i) {
      const JsToken& token = tokens()[i];
      depth = is(i, '(') ? depth + 1 : is(i, ')') ? depth - 1 : depth;
      if (token.kind != JsKind::kWord) continue;
      // Two words in a row are prose, unless the first is one of the language.
      if (word(i - 1) && !constant_word(tokens()[i - 1].text)) return;
      constant = constant && constant_word(token.text);
    }
    const bool whole = depth == 0 && i > 3;
    if (landed && !(constant && whole)) return;
    add(constant && whole ? kEndless : kLoop, 0, i, "A loop that keeps a script busy.");
  }

  static bool constant_word(std::string_view text) noexcept {
    static constexpr std::array<std::string_view, 14> kConstants = {
        "true", "True", "undefined", "null",   "Infinity", "NaN",    "this",
        "new",  "Date", "false",     "typeof", "void",     "Object", "not"};
    return std::find(kConstants.begin(), kConstants.end(), text) != kConstants.end();
  }

  std::string_view text_;
  const FieldContext& context_;
  Writing writing_;
  FirstHits hits_;
  JsLexer lexer_;
  bool value_ = false;
};

class ScriptCodeAnalyzer final : public Analyzer {
 public:
  ScriptCodeAnalyzer() : rules_(make_rules("m_code", AttackType::kCodeInjection, 5900, kRules)) {}

  std::string_view name() const noexcept override { return "code"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override {
    static const HintTexts kHints({
        other_call_hint(),
        R"(\b(require|import|_load|getbuiltinmodule)[\x00-\x20\x80-\xff]*([(\[]|/[/*]|<!))",
        R"(\b(process|module)[\x00-\x20\x80-\xff]*(\.[\x00-\x20\x80-\xff]*[a-z_/<\\]|\[|\?\.|/[/*]|<!))",
        // Hosts are called console.a.example too.
        R"(\bconsole[\x00-\x20\x80-\xff]*(\.[\x00-\x20\x80-\xff]*(log|info|error|warn|debug|dir|trace|table|[/<\\])|\[|\?\.|/[/*]|<!))",
        R"(\b(child_process|fs|vm|deno|bun|process|kernel|io|open3|file|dir|pty|marshal|yaml|object|os|posix|subprocess|commands|platform|c?pickle|dill|importlib|ctypes|builtins|timeit|runpy|asyncio|package)[\x00-\x20\x80-\xff]*\??\.[\x00-\x20\x80-\xff]*[a-z0-9_]+[\x00-\x20\x80-\xff]*\()",
        R"((^[\x00-\x20\x80-\xff]*|['"`][^a-z0-9_]{1,32})(while|for)[\x00-\x20\x80-\xff]*\()",
        R"(\bopen[\x00-\x20\x80-\xff]*\()",
        R"([\x27\x22][\x00-\x20\x80-\xff]*\]?[\x00-\x20\x80-\xff]*\??\.[\x00-\x20\x80-\xff]*execute[\x00-\x20\x80-\xff]*(\(|/[/*]))",
        R"(constructor[^a-z0-9\x00-\x20]+prototype|__proto__)",
        R"(\$[0-9a-f@]+:)",
        R"(\\u(00[4-7][0-9a-f]|\{0*[4-7][0-9a-f]\}))",
    });
    return kHints.all();
  }
  std::uint32_t reads_places() const noexcept override { return ~place_bit(Location::kFile, false); }
  std::span<const std::string_view> hint_words() const noexcept override {
    static constexpr std::array<std::string_view, 6> kWords = {"child_process", "mainmodule", "__import__",
                                                               "execsync",      "spawnsync",  "execfilesync"};
    return kWords;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location == Location::kFile && !context.in_name) return;
    Pass(text, context, hits).read();
  }

 private:
  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_script_code_analyzer() { return std::make_unique<ScriptCodeAnalyzer>(); }

}  // namespace wafd::detect
