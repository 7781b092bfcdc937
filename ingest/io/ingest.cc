#include "ingest/io/ingest.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "ingest/io/janitor.h"
#include "ingest/io/worker.h"

namespace wafd::ingest {
namespace {

constexpr std::size_t kMaxWorkers = 256;

// Null without a certificate.
Result<std::shared_ptr<const kit::TlsContext>> tls_context(IngestListener listener,
                                                           const ListenerTls& files) {
  if (files.certificate_pem.empty()) return std::shared_ptr<const kit::TlsContext>();
  kit::TlsServerOptions tls;
  tls.certificate_pem = files.certificate_pem;
  tls.key_pem = files.key_pem;
  tls.client_ca_pem = files.client_ca_pem;
  if (listener == IngestListener::kEnvoy) tls.alpn = {"h2"};
  auto context = kit::TlsContext::server(tls);
  if (!context)
    return fail(context.error().code,
                fmt::format("ingest.{} TLS: {}", to_string(listener), context.error().what));
  return context;
}

class RunningIngest final : public Ingest {
 public:
  RunningIngest(const IngestOptions& options, Parts parts) : parts_(std::move(parts)) {
    shared_.options = options;
    shared_.t1k_limits = {options.budget_ms * 1000, options.on_overload, options.t1k_enforcing,
                          options.max_head_bytes, options.max_body_bytes};
    const std::size_t listeners =
        (options.t1k_listen ? 1u : 0u) + (options.t1k_unix_socket.empty() ? 0u : 1u) +
        (options.http_listen ? 1u : 0u) + (options.spop_listen ? 1u : 0u) + (options.envoy_listen ? 1u : 0u);
    shared_.share = std::max<std::size_t>(1, options.max_connections / std::max<std::size_t>(1, listeners));
    shared_.http_limits = shared_.t1k_limits;
    shared_.http_limits.enforcing = options.http_enforcing;
    shared_.spop_limits = shared_.t1k_limits;
    shared_.spop_limits.enforcing = options.spop_enforcing;
    shared_.envoy_limits = shared_.t1k_limits;
    shared_.envoy_limits.enforcing = options.envoy_enforcing;
    shared_.http = {options.http_check_dialect, options.http_crowdsec_api_keys, options.http_trusted_proxies,
                    options.max_record_line_bytes, options.http_mirror_scheme};
    shared_.ready = parts_.ready;
    shared_.log = parts_.log;
  }

  ~RunningIngest() override { RunningIngest::stop(0); }

  Result<void> bind() {
    const auto& options = shared_.options;
    auto count = options.workers != 0 ? options.workers : std::max(1u, std::thread::hardware_concurrency());
    worker_count_ = std::min(count, kMaxWorkers);
    const auto take = [&](IngestListener listener, Result<kit::ListenSockets> sockets) -> Result<void> {
      if (!sockets) return tl::unexpected(sockets.error());
      sockets_[static_cast<std::size_t>(listener)] = std::move(*sockets);
      return {};
    };
    if (auto made = make_tls(); !made) return made;
    if (options.t1k_listen) {
      auto r = take(IngestListener::kT1k, kit::ListenSockets::tcp(*options.t1k_listen, worker_count_));
      if (!r) return r;
    }
    if (!options.t1k_unix_socket.empty()) {
      auto r = take(IngestListener::kT1kUnix,
                    kit::ListenSockets::unix_stream(options.t1k_unix_socket, options.t1k_unix_socket_mode,
                                                    worker_count_));
      if (!r) return r;
    }
    if (options.http_listen) {
      auto r = take(IngestListener::kHttp, kit::ListenSockets::tcp(*options.http_listen, worker_count_));
      if (!r) return r;
    }
    if (options.spop_listen) {
      auto r = take(IngestListener::kSpop, kit::ListenSockets::tcp(*options.spop_listen, worker_count_));
      if (!r) return r;
    }
    if (options.envoy_listen) {
      auto r = take(IngestListener::kEnvoy, kit::ListenSockets::tcp(*options.envoy_listen, worker_count_));
      if (!r) return r;
    }
    return {};
  }

