// Elements and their attributes: what runs script, brings in foreign code or takes over the page.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "detect/analyze/xss/css_reader.h"
#include "detect/analyze/xss/elements.tsv.h"
#include "detect/analyze/xss/foreign_url.h"
#include "detect/analyze/xss/handlers.tsv.h"
#include "detect/analyze/xss/html_tokenizer.h"
#include "detect/analyze/xss/script_url.h"
#include "detect/analyze/xss/xss_evidence.h"
#include "detect/core/bytes.h"
#include "detect/decode/html_entity.h"

namespace wafd::detect::xss {
namespace {

// A value in quotes may be read as markup, too (13.2.5.2 of a page in an attribute, noscript, comments). Each
// level has one kind of quote less.
constexpr int kMaxLevels = 3;

// Links that no browser follows by itself (HTML, 4.6.7).
constexpr std::array<std::string_view, 16> kIdleRelations{
    "canonical", "alternate", "next",    "prev", "previous", "author",   "license", "help",
    "search",    "shortlink", "amphtml", "me",   "pingback", "bookmark", "tag",     "privacy-policy"};
// Types of scripts (MIME Sniffing, 4.6; HTML, 4.12.1); all others are data, which no browser runs.
constexpr std::array<std::string_view, 6> kScriptTypes{
    "", "module", "importmap", "speculationrules", "text/vbs", "text/babel"};
constexpr std::array<std::string_view, 8> kSystemFolders{"etc/", "proc/",    "root/",    "sys/",
                                                         "dev/", "var/log/", "var/www/", "var/lib/"};
std::string_view one_of(std::string_view text, auto& list) noexcept {
  const auto found =
      std::find_if(list.begin(), list.end(), [text](std::string_view one) { return iequals(one, text); });
  return found == list.end() ? std::string_view() : *found;
}

// _="on load call f()": hyperscript, in the attribute of each of its names
bool runs_hyperscript(const Attribute& attribute) noexcept {
  const std::string_view code = trim(attribute.value);
  return (attribute.name == "_" || iequals(attribute.name, "data-script")) &&
         (istarts_with(code, "on ") || istarts_with(code, "init "));
}

// file:///etc/passwd; text that people paste out of their programs has folders of their own.
bool names_system_file(std::string_view url) noexcept {
  url = trim(url);
  if (!istarts_with(url, "file:")) return false;
  const std::size_t slashes = url.find_first_not_of("/\\", 5);
  if (slashes == url.npos) return false;
  std::string_view path = url.substr(slashes);
  if (istarts_with(path, "localhost/")) path.remove_prefix(10);
  return std::any_of(kSystemFolders.begin(), kSystemFolders.end(),
                     [path](std::string_view folder) { return path.starts_with(folder); });
}

class Markup {
 public:
  Markup(Pass& pass, std::string_view text, int level)
      : pass_(pass), text_(text), level_(level), first_tag_(text.find('<')), raw_budget_(2 * text.size()) {}

  void read() {
    HtmlTokenizer tokenizer(text_);
    Tag tag;
    while (tokenizer.next_tag(tag)) {
      known_ = {};
      Attribute attribute;
      bool open = false;
      while (tokenizer.next_attribute(tag, attribute)) {
        open = attribute.open;
        if (!tag.closing) {
          at_attribute(tag, attribute);
        } else if (attribute.quote != '\0' || attribute.open) {
          // An end tag within a comment or a title, which ends in what seems its value.
          read_inside(attribute.value);
        }
      }
      if (!tag.closing) at_tag(tag, open);
    }
  }

 private:
  // Conditions on several attributes together.
  struct Known {
    std::string_view src, href, type, name, rel, equiv, content, charset, target;
    bool has_src = false;
    bool has_rel = false;
    bool has_value = false;
  };

  std::size_t place(std::size_t at) const noexcept {
    const auto offset = text_.data() - pass_.text.data();
    const bool inside = offset >= 0 && static_cast<std::size_t>(offset) <= pass_.text.size();
    return std::min((inside ? static_cast<std::size_t>(offset) : 0) + at, pass_.text.size());
  }
  void add(XssEvidence kind, Certainty certainty, std::size_t begin, std::size_t end,
           std::string_view detail) {
    pass_.out.add(kind, certainty, place(begin), place(end), detail);
  }

  // With its character references decoded once (13.2.5.72).
  std::string_view decoded(std::string_view value) {
    std::uint32_t flags = 0;
    store_.clear();
    if (value.find('&') == std::string_view::npos || !maybe_html_entity(value)) return value;
    return html_entity_decode(value, store_, flags) ? std::string_view(store_) : value;
  }

