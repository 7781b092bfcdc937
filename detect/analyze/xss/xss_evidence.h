// The evidence of cross-site scripting, and the parts of the matcher that find it.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <string_view>

#include "detect/analyze/base/evidence.h"
#include "detect/analyze/script/js_places.h"
#include "detect/analyze/script/js_reading.h"

namespace wafd::detect::xss {

enum class XssEvidence : std::uint8_t {
  kScriptElement,   // <script>
  kPlainScript,     // one whose program has no known effect
  kEventHandler,    // <x onclick=…>
  kLooseHandler,    // " onclick=…: behind what would close an attribute
  kScriptUrl,       // javascript:…
  kDataUrl,         // data:text/html,…
  kActiveElement,   // <object>, <base>: brings in foreign code or takes over the page
  kForeignElement,  // the text begins with an element that loads from another host
  kLoadingElement,  // <form>, <svg>: loads, sends, takes input
  kMarkup,          // any other element with an attribute that has a value
  kDanglingMarkup,  // a tag that is left open
  kClosedContext,   // a quote that the text did not open ends an attribute or a tag: " class=x  "><b>
  kStyleScript,     // a style that runs script
  kStyleLoad,       // a style that brings in foreign rules, or tells what the page holds
  kSrcdoc,          // a document in an attribute
  kClientTemplate,  // {{…}} or a directive that leaves the sandbox of a template engine in the page
  kBreakOut,        // script behind what closes a string, a comment or a template
  kPageName,        // the whole text names what leads to the page: window.location
  kScriptValue,     // the whole text is script that acts
  kHiddenScript,    // so too, written so that it is not read
  kSinkCall,        // a call as script has it amid what is none: #-alert(1)-
  kScriptText,      // script somewhere in the text
};
inline constexpr std::array<std::string_view, 22> kKindNames{
    "script_element",  "plain_script",   "event_handler",   "loose_handler",   "script_url",
    "data_url",        "active_element", "foreign_element", "loading_element", "markup",
    "dangling_markup", "closed_context", "style_script",    "style_load",      "srcdoc",
    "client_template", "break_out",      "page_name",       "script_value",    "hidden_script",
    "sink_call",       "script_text"};

// One text while it is read.
struct Pass {
  std::string_view text;
  std::pmr::memory_resource& memory;
  EvidenceList& out;
  js::ReadingsCache* scripts = nullptr;  // of `text`, if others read it too
};

// Elements and their attributes (markup.cc).
void read_markup(Pass& pass);
// Quotes that close what the text stands in (closed_context.cc).
void read_closed_context(Pass& pass);
// Handlers behind a quote or at the text's beginning (scripts.cc).
void read_loose_handlers(Pass& pass);
// URLs, script, template expressions (scripts.cc).
void read_scripts(Pass& pass);

// The effect of a handler's value or of a script element's content (scripts.cc).
struct Code {
  bool valid = false;
  bool module = false;   // only a module may have its statements
  bool acts = false;     // it calls or assigns something
  bool telling = false;  // what it calls has an effect on the page
  js::Act act = js::Act::kCall;
};
Code read_code(std::string_view code, std::pmr::memory_resource& memory);
// Nothing acts without one of these signs: there is nothing to read.
inline Code read_handler(std::string_view code, std::pmr::memory_resource& memory) {
  return code.find_first_of("(=`.[{:") == std::string_view::npos ? Code{} : read_code(code, memory);
}

// Attributes that count directly behind a quote, with no blank between: "src=//host
inline constexpr std::array<std::string_view, 14> kTightAttributes{
    "src",  "href",   "style",       "action",     "formaction", "http-equiv", "rel",
    "data", "poster", "imagesrcset", "xlink:href", "class",      "id",         "type"};

// "on" and letters.
bool is_handler_name(std::string_view name) noexcept;
// As libraries of scripts name attributes whose values they run: @click, v-on:click, ng-focus, hx-on:load.
bool is_directive(std::string_view name) noexcept;
// As they name attributes that send a request: hx-get, data-remote, wire:click.
bool is_request(std::string_view name) noexcept;

}  // namespace wafd::detect::xss
