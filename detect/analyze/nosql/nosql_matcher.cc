#include "detect/analyze/nosql/nosql_matcher.h"

#include <algorithm>
#include <array>
#include <utility>

#include "detect/analyze/nosql/clauses.tsv.h"
#include "detect/analyze/nosql/commands.tsv.h"
#include "detect/analyze/nosql/cursor.h"
#include "detect/analyze/nosql/methods.tsv.h"
#include "detect/analyze/nosql/names.tsv.h"
#include "detect/analyze/nosql/operators.tsv.h"
#include "detect/analyze/nosql/statements.h"
#include "detect/analyze/nosql/where_code.h"
#include "detect/core/name_bytes.h"
#include "detect/core/secret_names.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

using nosql::kNames;
using nosql::kOperators;
using nosql::NameUse;
using nosql::Operator;
using nosql::OperatorUse;

enum class NosqlEvidence : std::uint8_t {
  kOperatorName,
  kOperatorKey,
  kOperatorDocument,
  kServerScript,
  kStringBreak,
  kStoredScript,
  kLookup,
  kStatement
};
constexpr std::array<std::string_view, 8> kKinds{"operator_name", "operator_key", "operator_document",
                                                 "server_script", "string_break", "stored_script",
                                                 "lookup",        "statement"};

bool is_named(std::string_view name, NameUse use) noexcept {
  const nosql::Name* row = kNames.find(name);
  return row != nullptr && row->use == use;
}

// Of mappers, as keys of documents; of the others only brackets tell: password[not].
constexpr std::array<std::string_view, 3> kBareOperators{"startswith", "endswith", "notin"};
bool is_operator(const nosql::Name& name) noexcept {
  static constexpr WordSet kOthers({"startswith", "endswith", "contains", "gt", "gte", "lt", "lte"});
  return name.use == NameUse::kMapper || kOthers.has(name.text);
}

// A name whose last word, with the one before it, is that of a secret: resetToken, new_password,
// passwordHash. Hashes of files and commits, tokens of pages and coins are none.
bool is_compound_secret(std::string_view name) {
  static constexpr WordSet kAlone(
      {"password", "passwd", "pwd", "passphrase", "secret", "otp", "totp", "salt"});
  static constexpr WordSet kTokens({"access", "refresh", "reset", "auth", "api", "session", "invite",
                                    "verification", "activation", "confirmation", "login", "id", "user"});
  static constexpr WordSet kCodes(
      {"verification", "reset", "invite", "activation", "confirmation", "auth", "backup"});
  static constexpr WordSet kHashes({"password", "pass", "pw", "passwd", "pwd"});
  std::size_t begin = name.size();
  while (begin > 0 && is_alpha(name[begin - 1]) && !is_upper(name[begin - 1])) --begin;
  if (begin > 0 && is_upper(name[begin - 1])) --begin;
  const std::string_view word = name.substr(begin);
  std::string_view before = name.substr(0, begin);
  while (before.ends_with('_') || before.ends_with('-')) before.remove_suffix(1);
  if (before.empty()) return false;
  return kAlone.has(word) || (iequals(word, "token") && kTokens.has(before)) ||
         (iequals(word, "code") && kCodes.has(before)) || (iequals(word, "hash") && kHashes.has(before));
}
bool is_secret(std::string_view name) { return is_named(name, NameUse::kSecret) || is_compound_secret(name); }

// What a mapper compares by a word alone is read of passwords and their like: token[in], is_admin[in] are
// filters.
bool is_password(std::string_view name) {
  static constexpr WordSet kNames({"password", "pass", "passwd", "pwd", "secret", "otp", "reset_token",
                                   "api_key", "apikey", "password_hash", "secret_key", "private_key"});
  return kNames.has(name) || is_compound_secret(name);
}

bool is_lookup(NameUse use) noexcept {
  return use == NameUse::kLookup || use == NameUse::kComparison || use == NameUse::kOrdering;
}

class Finder {
 public:
  Finder(std::string_view text, const FieldContext& context, EvidenceList& out) noexcept
      : text_(text), context_(context), out_(out) {}

