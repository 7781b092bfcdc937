// The first start: no default account, but a token that only who can read the terminal or the state folder
// knows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/core/clock.h"

namespace wafd::console {

inline constexpr std::int64_t kSetupWindowMs = 30 * 60 * 1000;

// One thread.
class Setup {
 public:
  // Makes a token and writes it to `setup-token` in the state folder (mode 0600) if `needed`; removes that
  // file else. Where it cannot be written, notice() says why, and no file stays: a full disk stops nobody's
  // protection.
  static Setup begin(const std::string& state_dir, bool needed, Random& random, std::int64_t now_ms);

  const std::string& token() const noexcept { return token_; }  // empty: not needed
  bool open(std::int64_t now_ms) const noexcept { return !token_.empty() && now_ms < closes_ms_; }
  const std::string& notice() const noexcept { return notice_; }
  std::int64_t closes_ms() const noexcept { return closes_ms_; }
  bool matches(std::string_view token) const noexcept;
  void finish();  // the first user exists: the token is worth nothing any more, its file goes

 private:
  std::string path_;
  std::string token_;
  std::string notice_;
  std::int64_t closes_ms_ = 0;
};

}  // namespace wafd::console
