#include "detect/analyze/template/template_matcher.h"

#include <algorithm>
#include <array>

#include "detect/analyze/template/delimiters.tsv.h"
#include "detect/analyze/template/directives.h"
#include "detect/analyze/template/directives.tsv.h"
#include "detect/analyze/template/expression_reader.h"
#include "detect/analyze/template/names.tsv.h"
#include "detect/analyze/template/pair_reader.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

using namespace templates;

enum class TemplateEvidence : std::uint8_t {
  kReaches,
  kRuns,
  kComputes,
  kConstantCall,
  kUsesObject,
  kShowsObject,
  kInvokes,
  kCalls,
  kStatement,
  kCodeBlock,
  kOutsideFile,
  kAssignment,
  kSource,
  kScriptMacro,
  kServerInclude,
  kInterpolated,
  kTexRuns,
  kTexFile,
  kInternalsChain,
  kAction,
};
constexpr std::array<std::string_view, 20> kNameOf{
    "reaches",      "runs",       "computes", "constant_call",   "uses_object",
    "shows_object", "invokes",    "calls",    "statement",       "code_block",
    "outside_file", "assignment", "source",   "script_macro",    "include",
    "interpolated", "tex_runs",   "tex_file", "internals_chain", "action"};

constexpr TemplateEvidence kKindOfDirective[] = {
    TemplateEvidence::kStatement,    TemplateEvidence::kServerInclude, TemplateEvidence::kAssignment,
    TemplateEvidence::kStatement,    TemplateEvidence::kSource,        TemplateEvidence::kScriptMacro,
    TemplateEvidence::kTexRuns,      TemplateEvidence::kTexFile,       TemplateEvidence::kReaches,
    TemplateEvidence::kInterpolated, TemplateEvidence::kRuns};

// Operators that dates, ranges and fractions do not have.
constexpr std::string_view kProducts = "*+%~<>=&|";

// Not the noise of compressed data: what an expression is written in.
bool is_readable(std::string_view inner) noexcept {
  return std::all_of(inner.begin(), inner.end(), [](char c) { return byte(c) >= ' ' || is_space(c); });
}

class Pass {
 public:
  Pass(std::string_view text, const FieldContext& context, EvidenceList& out)
      : text_(text), memory_(context.memory), out_(out) {}

  void read() {
    PairReader pairs(text_, memory_);
    for (Between pair; pairs.next(pair);) read_pair(pair);
    read_directives();
    read_internals();
  }

 private:
  void read_pair(const Between& pair) {
    const std::string_view inner = text_.substr(pair.inner_begin, pair.inner_end - pair.inner_begin);
    if (inner.empty() || !is_readable(inner) || are_named_apart(pair, inner)) return;
    const Expression found = read_expression(text_, pair.inner_begin, pair.inner_end, pair.groups);
    const auto say = [&](TemplateEvidence kind, Certainty certainty) {
      out_.add(kind, certainty, pair.begin, pair.end, found.name);
    };
    if (pair.kind == Pair::kSingle) {
      read_single(pair, inner, found);
      return;
    }
    if (pair.kind == Pair::kOutput && text_[pair.begin] == '$' && is_special_variable(inner))
      out_.add(TemplateEvidence::kReaches, Certainty::kCertain, pair.begin, pair.end, inner);
    const bool narrow = pair.kind == Pair::kNarrow;
    if (found.computes)
      say(TemplateEvidence::kComputes, found.product ? Certainty::kCertain : Certainty::kPossible);
    if (found.reaches && !narrow) say(TemplateEvidence::kReaches, Certainty::kCertain);
    if (found.implicit && !narrow) say(TemplateEvidence::kReaches, Certainty::kLikely);
    if (found.runs) say(TemplateEvidence::kRuns, Certainty::kCertain);
    if (narrow) return;
    if (found.outside) say(TemplateEvidence::kOutsideFile, Certainty::kCertain);
    if (found.object) say(TemplateEvidence::kUsesObject, Certainty::kCertain);
    if (found.host && shows_host(pair, found)) say(TemplateEvidence::kUsesObject, Certainty::kLikely);
    if (pair.kind == Pair::kStatement || pair.kind == Pair::kCode) {
      read_statement(pair, inner, found);
    } else if (pair.kind == Pair::kOutput) {
      if (found.literal_call) say(TemplateEvidence::kConstantCall, Certainty::kCertain);
      const bool single = text_[pair.begin] != '{' || pair.curly;  // {!! is no choice of words
      if (pair.curly && found.compares) say(TemplateEvidence::kComputes, Certainty::kCertain);
      if (single && found.filters) say(TemplateEvidence::kConstantCall, Certainty::kLikely);
      if (pair.curly && found.asks) say(TemplateEvidence::kUsesObject, Certainty::kLikely);
      if (pair.curly && found.owned) say(TemplateEvidence::kUsesObject, Certainty::kPossible);
      if (pair.curly && (found.action || sets_variable(inner)))
        say(TemplateEvidence::kAction, Certainty::kLikely);
      // #{`id`} of Ruby
      const bool command = text_[pair.begin] == '#' && inner[0] == '`' && inner.size() > 2;
      if (found.statements || command) say(TemplateEvidence::kCodeBlock, Certainty::kCertain);
      if (found.invokes) say(TemplateEvidence::kInvokes, Certainty::kCertain);
      if (found.calls)
        say(TemplateEvidence::kCalls,
            pair.curly || found.constant ? Certainty::kLikely : Certainty::kPossible);
      const std::string_view whole = trim(inner);
      if (pair.curly && (found.shows_object || whole == "." || whole == "$"))
        out_.add(TemplateEvidence::kShowsObject,
                 found.engine_object && only_pairs() ? Certainty::kLikely : Certainty::kPossible, pair.begin,
                 pair.end, whole);
    }
  }

