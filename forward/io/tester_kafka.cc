// Kafka in Tester: the stages up to "tls" look at the first broker, as with any other transport; then a
// producer writes.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "forward/io/producers/kafka_conf.h"
#include "forward/io/producers/kafka_producer.h"
#include "forward/io/tester.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kKafkaAnswerMs = 4000;

}  // namespace

void Tester::write_kafka() {
  link_.stream.reset();  // it has shown what it was to show
  Producer::Callbacks c;
  c.up = [this] { produce(); };
  c.answered = [this] {
    if (!done_ || kafka_->window().first() == 0) return;
    end_stage(true, {{"acknowledged", true}}, "");
    finish("acknowledged", "Acknowledged by all in-sync replicas of the topic.");
  };
  c.failed = [this](const std::string& why) {
    if (done_) fail_stage(why, "");
  };
  auto made = KafkaProducer::create(loop_, parts_.producer_reaper, target_, parts_.own_listeners,
                                    {.give_up_ms = kKafkaAnswerMs}, std::move(c));
  if (!made) return fail_stage(made.error().what, "");
  kafka_ = std::move(*made);
}

void Tester::produce() {
  if (!done_) return;
  if (kafka_->produce({.content = bytes_}) != Producer::Taken::kYes)
    return fail_stage("the Kafka producer does not take the message", "");
  end_stage(true, {{"octets", bytes_.size()}, {"framing", "kafka"}, {"topic", kafka_topic(target_)}}, "");
  begin_stage("after");
}

}  // namespace wafd::forward
