#include "detect/analyze/script_code.h"

#include <algorithm>
#include <array>

#include "detect/analyze/js_lexer.h"
#include "detect/analyze/script_calls.h"
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
};

// Long texts with several lines are programs that people share.
constexpr std::size_t kMaxValueBytes = 1024;
constexpr std::ptrdiff_t kMaxValueLines = 3;
// In a longer text only what nobody writes but to run it counts, and what is around it is read.
constexpr std::size_t kWindowBefore = 64;
constexpr std::size_t kWindowBehind = 128;
constexpr std::size_t kMaxWindows = 64;

class Pass {
 public:
  Pass(std::string_view text, const FieldContext& context, std::vector<Hit>& hits)
      : text_(text), context_(context), hits_(text.size(), hits), lexer_(*context.memory) {}

  void read() {
    read_pollution();
    read_flight();
    value_ = text_.size() < kMaxValueBytes && std::count(text_.begin(), text_.end(), '\n') <= kMaxValueLines;
    if (value_) {
      read_code(text_, 0);
    } else {
      read_windows();
    }
  }

 private:
  // __proto__[x], a.__proto__.b, constructor[prototype][x] as names.
  void read_pollution() {
    const std::size_t proto = text_.find("__proto__");
    if (proto != std::string_view::npos) {
      const std::size_t end = proto + 9;
      const char after = end < text_.size() ? text_[end] : '\0';
      const bool key = context_.in_name || after == '[' || after == '.' ||
                       (after == '"' && text_.substr(end, 5).find(':') != std::string_view::npos) ||
                       (after == ']' && proto > 0);
      hits_.add(key ? kPrototype : kPrototypeText, proto, end,
                "A name that sets properties of every object of a script.");
    }
    const std::size_t constructor = text_.find("constructor");
    if (constructor == std::string_view::npos) return;
    // constructor.prototype, constructor[prototype]: nothing but signs between.
    std::size_t prototype = constructor + 11;
    while (prototype < text_.size() && !is_alnum(text_[prototype]) && octet(text_[prototype]) > ' ')
      ++prototype;
    if (prototype == constructor + 11 || !text_.substr(prototype).starts_with("prototype")) return;
    if (context_.in_name ||
        (text_.size() < 256 && text_.find_first_of(" (;", text_.find_first_not_of(" \t\r\n")) > prototype))
      hits_.add(kPrototype, constructor, prototype + 9,
                "A name that sets properties of every object of a script.");
  }

  // "$1:constructor:constructor": a reference between the parts of a serialised message.
  void read_flight() {
    for (std::size_t at = text_.find('$'); at != std::string_view::npos; at = text_.find('$', at + 1)) {
      std::size_t end = at + 1;
      while (end < text_.size() && end - at < 6 && (hex_value(text_[end]) >= 0 || text_[end] == '@')) ++end;
      if (end == at + 1 || end >= text_.size() || text_[end] != ':') continue;
      const std::string_view window = text_.substr(end, 96);
      const auto space = std::find_if(window.begin(), window.end(), [](char c) { return octet(c) <= ' '; });
      const std::string_view path = window.substr(0, static_cast<std::size_t>(space - window.begin()));
      if (path.find(":constructor") == std::string_view::npos &&
          path.find(":__proto__") == std::string_view::npos &&
          path.find(":prototype") == std::string_view::npos)
        continue;
      hits_.add(kFlight, at, end + path.size(),
                "A reference between parts of a message that walks to a constructor or prototype.");
      return;
    }
  }

  void read_windows() {
    std::size_t windows = 0;
    for (const std::string_view word : {"child_process", "__import__", ".execute"}) {
      std::size_t read_to = 0;
      for (std::size_t at = text_.find(word); at != std::string_view::npos;
           at = text_.find(word, at + word.size())) {
        if (at < read_to) continue;
        if (++windows > kMaxWindows) return;
        const std::size_t begin = at - std::min(at, kWindowBefore);
        read_to = at + kWindowBehind;
        read_code(text_.substr(0, read_to), begin);
      }
    }
  }

