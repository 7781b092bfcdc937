#include "ingest/io/worker.h"

#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "ingest/counter_sums.h"
#include "ingest/io/kit/system.h"

namespace wafd::ingest {
namespace {

constexpr std::int64_t kSliceUs = 1000;     // of requests that are queued, a turn
constexpr std::int64_t kMirroredShare = 9;  // of the time that queued requests took: what others then have
constexpr std::int64_t kMirroredPart = 4;   // of the budget: what one of them may hold the lane up
constexpr std::int64_t kLastHeadsUs = 200'000;  // at the end of the stop, for the heads of what still waits
constexpr std::int64_t kLookMs = 10;            // between looks at what is late, while the lane is busy
constexpr std::int64_t kGraceMs = 20;  // on stop, for requests that are on their way over an idle connection
constexpr std::int64_t kLogIntervalUs = 10'000'000;
constexpr std::int64_t kLookForSlowMs = 250;

const std::vector<Cidr>& allowed(const IngestOptions& options, IngestListener which) noexcept {
  switch (which) {
    case IngestListener::kHttp:
      return options.http_allow;
    case IngestListener::kSpop:
      return options.spop_allow;
    case IngestListener::kEnvoy:
      return options.envoy_allow;
    default:
      return options.t1k_allow;
  }
}

// A request that nobody waits for, on the lane.
class Mirrored final : public Work {
 public:
  Mirrored(WorkItem item, std::int64_t deadline_us) : item_(std::move(item)), deadline_us_(deadline_us) {}
  std::uint64_t judge(RequestJudge& judge, Turn) override {
    TimeLimit limit;
    limit.deadline_us = deadline_us_;
    judge_item(item_, judge, limit);
    return judge.work_units();
  }
  void answer() override {
    if (item_.done) item_.done();
  }

