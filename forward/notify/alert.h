// When people are told something: alert rules as they configure them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "json/object_rows.h"

namespace wafd::forward {

enum class AlertWhen : std::uint8_t {
  kMatches,        // more than `count` events match `query` in `minutes`
  kFirstSeen,      // an event matches `query` whose rule, source or site none before had
  kTargetDead,     // a syslog target is not up, or not acknowledging, for `minutes`
  kGatewaySilent,  // a listener that had requests has none for `minutes`
  kOverload,       // more than `count` requests in `minutes` were not judged whole for lack of time
  kRingReach,      // the ring reaches back less than `hours`
  kNodeSilent,     // a node of the fleet has told its database nothing for `minutes`
};
enum class FirstSeenOf : std::uint8_t { kRule, kSource, kSite };

struct AlertSettings {
  std::string id;  // made by us
  std::string name;
  bool enabled = true;
  AlertWhen when = AlertWhen::kMatches;
  std::string query;
  std::int64_t count = 100;
  std::int64_t minutes = 5;
  FirstSeenOf of = FirstSeenOf::kRule;
  std::int64_t hours = 24;
  std::vector<std::string> channels;  // ids; empty: all

  bool operator==(const AlertSettings&) const = default;
};

inline constexpr std::size_t kMaxAlerts = 100;

// Errors name the member; of `query` with the character.
Result<AlertSettings> parse_alert(const boost::json::object& object);
boost::json::object to_json(const AlertSettings& alert);
ObjectDescription describe_alert();
std::string_view to_string(AlertWhen when) noexcept;
std::string_view to_string(FirstSeenOf of) noexcept;

}  // namespace wafd::forward
