// Lookup of words in the tables of this folder.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/flags.h"

namespace wafd::detect::php {

enum class Use : std::uint32_t {
  kNone = 0,
  kOwn = 1u << 0,         // a function whose name neither prose nor other languages have
  kOrdinary = 1u << 1,    // a function whose name is an ordinary word too
  kStrong = 1u << 2,      // and that runs commands or code, or changes files
  kRuns = 1u << 3,        // runs what it is given: a command, code, a function by its name
  kNamed = 1u << 4,       // what such a function is told to call
  kDecodes = 1u << 5,     // what disguised code is decoded with
  kBare = 1u << 6,        // does something without an argument
  kPrints = 1u << 7,      // prints its argument
  kDigest = 1u << 8,      // gives a value by which a caller sees that it ran
  kLead = 1u << 9,        // a word that an expression follows
  kOperator = 1u << 10,   // a word that follows an expression
  kIncludes = 1u << 11,   // takes in a file as code
  kMakes = 1u << 12,      // new
  kKlass = 1u << 13,      // a class that calls what it is named, or opens what it is given
  kRequest = 1u << 14,    // a variable that holds the request, without its $
  kStatement = 1u << 15,  // begins a statement behind a short tag
  kLibrary = 1u << 16,    // the C library has a function of that name too
  kEvaluates = 1u << 17,  // runs its argument as PHP
};
constexpr bool is_flags(Use) noexcept { return true; }

struct WordRow {
  std::string_view text;
  Use use = Use::kNone;
};

// Who has a directive.
enum class Of : std::uint8_t { kOwn, kShared };

struct DirectiveRow {
  std::string_view text;
  Of of = Of::kOwn;
};

}  // namespace wafd::detect::php
