// Delivery on a thread of its own: one loop, a runner per target, the tester, the cursors' keeper.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "forward/io/target_runner.h"
#include "forward/io/tester.h"
#include "forward/ring/cursor_store.h"
#include "forward/ring/ring.h"
#include "forward/target/delivery.h"
#include "ingest/io/kit/loop.h"

namespace wafd::forward {

// The references must outlive the loop. `log` gets one line for people, at most one a target every 10 s; it
// is called on the delivery thread.
// Where a target begins whose cursor is lost: at the oldest event (what it had is sent again, with the same
// event ids), or at the present end, behind a waf_gap message about everything before.
enum class OnLostCursor : std::uint8_t { kOldest, kGap };

struct DeliveryParts {
  const Clock& clock;
  Random& random;
  Ring& ring;            // its wakeup is taken
  CursorStore& cursors;  // written on the delivery thread
  std::string node;
  std::string time_zone = "UTC";
  std::vector<Endpoint> own_listeners;  // never connected to over TCP
  std::int64_t stop_timeout_ms = 5000;
  std::int64_t health_interval_ms = 300'000;
  kit::ResolveOptions resolve;
  std::function<void(const std::string& line)> log;     // what is not well
  std::function<void(const std::string& line)> inform;  // that it is well again; none: log
  MachineOptions machine;                               // as in RunnerParts
  std::int64_t silent_ms = 60'000;
  std::int64_t file_look_ms = 5'000;
  std::shared_ptr<const NodeBeat> beat = {};  // what this node says of itself to databases
  // The cursors of targets that are there at the start are lost (CursorRecovery), and the ring has events:
  // those without one begin as `on_lost_cursor` says, not at the present end.
  bool cursors_lost = false;
  OnLostCursor on_lost_cursor = OnLostCursor::kOldest;
};

class DeliveryLoop final : public Delivery {
 public:
  // An unknown time zone is an error. Takes the ring's wakeup, so call it before anything is appended.
  static Result<std::unique_ptr<DeliveryLoop>> create(DeliveryParts parts);
  ~DeliveryLoop() override;  // stop()

  void start();
  // Flushes what the ring holds now, waits for acknowledgements, closes in order; at most stop_timeout_ms.
  // Saves the cursors. Any thread but the loop's; twice is fine.
  void stop();
  // False once a producer did not end in the time that stop() gives it: see ProducerReaper::wait().
  bool ended() const noexcept { return producers_ended_; }

  // Of times in messages from now on; targets go over to it as after an edit. Any thread.
  void set_time_zone(ZoneTime zone);

  void apply(std::vector<TargetSettings> targets) override;
  void status(std::function<void(std::vector<TargetStatus>)> done) override;
  void test(TargetSettings target, TestKind kind, std::function<void(TestResult)> done) override;
  void audit(std::string json) override;
  Result<void> check(const TargetSettings& target) const override;

 private:
  struct Entry {
    std::unique_ptr<TargetRunner> runner;
    std::string settings;                         // as JSON, to tell an edit from a repetition
    std::unique_ptr<TargetSettings> replacement;  // waits until the runner has finished
    Position saved;
    std::uint64_t saved_sent = 0;
    std::string logged_state;
    std::int64_t logged_at_us = INT64_MIN;
  };
  struct Test {
    TargetSettings target;
    TestKind kind;
    std::function<void(TestResult)> done;
  };

  DeliveryLoop(DeliveryParts parts, ZoneTime zone);
  void wake_all();
  void apply_now(std::vector<TargetSettings> targets, Position end, const std::set<std::string>& gaps);
  Cursor cursor_of(Position at, std::uint64_t highest_sent) const;
  // `sent`: sequence up to which an earlier life of the program sent. `gap_to`: TargetRunner::tell_gap_to().
  void begin(TargetSettings target, Position start, std::uint64_t sent, const TargetRunner* before,
             std::uint64_t gap_to = 0);
  void replace(const std::string& id);
  void edit(const std::string& id, Entry& entry, TargetSettings target);
  void next_test();
  void save_cursors();
  void save_cursor(const std::string& id, Entry& entry);
  void log_states();
  void begin_stop();
  void stop_if_finished();

  DeliveryParts parts_;
  ZoneTime zone_;
  std::thread thread_;
  std::atomic<bool> woken_{false};
  std::atomic<bool> running_{false};
  std::atomic<bool> cursors_lost_;  // until the targets of the start were applied

  // on the loop's thread
  kit::Loop loop_;
  std::int64_t started_us_ = 0;
  bool stopping_ = false;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> order_;  // of the targets, as applied
  std::deque<Test> tests_;
  std::unique_ptr<Tester> tester_;
  std::shared_ptr<ProducerReaper> producer_reaper_;
  bool producers_ended_ = true;
  std::unique_ptr<kit::Timer> save_timer_, health_timer_, stop_timer_;
};

}  // namespace wafd::forward