  void read_code(std::string_view text, std::size_t from) {
    lexer_.read(text, from);
    for (std::size_t i = 0; i < tokens().size(); ++i) {
      const JsToken& token = tokens()[i];
      if (token.kind == JsKind::kString) at_string(i);
      if (token.kind != JsKind::kWord) continue;
      at_module(i);
      if (token.text == "__import__" && is(i + 1, '('))
        add(kRuns, i, i + 1, "Python imports a module by its name.");
      if (value_) {
        at_environment(i);
        at_call(i);
        if (i == 0) at_loop();
      }
    }
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

  void at_string(std::size_t i) {
    const JsToken& token = tokens()[i];
    if (token.text.size() > 1 && is(i + 1, '.') && word(i + 2) && tokens()[i + 2].text == "execute" &&
        is(i + 3, '(') && tight(i, i + 3))
      add(kExecute, i, i + 3, "A text is run as a command, as Groovy does it.");
    if (value_ && !token.escaped && token.text == "child_process")
      add(kProcess, i, i, "Node's module for processes is named in code.");
  }

  // require('fs'), import('node:vm'), child_process.exec
  void at_module(std::size_t i) {
    const JsToken& token = tokens()[i];
    const bool loads = token.text == "require" || token.text == "import" || token.text == "_load" ||
                       token.text == "getBuiltinModule";
    if (loads && is(i + 1, '(') && i + 2 < tokens().size()) {
      const bool named = (string(i + 2) || word(i + 2)) && node_module(tokens()[i + 2].text);
      const bool system = named && tokens()[i + 2].text.find("child_process") != std::string_view::npos;
      if (system || (named && value_))
        add(kModule, i, i + 2, "A Node module that reaches files, processes or the network is loaded.");
    }
    if (value_ && token.text == "child_process" && (is(i + 1, '.') || (i > 0 && is(i - 1, '('))))
      add(kModule, i, i, "Node's module for processes is used.");
  }

  // process.env, process['binding'], module.exports=
  void at_environment(std::size_t i) {
    const JsToken& token = tokens()[i];
    if (token.text == "process" && (i == 0 || !word(i - 1))) {
      if (is(i + 1, '.') && word(i + 2) && process_member(tokens()[i + 2].text)) {
        add(kProcess, i, i + 2, "Node's process object is read.");
      } else if (is(i + 1, '[') && (string(i + 2) || word(i + 2))) {
        const bool member = string(i + 2) || process_member(tokens()[i + 2].text);
        add(member ? kProcess : kMention, i, i + 2, "A member of Node's process object is looked up.");
      }
    }
    if (token.text == "require" && is(i + 1, '[') && (string(i + 2) || word(i + 2)))
      add(kMention, i, i + 2, "A member of Node's function that loads modules is looked up.");
    if (token.text == "mainModule" && i > 0 && is(i - 1, '.'))
      add(kProcess, i, i, "Node's main module is reached.");
    if (token.text == "module" && is(i + 1, '.') && word(i + 2) && tokens()[i + 2].text == "exports")
      add(is(i + 3, '=') ? kProcess : kMention, i, i + 2, "What a Node module gives out is replaced.");
  }

  // os.system('id'), IO.popen("id"), console.log(1), console["log"](1)
  void at_call(std::size_t i) {
    const JsToken& token = tokens()[i];
    if (token.text == "console" && i == 0 && is(1, '[') && string(2) && is(3, ']') && is(4, '(')) {
      if (script_call(token.text, tokens()[2].text) == ScriptCall::kPrints)
        add(kRuns, 0, 4, "The value is a call that prints: a probe whether it runs.");
      return;
    }
    if (!is(i + 1, '.') || !word(i + 2) || !is(i + 3, '(') || (i > 0 && is(i - 1, '.')) || !tight(i, i + 3))
      return;
    switch (script_call(token.text, tokens()[i + 2].text)) {
      case ScriptCall::kNone:
        break;
      case ScriptCall::kPrints:
        if (i == 0) add(kRuns, i, i + 3, "The value is a call that prints: a probe whether it runs.");
        break;
      case ScriptCall::kRuns:
        // "File.open(…)" needs its argument to be one.
        if (string(i + 4) || word(i + 4) || is(i + 4, '['))
          add(kRuns, i, i + 3, "A call that runs a command or reads a file.");
        break;
    }
  }

  // while(true), while(!0), for(;;): keeps a script busy for ever.
  void at_loop() {
    const std::string_view keyword = tokens()[0].text;
    if (context_.in_name || !is(1, '(') || !tight(0, 1) ||
        text_.find_first_not_of(" \t\r\n") != tokens()[0].begin)
      return;
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
    static constexpr std::array<const char*, 8> kHints = {
        R"(\b(require|import|_load|getbuiltinmodule)[\x00-\x20\x80-\xff]*([(\[]|/[/*]|<!))",
        R"(\b(process|module|console)[\x00-\x20\x80-\xff]*(\.[\x00-\x20\x80-\xff]*[a-z_/<\\]|\[|\?\.|/[/*]|<!))",
        R"(\b(child_process|fs|vm|deno|bun|process|kernel|io|open3|file|dir|pty|marshal|yaml|object|os|posix|subprocess|commands|platform|c?pickle|dill|importlib|ctypes|builtins|timeit|runpy|asyncio|package)[\x00-\x20\x80-\xff]*\??\.[\x00-\x20\x80-\xff]*[a-z0-9_]+[\x00-\x20\x80-\xff]*\()",
        R"(^[\x00-\x20\x80-\xff]*(while|for)[\x00-\x20\x80-\xff]*\()",
        R"([\x27\x22][\x00-\x20\x80-\xff]*\??\.[\x00-\x20\x80-\xff]*execute[\x00-\x20\x80-\xff]*\()",
        R"(constructor[^a-z0-9\x00-\x20]+prototype|__proto__)",
        R"(\$[0-9a-f@]+:)",
        R"(\\u(00[4-7][0-9a-f]|\{0*[4-7][0-9a-f]\}))",
    };
    return kHints;
  }
  std::span<const std::string_view> hint_words() const noexcept override {
    static constexpr std::array<std::string_view, 3> kWords = {"child_process", "mainmodule", "__import__"};
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
