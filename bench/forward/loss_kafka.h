// Kafka in the loss harness: librdkafka's mock cluster, which outlives the sender, and a consumer that notes
// what arrives.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "bench/forward/loss_parts.h"
#include "tests/forward/io/mock_kafka.h"

namespace wafd::bench {

// Reads the topic from its beginning on a thread of its own, all the time: the mock cluster keeps the newest
// 5 MiB of a partition.
class KafkaArrivals {
 public:
  explicit KafkaArrivals(const test::MockKafka& kafka);
  ~KafkaArrivals() { stop(); }
  KafkaArrivals(const KafkaArrivals&) = delete;
  KafkaArrivals& operator=(const KafkaArrivals&) = delete;

  std::uint64_t taken() const noexcept { return taken_; }  // records so far
  std::uint64_t distinct() const noexcept { return distinct_; }
  const Arrivals& stop();  // no more is read

 private:
  void read();
  Arrivals arrivals_{""};
  rd_kafka_t* reader_ = nullptr;
  std::atomic<std::uint64_t> taken_{0}, distinct_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace wafd::bench
