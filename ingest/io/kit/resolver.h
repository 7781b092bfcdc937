// Host names to addresses, by c-ares in the loop: nothing waits, and the ways to fail are told apart.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "detect/core/ip_address.h"
#include "ingest/io/kit/loop.h"

namespace wafd::kit {

enum class ResolveFailure : std::uint8_t {
  kNotFound,       // the name does not exist, or has no address
  kTimeout,        // no server answered
  kServerFailure,  // a server answered that it cannot say, or none could be reached
  kBadName,        // no host name
};

struct ResolveError {
  ResolveFailure failure = ResolveFailure::kServerFailure;
  std::string what;  // "resolve log.example: no such name"
};

struct ResolveOptions {
  std::string servers;    // "10.0.0.1:53,[::1]:53"; empty: as /etc/resolv.conf says at the time of the query
  int timeout_ms = 2000;  // of the first try; it doubles with each round
  int tries = 2;
};

using ResolveResult = tl::expected<std::vector<IpAddress>, ResolveError>;  // addresses in order of preference

// One query: /etc/hosts, then DNS, IPv4 and IPv6. An address literal is its own answer. `done` is called
// once, never from within the constructor; it may destroy the Query. The destructor gives up without calling
// it.
class ResolveQuery {
 public:
  ResolveQuery(Loop& loop, const std::string& name, const ResolveOptions& options,
               std::function<void(ResolveResult)> done);
  ~ResolveQuery();
  ResolveQuery(const ResolveQuery&) = delete;
  ResolveQuery& operator=(const ResolveQuery&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wafd::kit
