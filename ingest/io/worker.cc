#include "ingest/io/worker.h"

#include <utility>

#include <fmt/format.h>

namespace wafd::ingest {
namespace {

constexpr std::int64_t kSliceUs = 1000;  // of mirrored and recorded requests, a turn
constexpr std::int64_t kGraceMs = 20;  // on stop, for requests that are on their way over an idle connection
constexpr std::int64_t kLogIntervalUs = 10'000'000;

void add(JudgeCounters& sum, const JudgeCounters& c) {
  sum.requests += c.requests;
  sum.denied += c.denied;
  sum.monitored += c.monitored;
  sum.allowed_recorded += c.allowed_recorded;
  sum.ring_refused += c.ring_refused;
  sum.total_octets += c.total_octets;
  sum.inspected_octets += c.inspected_octets;
  sum.bodies_truncated += c.bodies_truncated;
  sum.bodies_abandoned += c.bodies_abandoned;
  sum.limits_reached += c.limits_reached;
  sum.detect_us += c.detect_us;
  sum.detect_times.add(c.detect_times);
  sum.violations += c.violations;
  sum.overload_passed += c.overload_passed;
  sum.overload_blocked += c.overload_blocked;
  sum.reports += c.reports;
  sum.reports_late += c.reports_late;
}

void add(t1k::Counters& sum, const t1k::Counters& c) {
  sum.requests += c.requests;
  sum.reports += c.reports;
  sum.heartbeats += c.heartbeats;
  sum.other += c.other;
  sum.heads_cut += c.heads_cut;
  sum.bodies_cut += c.bodies_cut;
  sum.reports_unmatched += c.reports_unmatched;
  sum.plugin_skipped += c.plugin_skipped;
  for (std::size_t i = 0; i < t1k::kMalformedReasons; ++i) sum.malformed[i] += c.malformed[i];
}

void add(HttpCounters& sum, const HttpCounters& c) {
  sum.checks += c.checks;
  sum.mirrored += c.mirrored;
  sum.mirror_dropped += c.mirror_dropped;
  sum.records_accepted += c.records_accepted;
  sum.records_refused += c.records_refused;
  sum.violations += c.violations;
  sum.refused += c.refused;
  sum.bad_check += c.bad_check;
  sum.bad_key += c.bad_key;
  sum.not_found += c.not_found;
  sum.bodies_cut += c.bodies_cut;
}

}  // namespace

Worker::Worker(WorkerShared& shared, Judge::Parts parts, EngineSnapshot engine,
               std::shared_ptr<const detect::Policy> policy)
    : shared_(shared),
      clock_(parts.clock),
      judge_(std::move(parts), std::move(engine), std::move(policy)),
      queue_(shared.options.max_queued_bytes),
      work_(loop_, [this] { run_work(); }),
      grace_(loop_, [this] { stop_idle(); }),
      deadline_(loop_, [this] { loop_.stop(); }) {
  queue_.on_work = [this] { work_.start(); };
}

Worker::~Worker() {
  if (thread_.joinable()) {
    loop_.stop();
    thread_.join();
  }
}

void Worker::listen(IngestListener listener, int descriptor) {
  open_.push_back(std::make_unique<kit::Listener>(
      loop_, descriptor, listener == IngestListener::kT1kUnix,
      [this, listener](std::unique_ptr<kit::Stream> stream) { accept(listener, std::move(stream)); }));
}

void Worker::start() {
  thread_ = std::thread([this] { loop_.run(); });
}

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

void Worker::drain() { loop_.run_once(); }

void Worker::accept(IngestListener which, std::unique_ptr<kit::Stream> stream) {
  auto& counters = listener(which);
  const bool http = which == IngestListener::kHttp;
  const auto& allow = http ? shared_.options.http_allow : shared_.options.t1k_allow;
  const auto peer = stream->peer();
  if (which != IngestListener::kT1kUnix && !allow.empty() && (!peer || !contains(allow, peer->address))) {
    ++counters.not_allowed;
    log(fmt::format("{}: closed a connection from {}, which is not in the allow-list", to_string(which),
                    peer ? peer->address.text() : "nowhere"));
    return;
  }
  if (shared_.connections.fetch_add(1) >= shared_.options.max_connections) {
    --shared_.connections;
    ++counters.too_many;
    log(fmt::format("{}: closed a connection, {} are open (ingest.max_connections)", to_string(which),
                    shared_.options.max_connections));
    return;
  }
  ++counters.accepted;
  ++counters.open;
  connections_.push_front(http ? make_http_connection(*this, std::move(stream))
                               : make_t1k_connection(*this, which, std::move(stream)));
  connections_.front()->place = connections_.begin();
}

void Worker::remove(Connection& connection, IngestListener which) noexcept {
  --listener(which).open;
  --shared_.connections;
  connections_.erase(connection.place);
  check_stopped();
}

void Worker::run_work() {
  if (!queue_.run_slice(judge_, clock_, kSliceUs)) work_.stop();
  check_stopped();
}

void Worker::begin_stop(std::int64_t timeout_ms) {
  post([this, timeout_ms] {
    stopping_ = true;
    open_.clear();
    deadline_.start(timeout_ms);
    grace_.start(std::min(kGraceMs, timeout_ms));
  });
}

void Worker::stop_idle() {
  for (auto at = connections_.begin(); at != connections_.end();) {
    auto& connection = **at++;
    if (!connection.busy()) connection.farewell();
  }
  check_stopped();
}

void Worker::check_stopped() {
  if (stopping_ && !grace_.active() && connections_.empty() && queue_.empty()) loop_.stop();
}

void Worker::add_counters(IngestCounters& sum) const {
  add(sum.judge, judge_.counters());
  add(sum.t1k, t1k_);
  add(sum.http, http_);
  for (std::size_t i = 0; i < kIngestListeners; ++i) {
    sum.listeners[i].accepted += listeners_[i].accepted;
    sum.listeners[i].not_allowed += listeners_[i].not_allowed;
    sum.listeners[i].too_many += listeners_[i].too_many;
    sum.listeners[i].open += listeners_[i].open;
    sum.listeners[i].last_request_ms =
        std::max(sum.listeners[i].last_request_ms, listeners_[i].last_request_ms);
  }
  sum.queued_octets += queue_.octets();
  sum.snapshots = std::min(sum.snapshots, snapshots_);
}

void Worker::log(const std::string& line) {
  const auto now_us = clock_.monotonic_us();
  if (!shared_.log || (logged_us_ != 0 && now_us - logged_us_ < kLogIntervalUs)) {
    ++unlogged_;
    return;
  }
  logged_us_ = now_us;
  const auto left_out = std::exchange(unlogged_, 0);
  shared_.log(left_out == 0 ? line : fmt::format("{} ({} similar lines left out)", line, left_out));
}

}  // namespace wafd::ingest
