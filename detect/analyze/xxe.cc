#include "detect/analyze/xxe.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kExternal,
  kParameter,
  kFlood,
  kForeignDtd,
  kInclude,
  kSchema,
  kEntity,
  kStylesheet
};

constexpr RuleSpec kRules[] = {
    {"external", "External XML entity", Risk::kHigh, Sensitivity::kLow},
    {"parameter", "XML parameter entity", Risk::kHigh, Sensitivity::kLow},
    {"flood", "XML entities that expand each other", Risk::kHigh, Sensitivity::kLow},
    {"foreign-dtd", "Document type definition from elsewhere", Risk::kHigh, Sensitivity::kBalanced},
    {"include", "XInclude", Risk::kHigh, Sensitivity::kBalanced},
    {"schema", "Schema from elsewhere", Risk::kMedium, Sensitivity::kStrict},
    {"entity", "XML entity declaration", Risk::kLow, Sensitivity::kStrict},
    {"stylesheet", "XSLT that reads documents or runs code", Risk::kHigh, Sensitivity::kBalanced},
};

// Words of a declaration (XML 1.0, 2.8 and 4.2): names, quoted literals, '[' and '%'.
class Words {
 public:
  Words(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  // Next word, or empty at '>' or the end.
  std::string_view next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ >= text_.size() || text_[at_] == '>') return {};
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      const std::size_t close = std::min(text_.find(c, at_ + 1), std::min(text_.size(), at_ + kMaxLiteral));
      at_ = std::min(close + 1, text_.size());
      return text_.substr(begin, at_ - begin);
    }
    if (c == '[' || c == '%') return text_.substr(at_++, 1);
    while (at_ < text_.size() && !is_space(text_[at_]) &&
           std::string_view("[]<>\"'%").find(text_[at_]) == std::string_view::npos)
      ++at_;
    if (at_ == begin) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  static constexpr std::size_t kMaxLiteral = 2048;
  std::string_view text_;
  std::size_t at_;
};

bool is_literal(std::string_view word) noexcept {
  return !word.empty() && (word[0] == '"' || word[0] == '\'');
}

class XxeAnalyzer final : public Analyzer {
 public:
  XxeAnalyzer() : rules_(make_rules("m_xxe", AttackType::kXxe, 5600, kRules)) {}

  std::string_view name() const noexcept override { return "xxe"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 3> kHints = {
        R"(<!(entity|doctype))", R"(xinclude|xi:include|schemalocation)", R"(XSL/Transform|xsl:)"};
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext&, std::vector<Hit>& hits) const override {
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const auto add = [&](std::uint16_t rule, std::size_t begin, const char* reason) {
      if (found[rule]) return;
      const std::size_t end = std::min(text.find('>', begin), text.size() - 1) + 1;
      found[rule] = Hit{rule, static_cast<std::uint32_t>(begin),
                        static_cast<std::uint32_t>(std::max(begin, end)), reason};
    };
    std::size_t nesting = 0;
    std::size_t looked = 0;
    for (std::size_t at = text.find("<!"); at != std::string_view::npos && looked < 1024;
         at = text.find("<!", at + 2), ++looked) {
      const std::string_view rest = text.substr(at + 2);
      if (istarts_with(rest, "entity")) {
        read_entity(text, at, nesting, add);
      } else if (istarts_with(rest, "doctype")) {
        Words words(text, at + 9);
        const std::string_view root = words.next();
        const std::string_view kind = words.next();
        const bool system = iequals(kind, "system");
        const bool is_public = iequals(kind, "public");
        if (is_public) words.next();
        const std::string_view place = words.next();
        // <!DOCTYPE html PUBLIC "-//W3C//DTD…" is every old page.
        if ((system || is_public) && is_literal(place) && !iequals(root, "html") && !iequals(root, "svg") &&
            place.find("//") != std::string_view::npos &&
            place.find("www.w3.org") == std::string_view::npos &&
            place.find("java.sun.com") == std::string_view::npos) {
          add(kForeignDtd, at, "The document type definition is fetched from an address in the document.");
        }
      }
    }
    if (nesting >= 3) add(kFlood, 0, "Entities that consist of other entities, which expand to any size.");
    const std::size_t include = ifind(text, "http://www.w3.org/2001/xinclude");
    const std::size_t element = ifind(text, "<xi:include");
    if (include != std::string_view::npos && text.find('<') != std::string_view::npos) {
      add(kInclude, include, "XInclude makes the reader fetch what it names.");
    } else if (element != std::string_view::npos) {
      add(kInclude, element, "XInclude makes the reader fetch what it names.");
    }
    read_stylesheet(text, add);
    const std::size_t schema = ifind(text, "schemalocation");
    if (schema != std::string_view::npos &&
        ifind(text.substr(schema, 1024), "http") != std::string_view::npos) {
      add(kSchema, schema, "A schema is fetched from an address in the document.");
    }
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  // XSLT 1.0 and 2.0 (document(), unparsed-text()), and the extensions of libxslt's callers, Xalan and MSXML
  // that call code.
  template <class Add>
  static void read_stylesheet(std::string_view text, const Add& add) {
    const bool stylesheet = ifind(text, "XSL/Transform") != std::string_view::npos ||
                            ifind(text, "<xsl:") != std::string_view::npos;
    if (!stylesheet) return;
    for (const std::string_view sign :
         {"http://php.net/xsl", "php:function", "xml.apache.org/xalan", "xml.apache.org/xslt/java",
          "xalan://", "urn:schemas-microsoft-com:xslt", "msxsl:script", "document(", "unparsed-text(",
          "http://saxon.sf.net/java-type", "xsl:result-document", "exsl:document"}) {
      const std::size_t at = ifind(text, sign);
      if (at == std::string_view::npos) continue;
      add(kStylesheet, at, "A stylesheet that reads other documents or calls code while it is applied.");
      return;
    }
  }

  template <class Add>
  static void read_entity(std::string_view text, std::size_t at, std::size_t& nesting, const Add& add) {
    Words words(text, at + 8);
    std::string_view word = words.next();
    // "&#x25;" is '%' inside of an entity's value.
    const bool parameter = word == "%" || istarts_with(word, "&#x25;") || istarts_with(word, "&#37;") ||
                           istarts_with(word, "&#x26;");
    if (parameter) word = words.next();
    std::string_view kind = words.next();
    if (iequals(kind, "system") || iequals(kind, "public")) {
      add(kExternal, at, "An XML entity is read from a file or an address.");
      return;
    }
    if (parameter) {
      add(kParameter, at, "An XML parameter entity, which builds declarations while the document is read.");
      return;
    }
    if (!is_literal(kind)) return;
    const std::size_t ampersand = kind.find('&');
    if (ampersand != std::string_view::npos && ampersand + 1 < kind.size() && kind[ampersand + 1] != '#' &&
        kind.find('&', ampersand + 1) != std::string_view::npos) {
      ++nesting;
    }
    add(kEntity, at, "The document declares an entity of its own.");
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_xxe_analyzer() { return std::make_unique<XxeAnalyzer>(); }

}  // namespace wafd::detect
