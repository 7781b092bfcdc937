// The state of the node that alert rules look at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wafd::forward {

struct NodeState {
  struct Target {
    std::string id;
    std::string name;
    bool well = true;   // up, and what was sent is acknowledged in time; also of disabled ones
    std::string state;  // in words, where it is not
  };
  struct Listener {
    std::string name;
    std::optional<std::int64_t> last_request_ms;  // Unix time; none: no request yet
  };
  struct Node {
    std::string id;  // tells nodes of one name apart
    std::string name;
    std::int64_t silent_ms = 0;  // for which it could have told the fleet's database and did not
  };
  std::vector<Target> targets;
  std::vector<Listener> listeners;
  std::optional<std::vector<Node>> nodes;    // of the fleet; none: there is no fleet, or it cannot be asked
  std::map<std::string, std::string> sites;  // names by uuid
  std::uint64_t requests = 0;                // since the start
  std::uint64_t unjudged = 0;                // requests since the start that were not judged whole
  std::optional<std::int64_t> reach_ms;      // how far back the ring reaches; none: it was never full
};

}  // namespace wafd::forward
