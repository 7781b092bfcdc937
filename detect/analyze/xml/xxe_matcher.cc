#include "detect/analyze/xml/xxe_matcher.h"

#include <algorithm>
#include <array>

#include "detect/analyze/xml/dtd_lexer.h"
#include "detect/analyze/xml/stylesheet_signs.tsv.h"
#include "detect/analyze/xml/web_place.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

using xml::DtdLexer;
using xml::SignUse;
using xml::StylesheetSign;

enum class XxeEvidence : std::uint8_t {
  kExternal,
  kParameter,
  kFlood,
  kEntity,
  kForeignDtd,
  kPublicDtd,
  kInclude,
  kStylesheet,
  kInnerSchema,
  kForeignSchema,
  kSchema,
  kHiddenEntity,
  kElementBreak,
  kRawTextEnd
};
constexpr std::array<std::string_view, 14> kNames{
    "external_entity", "parameter_entity", "entity_flood",  "entity",       "foreign_dtd",
    "public_dtd",      "include",          "stylesheet",    "inner_schema", "foreign_schema",
    "schema",          "hidden_entity",    "element_break", "raw_text_end"};

constexpr std::string_view kXinclude = "http://www.w3.org/2001/xinclude";
constexpr WordSet kSchemaElements({"import", "include", "redefine",
                                   "override"});  // XML Schema 1.1 section 4.2
constexpr std::size_t kMaxTagBytes = 1024;
constexpr std::size_t kMaxValueBytes = 64;  // before the end of the element that it stands in
constexpr std::size_t kManyReferences = 5;  // of one entity to another
constexpr std::size_t kLongEntityBytes = 256;
constexpr std::size_t kFloodFactor = 8;  // as the limit of what the entities of a document expand to
// Where readers of images and of documents take schemes that reach files and programs: ImageMagick ("Security
// policy"), PHP ("Supported protocols and wrappers").
constexpr WordSet kLocalSchemes({"file", "expect", "text", "msl", "ephemeral", "mvg", "php", "phar", "jar",
                                 "netdoc"});
// Elements of SVG 1.1 that take in what they refer to.
constexpr WordSet kTakingElements({"image", "feimage", "use", "tref", "pattern", "filter", "cursor", "script",
                                   "include", "import", "stylesheet"});

bool is_xml_name_byte(char c) noexcept { return is_alnum(c) || c == '-' || c == '_' || c == '.'; }

class Finder {
 public:
  Finder(std::string_view text, const FieldContext& context, EvidenceList& out) noexcept
      : text_(text), context_(context), out_(out) {}

  void run() {
    for (std::size_t at = text_.find('<'); at != std::string_view::npos; at = text_.find('<', at)) {
      const std::string_view rest = text_.substr(at, 9);
      if (istarts_with(rest, "<!entity")) {
        at = entity(at);
      } else if (istarts_with(rest, "<!doctype")) {
        at = document_type(at);
      } else {
        at = tag(at);
      }
    }
    if (repeating_ >= 2 || repeats_long_entity())
      out_.add(XxeEvidence::kFlood, Certainty::kCertain, 0, text_.size());
    if (!context_.in_name && istarts_with(context_.name, "xmlns")) namespace_value(trim(text_));
    inclusion();
    stylesheet();
    element_break();
  }

 private:
  void add(XxeEvidence kind, Certainty certainty, std::size_t begin, std::size_t end,
           std::string_view detail = {}) {
    out_.add(kind, certainty, begin, std::min(end, text_.size()), detail);
  }

