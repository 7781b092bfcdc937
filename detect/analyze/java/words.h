// Lookup of names in the tables of this folder.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/flags.h"

namespace wafd::detect::java {

// One word between the dots of a name.
enum class Use : std::uint32_t {
  kNone = 0,
  kGadget = 1u << 0,      // a class of a chain of deserialization, found nowhere else
  kRunner = 1u << 1,      // starts a process or a script engine
  kReflection = 1u << 2,  // a method that reaches classes or members by their names
  kOgnl = 1u << 3,        // what unlocks OGNL in Struts
  kKlass = 1u << 4,       // the property "class" itself
  kLoader = 1u << 5,      // a property of a class that leads to its loader
  kContext = 1u << 6,     // what Struts gives to an expression of OGNL as #name
  kPage = 1u << 7,        // an object of a page
  kImported = 1u << 8,    // a type that Spring's expressions know without its package
};
constexpr bool is_flags(Use) noexcept { return true; }

struct WordRow {
  std::string_view text;
  std::string_view written;  // as Java writes it
  Use use = Use::kNone;
};

// How odd it is that a client names a package.
enum class Reach : std::uint8_t {
  kNone,
  kPlain,    // of the platform or a library
  kLibrary,  // the same, but a class of it serves in attacks
  kInner,    // nobody outside names a class of it
  kRuns,     // a class that starts a process or a script engine
};
struct PackageRow {
  std::string_view text;
  Reach reach = Reach::kNone;
};

enum class Lookup : std::uint8_t { kNone, kJndi, kRuns, kReads };
struct LookupRow {
  std::string_view text;
  Lookup lookup = Lookup::kNone;
};

}  // namespace wafd::detect::java