  void read_inside(std::string_view value) {
    if (level_ < kMaxLevels && value.find('<') != std::string_view::npos)
      Markup(pass_, value, level_ + 1).read();
  }

  void at_attribute(const Tag& tag, const Attribute& attribute) {
    const std::size_t end =
        std::min(attribute.begin + attribute.name.size() + attribute.value.size() + 3, text_.size());
    known_.has_value = known_.has_value || attribute.has_value;
    if (attribute.quote != '\0') read_inside(attribute.value);
    if (is_handler_name(attribute.name)) {
      if (attribute.has_value) at_handler(tag, attribute, end);
      return;
    }
    if (!attribute.has_value) return;
    const std::string_view value = decoded(attribute.value);
    remember(attribute.name, attribute.value);
    if (iequals(attribute.name, "srcdoc") && !trim(value).empty()) {
      add(XssEvidence::kSrcdoc, Certainty::kCertain, tag.begin, end, tag.name);
    } else if (iequals(attribute.name, "style")) {
      at_style(value, tag.begin, end);
    } else if (is_request(attribute.name) || runs_hyperscript(attribute)) {
      std::string_view address = trim(value);
      if (address.starts_with('\'') || address.starts_with('"')) address.remove_prefix(1);
      add(XssEvidence::kActiveElement, is_foreign(address) ? Certainty::kCertain : Certainty::kLikely,
          tag.begin, end, attribute.name);
    } else if (is_directive(attribute.name)) {
      if (const Code code = read_code(value, pass_.memory); code.telling)
        add(XssEvidence::kClientTemplate, code.valid ? Certainty::kCertain : Certainty::kLikely, tag.begin,
            end, attribute.name);
    } else {
      at_url(tag, value, end);
    }
  }

  void remember(std::string_view name, std::string_view value) {
    if (iequals(name, "src") || iequals(name, "data") || iequals(name, "code") || iequals(name, "action")) {
      known_.src = value;
      known_.has_src = true;
    }
    if (iequals(name, "href") || iequals(name, "xlink:href")) known_.href = value;
    if (iequals(name, "type") || iequals(name, "language")) known_.type = trim(value);
    if (iequals(name, "name")) known_.name = trim(value);
    if (iequals(name, "rel")) known_.rel = trim(value);
    if (iequals(name, "http-equiv")) known_.equiv = trim(value);
    if (iequals(name, "content")) known_.content = value;
    if (iequals(name, "charset")) known_.charset = trim(value);
    if (iequals(name, "attributename")) known_.target = trim(value);
  }

  void at_handler(const Tag& tag, const Attribute& attribute, std::size_t end) {
    const std::string_view value = decoded(attribute.value);
    if (attribute.quote != '\0' && !attribute.open && trim(value).empty())
      return;  // onclick="" takes one away
    // onclick="...": dots stand for what somebody who writes about it leaves out.
    if (trim(value).size() >= 3 && trim(value).find_first_not_of('.') == value.npos) return;
    const bool known = kHandlers.has(attribute.name);
    const Code code = read_handler(value, pass_.memory);
    // onClick={…} is how the source of components has it: as HTML that is a block of script, which runs if it
    // acts.
    const bool component = attribute.quote == '\0' && value.starts_with('{');
    if (!code.acts && (component || !known)) return;
    Certainty certainty = known ? Certainty::kLikely : Certainty::kPossible;
    if (code.acts && code.valid && (known || code.telling)) certainty = Certainty::kCertain;
    if (code.telling && certainty != Certainty::kCertain) certainty = Certainty::kLikely;
    add(XssEvidence::kEventHandler, certainty, tag.begin, end, attribute.name);
  }

  void at_style(std::string_view css, std::size_t begin, std::size_t end, bool element = false) {
    switch (read_css(css, pass_.memory)) {
      case Css::kScript:
        return add(XssEvidence::kStyleScript, Certainty::kCertain, begin, end, {});
      case Css::kLoads:
        return add(XssEvidence::kStyleLoad, Certainty::kCertain, begin, end, {});
      case Css::kForeign:
        if (element) add(XssEvidence::kStyleLoad, Certainty::kLikely, begin, end, {});
        return;
      case Css::kPlain:
        return;
    }
  }

