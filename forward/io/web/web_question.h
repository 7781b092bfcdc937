// One question over https and its answer. Waits; any thread that may wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "detect/core/ip_address.h"

namespace wafd::forward {

inline constexpr long kAskMs = 10'000;  // the whole of it

struct WebQuestion {
  std::string method;  // GET or POST
  std::string url;     // https alone, unless it may be plain
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string ca;  // PEM text or file:/PATH; empty: the system's
  std::size_t max_answer_bytes = 0;
  bool cut_answer = false;  // what is beyond the limit is read and dropped, and is no failure
  bool plain = false;       // http, too
  long whole_ms = kAskMs;
};

struct WebReply {
  int status = 0;
  std::string body;
  bool cut = false;                           // the answer was longer than the body
  std::optional<std::int64_t> retry_after_s;  // of its Retry-After
  std::string failure;  // why there is no answer, for people: nothing of what the peer sent
};

// Answers beyond the limit, and what needs longer, are failures; but an answer that may be cut and was is
// one, however it ends. `local`: addresses of this machine. Ends within about a second once `stop` is set.
WebReply ask(const WebQuestion& question, std::vector<Endpoint> own_listeners, std::vector<IpAddress> local,
             const std::atomic<bool>& stop);

}  // namespace wafd::forward