  // <!ENTITY % a SYSTEM "b">; "&#x25;" is % inside of an entity's value.
  std::size_t entity(std::size_t at) {
    DtdLexer lexer(text_, at + 8);
    std::string_view word = lexer.next();
    const bool parameter = word == "%" || istarts_with(word, "&#x25;") || istarts_with(word, "&#37;") ||
                           istarts_with(word, "&#x26;");
    if (parameter) word = lexer.next();
    const std::string_view value = lexer.next();
    if (iequals(value, "system") || iequals(value, "public")) {
      add(XxeEvidence::kExternal, Certainty::kCertain, at, lexer.at(), word);
    } else if (parameter) {
      add(XxeEvidence::kParameter, Certainty::kCertain, at, lexer.at(), word);
    } else if (xml::is_literal(value)) {
      const std::size_t references = repeated_references(value);
      // One that repeats another many times is enough.
      if (references > 1) repeating_ += references >= kManyReferences ? 2 : 1;
      if (value.size() > longest_.size()) {
        longest_ = value;
        longest_name_ = word;
      }
      add(hides_letters(value) ? XxeEvidence::kHiddenEntity : XxeEvidence::kEntity, Certainty::kCertain, at,
          lexer.at(), word);
    }
    // A literal that nothing closes may hold the next declaration.
    return xml::is_literal(value) && value.find('<') != std::string_view::npos ? at + 8
                                                                               : std::max(at + 8, lexer.at());
  }

  // "PWN&#69;D": references to letters and digits, which XML 1.0 4.4.5 puts in at once, stand for themselves.
  static bool hides_letters(std::string_view literal) noexcept {
    for (std::size_t at = literal.find("&#"); at != std::string_view::npos; at = literal.find("&#", at + 2)) {
      const bool hex = at + 2 < literal.size() && literal[at + 2] == 'x';
      const std::size_t end = std::min(literal.find(';', at), literal.size());
      const std::size_t begin = std::min(at + (hex ? 3 : 2), end);
      const std::string_view digits = literal.substr(begin, end - begin);
      constexpr std::size_t kMaxDigits = 6;
      if (digits.size() > kMaxDigits) continue;
      int code = 0;
      for (const char c : digits) code = code * (hex ? 16 : 10) + std::max(hex_value(c), 0);
      if (code < 0x80 && is_alnum(static_cast<char>(code))) return true;
    }
    return false;
  }

  // A long entity that the document refers to again and again: what comes out is many times what was sent.
  bool repeats_long_entity() const {
    if (longest_.size() < kLongEntityBytes || longest_name_.empty() || longest_name_.size() > 64)
      return false;
    std::size_t count = 0;
    for (std::size_t at = text_.find('&'); at != std::string_view::npos; at = text_.find('&', at + 1)) {
      const std::string_view rest = text_.substr(at + 1, longest_name_.size() + 1);
      count += rest.size() > longest_name_.size() && rest.starts_with(longest_name_) && rest.back() == ';';
    }
    return count * longest_.size() > kFloodFactor * text_.size();
  }

  // How often the value refers to the entity that it refers to first.
  static std::size_t repeated_references(std::string_view literal) noexcept {
    constexpr std::size_t kMaxNameBytes = 64;
    const std::size_t first = literal.find('&');
    if (first == std::string_view::npos || first + 1 >= literal.size() || literal[first + 1] == '#') return 0;
    const std::size_t end = literal.find(';', first);
    if (end == std::string_view::npos || end - first > kMaxNameBytes) return 0;
    const std::string_view reference = literal.substr(first, end + 1 - first);
    std::size_t count = 0;
    for (std::size_t at = first; at != std::string_view::npos; at = literal.find(reference, at + 1)) ++count;
    return count;
  }

