// One target's life as a pure state machine: events and time in, actions out. Transports are edges around it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forward/target/replay_window.h"
#include "forward/target/token_bucket.h"

namespace wafd::forward {

struct MachineOptions {
  bool stream = false;                   // TCP: a replay window. Else datagrams: settled when sent
  std::size_t endpoints = 1;             // the receiver and its backups
  std::uint32_t rate_limit = 0;          // messages a second, 0 = none
  std::uint32_t datagram_rate = 20'000;  // paced: at full speed a receiver loses most and nobody sees it
  std::uint32_t datagram_burst = 16;
  std::int64_t retry_base_us = 200'000;  // first wait: half of it to all of it, so >= 100 ms; then doubled
  std::int64_t retry_max_us = 30'000'000;
  std::int64_t stable_us = 5'000'000;  // up that long: the next failure starts with the shortest wait again
  std::int64_t probe_us = 200'000;     // datagrams: after a refusal one message goes alone and waits for ICMP
  std::int64_t return_base_us = 10'000'000;  // on a backup: the first receiver is tried after that long, with
  std::int64_t return_max_us = 300'000'000;  // jitter, doubled after each failure up to this
  std::int64_t name_check_us = 60'000'000;   // how often names are resolved again while connected
  std::int64_t handover_us = 5'000'000;      // the old connection gets that long to end in order
  std::int64_t renew_us = 75'000'000;        // nothing written for that long, and not settled: renewed
  ReplayWindow::Options replay;
};

struct TargetCounters {
  std::uint64_t sent = 0, acknowledged = 0, resent = 0, truncated = 0, filtered = 0, rejected = 0, lost = 0;
  std::uint64_t bytes = 0, reconnects = 0, errors = 0;
  std::uint64_t lines_lost = 0;  // audit lines, which lie in no ring: more waited than may
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lost_ranges;  // newest 16, inclusive
  // Inclusive; what the ranges have already is not counted again.
  void add_lost(std::uint64_t first_seq, std::uint64_t last_seq);
  std::string last_error;
};

enum class TargetState : std::uint8_t { kIdle, kResolving, kConnecting, kUp, kWaiting, kStopping, kStopped };
const char* to_string(TargetState state) noexcept;

// The actions for the edge, in this order. A standby connection is a second connection, made while the
// first goes on: only when it is usable (TLS: verified) does on_standby_up() stop the first, and once that
// has ended, handover_due(), the standby connection takes its place. A standby connection to the same
// receiver is how an idle connection is renewed: an orderly end is the one proof that its process has read
// everything.
struct TargetActions {
  bool close = false;                  // drop the connection, if there is one
  std::optional<Position> rewind;      // read the ring from here again
  bool finish = false;                 // write what is queued, then close in order and report on_finished
  std::optional<std::size_t> connect;  // index of the endpoint to resolve and connect to
  std::optional<std::size_t> standby;  // the same, beside the connection that is up
  bool check_name = false;             // resolve the present endpoint's name: on_moved() if it went elsewhere
};

// One thread. Every on_… may change state; `now_us` is monotonic. `seed` drives the jitter alone.
class TargetMachine {
 public:
  TargetMachine(MachineOptions options, Position start, std::uint64_t seed);

  TargetActions start(std::int64_t now_us);
  void on_resolved() noexcept;  // a name became addresses; now connecting
  TargetActions on_connected(std::int64_t now_us);
  // One message was queued on the connection: its bytes with framing, the position behind it.
  void on_written(std::uint64_t bytes, Position behind, std::int64_t now_us);
  void on_skipped(Position behind);   // filtered out
  void on_passed(Position behind);    // nothing for this target, and not counted
  void on_rejected(Position behind);  // refused by the socket for what it is (too large)
  void on_lost(std::uint64_t first_seq, std::uint64_t last_seq, Position behind);  // overtaken by the ring
  void on_truncated() { ++counters_.truncated; }
  void on_acked(std::uint64_t acked_bytes, std::uint64_t peer_window, std::int64_t now_us);
  // The connection could not be made or was lost; for datagrams: the port is closed.
  TargetActions on_failed(std::string why, std::int64_t now_us);
  TargetActions on_tick(std::int64_t now_us);
  // The present receiver is to be connected to anew: its name has other addresses now, or certificates
  // changed.
  TargetActions on_moved();
  void on_standby_failed(std::int64_t now_us);
  void on_standby_up(std::int64_t now_us);  // nothing more is written on the old connection
  // Everything on the old connection is acknowledged, so it can be ended; or there is no more time.
  bool handover_due(std::int64_t now_us) const;
  bool handover_late(std::int64_t now_us) const { return now_us >= handover_by_us_; }
  // The edge uses the standby connection's connection instead of the old one. `clean`: all was acknowledged,
  // and the receiver has answered our end of the old connection by its own; else what is not settled is sent
  // again.
  TargetActions on_handover(bool clean, std::int64_t now_us);
  // The receiver has answered our end of the connection by its own: nothing on it will be sent again.
  void on_left();
  // Flush and end; then on_finished(clean): everything acknowledged and closed in order, so nothing is sent
  // again.
  TargetActions stop(std::int64_t now_us);
  void on_finished(bool clean);

