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

#include "ingest/http_session.h"
#include "ingest/io/ingest.h"
#include "ingest/io/kit/listen.h"
#include "ingest/io/kit/loop.h"
#include "ingest/report_index.h"
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

  std::list<std::unique_ptr<Connection>>::iterator place;  // in the worker's list
};

// What all workers share. Immutable while they run, but for the index and the count, which are safe.
struct WorkerShared {
  IngestOptions options;
  IngestLimits t1k_limits;
  IngestLimits http_limits;
  HttpSettings http;  // each worker has its own copy
  std::function<bool()> ready;
  std::function<void(const std::string&)> log;
  ReportIndex reports;
  std::atomic<std::size_t> connections{0};  // open now, over all workers and listeners
};

// Used by the thread that made it until start() and after join(); in between through post() alone.
class Worker {
 public:
  Worker(WorkerShared& shared, Judge::Parts parts, EngineSnapshot engine,
         std::shared_ptr<const detect::Policy> policy);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Takes the descriptor. Accepts once started.
  void listen(IngestListener listener, int descriptor);
  void start();
  void post(std::function<void()> function) { loop_.post(std::move(function)); }
  void begin_stop(std::int64_t timeout_ms);  // any thread
  void join();
  void drain();  // after join(): runs what was posted and not run

  // --- on the worker's thread ---
  Judge& judge() noexcept { return judge_; }
  void add_counters(IngestCounters& sum) const;
  void count_snapshot() noexcept { ++snapshots_; }

  // --- for connections ---
  const Clock& clock() const noexcept { return clock_; }
  kit::Loop& loop() noexcept { return loop_; }
  WorkerShared& shared() noexcept { return shared_; }
  WorkQueue& queue() noexcept { return queue_; }
  t1k::Counters& t1k_counters() noexcept { return t1k_; }
  HttpCounters& http_counters() noexcept { return http_; }
  HttpSettings& http_settings() noexcept { return http_settings_; }
  ListenerCounters& listener(IngestListener l) noexcept { return listeners_[static_cast<std::size_t>(l)]; }
  bool stopping() const noexcept { return stopping_; }
  // Destroys the connection: it must return at once.
  void remove(Connection& connection, IngestListener listener) noexcept;
  // At most one line each 10 s; the others are counted and told with the next.
  void log(const std::string& line);

 private:
  void accept(IngestListener listener, std::unique_ptr<kit::Stream> stream);
  void run_work();
  void stop_idle();
  void check_stopped();

  WorkerShared& shared_;
  const Clock& clock_;
  kit::Loop loop_;  // before everything that lives on it
  Judge judge_;
  WorkQueue queue_;
  kit::EachTurn work_;
  kit::Timer grace_, deadline_;
  t1k::Counters t1k_;
  HttpCounters http_;
  HttpSettings http_settings_ = shared_.http;
  std::array<ListenerCounters, kIngestListeners> listeners_{};
  std::vector<std::unique_ptr<kit::Listener>> open_;
  std::list<std::unique_ptr<Connection>> connections_;
  bool stopping_ = false;
  std::uint64_t snapshots_ = 0;
  std::int64_t logged_us_ = 0;
  std::uint64_t unlogged_ = 0;
  std::thread thread_;
};

// Speaks T1K on `stream`.
std::unique_ptr<Connection> make_t1k_connection(Worker& worker, IngestListener listener,
                                                std::unique_ptr<kit::Stream> stream);
// Speaks HTTP on `stream`.
std::unique_ptr<Connection> make_http_connection(Worker& worker, std::unique_ptr<kit::Stream> stream);

}  // namespace wafd::ingest
