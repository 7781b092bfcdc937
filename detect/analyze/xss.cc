#include "detect/analyze/xss.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "detect/analyze/html_reader.h"
#include "detect/analyze/js_reader.h"
#include "detect/analyze/script_url.h"
#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"
#include "detect/decode/html_entity.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kScriptElement,
  kHandlerScript,
  kHandler,
  kScriptUrl,
  kDataUrl,
  kActiveElement,
  kCssScript,
  kSrcdoc,
  kBreakout,
  kHiddenScript,
  kBareCall,
  kScriptText,
  kLooseHandler,
  kTemplate,
  kLoadingElement,
  kMarkup,
  kFileScript,
  kDocumentScript,
};

constexpr RuleSpec kRules[] = {
    {"script-element", "Script element", Risk::kHigh, Sensitivity::kLow},
    {"handler-script", "Event handler attribute with script", Risk::kHigh, Sensitivity::kLow},
    {"handler", "Event handler attribute", Risk::kHigh, Sensitivity::kBalanced},
    {"script-url", "URL that is script", Risk::kHigh, Sensitivity::kLow},
    {"data-url", "Document or script in a data: URL", Risk::kHigh, Sensitivity::kBalanced},
    {"active-element", "Element that brings in foreign code or takes over the page", Risk::kHigh,
     Sensitivity::kBalanced},
    {"css-script", "Style that runs script", Risk::kHigh, Sensitivity::kBalanced},
    {"srcdoc", "Document inside an attribute", Risk::kHigh, Sensitivity::kLow},
    {"breakout", "Script that leaves the string it was put in", Risk::kHigh, Sensitivity::kBalanced},
    {"hidden-script", "Script that hides what it calls", Risk::kHigh, Sensitivity::kBalanced},
    {"bare-call", "Call of a script function", Risk::kMedium, Sensitivity::kBalanced},
    {"script-text", "Text that reads as script", Risk::kLow, Sensitivity::kStrict},
    {"loose-handler", "Event handler outside of a tag", Risk::kHigh, Sensitivity::kBalanced},
    {"template", "Client-side template expression that calls", Risk::kHigh, Sensitivity::kBalanced},
    {"loading-element", "Element that loads or sends elsewhere", Risk::kMedium, Sensitivity::kStrict},
    {"markup", "Markup where plain text is usual", Risk::kLow, Sensitivity::kStrict},
    {"file-script", "Script in the content of an uploaded file", Risk::kLow, Sensitivity::kStrict},
    {"document-script", "Script in a whole HTML document", Risk::kLow, Sensitivity::kStrict},
};

