// Limits shared by every ingest protocol of a listener: times, sizes, and the answer on overload.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/fair_queue.h"
#include "ingest/judge.h"

namespace wafd::ingest {

enum class OnOverload : std::uint8_t { kPass, kBlock };

// Values of one listener; immutable while it runs.
struct IngestLimits {
  std::int64_t budget_us =
      800'000;  // age at which judging ends; what had no turn by then is judged by its head
  OnOverload on_overload = OnOverload::kPass;
  bool enforcing = true;                     // false: every answer is pass; what would be denied is `monitor`
  std::size_t max_head_bytes = 128 * 1024;   // T1K: the rest is dropped; HTTP: 431 and a violation
  std::size_t max_body_bytes = 1024 * 1024;  // judged; the rest is read and dropped, and flagged
};

// The time that a request which came at `arrived_us` may still take. A late one gets a little, so that its
// head is judged.
TimeLimit time_limit(const IngestLimits& limits, Turn turn, std::int64_t arrived_us,
                     std::int64_t now_us) noexcept;

// The normal text of an address that arrived as text, or nothing if it is none: "::ffff:10.0.0.1" and
// "10.0.0.1:80" are "10.0.0.1". Views of text already normal are given back as they are; else `room` holds
// the result.
std::string_view clean_address(std::string_view text, std::string& room);

}  // namespace wafd::ingest
