// One-time passwords by time (RFC 6238 over RFC 4226): six digits, SHA-1, steps of 30 s, what every
// authenticator app does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wafd::console {

inline constexpr std::int64_t kTotpStepMs = 30'000;
inline constexpr std::size_t kTotpSecretBytes = 20;  // RFC 4226 section 4, R6: 160 bits are recommended
inline constexpr int kTotpSkew = 1;  // steps that a clock may be early or late (RFC 6238 section 5.2)

// RFC 4226 section 5.3: the code of a counter, `digits` long. `key` is bytes.
std::string hotp(std::string_view key, std::uint64_t counter, int digits = 6);

// The step whose code `code` is, if it is one of those around `now_ms` and later than `last_step`: a code is
// taken once (RFC 6238 section 5.2). All candidates are compared, in a time that does not depend on `code`.
std::optional<std::int64_t> totp_step(std::string_view key, std::string_view code, std::int64_t now_ms,
                                      std::int64_t last_step);

// RFC 4648 section 6, without padding.
std::string base32(std::string_view bytes);

// The content of a QR code for an authenticator app: otpauth://totp/ISSUER:ACCOUNT?secret=…&issuer=…
std::string otpauth_uri(std::string_view issuer, std::string_view account, std::string_view key);

}  // namespace wafd::console
