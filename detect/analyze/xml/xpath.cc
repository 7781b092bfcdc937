#include "detect/analyze/xml/xpath.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t { kNodeUnion, kPathCondition, kDocument, kAxis };

constexpr std::array kRules = {
    RuleSpec{"node-union", "Other nodes added to an XPath query", Risk::kHigh, Sensitivity::kBalanced},
    RuleSpec{"path-condition", "Condition on the document added to an XPath query", Risk::kHigh,
             Sensitivity::kBalanced},
    RuleSpec{"document", "XPath query made to read another document", Risk::kHigh, Sensitivity::kBalanced},
    RuleSpec{"axis", "Axis of XPath in a value", Risk::kLow, Sensitivity::kStrict},
};

constexpr WordSet kAxes({"child", "parent", "self", "descendant", "descendant-or-self", "ancestor",
                         "ancestor-or-self", "following", "following-sibling", "preceding",
                         "preceding-sibling", "attribute", "namespace"});
constexpr WordSet kFunctions({"count",
                              "name",
                              "local-name",
                              "namespace-uri",
                              "string-length",
                              "substring",
                              "substring-before",
                              "substring-after",
                              "contains",
                              "starts-with",
                              "ends-with",
                              "position",
                              "last",
                              "string",
                              "normalize-space",
                              "translate",
                              "text",
                              "node",
                              "number",
                              "sum",
                              "boolean",
                              "not",
                              "exists",
                              "matches",
                              "codepoints-to-string",
                              "string-to-codepoints",
                              "lower-case",
                              "upper-case",
                              "doc",
                              "doc-available",
                              "unparsed-text",
                              "document",
                              "system-property"});
constexpr WordSet kNoArgument({"name", "local-name", "position", "last", "text", "node", "string-length",
                               "namespace-uri"});
// No other language has a function of the name.
constexpr WordSet kOwn({"starts-with", "ends-with", "string-length", "normalize-space", "unparsed-text",
                        "doc-available", "system-property", "substring-before", "substring-after"});
// Further functions of XPath 2 and 3 with names of their own.
constexpr WordSet kOther({"error", "environment-variable", "available-environment-variables", "current-date",
                          "static-base-uri", "base-uri", "generate-id", "concat", "string-join", "tokenize",
                          "replace", "distinct-values", "empty", "floor", "round"});
constexpr std::size_t kMaxCallBytes = 160;  // of a call between two strings
constexpr WordSet kDocuments({"doc", "doc-available", "unparsed-text", "document"});

bool is_name(char c) noexcept { return is_alnum(c) || c == '-' || c == '_'; }

std::string_view word_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && is_name(text[end])) ++end;
  return text.substr(at, end - at);
}

// A path that only a document has: "/*", "//name", "/a/b", "../x", "@name" behind a parenthesis.
bool path_at(std::string_view text, std::size_t at) noexcept {
  const auto node = [&](std::size_t i) {
    return i < text.size() && (is_alpha(text[i]) || text[i] == '*' || text[i] == '@' || text[i] == '.');
  };
  if (at >= text.size()) return false;
  if (text.substr(at, 2) == "//") return node(at + 2);
  if (text[at] == '/') return node(at + 1);
  if (text.substr(at, 2) == "..") return true;
  if (text[at] == '@') return at + 1 < text.size() && is_alpha(text[at + 1]);
  if (text[at] == '*') return true;
  const std::string_view word = word_at(text, at);
  return !word.empty() && text.substr(at + word.size(), 2) == "::" && kAxes.has(word);
}

