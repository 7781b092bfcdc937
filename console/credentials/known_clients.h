// From where and with which browsers people logged in before: they have tries of their own, which strangers
// cannot use up. Kept over restarts in `known-clients.json`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"

namespace wafd::console {

struct KnownClient {
  std::string address;  // address_key()
  std::string device;   // SHA-256 of the device cookie
  std::int64_t last_ms = 0;
};

// One thread. Times are Unix milliseconds.
class KnownClients {
 public:
  static constexpr std::size_t kMaxOfAccount = 32;  // beyond it the one used longest ago goes
  static constexpr std::size_t kMaxAccounts = 1000;
  static constexpr std::int64_t kForgetMs = 400ll * 24 * 3600 * 1000;

  // A file that cannot be read is put aside as known-clients.json.damaged and nothing is known; notice() says
  // so.
  static KnownClients open(const std::string& state_dir, std::int64_t now_ms);
  const std::string& notice() const noexcept { return notice_; }

  bool has_device(std::string_view account, std::string_view device) const;
  const std::map<std::string, std::vector<KnownClient>, std::less<>>& all() const noexcept {
    return clients_;
  }
  // After a log-in; saved at once.
  Result<void> remember(const std::string& account, KnownClient client);

 private:
  explicit KnownClients(std::string path) : path_(std::move(path)) {}
  bool load(std::string_view text, std::int64_t now_ms);
  std::string text() const;

  std::string path_;
  std::string notice_;
  std::map<std::string, std::vector<KnownClient>, std::less<>>
      clients_;  // by account, used longest ago first
};

}  // namespace wafd::console
