// Remembers fields in which nothing was found: header values, cookies, paths and names of parameters come
// again in request after request, and a comparison is all that they then cost.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "detect/fields.h"

namespace wafd::detect {

// A table of fixed size; a later field takes the place of an earlier one. Whole fields are compared, never
// their hashes alone, so that a verdict does not depend on what came before. One thread.
class CleanMemo {
 public:
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::size_t kSlotBytes =
      512;  // name, decode path and value together; longer ones are not kept

  struct Place {
    std::size_t slot = kSlots;  // kSlots: the field is too long
    std::uint32_t work = 0;     // what judging it took (only set if it is known)
    bool known = false;
  };

  CleanMemo();
  // Where the field stands in the table or would stand.
  Place find(const Field& field) const noexcept;
  // `field` was judged, needed `work`, held no further fields, and nothing at all was found in it.
  void keep(const Place& place, const Field& field, std::uint32_t work) noexcept;

 private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t work = 0;
    std::uint32_t kind = 0;  // location, in_name, coding, binary, depth; 0: free
    std::uint16_t name = 0;  // lengths
    std::uint16_t path = 0;
    std::uint16_t raw = 0;
  };
  std::vector<Entry> entries_;
  std::unique_ptr<char[]> octets_;
};

}  // namespace wafd::detect
