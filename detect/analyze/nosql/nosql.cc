#include "detect/analyze/nosql/nosql.h"

#include <algorithm>
#include <array>

#include "detect/analyze/base/hint_text.h"
#include "detect/analyze/nosql/store_statements.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kOperatorName,
  kOperatorDocument,
  kServerScript,
  kStringBreak,
  kFilterOperator,
  kSecretLookup,
  kLookup,
  kStoredScript,
  kStoreStatement,
  kStoreWord,
};

constexpr std::array kRules = {
    RuleSpec{"operator-name", "Query operator in the name of a parameter", Risk::kHigh,
             Sensitivity::kBalanced},
    RuleSpec{"operator-document", "Query document inside of a value", Risk::kHigh, Sensitivity::kBalanced},
    RuleSpec{"server-script", "JavaScript for the database to run", Risk::kHigh, Sensitivity::kLow},
    RuleSpec{"string-break", "String of a query closed and the query changed", Risk::kHigh,
             Sensitivity::kBalanced},
    // Interfaces exist that take such filters from their own pages.
    RuleSpec{"filter-operator", "Query operator as a key", Risk::kMedium, Sensitivity::kStrict},
    RuleSpec{"secret-lookup", "Lookup of a mapper that guesses a secret", Risk::kHigh,
             Sensitivity::kBalanced},
    RuleSpec{"lookup", "Lookup of an object-relational mapper in the name of a parameter", Risk::kLow,
             Sensitivity::kStrict},
    RuleSpec{"stored-script", "Condition of JavaScript on stored documents", Risk::kHigh,
             Sensitivity::kBalanced},
    RuleSpec{"store-statement", "Statement for a database that is not asked in SQL", Risk::kHigh,
             Sensitivity::kBalanced},
    RuleSpec{"store-word", "May be a statement for a database that is not asked in SQL", Risk::kLow,
             Sensitivity::kStrict},
};

// Operators of MongoDB's query language. Those that run code or read text by pattern have no place in a form
// at all.
constexpr WordSet kOperators({"eq",          "ne",        "gt",        "gte",       "lt",         "lte",
                              "in",          "nin",       "or",        "and",       "nor",        "not",
                              "exists",      "type",      "expr",      "regex",     "where",      "text",
                              "mod",         "all",       "elemmatch", "size",      "jsonschema", "function",
                              "accumulator", "search",    "options",   "comment",   "lookup",     "out",
                              "merge",       "unionwith", "near",      "geowithin", "bitsallset"});
constexpr WordSet kScripts({"where", "function", "accumulator"});
// Operators that are there for no other reason than to match what is not known, or to run code.
constexpr WordSet kTelling({"ne", "nin", "regex", "where", "function", "accumulator", "nor", "text", "expr",
                            "lookup", "out", "merge", "unionwith"});

// Lookups of Django's query sets (QuerySet API reference, "Field lookups"; those of JSONField and
// contrib.postgres): behind two underscores they turn a name of a parameter into a condition where an
// application hands its parameters over as they are.
constexpr WordSet kLookups({"exact",
                            "iexact",
                            "contains",
                            "icontains",
                            "startswith",
                            "istartswith",
                            "endswith",
                            "iendswith",
                            "gt",
                            "gte",
                            "lt",
                            "lte",
                            "isnull",
                            "regex",
                            "iregex",
                            "range",
                            "has_key",
                            "has_keys",
                            "has_any_keys",
                            "contained_by",
                            "trigram_similar",
                            "trigram_word_similar",
                            "unaccent"});
// Fields that no page lets its visitors search: guessed one letter at a time through such a lookup.
constexpr WordSet kSecrets({"password",      "passwd",        "pwd",         "pass",        "secret",
                            "token",         "api_key",       "apikey",      "otp",         "salt",
                            "hash",          "password_hash", "reset_token", "auth_token",  "access_token",
                            "refresh_token", "secret_key",    "private_key", "session_key", "is_superuser",
                            "is_staff",      "is_admin"});

// Whoever logs in gives one name: that names come behind another in some order is true of all or of none.
constexpr WordSet kLogins({"user", "username", "user_name", "login", "email", "uid", "account"});
constexpr WordSet kOrders({"gt", "gte", "lt", "lte"});

// Octets of a condition that are read up to the document it is about.
constexpr std::size_t kBeforeThis = 40;

bool is_name(char c) noexcept { return is_alnum(c) || c == '_'; }

