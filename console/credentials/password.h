// Passwords: Argon2id (RFC 9106) and what a password must be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/core/clock.h"
#include "detect/core/error.h"

namespace wafd::console {

inline constexpr std::size_t kMinPasswordBytes = 12;
inline constexpr std::size_t kMaxPasswordBytes = 128;

struct PasswordCost {
  std::uint32_t memory_kib = 19 * 1024;
  std::uint32_t passes = 2;
};

// Encoded hash ("$argon2id$v=19$m=19456,t=2,p=1$…"). Takes tens of milliseconds and `memory_kib`: never on a
// loop.
Result<std::string> hash_password(std::string_view password, Random& random, PasswordCost cost = {});
bool verify_password(std::string_view password, const std::string& encoded) noexcept;

// A hash of nothing anyone knows, at the same cost: what is verified for users that do not exist.
const std::string& nobody_hash();

// Refused: under 12 or over 128 bytes, a common password, one character or a short run repeated, the user's
// name with little else. Errors begin with "password: ".
Result<void> check_password(std::string_view password, std::string_view username);

}  // namespace wafd::console
