#include "forward/target/target_machine.h"

#include <algorithm>

namespace wafd::forward {
namespace {

constexpr std::size_t kLostRanges = 16;
constexpr std::uint64_t kStreamTurn = 512;  // messages a turn, so that targets share the thread
constexpr int kShortLived = 3;              // so many in a row: a receiver that only accepts
constexpr std::int64_t kBurstGapUs = 500;   // datagrams written closer together are one burst

std::uint32_t burst_of(std::uint32_t rate_limit) { return std::clamp(rate_limit / 10, 1u, 1000u); }

}  // namespace

const char* to_string(TargetState state) noexcept {
  switch (state) {
    case TargetState::kIdle:
      return "idle";
    case TargetState::kResolving:
      return "resolving";
    case TargetState::kConnecting:
      return "connecting";
    case TargetState::kUp:
      return "up";
    case TargetState::kWaiting:
      return "waiting";
    case TargetState::kStopping:
      return "stopping";
    case TargetState::kStopped:
      return "stopped";
  }
  return "";
}

TargetMachine::TargetMachine(MachineOptions options, Position start, std::uint64_t seed)
    : options_(options),
      next_(start),
      settled_(start),
      rate_(options.rate_limit, burst_of(options.rate_limit)),
      pace_(options.stream ? 0 : options.datagram_rate, 2 * options.datagram_burst),
      random_(seed | 1),
      burst_start_(start),
      previous_burst_start_(start) {}

TargetActions TargetMachine::reconnect(std::int64_t) {
  state_ = TargetState::kResolving;
  retry_at_us_ = INT64_MAX;
  TargetActions actions;
  actions.connect = endpoint_;
  return actions;
}

TargetActions TargetMachine::start(std::int64_t now_us) { return reconnect(now_us); }

void TargetMachine::on_resolved() noexcept {
  if (state_ == TargetState::kResolving) state_ = TargetState::kConnecting;
}

void TargetMachine::begin_connection(std::int64_t now_us) {
  state_ = TargetState::kUp;
  up_since_us_ = now_us;
  if (ever_connected_) ++counters_.reconnects;
  ever_connected_ = true;
  written_us_ = now_us;
  renew_not_before_us_ = INT64_MIN;
  if (options_.stream) window_.emplace(next_, options_.replay);
  probe_sent_ = false;
  standby_endpoint_.reset();
  handover_by_us_ = INT64_MAX;
  name_check_at_us_ = now_us + options_.name_check_us;
  plan_return(now_us);
}

TargetActions TargetMachine::on_connected(std::int64_t now_us) {
  begin_connection(now_us);
  renewable_ = true;
  probing_ = !options_.stream && failures_ > 0;
  return {};
}

void TargetMachine::plan_return(std::int64_t now_us) {
  return_at_us_ = endpoint_ == 0
                      ? INT64_MAX
                      : now_us + jittered(options_.return_base_us, options_.return_max_us, returns_failed_);
}

TargetActions TargetMachine::on_moved() {
  TargetActions actions;
  if (state_ == TargetState::kUp && !standby_endpoint_) actions.standby = standby_endpoint_ = endpoint_;
  return actions;
}

void TargetMachine::on_standby_failed(std::int64_t now_us) {
  if (!standby_endpoint_) return;
  if (*standby_endpoint_ != endpoint_) returns_failed_ = std::min(returns_failed_ + 1, 30);
  standby_endpoint_.reset();
  handover_by_us_ = INT64_MAX;
  plan_return(now_us);
  name_check_at_us_ = now_us + options_.name_check_us;
  renew_not_before_us_ = now_us + options_.return_max_us;
}

void TargetMachine::on_standby_up(std::int64_t now_us) {
  if (state_ == TargetState::kUp && standby_endpoint_) handover_by_us_ = now_us + options_.handover_us;
}

bool TargetMachine::handover_due(std::int64_t now_us) const {
  return handover_by_us_ != INT64_MAX && (all_acknowledged() || now_us >= handover_by_us_);
}

void TargetMachine::on_left() {
  if (window_) window_->settle_acknowledged();
}

TargetActions TargetMachine::on_handover(bool clean, std::int64_t now_us) {
  TargetActions actions;
  if (window_ && clean) window_->settle_acknowledged();
  settled_ = settled();
  if (options_.stream && settled_ != next_) actions.rewind = next_ = settled_;
  const bool elsewhere = standby_endpoint_.value_or(endpoint_) != endpoint_;
  endpoint_ = standby_endpoint_.value_or(endpoint_);
  burst_start_ = previous_burst_start_ = next_;  // what the other receiver got is not sent to this one
  burst_at_us_ = INT64_MIN;
  if (!clean && !elsewhere) renewable_ = false;
  // Datagrams show by a refusal alone whether somebody is there.
  begin_connection(now_us);
  probing_ = !options_.stream && elsewhere;
  return actions;
}

void TargetMachine::on_written(std::uint64_t bytes, Position behind, std::int64_t now_us) {
  ++counters_.sent;
  counters_.bytes += bytes;
  if (behind.seq > next_.seq) {
    if (behind.seq - 1 <= highest_sent_) ++counters_.resent;
    highest_sent_ = std::max(highest_sent_, behind.seq - 1);
  }
  if (options_.stream) {
    if (window_) window_->written(bytes, behind, now_us);
    written_us_ = now_us;
  } else {
    if (burst_at_us_ == INT64_MIN || now_us - burst_at_us_ > kBurstGapUs) {
      previous_burst_start_ = burst_start_;
      burst_start_ = next_;
    }
    burst_at_us_ = now_us;
    if (probing_ && !probe_sent_) {
      probe_sent_ = true;
      probe_until_us_ = now_us + options_.probe_us;
    }
    settled_ = behind;
  }
  rate_.take(1);
  pace_.take(1);
  next_ = behind;
}

void TargetMachine::on_passed(Position behind) {
  if (window_)
    window_->skipped(behind);
  else
    settled_ = behind;
  next_ = behind;
}

void TargetMachine::on_skipped(Position behind) {
  if (behind.seq > highest_filtered_) ++counters_.filtered;  // not what is read again
  highest_filtered_ = std::max(highest_filtered_, behind.seq);
  on_passed(behind);
}

void TargetMachine::on_rejected(Position behind) {
  ++counters_.rejected;
  on_passed(behind);
}

void TargetCounters::add_lost(std::uint64_t first_seq, std::uint64_t last_seq) {
  auto joined = std::pair(first_seq, last_seq);
  const auto begin = std::find_if(lost_ranges.begin(), lost_ranges.end(),
                                  [&](const auto& range) { return range.second + 1 >= first_seq; });
  auto end = begin;
  lost += last_seq - first_seq + 1;
  for (; end != lost_ranges.end() && end->first <= last_seq + 1; ++end) {
    const auto both_first = std::max(first_seq, end->first), both_last = std::min(last_seq, end->second);
    if (both_first <= both_last) lost -= both_last - both_first + 1;
    joined = {std::min(joined.first, end->first), std::max(joined.second, end->second)};
  }
  lost_ranges.insert(lost_ranges.erase(begin, end), joined);
  if (lost_ranges.size() > kLostRanges) lost_ranges.erase(lost_ranges.begin());
}

void TargetMachine::adopt(const TargetMachine& other) {
  counters_ = other.counters_;
  highest_sent_ = other.highest_sent_;
  highest_filtered_ = other.highest_filtered_;
}

void TargetMachine::on_lost(std::uint64_t first_seq, std::uint64_t last_seq, Position behind) {
  counters_.add_lost(first_seq, last_seq);
  if (!window_) settled_ = behind;
  next_ = behind;
}

void TargetMachine::on_acked(std::uint64_t acked_bytes, std::uint64_t peer_window, std::int64_t now_us) {
  if (window_) counters_.acknowledged += window_->acknowledged(acked_bytes, peer_window, now_us);
}

std::int64_t TargetMachine::unacknowledged_us(std::int64_t now_us) const {
  const auto since = window_ ? window_->unacknowledged_since_us() : std::nullopt;
  return since ? now_us - *since : 0;
}

std::int64_t TargetMachine::jittered(std::int64_t base_us, std::int64_t max_us, int doublings) {
  for (int i = 0; i < doublings && base_us < max_us; ++i) base_us *= 2;
  base_us = std::min(base_us, max_us);
  random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;  // xorshift64
  return base_us / 2 + static_cast<std::int64_t>(random_ % static_cast<std::uint64_t>(base_us / 2 + 1));
}

TargetActions TargetMachine::on_failed(std::string why, std::int64_t now_us) {
  TargetActions actions;
  actions.close = true;
  ++counters_.errors;
  counters_.last_error = std::move(why);
  const bool was_up = state_ == TargetState::kUp || state_ == TargetState::kStopping;
  settled_ = settled();
  if (was_up) {
    next_ = options_.stream ? settled_ : previous_burst_start_;
    actions.rewind = next_;
    if (!options_.stream) settled_ = next_;
    burst_start_ = previous_burst_start_ = next_;
    burst_at_us_ = INT64_MIN;
  }
  window_.reset();
  standby_endpoint_.reset();
  handover_by_us_ = return_at_us_ = name_check_at_us_ = INT64_MAX;
  if (state_ == TargetState::kStopping || state_ == TargetState::kStopped) {
    state_ = TargetState::kStopped;
    return actions;
  }
  if (was_up && now_us - up_since_us_ >= options_.stable_us)
    failures_ = short_lived_ = 0;
  else if (was_up && options_.stream)
    short_lived_ = std::min(short_lived_ + 1, kShortLived);
  // A datagram that was answered by a refusal reached nobody: as good as a connection that was not made. So
  // are connections that do not last: of a balancer with nobody behind it, or of who refuses our certificate.
  const bool nobody = !was_up || probing_ || short_lived_ == kShortLived;
  if (was_up && nobody && endpoint_ == 0) returns_failed_ = std::min(returns_failed_ + 1, 30);
  if (nobody && endpoint_ + 1 < options_.endpoints) {  // the backups first, without waiting
    ++endpoint_;
    failures_ = std::max(failures_, 1);  // so that one datagram goes alone there too
    actions.connect = reconnect(now_us).connect;
    return actions;
  }
  endpoint_ = 0;
  retry_at_us_ = now_us + jittered(options_.retry_base_us, options_.retry_max_us, failures_);
  failures_ = std::min(failures_ + 1, 30);
  state_ = TargetState::kWaiting;
  return actions;
}

TargetActions TargetMachine::on_tick(std::int64_t now_us) {
  if (state_ == TargetState::kWaiting && now_us >= retry_at_us_) return reconnect(now_us);
  TargetActions actions;
  if (state_ != TargetState::kUp) return actions;
  if (probing_ && probe_sent_ && now_us >= probe_until_us_) probing_ = false;
  if (now_us - up_since_us_ >= options_.stable_us) {
    failures_ = short_lived_ = 0;
    if (endpoint_ == 0 && !probing_) returns_failed_ = 0;
  }
  if (standby_endpoint_) return actions;
  if (now_us >= return_at_us_) {
    actions.standby = standby_endpoint_ = 0;
  } else if (now_us >= renew_at()) {
    actions.standby = standby_endpoint_ = endpoint_;
  } else if (now_us >= name_check_at_us_) {
    name_check_at_us_ = now_us + options_.name_check_us;
    actions.check_name = true;
  }
  return actions;
}

TargetActions TargetMachine::stop(std::int64_t) {
  TargetActions actions;
  standby_endpoint_.reset();
  handover_by_us_ = return_at_us_ = name_check_at_us_ = INT64_MAX;
  if (state_ == TargetState::kUp) {
    state_ = TargetState::kStopping;
    actions.finish = true;
    return actions;
  }
  if (state_ == TargetState::kStopping || state_ == TargetState::kStopped) return actions;
  state_ = TargetState::kStopped;
  actions.close = true;
  return actions;
}

void TargetMachine::on_finished(bool clean) {
  if (window_ && clean) window_->settle_acknowledged();
  settled_ = settled();
  next_ = settled_;
  window_.reset();
  state_ = TargetState::kStopped;
}

std::uint64_t TargetMachine::budget(std::int64_t now_us) {
  if (state_ != TargetState::kUp && state_ != TargetState::kStopping) return 0;
  if (handover_by_us_ != INT64_MAX) return 0;
  const std::uint64_t tokens = std::min(rate_.available(now_us), pace_.available(now_us));
  if (probing_) {
    if (!probe_sent_) return std::min<std::uint64_t>(1, tokens);
    if (now_us < probe_until_us_) return 0;
    probing_ = false;
  }
  return std::min<std::uint64_t>(tokens, options_.stream ? kStreamTurn : options_.datagram_burst);
}

std::int64_t TargetMachine::wake_at(std::int64_t now_us) const {
  if (state_ == TargetState::kWaiting) return retry_at_us_;
  if (state_ != TargetState::kUp && state_ != TargetState::kStopping) return INT64_MAX;
  if (probing_ && probe_sent_) return probe_until_us_;
  return std::max(rate_.ready_at(now_us), pace_.ready_at(now_us));
}

std::int64_t TargetMachine::tick_at() const {
  if (state_ != TargetState::kUp || standby_endpoint_) return handover_by_us_;
  return std::min({return_at_us_, name_check_at_us_, renew_at()});
}

std::int64_t TargetMachine::renew_at() const {
  if (!window_ || !renewable_ || window_->marks() == 0 || !window_->all_acknowledged()) return INT64_MAX;
  return std::max(written_us_ + options_.renew_us, renew_not_before_us_);
}

Position TargetMachine::settled() const { return window_ ? window_->settled() : settled_; }

}  // namespace wafd::forward
