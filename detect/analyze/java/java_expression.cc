#include "detect/analyze/java/java_expression.h"

#include "detect/analyze/java/java_names.h"
#include "detect/analyze/java/java_rules.h"

namespace wafd::detect {
namespace {

constexpr RuleSpec kRules[] = {
    {"jndi", "JNDI lookup", Risk::kHigh, Sensitivity::kLow},
    {"lookup", "Nested lookup, or one that reads the server's environment", Risk::kHigh,
     Sensitivity::kBalanced},
    {"code-lookup", "Lookup that runs a script or fetches", Risk::kHigh, Sensitivity::kBalanced},
    {"runner", "Java code that runs a command or script", Risk::kHigh, Sensitivity::kBalanced},
    {"ognl", "OGNL expression", Risk::kHigh, Sensitivity::kLow},
    {"spel", "Spring expression that names a type", Risk::kHigh, Sensitivity::kLow},
    {"reflection", "Java reflection on the way to other classes", Risk::kHigh, Sensitivity::kBalanced},
    {"class-name", "Java class that attacks use, as a value", Risk::kMedium, Sensitivity::kBalanced},
    {"gadget-name", "Java class of a deserialisation chain", Risk::kHigh, Sensitivity::kBalanced},
    {"call-in-expression", "Method call inside an expression", Risk::kLow, Sensitivity::kStrict},
    {"class-binding", "Parameter that sets properties of a class loader", Risk::kHigh, Sensitivity::kLow},
    {"any-class", "Java class as a value", Risk::kLow, Sensitivity::kStrict},
    {"hidden-gadget", "Java class of an attack inside of base64", Risk::kHigh, Sensitivity::kBalanced},
    {"shown-code", "Java in a document about programs", Risk::kLow, Sensitivity::kStrict},
};
static_assert(std::size(kRules) == kJavaRuleCount);

// A shorter name that is known announces it too.
bool inside_of_known(std::string_view dotted) {
  for (std::size_t dot = dotted.rfind('.'); dot != std::string_view::npos; dot = dotted.rfind('.', dot - 1)) {
    const std::string_view package = dotted.substr(0, dot);
    if (java_package(package, word_hash(package)) != JavaPackage::kNone) return true;
  }
  return false;
}

class JavaExpressionAnalyzer final : public Analyzer {
 public:
  JavaExpressionAnalyzer() : rules_(make_rules("m_java", AttackType::kExpressionInjection, 5200, kRules)) {
    texts_ = {
        R"([$#%*@]\{)",
        R"(@[a-z_][a-z0-9_$]*\.[a-z0-9_.$]+@[a-z_])",
        R"(\(#[a-z_])",
        R"([({,=!&|]#(context|parameters|attr|request|session|application|root|this|vars|container|stack|action|valuestack|dm)\.)",
        R"(#(context|parameters|attr|request|session|application|root|this|vars|container|stack|action|valuestack|dm)\[['"])",
        R"((^|[^a-z0-9_.$])T\s*\(\s*([a-z_][a-z0-9_$]*\.|runtime|system|class|thread|processbuilder))",
        R"(@gra(b|pes)\(|jenkins\.(instance\.|get|[a-z0-9_.$]+\())",
        R"((^|[^a-z0-9_])javax?\.[a-z])",
        R"(^\s*[a-z0-9+/_-]?[a-z0-9+/_-]?(cnVudGltZ|UnVudGltZ|J1bnRpbW|[yS]dW50aW1l)[a-z0-9]?[a-z0-9]?=*\s*$)",
        R"(class[.\['"\]]{1,8}(classloader|module|protectiondomain))",
    };
    for (const KindOfWord<JavaPackage>& package : java_packages()) {
      if (package.word.starts_with("java") || inside_of_known(package.word)) continue;
      std::string hint;
      for (const char c : package.word) hint += c == '.' ? "\\." : std::string(1, c);
      if (package.word.find('.') == std::string_view::npos) hint = "(^|[^a-z0-9_])" + hint + "\\.[a-z]";
      texts_.push_back(std::move(hint));
    }
    for (std::string& literal : java_base64_literals()) texts_.push_back(std::move(literal));
    for (const std::string& text : texts_) hints_.push_back(text.c_str());
    for (const KindOfWord<JavaWord>& word : java_words()) {
      // "class" and "module" are ordinary words; "class.x" has a hint of its own.
      if (word.kind == JavaWord::kLoader && word.word == "module") continue;
      if (word.kind == JavaWord::kClass) continue;
      std::string& lower = lower_.emplace_back(word.word);
      for (char& c : lower) c = to_lower(c);
    }
    for (const std::string& word : lower_) words_.push_back(word);
  }

  std::string_view name() const noexcept override { return "java"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override { return hints_; }
  std::span<const std::string_view> hint_words() const noexcept override { return words_; }
  std::uint32_t reads_places() const noexcept override { return ~place_bit(Location::kFile, false); }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location == Location::kFile && !context.in_name) return;
    FirstHits found(text.size(), hits);
    Writing writing(text, context);
    // Lookups are done wherever a text is logged.
    found.weigh(writing, kJavaShownCode, 1u << kJavaRunner,
                1u << kJavaJndi | 1u << kJavaLookup | 1u << kJavaCodeLookup);
    read_java_lookups(text, context, found);
    read_java_references(text, context, found);
    read_java_braces(text, found);
    read_java_base64(text, found);
  }

 private:
  std::vector<Rule> rules_;
  std::vector<std::string> texts_;
  std::vector<const char*> hints_;
  std::vector<std::string> lower_;
  std::vector<std::string_view> words_;
};

}  // namespace

std::unique_ptr<Analyzer> make_java_expression_analyzer() {
  return std::make_unique<JavaExpressionAnalyzer>();
}

}  // namespace wafd::detect
