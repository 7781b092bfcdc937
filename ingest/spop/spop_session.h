// One SPOP connection without its socket: bytes in, answers out, by way of the judge. The agent's side of
// HAProxy's doc/SPOE.txt (2.6), section 3.2.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/body_counters.h"
#include "ingest/fair_queue.h"
#include "ingest/judge.h"
#include "ingest/limits.h"
#include "ingest/phase.h"
#include "ingest/spop/spop.h"
#include "ingest/spop/spop_request.h"
#include "ingest/waiting_request.h"

namespace wafd::ingest::spop {

// Of one worker; read by others after a post to its loop.
struct Counters {
  std::uint64_t requests = 0;
  BodyCounters bodies;      // of them
  std::uint64_t other = 0;  // messages that describe no request; acknowledged without actions
  std::uint64_t healthchecks = 0;
  std::uint64_t unknown_frames = 0;  // skipped: of a type that we do not know, or a fragment of nothing
  std::uint64_t aborted = 0;         // payloads that HAProxy gave up between two fragments
  std::uint64_t peer_errors = 0;     // DISCONNECTs of HAProxy that name an error
  std::uint64_t heads_cut = 0;       // beyond max_head_bytes
  std::uint64_t bodies_cut = 0;      // beyond max_body_bytes
  std::array<std::uint64_t, kMalformedReasons> malformed{};
};

// Requests of one connection that may wait for their turns at a time; then it is not read until one is
// answered.
inline constexpr std::size_t kMaxWaiting = 64;

class Session {
 public:
  // Of the worker; all must outlive the session.
  struct Shared {
    RequestJudge& judge;
    const Clock& clock;
    FairQueue& queue;
    Counters& counters;
    const IngestLimits& limits;
  };
  explicit Session(const Shared& shared);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Appends to `out` the ACK of every NOTIFY that `bytes` complete and that need not wait, and what else is
  // to be said. `turn_start_us` is the monotonic time at which the turn began that read them. An error is
  // counted, and `out` ends with the AGENT-DISCONNECT that names it: write `out`, then close.
  tl::expected<void, Malformed> on_bytes(std::string_view bytes, std::int64_t turn_start_us,
                                         std::string& out);

  // As many requests wait as may: read no more. on_progress is called when one of those that wait is
  // answered; then `out` of take_output() and its error are as of on_bytes().
  bool wants_pause() const noexcept { return waiting_.size() >= kMaxWaiting; }
  tl::expected<void, Malformed> take_output(std::string& out);
  std::function<void()> on_progress;  // may destroy the session. Set before use; may be empty

  // HAProxy took its leave, or it was a health check: write `out`, then close.
  bool ended() const noexcept { return ended_; }
  bool in_message() const noexcept { return reader_.in_frame() || fragments_ || !waiting_.empty(); }
  std::uint64_t messages() const noexcept { return messages_; }  // whole ones so far
  Phase phase() const noexcept {
    if (fragments_) return Phase::kBody;
    if (reader_.in_frame()) return Phase::kHead;
    return waiting_.empty() ? Phase::kIdle : Phase::kWaiting;
  }

 private:
  using Ids = std::pair<std::uint64_t, std::uint64_t>;  // of stream and frame
  struct Pending;
  using Waiting = WaitingRequest<Session, Pending>;
  friend Waiting;
  struct Place {
    std::shared_ptr<Waiting> waiting;
    FairQueue::Ticket ticket = 0;
  };
  // A payload that comes in several frames.
  struct Fragments {
    Ids ids;
    std::string payload;
    bool cut;
  };

  tl::expected<void, Malformed> take(const Frame& frame, std::int64_t turn_start_us, std::string& out);
  tl::expected<void, Malformed> take_hello(const Frame& frame, std::string& out);
  void take_disconnect(const Frame& frame, std::string& out);
  tl::expected<void, Malformed> take_fragment(const Frame& frame, std::int64_t turn_start_us,
                                              std::string& out);
  tl::expected<void, Malformed> take_notify(Ids ids, std::string_view payload, bool cut,
                                            std::int64_t turn_start_us, std::string& out);
  static Answer judge(const Notified& notified, const IngestLimits& limits, const TimeLimit& limit,
                      RequestJudge& judge);
  void append_ack(Ids ids, std::string_view id, const Answer* answer, std::string& out) const;
  void answer_waiting(const Waiting& waiting);

  Shared shared_;
  FrameReader reader_;
  std::uint64_t messages_ = 0;
  bool greeted_ = false, ended_ = false;
  std::uint64_t peer_frame_bytes_ = 0;          // as HAProxy offered
  std::uint32_t frame_bytes_ = kMaxFrameBytes;  // as agreed
  std::optional<Fragments> fragments_;
  std::map<const Waiting*, Place> waiting_;  // requests that wait for their turns or are being judged
  Backlog backlog_;                          // what was read behind the last that may wait
  std::string output_;
  std::optional<Malformed> broken_;  // in the backlog
};

}  // namespace wafd::ingest::spop
