// Kafka and PostgreSQL in TargetRunner: a producer instead of a connection. Settled is what it says is kept.
#include <algorithm>
#include <utility>

#include "forward/io/postgres_writer.h"
#include "forward/io/producers/kafka_producer.h"
#include "forward/io/target_runner.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kReportHeads = 4096;  // of the ring, at once
constexpr std::size_t kReportBytes = 1 << 20;

}  // namespace

Result<std::unique_ptr<Producer>> TargetRunner::make_producer(Producer::Callbacks callbacks) {
  if (target_.transport == Transport::kPostgresql)
    return PostgresWriter::create(parts_.loop, parts_.producer_reaper, target_,
                                  {parts_.node, parts_.own_listeners, parts_.resolve, parts_.beat},
                                  std::move(callbacks));
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
  // Whatever was stored before the last settled event was produced before it.
  const std::uint64_t next = machine_.next().seq;
  reports_place_ = reader_.place_behind(next > 0 ? next - 1 : 0);
  late_reports_.clear();
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

// Reports on events that were read before, into a database: all that are stored by now, before any further
// event. So the cursor of events tells after a restart from where reports are to be looked for again. False:
// not all of them went.
bool TargetRunner::pump_reports(std::uint64_t& budget, std::int64_t now_us) {
  if (target_.transport != Transport::kPostgresql || !wants_events_) return true;
  const std::uint64_t next = machine_.next().seq;
  for (std::uint64_t before = UINT64_MAX; before != reports_place_;) {
    if (!send_reports(budget, now_us)) return false;
    before = reports_place_;
    for (const std::uint64_t seq : reader_.reported_behind(reports_place_, kReportHeads))
      if (seq < next) late_reports_.push_back(seq);  // an event to come is read with its report
  }
  return send_reports(budget, now_us);
}

// Those that were found. False: some are left for want of room or budget.
bool TargetRunner::send_reports(std::uint64_t& budget, std::int64_t now_us) {
  std::uint64_t overtaken = 0;
  for (; !late_reports_.empty() && budget > 0; late_reports_.pop_front()) {
    reports_reader_.seek(late_reports_.front());
    const auto records = reports_reader_.read(1, kReportBytes, overtaken);
    if (records.empty() || records[0].seq != late_reports_.front() || !records[0].reported) continue;
    const std::string json = reports_reader_.merged_json(records[0]);
    const std::uint64_t bytes = producer_->window().sent_bytes();
    const auto taken =
        producer_->produce({.kind = "report", .header = {}, .content = json, .record = records.data()});
    if (taken == Producer::Taken::kLater) return false;
    if (taken != Producer::Taken::kYes) continue;  // one that is never taken keeps nothing else back
    machine_.on_written(producer_->window().sent_bytes() - bytes, machine_.next(), now_us);
    --budget;
  }
  return late_reports_.empty();
}

bool TargetRunner::pump_producer(std::int64_t now_us) {
  std::uint64_t budget = std::min(machine_.budget(now_us), producer_->room());
  if (budget == 0) return false;
  wall_ms_ = parts_.clock.unix_us() / 1000;
  if (!pump_reports(budget, now_us) || budget == 0) return producer_->room() > 0;
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