// A call of a function on nodes, or a path with a predicate. Returns its end, or 0.
std::size_t query_at(std::string_view text, std::size_t at) noexcept {
  const std::string_view word = word_at(text, at);
  if (iequals(word, "true") || iequals(word, "false")) {
    // true(), which in other languages is no call.
    const std::size_t end = at + word.size();
    return text.substr(end, 2) == "()" ? end + 2 : 0;
  }
  if (!word.empty() && kFunctions.has(word)) {
    std::size_t i = skip_space(text, at + word.size());
    if (i >= text.size() || text[i] != '(') return 0;
    i = skip_space(text, i + 1);
    if (kOwn.has(word) && i < text.size() && (is_alpha(text[i]) || text[i] == '\'' || text[i] == '"'))
      return i + 1;
    // Calls inside of calls: substring(name(/*[1]),1,1).
    for (std::size_t depth = 0; depth < 8; ++depth) {
      if (path_at(text, i)) return i + 1;
      const std::string_view inner = word_at(text, i);
      if (inner.empty() || !kFunctions.has(inner)) break;
      const std::size_t open = skip_space(text, i + inner.size());
      if (open >= text.size() || text[open] != '(') break;
      i = skip_space(text, open + 1);
    }
    if (i < text.size() && text[i] == ')' && kNoArgument.has(word)) {
      i = skip_space(text, i + 1);
      if (i < text.size() && (text[i] == '=' || text[i] == '>' || text[i] == '<' || text[i] == '!'))
        return i + 1;
      const std::string_view next = word_at(text, i);
      if (iequals(next, "or") || iequals(next, "and")) return i + next.size();
    }
    return 0;
  }
  // ../password='a': compared, or with a predicate; else it is a folder.
  if (text.substr(at, 3) == "../" && path_at(text, at + 2)) {
    const std::string_view node = word_at(text, at + 3);
    const std::size_t sign = skip_space(text, at + 3 + node.size());
    const bool compared =
        sign < text.size() && std::string_view("=<>![").find(text[sign]) != std::string_view::npos;
    return compared && !node.empty() ? sign + 1 : 0;
  }
  return path_at(text, at) && text.substr(at, 1) != "*" && text.substr(at, 1) != "." ? at + 1 : 0;
}

// ' or contains(name,'') or ': a call of any function of XPath between the string that was closed and the one
// that the query's own quote ends. Returns where that begins, or 0.
std::size_t query_between(std::string_view text, std::size_t at, char quote) noexcept {
  const std::string_view word = word_at(text, at);
  if ((quote != '\'' && quote != '"') || !(kFunctions.has(word) || kOther.has(word))) return 0;
  std::size_t i = skip_space(text, at + word.size());
  if (i >= text.size() || text[i] != '(') return 0;
  std::size_t depth = 0;
  const std::size_t limit = std::min(text.size(), i + kMaxCallBytes);
  for (; i < limit; ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) break;
  }
  if (i >= limit) return 0;
  i = skip_space(text, i + 1);
  const std::string_view op = word_at(text, i);
  if (!iequals(op, "or") && !iequals(op, "and")) return 0;
  i = skip_space(text, i + op.size());
  while (i < text.size() && text[i] == '(') i = skip_space(text, i + 1);
  return i < text.size() && text[i] == quote && text.find(quote, i + 1) == std::string_view::npos ? i : 0;
}

// //a[@x='b' or …: the quote ends a string that a comparison of the text's own began, in a predicate of its
// own.
bool ends_own_string(std::string_view text, std::size_t quote) noexcept {
  constexpr std::size_t kMaxBytes = 128;
  if (text[quote] != '\'' && text[quote] != '"') return false;
  if (quote > kMaxBytes) return false;
  const std::string_view before = text.substr(0, quote);
  const std::size_t open = before.rfind(text[quote]);
  if (open == std::string_view::npos || open == 0 || before[open - 1] != '=') return false;
  return before.find('[') < before.find_first_of("'\"") &&
         std::count(before.begin(), before.end(), text[quote]) % 2 == 1;
}

class XpathAnalyzer final : public Analyzer {
 public:
  XpathAnalyzer() : rules_(make_rules("m_xpath", AttackType::kXpathInjection, 1400, kRules)) {}

