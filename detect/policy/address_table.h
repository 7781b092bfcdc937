// Which of many prefixes hold an address: one binary search for each length of prefix that occurs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "detect/core/ip_address.h"

namespace wafd::detect {

// Filled, then sort()ed, then only read.
class AddressTable {
 public:
  void add(const Cidr& cidr, std::uint32_t value);
  void sort();
  bool empty() const noexcept { return lengths_.empty(); }

  // Calls `visit(value)` for every prefix that holds `address`, the longest first.
  template <class Visit>
  void find(const IpAddress& address, Visit visit) const {
    for (const Length& length : lengths_) {
      Cidr cidr{cut(address, length.bits), length.bits};
      if (!cidr.contains(address)) continue;  // an IPv4 address is in no IPv6 prefix
      auto at = std::lower_bound(length.values.begin(), length.values.end(),
                                 std::pair(cidr.network, std::uint32_t{0}));
      for (; at != length.values.end() && at->first == cidr.network; ++at) visit(at->second);
    }
  }

 private:
  struct Length {
    std::uint8_t bits = 0;
    std::vector<std::pair<IpAddress, std::uint32_t>> values;
  };
  static IpAddress cut(IpAddress address, std::uint8_t bits) noexcept;

  std::vector<Length> lengths_;  // longest first
};

}  // namespace wafd::detect
