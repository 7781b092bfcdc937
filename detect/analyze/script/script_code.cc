#include "detect/analyze/script/script_code.h"

#include <algorithm>
#include <array>

#include "detect/analyze/base/hint_text.h"
#include "detect/analyze/base/writing.h"
#include "detect/analyze/script/js_lexer.h"
#include "detect/analyze/script/script_calls.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t { kRuns, kExecute, kShownCode };

// The other numbers from 5900 on are those of JavaScript (judge/rules/code.tsv).
constexpr std::array<std::uint32_t, 3> kNumbers{5905, 5908, 5910};
constexpr std::array<RuleSpec, 3> kRules{{
    {"runs", "Call that runs a command", Risk::kHigh, Sensitivity::kBalanced},
    {"execute", "Groovy text that is run as a command", Risk::kHigh, Sensitivity::kBalanced},
    {"shown-code", "Script in a document about programs", Risk::kLow, Sensitivity::kStrict},
}};

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
        tokens_(context.memory) {
    hits_.weigh(writing_, kShownCode, 1u << kRuns | 1u << kExecute);
  }

  void read() {
    value_ = text_.size() < kMaxValueBytes && std::count(text_.begin(), text_.end(), '\n') <= kMaxValueLines;
    read_places();
    if (!value_) return;
    if (const std::string_view call = other_language_call(text_); !call.empty()) {
      const auto begin = static_cast<std::size_t>(call.data() - text_.data());
      hits_.add(kRuns, begin, begin + call.size(),
                "A call that runs a command, loads code or stops the program.");
    }
  }

 private:
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
    return !((begin > 1 && js::blank_bytes(text_, begin - 2, line_end) == 2) ||
             (begin > 2 && js::blank_bytes(text_, begin - 3, line_end) == 3));
  }

  // A word that reads on as a call or member does.
  bool acts(std::string_view word, std::size_t end) const noexcept {
    const ScriptWord known = script_word(word);
    if (known == ScriptWord::kNone || (known == ScriptWord::kShort && !value_)) return false;
    while (end < text_.size() && octet(text_[end]) <= ' ') ++end;
    const char c = end < text_.size() ? text_[end] : '\0';
    if (octet(c) >= 0x80 || std::string_view(".[?/<\\").find(c) != std::string_view::npos) return true;
    // Receivers are no functions: "the file (see below)".
    return c == '(' && (known == ScriptWord::kAny || word == "open");
  }

  void read_place(std::size_t begin) {
    constexpr std::size_t kMaxTokens = 32;
    js::Lexer lexer(text_.substr(0, begin + kPlaceBytes), begin);
    tokens_.clear();
    for (js::Token token = lexer.next(false);
         token.kind != js::TokenKind::kEnd && tokens_.size() < kMaxTokens; token = lexer.next(false))
      tokens_.push_back(token);
    if (!word(0)) return;
    const std::string_view name = tokens()[0].text;
    if (name == "__import__" && is(1, '(')) add(kRuns, 0, 1, "Python imports a module by its name.");
    if (name == "execute" && is(1, '(')) at_execute(begin);
    if (value_) at_call(begin);
  }

  const std::pmr::vector<js::Token>& tokens() const noexcept { return tokens_; }
  bool is(std::size_t i, char c) const noexcept {
    if (i >= tokens().size() || tokens()[i].kind != js::TokenKind::kSign) return false;
    return tokens()[i].text == std::string_view(&c, 1) ||
           (c == '.' && tokens()[i].sign == js::Sign::kOptional);
  }
  bool word(std::size_t i) const noexcept {
    return i < tokens().size() && tokens()[i].kind == js::TokenKind::kName;
  }
  bool string(std::size_t i) const noexcept {
    return i < tokens().size() && !tokens()[i].open &&
           (tokens()[i].kind == js::TokenKind::kString || tokens()[i].kind == js::TokenKind::kTemplate);
  }
  // The quote of an argument is there, if not its end.
  bool quoted(std::size_t i) const noexcept {
    return i < tokens().size() &&
           std::string_view("'\"`").find(text_[tokens()[i].begin]) != std::string_view::npos;
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

  // os.system('id'), IO.popen("id"), Deno.run({…}), open("|id"), open('a').read()
  void at_call(std::size_t begin) {
    const std::string_view name = tokens()[0].text;
    if (name == "open" && is(1, '(') && tight(0, 1) && !member(begin)) at_open();
    if (!is(1, '.') || !word(2) || !is(3, '(') || member(begin) || !tight(0, 3)) return;
    // "File.open(…)" needs its argument to be one.
    const std::size_t first = is(4, '[') || is(4, '{') ? 5 : 4;
    if (script_call_runs(name, tokens()[2].text) && (quoted(first) || word(first)) &&
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

  std::string_view text_;
  const FieldContext& context_;
  Writing writing_;
  FirstHits hits_;
  std::pmr::vector<js::Token> tokens_;
  bool value_ = false;
};

class ScriptCodeAnalyzer final : public Analyzer {
 public:
  ScriptCodeAnalyzer() {
    for (std::size_t i = 0; i < kRules.size(); ++i) {
      for (Rule& rule : make_rules("m_code", AttackType::kCodeInjection, kNumbers[i], {&kRules[i], 1}))
        rules_.push_back(std::move(rule));
    }
  }

  std::string_view name() const noexcept override { return "server_code"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override {
    static const HintTexts kHints({
        other_call_hint(),
        R"(\b(process|kernel|io|open3|file|dir|pty|marshal|yaml|object|os|posix|subprocess|commands|platform|c?pickle|dill|importlib|ctypes|builtins|timeit|runpy|asyncio|package)[\x00-\x20\x80-\xff]*\??\.[\x00-\x20\x80-\xff]*[a-z0-9_]+[\x00-\x20\x80-\xff]*\()",
        R"(\bopen[\x00-\x20\x80-\xff]*\()",
        R"([\x27\x22][\x00-\x20\x80-\xff]*\]?[\x00-\x20\x80-\xff]*\??\.[\x00-\x20\x80-\xff]*execute[\x00-\x20\x80-\xff]*(\(|/[/*]))",
        R"(\\u(00[4-7][0-9a-f]|\{0*[4-7][0-9a-f]\}))",
    });
    return kHints.all();
  }
  std::uint32_t reads_places() const noexcept override { return ~place_bit(Location::kFile, false); }
  std::span<const std::string_view> hint_words() const noexcept override {
    static constexpr std::array<std::string_view, 1> kWords = {"__import__"};
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