  void run() {
    for (std::size_t at = text_.find('$'); at != std::string_view::npos; at = text_.find('$', at + 1)) {
      const std::size_t end = behind_name(text_, at + 1);
      if (const Operator* known = kOperators.find(text_.substr(at + 1, end - at - 1)))
        read_operator(at, end, *known);
    }
    if (context_.in_name) {
      lookup();
      mapper_operator();
      return;
    }
    nosql::find_where_code(text_, static_cast<std::uint8_t>(NosqlEvidence::kStringBreak),
                           static_cast<std::uint8_t>(NosqlEvidence::kStoredScript), out_);
    if (const nosql::Statement found = nosql::find_statement(text_))
      out_.add(NosqlEvidence::kStatement, found.certainty, found.begin, found.end, found.what);
  }

 private:
  char byte_at(std::size_t at) const noexcept { return at < text_.size() ? text_[at] : '\0'; }

  void read_operator(std::size_t at, std::size_t end, const Operator& known) {
    const char before = at > 0 ? text_[at - 1] : '\0';
    const std::string_view name = text_.substr(at, end - at);
    // user[$ne]: PHP, Express and Rails make {user: {$ne: …}} of it.
    if (before == '[' && byte_at(end) == ']') {
      if (context_.in_name || byte_at(skip_space(text_, end + 1)) == '=')
        out_.add(NosqlEvidence::kOperatorName,
                 is_filter(at, known) ? Certainty::kPossible : Certainty::kCertain, at - 1, end + 1, name);
    } else if (context_.in_name) {
      if (end == text_.size() && (at == 0 || before == '.')) key(at, end, known);
    } else {
      in_document(at, end, known);
    }
  }

  // filters[price][$gt]: the interface takes comparisons of its fields. Those of secrets guess at them.
  bool is_filter(std::size_t at, const Operator& known) const noexcept {
    const std::string_view path = text_.substr(0, at - 1);
    const std::size_t root = path.find('[');
    if (!context_.in_name || known.use != OperatorUse::kCompare || root == std::string_view::npos)
      return false;
    const std::string_view owner = innermost_name(path);
    return is_named(path.substr(0, root), NameUse::kFilter) && !is_secret(owner) &&
           !is_named(owner, NameUse::kLogin);
  }

  // {"pass": {"$gt": ""}}, pass.$gt
  void key(std::size_t at, std::size_t end, const Operator& known) {
    const std::string_view name = text_.substr(at, end - at);
    if (known.use == OperatorUse::kScript)
      return out_.add(NosqlEvidence::kServerScript, Certainty::kCertain, at, end, name);
    const std::string_view owner =
        at > 0 ? innermost_name(text_.substr(0, at - 1)) : innermost_name(context_.parent);
    const bool secret = is_secret(owner);
    // Who logs in gives one name: that it comes behind another in some order is true of all or of none.
    // Nor is one asked whether it is there, of which type, or what it is not.
    static constexpr WordSet kOfAny({"$exists", "$type", "$not", "$mod", "$size", "$elemmatch"});
    const bool guesses = is_named(owner, NameUse::kLogin) &&
                         (to_lower(name[1]) == 'g' || to_lower(name[1]) == 'l' || kOfAny.has(name));
    // {"selector": {"age": {"$ne": 21}}}: a query is what the interface asks for, whatever it compares.
    const bool query = is_named(context_.outermost, NameUse::kFilter);
    const bool telling = secret || (!query && (guesses || known.use == OperatorUse::kTelling));
    out_.add(NosqlEvidence::kOperatorKey, telling ? Certainty::kCertain : Certainty::kPossible, at, end,
             name);
  }