  // "`{{` begins a name and `}}` ends it": each delimiter in a code span of its own. No engine's expressions
  // begin with a backtick.
  bool are_named_apart(const Between& pair, std::string_view inner) const noexcept {
    return (pair.curly || pair.kind == Pair::kStatement) && inner.size() > 2 && inner.front() == '`' &&
           inner.back() == '`' && pair.begin > 0 && text_[pair.begin - 1] == '`' && pair.end < text_.size() &&
           text_[pair.end] == '`';
  }

  // Code of a whole language stands in <% %>; in #{ } and {{ }} that of a program that renders.
  bool shows_host(const Between& pair, const Expression& found) const noexcept {
    if (pair.kind == Pair::kCode) return true;
    const char sign = text_[pair.begin];
    return sign == '#' || (sign == '!' && !found.calls) || (pair.curly && found.owned);
  }
  // {{$x := 1}} of Go
  static bool sets_variable(std::string_view inner) noexcept {
    inner = trim(inner);
    const std::size_t assign = inner.find(":=");
    return inner.starts_with('$') && assign != inner.npos && assign <= 32;
  }

  // Nothing stands before the first pair and behind the last.
  bool only_pairs() const noexcept {
    const std::string_view all = trim(text_);
    return all.starts_with('{') && all.ends_with('}');
  }

  // {% set x = 7*7 %}
  bool sets_computation(const Between& pair, std::string_view inner) const {
    const std::size_t equals = inner.find('=');
    if (pair.kind != Pair::kStatement || equals == std::string_view::npos) return false;
    const std::string_view head = trim(inner.substr(0, equals));
    if (!head.starts_with("set ") && !head.starts_with("with ") && !head.starts_with("assign ")) return false;
    const Expression value =
        read_expression(text_, pair.inner_begin + equals + 1, pair.inner_end, pair.groups);
    return value.computes && value.product;
  }

  void read_statement(const Between& pair, std::string_view inner, const Expression& found) {
    const auto say = [&](TemplateEvidence kind, Certainty certainty) {
      out_.add(kind, certainty, pair.begin, pair.end, found.name);
    };
    if (found.condition || sets_computation(pair, inner))
      say(TemplateEvidence::kComputes, Certainty::kCertain);
    if (found.imports) say(TemplateEvidence::kReaches, Certainty::kCertain);
    if (found.assigned) say(TemplateEvidence::kUsesObject, Certainty::kLikely);
    if (pair.kind == Pair::kStatement) {
      if (found.dumps) say(TemplateEvidence::kReaches, Certainty::kLikely);
      say(TemplateEvidence::kStatement, found.tagged ? Certainty::kLikely : Certainty::kPossible);
      return;
    }
    // <%= … %>, <%@ … %>, <%~ … %>, <% … %>; anything else is "100 <%5 of" and its like.
    const char first = inner[0];
    if (!is_alpha(first) && !is_space(first) &&
        std::string_view("=@!-#~_").find(first) == std::string_view::npos)
      return;
    const bool acts = found.acts || first == '@' || first == '!';
    say(TemplateEvidence::kCodeBlock, acts ? Certainty::kCertain : Certainty::kPossible);
  }

