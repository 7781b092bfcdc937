// Settings of the whole node: trusted proxies, time zone, database of source locations. A member that is
// not set is as the configuration has it, so a fresh start uses the configuration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "json/object_rows.h"

namespace wafd::console {

inline constexpr std::size_t kMaxTrustedProxies = 1000;
inline constexpr std::size_t kMaxPathBytes = 4096;

struct SystemSettings {
  std::optional<std::vector<std::string>> trusted_proxies;      // CIDR; an empty list: loopback alone
  std::optional<std::string> time_zone;                         // IANA name
  std::optional<std::string> geoip_database;                    // absolute path; empty: none
  std::optional<std::vector<std::string>> second_factor_roles;  // of users who need a second factor

  bool operator==(const SystemSettings&) const = default;
};

// As in force.
struct SystemValues {
  std::vector<std::string> trusted_proxies;
  std::string time_zone = "UTC";
  std::string geoip_database;

  bool operator==(const SystemValues&) const = default;
};

SystemValues in_force(const SystemSettings& settings, const SystemValues& configured);

// {"trusted_proxies": [..] | null, "time_zone": ".." | null, "geoip_database": ".." | null,
// "second_factor_roles": [..] | null}; absent is null.
// `etag`, `configured` and `warnings`, which the API shows beside them, are left alone. Errors name the
// member.
Result<SystemSettings> parse_system(const boost::json::object& object);
boost::json::object to_json(const SystemSettings& settings);
boost::json::object to_json(const SystemValues& values);
ObjectDescription describe_system();

// Refuses a time zone that this machine has no rules for. (The database is opened by who uses it.)
Result<void> check_system(const SystemSettings& settings);

// Warnings about values that are accepted and are likely a mistake: networks of trusted proxies that hold
// much of the whole address space. One sentence each, which begins with the member.
std::vector<std::string> system_warnings(const SystemValues& values);

}  // namespace wafd::console
