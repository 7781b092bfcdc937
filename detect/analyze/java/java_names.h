// What Java names mean to an attacker: classes of deserialisation chains, classes that start processes or
// scripts, methods of reflection, packages that a client has no reason to name. Sources: the JDK's API
// documentation, the class lists that Jackson, fastjson and XStream refuse, the published gadget chains.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "detect/core/word_table.h"

namespace wafd::detect {

// One segment of a dotted name.
enum class JavaWord : std::uint8_t {
  kNone,
  kGadget,      // class of a deserialisation chain, found nowhere else
  kRunner,      // starts a process or a script engine
  kReflection,  // method that reaches classes or members by their names
  kOgnl,        // what unlocks OGNL in Struts
  kClass,       // the property "class" itself
  kLoader,      // property of a class that leads to its loader
};

// A dotted name, or the package that it begins with; the longest that is known counts.
enum class JavaPackage : std::uint8_t {
  kNone,
  kPlain,    // the platform or a library: odd as a value, no more
  kLibrary,  // odd as a value; a class of it is an attack
  kInner,    // nobody outside names it
  kRuns,     // a class that starts a process or a script engine
};

JavaWord java_word(std::string_view segment, std::uint32_t hash) noexcept;
JavaPackage java_package(std::string_view dotted, std::uint32_t hash) noexcept;

// Every entry as it is written in Java, for hints.
std::span<const KindOfWord<JavaWord>> java_words() noexcept;
std::span<const KindOfWord<JavaPackage>> java_packages() noexcept;

}  // namespace wafd::detect
