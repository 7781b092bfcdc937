// Patterns that operators write for hosts, paths and parameter names.
#pragma once

#include <string_view>

namespace wafd::detect {

// `*` stands for any run without `separator`, `**` for any run; every other octet for itself. Time is at most
// |pattern| x |text|.
bool glob_match(std::string_view pattern, std::string_view text, char separator) noexcept;

// "shop.example", or "*.example" for every host below example (not example itself). ASCII case does not
// count.
bool host_match(std::string_view pattern, std::string_view host) noexcept;

}  // namespace wafd::detect