  // {"$gt": ""}, {$where: '…'}, x", "$or": [ {}, {"a":"b
  void in_document(std::size_t at, std::size_t end, const Operator& known) {
    const char quote = at > 0 && (text_[at - 1] == '"' || text_[at - 1] == '\'') ? text_[at - 1] : '\0';
    std::size_t begin = at - (quote != '\0' ? 1 : 0);
    while (begin > 0 && is_space(text_[begin - 1])) --begin;
    // $where: '…' as all of a value goes into a document of the application's.
    const bool first = begin == 0 && known.use == OperatorUse::kScript;
    if (!first && (begin == 0 || (text_[begin - 1] != '{' && text_[begin - 1] != ','))) return;
    if (quote != '\0' && byte_at(end) != quote) return;
    const std::size_t colon = skip_space(text_, end + (quote != '\0' ? 1 : 0));
    if (byte_at(colon) != ':' || (!first && quote == '\0' && declares_variable(begin - 1, colon))) return;
    const NosqlEvidence kind =
        known.use == OperatorUse::kScript ? NosqlEvidence::kServerScript : NosqlEvidence::kOperatorDocument;
    const bool query = kind == NosqlEvidence::kOperatorDocument &&
                       is_named(context_.name, NameUse::kFilter) && !is_secret(key_before(begin - 1));
    out_.add(kind, query ? Certainty::kPossible : Certainty::kCertain, first ? 0 : begin - 1, colon + 1,
             text_.substr(at, end - at));
  }

  // mutation C($post: ID!, $text: String!): variables of GraphQL (October 2021, 2.10) stand in parentheses
  // and have a type, which is a name; no operator's value is one.
  bool declares_variable(std::size_t comma, std::size_t colon) noexcept {
    if (text_[comma] != ',' || !is_type(colon + 1)) return false;
    in_parentheses_ = is_in_parentheses(comma);
    return in_parentheses_;
  }
  // [Name!]! and what goes on behind it: a default, a directive, the next one, the end
  bool is_type(std::size_t at) const noexcept {
    const auto skip = [this](std::size_t from, std::string_view signs) {
      while (from < text_.size() && (is_space(text_[from]) || signs.find(text_[from]) != signs.npos)) ++from;
      return from;
    };
    at = skip(at, "[");
    const std::size_t begin = at;
    while (at < text_.size() && (is_alnum(text_[at]) || text_[at] == '_')) ++at;
    if (at == begin || is_digit(text_[begin])) return false;
    at = skip(at, "!]");
    return at < text_.size() && std::string_view(",)=@$").find(text_[at]) != std::string_view::npos;
  }
  // The innermost bracket that is open before `at`, as far back as nobody has looked yet, is a parenthesis.
  bool is_in_parentheses(std::size_t at) noexcept {
    std::size_t closed = 0;
    const std::size_t end = std::exchange(looked_, at);
    for (; at > end; --at) {
      const char c = text_[at - 1];
      if (c == ')' || c == ']' || c == '}') ++closed;
      if (c != '(' && c != '[' && c != '{') continue;
      if (closed == 0) return c == '(';
      --closed;
    }
    return in_parentheses_ && closed == 0;
  }

  // Of the object that begins at `brace`: "pass" of "pass": {. Empty: there is none.
  std::string_view key_before(std::size_t brace) const noexcept {
    const auto is_blank_at = [&](std::size_t at) { return is_space(text_[at]); };
    std::size_t end = brace;
    while (end > 0 && is_blank_at(end - 1)) --end;
    if (end == 0 || text_[end - 1] != ':') return {};
    for (--end; end > 0 && (is_blank_at(end - 1) || text_[end - 1] == '"' || text_[end - 1] == '\'');) --end;
    std::size_t begin = end;
    while (begin > 0 && (is_alnum(text_[begin - 1]) || text_[begin - 1] == '_')) --begin;
    return text_.substr(begin, end - begin);
  }

