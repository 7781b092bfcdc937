// Tags: elements that run script, bring in foreign code or take over the page.
#include <algorithm>
#include <array>
#include <memory_resource>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "detect/analyze/script/js_reader.h"
#include "detect/analyze/shell/shell_shape.h"
#include "detect/analyze/xss/html_reader.h"
#include "detect/analyze/xss/xss_names.h"
#include "detect/analyze/xss/xss_rules.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

// Elements whose raw text is looked at, so that the work stays linear.
constexpr std::size_t kMaxRawElements = 32;
constexpr std::size_t kMaxRawBytes = 16384;
// Markup that is cut off counts in short values; a long text may have been cut by a limit.
constexpr std::size_t kMaxDanglingBytes = 1024;
constexpr std::size_t kMaxSevenBitBytes = 16384;

class Markup {
 public:
  explicit Markup(XssPass& pass, std::string_view text) : pass_(pass), text_(text) {}

  void read() {
    HtmlReader reader(text_);
    HtmlTag tag;
    while (reader.next(tag)) at_tag(tag);
  }

 private:
  // What stands between a tag and the end tag `close`.
  std::string_view raw_text(const HtmlTag& tag, std::string_view close) {
    if (raw_elements_++ >= kMaxRawElements) return {};
    const std::string_view rest = text_.substr(tag.end, kMaxRawBytes);
    return rest.substr(0, std::min(ifind(rest, close), rest.size()));
  }

  void at_tag(const HtmlTag& tag) {
    const bool plain = !tag.prefixed && !tag.cut;
    const std::uint32_t flags = html_element(tag.name) & (plain ? ~0u : ~std::uint32_t{kPlainName});
    if (!tag.attributes().empty()) read_attributes(pass_, tag);
    if (tag.closing) return;
    if (!tag.finished && !tag.valued) {
      // <base href : what follows in the page would be its value.
      if ((flags & (kActiveName | kLoadingName)) != 0 && tag.name.size() >= 4 && !tag.attributes().empty() &&
          pass_.plain_text_place()) {
        pass_.add(kMarkup, tag.begin, tag.end, "A tag is left open where plain text is usual.");
      }
      return;
    }
    if ((flags & kScriptName) != 0) at_script(tag);
    if ((flags & kActiveName) != 0 && tag.valued && !pass_.document && !pass_.has(kActiveElement)) {
      pass_.add(
          kActiveElement, tag.begin, tag.end,
          fmt::format("A <{}> element brings in foreign content or takes over the page.", shown(tag.name)));
    }
    if ((flags & kMetaName) != 0 && !pass_.document) at_meta(tag);
    if ((flags & kLinkName) != 0 && tag.valued && !pass_.document) at_link(tag);
    if ((flags & kStyleName) != 0 && !pass_.has(kCssScript) &&
        style_runs_script(raw_text(tag, "</style"), *pass_.context.memory)) {
      pass_.add(kCssScript, tag.begin, tag.end,
                "A style sheet brings in foreign rules, or holds an expression or URL that runs script.");
    }
    at_plain(tag, flags);
  }

  // A data block (HTML, "The script element"): no browser runs what is said to be of these types.
  static bool is_data(const HtmlTag& tag) noexcept {
    const HtmlAttribute* type = tag.find("type");
    if (type == nullptr || tag.find("src") != nullptr) return false;
    static constexpr std::array<std::string_view, 6> kTypes = {
        "application/ld+json", "application/json",           "text/template",
        "text/x-template",     "text/x-handlebars-template", "text/x-mustache"};
    const std::string_view value = trim(type->value);
    return std::any_of(kTypes.begin(), kTypes.end(),
                       [value](std::string_view known) { return iequals(value, known); });
  }

  // "<script> before </body>, or use defer": words without a sign by which script calls or sets something,
  // and no comment, which could end elsewhere in the page.
  static bool is_prose(std::string_view code) noexcept {
    if (code.find_first_of("(`=[{'\"\\&") != std::string_view::npos) return is_no_statement(code);
    for (const std::string_view comment : {"/*", "//", "<!--"}) {
      if (code.find(comment) != std::string_view::npos) return false;
    }
    return prose_words(code) >= 2;
  }

