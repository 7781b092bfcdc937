// The limit where receivers acknowledge: RELP by the barest loop, Kafka by a bare producer of librdkafka.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "bench/forward/bench_kit.h"

namespace wafd::bench {

// Takes RELP on loopback, answers every message, keeps none; on a thread of its own.
class RelpDrain {
 public:
  RelpDrain();
  ~RelpDrain();
  RelpDrain(const RelpDrain&) = delete;
  RelpDrain& operator=(const RelpDrain&) = delete;
  Endpoint at;

 private:
  void serve(int descriptor);
  int fd_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// librdkafka's mock cluster in a process of its own, so that its CPU time is not this one's.
class KafkaDrain {
 public:
  KafkaDrain();
  ~KafkaDrain();
  KafkaDrain(const KafkaDrain&) = delete;
  KafkaDrain& operator=(const KafkaDrain&) = delete;
  Endpoint at;
  forward::TargetSettings target() const;

 private:
  pid_t pid_ = -1;
};

// All messages of the ring, as they go over the wire.
struct Messages {
  Messages(const forward::Ring& ring, forward::Transport transport);
  std::vector<std::string> each;
};

// CPU seconds for all messages until every one is acknowledged: of the calling thread, writev() of 64 frames
// with at most 1,024 unanswered; of the process, rd_kafka_produce() each.
double bare_relp(const Messages& messages, const RelpDrain& drain);
double bare_kafka(const Messages& messages, const KafkaDrain& drain);

double process_cpu_s();

}  // namespace wafd::bench
