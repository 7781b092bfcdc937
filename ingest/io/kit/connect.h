// Outgoing TCP and Unix stream connections.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ingest/io/kit/loop.h"
#include "ingest/io/kit/stream.h"

namespace wafd::kit {

struct ConnectOptions {
  Endpoint to;
  std::string unix_path;            // if set, instead of `to`
  std::optional<IpAddress> source;  // of the same family as `to`
  std::int64_t timeout_ms = 5000;
  unsigned keepalive_s = 60;  // idle time before TCP probes; 0: none
};

// One attempt. `done` is called once, never from within the constructor; it may destroy the Connector. The
// destructor gives up without calling it. Errors: "connect to 10.0.0.5:514: connection refused".
class Connector {
 public:
  Connector(Loop& loop, ConnectOptions options, std::function<void(Result<std::unique_ptr<Stream>>)> done);
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace wafd::kit
