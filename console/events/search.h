// The API's queries of the ring: lists, one event, histograms, top values. Each call scans with a
// reader of its own, so it may run on any thread, and takes up to a second on a full ring: not for a loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console/events/marks.h"
#include "detect/core/error.h"
#include "forward/query/event_query.h"
#include "forward/ring/ring.h"

namespace wafd::console {

// Which events: those that match and whose time lies in [from_ms, to_ms).
struct EventFilter {
  forward::EventQuery query;
  std::int64_t from_ms = 0;
  std::int64_t to_ms = INT64_MAX;

  // For a viewer: records are answered masked (viewer_mask.h), and compared as they are answered, so that a
  // filter cannot tell what is behind the mask.
  bool masked = false;

  // Asked after every turn of a scan, from its thread: true ends it, and what was found by then is no whole
  // answer. The caller knows why. Empty: never.
  std::function<bool()> stop = {};
  bool stopped() const { return stop && stop(); }

  MarkTerms mark_terms;                // the `is:` terms
  std::shared_ptr<const Marks> marks;  // that they ask; none: nothing is marked

  bool marks_hold(std::uint64_t prefix) const {
    if (mark_terms.empty()) return true;
    std::uint8_t bits = 0;
    if (marks) {
      if (const auto found = marks->find(prefix); found != marks->end()) bits = found->second;
    }
    return mark_terms.hold(bits);
  }
  bool matches(const forward::RecordView& record) const {
    return record.time_ms >= from_ms && record.time_ms < to_ms && marks_hold(id_prefix(record.id)) &&
           (masked && !query.head_only() ? matches_masked(record) : query.matches(record));
  }
  // Whether every record matches.
  bool takes_all() const { return query.empty() && mark_terms.empty() && from_ms <= 0 && to_ms == INT64_MAX; }
  // Whether heads alone decide: nothing needs to be read then.
  bool head_only() const { return query.head_only(); }
  bool matches_masked(const forward::RecordView& record) const;
  // Records are in the order of appending, which differs from that of their times by less than this: what is
  // older by more ends a search backwards.
  static constexpr std::int64_t kDisorderMs = 10'000;
};

// One record as the API shows it: {"seq":…,"record":{…}}.
void append_event_json(const forward::RingReader& reader, const forward::RecordView& record, bool masked,
                       std::string& out);

// {"events":[…],"before":…,"end":…}, newest first. What was appended from `end` on was not looked at.
std::string list_events(const forward::Ring& ring, const EventFilter& filter, std::size_t limit,
                        std::optional<std::uint64_t> before);

// {"seq":…,"record":{…},"detail":{…}}; kUnknown if it is not there (any more).
Result<std::string> event_detail(const forward::Ring& ring, const EventId& id);

// A detail block, which is an object that wafd wrote, with the response report behind it: `response`.
std::string detail_with_response(std::string_view detail, bool reported, unsigned status, std::uint64_t size);

// The figures shown around a list, counted together: {"histogram":…,"top":[…],"oldest_ms":…} as histogram()
// and top_values() answer them, the latter for each of `fields`. Fields that are not in the heads, and a
// query that heads do not decide, cost one scan over the records in all. The histogram begins at the oldest
// record where that is later than what was asked for: of the time before nothing is known.
struct CountOptions {
  std::size_t buckets = 60;
  std::vector<std::string> fields;
  std::size_t values = 10;
};
Result<std::string> count_events(const forward::Ring& ring, const EventFilter& filter,
                                 const CountOptions& options);

// `filter` must have both times. Buckets of equal length, the last one may reach beyond `to_ms`.
std::string histogram(const forward::Ring& ring, const EventFilter& filter, std::size_t buckets);

// Fields by which events can be counted.
std::vector<std::string_view> top_fields();
// Distinct values beyond kMaxDistinct are counted together and not listed.
inline constexpr std::size_t kMaxDistinct = 100'000;
Result<std::string> top_values(const forward::Ring& ring, const EventFilter& filter, std::string_view field,
                               std::size_t limit);

}  // namespace wafd::console
