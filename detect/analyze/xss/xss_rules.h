// What the parts of the XSS analyser share: its rules, and the state of one pass over a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/analyze/base/analyzer.h"
#include "detect/analyze/base/writing.h"
#include "detect/core/octets.h"

namespace wafd::detect {

enum XssRule : std::uint16_t {
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
  kHandlerName,
  kDangling,
  kImageScript,
  kForeignElement,
  kShownCode,
};

class XssPass {
 public:
  std::string_view text;
  const FieldContext& context;
  FirstHits& hits;
  Writing& writing;
  bool document = false;  // a whole HTML document in a body, or a piece of one
  std::string store;      // decoded values of attributes

  // In the content of uploaded files, markup and script are for kStrict; script in what says it is an image
  // is not.
  bool in_file() const noexcept { return context.location == Location::kFile && !context.in_name; }
  // A place that holds plain text in most applications.
  bool plain_text_place() const noexcept {
    return context.location != Location::kBody && context.location != Location::kFile;
  }
  XssRule counted_as(XssRule rule) const noexcept {
    if (!in_file() || rule == kMarkup) return rule;
    const bool runs = rule == kScriptElement || rule == kHandlerScript || rule == kScriptUrl;
    return context.media && runs ? kImageScript : kFileScript;
  }
  // A line of a page's own source, as reports of errors and of policies carry it.
  bool reports_source() const noexcept;
  bool has(XssRule rule) const noexcept { return hits.has(counted_as(rule)); }
  void add(XssRule rule, std::size_t begin, std::size_t end, std::string reason) {
    hits.add(shown_as(counted_as(rule), begin), begin, end, std::move(reason));
  }

 private:
  // Script leaves a string in one line: JavaScript has none with line ends (ECMA-262, 12.9.4).
  XssRule shown_as(XssRule rule, std::size_t place) const noexcept {
    if (reports_source() && !trim(text).starts_with('<')) return kShownCode;
    const bool script = rule == kBreakout || rule == kHiddenScript || rule == kBareCall;
    if (rule >= kScriptText && rule != kLooseHandler && rule != kTemplate && rule != kForeignElement)
      return rule;
    if (script ? writing.is_program() || writing.shows(place) : writing.shows_markup(place))
      return kShownCode;
    return rule;
  }
};

// Tags, attributes, style sheets (xss_markup.cc, xss_attributes.cc).
void read_markup(XssPass& pass);
// Handlers behind a closed quote: " onfocus=alert(1) x=" (xss_attributes.cc).
void read_loose_handlers(XssPass& pass);
// URLs, script, template expressions (xss_script.cc).
void read_scripts(XssPass& pass);

// For xss_markup.cc: the attributes of one tag.
class HtmlTag;
void read_attributes(XssPass& pass, const HtmlTag& tag);
// Whether a style sheet or style attribute runs script or brings in foreign rules; comments and escapes in
// its words are read as browsers do (CSS Syntax, 4.3.7).
bool style_runs_script(std::string_view css, std::pmr::memory_resource& memory);
// Only letters, digits, - and _ of a name, lower case: for reasons.
std::string shown(std::string_view name);

}  // namespace wafd::detect