  // An earlier life of the program sent up to this sequence.
  void remember_sent(std::uint64_t seq) noexcept { highest_sent_ = std::max(highest_sent_, seq); }
  // The same receiver, edited: goes on counting, and knows what was sent before.
  void adopt(const TargetMachine& other);

  std::uint64_t budget(std::int64_t now_us);        // messages that may be written now
  std::int64_t wake_at(std::int64_t now_us) const;  // when on_tick or a new budget is due; INT64_MAX: never
  std::int64_t tick_at() const;  // while up: when on_tick() or handover_due() has something to say
  bool all_acknowledged() const { return !window_ || window_->all_acknowledged(); }
  // Messages on a stream's present connection that are not acknowledged, and how long the oldest has waited.
  std::size_t unacknowledged() const { return window_ ? window_->unacknowledged() : 0; }
  std::int64_t unacknowledged_us(std::int64_t now_us) const;
  // Of what was written on a stream's present connection, cumulative bytes: all of it, and the part that is
  // never sent again.
  std::uint64_t written_bytes() const { return window_ ? window_->written_bytes() : 0; }
  std::uint64_t settled_bytes() const { return window_ ? window_->settled_bytes() : 0; }

  TargetState state() const noexcept { return state_; }
  const Position& next() const noexcept { return next_; }  // read from here
  Position settled() const;  // durable cursor: nothing before it will be sent again
  std::size_t endpoint() const noexcept { return endpoint_; }
  // Events with sequences up to this one were sent before, maybe not settled.
  std::uint64_t highest_sent() const noexcept { return highest_sent_; }
  TargetCounters& counters() noexcept { return counters_; }
  const TargetCounters& counters() const noexcept { return counters_; }

 private:
  std::int64_t jittered(std::int64_t base_us, std::int64_t max_us, int doublings);
  void plan_return(std::int64_t now_us);
  std::int64_t renew_at() const;
  void begin_connection(std::int64_t now_us);
  TargetActions reconnect(std::int64_t now_us);

  MachineOptions options_;
  TargetState state_ = TargetState::kIdle;
  Position next_;
  std::optional<ReplayWindow> window_;  // of the present connection
  Position settled_;                    // before the present connection
  std::uint64_t highest_sent_ = 0;      // sequence; what is sent at or below it counts as resent
  std::uint64_t highest_filtered_ = 0;  // sequence behind the last one that was counted
  TokenBucket rate_, pace_;
  std::uint64_t random_;
  std::size_t endpoint_ = 0;
  int failures_ = 0;     // in a row
  int short_lived_ = 0;  // connections in a row that were made and did not last
  bool ever_connected_ = false;
  std::int64_t up_since_us_ = 0;
  std::int64_t retry_at_us_ = INT64_MAX;
  std::optional<std::size_t> standby_endpoint_;  // endpoint of the standby connection
  std::int64_t handover_by_us_ = INT64_MAX;
  std::int64_t return_at_us_ = INT64_MAX, name_check_at_us_ = INT64_MAX;
  int returns_failed_ = 0;       // in a row
  std::int64_t written_us_ = 0;  // when something was last written on this connection
  std::int64_t renew_not_before_us_ = INT64_MIN;
  bool renewable_ = true;  // false: this receiver does not answer the end of a connection
  // datagrams only
  Position burst_start_, previous_burst_start_;
  std::int64_t burst_at_us_ = INT64_MIN;
  std::int64_t probe_until_us_ = INT64_MIN;
  bool probe_sent_ = false, probing_ = false;
  TargetCounters counters_;
};

}  // namespace wafd::forward
