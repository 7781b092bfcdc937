// A target's settings as librdkafka's configuration, without its callbacks.
#pragma once

#include <memory>

#include <librdkafka/rdkafka.h>

#include "detect/core/error.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {

struct FreeKafkaConf {
  void operator()(rd_kafka_conf_t* conf) const noexcept { rd_kafka_conf_destroy(conf); }
};
using KafkaConf = std::unique_ptr<rd_kafka_conf_t, FreeKafkaConf>;

constexpr std::size_t kKafkaQueueKib = 8192;  // what librdkafka may hold for one target

// acks=all, enable.idempotence, a queue of at most 8 MiB, answers of brokers of at most 4 MiB. Host, port and
// backups are the first brokers to ask. `give_up_ms` 0: a message is tried for ever. `one_by_one`: no
// batches. Errors name the member, or librdkafka's property with its reason.
Result<KafkaConf> kafka_conf(const TargetSettings& target, std::int64_t give_up_ms, bool one_by_one);

// `kafka.topic`.
std::string kafka_topic(const TargetSettings& target);

}  // namespace wafd::forward
