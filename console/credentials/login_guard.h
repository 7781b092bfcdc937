// How long a client must wait before it may try another password: per address, and per account without
// letting a stranger lock its owner out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace wafd::console {

// Times are Unix milliseconds, given by the caller. One thread. Memory is bounded: beyond kMaxEntries the
// oldest go.
class LoginGuard {
 public:
  static constexpr std::size_t kMaxEntries = 20'000;
  static constexpr int kFreeFailures = 5;           // of one address for one account
  static constexpr int kFreeAddressFailures = 20;   // of one address for any account
  static constexpr int kFreeAccountFailures = 100;  // of one account, from anywhere
  static constexpr std::int64_t kMaxDelayMs = 60'000;
  static constexpr std::int64_t kMaxStrangersDelayMs = 2'000;
  static constexpr std::int64_t kForgetMs = 900'000;  // without a failure

  // 0: go ahead; else the milliseconds to wait.
  std::int64_t delay_ms(std::string_view account, std::string_view address, std::int64_t now_ms);
  void failed(std::string_view account, std::string_view address, std::int64_t now_ms);
  void succeeded(std::string_view account, std::string_view address, std::int64_t now_ms);

 private:
  struct Entry {
    int failures = 0;
    std::int64_t last_ms = 0;
    bool known = false;  // a log-in succeeded
  };
  std::int64_t wait_of(const std::string& key, int free, std::int64_t now_ms);
  Entry& entry(const std::string& key, std::int64_t now_ms);
  void make_room(std::int64_t now_ms);

  std::unordered_map<std::string, Entry> entries_;
};

// The part of an address that one party has: the whole IPv4 address, an IPv6 /64.
std::string address_key(std::string_view address);

}  // namespace wafd::console
