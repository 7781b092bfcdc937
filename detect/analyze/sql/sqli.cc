#include "detect/analyze/sql/sqli.h"

#include "detect/analyze/base/hint_text.h"
#include "detect/analyze/sql/sqli_hints.h"
#include "detect/analyze/sql/sqli_look.h"
#include "detect/analyze/sql/sqli_rules.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxPairNameBytes = 64;

// Where the value of a text "name=value" begins, or 0. "==" and the like are operators.
std::size_t value_of_pair(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size() && is_space(text[i])) ++i;
  const std::size_t begin = i;
  while (i < text.size() && i < begin + kMaxPairNameBytes &&
         (is_alnum(text[i]) || text[i] == '_' || text[i] == '-' || text[i] == '.' || text[i] == '[' ||
          text[i] == ']')) {
    ++i;
  }
  if (i == begin || i + 1 >= text.size() || text[i] != '=' || text[i + 1] == '=' || is_digit(text[begin]))
    return 0;
  return i + 1;
}

// A long text is read in windows that overlap, so that no padding hides what comes behind it.
constexpr std::size_t kWindowTokens = 2048;
constexpr std::size_t kOverlapTokens = 256;
// Most quotes are apostrophes and most values are no SQL: so few tokens show that no query goes on.
constexpr std::size_t kGlanceTokens = 12;

// Reads one text in several ways; the tokens' memory is used again.
class Reader {
 public:
  Reader(const sqli::Look& look, const FieldContext& context, std::vector<Hit>& hits)
      : look_(look),
        file_(context.location == Location::kFile && !context.in_name),
        where_(!context.in_name && iequals(context.name, "where")),
        field_(is_field(context)),
        stream_(context.memory),
        hits_(hits) {}

  void read(std::string_view text, sqli::Quote quote, bool pair = false) {
    read_as(text, quote, sqli::Dialect::kMysql, pair);
    if (stream_.ambiguous) read_as(text, quote, sqli::Dialect::kAnsi, pair);
  }

 private:
  void read_as(std::string_view text, sqli::Quote quote, sqli::Dialect dialect, bool pair) {
    const bool bare = quote == sqli::Quote::kNone;
    const std::size_t glance = bare && look_.strong ? kWindowTokens : kGlanceTokens;
    sqli::tokenize(text, 0, quote, dialect, glance, stream_);
    if (file_ && bare) script_ = script_ || sqli::is_script(text, stream_);
    if (field_ && bare) stored_ = stored_ || (sqli::begins_script(text, stream_) && has_lines(text));
    sqli::Reading reading{text, quote, true, pair, script_, where_, stored_ && bare, look_.noisy};
    const std::size_t before = hits_.size();
    bool holds = sqli::find_structures(reading, stream_, hits_);
    if (stream_.next >= text.size()) return;
    if (glance == kGlanceTokens) {
      if (!holds) return;
      // A glance that is not the whole may see an end where none is: its finds count only if the reading is
      // over.
      hits_.resize(before);
      if (bare && text.size() > sqli::kMaxOddBytes && !sqli::holds_sql(text)) return;
      sqli::tokenize(text, 0, quote, dialect, kWindowTokens, stream_);
      holds = sqli::find_structures(reading, stream_, hits_);
    }
    bool ambiguous = false;
    while (stream_.next < text.size() && (holds || (bare && look_.strong))) {
      ambiguous = ambiguous || stream_.ambiguous;
      const std::size_t from = stream_.tokens[stream_.tokens.size() - kOverlapTokens].begin;
      sqli::tokenize(text, from, sqli::Quote::kNone, dialect, kWindowTokens, stream_);
      reading.quote = sqli::Quote::kNone;
      reading.beginning = false;
      sqli::find_structures(reading, stream_, hits_);
    }
    stream_.ambiguous = stream_.ambiguous || ambiguous;
  }

  // The value of a body's named field.
  static bool is_field(const FieldContext& context) noexcept {
    return context.location == Location::kBody && !context.in_name && !context.name.empty();
  }
  static bool has_lines(std::string_view text) noexcept {
    const std::size_t end = text.find('\n', std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return end != std::string_view::npos && text.find_first_not_of(" \t\r\n", end) != std::string_view::npos;
  }

  const sqli::Look look_;
  const bool file_;           // what an uploaded file holds
  const bool where_;          // the parameter takes a condition
  const bool field_;          // a field of a body
  bool stored_ = false;       // and that is several lines of SQL
  bool script_ = false;       // a file of SQL
  sqli::TokenStream stream_;  // left with what the last window held; `ambiguous` counts for all of them
  std::vector<Hit>& hits_;
};

class SqliAnalyzer final : public Analyzer {
 public:
  SqliAnalyzer() : rules_(make_rules("m_sqli", AttackType::kSqli, 1000, sqli::rule_specs())) {
    // Words of which one is enough to look: all that are no words of prose, and those that join what is.
    static constexpr std::string_view kJoining[] = {
        "select",      "union",    "intersect", "except",  "minus",   "or",       "and",  "xor",
        "having",      "order",    "group",     "case",    "when",    "waitfor",  "into", "procedure",
        "outfile",     "dumpfile", "infile",    "program", "declare", "truncate", "exec", "execute",
        "reconfigure", "dbcc",     "pragma",    "regexp",  "rlike",   "ilike",    "glob"};
    hint_words_.assign(std::begin(kJoining), std::end(kJoining));
    sqli::append_telling_words(hint_words_);
    // Names with "$" are announced by an expression.
    std::erase_if(hint_words_, [](std::string_view word) { return word.find('$') != word.npos; });
  }

  std::string_view name() const noexcept override { return "sqli"; }
  Trick reads_trick() const noexcept override { return Trick::kSql; }
  std::span<const Rule> rules() const noexcept override { return rules_; }

  std::span<const char* const> hints() const noexcept override { return hints_.all(); }

  std::span<const std::string_view> hint_words() const noexcept override { return hint_words_; }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    const sqli::Look look = sqli::look_at(text);
    Reader reader(look, context, hits);
    reader.read(text, sqli::Quote::kNone);
    if (look.quote) reader.read(text, sqli::Quote::kSingle);
    if (look.doubled) reader.read(text, sqli::Quote::kDouble);
    if (look.backtick) reader.read(text, sqli::Quote::kBacktick);
    // "name=value" is a pair that was wrapped into a value; what is behind the sign begins a value of its
    // own.
    if (const std::size_t behind = value_of_pair(text); behind != 0) {
      const std::size_t first = hits.size();
      reader.read(text.substr(behind), sqli::Quote::kNone, true);
      for (std::size_t i = first; i < hits.size(); ++i) {
        hits[i].begin += static_cast<std::uint32_t>(behind);
        hits[i].end += static_cast<std::uint32_t>(behind);
      }
    }
  }

 private:
  std::vector<Rule> rules_;
  std::vector<std::string_view> hint_words_;
  const HintTexts hints_{sqli::hint_texts()};
};

}  // namespace

std::unique_ptr<Analyzer> make_sqli_analyzer() { return std::make_unique<SqliAnalyzer>(); }

}  // namespace wafd::detect
