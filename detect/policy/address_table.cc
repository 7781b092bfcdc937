#include "detect/policy/address_table.h"

namespace wafd::detect {

IpAddress AddressTable::cut(IpAddress address, std::uint8_t bits) noexcept {
  for (std::size_t i = 0; i < address.bytes.size(); ++i) {
    const std::size_t first = i * 8;
    if (first >= bits) {
      address.bytes[i] = 0;
    } else if (bits - first < 8) {
      address.bytes[i] = static_cast<std::uint8_t>(address.bytes[i] & (0xff00u >> (bits - first)));
    }
  }
  return address;
}

void AddressTable::add(const Cidr& cidr, std::uint32_t value) {
  auto length = std::find_if(lengths_.begin(), lengths_.end(),
                             [&](const Length& l) { return l.bits == cidr.prefix_bits; });
  if (length == lengths_.end()) length = lengths_.insert(length, Length{cidr.prefix_bits, {}});
  length->values.emplace_back(cidr.network, value);
}

void AddressTable::sort() {
  std::sort(lengths_.begin(), lengths_.end(),
            [](const Length& a, const Length& b) { return a.bits > b.bits; });
  for (Length& length : lengths_) std::sort(length.values.begin(), length.values.end());
}

}  // namespace wafd::detect
