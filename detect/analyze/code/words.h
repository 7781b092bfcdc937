// Lookup of words in the tables of this folder.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/flags.h"

namespace wafd::detect::code {

enum class Use : std::uint32_t {
  kNone = 0,
  kModule = 1u << 0,    // of Python or Lua, in lower case; calls.tsv has its functions
  kClass = 1u << 1,     // of Ruby, with a capital
  kNames = 1u << 3,     // a function that gives all names of a scope
  kLists = 1u << 4,     // a function that is called without an argument to look around
  kTable = 1u << 5,     // what holds names itself
  kAccessor = 1u << 6,  // takes an object and the name of a member
  kSender = 1u << 7,    // takes the name of a method
  kLoader = 1u << 8,    // takes the name of a module
  kRuns = 1u << 9,      // a method whose name is sent
  kCommand = 1u << 10,  // an operator whose quoted text is a command
  kImport = 1u << 11,
  kFrom = 1u << 12,
  kFunction = 1u << 13,  // a function of Python that runs code, loads a module or opens a file
  kScope = 1u << 14,     // one that lists names
  kSystem = 1u << 15,    // a module of Python's library that reaches the system, and is no other word
  kInternal = 1u << 16,  // an attribute by which Python shows the internals of functions, classes and frames
};
constexpr bool is_flags(Use) noexcept { return true; }

struct WordRow {
  std::string_view text;
  Use use = Use::kNone;
};
struct CallRow {
  std::string_view text;  // "module.function"
  Use owner = Use::kNone;
};

}  // namespace wafd::detect::code