// The word behind the "$" at `at`; empty if it is no operator.
std::string_view operator_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at + 1;
  while (end < text.size() && is_alpha(text[end])) ++end;
  const std::string_view word = text.substr(at + 1, end - at - 1);
  if (end < text.size() && is_name(text[end])) return {};
  return kOperators.has(word) ? word : std::string_view{};
}

class Finder {
 public:
  Finder(std::string_view text, const FieldContext& context, std::vector<Hit>& hits)
      : text_(text), context_(context), hits_(hits) {}

  void run() {
    for (std::size_t at = text_.find('$'); at != std::string_view::npos; at = text_.find('$', at + 1)) {
      if (const std::string_view word = operator_at(text_, at); !word.empty()) operator_found(at, word);
    }
    for (const char quote : {'\'', '"'}) behind_quote(quote);
    bare_script();
    if (const StoreStatement found = find_store_statement(text_))
      hit(found.certain ? kStoreStatement : kStoreWord, found.begin, found.end, found.reason);
    if (context_.in_name) lookup();
  }

 private:
  void hit(RuleIndex rule, std::size_t begin, std::size_t end, std::string reason) {
    if (std::any_of(hits_.begin(), hits_.end(), [&](const Hit& h) { return h.rule == rule; })) return;
    hits_.push_back({rule, static_cast<std::uint32_t>(begin),
                     static_cast<std::uint32_t>(std::min(end, text_.size())), std::move(reason)});
  }

  void operator_found(std::size_t at, std::string_view word) {
    const std::size_t end = at + 1 + word.size();
    const char before = at > 0 ? text_[at - 1] : '\0';
    const char after = end < text_.size() ? text_[end] : '\0';
    const std::string name = "$" + to_lower(word);
    if (context_.in_name) {
      // user[$ne]: PHP, Express and Rails make {user: {$ne: ...}} of it. "$ne" and a.$ne are keys of JSON.
      const bool bracketed = before == '[' && after == ']';
      const bool key = at == 0 && end == text_.size();
      const bool nested = before == '.' && end == text_.size();
      if (bracketed)
        return hit(kOperatorName, at - 1, end + 1,
                   "turns a parameter into a query with the operator " + name);
      if (key || nested) {
        if (kScripts.has(word))
          return hit(kServerScript, at, end, "gives the database JavaScript to run with " + name);
        // password.$gt
        const std::string_view path = text_.substr(0, at > 0 ? at - 1 : 0);
        const std::string_view owner = path.substr(path.rfind('.') + 1);  // npos + 1 is 0
        const bool known = kSecrets.has(owner) || (kLogins.has(owner) && kOrders.has(word));
        return hit(kTelling.has(word) || known ? kOperatorDocument : kFilterOperator, at, end,
                   "uses the operator " + name + " as the key of a value");
      }
      return;
    }
    // In a value: {"$gt": ""}, {$where: '...'}, also behind a string that was closed.
    std::size_t key_begin = at;
    if (before == '"' || before == '\'') --key_begin;
    std::size_t j = key_begin;
    while (j > 0 && is_space(text_[j - 1])) --j;
    const bool opens = j > 0 && (text_[j - 1] == '{' || text_[j - 1] == ',');
    std::size_t k = end;
    if (key_begin != at && after == before) ++k;
    k = skip_space(text_, k);
    const bool colon = k < text_.size() && text_[k] == ':';
    if (opens && colon) {
      if (kScripts.has(word))
        return hit(kServerScript, j - 1, k + 1, "gives the database JavaScript to run with " + name);
      hit(kOperatorDocument, j - 1, k + 1, "carries a query document with the operator " + name);
    } else if (before == '[' && after == ']' && k + 1 < text_.size()) {
      const std::size_t sign = skip_space(text_, end + 1);
      if (sign < text_.size() && text_[sign] == '=') {
        hit(kOperatorName, at - 1, sign + 1, "turns a parameter into a query with the operator " + name);
      }
    }
  }

