// What single words mean to the reader of JavaScript: the functions that injected scripts call, the objects
// that lead to them, the words of the language (ECMA-262; HTML standard, 8; DOM standard).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect {

enum JsWord : std::uint32_t {
  kJsSink = 1u << 0,         // makes itself felt, or turns text into code: alert, eval, setTimeout
  kJsCommonSink = 1u << 1,   // the same for scripts, but common in programs and prose: fetch, open, print
  kJsTellingSink = 1u << 2,  // a common sink that is no word of any language: atob, createElement
  kJsGlobal = 1u << 3,       // the global object, and what leads to another one
  kJsOperator = 1u << 4,     // an operand may follow it
  kJsDeclaration = 1u << 5,
  kJsDocumentMember = 1u << 6,
  kJsSecretMember = 1u << 7,   // a member of the document or window that a probe reads or writes
  kJsCallsLater = 1u << 8,     // a function assigned to it is called later
  kJsTakesTemplate = 1u << 9,  // a method that calls what it is given, also by a tagged template
  kJsHtmlMember = 1u << 10,    // innerHTML and kin
  kJsBuildsText = 1u << 11,    // makes text of what hides it: fromCharCode, atob
  kJsConcat = 1u << 12,
  kJsSource = 1u << 13,
  kJsLocation = 1u << 14,
  kJsDocument = 1u << 15,
  kJsWindow = 1u << 16,  // a name of the window alone, which no data model has
  // Members that lead from any value to the Function constructor, or change what others inherit: a bit each.
  kJsConstructor = 1u << 17,
  kJsProto = 1u << 18,
  kJsFirstGadget = kJsConstructor,
  kJsGadgets = 0x7fffu << 17,
  kJsHeavyGadgets = 0b11'1111u << 17,  // those that ordinary scripts hardly name
};

// Flags of a word, without case; 0 for most.
std::uint32_t js_word(std::string_view word) noexcept;

// Octets of the white space of a script at text[at] (ECMA-262, 12.2 and 12.3), 0 if there is none.
// U+2028 and U+2029 end a line, like LF and CR. Control octets pass for spaces here: what a page does with
// them is not known.
std::size_t js_space(std::string_view text, std::size_t at, bool& line_end) noexcept;

}  // namespace wafd::detect
