#include "detect/analyze/script_code.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/analyze/js_lexer.h"
#include "detect/analyze/word_set.h"
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
  kExecute
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
};

constexpr WordSet kModules({"child_process",
                            "fs",
                            "vm",
                            "net",
                            "http",
                            "https",
                            "os",
                            "cluster",
                            "worker_threads",
                            "dgram",
                            "dns",
                            "repl",
                            "module",
                            "process",
                            "node:child_process",
                            "node:fs",
                            "node:vm",
                            "node:os",
                            "node:net",
                            "inspector",
                            "tls"});
constexpr WordSet kProcessMembers({"mainmodule", "binding", "env", "exit", "kill", "argv", "cwd", "dlopen",
                                   "execpath", "stdout", "version", "versions", "memoryusage", "getuid",
                                   "setuid", "_load", "chdir"});

// receiver . method ( of languages that run commands: Ruby, Python, Lua.
struct Call {
  std::string_view receiver;
  std::string_view method;
};
constexpr Call kCalls[] = {
    {"Process", "spawn"},
    {"Process", "daemon"},
    {"Kernel", "system"},
    {"Kernel", "exec"},
    {"Kernel", "open"},
    {"Kernel", "spawn"},
    {"IO", "popen"},
    {"IO", "read"},
    {"IO", "binread"},
    {"Open3", "popen3"},
    {"Open3", "capture2"},
    {"Open3", "capture3"},
    {"File", "open"},
    {"File", "read"},
    {"File", "write"},
    {"Dir", "entries"},
    {"Dir", "glob"},
    {"PTY", "spawn"},
    {"os", "system"},
    {"os", "popen"},
    {"os", "execute"},
    {"os", "spawn"},
    {"os", "listdir"},
    {"os", "environ"},
    {"os", "execv"},
    {"os", "execl"},
    {"subprocess", "run"},
    {"subprocess", "call"},
    {"subprocess", "check_output"},
    {"subprocess", "Popen"},
    {"subprocess", "getoutput"},
    {"commands", "getoutput"},
    {"pty", "spawn"},
    {"io", "popen"},
    {"pickle", "loads"},
    {"marshal", "loads"},
    {"importlib", "import_module"},
    {"ctypes", "CDLL"},
    {"Marshal", "load"},
    {"console", "log"},
    {"console", "info"},
    {"child_process", "exec"},
    {"child_process", "spawn"},
    {"child_process", "execSync"},
};

class ScriptCodeAnalyzer final : public Analyzer {
 public:
  ScriptCodeAnalyzer() : rules_(make_rules("m_code", AttackType::kCodeInjection, 5900, kRules)) {}

