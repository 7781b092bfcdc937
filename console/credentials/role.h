// Permissions of users and tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wafd::console {

enum class Role : std::uint8_t { kViewer, kOperator, kAdmin };  // each may do what those before it may

const char* to_string(Role) noexcept;  // "viewer" | "operator" | "admin"
const char* scope_of(Role) noexcept;   // "read" | "write" | "admin", of a token
std::optional<Role> parse_role(std::string_view) noexcept;
std::optional<Role> parse_scope(std::string_view) noexcept;  // the role of a token's scope

}  // namespace wafd::console