  // ' || this.password.match(/a/) || ', '; return true; var x = ', "}, $or: [ {}, {"
  void behind_quote(char quote) {
    const std::size_t at = text_.find(quote);
    if (at == std::string_view::npos) return;
    std::size_t i = skip_space(text_, at + 1);
    while (i < text_.size() && (text_[i] == ')' || text_[i] == '}' || text_[i] == ']'))
      i = skip_space(text_, i + 1);
    const std::string_view rest = text_.substr(i);
    if (rest.starts_with("||") || rest.starts_with("&&")) {
      const std::string_view condition = rest.substr(skip_space(rest, 2));
      if (names_document(condition) || js_comparison(condition)) {
        hit(kStringBreak, at, text_.size(),
            "closes a string, then adds a condition of JavaScript that a database would run");
      }
    } else if (rest.starts_with(';')) {
      const std::string_view statement = rest.substr(skip_space(rest, 1));
      if (istarts_with(statement, "return ") || istarts_with(statement, "return(") ||
          istarts_with(statement, "while(") || istarts_with(statement, "sleep(")) {
        hit(kStringBreak, at, text_.size(), "closes a string, then gives statements of JavaScript to run");
      }
    } else if (istarts_with(rest, "(function(") && text_.find("while", i) != std::string_view::npos) {
      // $where: "this.a == '" + value + "'"; the function keeps the database busy.
      hit(kStringBreak, at, text_.size(), "closes a string, then calls a function that does not return");
    } else if (rest.starts_with(',')) {
      std::size_t k = skip_space(rest, 1);
      if (k < rest.size() && (rest[k] == '"' || rest[k] == '\'')) ++k;
      if (k < rest.size() && rest[k] == '$' && !operator_at(rest, k).empty()) {
        hit(kStringBreak, at, text_.size(), "closes a string, then adds an operator to the query document");
      }
    }
  }

  // this.a, this['a'], Object.keys(this), tojson(this): the document that $where is asked about.
  static bool names_document(std::string_view condition) noexcept {
    std::size_t i = 0;
    while (i < condition.size() && i < kBeforeThis) {
      const bool begins = i == 0 || !is_name(condition[i - 1]);
      if (begins && condition.substr(i).starts_with("this")) {
        const std::size_t sign = skip_space(condition, i + 4);
        return sign < condition.size() &&
               std::string_view(".[)").find(condition[sign]) != std::string_view::npos;
      }
      if (!is_name(condition[i]) && std::string_view(".!( ").find(condition[i]) == std::string_view::npos)
        return false;
      ++i;
    }
    return false;
  }

  // '1'=='1, 1==1, true//: with the operators that JavaScript has and SQL has not.
  static bool js_comparison(std::string_view text) noexcept {
    std::size_t i = 0;
    const char quote = !text.empty() && (text[0] == '\'' || text[0] == '"') ? text[0] : '\0';
    if (quote != '\0') {
      i = text.find(quote, 1);
      if (i == std::string_view::npos) return false;
      ++i;
    } else {
      while (i < text.size() && is_digit(text[i])) ++i;
      if (i == 0) return false;
    }
    i = skip_space(text, i);
    return text.substr(i, 2) == "==" || text.substr(i, 2) == "!=";
  }

  // user__password__startswith
  void lookup() {
    const std::size_t last = text_.rfind("__");
    if (last == std::string_view::npos || last == 0 || !kLookups.has(text_.substr(last + 2))) return;
    std::string_view path = text_.substr(0, last);
    bool secret = false;
    while (!path.empty()) {
      const std::size_t before = path.rfind("__");
      secret = secret || kSecrets.has(before == std::string_view::npos ? path : path.substr(before + 2));
      path = before == std::string_view::npos ? std::string_view{} : path.substr(0, before);
    }
    hit(secret ? kSecretLookup : kLookup, 0, text_.size(),
        secret ? "compares a secret of the application's data by a lookup of its mapper"
               : "names a lookup of an object-relational mapper");
  }

  // The whole value is a function over `this`, or waits: $where takes both.
  void bare_script() {
    busy_loop();
    behind_value();
    const std::size_t match = text_.find("this.");
    if (match == std::string_view::npos) return;
    const std::size_t behind = match + 5;
    std::size_t end = behind;
    while (end < text_.size() && is_name(text_[end])) ++end;
    if (end == behind) return;
    const std::string_view rest = text_.substr(end);
    const bool condition = match >= 2 && (text_.substr(0, match).find("||") != std::string_view::npos ||
                                          text_.substr(0, match).find("&&") != std::string_view::npos);
    if (!rest.starts_with(".match(/")) return;
    if (condition) hit(kServerScript, match, end + 8, "tests a field of the stored document by a pattern");
    // Nothing else: what $where takes.
    if (trim(text_.substr(0, match)).empty() && text_.find_first_of(";\n") == std::string_view::npos)
      hit(kStoredScript, match, end + 8, "is a condition on a field of the stored document");
  }

