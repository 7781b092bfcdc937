// `wafd probe`: which requests to send through a gateway, and what its answers show. Pure: sending is the
// caller's.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wafd::probe {

struct Request {
  std::string method = "GET";
  std::string query;  // encoded, without the "?"; appended to the URL's own
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

struct Answer {
  unsigned status = 0;  // 0: none, and `error` says why
  std::string text;     // head and body, as much as was read
  std::string error;
};

enum class State { kGood, kBad, kUnknown };
const char* to_string(State state) noexcept;  // "ok" | "FAIL" | "?"

// One line for people, and for scripts.
struct Finding {
  std::string check;  // "query", "form", "json", "body_size", "address", "steering", "event_id", "headers"
  State state = State::kUnknown;
  std::string text;
};

struct Options {
  std::string marker;                    // of this run; sent in each request, so that its events can be found
  std::size_t max_body_bytes = 1 << 20;  // the largest body that is tried
  std::string own_address;               // from which the requests are sent; empty: not known
};

// Sends and waits; each call bounded in time by the caller.
using Send = std::function<Answer(const Request&)>;
// The source address that an event has; empty: no such event. Not set: events cannot be looked up.
using AddressOf = std::function<std::string(const std::string& event_id)>;

// The event id in an answer, in a header or in the body: 32 hex digits behind "event_id" or "event-id".
// Empty: none.
std::string event_id_of(std::string_view text);

// Nothing but one finding "reached" that is bad: the URL does not answer to a harmless request, or blocks it.
std::vector<Finding> run(const Options& options, const Send& send, const AddressOf& address_of);

}  // namespace wafd::probe
