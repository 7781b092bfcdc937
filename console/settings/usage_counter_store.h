// The hits of all workers added up, kept over restarts in `hits.json` of the state folder.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "detect/policy/usage_counters.h"
#include "telemetry/metrics.h"

namespace wafd::console {

inline constexpr std::size_t kMaxHitsBytes = 64u << 20;

// One thread. A crash loses what was counted since the last save, a minute at most.
class UsageCounterStore {
 public:
  // A file that cannot be read is begun anew; notice() says so.
  static UsageCounterStore open(const std::string& state_dir);

  void add(const std::vector<detect::UsageCounters>& parts);
  const detect::UsageCounters& total() const noexcept { return total_; }

  // Forgets exceptions, list entries and sites that the settings do not have any more.
  void prune(const detect::PolicySettings& settings);
  std::string text() const;  // what save() writes, to be made here and written elsewhere
  static Result<void> save(const std::string& path, const std::string& text);
  const std::string& path() const noexcept { return path_; }
  const std::string& notice() const noexcept { return notice_; }

 private:
  std::string path_;
  std::string notice_;
  detect::UsageCounters total_;
};

// {"count", "last_s"} of the API; last_s null if there was none.
boost::json::object hits_json(const std::unordered_map<std::string, detect::UsageCount>& hits,
                              const std::string& id);
boost::json::object to_json(const detect::SiteDay& day);
// Days of a site, newest first: schema SiteDay.
boost::json::array days_json(const detect::UsageCounters& hits, const std::string& uuid);
// Hits by rule, exception and list entry; of each at most kMaxHitSamples, those with most hits.
std::vector<telemetry::MetricFamily> metric_families(const detect::UsageCounters& hits);
inline constexpr std::size_t kMaxHitSamples = 1000;

}  // namespace wafd::console
