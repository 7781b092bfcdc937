// People's remarks on events, as searches see them: an immutable snapshot, by the first 8 bytes of the event
// id (ids are random; the ring's heads in memory hold no more of them).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "detect/core/error.h"
#include "detect/core/event_id.h"

namespace wafd::console {

inline std::uint64_t id_prefix(const EventId& id) noexcept {
  std::uint64_t prefix = 0;
  std::memcpy(&prefix, id.bytes.data(), sizeof prefix);
  return prefix;
}

// The values of `is:` in a query. An event that nobody touched is open.
enum class MarkBit : std::uint8_t {
  kClosed = 1,
  kTruePositive = 2,
  kFalsePositive = 4,
  kPinned = 8,
};
using Marks = std::unordered_map<std::uint64_t, std::uint8_t>;  // bits by prefix; absent: none

// The `is:` terms of a query, ANDed.
struct MarkTerms {
  std::uint8_t needed = 0;   // bits that must be set
  std::uint8_t refused = 0;  // bits that must not

  bool empty() const noexcept { return needed == 0 && refused == 0; }
  bool hold(std::uint8_t bits) const noexcept { return (bits & needed) == needed && (bits & refused) == 0; }
};

// Takes `is:open`, `is:closed`, `is:true_positive`, `is:false_positive`, `is:pinned` and their negations out
// of `query`, blanks in their place, so that offsets stay. They stand beside the other terms: under `or` and
// in parentheses they are errors, with their offset.
Result<MarkTerms> take_mark_terms(std::string& query);

// For completion: the words behind `is:`.
std::span<const std::string_view> mark_words() noexcept;

}  // namespace wafd::console
