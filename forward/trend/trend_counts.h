// Counts by hour for a year: requests, and events by site, attack type, action and rule. Hours are UTC.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "detect/core/verdict.h"
#include "forward/ring/ring.h"

namespace wafd::forward {

inline constexpr std::int64_t kHourMs = 3'600'000;
inline constexpr std::size_t kActions = 3;

// Events of one hour that have all of it in common. `type` kOtherType with empty names: what was beyond the
// limit of an hour.
struct TrendEntry {
  static constexpr std::uint8_t kOtherType = 0xff;
  std::uint16_t site = 0;  // indices of TrendCounts::name()
  std::uint16_t rule = 0;
  std::uint8_t type = 0;
  std::uint8_t action = 0;
  std::uint32_t count = 0;
};

struct TrendHour {
  std::uint64_t requests = 0;
  std::uint64_t unjudged = 0;
  std::vector<TrendEntry> entries;
};

// A question to the counts: a span, and only events with these values where they are not empty.
struct TrendQuery {
  std::int64_t from_ms = 0;  // both taken down to whole hours
  std::int64_t to_ms = 0;
  std::string site, rule, type, action;
};

using ActionCounts = std::array<std::uint64_t, kActions>;  // by Action

struct TrendSums {
  struct Bucket {
    std::int64_t begin_ms = 0;
    std::uint64_t requests = 0;
    ActionCounts events{};
  };
  std::int64_t bucket_ms = kHourMs;  // an hour, a day beyond eight days
  std::vector<Bucket> buckets;       // without gaps
  std::uint64_t requests = 0;
  std::uint64_t unjudged = 0;
  ActionCounts events{};
  std::map<std::string, ActionCounts> sites, rules, types;  // by uuid, rule id, name of the type
  std::int64_t begins_ms = 0;                               // of the first hour that is kept; 0: none
};

// One thread.
class TrendCounts {
 public:
  static constexpr std::size_t kHours = 366 * 24;
  static constexpr std::size_t kMaxEntries = 64;  // of an hour
  static constexpr std::size_t kMaxNames = 4096;  // of sites and rules; more are counted without theirs

  void add(const RecordView& record);
  void add_requests(std::int64_t time_ms, std::uint64_t requests, std::uint64_t unjudged);
  // Beyond kMaxSpanMs the end of the span is taken.
  TrendSums sums(const TrendQuery& query) const;

  // All counts, for trend_file.
  std::string generation;  // of the ring
  std::uint64_t next_seq = 0;
  const std::map<std::int64_t, TrendHour>& hours() const noexcept { return hours_; }
  const std::vector<std::string>& names() const noexcept { return names_; }
  // Replaces everything: sound indices are the caller's matter.
  void set(std::vector<std::string> names, std::map<std::int64_t, TrendHour> hours);

 private:
  std::uint16_t index_of(std::string_view name);
  TrendHour& hour_at(std::int64_t time_ms);

  std::vector<std::string> names_{std::string()};  // 0: none
  std::unordered_map<std::string, std::uint16_t> indices_{{std::string(), 0}};
  std::map<std::int64_t, TrendHour> hours_;  // by hours since 1970
};

}  // namespace wafd::forward
