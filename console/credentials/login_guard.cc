#include "console/credentials/login_guard.h"

#include <algorithm>
#include <vector>

#include "detect/core/ip_address.h"

namespace wafd::console {
namespace {

std::string pair_key(std::string_view account, std::string_view address) {
  return "p" + std::string(account) + '\n' + address_key(address);
}
std::string address_only_key(std::string_view address) { return "a" + address_key(address); }
std::string device_key(std::string_view account, std::string_view device) {
  return "d" + std::string(account) + '\n' + std::string(device);
}
std::string account_only_key(std::string_view account) { return "u" + std::string(account); }

// The subjects that one try is counted for.
std::vector<std::string> keys_of_try(std::string_view account, std::string_view address,
                                     std::string_view device) {
  if (!device.empty()) return {device_key(account, device)};
  return {pair_key(account, address), address_only_key(address), account_only_key(account)};
}

}  // namespace

std::string address_key(std::string_view address) {
  auto parsed = IpAddress::parse(address);
  if (!parsed) return std::string(address);
  if (!parsed->is_v4()) std::fill(parsed->bytes.begin() + 8, parsed->bytes.end(), std::uint8_t{0});
  return parsed->text();
}

std::int64_t LoginGuard::wait_of(const std::string& key, int free, std::int64_t now_ms) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return 0;
  if (now_ms - found->second.last_ms > kForgetMs) {
    found->second.failures = 0;
    return 0;
  }
  const int over = found->second.failures - free;
  if (over < 0) return 0;
  const std::int64_t delay = std::min<std::int64_t>(kMaxDelayMs, std::int64_t{1000} << std::min(over, 6));
  return std::clamp<std::int64_t>(found->second.last_ms + delay - now_ms, 0, delay);
}

std::int64_t LoginGuard::delay_ms(std::string_view account, std::string_view address, std::int64_t now_ms,
                                  std::string_view device) {
  if (!device.empty()) return wait_of(device_key(account, device), kFreeFailures, now_ms);
  const std::string pair = pair_key(account, address);
  std::int64_t wait = std::max(wait_of(pair, kFreeFailures, now_ms),
                               wait_of(address_only_key(address), kFreeAddressFailures, now_ms));
  if (!known_.contains(pair)) {
    // Strangers share what an account grants them; its owner, on an address used before, does not wait for
    // them.
    wait = std::max(wait, std::min(kMaxStrangersDelayMs + 0,
                                   wait_of(account_only_key(account), kFreeAccountFailures, now_ms)));
  }
  return wait;
}

LoginGuard::Entry& LoginGuard::entry(const std::string& key, std::int64_t now_ms) {
  const auto found = entries_.find(key);
  if (found != entries_.end()) return found->second;
  if (entries_.size() >= kMaxEntries) make_room(now_ms);
  return entries_[key];
}

void LoginGuard::make_room(std::int64_t now_ms) {
  std::erase_if(entries_, [&](const auto& item) { return now_ms - item.second.last_ms > kForgetMs; });
  if (entries_.size() < kMaxEntries) return;
  std::vector<std::int64_t> times;
  times.reserve(entries_.size());
  for (const auto& item : entries_) times.push_back(item.second.last_ms);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  const std::int64_t limit = *middle;
  std::erase_if(entries_, [&](const auto& item) { return item.second.last_ms <= limit; });
}

void LoginGuard::failed(std::string_view account, std::string_view address, std::int64_t now_ms,
                        std::string_view device) {
  for (const std::string& key : keys_of_try(account, address, device)) {
    Entry& there = entry(key, now_ms);
    ++there.failures;
    there.last_ms = now_ms;
  }
}

void LoginGuard::not_tried(std::string_view account, std::string_view address, std::string_view device) {
  for (const std::string& key : keys_of_try(account, address, device)) {
    const auto found = entries_.find(key);
    if (found != entries_.end() && --found->second.failures <= 0) entries_.erase(found);
  }
}

void LoginGuard::succeeded(std::string_view account, std::string_view address, std::int64_t,
                           std::string_view device) {
  if (!device.empty()) entries_.erase(device_key(account, device));
  entries_.erase(pair_key(account, address));
  entries_.erase(address_only_key(address));
  know(account, address);
}

void LoginGuard::know(std::string_view account, std::string_view address) {
  if (known_.size() >= kMaxEntries) known_.clear();  // they log in again
  known_.insert(pair_key(account, address));
}

bool LoginGuard::knows(std::string_view account, std::string_view address) const {
  return known_.contains(pair_key(account, address));
}

}  // namespace wafd::console
