// Meaning of names to the parser of JavaScript: the tables keywords, globals and members.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/flags.h"

namespace wafd::detect::js {

// The role of a word in the grammar (ECMA-262, 12.7.2).
enum class Keyword : std::uint8_t {
  kNone,
  kValue,   // stands for a value: this, null; or is a statement of its own: break
  kPrefix,  // an operator before an operand: typeof
  kNew,
  kFunction,
  kClass,
  kAsync,
  kHead,         // a parenthesis follows, then a statement: if
  kBlock,        // a statement follows: else
  kDeclaration,  // var
  kJump,         // return, throw
  kCase,
  kImport,
  kReserved,  // what only modules have, or nothing
  kOperator,  // between two operands: in
  kOf,
  kExtends,
};

// Known properties of a value, by the names that lead to it, and how it is written. A set of bits.
enum class Ref : std::uint64_t {
  kNone = 0,
  // By name.
  kSink = 1u << 0,         // runs text as code or shows itself, and is hardly another word: alert, eval
  kEffect = 1u << 1,       // makes itself felt: loads, sends, listens
  kCommon = 1u << 2,       // so too, but a word of prose and of other languages: open, print
  kWindow = 1u << 3,       // the global object
  kDocument = 1u << 4,     // a document
  kPage = 1u << 5,         // what a document leads to
  kLocation = 1u << 6,     // where a page is, or a part of that
  kObject = 1u << 7,       // an object of the platform whose methods have effects: navigator
  kLanguage = 1u << 8,     // an object of the language: Reflect
  kEvent = 1u << 9,        // the event being handled, which leads to the window
  kSource = 1u << 10,      // text from elsewhere, or made of text: name, atob
  kRequire = 1u << 11,     // loads Node's modules
  kProcess = 1u << 12,     // Node's process object, Deno, Bun
  kReached = 1u << 13,     // a member that only Node's objects have
  kModule = 1u << 14,      // Node's `module`
  kNodeModule = 1u << 15,  // a module that reaches the system
  kConsole = 1u << 16,
  kMarkup = 1u << 17,       // text given to it becomes markup: innerHTML
  kSecret = 1u << 18,       // what a page keeps from others: document.cookie
  kConstructor = 1u << 19,  // leads to the Function constructor
  kPrototype = 1u << 20,    // changes what other objects inherit
  kForward = 1u << 21,      // call, apply, bind: a call of what is before it
  kHook = 1u << 22,         // a function of that name is called by the language: toString
  kHandler = 1u << 23,      // a function of that name is called by the page: onerror
  kImport = 1u << 24,
  kAsync = 1u << 25,
  // How the value is written.
  kName = 1u << 26,        // one name
  kText = 1u << 27,        // one string or template
  kLiteral = 1u << 28,     // a string, number or regular expression: cannot be called
  kFunction = 1u << 29,    // a function or class
  kPattern = 1u << 30,     // an array or object, which may be what values are taken apart into
  kMember = 1ull << 31,    // a member of something
  kComputed = 1ull << 32,  // its last member's name is computed
  kHidden = 1ull << 33,    // a name written so that it is not read: "al"+"ert", \u0061lert
  kCalled = 1ull << 34,    // what a call gives
  kGroup = 1ull << 35,     // in parentheses
  kNew = 1ull << 36,       // made by new
  kEmpty = 1ull << 37,     // (), of an arrow function; [] {} '' "", of which text is made
  kRegex = 1ull << 38,
  kOuter = 1ull << 39,  // what stood before the text
  kThis = 1ull << 40,
  kLibrary = 1ull << 42,     // jQuery
  kDecoder = 1ull << 44,     // a function that makes text of what is not read as that text: atob
  kOnlyWindow = 1ull << 43,  // the global object by a name that other languages do not have
  kHost = 1ull << 41,        // what servers name their objects and functions that reach the system
};
constexpr bool is_flags(Ref) noexcept { return true; }
constexpr bool any(Ref set) noexcept { return set != Ref::kNone; }

struct KeywordRow {
  std::string_view text;
  Keyword keyword;
};
struct GlobalRow {
  std::string_view text;
  std::string_view spelling;  // JavaScript tells cases apart
  Ref gives;
};
struct MemberRow {
  std::string_view text;
  Ref on;  // it means something on such objects; none: on any
  Ref gives;
};

}  // namespace wafd::detect::js
