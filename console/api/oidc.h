// Parts of sign-in by a provider that the settings and the log-in share (oidc_api.cc, oidc_sign_in_api.cc).
#pragma once

#include <functional>
#include <string>

#include "console/api/routing/route.h"
#include "console/api/services.h"
#include "console/oidc/sign_in.h"

namespace wafd::console {

inline constexpr std::string_view kOidcRedirectPath = "/oidc/callback";

// Does `work` on a thread that may wait, then `then` on the console loop, where what was learned of the
// provider is kept. Where the thread has no room, the answer is 503.
void ask_provider(Services& services, OidcSettings settings, const std::string& who, const Respond& respond,
                  std::function<Result<void>(SignInContext&)> work, std::function<void(Result<void>)> then);

// kIo is 503 with the way that is left, all else 401.
HttpResponse sign_in_problem(const Error& error);

// Sessions of people whose provider is not the one in force end, and so do log-ins that have begun.
void provider_changed(Services& services);

}  // namespace wafd::console
