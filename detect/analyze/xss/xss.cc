#include "detect/analyze/xss/xss.h"

#include <array>
#include <string>

#include "detect/analyze/xss/xss_names.h"
#include "detect/analyze/xss/xss_rules.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

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
    {"handler-name", "Name of an event handler attribute", Risk::kLow, Sensitivity::kStrict},
    {"dangling", "Tag that is left open", Risk::kMedium, Sensitivity::kStrict},
    {"image-script", "Script in an uploaded image", Risk::kHigh, Sensitivity::kBalanced},
    {"foreign-element", "Element that loads from another host", Risk::kMedium, Sensitivity::kBalanced},
    {"shown-code", "Script in a document about programs", Risk::kLow, Sensitivity::kStrict},
};

// A whole document in a body: people who write pages send them, scripts included.
bool is_document(std::string_view text, const FieldContext& context, Writing& writing) noexcept {
  constexpr std::size_t kMinDocumentBytes = 256;
  if (context.location != Location::kBody && context.location != Location::kFile) return false;
  if (text.size() < kMinDocumentBytes && ifind(text, "</html>") == std::string_view::npos &&
      !writing.is_program())
    return false;
  const std::size_t first_tag = text.substr(0, 1024).find('<');
  return first_tag != std::string_view::npos && istarts_with(text.substr(first_tag), "<!doctype html");
}

// What script may look like where it stands by itself, in attributes, or in URLs.
constexpr const char* kFixedHints[] = {
    R"~(<\x00|<\?(import[\x00-\x20]|xml-stylesheet))~",
    R"~(\xbc(applet|audio|base|bgsound|embed|fencedframe|frame|frameset|ilayer|image|img|input|isindex|l)~"
    R"~(ayer|object|picture|portal|script|source|video|vmlframe)[\x00-\x20\xa0-\xff])~",
    // Attributes.
    R"~((^|[\x00-\x20\x22\x27\x60\x5c/;])on[a-z]+[\x00-\x20\x22\x27\x60\x5c]*=)~",
    R"~((srcdoc|attributename|style)[\x00-\x20\x22\x27\x60\x5c]*=)~",
    // URLs.
    R"~([abej][\t\n\r\x00]*s[\t\n\r\x00]*c[\t\n\r\x00]*r[\t\n\r\x00]*i[\t\n\r\x00]*p[\t\n\r\x00]*t[\x00-)~"
    R"~(\x20]*:|m[\t\n\r\x00]*o[\t\n\r\x00]*c[\t\n\r\x00]*h[\t\n\r\x00]*a[\x00-\x20]*:)~",
    R"~(d[\t\n\r\x00]*a[\t\n\r\x00]*t[\t\n\r\x00]*a[\x00-\x20]*:[^,]*(html|svg|xml|ecmascript|javas)~"
    R"~(cript|jscript))~",
    R"~(url\([\x00-\x20\x22\x27]*javascript)~",
    // Script: calls of common functions, the document and its location.
    R"~(\b(print|fetch|open|import|require|atob|btoa|unescape|decodeuricomponent|postmessage|sendbeacon|)~"
    R"~(xmlhttprequest|createelement|writeln?|insertadjacenthtml|queryselector(all)?|getelementbyid|log|)~"
    R"~(replace|assign|focus|click|submit|fromcharcode|fromcodepoint)[\x00-\x20\x80-\xff]*([(\x60]|\)[\x)~"
    R"~(00-\x20\x80-\xff]*[(\x60]|\?\.|\.[\x00-\x20\x80-\xff]*(call|apply|bind)))~",
    R"~(\bdocument[\x00-\x20\x80-\xff]*(\)[\x00-\x20\x80-\xff]*)?([.\[]|\?\.))~",
    R"~(\blocation[\x00-\x20\x80-\xff]*[.=])~",
    R"~(\b(window|self|top|parent|frames|globalthis|opener)(\.[a-z]+)*\.(cookie|domain|writeln?|loca)~"
    R"~(tion|referrer|document|localstorage|sessionstorage))~",
    // Members by names that are put together or escaped.
    R"~(\b(window|self|top|this|parent|frames|globalthis|document|opener|content|defaultview|contentwind)~"
    R"~(ow|global|process|event|navigator)[\x00-\x20\x80-\xff]*(\)[\x00-\x20\x80-\xff]*)?(\?\.[\x00-\x20)~"
    R"~(\x80-\xff]*)?\[)~",
    R"~([\x22\x27\x60)\]][\x00-\x20\x80-\xff]*\+[\x00-\x20\x80-\xff]*[\x22\x27\x60(\[/]|\bconcat\b|/[a-z)~"
    R"~(]*[\x00-\x20\x80-\xff]*\.[\x00-\x20\x80-\xff]*source)~",
    R"~([a-z0-9_$.\])}\x22\x27\x60/\x80-\xff][\x00-\x20]*\[[\x00-\x20\x80-\xff(\[+.]*[\x22\x27\x60][^\]]*)~"
    R"~(\\[0-9a-mo-qsu-z\r\n])~",
    R"~(\\u(00[4-7][0-9a-f]|\{0*[4-7][0-9a-f]\}))~",
    R"~(\.[\x00-\x20\x80-\xff]*(call|apply|map|sort|find|replace)[\x00-\x20\x80-\xff]*\x60)~",
    R"~([\](){}!+~\[-]\[\][\x00-\x20\x80-\xff]*[\](){}!+~\[-])~",
    R"~(constructor|\$eval|\$on\.)~",
    // Text made of an empty literal, or a regex, and indexed.
    R"~(\+[\x00-\x20]*["'\[{].?["'\]}][\x00-\x20]*\)[\x00-\x20]*\[)~",
    R"~(/[\x00-\x20]*\[ *['\x22])~",
    // A comment between a name and what is done with it.
    R"~(\*/[\x00-\x20\x80-\xff]*(call|apply|map|sort|find|replace)[\x00-\x20\x80-\xff]*\x60)~",
    R"~(\*/[\x00-\x20\x80-\xff]*[.(\[\x60=)?+\x22\x27]|(//|<!--)[^\n\r]*[\n\r][\x00-\x20\x80-\xff]*[.(\[)~"
    R"~(\x60=)?+\x22\x27])~",
};

