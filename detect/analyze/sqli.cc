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
constexpr std::size_t kWindowTokens = 2048;
constexpr std::size_t kOverlapTokens = 256;
// Most quotes are apostrophes and most values are no SQL: so few tokens show that no query goes on.
constexpr std::size_t kGlanceTokens = 12;

// What one walk over the octets tells before anything is read.
struct Look {
  bool quote = false;    // '
  bool doubled = false;  // "
  bool backtick = false;
  bool noisy = false;  // controls that no text has
  bool strong =
      false;  // a word that means something wherever it stands; else only a query's continuation does
};

// Words that are looked for anywhere, not only where a value is continued.
bool is_strong(const sqli::WordInfo& info) noexcept {
  using sqli::Part;
  using sqli::Word;
  if (info.use >= sqli::Use::kDelay || info.text == "exp") return true;
  switch (info.word) {
    case Word::kInto:
    case Word::kProcedure:
    case Word::kFrom:
      return true;
    default:
      return info.part == Part::kSelect || info.part == Part::kUnion || info.part == Part::kStatement ||
             info.part == Part::kCase;
  }
}

Look look_at(std::string_view text) noexcept {
  enum : std::uint8_t { kPlain, kWordOctet, kDigit, kQuote, kDouble, kTick, kControl };
  static constexpr auto kKinds = [] {
    std::array<std::uint8_t, 256> kinds{};
    for (std::size_t c = 0; c < 256; ++c) {
      const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
      if (letter || c == '_') kinds[c] = kWordOctet;
      if (c >= '0' && c <= '9') kinds[c] = kDigit;
      if ((c < 0x20 && c != 0 && !(c >= 9 && c <= 13)) || c == 0x7F) kinds[c] = kControl;
    }
    kinds[octet('\'')] = kQuote;
    kinds[octet('"')] = kDouble;
    kinds[octet('`')] = kTick;
    return kinds;
  }();
  Look look;
  for (std::size_t i = 0; i < text.size();) {
    switch (kKinds[octet(text[i])]) {
      case kWordOctet: {
        // Behind digits too: 1union. A word that goes on with other letters is longer than those of SQL.
        std::size_t end = i + 1;
        while (end < text.size() && (kKinds[octet(text[end])] == kWordOctet || is_digit(text[end]))) ++end;
        if (!look.strong && end - i >= 2) {
          const std::string_view word = text.substr(i, end - i);
          look.strong = is_strong(sqli::word_info(word));
          // 0x1funion: the letters of a number come first.
          if (!look.strong && i > 0 && is_digit(text[i - 1])) look.strong = true;
        }
        i = end;
        continue;
      }
      case kQuote:
        look.quote = true;
        break;
      case kDouble:
        look.doubled = true;
        break;
      case kTick:
        look.backtick = true;
        break;
      case kControl:
        look.noisy = true;
        break;
      default:
        break;
    }
    ++i;
  }
  return look;
}

// Reads one text in several ways; the tokens' memory is used again.
class Reader {
 public:
  Reader(const Look& look, std::pmr::memory_resource* memory, std::vector<Hit>& hits)
      : look_(look), stream_(memory), hits_(hits) {}

  void read(std::string_view text, sqli::Quote quote) {
    read_as(text, quote, sqli::Dialect::kMysql);
    if (stream_.ambiguous) read_as(text, quote, sqli::Dialect::kAnsi);
  }

 private:
  void read_as(std::string_view text, sqli::Quote quote, sqli::Dialect dialect) {
    const bool bare = quote == sqli::Quote::kNone;
    sqli::Reading reading{text, quote, true, look_.noisy};
    const std::size_t glance = bare && look_.strong ? kWindowTokens : kGlanceTokens;
    sqli::tokenize(text, 0, quote, dialect, glance, stream_);
    const std::size_t before = hits_.size();
    bool holds = sqli::find_structures(reading, stream_, hits_);
    if (stream_.next >= text.size()) return;
    if (glance == kGlanceTokens) {
      if (!holds) return;
      // A glance that is not the whole may see an end where none is: its finds count only if the reading is
      // over.
      hits_.resize(before);
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

  const Look look_;
  sqli::TokenStream stream_;  // left with what the last window held; `ambiguous` counts for all of them
  std::vector<Hit>& hits_;
};

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

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    const Look look = look_at(text);
    Reader reader(look, context.memory, hits);
    reader.read(text, sqli::Quote::kNone);
    if (look.quote) reader.read(text, sqli::Quote::kSingle);
    if (look.doubled) reader.read(text, sqli::Quote::kDouble);
    if (look.backtick) reader.read(text, sqli::Quote::kBacktick);
    // "name=value" is a pair that was wrapped into a value; what is behind the sign begins a value of its
    // own.
    if (const std::size_t behind = value_of_pair(text); behind != 0) {
      const std::size_t first = hits.size();
      reader.read(text.substr(behind), sqli::Quote::kNone);
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
