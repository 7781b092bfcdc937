// The end of a log-in, also of the first start's.
#pragma once

#include <optional>
#include <string>

#include "console/api/routing/route.h"
#include "console/api/services.h"

namespace wafd::console {

// Opens a session for a user that exists: the answer with the cookie.
// kDenied, where `shown` is no longer good, is answered as a wrong pair.
HttpResponse open_session(Services& services, Call& call, const std::string& username, int status,
                          const std::optional<CredentialStore::Shown>& shown = std::nullopt);

}  // namespace wafd::console