 private:
  WorkItem item_;
  std::int64_t deadline_us_;
};

std::uint64_t random_number(Random& random) {
  std::uint64_t number = 0;
  random.fill(std::as_writable_bytes(std::span(&number, 1)));
  return number;
}

}  // namespace

Worker::Worker(WorkerShared& shared, const RequestJudge::Parts& parts, EngineSnapshot engine,
               EngineSnapshot lane, const std::shared_ptr<const detect::Policy>& policy)
    : shared_(shared),
      clock_(parts.clock),
      judge_(parts, std::move(engine), policy),
      queue_(shared.options.max_queued_bytes, random_number(parts.random)),
      mirrored_(shared.options.max_queued_bytes),
      work_(loop_, [this] { run_work(); }),
      late_(loop_, [this] { work_.start(); }),
      lane_(parts, std::move(lane), policy, [this](auto function) { post(std::move(function)); }),
      grace_(loop_, [this] { stop_idle(); }),
      deadline_(loop_,
                [this] {
                  run_late(std::numeric_limits<std::int64_t>::max(), kLastHeadsUs);
                  ended_ = true;  // the loop finishes its round: nothing is begun in it
                  loop_.stop();
                }),
      arrivals_(loop_, [this] { end_slow(); }) {
  queue_.on_work = mirrored_.on_work = [this] { work_.start(); };
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
  arrivals_.start(kLookForSlowMs, kLookForSlowMs);
  thread_ = std::thread([this] { loop_.run(); });
}

void Worker::join() {
  if (thread_.joinable()) thread_.join();
  ended_ = true;
  lane_.stop();
}

void Worker::drain() {
  loop_.run_once();
  const std::uint64_t given_up = queue_.size() + mirrored_.size();
  queue_.cancel_all();
  for (; mirrored_.take(); ++mirrored_given_up_) {
  }
  if (given_up != 0 && shared_.log)
    shared_.log(fmt::format("{} requests were not judged: the time to stop was over before", given_up));
}

void Worker::accept(IngestListener which, std::unique_ptr<kit::Stream> stream) {
  auto& counters = listener(which);
  const auto& allow = allowed(shared_.options, which);
  const auto peer = stream->peer();
  if (which != IngestListener::kT1kUnix && !allow.empty() && (!peer || !contains(allow, peer->address))) {
    ++counters.not_allowed;
    log(fmt::format("{}: closed a connection from {}, which is not in the allow-list", to_string(which),
                    peer ? peer->address.text() : "nowhere"));
    return;
  }
  auto& open = shared_.connections[static_cast<std::size_t>(which)];
  if (open.fetch_add(1) >= shared_.share && !make_room(which) &&
      !(shared_.make_room_elsewhere && shared_.make_room_elsewhere(*this, which))) {
    --open;
    ++counters.too_many;
    log(fmt::format(
        "{}: closed a connection, all of the listener's {} places are taken (ingest.max_connections)",
        to_string(which), shared_.share));
    return;
  }
  ++counters.accepted;
  ++counters.open;
  const auto& tls = tls_[static_cast<std::size_t>(which)];
  if (tls) stream = kit::make_tls_server(std::move(stream), tls);
  connections_.push_front(connect(which, std::move(stream)));
  connections_.front()->place = connections_.begin();
  admission_[static_cast<std::size_t>(which)].entered(
      *connections_.front(), tls ? Phase::kHead : Phase::kIdle, clock_.monotonic_us());
  count_strangers(which);
}

std::unique_ptr<Connection> Worker::connect(IngestListener which, std::unique_ptr<kit::Stream> stream) {
  switch (which) {
    case IngestListener::kHttp:
      return make_http_connection(*this, std::move(stream));
    case IngestListener::kSpop:
      return make_spop_connection(*this, std::move(stream));
    case IngestListener::kEnvoy:
      return make_envoy_connection(*this, std::move(stream));
    default:
      return make_t1k_connection(*this, which, std::move(stream));
  }
}

bool Worker::make_room(IngestListener which) {
  Connection* leaving = admission_[static_cast<std::size_t>(which)].makes_room(clock_.monotonic_us());
  if (leaving == nullptr) return false;
  ++listener(which).made_room;
  log(fmt::format(
      "{}: all of the listener's {} places are taken (ingest.max_connections): closed the connection "
      "that has waited longest without a whole request",
      to_string(which), shared_.share));
  leaving->give_up();
  return true;
}

void Worker::keep_to_share(IngestListener which) {
  if (shared_.connections[static_cast<std::size_t>(which)] > shared_.share) make_room(which);
}

void Worker::end_slow() {
  if (kit::out_of_descriptors())
    log("no file descriptor is left, so connections are refused: raise the limit (ulimit -n, LimitNOFILE), "
        "or lower "
        "ingest.max_connections");
  const auto& options = shared_.options;
  for (std::size_t l = 0; l < kIngestListeners; ++l) {
    for (Connection* connection : admission_[l].late(clock_.monotonic_us(), options.head_timeout_ms * 1000,
                                                     options.body_timeout_ms * 1000)) {
      ++listeners_[l].too_slow;
      log(fmt::format(
          "{}: closed a connection whose request took longer than {} s to arrive",
          to_string(static_cast<IngestListener>(l)),
          (connection->admission.phase == Phase::kHead ? options.head_timeout_ms : options.body_timeout_ms) /
              1000));
      connection->give_up();
    }
  }
}

void Worker::remove(Connection& connection, IngestListener which) noexcept {
  --listener(which).open;
  --shared_.connections[static_cast<std::size_t>(which)];
  admission_[static_cast<std::size_t>(which)].left(connection);
  count_strangers(which);
  connections_.erase(connection.place);
  check_stopped();
}

bool Worker::run_late(std::int64_t late_us, std::int64_t most_us) {
  const std::int64_t begin_us = clock_.monotonic_us();
  while (const auto taken = queue_.take_late(late_us)) {
    queue_.finish(*taken, taken->work->judge(judge_, Turn::kLate));
    taken->work->answer();
    if (clock_.monotonic_us() - begin_us >= most_us) return true;
  }
  return false;
}

void Worker::run_work() {
  if (ended_) return;
  const std::int64_t begin_us = clock_.monotonic_us();
  if (run_late(begin_us - shared_.t1k_limits.budget_us, kSliceUs)) return;
  if (!lane_.busy()) {
    fill_lane(begin_us);
  } else if (!lane_is_bare_) {
    // Who has no body waits for none.
    if (const auto taken = queue_.take_next(true)) {
      queue_.finish(*taken, taken->work->judge(judge_, Turn::kTime));
      taken->work->answer();
    }
  }
  if (!queue_.empty() || (lane_.busy() && !mirrored_.empty())) late_.start(kLookMs);
  if (lane_.busy() && !lane_is_bare_ && queue_.bare_waits()) return;
  if (!run_mirrored() || lane_.busy()) work_.stop();
  check_stopped();
}

void Worker::fill_lane(std::int64_t now_us) {
  if (mirrored_.large_waits() && (queue_.empty() || now_us >= mirrored_again_us_))
    return mirrored_on_lane(now_us);
  auto taken = queue_.take_next();
  if (!taken) return;
  lane_is_bare_ = taken->bare;
  const auto work = taken->work;
  lane_.begin(work, Turn::kTime, [this, taken = std::move(*taken)](std::uint64_t units) {
    queue_.finish(taken, units);
    taken.work->answer();
    work_.start();
  });
}

void Worker::mirrored_on_lane(std::int64_t now_us) {
  const std::int64_t end_us = now_us + shared_.http_limits.budget_us / kMirroredPart;
  const auto work = std::make_shared<Mirrored>(std::move(*mirrored_.take()), end_us);
  lane_is_bare_ = false;
  lane_.begin(work, Turn::kTime, [this, work, now_us](std::uint64_t) {
    work->answer();
    rest_of_mirrored(now_us);
    work_.start();
  });
}

bool Worker::run_mirrored() {
  const std::int64_t begin_us = clock_.monotonic_us();
  if (mirrored_.large_waits() || (lane_.busy() && begin_us < mirrored_again_us_)) return !mirrored_.empty();
  const bool more = mirrored_.run_slice(judge_, clock_, kSliceUs);
  rest_of_mirrored(begin_us);
  return more;
}

void Worker::rest_of_mirrored(std::int64_t begin_us) {
  const std::int64_t end_us = clock_.monotonic_us();
  mirrored_again_us_ = end_us + kMirroredShare * (end_us - begin_us);
}

void Worker::swap_engine(EngineSnapshot engine, EngineSnapshot lane, const Free& free) {
  free(std::make_shared<EngineSnapshot>(judge_.swap(std::move(engine))));
  lane_.swap(std::move(lane), [this, free](EngineSnapshot old) {
    free(std::make_shared<EngineSnapshot>(std::move(old)));
    ++snapshots_;
  });
}

void Worker::swap_policy(const std::shared_ptr<const detect::Policy>& policy, const Free& free) {
  free(judge_.swap(policy));
  lane_.swap(policy, free);
}

detect::UsageCounters Worker::take_hits() {
  detect::UsageCounters hits = judge_.take_hits();
  hits.add(lane_.take_hits());
  return hits;
}

void Worker::begin_stop(std::int64_t timeout_ms) {
  post([this, timeout_ms] {
    stopping_ = true;
    open_.clear();
    arrivals_.stop();
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
  if (stopping_ && !grace_.active() && connections_.empty() && queue_.empty() && mirrored_.empty())
    loop_.stop();
}

void Worker::add_counters(IngestCounters& sum) const {
  ingest::add_counters(sum.judge, judge_.counters());
  ingest::add_counters(sum.judge, lane_.counters());
  ingest::add_counters(sum.t1k, t1k_);
  ingest::add_counters(sum.http, http_);
  ingest::add_counters(sum.spop, spop_);
  ingest::add_counters(sum.envoy, envoy_);
  for (std::size_t i = 0; i < kIngestListeners; ++i) {
    sum.listeners[i].accepted += listeners_[i].accepted;
    sum.listeners[i].not_allowed += listeners_[i].not_allowed;
    sum.listeners[i].too_many += listeners_[i].too_many;
    sum.listeners[i].made_room += listeners_[i].made_room;
    sum.listeners[i].too_slow += listeners_[i].too_slow;
    sum.listeners[i].open += listeners_[i].open;
    sum.listeners[i].last_request_ms =
        std::max(sum.listeners[i].last_request_ms, listeners_[i].last_request_ms);
  }
  sum.queued_bytes += queue_.bytes() + mirrored_.bytes();
  sum.waiting += queue_.size() + (lane_.busy() ? 1 : 0);
  sum.given_up += queue_.given_up() + mirrored_given_up_;
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
