#include "detect/analyze/sqli.h"

#include <array>

#include "detect/analyze/sqli_rules.h"
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
constexpr std::size_t kWindowTokens = 4096;
constexpr std::size_t kOverlapTokens = 256;
// Most quotes are apostrophes: so few tokens show that no query goes on behind one.
constexpr std::size_t kGlanceTokens = 12;

// `stream` is left with what the last window held; its `ambiguous` counts for all of them.
void read_as(std::string_view text, sqli::Quote quote, sqli::Dialect dialect, sqli::TokenStream& stream,
             std::vector<Hit>& hits) {
  if (quote != sqli::Quote::kNone) {
    sqli::tokenize(text, 0, quote, dialect, kGlanceTokens, stream);
    // A glance that is not the whole may see an end where none is; its finds count only if the reading is
    // over.
    const std::size_t before = hits.size();
    const bool holds = sqli::find_structures(text, quote, true, stream, hits);
    if (!holds || stream.next >= text.size()) return;
    hits.resize(before);
  }
  bool ambiguous = false;
  sqli::tokenize(text, 0, quote, dialect, kWindowTokens, stream);
  const bool holds = sqli::find_structures(text, quote, true, stream, hits);
  while (stream.next < text.size() && (quote == sqli::Quote::kNone || holds)) {
    ambiguous = ambiguous || stream.ambiguous;
    const std::size_t from = stream.tokens[stream.tokens.size() - kOverlapTokens].begin;
    sqli::tokenize(text, from, sqli::Quote::kNone, dialect, kWindowTokens, stream);
    sqli::find_structures(text, sqli::Quote::kNone, false, stream, hits);
  }
  stream.ambiguous = stream.ambiguous || ambiguous;
}

class SqliAnalyzer final : public Analyzer {
 public:
  SqliAnalyzer() : rules_(make_rules("m_sqli", AttackType::kSqli, 1000, sqli::rule_specs())) {}

  std::string_view name() const noexcept override { return "sqli"; }
  Trick reads_trick() const noexcept override { return Trick::kSql; }
  std::span<const Rule> rules() const noexcept override { return rules_; }

  std::span<const char* const> hints() const noexcept override {
    // A structure needs a word of the language, or a quote that something continues from. What may stand
    // between words is left out: it is the analyser that knows it.
    static constexpr std::array kHints = {
        R"((^|[^a-z]|0x[0-9a-f]+)(or|and|xor)([^a-z]|$)|\|\||&&)",
        R"(select|union|waitfor|outfile|dumpfile|infile|procedure|having|from([^a-z]|$))",
        R"((order|group)[^a-z]|intersect|except|minus)",
        R"((insert|update|delete|drop|create|alter|truncate|rename|declare|exec|execute|shutdown|handler|grant|revoke|merge|attach|pragma|backup|restore|bulk|prepare|copy|call|dbcc|reconfigure|load|set|begin|with|do)([^a-z]|$))",
        R"((case|when|if)[^a-z])",
        R"(sleep|benchmark|receive_message|dbms_|randomblob|get_lock|generate_series|master_pos_wait|user_lock)",
        R"(extractvalue|updatexml|xmltype|gtid_|name_const|geohash|linestring|polygon|multipoint|geometrycollection|drithsx|ordsys|xmlquery|_to_xml|uuid|exp[^a-z])",
        R"(utl_|httpuritype|dblink|openrowset|opendatasource|openquery|fn_|xp_|sp_|load_file|lo_|readfile|writefile|pg_|sys_e|load_extension)",
        // A quote and a sign of SQL behind it, or a comment anywhere behind it.
        R"(['"`][\x00-\x20\xa0]*([)=<>!~^@:,;|&*%/+-]|like|ilike|rlike|regexp|glob))",
        R"(['"`].*(--|#|/\*))",
        // Pieces of a query: a call that breaks off, a cast, a comparison of numbers, a clause without a
        // query.
        R"(\([^a-z0-9]*$|::[a-z])",
        R"((^|=)[^a-z]*[0-9].*(=|<>|like|regexp|glob|is|in|between|similar|sounds|div|mod|collate|escape|overlaps))",
        R"((^|=)[\x00-\x20\xa0()]*(from|where|having|group|order|by|limit|offset|fetch|procedure|into|on|using|as|values|join|inner|outer|cross|natural|for|window|returning|outfile|dumpfile|like|ilike|rlike|regexp|glob|similar|sounds|in|between|is|div|mod|collate|escape|overlaps)([^a-z]|$))",
        R"(/\*[^;,])",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& /*context*/,
               std::vector<Hit>& hits) const override {
    sqli::TokenStream stream;
    const auto read = [&](std::string_view part, sqli::Quote quote) {
      read_as(part, quote, sqli::Dialect::kMysql, stream, hits);
      if (stream.ambiguous) read_as(part, quote, sqli::Dialect::kAnsi, stream, hits);
    };
    read(text, sqli::Quote::kNone);
    if (text.find('\'') != std::string_view::npos) read(text, sqli::Quote::kSingle);
    if (text.find('"') != std::string_view::npos) read(text, sqli::Quote::kDouble);
    if (text.find('`') != std::string_view::npos) read(text, sqli::Quote::kBacktick);
    // "name=value" is a pair that was wrapped into a value; what is behind the sign begins a value of its
    // own.
    if (const std::size_t behind = value_of_pair(text); behind != 0) {
      const std::size_t first = hits.size();
      read(text.substr(behind), sqli::Quote::kNone);
      for (std::size_t i = first; i < hits.size(); ++i) {
        hits[i].begin += static_cast<std::uint32_t>(behind);
        hits[i].end += static_cast<std::uint32_t>(behind);
      }
    }
  }

 private:
  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_sqli_analyzer() { return std::make_unique<SqliAnalyzer>(); }

}  // namespace wafd::detect
