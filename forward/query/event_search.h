// Finds events in a ring by query and time, newest first, in pages: list, export, `wafd events`.
#pragma once

#include <cstdint>
#include <functional>

#include "forward/query/event_query.h"
#include "forward/ring/ring.h"

namespace wafd::forward {

struct SearchRange {
  std::int64_t from_ms = INT64_MIN;   // inclusive, Unix time
  std::int64_t to_ms = INT64_MAX;     // exclusive
  std::uint64_t before = UINT64_MAX;  // only sequences below
  std::size_t limit = 100;            // events
  // Work of one call: heads judged and bytes of records read. A loop that must not stall asks for little and
  // goes on with SearchEnd::before in its next turn.
  std::size_t max_heads = SIZE_MAX;
  std::uint64_t max_bytes = UINT64_MAX;
};

struct SearchEnd {
  std::uint64_t found = 0;
  std::uint64_t before = 0;  // go on here; 0: the end of the ring was reached
};

// `visit` gets each match; its view is sound until it returns; false ends the search behind this one.
SearchEnd search_newest_first(RingReader& reader, const EventQuery& query, const SearchRange& range,
                              const std::function<bool(const RecordView&)>& visit);

}  // namespace wafd::forward
