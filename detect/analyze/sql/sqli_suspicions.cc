// Values that are no SQL and nothing else either: operators, quotes and signs alone, names of the database's
// own. Suspected only, because somebody may have a reason.
#include "detect/analyze/sql/sqli_finder.h"
#include "detect/core/word_set.h"

namespace wafd::detect::sqli {
namespace {

// Of MySQL and SQL Server: what a probe asks for.
constexpr WordSet kServerVariables({"version", "hostname", "datadir", "basedir", "tmpdir", "servername",
                                    "language", "version_comment", "version_compile_os", "secure_file_priv",
                                    "servicename", "spid", "port", "plugin_dir"});
constexpr std::size_t kMinSignKinds = 7;    // different signs of a value of signs alone
constexpr std::size_t kMaxSignsInCall = 8;  // between a name and the parenthesis that ends the value

bool is_sign_octet(char c) noexcept { return octet(c) > 0x20 && octet(c) < 0x7F && !is_alnum(c); }
bool is_quote(char c) noexcept { return c == '\'' || c == '"' || c == '`'; }

// Behind a quote: an operator, another quote, a digit.
bool continues(char c) noexcept {
  return is_quote(c) || is_digit(c) || c == ' ' ||
         std::string_view("*>:,<=+-/%").find(c) != std::string_view::npos;
}

// `>65, "` * 123, "2562*23: behind its quotes a comparison or arithmetic.
bool compares(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size() && (is_quote(text[i]) || text[i] == ' ' || is_digit(text[i]))) ++i;
  return i < text.size() && std::string_view("*><=+/%").find(text[i]) != std::string_view::npos &&
         text.find_first_of(".,:[{|", i) == text.npos;
}

// Operators that are no words of prose or of codes for countries and languages.
bool is_operator_word(const Token& t) noexcept {
  return t.kind == Kind::kWord && (t.info->text == "regexp" || t.info->text == "rlike" ||
                                   t.info->text == "ilike" || t.info->text == "xor");
}

}  // namespace

void Finder::suspect_value() {
  const std::string_view text = trim(text_);
  if (!complete_ || text.size() < 2 || text.size() > kMaxOddBytes || noisy_) return;
  const std::size_t n = sql_.size();
  const Token& first = sql_.at(0);
  const auto suspect = [&](const char* reason) { hit(kSuspected, 0, n, reason); };
  if (n == 1) {
    if (first.kind == Kind::kVariable && sql_.spelled(0).starts_with("@@") &&
        kServerVariables.has(sql_.spelled(0).substr(2)))
      return hit(kFragment, 0, n, "reads a variable of the database's server");
    // With nothing that the tokenizer leaves out.
    const bool alone = first.end - first.begin == text.size();
    const bool sign = alone && (first.kind == Kind::kCompare || first.kind == Kind::kLogic ||
                                first.kind == Kind::kArithmetic);
    if (sign || is_operator_word(first)) return suspect("is an operator of SQL and nothing else");
    if (first.kind == Kind::kWord && !first.quoted &&
        ((first.info->use >= Use::kDelay && first.info->distinctive) || is_catalogue_name(text))) {
      return suspect("names an object of the database's own");
    }
    if (alone && first.kind == Kind::kWord && first.first == '`' && text.size() > 2)
      return suspect("is a name in quotes of SQL");
    if (alone && first.kind == Kind::kString && first.end - first.begin > 2 && first.first == '\'' &&
        text.find_first_of(" :-") == text.npos)
      return suspect("is a string of SQL with its quotes");
  }
  if (first.part() == Part::kCompare && sql_.at(n - 1).is(Word::kNull) && n <= 3)
    return suspect("compares with NULL");
  if (n == 2 && first.is(Word::kExec) && sql_.at(1).kind == Kind::kWord && sql_.at(1).part() == Part::kName)
    return suspect("runs a procedure or a prepared statement");
  if (n == 3 && first.kind == Kind::kWord && sql_.at(1).kind == Kind::kDot && is_schema(sql_.spelled(0)) &&
      sql_.at(2).kind == Kind::kWord)
    return suspect("names a table of the database's own");
  if (first.kind == Kind::kSemicolon && n > 1 && text.front() == ';') {
    const Token& next = sql_.at(1);
    if (next.kind == Kind::kSemicolon || next.kind == Kind::kWord)
      return suspect("ends a statement and goes on");
  }
  if (stream_.glued && is_digit(text.front()) && first.kind == Kind::kDot && sql_.at(1).kind == Kind::kWord)
    return hit(sql_.spelled(1).size() > 2 ? kFragment : kSuspected, 0, n,
               "hides a name behind a number with an empty exponent");
  suspect_signs(text);
}