// Event handler content attributes (HTML standard 8.1.8.2, and those of SVG, touch, animation, clipboard,
// media).
constexpr WordSet kHandlers({"onabort",
                             "onactivate",
                             "onafterprint",
                             "onafterscriptexecute",
                             "onafterupdate",
                             "onanimationcancel",
                             "onanimationend",
                             "onanimationiteration",
                             "onanimationstart",
                             "onauxclick",
                             "onbeforeactivate",
                             "onbeforecopy",
                             "onbeforecut",
                             "onbeforedeactivate",
                             "onbeforeinput",
                             "onbeforematch",
                             "onbeforepaste",
                             "onbeforeprint",
                             "onbeforescriptexecute",
                             "onbeforetoggle",
                             "onbeforeunload",
                             "onbegin",
                             "onblur",
                             "onbounce",
                             "oncancel",
                             "oncanplay",
                             "oncanplaythrough",
                             "onchange",
                             "onclick",
                             "onclose",
                             "oncommand",
                             "oncontentvisibilityautostatechange",
                             "oncontextlost",
                             "oncontextmenu",
                             "oncontextrestored",
                             "oncopy",
                             "oncuechange",
                             "oncut",
                             "ondatasetchanged",
                             "ondblclick",
                             "ondeactivate",
                             "ondrag",
                             "ondragdrop",
                             "ondragend",
                             "ondragenter",
                             "ondragexit",
                             "ondragleave",
                             "ondragover",
                             "ondragstart",
                             "ondrop",
                             "ondurationchange",
                             "onemptied",
                             "onend",
                             "onended",
                             "onerror",
                             "onfinish",
                             "onfocus",
                             "onfocusin",
                             "onfocusout",
                             "onformdata",
                             "onfullscreenchange",
                             "onfullscreenerror",
                             "ongotpointercapture",
                             "onhashchange",
                             "onhelp",
                             "oninput",
                             "oninvalid",
                             "onkeydown",
                             "onkeypress",
                             "onkeyup",
                             "onlanguagechange",
                             "onload",
                             "onloadeddata",
                             "onloadedmetadata",
                             "onloadend",
                             "onloadstart",
                             "onlostpointercapture",
                             "onmessage",
                             "onmessageerror",
                             "onmousedown",
                             "onmouseenter",
                             "onmouseleave",
                             "onmousemove",
                             "onmouseout",
                             "onmouseover",
                             "onmouseup",
                             "onmousewheel",
                             "onoffline",
                             "ononline",
                             "onpagehide",
                             "onpagereveal",
                             "onpageshow",
                             "onpageswap",
                             "onpaste",
                             "onpause",
                             "onplay",
                             "onplaying",
                             "onpointercancel",
                             "onpointerdown",
                             "onpointerenter",
                             "onpointerleave",
                             "onpointermove",
                             "onpointerout",
                             "onpointerover",
                             "onpointerrawupdate",
                             "onpointerup",
                             "onpopstate",
                             "onprogress",
                             "onpropertychange",
                             "onratechange",
                             "onreadystatechange",
                             "onrejectionhandled",
                             "onrepeat",
                             "onreset",
                             "onresize",
                             "onscroll",
                             "onscrollend",
                             "onscrollsnapchange",
                             "onscrollsnapchanging",
                             "onsearch",
                             "onsecuritypolicyviolation",
                             "onseeked",
                             "onseeking",
                             "onselect",
                             "onselectionchange",
                             "onselectstart",
                             "onshow",
                             "onslotchange",
                             "onstalled",
                             "onstart",
                             "onstorage",
                             "onsubmit",
                             "onsuspend",
                             "ontimeupdate",
                             "ontoggle",
                             "ontouchcancel",
                             "ontouchend",
                             "ontouchmove",
                             "ontouchstart",
                             "ontransitioncancel",
                             "ontransitionend",
                             "ontransitionrun",
                             "ontransitionstart",
                             "onunhandledrejection",
                             "onunload",
                             "onvolumechange",
                             "onwaiting",
                             "onwheel"});

// They run code of their own, or change where every other link of the page goes.
constexpr WordSet kActiveElements({"object", "embed", "applet", "base", "frameset", "frame", "portal",
                                   "isindex", "fencedframe", "bgsound", "layer", "ilayer"});
constexpr WordSet kLoadingElements({"iframe", "link",    "style",    "form",     "svg",    "math",
                                    "meta",   "marquee", "template", "noscript", "audio",  "video",
                                    "source", "button",  "input",    "textarea", "select", "keygen",
                                    "dialog", "details", "import"});
constexpr WordSet kPlainElements({"a",       "b",       "i",    "u",    "p",      "br",        "hr",
                                  "img",     "image",   "div",  "span", "table",  "td",        "tr",
                                  "ul",      "li",      "ol",   "h1",   "h2",     "h3",        "h4",
                                  "h5",      "h6",      "body", "html", "head",   "title",     "center",
                                  "font",    "strong",  "em",   "pre",  "code",   "article",   "section",
                                  "label",   "option",  "map",  "area", "canvas", "plaintext", "xmp",
                                  "listing", "picture", "param"});
constexpr WordSet kImages({"img", "source", "picture", "video", "audio", "input"});

// Octets of `value` that stand for something are decoded once; the result lives in `store`.
std::string_view decoded(std::string_view value, std::string& store) {
  if (!maybe_html_entity(value)) return value;
  std::uint32_t flags = 0;
  return html_entity_decode(value, store, flags) ? std::string_view(store) : value;
}

bool handler_shape(std::string_view name) noexcept {
  if (name.size() < 5 || name.size() > 48 || !istarts_with(name, "on")) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_alpha(c); });
}

// Signs that a statement has and an ordinary word or number has not.
bool looks_like_statement(std::string_view value) noexcept {
  return value.find_first_of("(`=[{;") != std::string_view::npos;
}