  void at_url(const Tag& tag, std::string_view value, std::size_t end) {
    // <iframe src=file:///etc/passwd>: for what makes a PDF or a picture of a page on the server
    if (tag.name != "a" && names_system_file(value))
      add(XssEvidence::kActiveElement, Certainty::kCertain, tag.begin, end, tag.name);
    const ScriptUrl url = find_script_url(value);
    if (url.kind == UrlKind::kNone) return;
    const std::string_view code = value.substr(url.code);
    if (url.kind == UrlKind::kData) {
      if (!meets(tag.does, Element::kImage))
        add(XssEvidence::kDataUrl, Certainty::kCertain, tag.begin, end, tag.name);
      return;
    }
    if (is_idle_script(code, true)) return;
    const Code script = read_code(code, pass_.memory);
    const bool sure = url.begins || script.telling;
    add(XssEvidence::kScriptUrl, sure ? Certainty::kCertain : Certainty::kLikely, tag.begin, end, tag.name);
  }

  std::string_view raw_text(const Tag& tag, std::string_view close, bool* closed = nullptr) {
    const std::string_view rest = text_.substr(tag.end, raw_budget_);
    std::size_t at = rest.find("</");
    while (at != std::string_view::npos && !istarts_with(rest.substr(at + 2), close))
      at = rest.find("</", at + 2);
    const std::string_view raw = rest.substr(0, at);
    if (closed != nullptr) *closed = at != std::string_view::npos;
    raw_budget_ -= raw.size();
    return raw;
  }

  void at_tag(const Tag& tag, bool open) {
    if (meets(tag.does, Element::kScript)) at_script(tag, open);
    if (meets(tag.does, Element::kMeta)) at_meta(tag);
    if (meets(tag.does, Element::kLink)) at_link(tag);
    if (meets(tag.does, Element::kStyle)) at_style(raw_text(tag, "style"), tag.begin, tag.end, true);
    if (meets(tag.does, Element::kActive) && known_.has_value)
      add(XssEvidence::kActiveElement, Certainty::kCertain, tag.begin, tag.end, tag.name);
    // <set attributeName=onclick to=…>: an animation writes a handler or the content of an element
    if (is_handler_name(known_.target) || iequals(known_.target, "innerhtml") ||
        iequals(known_.target, "outerhtml") || iequals(known_.target, "srcdoc"))
      add(XssEvidence::kActiveElement, Certainty::kCertain, tag.begin, tag.end, tag.name);
    at_form(tag);
    const bool loads = meets(tag.does, Element::kLoading);
    // <turbo-frame src=…>: elements of libraries have a hyphen in their names
    const bool frame = meets(tag.does, Element::kFrame) || tag.name.find('-') != tag.name.npos;
    const bool foreign = frame && is_foreign(known_.src);
    if (foreign && breaks_out(tag)) {
      // No editor of rich text has written it.
      add(XssEvidence::kActiveElement, Certainty::kCertain, tag.begin, tag.end, tag.name);
    } else if (foreign && begins_text(tag)) {
      // Codes for embedding, which people paste, are all of a text, are quoted and name their scheme.
      const bool pasted = tag.begin == 0 && text_.ends_with('>') && istarts_with(trim(known_.src), "http");
      add(XssEvidence::kForeignElement, pasted ? Certainty::kLikely : Certainty::kCertain, tag.begin, tag.end,
          tag.name);
    }
    if (loads) {
      // How to use <template>: a name in a sentence has nothing before it that ends and no attributes.
      const bool set = begins_text(tag) && known_.has_value;
      add(XssEvidence::kLoadingElement, set ? Certainty::kCertain : Certainty::kLikely, tag.begin, tag.end,
          tag.name);
    } else if (known_.has_value && !tag.prefixed &&
               (meets(tag.does, Element::kPlain) || (tag.does == Element::kNone && begins_text(tag)))) {
      // An element that nobody knows may have any style, identity and handler, too.
      add(XssEvidence::kMarkup, Certainty::kCertain, tag.begin, tag.end, tag.name);
    }
    // <embed: all of a short value is the beginning of a tag.
    constexpr std::size_t kMaxTornTagBytes = 48;
    const bool torn =
        tag.begin == 0 && level_ == 0 && text_.size() <= kMaxTornTagBytes && tag.does != Element::kPlain;
    if (!tag.finished && !tag.cut && (known_.has_value || torn) && tag.does != Element::kNone &&
        begins_text(tag)) {
      const bool leaks = open && (is_foreign(known_.src) || is_foreign(known_.href));
      add(XssEvidence::kDanglingMarkup, leaks ? Certainty::kCertain : Certainty::kLikely, tag.begin, tag.end,
          tag.name);
    }
  }

