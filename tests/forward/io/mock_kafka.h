// librdkafka's mock cluster: brokers on free ports of 127.0.0.1 that speak the protocol over real sockets;
// and a reader of what a topic holds.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include "detect/core/ip_address.h"

namespace wafd::test {

struct KafkaRecord {
  int partition = 0;
  std::string key, value;
  bool has_key = false;
  std::int64_t time_ms = 0;
};

class MockKafka {
 public:
  static constexpr const char* kTopic = "waf";
  static constexpr int kProduce = 0;  // the protocol's number of the request

  explicit MockKafka(int brokers = 1, int partitions = 4) : partitions_(partitions) {
    char why[256];
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    cluster_ = handle_ ? rd_kafka_mock_cluster_new(handle_, brokers) : nullptr;
    if (!cluster_) throw std::runtime_error("no mock cluster");
    rd_kafka_mock_topic_create(cluster_, kTopic, partitions, 1);
    std::string list = rd_kafka_mock_cluster_bootstraps(cluster_);
    for (std::size_t at = 0; at < list.size();) {
      const std::size_t comma = std::min(list.find(',', at), list.size());
      brokers_.push_back(Endpoint::parse(list.substr(at, comma - at)).value());
      at = comma + 1;
    }
  }
  ~MockKafka() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(handle_);
  }
  MockKafka(const MockKafka&) = delete;
  MockKafka& operator=(const MockKafka&) = delete;

  const Endpoint& broker(std::size_t n = 0) const { return brokers_.at(n); }
  rd_kafka_mock_cluster_t* cluster() const { return cluster_; }

  // All records of the topic once there are at least `least`, or 15 s are over; in the order of each
  // partition.
  std::vector<KafkaRecord> records(std::size_t least) const {
    char why[256];
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster_), why, sizeof why);
    rd_kafka_conf_set(conf, "group.id", "reader", why, sizeof why);
    rd_kafka_conf_set(conf, "enable.partition.eof", "true", why, sizeof why);
    rd_kafka_t* reader = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why);
    if (!reader) throw std::runtime_error(why);
    rd_kafka_topic_partition_list_t* all = rd_kafka_topic_partition_list_new(partitions_);
    for (int p = 0; p < partitions_; ++p)
      rd_kafka_topic_partition_list_add(all, kTopic, p)->offset = RD_KAFKA_OFFSET_BEGINNING;
    rd_kafka_assign(reader, all);
    rd_kafka_topic_partition_list_destroy(all);
    std::vector<KafkaRecord> out;
    std::vector<bool> ended(static_cast<std::size_t>(partitions_), false);
    const auto done = [&] {
      for (const bool e : ended)
        if (!e) return false;
      return out.size() >= least;
    };
    for (int polls = 0; polls < 150 && !done();) {
      rd_kafka_message_t* m = rd_kafka_consumer_poll(reader, 100);
      if (!m) {
        ++polls;
        continue;
      }
      if (m->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        ended[static_cast<std::size_t>(m->partition)] = true;
      } else if (m->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        ended[static_cast<std::size_t>(m->partition)] = false;
        KafkaRecord r;
        r.partition = m->partition;
        r.has_key = m->key != nullptr;
        if (m->key) r.key.assign(static_cast<const char*>(m->key), m->key_len);
        r.value.assign(static_cast<const char*>(m->payload), m->len);
        rd_kafka_timestamp_type_t type;
        r.time_ms = rd_kafka_message_timestamp(m, &type);
        out.push_back(std::move(r));
      }
      rd_kafka_message_destroy(m);
    }
    rd_kafka_consumer_close(reader);
    rd_kafka_destroy(reader);
    return out;
  }

 private:
  int partitions_;
  rd_kafka_t* handle_ = nullptr;
  rd_kafka_mock_cluster_t* cluster_ = nullptr;
  std::vector<Endpoint> brokers_;
};

}  // namespace wafd::test