  Result<void> make_tls() {
    for (const auto& [listener, files] : {std::pair(IngestListener::kT1k, &shared_.options.t1k_tls),
                                          std::pair(IngestListener::kEnvoy, &shared_.options.envoy_tls)}) {
      auto context = tls_context(listener, *files);
      if (!context) return tl::unexpected<Error>(context.error());
      shared_.tls[static_cast<std::size_t>(listener)] = std::move(*context);
    }
    return {};
  }

  void make_workers(const std::shared_ptr<const detect::Engine>& engine,
                    const std::shared_ptr<const detect::Policy>& policy) {
    for (std::size_t i = 0; i < worker_count_; ++i) {
      const RequestJudge::Parts parts{parts_.clock,     parts_.random,   parts_.sink, parts_.node,
                                      parts_.time_text, parts_.place_of, parts_.told};
      workers_.push_back(std::make_unique<Worker>(shared_, parts,
                                                  EngineSnapshot{engine, engine->make_scratch()},
                                                  EngineSnapshot{engine, engine->make_scratch()}, policy));
    }
    shared_.make_room_elsewhere = [this](const Worker& asking, IngestListener listener) {
      for (auto& worker : workers_) {
        if (worker.get() == &asking || worker->strangers(listener) == 0) continue;
        worker->post([w = worker.get(), listener] { w->keep_to_share(listener); });
        return true;
      }
      return false;
    };
  }

  void start() override {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      for (std::size_t l = 0; l < kIngestListeners; ++l) {
        if (sockets_[l].size() != 0) workers_[i]->listen(static_cast<IngestListener>(l), sockets_[l].take(i));
      }
      workers_[i]->start();
    }
    const std::lock_guard lock(mutex_);
    running_ = true;
  }

  void stop(std::int64_t timeout_ms) override {
    if (stopped_) return;
    stopped_ = true;
    if (running_) {
      for (auto& worker : workers_) worker->begin_stop(timeout_ms);
    }
    for (auto& worker : workers_) worker->join();
    const std::lock_guard lock(mutex_);
    for (auto& worker : workers_) worker->drain();
    running_ = false;
    sockets_ = {};  // removes the Unix socket's file
  }

  void swap_engine(std::shared_ptr<const detect::Engine> engine) override {
    for (auto& worker : workers_) {
      struct Pair {
        EngineSnapshot own, lane;
      };
      auto pair =
          std::make_shared<Pair>(Pair{{engine, engine->make_scratch()}, {engine, engine->make_scratch()}});
      on_worker(*worker, [this, w = worker.get(), pair = std::move(pair)] {
        w->swap_engine(std::move(pair->own), std::move(pair->lane),
                       [this](std::shared_ptr<const void> old) { janitor_.take(std::move(old)); });
      });
    }
  }

  void swap_policy(std::shared_ptr<const detect::Policy> policy) override {
    for (auto& worker : workers_) {
      on_worker(*worker, [this, w = worker.get(), policy] {
        w->swap_policy(policy, [this](std::shared_ptr<const void> old) { janitor_.take(std::move(old)); });
      });
    }
  }

  void swap_trusted_proxies(std::vector<Cidr> proxies) override {
    for (auto& worker : workers_) {
      on_worker(*worker, [w = worker.get(), proxies] { w->http_settings().trusted_proxies = proxies; });
    }
  }

  Result<void> swap_tls(IngestListener listener, const ListenerTls& tls) override {
    auto context = tls_context(listener, tls);
    if (!context) return tl::unexpected<Error>(context.error());
    for (auto& worker : workers_)
      on_worker(*worker, [w = worker.get(), listener, to = *context] { w->use_tls(listener, to); });
    return {};
  }

  void counters(std::function<void(const IngestCounters&)> done) override {
    struct Sum {
      std::mutex mutex;
      IngestCounters counters;
      std::size_t left = 0;
    };
    auto sum = std::make_shared<Sum>();
    sum->left = workers_.size();
    sum->counters.snapshots = std::numeric_limits<std::uint64_t>::max();
    for (auto& worker : workers_) {
      on_worker(*worker, [w = worker.get(), sum, done] {
        bool last = false;
        {
          const std::lock_guard lock(sum->mutex);
          w->add_counters(sum->counters);
          last = --sum->left == 0;
        }
        if (last) done(sum->counters);
      });
    }
  }

