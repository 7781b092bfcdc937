#include "console/events/scan.h"

#include <algorithm>

namespace wafd::console {
namespace {

constexpr std::size_t kHeadsATurn = 1u << 17;

// Of its time, and marked as wanted.
bool in_sight(const EventFilter& filter, const forward::RecordHead& head) {
  return head.time_ms >= filter.from_ms && head.time_ms < filter.to_ms && filter.marks_hold(head.id_prefix);
}

}  // namespace

std::uint64_t lowest_sequence(forward::RingReader& reader, const EventFilter& filter) {
  if (filter.from_ms <= EventFilter::kDisorderMs) return 0;
  return reader.first_at(filter.from_ms - EventFilter::kDisorderMs);
}

BackScan::BackScan(forward::RingReader& reader, const EventFilter& filter, std::uint64_t before,
                   std::uint64_t lowest)
    : reader_(reader),
      filter_(filter),
      before_(before),
      lowest_(std::max(lowest, lowest_sequence(reader, filter))),
      bound_(lowest) {}

bool BackScan::turn(const ScanTurn& limits, const std::function<bool(const forward::RecordView&)>& take) {
  if (before_ == 0 || before_ <= lowest_) return false;
  std::uint64_t scanned_to = 0;
  const auto wanted = [this](const forward::RecordHead& head) {
    return head.seq >= bound_ && in_sight(filter_, head) &&
           filter_.query.judge(head) != forward::HeadMatch::kNo;
  };
  for (const forward::RecordView& record : reader_.read_before(before_, limits.max_records, limits.max_bytes,
                                                               limits.max_heads, wanted, scanned_to)) {
    if (!filter_.matches(record)) continue;
    before_ = record.seq;
    if (!take(record)) return true;
  }
  before_ = scanned_to;
  return before_ != 0 && before_ > lowest_;
}

bool scan_all(forward::RingReader& reader, const EventFilter& filter, std::uint64_t before,
              const std::function<bool(const forward::RecordView&)>& take) {
  BackScan scan(reader, filter, before);
  bool stopped = false;
  // Turns of which each stays in the processor's cache, and none takes long.
  const ScanTurn limits{256, 512u << 10, kHeadsATurn};
  while (scan.turn(limits, [&](const forward::RecordView& record) {
    stopped = !take(record);
    return !stopped;
  })) {
    if (stopped || filter.stopped()) return false;
  }
  return !stopped;
}

void visit_matching_heads(forward::RingReader& reader, const EventFilter& filter, std::uint64_t before,
                          const forward::HeadFilter& visit) {
  std::size_t heads = 0;
  reader.visit_heads(lowest_sequence(reader, filter), before, [&](const forward::RecordHead& head) {
    if (++heads % kHeadsATurn == 0 && filter.stopped()) return false;
    return !in_sight(filter, head) || filter.query.judge(head) != forward::HeadMatch::kYes || visit(head);
  });
}

}  // namespace wafd::console
