// Remembers fields in which nothing was found: header values, cookies, paths and names of parameters come
// again in request after request, and a comparison is all that they then cost.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "detect/fields.h"

namespace wafd::detect {

// Whom the gate asked about a field.
enum class Asked : bool { kNobody, kSomebody };

// Of fixed size; what is kept takes the place of what was kept before. Whole values are compared, never
// their hashes alone, so that a verdict does not depend on what came before; who makes hashes collide only
// makes fields be judged that need not be. A field's name and decode path count only where somebody was
// asked: the gate sees neither. One thread.
class CleanMemo {
 public:
  static constexpr std::size_t kSlots = 8192;
  static constexpr std::size_t kOctets = 4u << 20;  // of all fields kept
  // Name, decode path and value together; a longer field is not kept.
  static constexpr std::size_t kMaxFieldBytes = 16u << 10;

  struct Place {
    std::size_t slot = kSlots;  // kSlots: the field is too long
    std::uint64_t hash = 0;
    std::uint32_t work = 0;  // what judging it took (only set if it is known)
    bool known = false;
  };

  CleanMemo();
  // Where the field stands in the table or would stand.
  Place find(const Field& field) const noexcept;
  // `field` was judged, needed `work`, held no further fields, and nothing at all was found in it. `place` is
  // what find() said of it.
  void keep(const Place& place, const Field& field, std::uint32_t work, Asked asked) noexcept;

 private:
  static constexpr std::size_t kShortBytes = 16;
  struct alignas(32) Entry {
    // Of a value of at most kShortBytes, kept with nobody asked: all its octets, in two words. Else `first`
    // is where its octets are, counted from the first ever written; they stand there modulo kOctets. `last`
    // is then the length of the name, and that of the path above it.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint32_t hash = 0;
    std::uint32_t work = 0;
    std::uint32_t kind = 0;  // location, in_name, coding, binary, media, depth, and what is kept; 0: free
    std::uint32_t raw = 0;   // its length
  };
  static std::size_t slot_of(std::uint64_t hash) noexcept;
  bool overwritten(const Entry& entry) const noexcept { return written_ - entry.first > kOctets; }
  std::uint64_t write(std::span<const std::string_view> parts) noexcept;
  std::vector<Entry> entries_;
  std::unique_ptr<char[]> octets_;
  std::uint64_t written_ = 0;
};

}  // namespace wafd::detect
