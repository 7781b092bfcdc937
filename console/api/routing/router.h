// Finds the route of a request: exact match of the decoded path, segment by segment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "console/api/routing/route.h"
#include "console/base/target.h"

namespace wafd::console {

class Router {
 public:
  // Patterns of one shape must name their parameters alike; one method and pattern only once (asserted).
  void add(Route route);

  struct Match {
    const Route* route = nullptr;   // nullptr: see `allow`
    std::vector<std::string> path;  // captured segments
    std::string allow;              // methods of that path; empty: no such path
  };
  Match find(std::string_view method, const Target& target) const;

  const std::vector<Route>& routes() const noexcept { return routes_; }

 private:
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> segments_;  // of each route's pattern
};

}  // namespace wafd::console
