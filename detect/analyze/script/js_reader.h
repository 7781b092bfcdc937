// Judges text as JavaScript: what in it would act if a browser ran it, and how surely it was written for
// that.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>

namespace wafd::detect {

enum class JsAct : std::uint8_t {
  kNone,
  kDom,          // reads or writes the document: document.cookie, innerHTML
  kSinkCall,     // alert(1), eval('…'), fetch(…)
  kSinkValue,    // a sink handed on to be called: onerror=alert;throw 1, [1].map(alert)
  kNavigate,     // location='javascript:…', location=name
  kComputed,     // window['al'+'ert'](1): a member looked up by a value that was put together
  kConstructor,  // a chain to the Function constructor or into prototypes
  kSymbolOnly,   // code of brackets and signs alone
};

enum class JsStrength : std::uint8_t {
  kNone,
  kWeak,    // ordinary scripts have it too
  kLikely,  // an action of the kind that injected scripts take
  kSure,    // nobody writes it but to hide or escape
};

struct JsFinding {
  JsAct act = JsAct::kNone;
  JsStrength strength = JsStrength::kNone;
  std::uint32_t begin = 0;  // of the acting part
  std::uint32_t end = 0;
  bool breaks_out =
      false;  // the text closes a string, bracket or comment before it, or comments out what follows
  bool declares =
      false;  // the text holds declarations (function f, const, class): a script that somebody wrote
};

// The strongest finding in `code`, read as statements or an expression. Text that has no place where script
// could act (js_places.h) costs one walk; of a long one only what is around such places is read.
JsFinding read_js(std::string_view code, std::pmr::memory_resource& memory);

// The strongest finding in a value that may land anywhere in a script: as code, or after closing a string of
// each kind or a comment. Five readings at most.
JsFinding read_js_value(std::string_view value, std::pmr::memory_resource& memory);

// Words for a reason: "calls a script function", ...
const char* to_words(JsAct act) noexcept;

}  // namespace wafd::detect