  // <!DOCTYPE html PUBLIC "-//W3C//DTD…" "http://www.w3.org/…"> is every old page.
  std::size_t document_type(std::size_t at) {
    DtdLexer lexer(text_, at + 9);
    const std::string_view root = lexer.next();
    const std::string_view kind = lexer.next();
    const bool is_public = iequals(kind, "public");
    if (root.empty() || !(is_public || iequals(kind, "system"))) return at + 9;
    const std::string_view formal = is_public ? lexer.next() : std::string_view();
    const std::string_view place = xml::literal_text(lexer.next());
    const std::size_t end = lexer.at();
    const std::string_view host = xml::web_host(place);
    // html5: about:legacy-compat
    if (place.empty() || iequals(place, "about:legacy-compat") || iequals(xml::domain_of(host), "w3.org") ||
        iequals(host, "java.sun.com"))
      return at + 9;
    if (place.find("//") == std::string_view::npos) {
      // A file of the reader: below its root, or beside what it reads.
      const bool away = place[0] == '/' || place[0] == '\\' || place.find("..") != std::string_view::npos ||
                        place.find(':') != std::string_view::npos;
      if (away) add(XxeEvidence::kForeignDtd, Certainty::kCertain, at, end, place);
      return at + 9;
    }
    // Who is named in the formal identifier publishes the definition (ISO 8879).
    const bool foreign = ifind(formal, "//w3c//") != std::string_view::npos;
    const bool published = !foreign && formal.find("//") != std::string_view::npos &&
                           xml::is_public_name(host) && lexer.next() != "[";
    add(published ? XxeEvidence::kPublicDtd : XxeEvidence::kForeignDtd, Certainty::kCertain, at, end, place);
    return at + 9;
  }

  // An element's beginning, for where schemas are.
  std::size_t tag(std::size_t at) {
    std::size_t i = at + 1;
    const bool instruction = i < text_.size() && text_[i] == '?';  // <?xml-stylesheet href=…?>
    if (instruction) ++i;
    const auto name = [&] {
      const std::size_t begin = i;
      while (i < text_.size() && is_xml_name_byte(text_[i])) ++i;
      return text_.substr(begin, i - begin);
    };
    std::string_view local = name();
    if (local.empty()) return at + 1;
    if (i < text_.size() && text_[i] == ':') {
      ++i;
      local = name();
    }
    const std::size_t end = tag_end(i);
    const std::string_view attributes = text_.substr(i, end - i);
    const std::size_t schema = ifind(attributes, "schemalocation");
    if (schema != std::string_view::npos) schema_place(at, end, local, attributes.substr(schema + 14));
    if (instruction ? iequals(local, "xml-stylesheet") : kTakingElements.has(local))
      reference(at, end, attributes);
    return std::max(end, at + 1);
  }

  // <image xlink:href="file:///a">: what the reader fetches by itself lies where only the server reaches.
  void reference(std::size_t begin, std::size_t end, std::string_view attributes) {
    const std::size_t at = ifind(attributes, "href");
    if (at == std::string_view::npos) return;
    const std::string_view value = attribute_value(attributes.substr(at + 4));
    const std::size_t colon = value.find(':');
    if (colon != std::string_view::npos && kLocalSchemes.has(value.substr(0, colon)))
      add(XxeEvidence::kInclude, Certainty::kCertain, begin, end, value);
  }
  // Of what begins behind an attribute's name.
  static std::string_view attribute_value(std::string_view rest) noexcept {
    const std::size_t quote = rest.find_first_of("'\"");
    if (quote == std::string_view::npos || trim(rest.substr(0, quote)) != "=") return {};
    const std::string_view value = rest.substr(quote + 1);
    return trim(value.substr(0, value.find(rest[quote])));
  }

  // A quote that nothing closes ends no tag; so does one that is too long.
  std::size_t tag_end(std::size_t at) const noexcept {
    const std::size_t limit = std::min(text_.size(), at + kMaxTagBytes);
    while (at < limit && text_[at] != '>' && text_[at] != '<') ++at;
    return at;
  }

  void schema_place(std::size_t begin, std::size_t end, std::string_view element, std::string_view rest) {
    const std::string_view value = attribute_value(rest);
    if (value.empty()) return;
    if (kSchemaElements.has(element)) {
      const bool elsewhere = value.find("//") != std::string_view::npos || istarts_with(value, "file:");
      if (elsewhere && !xml::is_public_name(xml::web_host(value)))
        add(XxeEvidence::kInnerSchema, Certainty::kCertain, begin, end, value);
    } else if (istarts_with(value, "file:") || ifind(value, " file:") != std::string_view::npos) {
      add(XxeEvidence::kInnerSchema, Certainty::kCertain, begin, end, value);
    } else if (is_foreign(value)) {
      add(XxeEvidence::kForeignSchema, Certainty::kCertain, begin, end, value);
    }
    if (ifind(value, "http") != std::string_view::npos)
      add(XxeEvidence::kSchema, Certainty::kCertain, begin, end, value);
  }

