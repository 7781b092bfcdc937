#include "console/events/search.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "console/events/flat_json.h"
#include "detect/core/verdict.h"

namespace wafd::console {
namespace {

constexpr std::size_t kBatchRecords = 512;
constexpr std::size_t kBatchOctets = 4u << 20;

// Every matching record, newest first, until `take` says false. True if the scan came to the end of what
// there is.
bool scan_back(forward::RingReader& reader, const EventFilter& filter, std::uint64_t before,
               const std::function<bool(const forward::RecordView&)>& take) {
  for (;;) {
    const auto batch = reader.read_before(before, kBatchRecords, kBatchOctets);
    if (batch.empty()) return true;
    for (const forward::RecordView& record : batch) {
      if (filter.is_past(record)) return true;
      if (filter.matches(record) && !take(record)) return false;
    }
    before = batch.back().seq;
  }
}

struct ActionCounts {
  std::uint64_t deny = 0;
  std::uint64_t monitor = 0;
  std::uint64_t allow = 0;

  void add(Action action) noexcept {
    (action == Action::kDeny ? deny : action == Action::kMonitor ? monitor : allow) += 1;
  }
  std::uint64_t total() const noexcept { return deny + monitor + allow; }
};

struct Field {
  std::string_view name;
  std::string_view member;  // of the record; empty: in the head
};

constexpr Field kFields[] = {
    {"type", ""},         {"risk", ""},
    {"action", ""},       {"src", ""},
    {"site", ""},         {"rule", ""},
    {"host", "host"},     {"path", "urlpath"},
    {"method", "method"}, {"location", "location"},
    {"module", "module"}, {"country", "country"},
    {"ua", "user_agent"}, {"referer", "referer"},
    {"node", "node"},     {"session", "session"},
};

std::string value_of(const Field& field, const forward::RecordView& record) {
  if (!field.member.empty()) return plain_text(flat_member(record.json, field.member));
  if (field.name == "type") return to_string(record.attack_type);
  if (field.name == "risk") return to_string(record.risk);
  if (field.name == "action") return to_string(record.action);
  if (field.name == "src") return std::string(record.src_ip);
  if (field.name == "site") return std::string(record.site_uuid);
  return std::string(record.rule_id);
}

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
      scan_back(reader, filter, before.value_or(ring.end()), [&](const forward::RecordView& record) {
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
  forward::RingReader reader(ring);
  scan_back(reader, filter, ring.end(), [&](const forward::RecordView& record) {
    counts[static_cast<std::size_t>((record.time_ms - filter.from_ms) / bucket_ms)].add(record.action);
    ++total;
    return true;
  });
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

std::vector<std::string_view> top_fields() {
  std::vector<std::string_view> names;
  for (const Field& field : kFields) names.push_back(field.name);
  return names;
}

Result<std::string> top_values(const forward::Ring& ring, const EventFilter& filter, std::string_view name,
                               std::size_t limit) {
  const auto field =
      std::find_if(std::begin(kFields), std::end(kFields), [&](const Field& f) { return f.name == name; });
  if (field == std::end(kFields)) {
    return fail(ErrorCode::kInvalid, fmt::format("field: expected one of {}", fmt::join(top_fields(), ", ")));
  }
  struct Count {
    ActionCounts actions;
    std::int64_t last_ms = 0;
  };
  std::unordered_map<std::string, Count> counts;
  std::uint64_t total = 0;
  forward::RingReader reader(ring);
  scan_back(reader, filter, ring.end(), [&](const forward::RecordView& record) {
    ++total;
    std::string value = value_of(*field, record);
    auto found = counts.find(value);
    if (found == counts.end()) {
      if (counts.size() >= kMaxDistinct) return true;
      found = counts.emplace(std::move(value), Count{}).first;
    }
    found->second.actions.add(record.action);
    found->second.last_ms = std::max(found->second.last_ms, record.time_ms);
    return true;
  });
  using Item = std::pair<const std::string, Count>;
  std::vector<const Item*> order;
  order.reserve(counts.size());
  for (const Item& item : counts) order.push_back(&item);
  const std::size_t shown = std::min(limit, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [](const Item* a, const Item* b) {
                      const auto left = a->second.actions.total();
                      const auto right = b->second.actions.total();
                      return left != right ? left > right : a->first < b->first;
                    });
  boost::json::array values;
  for (std::size_t i = 0; i < shown; ++i) {
    const Count& count = order[i]->second;
    values.push_back({{"value", order[i]->first},
                      {"count", count.actions.total()},
                      {"last_ms", count.last_ms},
                      {"deny", count.actions.deny},
                      {"monitor", count.actions.monitor},
                      {"allow", count.actions.allow}});
  }
  boost::json::object answer;
  answer["field"] = name;
  answer["total"] = total;
  answer["distinct"] = counts.size();
  answer["values"] = std::move(values);
  return boost::json::serialize(answer);
}

}  // namespace wafd::console
