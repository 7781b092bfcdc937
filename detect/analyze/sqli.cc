#include "detect/analyze/sqli.h"

#include <array>

#include "detect/analyze/hint_text.h"
#include "detect/analyze/sqli_hints.h"
#include "detect/analyze/sqli_rules.h"
#include "detect/core/octet_finder.h"
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

// Whether a comment begins at `at`, which may hide what follows: then everything is read.
bool is_comment(std::string_view text, std::size_t at) noexcept {
  if (at >= text.size()) return false;
  const char second = at + 1 < text.size() ? text[at + 1] : '\0';
  return text[at] == '#' || (text[at] == '/' && second == '*') || (text[at] == '-' && second == '-');
}

// The word behind white space, quotes and brackets from `at`; empty if a comment comes first.
std::string_view next_word(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && !is_alnum(text[at]) && text[at] != '_' && !is_comment(text, at)) ++at;
  std::size_t end = at;
  while (end < text.size() && (is_alnum(text[end]) || text[end] == '_' || text[end] == '$')) ++end;
  return text.substr(at, end - at);
}

// Words that are looked for anywhere, not only where a value is continued; each with the sign or word that
// must be next to it, so that prose and programs that use the word cost nothing.
bool is_strong(std::string_view text, std::size_t begin, std::size_t end) noexcept {
  using sqli::Part;
  using sqli::Word;
  const sqli::WordInfo& info = sqli::word_info(text.substr(begin, end - begin));
  if (info.text.empty()) return false;
  std::size_t next = end;
  while (next < text.size() && octet(text[next]) <= 0x20) ++next;
  const char sign = next < text.size() ? text[next] : '\0';
  const bool comment = is_comment(text, next);
  if (info.use >= sqli::Use::kDelay) return info.distinctive || sign == '(' || comment;
  if (info.text == "exp") return sign == '(' || comment;
  switch (info.word) {
    case Word::kSelect:
      return std::string_view("=:<>.,;)]}").find(sign) == std::string_view::npos;
    case Word::kOutfile:
    case Word::kDumpfile:
    case Word::kAnalyse:
    case Word::kWaitfor:
    case Word::kExec:
      return true;
    case Word::kCopy:
    case Word::kLoad:
      return is_alpha(sign) || octet(sign) >= 0x80 || sign == '_' || sign == '`' || sign == '"' || comment;
    case Word::kFrom: {
      const std::string_view name = next_word(text, end);
      return name.empty() || sqli::is_system_object(name);
    }
    default:
      break;
  }
  if (info.part == Part::kCase) {
    const std::string_view word = next_word(text, end);
    return word.empty() || iequals(word, "when");
  }
  if (info.part != Part::kStatement) return false;
  // A second statement: behind a semicolon, or a comment behind that, or the mark of one that runs.
  while (begin > 0 && octet(text[begin - 1]) <= 0x20) --begin;
  return begin > 0 && (text[begin - 1] == ';' || text[begin - 1] == '!' ||
                       (begin > 1 && text[begin - 1] == '/' && text[begin - 2] == '*'));
}

// Behind digits: 1union, 0x1funion, 1e0select, where the letters of the number come first, and
// /*!50000drop.
bool ends_strong(std::string_view text, std::size_t begin, std::size_t end) noexcept {
  if (sqli::word_info(text.substr(begin, end - begin)).part == sqli::Part::kStatement) return true;
  for (std::size_t i = begin; i < end && (hex_value(text[i]) >= 0 || to_lower(text[i]) == 'x'); ++i) {
    if (is_strong(text, i + 1, end)) return true;
  }
  return false;
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
  // What is left to look for when a strong word is known: no word.
  static constexpr OctetFinder kSigns(
      std::string_view("'\"`\x7f"
                       "\1\2\3\4\5\6\7\x08\x0e\x0f\x10\x11\x12\x13\x14\x15"
                       "\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"));
  Look look;
  for (std::size_t i = 0; i < text.size();) {
    if (look.strong && (i = kSigns.find(text, i)) == text.size()) break;
    switch (kKinds[octet(text[i])]) {
      case kWordOctet: {
        // Behind digits too: 1union. A word that goes on with other letters is longer than those of SQL.
        std::size_t end = i + 1;
        while (end < text.size() && static_cast<unsigned>(kKinds[octet(text[end])] - kWordOctet) <= 1) ++end;
        if (end - i >= 2) {
          look.strong =
              is_strong(text, i, end) || (i > 0 && is_digit(text[i - 1]) && ends_strong(text, i, end));
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
  Reader(const Look& look, bool file, std::pmr::memory_resource* memory, std::vector<Hit>& hits)
      : look_(look), file_(file), stream_(memory), hits_(hits) {}

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
    sqli::Reading reading{text, quote, true, pair, script_, look_.noisy};
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
  const bool file_;           // what an uploaded file holds
  bool script_ = false;       // and that is SQL
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
    const Look look = look_at(text);
    const bool file = context.location == Location::kFile && !context.in_name;
    Reader reader(look, file, context.memory, hits);
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
