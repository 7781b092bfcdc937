#include "console/credentials/role.h"

#include <array>

namespace wafd::console {
namespace {

constexpr std::array<const char*, 3> kRoles{"viewer", "operator", "admin"};
constexpr std::array<const char*, 3> kScopes{"read", "write", "admin"};

std::optional<Role> find(std::string_view text, const std::array<const char*, 3>& names) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return static_cast<Role>(i);
  }
  return std::nullopt;
}

}  // namespace

const char* to_string(Role role) noexcept { return kRoles[static_cast<std::size_t>(role)]; }
const char* scope_of(Role role) noexcept { return kScopes[static_cast<std::size_t>(role)]; }
std::optional<Role> parse_role(std::string_view text) noexcept { return find(text, kRoles); }
std::optional<Role> parse_scope(std::string_view text) noexcept { return find(text, kScopes); }

}  // namespace wafd::console