std::string element_hint(std::string_view begin, std::string_view end, bool plain) {
  return std::string(begin) + html_elements(plain) + std::string(end);
}

class XssAnalyzer final : public Analyzer {
 public:
  XssAnalyzer() : rules_(make_rules("m_xss", AttackType::kXss, 2000, kRules)) {
    for (const std::string& hint : element_hints_) hints_.push_back(hint.c_str());
    hints_.insert(hints_.end(), std::begin(kFixedHints), std::end(kFixedHints));
  }

  std::string_view name() const noexcept override { return "xss"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override { return hints_; }
  std::span<const std::string_view> hint_words() const noexcept override {
    static constexpr std::array<std::string_view, 20> kWords = {"alert",
                                                                "eval",
                                                                "prompt",
                                                                "confirm",
                                                                "function",
                                                                "settimeout",
                                                                "setinterval",
                                                                "setimmediate",
                                                                "execscript",
                                                                "importscripts",
                                                                "mssetimmediate",
                                                                "requestanimationframe",
                                                                "__proto__",
                                                                "__definegetter__",
                                                                "__definesetter__",
                                                                "__lookupgetter__",
                                                                "__lookupsetter__",
                                                                "innerhtml",
                                                                "outerhtml",
                                                                "srcdoc"};
    return kWords;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    constexpr std::size_t kMinBytes = 4;
    if (text.size() < kMinBytes) return;
    FirstHits found(text.size(), hits);
    Writing writing(text, context);
    XssPass pass{text, context, found, writing, is_document(text, context, writing), {}};
    read_markup(pass);
    read_loose_handlers(pass);
    read_scripts(pass);
  }

 private:
  std::vector<Rule> rules_;
  // Elements; plain ones with attributes and without a namespace.
  const std::array<std::string, 3> element_hints_ = {
      element_hint("<", R"~([\x00-\x20\x22\x27\x60\x5c/><])~", false),
      element_hint("<[a-z0-9_.-]+:", R"~([\x00-\x20\x22\x27\x60\x5c/><])~", false),
      element_hint("<", R"~([\x00-\x20\x22\x27\x60\x5c]*[\x00-\x20/][^>])~", true)};
  std::vector<const char*> hints_;
};

}  // namespace

std::unique_ptr<Analyzer> make_xss_analyzer() { return std::make_unique<XssAnalyzer>(); }

}  // namespace wafd::detect
