// The nodes of a fleet as its database knows them, for the status, the page and alert rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/error.h"

namespace wafd::console {

// A node tells every few seconds; one that has not for so long is silent.
inline constexpr std::int64_t kSilentNodeMs = 30'000;
// Within this time nodes are back at a database that was away.
inline constexpr std::int64_t kComesBackMs = 35'000;

struct FleetNodeFacts {
  struct Target {
    std::string name, state;
    std::uint64_t lag_events = 0;
    std::int64_t lag_ms = 0;
  };
  std::string node;
  std::string instance;        // of its ring: tells nodes of one name apart
  std::int64_t seen_ms = 0;    // Unix time by the clock of the database
  std::int64_t silent_ms = 0;  // since then, when it was asked
  std::int64_t missed_ms = 0;  // of that, how long it could have told and did not
  std::int64_t clock_ms = 0;   // by how much its clock is ahead of the database's
  // From its last message; members that a node of another version does not send are 0 or empty.
  std::string version;
  std::int64_t started_ms = 0;
  std::uint64_t requests = 0, denied = 0;  // since its start
  double requests_per_s = 0;               // lately
  std::uint64_t waiting = 0;               // requests, for their turn
  std::optional<std::int64_t> last_request_ms;
  std::uint64_t settings_version = 0;
  std::string settings_error;  // what keeps it from the fleet's newest; empty: nothing
  std::vector<Target> targets;

  bool silent() const noexcept { return missed_ms >= kSilentNodeMs; }
};

struct FleetFacts {
  std::string place;                  // of the database: db.example:5432/wafd
  bool asked = false;                 // there was an answer, or none came
  std::string why;                    // what keeps it from answering; empty: it answers
  std::int64_t since_ms = 0;          // of that, Unix time
  std::vector<FleetNodeFacts> nodes;  // by name; of the last answer
};

// Requests a second, from counts now and then. One thread.
class RequestPace {
 public:
  double add(std::uint64_t requests, std::int64_t steady_ms) noexcept {
    const bool goes_on = steady_ms > at_ms_ && at_ms_ > 0 && requests >= requests_;
    const double pace =
        goes_on ? static_cast<double>(requests - requests_) * 1000.0 / static_cast<double>(steady_ms - at_ms_)
                : 0;
    requests_ = requests;
    at_ms_ = steady_ms;
    return pace;
  }

 private:
  std::uint64_t requests_ = 0;
  std::int64_t at_ms_ = 0;
};

class FleetNodes {
 public:
  virtual ~FleetNodes() = default;

  // On the console loop.
  virtual const FleetFacts& facts() = 0;
  virtual void look() = 0;  // asks anew; facts() has the answer later
  // May wait. The names under which it was known; none: there is no such node.
  virtual Result<std::vector<std::string>> forget(const std::string& instance) = 0;
};

// A node's message about itself, as JSON. Reading takes the members that it knows, whichever version wrote
// them, and nothing of a text that is no JSON.
std::string said_by_node(const FleetNodeFacts& facts);
void read_said(std::string_view json, FleetNodeFacts& facts);

boost::json::object to_json(const FleetFacts& facts, std::int64_t now_ms);  // as GET /fleet answers it
boost::json::object fleet_summary(const FleetFacts& facts);                 // the member of the status

}  // namespace wafd::console
