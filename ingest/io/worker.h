// One worker: a thread with its loop, its judge, its share of every listener, and the connections on it.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ingest/fair_queue.h"
#include "ingest/http_session.h"
#include "ingest/io/admission.h"
#include "ingest/io/ingest.h"
#include "ingest/io/kit/listen.h"
#include "ingest/io/kit/loop.h"
#include "ingest/io/kit/tls.h"
#include "ingest/io/lane.h"
#include "ingest/report_index.h"
#include "ingest/spop/spop_session.h"
#include "ingest/work_queue.h"

namespace wafd::ingest {

class Worker;

// One accepted connection, whatever it speaks. Owned by its worker; removes itself through it.
class Connection : public kit::StreamHandler {
 public:
  virtual ~Connection() = default;
  // A message has begun or an answer is owed.
  virtual bool busy() const noexcept = 0;
  // Says farewell behind what is written; the worker destroys it afterwards.
  virtual void farewell() noexcept = 0;
  // Its message took too long to arrive: as farewell(), with a word to the peer where the protocol has one.
  virtual void give_up() noexcept { farewell(); }

  Place admission;
  std::list<std::unique_ptr<Connection>>::iterator place;  // in the worker's list
};

// State shared by all workers. Immutable while they run, but for the index and the count, which are safe.
struct WorkerShared {
  IngestOptions options;
  IngestLimits t1k_limits;
  IngestLimits http_limits;
  IngestLimits spop_limits;
  IngestLimits envoy_limits;
  HttpSettings http;  // each worker has its own copy
  std::function<bool()> ready;
  std::function<void(const std::string&)> log;
  // By listener, null: none. Each worker has a copy, which may be swapped.
  std::array<std::shared_ptr<const kit::TlsContext>, kIngestListeners> tls;
  ReportIndex reports;
  // Open now, over all workers, and how many a listener may have: its share of max_connections.
  std::array<std::atomic<std::size_t>, kIngestListeners> connections{};
  std::size_t share = 0;
  // Has another worker close one of its connections that were never answered; false: none has any. Set before
  // start.
  std::function<bool(const Worker& asking, IngestListener)> make_room_elsewhere;
};

// Used by the thread that made it until start() and after join(); in between through post() alone.
class Worker {
 public:
  // `lane`: the engine of the second thread, for requests that take long.
  Worker(WorkerShared& shared, const RequestJudge::Parts& parts, EngineSnapshot engine, EngineSnapshot lane,
         const std::shared_ptr<const detect::Policy>& policy);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Takes the descriptor. Accepts once started.
  void listen(IngestListener listener, int descriptor);
  void start();
  void post(std::function<void()> function) { loop_.post(std::move(function)); }
  void begin_stop(std::int64_t timeout_ms);  // any thread
  void join();
  void drain();  // after join(): runs what was posted and not run; what still waits is given up

  // --- on the worker's thread ---
  RequestJudge& judge() noexcept { return judge_; }
  void add_counters(IngestCounters& sum) const;
  // The snapshot before is given to `free`.
  using Free = std::function<void(std::shared_ptr<const void>)>;
  void swap_engine(EngineSnapshot engine, EngineSnapshot lane, const Free& free);
  void swap_policy(const std::shared_ptr<const detect::Policy>& policy, const Free& free);
  void use_tls(IngestListener which, std::shared_ptr<const kit::TlsContext> tls) {
    tls_[static_cast<std::size_t>(which)] = std::move(tls);
  }
  detect::UsageCounters take_hits();

