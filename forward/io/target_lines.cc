// Lines of TargetRunner that are in no ring: of the audit log and signs of life, kept until they are settled.
#include <utility>

#include "forward/io/producers/producer.h"
#include "forward/io/target_runner.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxExtras = 1000;
constexpr std::size_t kMaxExtrasSent = 10'000;  // lines on their way; more wait

// Of two sequenceIds that are not far apart, with 1 after the highest: whether `id` comes later than `than`.
bool is_behind(std::uint32_t id, std::uint32_t than) {
  constexpr std::uint32_t kIds = 2'147'483'647;
  const std::uint32_t ahead = (id + kIds - than) % kIds;
  return ahead != 0 && ahead < kIds / 2;
}

}  // namespace

void TargetRunner::audit(const std::string& json) {
  if (!wants_audit_ || !target_.enabled) return;
  if (extras_.size() >= kMaxExtras) {
    if (!extras_.front().alive) ++machine_.counters().lines_lost;
    extras_.pop_front();
  }
  extras_.push_back({json, parts_.clock.unix_us(), 0, false, 0});
}

// Before what waits: what was not settled is sent again, in order. Of datagrams, what the rewind takes back.
void TargetRunner::requeue_extras(const Position& from) {
  if (target_.transport == Transport::kUdp)
    while (!extras_sent_.empty() && !is_behind(extras_sent_.front().id, from.sequence_id))
      extras_sent_.pop_front();
  for (; !extras_sent_.empty(); extras_sent_.pop_back()) extras_.push_front(std::move(extras_sent_.back()));
}

void TargetRunner::settle_extras(std::uint64_t bytes) {
  while (!extras_sent_.empty() && extras_sent_.front().end <= bytes) extras_sent_.pop_front();
}

void TargetRunner::health(std::int64_t uptime_s) {
  // Told only to who is there: a receiver that was away learns of it by the missing ones.
  if (!wants_health_ || machine_.state() != TargetState::kUp ||
      machine_.budget(parts_.clock.monotonic_us()) == 0)
    return;
  if (!link_ && !producer_) return;
  if (link_ && link_->stream() && link_->stream()->queued_bytes() != 0) return;
  if (link_ && link_->relp() && link_->relp()->room() == 0) return;
  Health h;
  h.now_us = parts_.clock.unix_us();
  h.uptime_s = uptime_s;
  h.ring_oldest = parts_.ring.oldest();
  h.ring_end = parts_.ring.end();
  h.lag_events = h.ring_end > machine_.next().seq ? h.ring_end - machine_.next().seq : 0;
  h.sent = machine_.counters().sent;
  h.lost = machine_.counters().lost;
  if (extras_.size() >= kMaxExtras) return;
  extras_.push_back({maker_.health_json(h), h.now_us, 0, true, 0});
  wake();
}

// Lines that wait, from `at` on. One that is sent again goes where it was the first time, and a new one
// behind every event that is sent again, so that events keep their sequenceIds; `all`: there are no events,
// so whatever waits goes. False: `step` takes no more.
bool TargetRunner::each_line(std::uint64_t& budget, Position& at, bool all, const Step& step) {
  for (; !extras_.empty() && extras_sent_.size() < kMaxExtrasSent && budget > 0; --budget) {
    Extra& line = extras_.front();
    const Position behind{at.seq, next_id(at.sequence_id)};
    const bool later =
        line.id != 0 ? is_behind(line.id, behind.sequence_id) : at.seq <= machine_.highest_sent();
    if (!all && target_.sequence_id && later) return true;
    line.id = behind.sequence_id;
    const Message m = line.alive ? maker_.alive(line.json, line.time_us, line.id)
                                 : maker_.audit(line.json, line.time_us, line.id);
    if (!step(StepKind::kExtra, m, behind, false)) return false;
    at = behind;
  }
  return true;
}

}  // namespace wafd::forward
