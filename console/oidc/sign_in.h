// Asking the provider: its description, the code against tokens, who that is. Waits for answers, so it runs
// on a work thread; what it learned of the provider is a value that is handed on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "console/base/web.h"
#include "console/oidc/jwk.h"
#include "console/oidc/provider.h"
#include "console/settings/oidc_settings.h"

namespace wafd::console {

// Read from the provider; read again after kProviderFreshMs, and keys when none of them is meant.
struct KnownProvider {
  ProviderMetadata metadata;
  std::vector<Jwk> keys;
  std::int64_t read_ms = 0;  // 0: never
};
inline constexpr std::int64_t kProviderFreshMs = 10 * 60'000;

struct SignInContext {
  OidcSettings settings;
  WebFetch fetch;
  std::int64_t now_ms = 0;
  KnownProvider provider;  // what is known before and afterwards
};

// Description and keys. kIo: the provider does not answer; kDenied: its answers are refused.
Result<void> read_provider(SignInContext& context);
// Likewise, unless what is known is fresh.
Result<void> know_provider(SignInContext& context);

struct SignedIn {
  std::string subject;
  std::string username;  // as the provider has it; may be empty
  std::vector<std::string> groups;
  bool second_factor = false;  // the ID token tells of one (amr mfa, or one of acr_values)
};
// The answer that the browser brought back: the code, and who says that it gave it (RFC 9207; may be empty).
struct AuthorizationAnswer {
  std::string code;
  std::string issuer;
};
Result<SignedIn> redeem(SignInContext& context, const SignInAttempt& attempt,
                        const AuthorizationAnswer& answer);

}  // namespace wafd::console
