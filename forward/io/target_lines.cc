// Lines of TargetRunner that are in no ring: of the audit log, kept until they are settled, and signs of
// life.
#include <utility>

#include "forward/framing.h"
#include "forward/io/kafka_producer.h"
#include "forward/io/target_runner.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxExtras = 1000;

}  // namespace

void TargetRunner::audit(const std::string& json) {
  if (!wants_audit_ || !target_.enabled) return;
  if (extras_.size() >= kMaxExtras) {
    extras_.pop_front();
    ++machine_.counters().lines_lost;
  }
  extras_.push_back({json, parts_.clock.unix_us(), 0});
}

// Before what waits: what was not settled is sent again, in order.
void TargetRunner::requeue_extras() {
  for (; !extras_sent_.empty(); extras_sent_.pop_back()) extras_.push_front(std::move(extras_sent_.back()));
}

void TargetRunner::settle_extras(std::uint64_t octets) {
  while (!extras_sent_.empty() && extras_sent_.front().end <= octets) extras_sent_.pop_front();
}

void TargetRunner::health(std::int64_t uptime_s) {
  // Told only to who is there: a receiver that was away learns of it by the missing ones.
  if (!wants_health_ || machine_.state() != TargetState::kUp ||
      machine_.budget(parts_.clock.monotonic_us()) == 0)
    return;
  if (!link_ && !kafka_) return;
  if (link_ && link_->stream() && link_->stream()->queued_octets() != 0) return;
  if (link_ && link_->relp() && link_->relp()->room() == 0) return;
  Health h;
  h.now_us = parts_.clock.unix_us();
  h.uptime_s = uptime_s;
  h.ring_oldest = parts_.ring.oldest();
  h.ring_end = parts_.ring.end();
  h.lag_events = h.ring_end > machine_.next().seq ? h.ring_end - machine_.next().seq : 0;
  h.sent = machine_.counters().sent;
  h.lost = machine_.counters().lost;
  Position behind = machine_.next();
  behind.sequence_id = next_id(behind.sequence_id);
  const Message m = maker_.health(h, behind.sequence_id);
  std::string octets;
  if (kafka_) {
    octets.append(m.header).append(m.content);
    if (kafka_->room() == 0 || kafka_->produce({.key = {}, .value = octets}) != KafkaProducer::Taken::kYes)
      return;
  } else if (link_->stream()) {
    if (link_->relp())
      link_->relp()->append(m.header, m.content, parts_.loop.turn_start_us(), octets);
    else
      append_frame(target_.framing, m.header, m.content, octets);
    if (!link_->stream()->write(octets)) return;
  } else {
    octets.append(m.header).append(m.content);
    if (!link_->datagrams()->send(octets)) return;
  }
  const bool ciphertext = target_.transport == Transport::kTls;
  machine_.on_written(ciphertext ? link_->take_wire_octets() : octets.size(), behind,
                      parts_.clock.monotonic_us());
  last_sent_ms_ = parts_.clock.unix_us() / 1000;
}

}  // namespace wafd::forward
