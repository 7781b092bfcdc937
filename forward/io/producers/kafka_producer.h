// One Kafka producer on the delivery loop. librdkafka's threads do the IO; what they have to tell comes to
// the loop.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <librdkafka/rdkafka.h>

#include "detect/core/error.h"
#include "detect/core/ip_address.h"
#include "forward/io/producers/producer.h"
#include "forward/io/producers/producer_reaper.h"
#include "forward/target/target_settings.h"
#include "ingest/io/kit/loop.h"

namespace wafd::forward {

// Every connection, also to brokers that the cluster names later, goes to an address that check_destination()
// allows, or is not made. Delivery reports fill an AckWindow: settled is what all in-sync replicas have.
// Whatever brokers say is cut to 300 printable characters. Create, use and destroy on the loop's thread.
class KafkaProducer final : public Producer {
 public:
  // failed(): nobody answered within 10 s, all brokers are gone before the first answer, a fatal error, or a
  // message was given up. Events are keyed by their site; a message that is too large is never taken.
  struct Options {
    std::int64_t give_up_ms = 0;  // 0: a message is tried for ever
    // No batches. A broker refuses a batch as a whole, so which message of it is poison shows only this way.
    bool one_by_one = false;
  };

  // Without a reaper the destructor waits itself. Errors are of the settings.
  static Result<std::unique_ptr<KafkaProducer>> create(kit::Loop& loop,
                                                       std::shared_ptr<ProducerReaper> reaper,
                                                       const TargetSettings& target,
                                                       std::vector<Endpoint> own_listeners, Options options,
                                                       Callbacks callbacks);
  ~KafkaProducer() override;

  Taken produce(const Message& message) override;
  const AckWindow& window() const noexcept override { return window_; }
  std::uint64_t room() const noexcept override;
  const std::string& peer() const noexcept override { return broker_; }  // a broker
  bool batch_refused() const noexcept override { return batch_refused_; }
  const std::string& refusal() const noexcept override { return refusal_; }
  // A connection that we did not make says more than what librdkafka made of it.
  const std::string& last_error() const noexcept override {
    return forbidden_.empty() ? last_error_ : forbidden_;
  }

 private:
  struct Shared;
  KafkaProducer(kit::Loop& loop, std::shared_ptr<ProducerReaper> reaper, std::shared_ptr<Shared> shared,
                Options options, Callbacks callbacks);
  void drain();
  void on_event(rd_kafka_event_t* event);
  void on_report(const rd_kafka_message_t& message);
  void on_statistics(std::string_view json);
  void note_forbidden();
  void give_up(std::string why);

  kit::Loop& loop_;
  std::shared_ptr<ProducerReaper> reaper_;
  std::shared_ptr<Shared> shared_;
  Options options_;
  Callbacks callbacks_;
  rd_kafka_t* handle_ = nullptr;
  rd_kafka_topic_t* topic_ = nullptr;
  rd_kafka_queue_t* events_ = nullptr;
  AckWindow window_;
  bool up_ = false, answered_ = false, batch_refused_ = false;
  std::string broker_, value_, last_error_, forbidden_, refusal_, failure_;
  std::int64_t silent_since_ms_ = 0;  // loop time: nothing was taken since, though something waits
  kit::Timer deadline_;               // for the first answer; later for a refusal that nothing decides
};

}  // namespace wafd::forward
