#include "console/events/search.h"

#include <algorithm>

#include <fmt/format.h>

#include "console/events/action_counts.h"
#include "console/events/scan.h"
#include "console/events/tally.h"
#include "console/events/viewer_mask.h"

namespace wafd::console {

std::string detail_with_response(std::string_view detail, bool reported, unsigned status,
                                 std::uint64_t size) {
  std::string out(detail.empty() ? std::string_view("{}") : detail);
  out.pop_back();
  if (out.size() > 1) out += ',';
  if (!reported) return out += R"("response":null})";
  return out += fmt::format(R"("response":{{"status":{},"size":{}}}}})",
                            status == 0 ? "null" : std::to_string(status), size);
}

bool EventFilter::matches_masked(const forward::RecordView& record) const {
  const std::string shown = masked_record(record.json);
  forward::RecordView seen = record;
  seen.json = shown;
  return query.matches(seen);
}

void append_event_json(const forward::RingReader& reader, const forward::RecordView& record, bool masked,
                       std::string& out) {
  out += fmt::format(R"({{"seq":{},"record":)", record.seq);
  const std::string merged = reader.merged_json(record);
  out += masked ? masked_record(merged) : merged;
  out += '}';
}

std::string list_events(const forward::Ring& ring, const EventFilter& filter, std::size_t limit,
                        std::optional<std::uint64_t> before) {
  forward::RingReader reader(ring);
  std::string out = R"({"events":[)";
  std::size_t given = 0;
  std::uint64_t last = 0;
  const std::uint64_t end = before.value_or(ring.end());
  const bool all = scan_all(reader, filter, end, [&](const forward::RecordView& record) {
    if (given == limit) return false;
    if (given > 0) out += ',';
    append_event_json(reader, record, filter.masked, out);
    last = record.seq;
    ++given;
    return true;
  });
  out += all || given == 0 ? R"(],"before":null)" : fmt::format(R"(],"before":{})", last);
  out += fmt::format(R"(,"end":{}}})", end);
  return out;
}

Result<std::string> event_detail(const forward::Ring& ring, const EventId& id) {
  forward::RingReader reader(ring);
  const forward::RecordView* record = reader.find(id);
  if (record == nullptr) return fail(ErrorCode::kUnknown, "the ring does not hold this event");
  return fmt::format(
      R"({{"seq":{},"record":{},"detail":{}}})", record->seq, reader.merged_json(*record),
      detail_with_response(record->detail, record->reported, record->response_status, record->response_size));
}

TimeCounts::TimeCounts(std::int64_t from_ms, std::int64_t to_ms, std::size_t buckets)
    : from_ms_(from_ms), to_ms_(to_ms) {
  const std::int64_t span = std::max<std::int64_t>(1, to_ms - from_ms);
  const auto parts = static_cast<std::int64_t>(buckets);
  bucket_ms_ = (span + parts - 1) / parts;
  counts_.resize(static_cast<std::size_t>((span + bucket_ms_ - 1) / bucket_ms_));
}

void TimeCounts::add(std::int64_t time_ms, Action action) {
  if (time_ms < from_ms_ || time_ms >= to_ms_) return;
  counts_[static_cast<std::size_t>((time_ms - from_ms_) / bucket_ms_)].add(action);
  ++total_;
}

void TimeCounts::add(std::int64_t time_ms, const ActionCounts& counts) {
  if (time_ms < from_ms_ || time_ms >= to_ms_) return;
  ActionCounts& bucket = counts_[static_cast<std::size_t>((time_ms - from_ms_) / bucket_ms_)];
  bucket.deny += counts.deny;
  bucket.monitor += counts.monitor;
  bucket.allow += counts.allow;
  total_ += counts.total();
}

std::string TimeCounts::json() const {
  std::string out =
      fmt::format(R"({{"from":{},"to":{},"bucket_ms":{},"buckets":[)", from_ms_, to_ms_, bucket_ms_);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    out += fmt::format(R"({}{{"t":{},"deny":{},"monitor":{},"allow":{}}})", i == 0 ? "" : ",",
                       from_ms_ + static_cast<std::int64_t>(i) * bucket_ms_, counts_[i].deny,
                       counts_[i].monitor, counts_[i].allow);
  }
  out += fmt::format(R"(],"total":{}}})", total_);
  return out;
}

std::string histogram(const forward::Ring& ring, const EventFilter& filter, std::size_t buckets) {
  TimeCounts counts(filter.from_ms, filter.to_ms, buckets);
  forward::RingReader reader(ring);
  if (filter.head_only()) {
    visit_matching_heads(reader, filter, ring.end(), [&](const forward::RecordHead& head) {
      counts.add(head.time_ms, head.action);
      return true;
    });
  } else {
    scan_all(reader, filter, ring.end(), [&](const forward::RecordView& record) {
      counts.add(record.time_ms, record.action);
      return true;
    });
  }
  return counts.json();
}

}  // namespace wafd::console
