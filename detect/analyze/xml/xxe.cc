#include "detect/analyze/xml/xxe.h"

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
  kStylesheet,
  kPublicDtd,
  kInnerSchema,
  kForeignSchema,
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
    {"public-dtd", "Published document type definition", Risk::kLow, Sensitivity::kStrict},
    {"inner-schema", "Schema taken from a file or an inner address", Risk::kHigh, Sensitivity::kBalanced},
    {"foreign-schema", "Schema from another place than its namespace", Risk::kHigh, Sensitivity::kBalanced},
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

// Host of "http://host/…" and "https://host/…", with or without the quote before; else empty.
std::string_view web_host(std::string_view place) noexcept {
  if (is_literal(place)) place.remove_prefix(1);
  place = trim(place);
  if (istarts_with(place, "https://")) {
    place.remove_prefix(8);
  } else if (istarts_with(place, "http://")) {
    place.remove_prefix(7);
  } else {
    return {};
  }
  return place.substr(0, place.find_first_of("/:?#@'\" \\<>"));
}

// A name that anybody could look up: dotted letters, not an address, not one of a host's own.
bool public_name(std::string_view host) noexcept {
  const std::size_t dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 2 >= host.size()) return false;
  const std::string_view top = host.substr(dot + 1);
  for (const std::string_view inner :
       {"local", "internal", "localhost", "localdomain", "lan", "home", "corp"}) {
    if (iequals(top, inner)) return false;
  }
  return std::all_of(top.begin(), top.end(), is_alpha);
}

class XxeAnalyzer final : public Analyzer {
 public:
  XxeAnalyzer() : rules_(make_rules("m_xxe", AttackType::kXxe, 5600, kRules)) {}

