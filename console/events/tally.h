// Counting: values of a field, and events over time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "console/events/action_counts.h"
#include "console/events/search.h"
#include "detect/core/verdict.h"
#include "forward/ring/ring.h"

namespace wafd::console {

// A field that can be counted by.
struct Field {
  std::string_view name;
  std::string_view member;  // of the record; empty: in the head
};

// Null: there is none of that name.
const Field* find_field(std::string_view name);
std::string value_of(const Field& field, const forward::RecordView& record, bool masked);

struct Count {
  ActionCounts actions;
  std::int64_t last_ms = 0;
  std::uint64_t seq = 0;  // of a record that has the value

  void add(Action action, std::int64_t time_ms, std::uint64_t at) noexcept {
    actions.add(action);
    last_ms = std::max(last_ms, time_ms);
    seq = std::max(seq, at);
  }
};

template <class Key, class Hash = std::hash<Key>>
struct Tally {
  using Counts = std::unordered_map<Key, Count, Hash>;
  using Item = typename Counts::value_type;
  Counts counts;
  std::uint64_t total = 0;

  void add(Key key, Action action, std::int64_t time_ms, std::uint64_t seq) {
    ++total;
    auto found = counts.find(key);
    if (found == counts.end()) {
      if (counts.size() >= kMaxDistinct) return;
      found = counts.emplace(std::move(key), Count{}).first;
    }
    found->second.add(action, time_ms, seq);
  }

  std::vector<const Item*> most(std::size_t limit) const { return most_first(counts, limit); }
};

// One of "values" of a top list, and the whole answer.
boost::json::object top_row(const std::string& value, const Count& count);
boost::json::object top_answer(std::string_view field, std::uint64_t total, std::size_t distinct,
                               boost::json::array values);
// As counted over the heads alone; nothing if a head among the matches does not hold the field.
std::optional<boost::json::object> top_of_heads(const forward::Ring& ring, const EventFilter& filter,
                                                const Field& field, std::size_t limit);
boost::json::object top_of(const Field& field, const Tally<std::string>& tally, std::size_t limit);

// Buckets of equal length over [from_ms, to_ms); the last one may reach beyond.
class TimeCounts {
 public:
  TimeCounts(std::int64_t from_ms, std::int64_t to_ms, std::size_t buckets);
  void add(std::int64_t time_ms, Action action);  // other times are passed over
  void add(std::int64_t time_ms, const ActionCounts& counts);
  std::int64_t bucket_ms() const noexcept { return bucket_ms_; }
  std::string json() const;

 private:
  std::int64_t from_ms_;
  std::int64_t to_ms_;
  std::int64_t bucket_ms_;
  std::vector<ActionCounts> counts_;
  std::uint64_t total_ = 0;
};

}  // namespace wafd::console
