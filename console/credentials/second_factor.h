// The second factor of a user: a TOTP secret (totp.h) and the recovery codes that stand in for it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/clock.h"

namespace wafd::console {

inline constexpr std::size_t kRecoveryCodes = 10;

struct SecondFactor {
  std::string secret;                 // in hex; empty: there is none
  std::string pending;                // in hex: shown, not yet confirmed by a code
  std::int64_t last_step = 0;         // of the last code that was taken
  std::vector<std::string> recovery;  // SHA-256 of those that are left

  bool on() const noexcept { return !secret.empty(); }
};

enum class CodeUse : std::uint8_t { kRefused, kCode, kRecovery };

// A secret to be shown and confirmed, as bytes; the one in force stays until then.
std::string begin_factor(SecondFactor& factor, Random& random);

// True: `code` is one of the pending secret, which is in force from now on.
bool confirm_factor(SecondFactor& factor, std::string_view code, std::int64_t now_ms);

// Takes a code or a recovery code; either is good once. Blanks, hyphens and case do not count.
CodeUse use_code(SecondFactor& factor, std::string_view code, std::int64_t now_ms);

// New recovery codes in place of all others: 60 random bits each, "abcd-efgh-2345". Shown once; digests are
// kept.
std::vector<std::string> new_recovery_codes(SecondFactor& factor, Random& random);

}  // namespace wafd::console
