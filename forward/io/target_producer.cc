// Kafka and PostgreSQL in TargetRunner: a producer instead of a connection. Settled is what it says is kept.
#include <algorithm>
#include <utility>

#include "forward/io/postgres_writer.h"
#include "forward/io/producers/kafka_producer.h"
#include "forward/io/target_runner.h"

namespace wafd::forward {

Result<std::unique_ptr<Producer>> TargetRunner::make_producer(Producer::Callbacks callbacks) {
  if (target_.transport == Transport::kPostgresql)
    return PostgresWriter::create(parts_.loop, parts_.producer_reaper, target_,
                                  {parts_.node, parts_.own_listeners, parts_.resolve}, std::move(callbacks));
  return KafkaProducer::create(parts_.loop, parts_.producer_reaper, target_, parts_.own_listeners,
                               {.give_up_ms = 0, .one_by_one = one_by_one_}, std::move(callbacks));
}

void TargetRunner::dial_producer() {
  Producer::Callbacks c;
  c.up = [this] { up(); };
  c.answered = [this] {
    settle(producer_->window(), producer_->refusal());
    wake();
  };
  c.failed = [this](std::string why) {
    one_by_one_ = producer_->batch_refused();
    failed(std::move(why));
  };
  auto made = make_producer(std::move(c));
  if (!made) return failed(made.error().what);
  producer_ = std::move(*made);
  machine_.on_resolved();
}

Producer::Message TargetRunner::message_of(StepKind kind, const Message& m) const {
  Producer::Message message{.kind = "event", .header = m.header, .content = m.content};
  if (kind == StepKind::kEvent) {
    message.record = record_;
    message.time_ms = record_->time_ms;
  } else if (kind == StepKind::kGap) {
    message.kind = "gap";
    message.time_ms = wall_ms_;
  } else {
    message.kind = extras_.front().alive ? "alive" : "audit";
    message.time_ms = extras_.front().time_us / 1000;
  }
  return message;
}

bool TargetRunner::pump_producer(std::int64_t now_us) {
  const std::uint64_t budget = std::min(machine_.budget(now_us), producer_->room());
  if (budget == 0) return false;
  wall_ms_ = parts_.clock.unix_us() / 1000;
  const bool more = each_message(budget, [&](StepKind kind, const Message& m, const Position& behind, bool) {
    if (kind == StepKind::kSkipped) return note(kind, behind, 0, false, now_us), true;
    const std::uint64_t before = producer_->window().sent_bytes();
    const Producer::Taken taken = producer_->produce(message_of(kind, m));
    if (taken == Producer::Taken::kLater) return false;
    if (kind == StepKind::kExtra) {
      extras_sent_.push_back(std::move(extras_.front()));
      extras_.pop_front();
      extras_sent_.back().end = producer_->window().sent_bytes();
    }
    if (taken == Producer::Taken::kYes)
      note(kind, behind, producer_->window().sent_bytes() - before, m.truncated, now_us);
    else
      machine_.on_rejected(behind);
    return true;
  });
  if (wants_events_ && reader_.next_seq() != machine_.next().seq) reader_.seek(machine_.next().seq);
  return more && producer_->room() > 0;
}

}  // namespace wafd::forward
