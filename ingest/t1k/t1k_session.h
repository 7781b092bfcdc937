// One T1K connection without its socket: bytes in, answers out, by way of the judge.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/body_counters.h"
#include "ingest/fair_queue.h"
#include "ingest/judge.h"
#include "ingest/limits.h"
#include "ingest/phase.h"
#include "ingest/report_index.h"
#include "ingest/t1k/t1k.h"
#include "ingest/t1k/t1k_extra.h"
#include "ingest/waiting_request.h"

namespace wafd::ingest::t1k {

// Of one worker; read by others after a post to its loop.
struct Counters {
  std::uint64_t requests = 0;
  BodyCounters bodies;  // of them
  std::uint64_t reports = 0;
  std::uint64_t heartbeats = 0;
  std::uint64_t other = 0;              // messages that are none of these; answered with pass
  std::uint64_t heads_cut = 0;          // beyond max_head_bytes
  std::uint64_t bodies_cut = 0;         // beyond max_body_bytes
  std::uint64_t reports_unmatched = 0;  // no event belongs to them: mostly requests that were clean
  std::uint64_t plugin_skipped = 0;     // requests that plugins passed uninspected, as they told
  std::uint64_t plugin_unjudged = 0;    // requests that plugins passed because asking failed, as they told
  std::array<std::uint64_t, kMalformedReasons> malformed{};
};

class Session {
 public:
  // Of the worker; all must outlive the session.
  struct Shared {
    RequestJudge& judge;
    const Clock& clock;
    FairQueue& queue;
    ReportIndex& index;
    Counters& counters;
    const IngestLimits& limits;
  };
  explicit Session(const Shared& shared);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Appends to `out` one answer for every message that `bytes` complete, up to one that has to wait for its
  // turn. `turn_start_us` is the monotonic time at which the turn began that read them. An error is counted:
  // write `out`, then close.
  tl::expected<void, Malformed> on_bytes(std::string_view bytes, std::int64_t turn_start_us,
                                         std::string& out);

  // A request waits for its turn: read no more. Then on_progress is called, and `out` of take_output() and
  // its error are as of on_bytes().
  bool wants_pause() const noexcept { return static_cast<bool>(waiting_); }
  tl::expected<void, Malformed> take_output(std::string& out);
  std::function<void()> on_progress;  // may destroy the session. Set before use; may be empty

  bool in_message() const noexcept { return reader_.in_message() || wants_pause(); }
  Phase phase() const noexcept {
    if (wants_pause()) return Phase::kWaiting;
    if (!reader_.in_message()) return Phase::kIdle;
    return reader_.behind_head() ? Phase::kBody : Phase::kHead;
  }

 private:
  // A request and what came with it: views of a message.
  struct GatewayRequest {
    Request request;
    Extra extra;
    std::string addresses[3];  // normal texts
  };
  struct Pending;
  using Waiting = WaitingRequest<Session, Pending>;
  friend Waiting;

  void take_request(std::int64_t turn_start_us, std::string& out);
  static void read(const Message& message, const Clock& clock, GatewayRequest& out);
  static Answer judge(const GatewayRequest& asked, const IngestLimits& limits, const TimeLimit& limit,
                      RequestJudge& judge);
  void append_answer(const GatewayRequest& asked, const Answer& answer, std::string& out);
  void answer_waiting(const Waiting& waiting);
  void take_report(const Message& message);

  Shared shared_;
  MessageReader reader_;
  GatewayRequest asked_;
  std::shared_ptr<Waiting> waiting_;  // the request that waits for its turn or is being judged
  FairQueue::Ticket ticket_ = 0;
  Backlog backlog_;  // what was read behind it
  std::string output_;
  std::optional<Malformed> broken_;  // in the backlog
};

// Reads a response head leniently (status line may end in LF): what a report says about the response.
void read_response(std::string_view rsp_head, std::uint64_t body_bytes, ResponseReport& out);

}  // namespace wafd::ingest::t1k
