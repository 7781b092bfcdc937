// A request of a connection whose gateway waits for the answer: where it stands in the queue, itself while it
// waits for its turn, and the bytes that came behind it. For the sessions of every protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/fair_queue.h"
#include "ingest/judge.h"
#include "ingest/limits.h"

namespace wafd::ingest {

// As the queue is told of it.
struct Arrival {
  Source source = 0;
  std::size_t bytes = 0;  // that judging reads: of a late request its head alone
  bool bare = true;       // without a body
  Turn turn = Turn::kTime;
  std::int64_t arrived_us = 0;
};

// `connection` stands for the client where the gateway does not tell its address. `turn_start_us` is the
// monotonic time at which the turn of the loop began that read the request: it is as old as that.
Arrival arrival_of(const Request& request, const void* connection, std::int64_t turn_start_us,
                   const FairQueue& queue, const Clock& clock, const IngestLimits& limits);

// May be judged without being queued; then charge() is the caller's.
inline bool at_once(FairQueue& queue, const Arrival& arrival) noexcept {
  return queue.at_once(arrival.source, arrival.bytes, arrival.arrived_us);
}
inline FairQueue::Ticket push(FairQueue& queue, const Arrival& arrival, std::shared_ptr<Work> work) {
  return queue.push(arrival.source, arrival.bare, arrival.bytes, arrival.arrived_us, std::move(work));
}

// `Pending` is the request with what its answer needs, and judges itself:
//   Answer judge(RequestJudge&, const IngestLimits&, const TimeLimit&) const
// `Session` has answer_waiting(const WaitingRequest&), called on its own thread unless forget() was.
template <class Session, class Pending>
class WaitingRequest final : public Work {
 public:
  // `parts` make the pending request, which may hold views of itself.
  template <class... Parts>
  WaitingRequest(Session& session, const IngestLimits& limits, const Clock& clock, std::int64_t arrived_us,
                 Parts&&... parts)
      : session_(&session),
        limits_(limits),
        clock_(clock),
        arrived_us_(arrived_us),
        pending_(std::forward<Parts>(parts)...) {}

  std::uint64_t judge(RequestJudge& judge, Turn turn) override {
    answer_ = pending_.judge(judge, limits_, time_limit(limits_, turn, arrived_us_, clock_.monotonic_us()));
    return judge.work_units();
  }
  void answer() override {
    if (session_ != nullptr) session_->answer_waiting(*this);
  }
  // The session is gone, or whoever asked it.
  void forget() noexcept { session_ = nullptr; }

  const Pending& pending() const noexcept { return pending_; }
  const Answer& result() const noexcept { return answer_; }

 private:
  Session* session_;
  const IngestLimits& limits_;
  const Clock& clock_;
  std::int64_t arrived_us_;
  Pending pending_;
  Answer answer_;
};

// Bytes read behind a request that waits; reading is paused, so this is at most one read more.
class Backlog {
 public:
  bool empty() const noexcept { return bytes_.empty(); }
  void add(std::string_view bytes, std::int64_t turn_start_us) {
    if (bytes_.empty()) turn_start_us_ = turn_start_us;
    bytes_ += bytes;
  }
  // Of the first of them: what is pipelined is as old as that.
  std::int64_t turn_start_us() const noexcept { return turn_start_us_; }
  std::string take() noexcept { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
  std::int64_t turn_start_us_ = 0;
};

}  // namespace wafd::ingest
