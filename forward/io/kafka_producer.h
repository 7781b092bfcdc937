// One Kafka producer on the delivery loop. librdkafka's threads do the IO; what they have to tell comes to
// the loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <librdkafka/rdkafka.h>

#include "detect/core/error.h"
#include "detect/core/ip_address.h"
#include "forward/protocol/ack_window.h"
#include "forward/target/target_settings.h"
#include "ingest/io/kit/loop.h"

namespace wafd::forward {

// Destroying a producer waits for its threads, which may be waiting for a name server: that is done here,
// beside the loop. The destructor waits at most kWaitMs, if wait() was not called or was content.
class KafkaReaper {
 public:
  static constexpr std::int64_t kWaitMs = 3000;

  KafkaReaper();
  ~KafkaReaper();
  KafkaReaper(const KafkaReaper&) = delete;
  KafkaReaper& operator=(const KafkaReaper&) = delete;

  void take(std::function<void()> destroy);
  // Waits for what is still going on; false: not through within that time. Then the program must end without
  // exit handlers, which would run under threads that use what they clear away.
  bool wait(std::int64_t timeout_ms);

 private:
  struct State;
  std::shared_ptr<State> state_;
  bool given_up_ = false;
};

// Every connection, also to brokers that the cluster names later, goes to an address that check_destination()
// allows, or is not made. Delivery reports fill an AckWindow: settled is what all in-sync replicas have.
// Whatever brokers say is cut to 300 printable characters. Create, use and destroy on the loop's thread.
class KafkaProducer {
 public:
  // Never from within create() or produce(). Any may destroy the producer.
  struct Callbacks {
    std::function<void()> up;        // the first broker has answered
    std::function<void()> answered;  // window() has changed
    // It is of no use any more: nobody answered within 10 s, all brokers are gone before the first answer, a
    // fatal error, or a message was given up. What is not settled is to be sent again by another producer.
    std::function<void(std::string why)> failed;
  };
  struct Options {
    std::int64_t give_up_ms = 0;  // 0: a message is tried for ever
    // No batches. A broker refuses a batch as a whole, so which message of it is poison shows only this way.
    bool one_by_one = false;
  };
  struct Message {
    std::string_view key;  // empty: none
    std::string_view value;
    std::int64_t time_ms = 0;  // Unix time; 0: now
  };
  enum class Taken {
    kYes,
    kLater,
    kNever
  };  // kLater: the queue is full, answered() comes; kNever: too large

  // Without a reaper the destructor waits itself. Errors are of the settings.
  static Result<std::unique_ptr<KafkaProducer>> create(kit::Loop& loop, std::shared_ptr<KafkaReaper> reaper,
                                                       const TargetSettings& target,
                                                       std::vector<Endpoint> own_listeners, Options options,
                                                       Callbacks callbacks);
  ~KafkaProducer();
  KafkaProducer(const KafkaProducer&) = delete;
  KafkaProducer& operator=(const KafkaProducer&) = delete;

  Taken produce(const Message& message);
  const AckWindow& window() const noexcept { return window_; }
  std::uint64_t room() const noexcept;                            // messages that may be produced now
  const std::string& broker() const noexcept { return broker_; }  // one that is connected; empty: none
  // failed() came because a batch was refused: the next producer should go one by one.
  bool batch_refused() const noexcept { return batch_refused_; }
  const std::string& refusal() const noexcept { return refusal_; }  // of the last refused message
  // Since a message was taken last. A connection that we did not make says more than what librdkafka made of
  // it.
  const std::string& last_error() const noexcept { return forbidden_.empty() ? last_error_ : forbidden_; }

 private:
  struct Shared;
  KafkaProducer(kit::Loop& loop, std::shared_ptr<KafkaReaper> reaper, std::shared_ptr<Shared> shared,
                Options options, Callbacks callbacks);
  void drain();
  void on_event(rd_kafka_event_t* event);
  void on_report(const rd_kafka_message_t& message);
  void on_statistics(std::string_view json);
  void note_forbidden();
  void give_up(std::string why);

  kit::Loop& loop_;
  std::shared_ptr<KafkaReaper> reaper_;
  std::shared_ptr<Shared> shared_;
  Options options_;
  Callbacks callbacks_;
  rd_kafka_t* handle_ = nullptr;
  rd_kafka_topic_t* topic_ = nullptr;
  rd_kafka_queue_t* events_ = nullptr;
  AckWindow window_;
  bool up_ = false, answered_ = false, batch_refused_ = false;
  std::string broker_, last_error_, forbidden_, refusal_, failure_;
  std::int64_t silent_since_ms_ = 0;  // loop time: nothing was taken since, though something waits
  kit::Timer deadline_;               // for the first answer; later for a refusal that nothing decides
};

}  // namespace wafd::forward
