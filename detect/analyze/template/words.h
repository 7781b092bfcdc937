// Lookup of words and delimiters in the tables of this folder.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/flags.h"

namespace wafd::detect::templates {

// The meaning of a name inside of an expression. Names of the page's own data mean nothing.
enum class NameUse : std::uint64_t {
  kNone = 0,
  kReach = 1u << 0,           // leads out of the template wherever it stands
  kReachOwner = 1u << 1,      // leads out if a member or filter of it is taken: lipsum.x
  kReachMember = 1u << 2,     // leads out as a member that is called: x.getClass()
  kBuiltin = 1u << 3,         // of Freemarker, behind "?": x?new()
  kRuns = 1u << 4,            // called, it runs a command or code, or reads a file
  kRunsAlone = 1u << 5,       // the same, but a method of that name may be harmless
  kFilter = 1u << 6,          // a filter or test that takes attributes by name
  kObject = 1u << 7,          // what the engine gives to every page: config
  kScope = 1u << 8,           // the page's own data as a whole: this
  kLeads = 1u << 9,           // a member of an object that leads to the server's own state
  kImplicit = 1u << 10,       // an implicit object of expression languages: pageContext
  kConstant = 1u << 11,       // true, null
  kOperator = 1u << 12,       // and, or, not
  kCondition = 1u << 13,      // if, while
  kTakes = 1u << 14,          // include: what follows is a file
  kPrints = 1u << 15,         // functions of Go's templates
  kInvokes = 1u << 16,        // of Go: calls what a field holds
  kStatement = 1u << 17,      // begins a statement of Smarty
  kSecret = 1u << 18,         // $smarty.x that no page shows
  kFileFunction = 1u << 19,   // functions of Smarty that take a file or a template
  kAttribute = 1u << 20,      // and the attributes with which they take it
  kServer = 1u << 21,         // gives access to the request or the application: app
  kReveals = 1u << 22,        // a function that shows all of what it is given: dump
  kTakesFunction = 1u << 23,  // a filter that calls what it is given: map
  kMakes = 1u << 24,          // a function of the engine that makes objects or text of nothing: lipsum()
  kBlock = 1u << 25,          // a block of Handlebars that changes what names mean: with
  kEvaluates = 1u << 26,      // a function of Smarty that evaluates an attribute: math
  kDumps = 1u << 27,          // a statement by itself that shows what the page knows: debug
  kCodeBlock = 1u << 28,      // between it and END stands code: PERL of Template Toolkit
  kNamespace = 1u << 29,      // below System, of .NET: classes that reach files and processes
  kNotOfPhp = 1u << 30,       // no function of PHP: nothing between the single braces of Smarty and Latte
  kTag = 1u << 31,            // begins a statement between {% and %}
  kHost = 1ull << 32,         // JavaScript: an object of the process that renders: process
  kHostClass = 1ull << 33,    // Ruby: a class or constant of it, with a capital: ENV
  kAsks = 1ull << 34,         // Go: a function of its libraries that reads what lies outside of the page: env
  kAction = 1ull << 35,       // Go: begins an action: range
  kGiven = 1ull << 37,        // a member of the request or the application that shows what a page does not
  kTest = 1ull << 36,         // a word between two operands that compares them: matches
};
constexpr bool is_flags(NameUse) noexcept { return true; }

struct NameRow {
  std::string_view text;
  NameUse use = NameUse::kNone;
};

// How much may stand between a pair of delimiters without being a template.
enum class Pair : std::uint8_t {
  kOutput,     // {{ }}: the value of an expression
  kWorkflow,   // ${{ }}: expressions of continuous integration, which call functions of their own
  kStatement,  // {% %}
  kCode,       // <% %>: statements of a whole language
  kQuiet,      // *{ }: style sheets and other texts have calls between them
  kNarrow,     // [[ ]]: common in texts; what runs or computes counts
  kSingle,     // { }: scripts and style sheets are full of it
};

struct PairRow {
  std::string_view open;
  std::string_view close;
  Pair kind = Pair::kSingle;
};

// The first bytes of a directive without a closing delimiter.
enum class Lead : std::uint32_t {
  kNone = 0,
  kInclude = 1u << 0,     // <!--#word
  kFreemarker = 1u << 1,  // <#word [#word
  kVelocity = 1u << 2,    // #word(
  kMacro = 1u << 3,       // {{word}} of wikis
  kTag = 1u << 4,         // <prefix:word
  kTexRuns = 1u << 5,     // \word
  kTexFile = 1u << 6,     // \word{file}
  kTexHandle = 1u << 7,   // \word\handle=file
  kStores = 1u << 8,      // the statement sets a variable
  kMako = 1u << 10,       // <%word
  kExim = 1u << 11,       // ${word{ or ${word key type{
  kPlain = 1u << 9,       // a loop or condition: every shared template has it
};
constexpr bool is_flags(Lead) noexcept { return true; }

struct DirectiveRow {
  std::string_view text;
  Lead lead = Lead::kNone;
};

}  // namespace wafd::detect::templates