  // xsi:schemaLocation="namespace address namespace address": who defines a namespace publishes its schema.
  // At www.w3.org and purl.org stand names of many.
  static bool is_foreign(std::string_view pairs) noexcept {
    const auto next = [&pairs] {
      const std::size_t begin = std::min(pairs.find_first_not_of(" \t\r\n"), pairs.size());
      const std::size_t end = std::min(pairs.find_first_of(" \t\r\n", begin), pairs.size());
      const std::string_view word = pairs.substr(begin, end - begin);
      pairs.remove_prefix(end);
      return word;
    };
    for (std::string_view space = next(); !space.empty(); space = next()) {
      const std::string_view own = xml::web_host(space);
      const std::string_view other = xml::web_host(next());
      if (own.empty() || other.empty() || iequals(own, "www.w3.org") || iequals(own, "purl.org")) continue;
      if (!iequals(xml::domain_of(own), xml::domain_of(other))) return true;
    }
    return false;
  }

  // In a document that was read, a namespace is the value of an attribute.
  void namespace_value(std::string_view value) {
    if (iequals(value, kXinclude)) add(XxeEvidence::kInclude, Certainty::kCertain, 0, text_.size());
    for (const StylesheetSign& sign : xml::kStylesheetSigns) {
      if (sign.use == SignUse::kNamespace && istarts_with(value, sign.text))
        return add(XxeEvidence::kStylesheet, Certainty::kCertain, 0, text_.size(), sign.text);
    }
  }

  void inclusion() {
    std::size_t at = ifind(text_, kXinclude);
    if (at == std::string_view::npos || text_.find('<') == std::string_view::npos)
      at = ifind(text_, "<xi:include");
    if (at != std::string_view::npos) add(XxeEvidence::kInclude, Certainty::kCertain, at, tag_end(at + 1));
  }

  // A value that ends the element, section or comment it is put in, and goes on with markup of its own.
  void element_break() {
    // -->: the first thing a value does is to end a comment of the page it is shown in.
    if (const std::string_view value = trim(text_); value.starts_with("-->") && value.size() <= kMaxTagBytes)
      add(XxeEvidence::kElementBreak, Certainty::kLikely, 0, text_.size(), "-->");
    const std::size_t tag = text_.find('<');
    const std::size_t first = skip_space(text_, 0);
    if (tag == std::string_view::npos || text_.size() > kMaxTagBytes || context_.decode_path.ends_with("xml"))
      return;
    const bool goes_on = tag + 1 < text_.size() &&
                         (is_alpha(text_[tag + 1]) || text_[tag + 1] == '/' || text_[tag + 1] == '!');
    for (const std::string_view end : {"]]>", "-->"}) {
      const std::size_t at = text_.find(end);
      if (at < tag && at - first <= kMaxValueBytes && goes_on)
        return add(XxeEvidence::kElementBreak, Certainty::kCertain, at, text_.size(), end);
    }
    if (tag - first > kMaxValueBytes || !text_.substr(tag).starts_with("</")) return;
    std::size_t end = tag + 2;
    while (end < text_.size() && (is_xml_name_byte(text_[end]) || text_[end] == ':')) ++end;
    const std::string_view closed = text_.substr(tag + 2, end - tag - 2);
    // A name begins with a letter (XML 1.0, 2.3): </3 is a heart.
    if (closed.empty() || !(is_alpha(closed[0]) || closed[0] == '_')) return;
    // </name>…<name>: opens again what it closed; </name><!--: hides what follows
    const std::size_t last = text_.rfind('<');
    const std::string_view rest = text_.substr(last + 1);
    const std::size_t comment = text_.rfind("<!--");
    const bool hides =
        comment != std::string_view::npos && text_.find("-->", comment) == std::string_view::npos;
    const bool reopens =
        rest.starts_with(closed) && rest.size() > closed.size() && !is_xml_name_byte(rest[closed.size()]);
    // In these nothing but their own end means anything (HTML, 13.1.2): who sends it wants out of one.
    static constexpr WordSet kRawText({"script", "style", "title", "textarea", "xmp", "iframe", "noembed",
                                       "noframes", "noscript", "plaintext"});
    const bool leaves = tag == first && kRawText.has(closed) && rest.substr(0, 1) == "/" &&
                        end < text_.size() && text_[end] == '>';
    if (leaves) add(XxeEvidence::kRawTextEnd, Certainty::kCertain, tag, end + 1, closed);
    add(XxeEvidence::kElementBreak, hides || reopens ? Certainty::kCertain : Certainty::kLikely, tag,
        text_.size(), closed);
  }