  std::string_view name() const noexcept override { return "xpath"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }

  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array kHints = {
        R"(\|//|\|[\x00-\x20]//|\|[\x00-\x20][\x00-\x20]+//|['"]\)?\][\x00-\x20]*\|[\x00-\x20]*/)",
        R"((['"\])]|['"\])0-9\x00-\x20][\x00-\x20])(or|and)[\x00-\x20(/@.][\x00-\x20(]*(not\([\x00-\x20]*)?(/|@|\.\.|[a-z-]+(::|[\x00-\x20]*\()))",
        R"((['"\])]|['"\])0-9\x00-\x20][\x00-\x20])(or|and)(/|@|\.\.))",
        R"(^[\x00-\x20]*[a-z-]+[\x00-\x20]*\([\x00-\x20]*/[/*a-z])",
        R"((child|parent|self|descendant|ancestor|following|preceding|sibling|attribute|namespace)::)",
        R"((doc|doc-available|unparsed-text|document)[\x00-\x20]*\([\x00-\x20]*['"](https?://|file:|ftp://))",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& /*context*/,
               std::vector<Hit>& hits) const override {
    const auto hit = [&](RuleIndex rule, std::size_t begin, std::size_t end, const char* reason) {
      for (const Hit& known : hits) {
        if (known.rule == rule) return;
      }
      hits.push_back({rule, static_cast<std::uint32_t>(begin),
                      static_cast<std::uint32_t>(std::min(end, text.size())), reason});
    };
    // string(//user[1]/name), count(/*): what tools take too that read documents.
    const std::size_t begin = skip_space(text, 0);
    const std::string_view callee = word_at(text, begin);
    if (const std::size_t open = skip_space(text, begin + callee.size());
        open < text.size() && text[open] == '(' && (kFunctions.has(callee) || kOther.has(callee)) &&
        text.substr(skip_space(text, open + 1), 1) == "/" && path_at(text, skip_space(text, open + 1)))
      hit(kAxis, begin, text.size(), "is a function of XPath on the nodes of a document");
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\'' || c == '"' || c == ']' || c == ')' || is_digit(c)) {
        std::size_t j = i + 1;
        while (j < text.size() && (text[j] == ')' || text[j] == ']')) ++j;
        j = skip_space(text, j);
        const bool spaced = j > i + 1 || !is_digit(c);
        if (j < text.size() && text[j] == '|' && text.substr(j + 1, 1) != "|") {
          // "a) | /b" is a pipe to a program; a document is asked for any depth, or with a predicate.
          const std::size_t path = skip_space(text, j + 1);
          // "'] | /*": behind a predicate that was closed any path is one.
          const bool predicate =
              text[j - 1] == ']' || text.substr(i, j - i).find(']') != std::string_view::npos;
          const bool deep =
              (text.substr(path, 2) == "//" || (predicate && c != ']' && text.substr(path, 1) == "/")) &&
              path_at(text, path);
          const std::string_view axis = word_at(text, path);
          if ((deep && c != ')') || (text.substr(path + axis.size(), 2) == "::" && kAxes.has(axis))) {
            hit(kNodeUnion, i, path + 2, "closes a predicate, then adds other nodes of the document");
          }
        }
        const std::string_view op =
            spaced && !ends_own_string(text, i) ? word_at(text, j) : std::string_view{};
        if (iequals(op, "or") || iequals(op, "and")) {
          std::size_t k = skip_space(text, j + op.size());
          while (k < text.size() && text[k] == '(') k = skip_space(text, k + 1);
          if (istarts_with(text.substr(k), "not(")) k = skip_space(text, k + 4);
          if (const std::size_t end = std::max(query_at(text, k), query_between(text, k, c)); end != 0) {
            hit(kPathCondition, i, end, "closes a value, then tests nodes of the document");
          }
        }
        // The spaces and brackets that were passed are not looked at again.
        if (j > i + 1) i = j - 1;
        continue;
      }
      if (c == ':' && text.substr(i, 2) == "::") axis(text, i, hit);
      if ((c == 'd' || c == 'D' || c == 'u' || c == 'U') && (i == 0 || !is_name(text[i - 1])))
        document(text, i, hit);
    }
  }

 private:
  template <class Hit>
  static void axis(std::string_view text, std::size_t at, const Hit& hit) {
    std::size_t begin = at;
    while (begin > 0 && is_name(text[begin - 1]) && at - begin < 24) --begin;
    if (!kAxes.has(text.substr(begin, at - begin))) return;
    const std::string_view test = word_at(text, at + 2);
    const std::size_t end = at + 2 + test.size();
    const bool node = (iequals(test, "node") || iequals(test, "text")) && text.substr(end, 2) == "()";
    const bool step =
        begin > 0 && (text[begin - 1] == '/' || text[begin - 1] == '(' || text[begin - 1] == '[');
    if (node && step)
      hit(kPathCondition, begin, end + 2, "walks the nodes of a document along an axis");
    else if (node || step)
      hit(kAxis, begin, end, "names an axis of a document");
  }

  template <class Hit>
  static void document(std::string_view text, std::size_t at, const Hit& hit) {
    const std::string_view word = word_at(text, at);
    if (!kDocuments.has(word)) return;
    const std::size_t open = skip_space(text, at + word.size());
    if (open >= text.size() || text[open] != '(') return;
    const std::size_t quote = skip_space(text, open + 1);
    if (quote >= text.size() || (text[quote] != '\'' && text[quote] != '"')) return;
    const std::string_view url = text.substr(quote + 1, 8);
    if (istarts_with(url, "http://") || istarts_with(url, "https://") || istarts_with(url, "file:") ||
        istarts_with(url, "ftp://")) {
      hit(kDocument, at, quote + 1 + url.size(), "makes an XPath query read a document from elsewhere");
    }
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_xpath_analyzer() { return std::make_unique<XpathAnalyzer>(); }

}  // namespace wafd::detect