  std::string_view name() const noexcept override { return "code"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 4> kHints = {
        R"((require|import|_load|getbuiltinmodule|__import__|while)[\x00-\x20\x80-\xff]*[(/<]|(process|module)[\x00-\x20\x80-\xff]*[.\[/<]|child_process|mainmodule|__proto__|constructor.*prototype|\$[0-9a-f@]{1,5}:.*(constructor|proto))",
        R"(kernel|open3|\.(open|read|write|popen|system|execute|spawn|entries|glob|loads?|run|call|environ|listdir|info|log|exec)|subprocess|getoutput|importlib|ctypes)",
        R"(\.execute|__import__)",
        R"(\\[a-z0-9\r\n])",
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
    read_prototype(text, context, add);
    if (text.size() <= kMaxCodeBytes) read_code(text, context, add);
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  static constexpr std::size_t kMaxCodeBytes = 65536;

  // __proto__[x], a.__proto__.b, constructor[prototype][x] as names; "$1:constructor:constructor" as a value.
  template <class Add>
  static void read_prototype(std::string_view text, const FieldContext& context, const Add& add) {
    const std::size_t proto = text.find("__proto__");
    if (proto != std::string_view::npos) {
      const char after = proto + 9 < text.size() ? text[proto + 9] : '\0';
      const bool key = context.in_name || after == '[' || after == '.' ||
                       (after == '"' && text.find(':', proto) < proto + 14) || (after == ']' && proto > 0);
      add(key ? kPrototype : kPrototypeText, proto, proto + 9,
          "A name that sets properties of every object of a script.");
    }
    const std::size_t constructor = text.find("constructor");
    if (constructor != std::string_view::npos) {
      const std::size_t prototype = text.find("prototype", constructor + 11);
      const bool near = prototype != std::string_view::npos && prototype - constructor < 24;
      if (near && (context.in_name || (text.size() < 256 && text.find_first_of(" (;") > prototype))) {
        add(kPrototype, constructor, prototype + 9,
            "A name that sets properties of every object of a script.");
      }
    }
    for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
      std::size_t end = at + 1;
      while (end < text.size() && end - at < 6 && (hex_value(text[end]) >= 0 || text[end] == '@')) ++end;
      if (end == at + 1 || end >= text.size() || text[end] != ':') continue;
      const std::string_view path = text.substr(end, 96);
      if (path.find(":constructor") != std::string_view::npos ||
          path.find(":__proto__") != std::string_view::npos ||
          path.find(":prototype") != std::string_view::npos) {
        add(kFlight, at, end + path.size(),
            "A reference between parts of a message that walks to a constructor or prototype.");
        break;
      }
    }
  }

  template <class Add>
  static void read_code(std::string_view text, const FieldContext& context, const Add& add) {
    JsLexer lexer(*context.memory);
    lexer.read(text, 0);
    const auto& tokens = lexer.tokens();
    const auto is = [&](std::size_t i, char c) {
      return i < tokens.size() && tokens[i].kind == JsKind::kPunct && tokens[i].punct == c;
    };
    const auto word = [&](std::size_t i) { return i < tokens.size() && tokens[i].kind == JsKind::kWord; };
    const auto string = [&](std::size_t i) {
      return i < tokens.size() && (tokens[i].kind == JsKind::kString || tokens[i].kind == JsKind::kTemplate);
    };
    // Long texts with several lines are programs that people share.
    const bool value = text.size() < 1024 && std::count(text.begin(), text.end(), '\n') <= 3;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const JsToken& token = tokens[i];
      if (token.kind == JsKind::kString && token.text.size() > 1 && is(i + 1, '.') && word(i + 2) &&
          tokens[i + 2].text == "execute" && is(i + 3, '(')) {
        add(kExecute, token.begin, tokens[i + 3].end, "A text is run as a command, as Groovy does it.");
      }
      if (token.kind != JsKind::kWord) continue;
      if ((token.text == "require" || token.text == "import" || token.text == "_load" ||
           token.text == "getBuiltinModule") &&
          is(i + 1, '(') && i + 2 < tokens.size()) {
        const JsToken& module = tokens[i + 2];
        const bool named = (string(i + 2) || module.kind == JsKind::kWord) && kModules.has(module.text);
        const bool system = named && module.text.find("child_process") != std::string_view::npos;
        if (system || (named && value))
          add(kModule, token.begin, module.end,
              "A Node module that reaches files, processes or the network is loaded.");
      }
      if (string(i) == false && token.text == "child_process" && value &&
          (is(i + 1, '.') || (i > 0 && is(i - 1, '(')))) {
        add(kModule, token.begin, token.end, "Node's module for processes is used.");
      }
      if (token.text == "process" && value && (i == 0 || !word(i - 1))) {
        if (is(i + 1, '.') && word(i + 2) && kProcessMembers.has(tokens[i + 2].text)) {
          add(kProcess, token.begin, tokens[i + 2].end, "Node's process object is read.");
        } else if (is(i + 1, '[') && i + 2 < tokens.size() && (string(i + 2) || word(i + 2))) {
          add(string(i + 2) || kProcessMembers.has(tokens[i + 2].text) ? kProcess : kMention, token.begin,
              tokens[i + 2].end, "A member of Node's process object is looked up.");
        }
      }
      if (token.text == "mainModule" && value && i > 0 && is(i - 1, '.')) {
        add(kProcess, token.begin, token.end, "Node's main module is reached.");
      }
      if (token.text == "module" && is(i + 1, '.') && word(i + 2) && tokens[i + 2].text == "exports" &&
          value) {
        add(is(i + 3, '=') ? kProcess : kMention, token.begin, tokens[i + 2].end,
            "What a Node module gives out is replaced.");
      }
      if (token.text == "while" && is(i + 1, '(') && i == 0 && value && !context.in_name) {
        add(kLoop, token.begin, tokens[i + 1].end, "A loop that keeps a script busy.");
      }
      if (token.text == "__import__" && is(i + 1, '(')) {
        add(kRuns, token.begin, tokens[i + 1].end, "Python imports a module by its name.");
      }
      if (is(i + 1, '.') && word(i + 2) && is(i + 3, '(') && value && (i == 0 || !is(i - 1, '.'))) {
        for (const Call& call : kCalls) {
          if (token.text != call.receiver || tokens[i + 2].text != call.method) continue;
          const bool mild = token.text == "console";
          // "File.open(…)" needs its argument to be one.
          if (mild && i != 0) break;
          if (!mild && !string(i + 4) && !word(i + 4) && !is(i + 4, '[')) break;
          add(kRuns, token.begin, tokens[i + 3].end,
              mild ? "The value is a call that prints: a probe whether it runs."
                   : "A call that runs a command or reads a file.");
          break;
        }
      }
    }
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_script_code_analyzer() { return std::make_unique<ScriptCodeAnalyzer>(); }

}  // namespace wafd::detect