  // 1 || Object.keys(this)[0].match('^i'), true; return db.getName()=='x': goes on behind a value of one word
  // that stands without quotes in the condition.
  void behind_value() {
    const std::size_t begin = skip_space(text_, 0);
    std::size_t end = begin;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string_view value = text_.substr(begin, end - begin);
    const bool constant = !value.empty() && (value.find_first_not_of("0123456789") == value.npos ||
                                             value == "true" || value == "false" || value == "null");
    if (!constant || text_.find('\n') != std::string_view::npos) return;
    const std::string_view rest = text_.substr(skip_space(text_, end));
    if (rest.starts_with("||") || rest.starts_with("&&")) {
      if (names_document(rest.substr(skip_space(rest, 2))))
        hit(kStoredScript, begin, text_.size(),
            "goes on behind a value with a condition on the stored document");
    } else if (rest.starts_with(';')) {
      const std::string_view statement = rest.substr(skip_space(rest, 1));
      if (statement.starts_with("sleep(") ||
          (statement.starts_with("return") && returns(statement.substr(6))))
        hit(kStoredScript, begin, text_.size(), "goes on behind a value with statements of JavaScript");
    }
  }

  // What a condition returns; "5; return policy" is a list of somebody's.
  static bool returns(std::string_view rest) noexcept {
    const std::size_t begin = skip_space(rest, 0);
    if (begin >= rest.size()) return false;
    if (!is_alpha(rest[begin]))
      return is_digit(rest[begin]) || std::string_view("(!'\"").find(rest[begin]) != std::string_view::npos;
    std::size_t end = begin;
    while (end < rest.size() && is_name(rest[end])) ++end;
    const std::string_view word = rest.substr(begin, end - begin);
    const char sign = end < rest.size() ? rest[end] : '\0';
    return begin > 0 && (word == "true" || word == "false" || sign == '.' || sign == '[' || sign == '=');
  }

  // do{c=new Date();}while(c-d<5000) in one line: the answer comes late if the database runs it.
  void busy_loop() {
    if (text_.find('\n') != std::string_view::npos) return;
    const std::size_t date = ifind(text_, "new date(");
    if (date == std::string_view::npos) return;
    const std::size_t loop = ifind(text_, "do{");
    if (loop == std::string_view::npos) return;
    const std::size_t end = ifind(text_, "}while(", loop);
    if (end == std::string_view::npos ||
        ifind(text_.substr(0, end), "new date(", loop) == std::string_view::npos)
      return;
    hit(kStoredScript, loop, end + 7, "keeps the database busy until a time has passed");
  }

  std::string_view text_;
  const FieldContext& context_;
  std::vector<Hit>& hits_;
};

class NosqlAnalyzer final : public Analyzer {
 public:
  NosqlAnalyzer() : rules_(make_rules("m_nosql", AttackType::kNosqlInjection, 1200, kRules)) {}

  std::string_view name() const noexcept override { return "nosql"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }

  std::span<const char* const> hints() const noexcept override { return hints_.all(); }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    Finder(text, context, hits).run();
  }

 private:
  static std::vector<std::string> hint_texts() {
    std::vector<std::string> texts = {
        "\\$" + any_of_words(kOperators.words()) + "([^a-z0-9_]|$)",
        R"(['"][\x00-\x20)}\]]*(\|\||&&)[\x00-\x20]*(this\.|['"0-9]))",
        R"(['"][\x00-\x20)}\]]*;[\x00-\x20]*(return[ (]|(while|sleep)\())",
        R"(['"][\x00-\x20)}\]]*\(function\()",
        R"(this\.[a-z0-9_]+\.match)",
        R"(['"][\x00-\x20)}\]]*(\|\||&&)[\x00-\x20a-z0-9_.!(]*this[\x00-\x20]*[.\[)])",
        R"(^[\x00-\x20]*([0-9]+|true|false|null)[\x00-\x20]*(\|\||&&|;[\x00-\x20]*(return[ (]|sleep\()))",
        R"(do\{[^}\n]*new date\([^\n]*\}while\()",
        "__" + any_of_words(kLookups.words()) + "$",
    };
    append_store_hints(texts);
    return texts;
  }

  const HintTexts hints_{hint_texts()};
  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_nosql_analyzer() { return std::make_unique<NosqlAnalyzer>(); }

}  // namespace wafd::detect