// By its octets: what is no token of SQL counts as well.
void Finder::suspect_signs(std::string_view text) {
  const auto suspect = [&](const char* reason) { hit(kSuspected, 0, sql_.size(), reason); };
  std::uint64_t kinds[2] = {};
  std::size_t signs = 0, quotes = 0, letters = 0, digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_sign_octet(c)) {
      ++signs;
      kinds[octet(c) >> 6] |= std::uint64_t{1} << (octet(c) & 63u);
      if (is_quote(c)) ++quotes;
    } else if (is_digit(c)) {
      // 0x22, 9e7, 6fbdec2: the letters of a number.
      ++digits;
      while (i + 1 < text.size() && (hex_value(text[i + 1]) >= 0 || to_lower(text[i + 1]) == 'x')) ++i;
    } else if (octet(c) > 0x20) {
      ++letters;
    }
  }
  const auto different =
      static_cast<std::size_t>(__builtin_popcountll(kinds[0]) + __builtin_popcountll(kinds[1]));
  const bool blank = text.find(' ') != text.npos;
  if (letters == 0 && digits == 0 && !blank && quotes > 0 && signs >= 2 && different >= 2)
    return suspect("is made of quotes and signs alone");
  if (letters == 0 && digits == 0 && different >= kMinSignKinds && text.find('\\') == text.npos)
    return suspect("is made of many signs");
  if (letters == 0 && digits > 0 && is_quote(text.front()) && !is_quote(text.back()) && continues(text[1]) &&
      signs > quotes)
    return hit(compares(text) ? kFragment : kSuspected, 0, sql_.size(),
               "closes a string, then continues with signs and numbers");
  if (text.size() > 3 && text[0] == '\\' &&
      (to_lower(text[1]) == 'x' || (text[1] == '0' && to_lower(text[2]) == 'x'))) {
    const int code = hex_value(text[2]) * 16 + hex_value(text[3]);
    if (text[1] == '0' || code == '\'' || code == '"' || code == '#' || code == '`')
      return suspect("begins with an escaped octet that SQL has a meaning for");
  }
  if (text.back() == '(') {
    std::size_t word = 0;
    while (word < text.size() && (is_alnum(text[word]) || text[word] == '_')) ++word;
    const std::string_view between = text.substr(word, text.size() - 1 - word);
    const bool smiley =
        !between.empty() && (between.back() == ':' || between.back() == ';' || between.back() == '-' ||
                             (between.back() == '=' && between.front() == ' '));
    if (word >= 2 && between.size() <= kMaxSignsInCall && !smiley &&
        std::any_of(between.begin(), between.end(), is_sign_octet) &&
        std::none_of(between.begin(), between.end(), [](char c) { return is_alnum(c) || octet(c) >= 0x7F; }))
      // log&&(, month=(: an operator that only a program has; ") (" may be a sentence cut off.
      hit(between.find_first_of("=<>|&$?") != between.npos ? kFragment : kSuspected, 0, sql_.size(),
          "breaks off in a parenthesis behind operators");
  }
}

}  // namespace wafd::detect::sqli
