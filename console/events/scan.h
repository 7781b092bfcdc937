// Walks the ring backwards, newest first, and gives the records that a filter wants. What the index in memory
// knows decides first, so that records nobody asked for are not read.
#pragma once

#include <cstdint>
#include <functional>

#include "console/events/search.h"
#include "forward/ring/ring.h"

namespace wafd::console {

// Work of one turn of a scan: records read, their bytes, heads judged.
struct ScanTurn {
  std::size_t max_records = 512;
  std::size_t max_bytes = 4u << 20;
  std::size_t max_heads = SIZE_MAX;
};

// Sequence before which every record is too old for `filter`.
std::uint64_t lowest_sequence(forward::RingReader& reader, const EventFilter& filter);

// `reader` and `filter` must outlive it. One thread.
class BackScan {
 public:
  // Only sequences from `lowest` on and below `before`.
  BackScan(forward::RingReader& reader, const EventFilter& filter, std::uint64_t before,
           std::uint64_t lowest = 0);

  // `take` gets each match; its view is sound until it returns; false ends the turn, and the next one goes on
  // behind that record. False: there is nothing further.
  bool turn(const ScanTurn& limits, const std::function<bool(const forward::RecordView&)>& take);

 private:
  forward::RingReader& reader_;
  const EventFilter& filter_;
  std::uint64_t before_;
  std::uint64_t lowest_;  // records before it are too old or not asked for
  std::uint64_t bound_;   // the latter alone, to be kept exactly
};

// Every match until `take` says false. True: all of them were given.
bool scan_all(forward::RingReader& reader, const EventFilter& filter, std::uint64_t before,
              const std::function<bool(const forward::RecordView&)>& take);

// Heads of the matches with sequences below `before`, oldest first, until `visit` says false. Only for
// filters that are head_only().
void visit_matching_heads(forward::RingReader& reader, const EventFilter& filter, std::uint64_t before,
                          const forward::HeadFilter& visit);

}  // namespace wafd::console
