// The ids of rules, as events and exceptions have them.
#pragma once

#include <string>
#include <string_view>

namespace wafd::detect {

// "<module>/" and 32 hex digits: two 64-bit FNV-1a digests (the second over the bytes in reverse order) of
// "<module>/<key>", each finished with MurmurHash3's 64-bit mixer. Stable across releases and machines; it
// names a rule and protects nothing.
std::string rule_id(std::string_view module, std::string_view key);

}  // namespace wafd::detect