  // A field for a password in a form of another host: browsers fill it in.
  void at_form(const Tag& tag) {
    if (iequals(tag.name, "form")) foreign_form_ = is_foreign(known_.src);
    if (foreign_form_ && iequals(tag.name, "input") &&
        (iequals(known_.type, "password") || iequals(known_.name, "password")))
      add(XssEvidence::kActiveElement, Certainty::kLikely, tag.begin, tag.end, tag.name);
  }

  // Nothing but what closes a tag, an attribute, a comment or raw text stands before it.
  bool begins_text(const Tag& tag) const noexcept {
    constexpr std::size_t kMaxBefore = 48;
    if (level_ != 0 || tag.begin > kMaxBefore) return false;
    std::string_view before = text_.substr(0, tag.begin);
    while (!before.empty()) {
      const std::size_t sign = before.find_first_not_of(" \t\r\n'\"`>/-*");
      if (sign == std::string_view::npos) return true;
      const std::size_t close = before.find('>', sign);
      if (!before.substr(sign).starts_with("</") || close == std::string_view::npos) return false;
      before.remove_prefix(close + 1);
    }
    return true;
  }

  // An attribute, a comment or raw text that the text did not open ends directly before it: x"><y
  bool breaks_out(const Tag& tag) const noexcept {
    if (level_ != 0) return false;
    const std::string_view before = text_.substr(0, tag.begin);
    if (tag.begin != first_tag_) return begins_text(tag) && before.find("</") != std::string_view::npos;
    const std::string_view closed = trim(before);
    return closed.ends_with("\">") || closed.ends_with("'>") || closed.ends_with("-->");
  }

  void at_script(const Tag& tag, bool open) {
    const bool script = ifind(known_.type, "script") != std::string_view::npos ||
                        one_of(known_.type, kScriptTypes).data() != nullptr;
    const bool loads = known_.has_src || !known_.href.empty();
    bool closed = false;
    const std::string_view content = tag.finished ? raw_text(tag, "script", &closed) : std::string_view();
    Certainty certainty = Certainty::kLikely;
    if ((!script && !loads) || (!tag.finished && !tag.cut && !loads)) {
      certainty = Certainty::kPossible;
    } else if (loads && open && !tag.finished) {
      // Its address goes on in the page behind the text; a host or a program in it stays what it is. Reports
      // show the beginning of a script amid others.
      const bool set =
          begins_text(tag) && (is_foreign(known_.src) || istarts_with(trim(decoded(known_.src)), "data:"));
      certainty = set ? Certainty::kLikely : Certainty::kPossible;
      add(XssEvidence::kDanglingMarkup, Certainty::kCertain, tag.begin, tag.end, tag.name);
    } else if (loads) {
      certainty = Certainty::kCertain;
    } else if (!trim(content).empty()) {
      // "a <script> tag in the head": what is no program runs no part of it.
      const Code code = read_code(content, pass_.memory);
      // A program of modules is an error of syntax elsewhere: no part of it runs.
      if (code.module && closed && known_.type.empty())
        return add(XssEvidence::kScriptElement, Certainty::kPossible, tag.begin, tag.end, {});
      if (code.acts && code.act < js::Act::kEffect)
        return add(XssEvidence::kPlainScript, Certainty::kCertain, tag.begin, tag.end, {});
      certainty = code.acts              ? Certainty::kCertain
                  : code.valid || closed ? Certainty::kLikely
                                         : Certainty::kPossible;
    }
    add(XssEvidence::kScriptElement, certainty, tag.begin, tag.end, {});
  }

  // It acts as a response header: redirects the page, sets a cookie; or it makes the page UTF-7, in which any
  // text may be markup.
  void at_meta(const Tag& tag) {
    static constexpr std::array<std::string_view, 4> kHarmless{"content-type", "x-ua-compatible",
                                                               "content-language", "x-dns-prefetch-control"};
    const bool steers = !known_.equiv.empty() && one_of(known_.equiv, kHarmless).empty();
    if (steers || ifind(known_.charset, "utf-7") == 0 ||
        ifind(known_.content, "utf-7") != std::string_view::npos)
      add(XssEvidence::kActiveElement, Certainty::kCertain, tag.begin, tag.end, tag.name);
  }

  void at_link(const Tag& tag) {
    if (!known_.has_value || !one_of(known_.rel, kIdleRelations).empty()) return;
    const bool script = ifind(known_.type, "script") != std::string_view::npos;
    const bool whole = begins_text(tag) && trim(text_.substr(tag.end)).empty() && is_foreign(known_.href);
    add(XssEvidence::kActiveElement, script || whole ? Certainty::kCertain : Certainty::kLikely, tag.begin,
        tag.end, tag.name);
  }

