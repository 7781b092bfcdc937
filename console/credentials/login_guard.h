// How long a client must wait before it may try another password: per address, and per account without
// letting a stranger lock its owner out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace wafd::console {

// Times are milliseconds of a clock that does not jump, given by the caller. One thread. Memory is bounded:
// beyond kMaxEntries the oldest go.
class LoginGuard {
 public:
  static constexpr std::size_t kMaxEntries = 20'000;
  static constexpr int kFreeFailures = 5;           // of one address for one account
  static constexpr int kFreeAddressFailures = 20;   // of one address for any account
  static constexpr int kFreeAccountFailures = 100;  // of one account, from anywhere
  static constexpr std::int64_t kMaxDelayMs = 60'000;
  static constexpr std::int64_t kMaxStrangersDelayMs = 2'000;
  static constexpr std::int64_t kForgetMs = 900'000;  // without a failure

  // `device`: tells a client that logged in to this account before, whatever its address (digest of its
  // device cookie, or of its session); empty: none. It has tries of its own, which nobody else uses up. 0: go
  // ahead; else the milliseconds to wait.
  std::int64_t delay_ms(std::string_view account, std::string_view address, std::int64_t now_ms,
                        std::string_view device = {});
  void failed(std::string_view account, std::string_view address, std::int64_t now_ms,
              std::string_view device = {});
  // Takes one failed() back: the password was not looked at.
  void not_tried(std::string_view account, std::string_view address, std::string_view device = {});
  void succeeded(std::string_view account, std::string_view address, std::int64_t now_ms,
                 std::string_view device = {});
  // From here somebody logged in to the account before, also in an earlier life of the program.
  void know(std::string_view account, std::string_view address);
  bool knows(std::string_view account, std::string_view address) const;

 private:
  struct Entry {
    int failures = 0;
    std::int64_t last_ms = 0;
  };
  std::int64_t wait_of(const std::string& key, int free, std::int64_t now_ms);
  Entry& entry(const std::string& key, std::int64_t now_ms);
  void make_room(std::int64_t now_ms);

  std::unordered_map<std::string, Entry> entries_;
  std::unordered_set<std::string>
      known_;  // pairs; their number is bounded by log-ins, so no stranger moves one out
};

// The part of an address that one party has: the whole IPv4 address, an IPv6 /64.
std::string address_key(std::string_view address);

}  // namespace wafd::console