  // "<script> tag (placement)": two words in a row, of which none is JavaScript's, are a syntax error, and
  // then nothing up to the end tag runs (ECMA-262, 12.10: no semicolon is put into a line).
  static bool is_no_statement(std::string_view code) noexcept {
    static constexpr WordSet kJoining(
        {"async",    "await", "break",  "class",  "const", "continue", "delete", "do",   "export", "for",
         "function", "get",   "if",     "import", "let",   "new",      "return", "set",  "static", "switch",
         "throw",    "try",   "typeof", "using",  "var",   "void",     "while",  "with", "yield"});
    static constexpr WordSet kAmid({"in", "instanceof", "extends", "else", "case"});  // begin no statement
    const auto word = [&code](std::string_view blanks) {
      code.remove_prefix(std::min(code.find_first_not_of(blanks), code.size()));
      const auto end = std::find_if_not(code.begin(), code.end(), is_alpha);
      const std::string_view out = code.substr(0, static_cast<std::size_t>(end - code.begin()));
      code.remove_prefix(out.size());
      return out;
    };
    const std::string_view first = word(" +");
    if (kAmid.has(first)) return true;
    const bool spaced = code.starts_with(' ');
    const std::string_view second = word(" ");  // a plus would add the two
    return !first.empty() && spaced && !second.empty() && !kJoining.has(first) && !kJoining.has(second) &&
           !kAmid.has(second);
  }

  void at_script(const HtmlTag& tag) {
    if (pass_.has(kScriptElement)) return;
    if (tag.attributes().empty() && is_prose(raw_text(tag, "</script"))) {
      pass_.add(kMarkup, tag.begin, tag.end, "The text names a <script> element.");
      return;
    }
    if (is_data(tag)) {
      if (pass_.plain_text_place())
        pass_.add(kMarkup, tag.begin, tag.end, "A block of data stands where plain text is usual.");
      return;
    }
    if (pass_.document) {
      const JsFinding js = read_js(raw_text(tag, "</script"), *pass_.context.memory);
      const bool acts =
          js.strength == JsStrength::kSure || (js.strength == JsStrength::kLikely && !js.declares);
      if (!acts || js.act == JsAct::kDom) {
        pass_.add(kDocumentScript, tag.begin, tag.end, "A whole HTML document with script in it.");
        return;
      }
    }
    pass_.add(kScriptElement, tag.begin, tag.end,
              "A <script> element would run in the page that shows this value.");
  }

  void at_meta(const HtmlTag& tag) {
    const HtmlAttribute* equiv = tag.find("http-equiv");
    const HtmlAttribute* charset = tag.find("charset");
    const HtmlAttribute* content = tag.find("content");
    const bool steers = equiv != nullptr && !iequals(equiv->value, "content-type") &&
                        !iequals(equiv->value, "x-ua-compatible") &&
                        !iequals(equiv->value, "content-language");
    const bool utf7 = (charset != nullptr && istarts_with(charset->value, "utf-7")) ||
                      (content != nullptr && ifind(content->value, "utf-7") != std::string_view::npos);
    if (steers || utf7) {
      pass_.add(
          kActiveElement, tag.begin, tag.end,
          utf7 ? "A <meta> element makes the page UTF-7, in which any text may be markup."
               : "A <meta> element acts as a response header: it can redirect the page or set a cookie.");
    }
  }

  // A value that is a <link> and nothing before it was not cut out of a page that somebody wrote.
  void at_link(const HtmlTag& tag) {
    // Links that no browser follows by itself (HTML standard, "Link types").
    static constexpr WordSet kNotLoaded({"canonical", "alternate", "next", "prev", "previous", "author",
                                         "license", "help", "search", "shortlink", "amphtml", "me",
                                         "pingback", "bookmark", "tag"});
    const HtmlAttribute* relation = tag.find("rel");
    if (relation != nullptr && kNotLoaded.has(trim(relation->value))) return;
    const HtmlAttribute* type = tag.find("type");
    const bool script = type != nullptr && ifind(type->value, "script") != std::string_view::npos;
    const bool whole = trim(text_).size() == tag.end - tag.begin && foreign(tag.find("href"));
    if (!pass_.plain_text_place() && !script && !whole) return;
    pass_.add(kActiveElement, tag.begin, tag.end, "A <link> element brings in foreign content.");
  }

  // Nothing but what closes a tag, an attribute or raw text stands before it.
  bool begins_value(const HtmlTag& tag) const noexcept {
    const std::string_view before = text_.substr(0, tag.begin);
    const std::size_t closing = before.find("</");
    return before.substr(0, closing).find_first_not_of(" \t\r\n'\"`>/-*") == std::string_view::npos &&
           (closing == std::string_view::npos || before.size() - closing < 16);
  }

  static bool foreign(std::string_view url) noexcept {
    url = trim(url);
    return url.starts_with("//") || istarts_with(url, "http:") || istarts_with(url, "https:");
  }
  static bool foreign(const HtmlAttribute* attribute) noexcept {
    return attribute != nullptr && foreign(attribute->value);
  }