  // { }: the call is all of the expression, or the statement is one of Smarty.
  void read_single(const Between& pair, std::string_view inner, const Expression& found) {
    if (inner.find('\n') != std::string_view::npos) return;
    const auto say = [&](TemplateEvidence kind, Certainty certainty) {
      out_.add(kind, certainty, pair.begin, pair.end, found.name);
    };
    const std::string_view around = trim(text_);
    const bool whole = pair.end - pair.begin >= around.size();
    if (found.computes && found.product && inner.size() <= 64 &&
        inner.find_first_of(kProducts) != std::string_view::npos)
      say(TemplateEvidence::kComputes, whole ? Certainty::kCertain : Certainty::kPossible);
    if (found.reaches && (found.scoped || found.smarty || inner[0] == '$'))
      say(TemplateEvidence::kReaches, Certainty::kCertain);
    if (found.runs && (found.runs_first || found.smarty || found.evaluates))
      say(TemplateEvidence::kRuns, Certainty::kLikely);
    const bool value = std::string_view("$\"'[").find(inner[0]) != std::string_view::npos;
    if (found.modified && value) say(TemplateEvidence::kRuns, Certainty::kLikely);
    if (found.file_function) say(TemplateEvidence::kOutsideFile, Certainty::kCertain);
  }

  void read_directives() {
    static constexpr ByteFinder kFirst(kDirectiveBytes);
    for (std::size_t at = kFirst.find(text_, 0); at < text_.size(); at = kFirst.find(text_, at + 1)) {
      const Directive found = directive_at(text_, at);
      if (found.kind == DirectiveKind::kNone) continue;
      const TemplateEvidence kind = kKindOfDirective[static_cast<std::size_t>(found.kind)];
      out_.add(kind, kind == TemplateEvidence::kStatement ? Certainty::kPossible : Certainty::kCertain, at,
               found.end, text_.substr(at, std::min<std::size_t>(found.end - at, 48)));
    }
  }

  // Whether no line end between them ends a statement. Delimiters of templates join lines, too.
  static bool is_one_expression(const char* from, const char* to) noexcept {
    const std::string_view between(from, static_cast<std::size_t>(to - from));
    // All line ends of a run of blanks stand between the same two signs: each run is looked at once.
    std::size_t next = 0;
    for (std::size_t at = between.find('\n'); at != between.npos; at = between.find('\n', next)) {
      const std::size_t last = between.find_last_not_of(" \t\r\n", at);
      next = between.find_first_not_of(" \t\r\n", at);
      if (next == between.npos) return true;
      const bool open = last != between.npos &&
                        std::string_view(".[(|,+=~{%}\\").find(between[last]) != std::string_view::npos;
      const bool goes_on = std::string_view(".[(|)],+{}").find(between[next]) != std::string_view::npos;
      if (!open && !goes_on) return false;
    }
    return true;
  }

  static bool is_name_of(std::string_view text, std::size_t at) noexcept {
    if (at < text.size() && text[at] == '.') ++at;
    return at < text.size() && (is_alnum(text[at]) || std::string_view("_([").find(text[at]) != text.npos);
  }

  // ['__class__'], getattr(x, "__class__"): the whole string, and the last thing in its brackets.
  // Placeholders of reports and letters stand in strings as well: "__WebPath__/ticket", '__NEWLINE__',
  // '__id__'.
  bool is_subscript(std::size_t begin, std::size_t end) const noexcept {
    if (begin < 2 || end + 1 >= text_.size()) return false;
    const char quote = text_[begin - 1];
    if ((quote != '\'' && quote != '"') || text_[end] != quote) return false;
    const char next = text_[std::min(text_.find_first_not_of(" \t", end + 1), text_.size() - 1)];
    return next == ']' || next == ')';
  }

