#include "console/events/scan.h"

namespace wafd::console {
namespace {

// Sequence before which every record is too old.
std::uint64_t lowest_of(forward::RingReader& reader, const EventFilter& filter) {
  if (filter.from_ms <= EventFilter::kDisorderMs) return 0;
  return reader.first_at(filter.from_ms - EventFilter::kDisorderMs);
}

// Of its time, and marked as wanted.
bool in_sight(const EventFilter& filter, const forward::RecordHead& head) {
  return head.time_ms >= filter.from_ms && head.time_ms < filter.to_ms && filter.marks_hold(head.id_prefix);
}

}  // namespace

BackScan::BackScan(forward::RingReader& reader, const EventFilter& filter, std::uint64_t before)
    : reader_(reader), filter_(filter), before_(before), lowest_(lowest_of(reader, filter)) {}

bool BackScan::turn(const ScanTurn& limits, const std::function<bool(const forward::RecordView&)>& take) {
  if (before_ == 0 || before_ <= lowest_) return false;
  std::uint64_t scanned_to = 0;
  const auto wanted = [this](const forward::RecordHead& head) {
    return in_sight(filter_, head) && filter_.query.judge(head) != forward::HeadMatch::kNo;
  };
  for (const forward::RecordView& record : reader_.read_before(before_, limits.max_records, limits.max_octets,
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
  // Turns of which each stays in the processor's cache.
  const ScanTurn limits{256, 512u << 10, SIZE_MAX};
  while (scan.turn(limits, [&](const forward::RecordView& record) {
    stopped = !take(record);
    return !stopped;
  })) {
    if (stopped) return false;
  }
  return !stopped;
}

void visit_matching_heads(forward::RingReader& reader, const EventFilter& filter, std::uint64_t before,
                          const forward::HeadFilter& visit) {
  reader.visit_heads(lowest_of(reader, filter), before, [&](const forward::RecordHead& head) {
    return !in_sight(filter, head) || filter.query.judge(head) != forward::HeadMatch::kYes || visit(head);
  });
}

}  // namespace wafd::console
