// One engine for all tests of this program: what it decides at each sensitivity, and why.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "detect/core/record_json.h"
#include "detect/engine.h"
#include "detect/offline.h"

namespace wafd::detect {

class EngineUnderTest {
 public:
  EngineUnderTest() : engine_(Engine::build({})), scratch_((*engine_)->make_scratch()) {}

  void inspect(std::string_view bytes) { (*engine_)->inspect(split_request(bytes), *scratch_, verdict_); }
  bool denies(Sensitivity sensitivity) const { return deciding_finding(verdict_, sensitivity) >= 0; }
  const Verdict& verdict() const { return verdict_; }

  // The rule that decides at balanced, or 0.
  std::uint32_t deciding_rule() const {
    const int at = deciding_finding(verdict_, Sensitivity::kBalanced);
    return at < 0 ? 0 : verdict_.findings[static_cast<std::size_t>(at)].rule->number;
  }

  // The finding that decides at strict, for messages.
  std::string why() const {
    const int at = deciding_finding(verdict_, Sensitivity::kStrict);
    if (at < 0) return "nothing found";
    const Finding& finding = verdict_.findings[static_cast<std::size_t>(at)];
    std::string out = std::to_string(finding.rule->number) + " " +
                      to_string(finding.location, finding.in_name) + " [" + finding.decode_path + "] ";
    append_json_text(std::string_view(finding.payload).substr(0, 200), out);
    return out;
  }

 private:
  Result<std::unique_ptr<Engine>> engine_;
  std::unique_ptr<Scratch> scratch_;
  Verdict verdict_;
};

// Ordinary requests that are denied at balanced, by kind, and at most how many requests of it.
struct KnownLimit {
  std::string_view kind;
  std::size_t denied;
};

// Requests that were denied beyond the known limits. A limit that is no longer reached has to be lowered.
inline std::size_t beyond_limits(const std::map<std::string, std::size_t>& denied,
                                 std::span<const KnownLimit> limits) {
  std::size_t sum = 0;
  for (const auto& [kind, count] : denied) {
    fmt::print("balanced denies {} requests of kind \"{}\"\n", count, kind);
    const auto limit = std::find_if(limits.begin(), limits.end(),
                                    [&kind](const KnownLimit& one) { return one.kind == kind; });
    const std::size_t known = limit == limits.end() ? 0 : limit->denied;
    if (count > known) sum += count - known;
  }
  for (const KnownLimit& limit : limits) {
    const auto found = denied.find(std::string(limit.kind));
    EXPECT_EQ(found == denied.end() ? 0 : std::min(found->second, limit.denied), limit.denied)
        << "lower the limit of " << limit.kind;
  }
  return sum;
}

inline EngineUnderTest& engine() {
  static EngineUnderTest one;
  return one;
}

}  // namespace wafd::detect