  // Two names of Python's internals that are reached for, or one that is called, also outside of delimiters.
  void read_internals() {
    std::string_view seen;  // the last one
    std::size_t first = 0;  // where its expression has the first
    for (std::size_t at = text_.find("__"); at != std::string_view::npos; at = text_.find("__", at)) {
      const std::size_t begin = at;
      while (at < text_.size() && (is_alpha(text_[at]) || text_[at] == '_')) ++at;
      const std::string_view word = text_.substr(begin, at - begin);
      const char before = begin > 0 ? text_[begin - 1] : '\0';
      const char after = at < text_.size() ? text_[at] : '\0';
      if (is_alnum(before) || !is_internal(word)) continue;
      // __init__.py is the name of a file.
      if (after == '.' && text_.substr(at + 1, 2) == "py" && !is_name_of(text_, at + 3)) continue;
      // The definition of a method: def __init__(self).
      if (before == ' ' || before == '+') {
        const std::string_view lead = text_.substr(0, begin - 1);
        if (lead.ends_with("def")) continue;
      }
      const bool reached = before == '.' || before == '[' || is_subscript(begin, at) || after == '(' ||
                           after == '.' || after == '[' || (before == '(' && after == ',');
      if (!reached) continue;
      const bool imports = word == "__import__" && after == '(';
      if (!seen.empty() && !is_one_expression(seen.data() + seen.size(), word.data())) seen = {};
      if (imports || (!seen.empty() && seen != word)) {
        out_.add(TemplateEvidence::kInternalsChain, Certainty::kCertain, seen.empty() ? begin : first, at,
                 word);
        return;
      }
      if (seen.empty()) first = begin;
      seen = word;
    }
  }

  std::string_view text_;
  std::pmr::memory_resource* memory_;
  EvidenceList& out_;
};

class TemplateMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "ssti"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNameOf; }
  bool reads_inside() const noexcept override { return true; }
  std::uint32_t reads_places() const noexcept override { return ~place_bit(Location::kFile, false); }

  Needs needs() const override {
    Sign pairs{SignKind::kLiterals, {}};
    for (const PairRow& row : kPairs) {
      if (row.open.size() > 1) pairs.parts.emplace_back(row.open);
    }
    const auto leading = [](Lead lead) {
      return any_word(kDirectives, [=](const DirectiveRow& row) { return meets(row.lead, lead); });
    };
    const Sign running = any_word(kNames, [](const NameRow& row) {
      return meets(row.use, NameUse::kRuns | NameUse::kRunsAlone | NameUse::kReach | NameUse::kFileFunction);
    });
    return {{pairs, any_byte("}%>)]")},
            {any_byte("{"), any_byte("}"), any_byte(kProducts), any_byte("0123456789'\"`")},
            {any_byte("{"), any_byte("}"), running},
            {any_literal({"{$", "$smarty", "::"}), any_byte("{"), any_byte("}")},
            {any_byte("<[#"), leading(Lead::kInclude | Lead::kFreemarker | Lead::kVelocity)},
            {opened()},
            {any_literal({"<g:", "<j:", "<f:"}), leading(Lead::kTag)},
            {any_byte("\\"), tex_words()},
            {any_byte("$"), any_byte("."),
             any_word(kNames, [](const NameRow& row) { return meets(row.use, NameUse::kReachMember); })},
            {any_literal({".class."}), any_byte("$")},
            {any_literal({".__", "[__", "'__", "\"__", "(__", "__(", "__.", "__["})}};
  }

  std::uint32_t units_a_token() const noexcept override { return 6; }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    Pass(text, context, out).read();
  }

 private:
  // Openings of directives that are significant without a word behind them.
  static Sign opened() {
    Sign sign{SignKind::kLiterals,
              {"<esi:", "<!--esi", "<@liferay", "@system.", "@microsoft.", "@html.raw(", "@functions"}};
    for (const DirectiveRow& row : kDirectives.rows()) {
      if (meets(row.lead, Lead::kExim)) sign.parts.push_back("${" + std::string(row.text));
    }
    return sign;
  }
  // \openin5: digits may stand behind, which a word allows.
  static Sign tex_words() {
    return any_word(kDirectives, [](const DirectiveRow& row) {
      return meets(row.lead, Lead::kTexRuns | Lead::kTexFile | Lead::kTexHandle);
    });
  }
};

}  // namespace

std::unique_ptr<Matcher> make_template_matcher() { return std::make_unique<TemplateMatcher>(); }

}  // namespace wafd::detect
