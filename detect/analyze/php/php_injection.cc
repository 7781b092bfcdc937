#include "detect/analyze/php/php_injection.h"

#include <string>

#include "detect/analyze/php/php_names.h"
#include "detect/analyze/php/php_rules.h"

namespace wafd::detect {
namespace {

constexpr RuleSpec kRules[] = {
    {"open-tag", "PHP open tag", Risk::kHigh, Sensitivity::kLow},
    {"short-tag", "Short PHP open tag with code", Risk::kHigh, Sensitivity::kBalanced},
    {"request-variable", "PHP reading a request variable", Risk::kHigh, Sensitivity::kLow},
    {"request-name", "Name of a PHP request variable", Risk::kMedium, Sensitivity::kBalanced},
    {"nested", "PHP that decodes and runs", Risk::kHigh, Sensitivity::kLow},
    {"call", "Call of a PHP function", Risk::kHigh, Sensitivity::kBalanced},
    {"call-text", "Text that reads as a PHP call", Risk::kLow, Sensitivity::kStrict},
    {"string-call", "PHP call through a string", Risk::kHigh, Sensitivity::kBalanced},
    {"variable-call", "PHP call through a variable", Risk::kHigh, Sensitivity::kBalanced},
    {"variable-text", "Text that reads as a PHP variable expression", Risk::kLow, Sensitivity::kStrict},
    {"directive", "PHP configuration directive", Risk::kHigh, Sensitivity::kBalanced},
    {"file-code", "PHP code in an uploaded file", Risk::kHigh, Sensitivity::kLow},
    {"directive-text", "Setting that PHP has too", Risk::kLow, Sensitivity::kStrict},
    {"shown-code", "PHP in a document about programs", Risk::kLow, Sensitivity::kStrict},
};
static_assert(std::size(kRules) == kPhpRuleCount);

// A value that sets one of these.
std::string any_start(std::span<const std::string_view> words) {
  std::string out = "^[ \\t\\x00]*(";
  for (const std::string_view word : words) {
    if (out.back() != '(') out += '|';
    for (const char c : word) out += c == '.' ? "\\." : std::string(1, c);
    if (word.back() == '.') out += "[a-z0-9_]+";
  }
  return out + ")[ \\t\\x00]*=";
}

class PhpInjectionAnalyzer final : public Analyzer {
 public:
  PhpInjectionAnalyzer() : rules_(make_rules("m_php", AttackType::kCodeInjection, 5000, kRules)) {
    // A comment or a line end before the "(" of a call has a hint of its own.
    const std::string open = R"([ \t\v\f\x00]*\()";
    texts_ = {
        R"(<\?|[\[{]/?php[\]}]|<script language=['"]?php)",
        R"(\*/[\s\x00]*[({])",
        R"([\r\n][\s\x00]*\()",
        R"(['")}\]][\s\x00]*\()",
        R"(\$[\s\x00]*\{)",
        R"(\$(_(get|post|request|cookie|server|files|env|session)|globals|http_))",
        R"(\$[a-z_\x80-\xff][a-z0-9_\x80-\xff]*[\s\x00]*[(\[{])",
        R"((include|require)(_once)?([\s\x00(@]*\$|[\s\x00(@]*(/[/*]|#)))",
        // A value that is a call of anything, a runner's call anywhere, a call of a name with '_'.
        // Spaces without line ends: those have a hint of their own, and values are scanned one behind
        // another.
        R"(^([\s\x00@\\]|/\*[^*]*\*/)*[a-z_][a-z0-9_]{1,63}[ \t\v\f\x00]*\()",
        R"((system|exec|passthru|popen|eval|assert|usort|uksort|uasort|include|require|unlink|chmod|die|chr|dl|print|printf|md5))" +
            open,
        R"(_[a-z0-9_\\\x80-\xff]{1,63})" + open,
        any_start(php_shared_directives()),
        R"(cgi\.[a-z0-9_]+[\s\x00]*=)",
        R"(-d[\s\x00]*[a-z0-9_.]+[\s\x00]*=)",
    };
    for (const std::string& text : texts_) hints_.push_back(text.c_str());
    for (const std::string_view word : php_own_names()) {
      if (word.find('_') == std::string_view::npos) words_.push_back(word);
    }
    words_.insert(words_.end(), php_class_names().begin(), php_class_names().end());
    for (const std::string_view word : php_directive_names()) {
      if (php_directive(word) == 2) words_.push_back(word);
    }
    for (const std::string_view word : php_directive_sections()) {
      // Paths have "cgi", which its own hint knows by the dot.
      if (word != "cgi" && php_directive(std::string(word) + ".x") == 2) words_.push_back(word);
    }
  }

  std::string_view name() const noexcept override { return "php"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  bool reads_binary() const noexcept override { return true; }
  std::span<const char* const> hints() const noexcept override { return hints_; }
  std::span<const std::string_view> hint_words() const noexcept override { return words_; }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    FirstHits found(text.size(), hits);
    Writing writing(text, context);
    // What such a program runs of what it is sent is looked at all the same.
    found.weigh(writing, kPhpShownCode,
                1u << kPhpOpenTag | 1u << kPhpShortTag | 1u << kPhpRequestVariable | 1u << kPhpRequestName |
                    1u << kPhpCall);
    read_php_tags(text, context, found);
    if ((context.location != Location::kFile || context.in_name) && text.size() <= kMaxCodeBytes)
      read_php_code(text, context, found);
  }

 private:
  // Injected expressions are short; longer texts are judged by their tags.
  static constexpr std::size_t kMaxCodeBytes = 16u << 10;

  std::vector<Rule> rules_;
  std::vector<std::string> texts_;
  std::vector<const char*> hints_;
  std::vector<std::string_view> words_;
};

}  // namespace

std::unique_ptr<Analyzer> make_php_injection_analyzer() { return std::make_unique<PhpInjectionAnalyzer>(); }

}  // namespace wafd::detect
