// The state of sign-in by a provider between two requests. The console loop's alone.
#pragma once

#include "console/oidc/pending.h"
#include "console/oidc/sign_in.h"

namespace wafd::console {

struct OidcState {
  PendingSignIns pending;
  KnownProvider provider;
};

}  // namespace wafd::console
