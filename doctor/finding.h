// Findings of `wafd doctor`: one for each check, with its remedy where the check failed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace wafd::doctor {

enum class Level : std::uint8_t { kOk, kWarning, kError };
std::string_view to_string(Level level) noexcept;  // ok | warning | error

struct Finding {
  Level level = Level::kOk;
  std::string check;   // configuration | state | files | disk | clock | names | certificates | limits | …
  std::string text;    // one sentence
  std::string remedy;  // what to do; empty where it is ok

  bool operator==(const Finding&) const = default;
};

Level worst(std::span<const Finding> findings) noexcept;
// 0: all is well, 1: warnings, 2: errors.
int exit_status(Level worst) noexcept;

// A line for each, with its remedy below, then one that counts.
std::string to_text(std::span<const Finding> findings);
// {"worst":"…","findings":[{"check","level","text","remedy"}]}
boost::json::object to_json(std::span<const Finding> findings);

}  // namespace wafd::doctor