  // --- for connections ---
  const Clock& clock() const noexcept { return clock_; }
  kit::Loop& loop() noexcept { return loop_; }
  WorkerShared& shared() noexcept { return shared_; }
  FairQueue& queue() noexcept { return queue_; }
  WorkQueue& mirrored() noexcept { return mirrored_; }
  t1k::Counters& t1k_counters() noexcept { return t1k_; }
  HttpCounters& http_counters() noexcept { return http_; }
  spop::Counters& spop_counters() noexcept { return spop_; }
  envoy::Counters& envoy_counters() noexcept { return envoy_; }
  HttpSettings& http_settings() noexcept { return http_settings_; }
  ListenerCounters& listener(IngestListener l) noexcept { return listeners_[static_cast<std::size_t>(l)]; }
  bool stopping() const noexcept { return stopping_; }
  // Connections that were never answered. Any thread.
  std::size_t strangers(IngestListener l) const noexcept {
    return strangers_[static_cast<std::size_t>(l)].load();
  }
  // If the listener has more than its share: makes room.
  void keep_to_share(IngestListener l);
  // After bytes came or an answer left: Admission::moved().
  void moved(Connection& connection, IngestListener l, Phase phase, std::uint64_t progress, bool answered) {
    admission_[static_cast<std::size_t>(l)].moved(connection, phase, progress, answered,
                                                  clock_.monotonic_us());
    count_strangers(l);
  }
  // Destroys the connection: it must return at once.
  void remove(Connection& connection, IngestListener listener) noexcept;
  // At most one line each 10 s; the others are counted and told with the next.
  void log(const std::string& line);

 private:
  void accept(IngestListener listener, std::unique_ptr<kit::Stream> stream);
  std::unique_ptr<Connection> connect(IngestListener listener, std::unique_ptr<kit::Stream> stream);
  bool make_room(IngestListener listener);
  void count_strangers(IngestListener l) noexcept {
    strangers_[static_cast<std::size_t>(l)] = admission_[static_cast<std::size_t>(l)].strangers();
  }
  void end_slow();
  void run_work();
  // Judges late messages by their heads, for at most `most_us`. True: the time is over.
  bool run_late(std::int64_t late_us, std::int64_t most_us);
  void fill_lane(std::int64_t now_us);
  void mirrored_on_lane(std::int64_t now_us);
  // Requests that nobody waits for come last: a slice of the small ones, and while the lane is busy a tenth
  // of the time, so that they come at all. The large ones are the lane's. True: there are more.
  bool run_mirrored();
  void rest_of_mirrored(std::int64_t begin_us);
  void stop_idle();
  void check_stopped();

  WorkerShared& shared_;
  const Clock& clock_;
  kit::Loop loop_;  // before everything that lives on it
  RequestJudge judge_;
  FairQueue queue_;
  WorkQueue mirrored_;
  kit::EachTurn work_;
  kit::Timer late_;            // looks whether something that waits is late
  Lane lane_;                  // posts to the loop
  bool lane_is_bare_ = false;  // what it judges has no body
  std::int64_t mirrored_again_us_ = 0;
  std::uint64_t mirrored_given_up_ = 0;
  kit::Timer grace_, deadline_;
  kit::Timer arrivals_;  // looks for requests that take too long to arrive
  t1k::Counters t1k_;
  HttpCounters http_;
  spop::Counters spop_;
  envoy::Counters envoy_;
  HttpSettings http_settings_ = shared_.http;
  std::array<std::shared_ptr<const kit::TlsContext>, kIngestListeners> tls_ = shared_.tls;
  std::array<ListenerCounters, kIngestListeners> listeners_{};
  std::array<Admission, kIngestListeners> admission_{};
  std::array<std::atomic<std::size_t>, kIngestListeners> strangers_{};
  std::vector<std::unique_ptr<kit::Listener>> open_;
  std::list<std::unique_ptr<Connection>> connections_;
  bool stopping_ = false;
  bool ended_ = false;  // the loop has run for the last time: no work begins
  std::uint64_t snapshots_ = 0;
  std::int64_t logged_us_ = 0;
  std::uint64_t unlogged_ = 0;
  std::thread thread_;
};

// Speaks T1K on `stream`.
std::unique_ptr<Connection> make_t1k_connection(Worker& worker, IngestListener listener,
                                                std::unique_ptr<kit::Stream> stream);
// Speaks SPOP on `stream`.
std::unique_ptr<Connection> make_spop_connection(Worker& worker, std::unique_ptr<kit::Stream> stream);
// Speaks gRPC with Envoy on `stream`.
std::unique_ptr<Connection> make_envoy_connection(Worker& worker, std::unique_ptr<kit::Stream> stream);
// Speaks HTTP on `stream`.
std::unique_ptr<Connection> make_http_connection(Worker& worker, std::unique_ptr<kit::Stream> stream);

}  // namespace wafd::ingest
