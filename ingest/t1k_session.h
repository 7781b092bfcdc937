// One T1K connection without its socket: octets in, answers out, by way of the judge.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/judge.h"
#include "ingest/limits.h"
#include "ingest/report_index.h"
#include "ingest/t1k.h"

namespace wafd::ingest::t1k {

// Of one worker; read by others after a post to its loop.
struct Counters {
  std::uint64_t requests = 0;
  std::uint64_t reports = 0;
  std::uint64_t heartbeats = 0;
  std::uint64_t other = 0;              // messages that are none of these; answered with pass
  std::uint64_t heads_cut = 0;          // beyond max_head_bytes
  std::uint64_t bodies_cut = 0;         // beyond max_body_bytes
  std::uint64_t reports_unmatched = 0;  // no event belongs to them: mostly requests that were clean
  std::uint64_t plugin_skipped = 0;     // requests that plugins passed uninspected, as they told
  std::array<std::uint64_t, kMalformedReasons> malformed{};
};

class Session {
 public:
  // Of the worker; all must outlive the session.
  struct Shared {
    Judge& judge;
    const Clock& clock;
    ReportIndex& index;
    Counters& counters;
    const IngestLimits& limits;
  };
  explicit Session(const Shared& shared);

  // Appends to `out` one answer for every message that `octets` complete. `turn_start_us` is the monotonic
  // time at which the turn began that read them. An error is counted: write `out`, then close.
  tl::expected<void, Malformed> on_octets(std::string_view octets, std::int64_t turn_start_us,
                                          std::string& out);

  bool in_message() const noexcept { return reader_.in_message(); }

 private:
  void answer_request(const Message& message, std::int64_t turn_start_us, std::string& out);
  void take_report(const Message& message);

  Shared shared_;
  MessageReader reader_;
  std::string addresses_[2];  // normal texts of addresses, while a request is judged
};

// Reads a response head leniently (status line may end in LF): what a report says about the response.
void read_response(std::string_view rsp_head, std::uint64_t body_octets, ResponseReport& out);

}  // namespace wafd::ingest::t1k
