// Strings inside of serialised objects: PHP serialize() and Java's object stream. Each is a value of its own
// to judge.
#pragma once

#include <string_view>
#include <vector>

namespace wafd::detect {

// Limits: what is beyond stays part of the raw value, which is judged too.
inline constexpr std::size_t kMaxSerializedStrings = 64;

// PHP: s:5:"hello"; with class names of O: and C:. `out` gets views into `in`; lengths that do not fit are
// read up to the closing '";'. False if `in` does not hold such a value.
bool maybe_php_serialized(std::string_view in) noexcept;
bool php_serialized_strings(std::string_view in, std::vector<std::string_view>& out);

// Java: stream magic AC ED 00 05 anywhere in the first 64 bytes; strings of TC_STRING and class
// descriptions.
bool maybe_java_serialized(std::string_view in) noexcept;
bool java_serialized_strings(std::string_view in, std::vector<std::string_view>& out);

}  // namespace wafd::detect
