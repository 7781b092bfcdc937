#include "console/events/search.h"

#include <algorithm>

#include <fmt/format.h>

#include "console/events/action_counts.h"
#include "console/events/scan.h"

namespace wafd::console {
namespace {

// The detail block is an object that we wrote; the response report came after it.
std::string detail_with_response(const forward::RecordView& record) {
  std::string out(record.detail.empty() ? std::string_view("{}") : record.detail);
  out.pop_back();
  if (out.size() > 1) out += ',';
  if (!record.reported) return out += R"("response":null})";
  const std::string status = record.response_status == 0 ? "null" : std::to_string(record.response_status);
  return out += fmt::format(R"("response":{{"status":{},"size":{}}}}})", status, record.response_size);
}

}  // namespace

void append_event_json(const forward::RingReader& reader, const forward::RecordView& record,
                       std::string& out) {
  out += fmt::format(R"({{"seq":{},"record":)", record.seq);
  out += reader.merged_json(record);
  out += '}';
}

std::string list_events(const forward::Ring& ring, const EventFilter& filter, std::size_t limit,
                        std::optional<std::uint64_t> before) {
  forward::RingReader reader(ring);
  std::string out = R"({"events":[)";
  std::size_t given = 0;
  std::uint64_t last = 0;
  const bool all =
      scan_all(reader, filter, before.value_or(ring.end()), [&](const forward::RecordView& record) {
        if (given == limit) return false;
        if (given > 0) out += ',';
        append_event_json(reader, record, out);
        last = record.seq;
        ++given;
        return true;
      });
  out += all || given == 0 ? R"(],"before":null})" : fmt::format(R"(],"before":{}}})", last);
  return out;
}

Result<std::string> event_detail(const forward::Ring& ring, const EventId& id) {
  forward::RingReader reader(ring);
  const forward::RecordView* record = reader.find(id);
  if (record == nullptr) return fail(ErrorCode::kUnknown, "the ring does not hold this event");
  return fmt::format(R"({{"seq":{},"record":{},"detail":{}}})", record->seq, reader.merged_json(*record),
                     detail_with_response(*record));
}

std::string histogram(const forward::Ring& ring, const EventFilter& filter, std::size_t buckets) {
  const std::int64_t span = std::max<std::int64_t>(1, filter.to_ms - filter.from_ms);
  const auto parts = static_cast<std::int64_t>(buckets);
  const std::int64_t bucket_ms = (span + parts - 1) / parts;
  std::vector<ActionCounts> counts(static_cast<std::size_t>((span + bucket_ms - 1) / bucket_ms));
  std::uint64_t total = 0;
  const auto add = [&](std::int64_t time_ms, Action action) {
    counts[static_cast<std::size_t>((time_ms - filter.from_ms) / bucket_ms)].add(action);
    ++total;
    return true;
  };
  forward::RingReader reader(ring);
  if (filter.head_only()) {
    visit_matching_heads(reader, filter, ring.end(),
                         [&](const forward::RecordHead& head) { return add(head.time_ms, head.action); });
  } else {
    scan_all(reader, filter, ring.end(),
             [&](const forward::RecordView& record) { return add(record.time_ms, record.action); });
  }
  std::string out = fmt::format(R"({{"from":{},"to":{},"bucket_ms":{},"buckets":[)", filter.from_ms,
                                filter.to_ms, bucket_ms);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    out += fmt::format(R"({}{{"t":{},"deny":{},"monitor":{},"allow":{}}})", i == 0 ? "" : ",",
                       filter.from_ms + static_cast<std::int64_t>(i) * bucket_ms, counts[i].deny,
                       counts[i].monitor, counts[i].allow);
  }
  out += fmt::format(R"(],"total":{}}})", total);
  return out;
}

}  // namespace wafd::console