  void take_hits(std::function<void(std::vector<detect::UsageCounters>)> done) override {
    struct Taken {
      std::mutex mutex;
      std::vector<detect::UsageCounters> hits;
    };
    auto taken = std::make_shared<Taken>();
    for (auto& worker : workers_) {
      on_worker(*worker, [w = worker.get(), taken, done, all = workers_.size()] {
        bool last = false;
        {
          const std::lock_guard lock(taken->mutex);
          taken->hits.push_back(w->take_hits());
          last = taken->hits.size() == all;
        }
        if (last) done(std::move(taken->hits));
      });
    }
  }

  std::string address(IngestListener listener) const override {
    const auto& sockets = sockets_[static_cast<std::size_t>(listener)];
    return sockets.size() == 0 ? std::string() : sockets.text();
  }

 private:
  // On the worker's thread while it runs, else here and now.
  void on_worker(Worker& worker, std::function<void()> function) {
    {
      const std::lock_guard lock(mutex_);
      if (running_) {
        worker.post(std::move(function));
        return;
      }
    }
    function();
  }

  Parts parts_;
  WorkerShared shared_;
  Janitor janitor_;  // outlives the workers
  std::size_t worker_count_ = 1;
  std::array<kit::ListenSockets, kIngestListeners> sockets_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::mutex mutex_;
  bool running_ = false;  // under mutex_
  bool stopped_ = false;
};

Result<void> check(const IngestOptions& options) {
  const auto needs_allow = [](const std::optional<Endpoint>& listen, const std::vector<Cidr>& allow,
                              std::string_view key) {
    return listen && !listen->address.is_loopback() && allow.empty()
               ? fmt::format(
                     "{}.allow: expected at least one prefix, because {}.listen is {}, which is not on "
                     "loopback",
                     key, key, listen->text())
               : std::string();
  };
  for (const auto& wrong : {needs_allow(options.t1k_listen, options.t1k_allow, "ingest.t1k"),
                            needs_allow(options.http_listen, options.http_allow, "ingest.http"),
                            needs_allow(options.spop_listen, options.spop_allow, "ingest.spop"),
                            needs_allow(options.envoy_listen, options.envoy_allow, "ingest.envoy")}) {
    if (!wrong.empty()) return fail(ErrorCode::kMissing, wrong);
  }
  if (options.http_check_dialect == CheckDialect::kCrowdsec && options.http_crowdsec_api_keys.empty())
    return fail(ErrorCode::kMissing,
                "ingest.http.crowdsec_api_keys: expected at least one key for this check_dialect");
  return {};
}

}  // namespace

const char* to_string(IngestListener listener) noexcept {
  switch (listener) {
    case IngestListener::kT1k:
      return "t1k";
    case IngestListener::kT1kUnix:
      return "t1k_unix";
    case IngestListener::kHttp:
      return "http";
    case IngestListener::kSpop:
      return "spop";
    case IngestListener::kEnvoy:
      return "envoy";
  }
  return "t1k";
}

Result<void> check_tls(IngestListener listener, const ListenerTls& files) {
  if (const auto context = tls_context(listener, files); !context)
    return tl::unexpected<Error>(context.error());
  return {};
}

// NOLINTBEGIN(performance-unnecessary-value-param): as swap_engine() and swap_policy() take them.
Result<std::unique_ptr<Ingest>> Ingest::open(const IngestOptions& options, Parts parts,
                                             std::shared_ptr<const detect::Engine> engine,
                                             std::shared_ptr<const detect::Policy> policy) {
  if (auto sound = check(options); !sound) return tl::unexpected(sound.error());
  auto out = std::make_unique<RunningIngest>(options, std::move(parts));
  if (auto bound = out->bind(); !bound) return tl::unexpected(bound.error());
  out->make_workers(engine, policy);
  return std::unique_ptr<Ingest>(std::move(out));
}
// NOLINTEND(performance-unnecessary-value-param)

}  // namespace wafd::ingest
