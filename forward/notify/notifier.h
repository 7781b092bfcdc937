// The interface of what watches and tells, for others. The implementation lives in forward/io; the console
// sees this alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "forward/notify/alert.h"
#include "forward/notify/channel.h"
#include "forward/notify/node_state.h"
#include "forward/notify/notification.h"
#include "forward/notify/outbox.h"
#include "forward/target/delivery.h"
#include "forward/trend/trend_counts.h"

namespace wafd::forward {

// How a sending went. Stages: resolve, connect, tls, write, answer. Nothing that the peer sent is in it but
// numbers of its answers and what its certificate says.
struct SendResult {
  bool sent = false;
  std::string text;  // one sentence of honest strength
  std::vector<TestStage> stages;
};

struct SendRecord {
  std::int64_t time_ms = 0;
  std::string channel;  // id
  std::string name;
  std::string subject;
  std::size_t notifications = 0;
  int attempt = 1;
  bool sent = false;
  std::string text;
};

struct NotifierStatus {
  std::vector<ChannelState> channels;
  std::vector<std::string> active;  // ids of alerts whose condition holds
  std::vector<SendRecord> history;  // newest first, kMaxHistory at most, since the start
  std::uint64_t overtaken = 0;      // events that the ring lost before they were looked at
  std::string notice;               // of a damaged state file; empty if all is well
};
inline constexpr std::size_t kMaxHistory = 100;

// Safe to call from any thread; callbacks run on the notifier's thread and must only post elsewhere.
class Notifier {
 public:
  virtual ~Notifier() = default;
  virtual void apply(std::vector<ChannelSettings> channels, std::vector<AlertSettings> alerts) = 0;
  virtual void observe(NodeState state) = 0;
  // A notification that no alert rule made: to the channels it names. With an `alert_id` that the last one
  // had it is not told again, also after a restart: the report of a week.
  virtual void tell(Notification notification) = 0;
  // At most 15 s; the same code as every sending. Answers also on failure.
  virtual void test(ChannelSettings channel, std::function<void(SendResult)> done) = 0;
  virtual void status(std::function<void(NotifierStatus)> done) = 0;
  // The sums of each query: of what the ring got, also longer ago than it reaches.
  virtual void trends(std::vector<TrendQuery> queries, std::function<void(std::vector<TrendSums>)> done) = 0;
  // Told of every sending, once; set before start.
  virtual void set_sent(std::function<void(SendRecord)> sent) = 0;
};

// Where there is none: tells nobody.
class NoNotifier final : public Notifier {
 public:
  void apply(std::vector<ChannelSettings>, std::vector<AlertSettings>) override {}
  void observe(NodeState) override {}
  void tell(Notification) override {}
  void test(ChannelSettings, std::function<void(SendResult)> done) override {
    done({false, "Failed: notifications are off.", {}});
  }
  void status(std::function<void(NotifierStatus)> done) override { done({}); }
  void trends(std::vector<TrendQuery> queries, std::function<void(std::vector<TrendSums>)> done) override {
    done(std::vector<TrendSums>(queries.size()));
  }
  void set_sent(std::function<void(SendRecord)>) override {}
};

}  // namespace wafd::forward
