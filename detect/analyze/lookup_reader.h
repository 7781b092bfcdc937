// Resolves nested lookups ${…} as Log4j and Commons Text do: ${lower:J}, ${::-j}, ${env:X:-j} become what
// they give.
#pragma once

#include <string>
#include <string_view>

namespace wafd::detect {

struct LookupReading {
  std::string resolved;  // the text with every lookup whose value is known replaced
  bool nested = false;   // a lookup stood inside of another, or gave a part of a name
};

// Linear in the text: lookups deeper than 64 and longer than 4096 octets are left as they are.
LookupReading resolve_lookups(std::string_view text);

// The prefix of a lookup that reads or runs something ("jndi", "script", "env"), or nothing.
enum class LookupKind { kNone, kJndi, kCode, kRead };
LookupKind lookup_kind(std::string_view prefix) noexcept;

}  // namespace wafd::detect