  Pass& pass_;
  std::string_view text_;
  int level_;
  std::size_t first_tag_;
  bool foreign_form_ = false;
  Known known_;
  std::size_t raw_budget_;  // bytes of raw text that may still be read
  std::string store_;
};

// <s c r i p t: the letters of an element's name with blanks between them, for filters that take blanks out.
void read_spread_tags(Pass& pass) {
  constexpr std::size_t kMaxLetters = 10;
  constexpr std::size_t kLeastLetters = 3;
  const std::string_view text = pass.text;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    std::array<char, kMaxLetters> letters{};
    std::size_t size = 0;
    std::size_t end = at + 1;
    for (std::size_t next = end; size < kMaxLetters; next = end + 1) {
      if (next >= text.size() || !is_alpha(text[next])) break;
      letters[size++] = text[next];
      end = next + 1;
      if (end >= text.size() || text[end] != ' ') break;
    }
    if (size < kLeastLetters || (end < text.size() && is_alnum(text[end]))) continue;
    const std::string_view name(letters.data(), size);
    const ElementRow* row = kElements.find(name);
    if (row != nullptr && row->does != Element::kPlain)
      pass.out.add(XssEvidence::kLoadingElement, Certainty::kLikely, at, end, row->text);
  }
}

// <?xml-stylesheet href=…?> <?import …>: what they load may run script.
void read_instructions(Pass& pass) {
  for (std::size_t at = pass.text.find("<?"); at != std::string_view::npos;
       at = pass.text.find("<?", at + 2)) {
    const std::string_view rest = pass.text.substr(at + 2, 64);
    const bool import = istarts_with(rest, "import") && rest.size() > 6 && byte(rest[6]) <= ' ';
    if (!import && !istarts_with(rest, "xml-stylesheet")) continue;
    pass.out.add(XssEvidence::kActiveElement, Certainty::kCertain, at, at + 2 + rest.size(),
                 rest.substr(0, 14));
    return;
  }
}

// <!-- ko text:f() -->: bindings of Knockout, whose values it runs
void read_comment_bindings(Pass& pass) {
  const std::string_view text = pass.text;
  for (std::size_t at = text.find("<!--"); at != std::string_view::npos; at = text.find("<!--", at + 4)) {
    const std::size_t name = skip_space(text, at + 4);
    if (!text.substr(name).starts_with("ko") || name + 2 >= text.size() || !is_space(text[name + 2]))
      continue;
    const std::size_t end = std::min(text.find("-->", name), text.size());
    const std::string_view binding = text.substr(name, end - name);
    const std::size_t colon = binding.find(':');
    if (colon != binding.npos && read_code(binding.substr(colon + 1), pass.memory).telling)
      pass.out.add(XssEvidence::kClientTemplate, Certainty::kCertain, at, end, "a binding in a comment");
    at = end - 4;
  }
}

// Earlier browsers took the lower seven bits of each byte for a page in US-ASCII: 0xBC is then "<".
void read_seven_bit(Pass& pass) {
  constexpr std::size_t kMaxBytes = 16384;
  const std::size_t first = pass.text.find('\xbc');
  if (first == std::string_view::npos) return;
  std::pmr::string plain(pass.text.substr(first, kMaxBytes), &pass.memory);
  std::erase(plain, '\xc2');  // leads 0xBC as a form sends it in UTF-8
  for (char& c : plain) c = static_cast<char>(byte(c) & 0x7f);
  EvidenceList found;
  Pass seven_bit{plain, pass.memory, found};
  Markup(seven_bit, plain, 1).read();
  for (const Evidence& item : found.items()) {
    const auto kind = static_cast<XssEvidence>(item.kind);
    if (item.certainty == Certainty::kCertain &&
        (kind == XssEvidence::kScriptElement || kind == XssEvidence::kEventHandler ||
         kind == XssEvidence::kScriptUrl))
      pass.out.add(kind, item.certainty, first, pass.text.size(), item.detail);
  }
}

}  // namespace

void read_markup(Pass& pass) {
  if (pass.text.find('<') != std::string_view::npos) {
    Markup(pass, pass.text, 0).read();
    read_spread_tags(pass);
    read_instructions(pass);
    read_comment_bindings(pass);
  }
  read_seven_bit(pass);
}

}  // namespace wafd::detect::xss