  // user__password__startswith
  void lookup() {
    const std::size_t last = text_.rfind("__");
    if (last == std::string_view::npos || last == 0) return;
    const nosql::Name* known = kNames.find(text_.substr(last + 2));
    if (known == nullptr || !is_lookup(known->use)) return;
    // The filters of any list are none: ?since__gte=2026-01-01, ?tags__id__exact=7.
    const bool walks = text_.substr(0, last).find("__") != std::string_view::npos;
    const bool telling = known->use == NameUse::kLookup || (known->use == NameUse::kOrdering && walks);
    bool secret = false;
    for (std::string_view path = text_.substr(0, last); !path.empty() && !secret;) {
      const std::size_t before = path.rfind("__");
      secret = is_named(before == std::string_view::npos ? path : path.substr(before + 2), NameUse::kSecret);
      path = before == std::string_view::npos ? std::string_view() : path.substr(0, before);
    }
    if (!telling && !secret) return;
    out_.add(NosqlEvidence::kLookup, secret ? Certainty::kCertain : Certainty::kPossible, 0, text_.size(),
             text_.substr(last + 2));
  }

  // password[startsWith], {"password": {"startsWith": "a"}}
  void mapper_operator() {
    const std::size_t open = text_.ends_with(']') ? text_.rfind('[') : text_.npos;
    const bool bracketed = open != text_.npos && open > 0;
    const std::string_view name = bracketed ? text_.substr(open + 1, text_.size() - open - 2) : text_;
    const std::string_view owner = innermost_name(bracketed ? text_.substr(0, open) : context_.parent);
    const nosql::Name* known = kNames.find(name);
    const bool told = bracketed || std::any_of(kBareOperators.begin(), kBareOperators.end(),
                                               [name](std::string_view one) { return iequals(one, name); });
    if (known != nullptr && told && is_operator(*known) && is_password(owner))
      out_.add(NosqlEvidence::kLookup, Certainty::kCertain, 0, text_.size(), name);
  }

  std::string_view text_;
  const FieldContext& context_;
  EvidenceList& out_;
  std::size_t looked_ = 0;       // up to there brackets were looked for
  bool in_parentheses_ = false;  // what stands there
};

class NosqlMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "nosql"; }
  std::span<const std::string_view> evidence() const noexcept override { return kKinds; }
  Needs needs() const override {
    Sign operators{SignKind::kLiterals, {}};
    for (const Operator& row : kOperators.rows()) operators.parts.push_back("$" + std::string(row.text));
    Sign lookups{SignKind::kLiterals, {}};
    for (const nosql::Name& row : kNames.rows()) {
      if (is_lookup(row.use)) lookups.parts.push_back("__" + std::string(row.text));
      if (is_operator(row)) lookups.parts.push_back("[" + std::string(row.text) + "]");
    }
    lookups.parts.insert(lookups.parts.end(), kBareOperators.begin(), kBareOperators.end());
    const auto clause = [](nosql::ClauseUse use) {
      return any_word(nosql::kClauses, [use](const nosql::Clause& row) { return meets(row.use, use); });
    };
    return {{std::move(operators)},
            {std::move(lookups)},
            {any_byte("'\""), any_literal({"||", "&&"})},
            {any_byte("'\";"), any_literal({"return", "while", "sleep("})},
            {any_byte(";|&"), any_literal({"this", "return", "sleep("})},
            {any_literal({"this."}), any_literal({".match(/"})},
            {any_literal({"}while("}), any_literal({"new date("})},
            {any_literal({"db."}), any_word(nosql::kMethods)},
            {any_word({"call"}), clause(nosql::ClauseUse::kProcedures)},
            {any_word({"load"}), any_word({"csv"})},
            {any_word({"detach"}), any_word({"delete"})},
            {any_word({"match"}), any_byte("("), clause(nosql::ClauseUse::kBehindPattern)},
            {any_byte("'\""), any_literal({"//"}), clause(nosql::ClauseUse::kEnds)},
            {any_word({"config", "slaveof", "replicaof", "module", "flushall", "flushdb", "flush_all",
                       "shutdown"})},
            {any_literal({"redis.call", "redis.pcall"})},
            {any_byte("\r\n"), any_word(nosql::kCommands)},
            {any_byte("\r\n"), any_byte("*"), any_byte("$")}};
  }
  std::uint32_t units_a_token() const noexcept override { return 12; }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    Finder(text, context, out).run();
  }
};

}  // namespace

std::unique_ptr<Matcher> make_nosql_matcher() { return std::make_unique<NosqlMatcher>(); }

}  // namespace wafd::detect