bool style_runs_script(std::string_view css) noexcept {
  // Comments and escapes inside the word are the usual disguise.
  std::string plain;
  plain.reserve(css.size());
  for (std::size_t i = 0; i < css.size(); ++i) {
    if (css[i] == '/' && i + 1 < css.size() && css[i + 1] == '*') {
      const std::size_t close = css.find("*/", i + 2);
      if (close == std::string_view::npos) break;
      i = close + 1;
    } else if (octet(css[i]) > ' ' && css[i] != '\\') {
      plain.push_back(to_lower(css[i]));
    }
  }
  for (const std::string_view sign :
       {"expression(", "-moz-binding", "behavior:url", "behaviour:url",
        "javascript:", "vbscript:", "@importdata:", "@import'http", "@import\"http", "@importurl("}) {
    if (plain.find(sign) != std::string::npos) return true;
  }
  return false;
}

class XssAnalyzer final : public Analyzer {
 public:
  XssAnalyzer() : rules_(make_rules("m_xss", AttackType::kXss, 2000, kRules)) {}

  std::string_view name() const noexcept override { return "xss"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 12> kHints = {
        R"(<[\x00/]*[a-z])",
        R"(on[a-z]{3,46}[\x00-\x20]*=)",
        R"((s[\x00-\x20]*c[\x00-\x20]*r[\x00-\x20]*i[\x00-\x20]*p[\x00-\x20]*t|m[\x00-\x20]*o[\x00-\x20]*c[\x00-\x20]*h[\x00-\x20]*a)[\x00-\x20]*:)",
        R"(d[\x00-\x20]*a[\x00-\x20]*t[\x00-\x20]*a[\x00-\x20]*:)",
        R"(alert|eval|prompt|confirm|function|settimeout|setinterval|setimmediate|execscript|import|animationframe)",
        R"((print|fetch|open|import|require|atob|btoa|unescape|decodeuricomponent|postmessage|sendbeacon|xmlhttprequest|createelement|writeln?|insertadjacenthtml|queryselector|getelementbyid|log|replace|assign|focus|click|submit)[\x00-\x20\x80-\xff]*([(`)]|\?[\x00-\x20]*\.|\.[\x00-\x20]*(call|apply|bind)|/[/*]|<!))",
        R"((document|location)[\x00-\x20\x80-\xff]*[.=\[)/<]|(inner|outer)html|srcdoc|fromcharcode|constructor|__proto__|__(define|lookup))",
        R"([a-z0-9_$\])}'"`/\x80-\xff][\x00-\x20]*\[)",
        R"(\.[\x00-\x20]*(call|apply|map|sort|find|replace)[\x00-\x20]*`)",
        R"(\\[a-z0-9\r\n])",
        R"([\[\](){}!+~ -]{14})",
        R"(\{\{)",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (text.size() < 4) return;
    Pass pass{text, context, {}, {}, false, 0};
    pass.document = is_document(text, context);
    read_markup(pass);
    read_loose_handlers(pass);
    read_url(pass);
    read_script(pass);
    read_templates(pass);
    for (std::optional<Hit>& hit : pass.found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  struct Pass {
    std::string_view text;
    const FieldContext& context;
    std::array<std::optional<Hit>, std::size(kRules)> found;
    std::string store;
    bool document = false;
    std::size_t raw_elements = 0;
  };

  // The first match of each rule is kept.
  static void add(Pass& pass, std::uint16_t rule, std::size_t begin, std::size_t end, std::string reason) {
    if (pass.context.location == Location::kFile && !pass.context.in_name && rule != kMarkup)
      rule = kFileScript;
    if (pass.found[rule]) return;
    Hit hit;
    hit.rule = rule;
    hit.begin = static_cast<std::uint32_t>(begin);
    hit.end = static_cast<std::uint32_t>(std::min(end, pass.text.size()));
    hit.reason = std::move(reason);
    pass.found[rule] = std::move(hit);
  }

  // A whole document in a body: people who write pages send them, scripts included.
  static bool is_document(std::string_view text, const FieldContext& context) noexcept {
    if (context.location != Location::kBody && context.location != Location::kFile) return false;
    if (text.size() < 256) return false;
    const std::size_t doctype = ifind(text.substr(0, 1024), "<!doctype html");
    const std::size_t first_tag = text.find('<');
    return doctype != std::string_view::npos && doctype == first_tag;
  }

  static void read_markup(Pass& pass) {
    if (pass.text.find('<') == std::string_view::npos) return;
    HtmlReader reader(pass.text);
    HtmlTag tag;
    while (reader.next(tag)) {
      const std::string_view name = tag.name;
      if (iequals(name, "script")) read_script_element(pass, tag);
      if (!tag.attributes.empty()) read_attributes(pass, tag);
      if (tag.closing) continue;
      const bool written = tag.finished || std::any_of(tag.attributes.begin(), tag.attributes.end(),
                                                       [](const HtmlAttribute& a) { return a.has_value; });
      if (!written) continue;
      const bool valued = std::any_of(tag.attributes.begin(), tag.attributes.end(),
                                      [](const HtmlAttribute& a) { return a.has_value; });
      if (valued && !pass.document && kActiveElements.has(name)) {
        add(pass, kActiveElement, tag.begin, tag.end,
            fmt::format("A <{}> element brings in foreign content or takes over the page.", shown(name)));
      }
      if (iequals(name, "meta") && !pass.document) read_meta(pass, tag);
      if (iequals(name, "link") && !pass.document && valued && plain_text_place(pass.context)) {
        add(pass, kActiveElement, tag.begin, tag.end, "A <link> element brings in foreign content.");
      }
      if (iequals(name, "style") && style_runs_script(raw_text(pass, tag, "</style"))) {
        add(pass, kCssScript, tag.begin, tag.end,
            "A style sheet holds an expression or URL that runs script.");
      }
      if (!plain_text_place(pass.context)) continue;
      if (kLoadingElements.has(name)) {
        add(pass, kLoadingElement, tag.begin, tag.end,
            fmt::format("A <{}> element, which loads or sends data, stands where plain text is usual.",
                        shown(name)));
      } else if (kPlainElements.has(name) && (valued || !tag.attributes.empty())) {
        add(pass, kMarkup, tag.begin, tag.end,
            fmt::format("A <{}> element stands where plain text is usual.", shown(name)));
      }
    }
  }

  // What stands between a tag and the end tag `close`; of a few such elements, so that the work stays linear.
  static std::string_view raw_text(Pass& pass, const HtmlTag& tag, std::string_view close) {
    constexpr std::size_t kMaxElements = 32;
    constexpr std::size_t kMaxRawBytes = 16384;
    if (pass.raw_elements++ >= kMaxElements) return {};
    const std::string_view rest = pass.text.substr(tag.end, kMaxRawBytes);
    return rest.substr(0, std::min(ifind(rest, close), rest.size()));
  }

  static bool plain_text_place(const FieldContext& context) noexcept {
    return context.location != Location::kBody && context.location != Location::kFile;
  }

  // Names go into reasons only if they are what they should be.
  static std::string shown(std::string_view name) {
    std::string out;
    for (const char c : name.substr(0, 32)) {
      if (is_alnum(c) || c == '-' || c == '_') out.push_back(to_lower(c));
    }
    return out;
  }

  static void read_script_element(Pass& pass, const HtmlTag& tag) {
    if (tag.closing) return;
    const bool valued = std::any_of(tag.attributes.begin(), tag.attributes.end(),
                                    [](const HtmlAttribute& a) { return a.has_value; });
    if (!tag.finished && !valued) return;
    if (pass.document) {
      const JsFinding js = read_js(raw_text(pass, tag, "</script"));
      const bool acts =
          js.strength == JsStrength::kSure || (js.strength == JsStrength::kLikely && !js.declares);
      if (!acts || js.act == JsAct::kDom) {
        add(pass, kDocumentScript, tag.begin, tag.end, "A whole HTML document with script in it.");
        return;
      }
    }
    add(pass, kScriptElement, tag.begin, tag.end,
        "A <script> element would run in the page that shows this value.");
  }

  static void read_meta(Pass& pass, const HtmlTag& tag) {
    const HtmlAttribute* equiv = tag.find("http-equiv");
    const HtmlAttribute* charset = tag.find("charset");
    const HtmlAttribute* content = tag.find("content");
    const bool steers = equiv != nullptr && !iequals(equiv->value, "content-type") &&
                        !iequals(equiv->value, "x-ua-compatible") &&
                        !iequals(equiv->value, "content-language");
    const bool utf7 = (charset != nullptr && istarts_with(charset->value, "utf-7")) ||
                      (content != nullptr && ifind(content->value, "utf-7") != std::string_view::npos);
    if (steers || utf7) {
      add(pass, kActiveElement, tag.begin, tag.end,
          utf7 ? "A <meta> element makes the page UTF-7, in which any text may be markup."
               : "A <meta> element acts as a response header: it can redirect the page or set a cookie.");
    }
  }

  static void read_attributes(Pass& pass, const HtmlTag& tag) {
    for (const HtmlAttribute& attribute : tag.attributes) {
      const std::string_view name = attribute.name;
      const std::size_t begin = tag.begin;
      if (handler_shape(name) && attribute.has_value) {
        const std::string_view value = decoded(attribute.value, pass.store);
        const JsFinding js = read_js(value);
        const bool known = kHandlers.has(name);
        if (js.strength >= JsStrength::kLikely || (known && js.strength != JsStrength::kNone)) {
          add(pass, kHandlerScript, begin, tag.end,
              fmt::format("The {} attribute of a <{}> element {}.", shown(name), shown(tag.name),
                          to_words(js.act)));
        } else if ((known || looks_like_statement(value)) && !pass.document && !reacts_in_source(attribute)) {
          add(pass, kHandler, begin, tag.end,
              fmt::format("A <{}> element has an event handler attribute, {}.", shown(tag.name),
                          shown(name)));
        }
        continue;
      }
      if (!attribute.has_value || attribute.value.size() < 4) continue;
      if (iequals(name, "srcdoc")) {
        add(pass, kSrcdoc, begin, tag.end,
            "A srcdoc attribute holds a whole document that runs in the page.");
        continue;
      }
      const std::string_view value = decoded(attribute.value, pass.store);
      if (iequals(name, "style")) {
        if (style_runs_script(value)) {
          add(pass, kCssScript, begin, tag.end,
              "A style attribute holds an expression or URL that runs script.");
        }
        continue;
      }
      const ScriptUrl url = find_script_url(value);
      if (url.kind == ScriptUrlKind::kScript) {
        add(pass, kScriptUrl, begin, tag.end,
            fmt::format("The {} attribute of a <{}> element is a URL that runs script.", shown(name),
                        shown(tag.name)));
      } else if (url.kind == ScriptUrlKind::kData && !kImages.has(tag.name)) {
        add(pass, kDataUrl, begin, tag.end,
            fmt::format("The {} attribute of a <{}> element holds a document or script of its own.",
                        shown(name), shown(tag.name)));
      } else if (template_directive(name) && read_js(value).strength >= JsStrength::kLikely) {
        add(pass, kTemplate, begin, tag.end,
            fmt::format("The {} attribute is a template directive that calls script.", shown(name)));
      }
    }
  }

  // onClick={…} is how component source code writes it, not a page.
  static bool reacts_in_source(const HtmlAttribute& attribute) noexcept {
    return attribute.quote == 0 && attribute.value.starts_with('{');
  }

  static bool template_directive(std::string_view name) noexcept {
    return istarts_with(name, "ng-") || istarts_with(name, "data-ng-") || istarts_with(name, "v-") ||
           istarts_with(name, "x-") || name.starts_with('@') || name.starts_with(':') ||
           name.starts_with('(');
  }

  // " onfocus=alert(1) x=": the value lands inside a tag, after its quote was closed.
  static void read_loose_handlers(Pass& pass) {
    const std::string_view text = pass.text;
    const std::size_t first_quote = text.find_first_of("\"'`");
    std::size_t budget = 16 * text.size() + 1024;  // octets that may be read again
    for (std::size_t equals = text.find('='); equals != std::string_view::npos;
         equals = text.find('=', equals + 1)) {
      std::size_t end = equals;
      for (std::size_t i = 0; i < 16 && end > 0 && octet(text[end - 1]) <= ' '; ++i) --end;
      std::size_t begin = end;
      while (begin > 0 && end - begin <= 48 && is_alpha(text[begin - 1])) --begin;
      const std::string_view name = text.substr(begin, end - begin);
      if (!handler_shape(name)) continue;
      const char before = begin > 0 ? text[begin - 1] : '\0';
      const bool bounded = begin == 0 || octet(before) <= ' ' || before == '"' || before == '\'' ||
                           before == '`' || before == '/' || before == ';';
      if (!bounded) continue;
      const std::size_t window = std::min<std::size_t>(text.size() - begin, 512);
      if (window > budget) return;
      budget -= window;
      HtmlTag tag;
      read_html_attributes(text.substr(0, begin + window), begin, tag);
      if (tag.attributes.empty() || !tag.attributes.front().has_value) continue;
      const std::string_view value = decoded(tag.attributes.front().value, pass.store);
      const JsFinding js = read_js(value);
      const bool known = kHandlers.has(name);
      const bool quoted_before = first_quote < begin;
      if (js.strength >= JsStrength::kLikely && (known || quoted_before) && (begin > 0 || known)) {
        add(pass, kLooseHandler, begin, tag.end,
            fmt::format("An event handler, {}, follows what would close an attribute, and {}.", shown(name),
                        to_words(js.act)));
      } else if (known && quoted_before && before != ';' && looks_like_statement(value)) {
        add(pass, kLooseHandler, begin, tag.end,
            fmt::format("An event handler, {}, follows a quote that would close an attribute.", shown(name)));
      }
    }
  }

  static void read_url(Pass& pass) {
    const ScriptUrl url = find_script_url(pass.text);
    if (url.kind == ScriptUrlKind::kScript) {
      const std::string_view code = pass.text.substr(url.code);
      const JsFinding js = read_js(code);
      const bool starts = url.begin <= pass.text.find_first_not_of(" \t\r\n");
      const bool tight = !code.empty() && octet(code.front()) > ' ' && looks_like_statement(code);
      if (js.strength >= JsStrength::kLikely || (starts && js.strength != JsStrength::kNone) ||
          (starts && tight)) {
        add(pass, kScriptUrl, url.begin, pass.text.size(),
            fmt::format("A URL that runs script: it {}.",
                        js.act == JsAct::kNone ? "holds a statement" : to_words(js.act)));
      }
    } else if (url.kind == ScriptUrlKind::kData) {
      const std::string_view rest = pass.text.substr(url.code);
      const bool image = istarts_with(rest, "image/svg");
      if (!image && url.begin == pass.text.find_first_not_of(" \t\r\n")) {
        add(pass, kDataUrl, url.begin, pass.text.size(), "A data: URL that holds a document or script.");
      }
    }
  }

  static void read_script(Pass& pass) {
    const JsFinding js = read_js_value(pass.text);
    // document.cookie and nothing else: a probe.
    const bool whole = js.act == JsAct::kDom && js.begin <= 1 && js.end + 2 >= pass.text.size();
    if (whole && pass.text.size() < 64 &&
        (ifind(pass.text, "cookie") != std::string_view::npos ||
         ifind(pass.text, "domain") != std::string_view::npos)) {
      add(pass, kBareCall, js.begin, js.end,
          "The value is a script expression that reads the document's secrets.");
      return;
    }
    if (js.strength < JsStrength::kLikely) {
      if (js.strength == JsStrength::kWeak && js.breaks_out && js.act == JsAct::kSinkCall) {
        add(pass, kScriptText, js.begin, js.end,
            fmt::format("The value closes what it was put in and {}.", to_words(js.act)));
      }
      return;
    }
    // A script with declarations of its own, or a long text, was written to be read; what breaks out was not.
    constexpr std::size_t kMaxBareBytes = 1024;
    const bool program = js.declares || pass.text.size() > kMaxBareBytes;
    const std::string what = to_words(js.act);
    if (js.strength == JsStrength::kSure && (!program || js.act == JsAct::kSymbolOnly)) {
      add(pass, kHiddenScript, js.begin, js.end, fmt::format("Read as script, the value {}.", what));
    } else if (js.breaks_out && !program) {
      add(pass, kBreakout, js.begin, js.end,
          fmt::format("Read as script, the value closes what it was put in and {}.", what));
    } else if (!program && js.act >= JsAct::kSinkCall) {
      add(pass, kBareCall, js.begin, js.end, fmt::format("Read as script, the value {}.", what));
    } else {
      add(pass, kScriptText, js.begin, js.end, fmt::format("The text holds script that {}.", what));
    }
  }

  // {{constructor.constructor('alert(1)')()}}: evaluated by client-side template engines.
  static void read_templates(Pass& pass) {
    const std::string_view text = pass.text;
    std::size_t looked = 0;
    for (std::size_t open = text.find("{{"); open != std::string_view::npos && looked < 16; ++looked) {
      const std::size_t close = text.find("}}", open + 2);
      if (close == std::string_view::npos) return;
      const std::string_view inner = text.substr(open + 2, close - open - 2);
      const JsFinding js = read_js(inner);
      if (js.strength >= JsStrength::kLikely || ifind(inner, "constructor") != std::string_view::npos ||
          ifind(inner, "$eval") != std::string_view::npos || ifind(inner, "$on.") != std::string_view::npos) {
        add(pass, kTemplate, open, close + 2,
            "An expression in double braces that leaves the sandbox of a client-side template engine.");
      }
      open = text.find("{{", close + 2);
    }
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_xss_analyzer() { return std::make_unique<XssAnalyzer>(); }

}  // namespace wafd::detect
