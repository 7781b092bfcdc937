// The effects of a text read as JavaScript: its calls and assignments, by the grammar (ECMA-262) and not
// by their names, and whether the text is a program of that grammar.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>

namespace wafd::detect::js {

// The effect of a piece of script, the telling ones last.
enum class Act : std::uint8_t {
  kCall,         // calls or assigns what is not known
  kCommonCall,   // calls a function of the page whose name other languages and prose have, too
  kInvoked,      // calls a function that it makes: (function(){…})()
  kReach,        // names what leads from the window to the page, or turns text from elsewhere into other text
  kEffect,       // calls what loads, sends, listens; imports
  kPage,         // reads or writes the document
  kNavigation,   // takes the page elsewhere
  kSink,         // calls what runs text as code, or shows itself
  kHandedOn,     // hands such a function on, to be called by another
  kMarkup,       // makes markup of text
  kComputed,     // looks up a function of the window by a computed name, or takes the window apart
  kConstructor,  // makes a function of text by way of a constructor
  kSymbols,      // text made of signs alone
  // Of Node and other servers:
  kLoop,     // a loop whose condition is constant
  kConsole,  // prints
  kRequire,  // loads a module
  kModule,   // loads a module that reaches the system, or calls a function of it
  kProcess,  // uses the process object
  kExports,  // replaces what a module gives out
};
inline constexpr std::size_t kActs = 19;

struct ActSpan {
  std::size_t begin = 0;
  std::size_t end = 0;  // 0: there is none
  bool sound = false;   // its statement reads so from boundary to boundary
};

// The context that the text begins in.
enum class Start : std::uint8_t {
  kProgram,        // nothing: it is a script of its own, or stands where a value does
  kBehindQuote,    // a string that it closed
  kBehindComment,  // a comment that it closed
  kInTemplate,     // the ${ of a template; the reading ends with the } of that
};

struct Reading {
  bool complete = false;  // no error of syntax, and no bracket or operator is left open
  bool valid = false;     // so too, and it ends so that what an application puts behind it can follow
  bool module = false;    // it imports or exports by statements, which only modules may (ECMA-262, 16.2)
  bool declares = false;  // it has declarations: a script that somebody wrote
  bool cut = false;       // no error of syntax, and the text ends inside of a call: alert(
  bool outer = false;     // it closes a bracket that it did not open
  std::size_t end = 0;    // where it ended
  std::size_t error = std::string_view::npos;  // the first error of syntax
  std::array<ActSpan, kActs> acts;

  // The most telling act up to `last`, sound ones before others; false if there is none.
  bool strongest(Act first, Act last, Act& which) const noexcept;
  const ActSpan& act(Act which) const noexcept { return acts[static_cast<std::size_t>(which)]; }
  bool has(Act which) const noexcept { return act(which).end != 0; }
};

// Reads text[begin..). A reading of a program goes on behind errors of syntax, others end at the first.
// `quote` is that of the string for kBehindQuote. Linear time.
Reading read_script(std::string_view text, std::size_t begin, Start start, char quote,
                    std::pmr::memory_resource& memory);

// Words for a sentence: "calls a function that runs or shows script".
std::string_view to_words(Act act) noexcept;

}  // namespace wafd::detect::js
