// Reads a dotted name of Java (Java Language Specification 3.8, 6.2) and says what the tables know of it.
#pragma once

#include <cstddef>
#include <string_view>

#include "detect/analyze/java/words.h"

namespace wafd::detect::java {

struct Name {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view text;
  Use words = Use::kNone;      // of all its words
  Use first = Use::kNone;      // of the first
  Reach reach = Reach::kNone;  // of the longest package that is known
  bool dotted = false;
  bool classy = false;  // a word behind the first begins with a capital
  bool has(Use use) const noexcept { return meets(words, use); }
};

// The name that begins at text[begin], a letter or an underscore. Linear in the name.
Name read_name(std::string_view text, std::size_t begin) noexcept;

// A class that no client has a reason to name: of the inside of the runtime or of a library, with its package
// before it. JSON-LD has "@type":"Product".
bool is_attack_class(std::string_view value) noexcept;

}  // namespace wafd::detect::java
