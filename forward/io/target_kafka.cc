// Kafka in TargetRunner: a producer instead of a connection. What all in-sync replicas have is settled.
#include <algorithm>
#include <utility>

#include "forward/io/kafka_producer.h"
#include "forward/io/target_runner.h"

namespace wafd::forward {

void TargetRunner::dial_kafka() {
  KafkaProducer::Callbacks c;
  c.up = [this] { up(); };
  c.answered = [this] {
    settle(kafka_->window(), kafka_->refusal());
    wake();
  };
  c.failed = [this](std::string why) {
    kafka_one_by_one_ = kafka_->batch_refused();
    failed(std::move(why));
  };
  auto made = KafkaProducer::create(parts_.loop, parts_.kafka_reaper, target_, parts_.own_listeners,
                                    {.give_up_ms = 0, .one_by_one = kafka_one_by_one_}, std::move(c));
  if (!made) return failed(made.error().what);
  kafka_ = std::move(*made);
  machine_.on_resolved();
}

bool TargetRunner::pump_kafka(std::int64_t now_us) {
  const std::uint64_t budget = std::min(machine_.budget(now_us), kafka_->room());
  if (budget == 0) return false;
  wall_ms_ = parts_.clock.unix_us() / 1000;
  const bool more = each_message(budget, [&](StepKind kind, const Message& m, const Position& behind, bool) {
    if (kind == StepKind::kSkipped) return note(kind, behind, 0, false, now_us), true;
    value_.assign(m.header).append(m.content);
    KafkaProducer::Message message{.value = value_};
    if (kind == StepKind::kEvent) {
      message.key = record_->site_uuid;
      message.time_ms = record_->time_ms;
    }
    const KafkaProducer::Taken taken = kafka_->produce(message);
    if (taken == KafkaProducer::Taken::kLater) return false;
    if (kind == StepKind::kExtra) {
      extras_sent_.push_back(std::move(extras_.front()));
      extras_.pop_front();
      extras_sent_.back().end = kafka_->window().sent_bytes();
    }
    if (taken == KafkaProducer::Taken::kYes)
      note(kind, behind, value_.size(), m.truncated, now_us);
    else
      machine_.on_rejected(behind);
    return true;
  });
  if (wants_events_ && reader_.next_seq() != machine_.next().seq) reader_.seek(machine_.next().seq);
  return more && kafka_->room() > 0;
}

}  // namespace wafd::forward
