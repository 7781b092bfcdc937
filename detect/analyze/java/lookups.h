// Resolves nested lookups ${…} as Log4j and Commons Text do: ${lower:J}, ${::-j}, ${env:X:-j}, ${date:'j'},
// ${base64decoder:ag} become what they give.
#pragma once

#include <memory_resource>
#include <string>
#include <string_view>

#include "detect/analyze/java/words.h"

namespace wafd::detect::java {

struct LookupReading {
  std::pmr::string resolved;  // the text with every lookup whose value is known replaced
  bool nested = false;        // a lookup gave a part of another one's name
  bool hides = false;         // a lookup stood there that only changes letters or has no name
};

// Linear in the text: lookups deeper than 64 and longer than 4096 bytes are left as they are.
LookupReading resolve_lookups(std::string_view text,
                              std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// The effect of a lookup with that prefix ("jndi", "script", "env").
Lookup lookup_of(std::string_view prefix) noexcept;

}  // namespace wafd::detect::java
