// Log-ins that have begun at this console and whose browsers are still at the provider.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "console/oidc/provider.h"
#include "detect/core/clock.h"

namespace wafd::console {

// One thread. Bound to the browser by a cookie of its own, good once and for kPendingMs. When there are
// kMaxPending, the oldest one of the address with most of them goes: strangers crowd out their own.
class PendingSignIns {
 public:
  static constexpr std::int64_t kPendingMs = 10 * 60'000;
  static constexpr std::size_t kMaxPending = 2000;

  struct Begun {
    SignInAttempt attempt;
    std::string browser;  // the cookie's value; its digest is kept
  };
  Begun begin(std::string redirect_uri, std::string issuer, std::string address, Random& random,
              std::int64_t now_ms);
  // The attempt of that state, if this browser began it; it is used up by that.
  std::optional<SignInAttempt> take(std::string_view state, std::string_view browser, std::int64_t now_ms);
  void clear() noexcept { pending_.clear(); }
  std::size_t size() const noexcept { return pending_.size(); }

 private:
  struct Pending {
    SignInAttempt attempt;
    std::string browser_hash;
    std::string address;
    std::int64_t since_ms;
  };
  void make_room(std::int64_t now_ms);

  std::map<std::string, Pending, std::less<>> pending_;  // by digest of the state
};

}  // namespace wafd::console