  std::string_view name() const noexcept override { return "xxe"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 3> kHints = {
        R"(<!(entity|doctype))", R"(xinclude|xi:include|schemalocation)",
        R"(XSL/Transform|xsl:|^[\x00-\x20]*(http://php\.net/xsl|http://xml\.apache\.org/(xalan|xslt)|urn:schemas-microsoft-com:xslt))"};
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
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
        const std::string_view formal = is_public ? words.next() : std::string_view();
        const std::string_view place = words.next();
        if (root.empty() || !(system || is_public) || !is_literal(place) ||
            place.find("//") == std::string_view::npos)
          continue;
        // <!DOCTYPE html PUBLIC "-//W3C//DTD…" is every old page.
        const std::string_view host = web_host(place);
        if (iequals(host, "www.w3.org") || iequals(host, "java.sun.com")) continue;
        const bool published =
            formal.find("//") != std::string_view::npos && public_name(host) && words.next() != "[";
        if (published) {
          add(kPublicDtd, at, "The document names a published type definition, which a reader may fetch.");
        } else {
          add(kForeignDtd, at, "The document type definition is fetched from an address in the document.");
        }
      }
    }
    if (nesting >= 2) add(kFlood, 0, "Entities that consist of other entities, which expand to any size.");
    const std::size_t include = ifind(text, "http://www.w3.org/2001/xinclude");
    const std::size_t element = ifind(text, "<xi:include");
    // In a document that was read, a namespace is the value of an attribute.
    if (!context.in_name && istarts_with(context.name, "xmlns")) {
      if (iequals(trim(text), "http://www.w3.org/2001/xinclude"))
        add(kInclude, 0, "XInclude makes the reader fetch what it names.");
      if (calls_code(trim(text)))
        add(kStylesheet, 0, "The namespace of functions by which a stylesheet calls code.");
    }
    if (include != std::string_view::npos && text.find('<') != std::string_view::npos) {
      add(kInclude, include, "XInclude makes the reader fetch what it names.");
    } else if (element != std::string_view::npos) {
      add(kInclude, element, "XInclude makes the reader fetch what it names.");
    }
    read_stylesheet(text, add);
    read_schemas(text, add);
    const std::size_t schema = ifind(text, "schemalocation");
    if (schema != std::string_view::npos &&
        ifind(text.substr(schema, 1024), "http") != std::string_view::npos) {
      add(kSchema, schema, "A schema is fetched from an address in the document.");
      if (foreign_schema(text.substr(schema, 1024)))
        add(kForeignSchema, schema,
            "The schema of a namespace is fetched from an address that has nothing to do with it.");
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

  // Namespaces of such functions.
  static bool calls_code(std::string_view name) noexcept {
    for (const std::string_view known : {"http://php.net/xsl", "http://xml.apache.org/xalan",
                                         "http://xml.apache.org/xslt", "urn:schemas-microsoft-com:xslt"}) {
      if (istarts_with(name, known)) return true;
    }
    return false;
  }

  // How often the entity's value refers to the entity that it refers to first.
  static std::size_t repeated(std::string_view literal) noexcept {
    const std::size_t first = literal.find('&');
    if (first == std::string_view::npos || first + 1 >= literal.size() || literal[first + 1] == '#') return 0;
    const std::size_t end = literal.find(';', first);
    if (end == std::string_view::npos || end - first > 64) return 0;
    const std::string_view reference = literal.substr(first, end + 1 - first);
    std::size_t count = 0;
    for (std::size_t at = first; at != std::string_view::npos; at = literal.find(reference, at + 1)) ++count;
    return count;
  }

  // XML Schema 1.0, 4.2: import, include and redefine fetch what schemaLocation names.
  template <class Add>
  static void read_schemas(std::string_view text, const Add& add) {
    std::size_t looked = 0;
    for (std::size_t at = text.find('<'); at != std::string_view::npos && looked < 256;
         at = text.find('<', at + 1), ++looked) {
      const std::string_view tag = text.substr(at + 1, 512);
      std::size_t name = 0;
      while (name < tag.size() && is_alnum(tag[name])) ++name;
      name = name < tag.size() && tag[name] == ':' ? name + 1 : 0;
      const std::string_view local = tag.substr(name);
      if (!istarts_with(local, "import") && !istarts_with(local, "include") &&
          !istarts_with(local, "redefine"))
        continue;
      const std::size_t attribute = ifind(tag.substr(0, tag.find('>')), "schemalocation");
      if (attribute == std::string_view::npos) continue;
      const std::string_view value = tag.substr(attribute + 14, 256);
      const std::size_t quote = value.find_first_of("'\"");
      if (quote == std::string_view::npos || trim(value.substr(0, quote)) != "=") continue;
      const std::string_view place = value.substr(quote);
      const std::size_t slashes = place.find("//");
      if (slashes > place.find(place[0], 1) || public_name(web_host(place))) continue;
      add(kInnerSchema, at, "A schema is taken from a file or from an address inside of a network.");
      return;
    }
  }

  // xsi:schemaLocation="namespace address namespace address": who defines a namespace publishes its schema.
  // At www.w3.org and purl.org stand names of many.
  static bool foreign_schema(std::string_view attribute) noexcept {
    const std::size_t quote = attribute.find_first_of("'\"");
    if (quote == std::string_view::npos) return false;
    std::string_view pairs = attribute.substr(quote + 1);
    pairs = pairs.substr(0, pairs.find(attribute[quote]));
    const auto next = [&pairs] {
      const std::size_t begin = std::min(pairs.find_first_not_of(" \t\r\n"), pairs.size());
      const std::size_t end = std::min(pairs.find_first_of(" \t\r\n", begin), pairs.size());
      const std::string_view word = pairs.substr(begin, end - begin);
      pairs.remove_prefix(end);
      return word;
    };
    for (std::string_view space = next(); !space.empty(); space = next()) {
      const std::string_view own = web_host(space);
      const std::string_view other = web_host(next());
      if (own.empty() || other.empty() || iequals(own, "www.w3.org") || iequals(own, "purl.org")) continue;
      if (!iequals(domain_of(own), domain_of(other))) return true;
    }
    return false;
  }

  // "example.org" of "www.example.org".
  static std::string_view domain_of(std::string_view host) noexcept {
    const std::size_t last = host.rfind('.');
    if (last == std::string_view::npos || last == 0) return host;
    const std::size_t dot = host.rfind('.', last - 1);
    return dot == std::string_view::npos ? host : host.substr(dot + 1);
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
    const std::size_t repeats = repeated(kind);
    // One that repeats another many times is enough.
    if (repeats > 1) nesting += repeats >= kManyRepeats ? 2 : 1;
    add(kEntity, at, "The document declares an entity of its own.");
  }

  static constexpr std::size_t kManyRepeats = 5;

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_xxe_analyzer() { return std::make_unique<XxeAnalyzer>(); }

}  // namespace wafd::detect
