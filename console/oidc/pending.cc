#include "console/oidc/pending.h"

#include <algorithm>
#include <utility>

#include "console/base/secrets.h"

namespace wafd::console {

void PendingSignIns::make_room(std::int64_t now_ms) {
  std::erase_if(pending_, [&](const auto& one) { return now_ms - one.second.since_ms >= kPendingMs; });
  if (pending_.size() < kMaxPending) return;
  std::map<std::string_view, std::size_t> crowds;
  for (const auto& one : pending_) ++crowds[one.second.address];
  const auto largest = std::max_element(crowds.begin(), crowds.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  auto oldest = pending_.end();
  for (auto at = pending_.begin(); at != pending_.end(); ++at)
    if (at->second.address == largest->first &&
        (oldest == pending_.end() || at->second.since_ms < oldest->second.since_ms))
      oldest = at;
  pending_.erase(oldest);
}

PendingSignIns::Begun PendingSignIns::begin(std::string redirect_uri, std::string issuer, std::string address,
                                            Random& random, std::int64_t now_ms) {
  make_room(now_ms);
  Begun out;
  out.attempt = {make_secret(random), make_secret(random), make_secret(random), std::move(redirect_uri),
                 std::move(issuer)};
  out.browser = make_secret(random);
  pending_.emplace(sha256_hex(out.attempt.state),
                   Pending{out.attempt, sha256_hex(out.browser), std::move(address), now_ms});
  return out;
}

std::optional<SignInAttempt> PendingSignIns::take(std::string_view state, std::string_view browser,
                                                  std::int64_t now_ms) {
  const auto found = pending_.find(sha256_hex(state));
  if (found == pending_.end() || !equal_secret(found->second.browser_hash, sha256_hex(browser)))
    return std::nullopt;
  SignInAttempt attempt = std::move(found->second.attempt);
  const bool late = now_ms - found->second.since_ms >= kPendingMs;
  pending_.erase(found);
  if (late) return std::nullopt;
  return attempt;
}

}  // namespace wafd::console
