#include "bench/forward/loss_kafka.h"

#include <stdexcept>

namespace wafd::bench {

KafkaArrivals::KafkaArrivals(const test::MockKafka& kafka) {
  char why[256];
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  for (const auto& [name, value] :
       {std::pair{"bootstrap.servers", rd_kafka_mock_cluster_bootstraps(kafka.cluster())},
        {"group.id", "reader"}})
    if (rd_kafka_conf_set(conf, name, value, why, sizeof why) != RD_KAFKA_CONF_OK)
      throw std::runtime_error(why);
  reader_ = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why);
  if (!reader_) throw std::runtime_error(why);
  rd_kafka_topic_partition_list_t* all = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(all, test::MockKafka::kTopic, 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
  rd_kafka_assign(reader_, all);
  rd_kafka_topic_partition_list_destroy(all);
  thread_ = std::thread([this] { read(); });
}

void KafkaArrivals::read() {
  while (!stop_) {
    rd_kafka_message_t* m = rd_kafka_consumer_poll(reader_, 50);
    if (!m) continue;
    if (m->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      arrivals_.message({static_cast<const char*>(m->payload), m->len});
      ++taken_;
      distinct_ = arrivals_.distinct();
    }
    rd_kafka_message_destroy(m);
  }
}

const Arrivals& KafkaArrivals::stop() {
  stop_ = true;
  if (thread_.joinable()) {
    thread_.join();
    rd_kafka_consumer_close(reader_);
    rd_kafka_destroy(reader_);
  }
  return arrivals_;
}

}  // namespace wafd::bench