  void stylesheet() {
    // In a document that was read: the value of an instruction's attribute, select="document('/a')".
    // Of a document that was read: an attribute says which of its elements run.
    if (context_.in_name && iequals(text_, "extension-element-prefixes"))
      return add(XxeEvidence::kStylesheet, Certainty::kCertain, 0, text_.size(), text_);
    static constexpr WordSet kExpressions({"select", "test", "use", "match", "group-by", "use-when"});
    const bool expression = !context_.in_name && kExpressions.has(context_.name) &&
                            context_.decode_path.find("xml") != std::string_view::npos;
    if (!expression && ifind(text_, "xsl/transform") == std::string_view::npos &&
        ifind(text_, "<xsl:") == std::string_view::npos &&
        ifind(text_, "<msxsl:") == std::string_view::npos &&
        ifind(text_, "<exsl:document") == std::string_view::npos)
      return;
    for (const StylesheetSign& sign : xml::kStylesheetSigns) {
      if (expression && sign.use != SignUse::kCall) continue;
      const std::size_t at = ifind(text_, sign.text);
      if (at == std::string_view::npos) continue;
      return add(XxeEvidence::kStylesheet, Certainty::kCertain, at, at + sign.text.size(), sign.text);
    }
  }

  std::string_view text_;
  const FieldContext& context_;
  EvidenceList& out_;
  std::size_t repeating_ = 0;  // entities that repeat others
  std::string_view longest_;   // literal of an entity
  std::string_view longest_name_;
};

class XxeMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "xxe"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  bool reads_kept_plus() const noexcept override { return false; }
  Needs needs() const override {
    Sign references{SignKind::kLiterals, {}};
    Sign literals = any_literal({"<!entity", "<!doctype", "xinclude", "<xi:include", "schemalocation",
                                 "xsl/transform", "<xsl:", "<msxsl:", "<exsl:document"});
    for (const char* scheme :
         {"file:", "expect:", "text:", "msl:", "ephemeral:", "mvg:", "php:", "phar:", "jar:", "netdoc:"})
      references.parts.emplace_back(scheme);
    for (const StylesheetSign& sign : xml::kStylesheetSigns) {
      if (sign.use == SignUse::kNamespace) literals.parts.emplace_back(sign.text);
    }
    Sign calls{SignKind::kLiterals, {}};
    for (const StylesheetSign& sign : xml::kStylesheetSigns) {
      if (sign.use == SignUse::kCall) calls.parts.emplace_back(sign.text);
    }
    return {{std::move(literals)},
            {std::move(calls)},
            {any_byte("<"), any_literal({"]]>", "-->"})},
            {any_first("-"), any_literal({"]]>", "-->"})},
            {any_byte("<"), any_byte("/")},
            {std::move(references), any_literal({"href"}), any_byte("<")}};
  }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    Finder(text, context, out).run();
  }
};

}  // namespace

std::unique_ptr<Matcher> make_xxe_matcher() { return std::make_unique<XxeMatcher>(); }

}  // namespace wafd::detect