  bool loads_foreign(const HtmlTag& tag, std::uint32_t flags) {
    if ((flags & kStyleName) == 0) {
      const HtmlAttribute* source = tag.find("src");
      if (source == nullptr || !foreign(source->value)) return false;
      // Codes for embedding, which people paste, stand alone, are quoted and name their scheme.
      return source->quote == 0 || trim(source->value).starts_with('/') ||
             tag.begin > text_.find_first_not_of(" \t\r\n");
    }
    const std::string_view css = raw_text(tag, "</style");
    for (std::size_t at = css.find('('); at != std::string_view::npos; at = css.find('(', at + 1)) {
      const std::size_t url = css.find_first_not_of(" \t\r\n'\"", at + 1);
      if (url != std::string_view::npos && at >= 3 && iequals(css.substr(at - 3, 3), "url") &&
          foreign(css.substr(url, 16)))
        return true;
    }
    return false;
  }

  void at_plain(const HtmlTag& tag, std::uint32_t flags) {
    if (!tag.finished && tag.valued && flags != 0 && text_.size() <= kMaxDanglingBytes &&
        tag.begin <= text_.find_first_not_of(" \t\r\n'\">")) {
      pass_.add(kDangling, tag.begin, tag.end,
                "A tag is left open, so that the page behind it becomes part of its attributes.");
    }
    if (!pass_.plain_text_place()) return;
    if ((flags & (kFrameName | kStyleName)) != 0 && begins_value(tag) && loads_foreign(tag, flags)) {
      pass_.add(
          kForeignElement, tag.begin, tag.end,
          fmt::format("The value begins with a <{}> element that loads from another host.", shown(tag.name)));
    }
    if ((flags & kLoadingName) != 0 && !pass_.has(kLoadingElement)) {
      pass_.add(kLoadingElement, tag.begin, tag.end,
                fmt::format("A <{}> element, which loads or sends data, stands where plain text is usual.",
                            shown(tag.name)));
    } else if ((flags & kPlainName) != 0 && !tag.attributes().empty() && !pass_.has(kMarkup)) {
      pass_.add(kMarkup, tag.begin, tag.end,
                fmt::format("A <{}> element stands where plain text is usual.", shown(tag.name)));
    }
  }

  XssPass& pass_;
  std::string_view text_;
  std::size_t raw_elements_ = 0;
};

// <?xml-stylesheet href=…?> and <?import …>: processing instructions that load what transforms or extends the
// page.
void read_instructions(XssPass& pass) {
  const std::string_view text = pass.text;
  for (std::size_t at = text.find("<?"); at != std::string_view::npos; at = text.find("<?", at + 2)) {
    const std::string_view rest = text.substr(at + 2, 64);
    const bool import = istarts_with(rest, "import") && rest.size() > 6 && octet(rest[6]) <= ' ';
    if (!import && !istarts_with(rest, "xml-stylesheet")) continue;
    pass.add(kActiveElement, at, at + 66,
             "A processing instruction loads a style sheet or a component, which may run script.");
    return;
  }
}

// Old readers took the lower seven bits of each octet for a page in US-ASCII: 0xBC is then '<', 0xBE '>'.
// Read so if an element name follows.
void read_seven_bit(XssPass& pass) {
  const std::string_view text = pass.text;
  for (std::size_t at = text.find('\xbc'); at != std::string_view::npos; at = text.find('\xbc', at + 1)) {
    const std::size_t name = at + 1;
    std::size_t end = name;
    while (end < text.size() && end - name < 16 && is_alnum(text[end])) ++end;
    const std::uint32_t flags = html_element(text.substr(name, end - name));
    if (end - name < 3 || (flags & (kScriptName | kActiveName | kImageName)) == 0) continue;
    const char after = end < text.size() ? text[end] : '\0';
    if (octet(after) > ' ' && octet(after) < 0xa0) continue;
    const std::string_view piece = text.substr(at, kMaxSevenBitBytes);
    std::pmr::string plain(piece, pass.context.memory);
    // The lead octet of UTF-8, in which a form sends U+00BC, is taken away with its eighth bit.
    std::erase(plain, '\xc2');
    for (char& c : plain) c = static_cast<char>(octet(c) & 0x7f);
    Markup(pass, plain).read();
    return;
  }
}

}  // namespace

std::string shown(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 48)) {
    if (is_alnum(c) || c == '-' || c == '_') out.push_back(to_lower(c));
  }
  return out;
}

void read_markup(XssPass& pass) {
  if (pass.text.find('<') != std::string_view::npos) {
    Markup(pass, pass.text).read();
    read_instructions(pass);
  }
  read_seven_bit(pass);
}

}  // namespace wafd::detect
