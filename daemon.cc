#include "daemon.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include "console/base/assets.h"
#include "console/base/files.h"
#include "console/io/console_server.h"
#include "detect/core/ip_address.h"
#include "detect/engine.h"
#include "detect/policy/policy.h"
#include "forward/format/zone_time.h"
#include "forward/io/delivery_loop.h"
#include "forward/ring/cursor_store.h"
#include "forward/ring/ring.h"
#include "ingest/io/geoip.h"
#include "ingest/io/ingest.h"
#include "ingest/io/kit/system.h"
#include "ingest_options.h"
#include "rule_compiler.h"
#include "run_check.h"
#include "status_report.h"

namespace wafd {
namespace {

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "wafd";
  return name;
}

// A value that one thread replaces and others copy. (std::atomic<std::shared_ptr> races in g++ 12.)
template <class T>
class Shared {
 public:
  std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void set(std::shared_ptr<const T> value) {
    {
      const std::lock_guard lock(mutex_);
      value_.swap(value);
    }
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

Result<std::shared_ptr<const detect::Engine>> build_engine(const Config& config,
                                                           const std::vector<RuleText>& files,
                                                           const detect::SetSource& sets) {
  std::vector<detect::RuleFile> texts;
  for (const RuleText& file : files) texts.push_back({file.name, file.text});
  detect::Engine::Options options;
  options.max_body_bytes = static_cast<std::size_t>(config.max_body_bytes);
  options.sets = sets;
  auto engine = detect::Engine::build(texts, options);
  if (!engine) return tl::unexpected<Error>(engine.error());
  return std::shared_ptr<const detect::Engine>(std::move(*engine));
}

// "YYYY-MM-DD HH:MM:SS"
std::string time_text(forward::ZoneTime zone, std::int64_t unix_s) {
  std::string text;
  zone.append_rfc3339(unix_s * 1'000'000, 3, text);
  text.resize(std::min<std::size_t>(text.size(), 19));
  if (text.size() > 10) text[10] = ' ';
  return text;
}

// Whose certificates are read again when they change.
constexpr std::array kTlsListeners{ingest::IngestListener::kT1k, ingest::IngestListener::kEnvoy};

class Daemon {
 public:
  explicit Daemon(const Config& config)
      : config_(config), node_(config.node.empty() ? host_name() : config.node) {}
  ~Daemon() {
    stopping_ = true;
    compiler_.stop();
    if (rebuilder_.joinable()) rebuilder_.join();
  }

  // In the order of the flow: state, rules, ring, delivery, workers, console.
  Result<void> open();
  void start();
  // Rule files, source locations, certificates; what is wrong leaves the old one in force. Rules take seconds
  // to compile, so a thread of its own does it; one at a time.
  void reload();
  // What changed on disk since the last look: the database of source locations, the T1K listener's files.
  void watch();
  // False: threads of a library are still going on, and the program must end without exit handlers.
  bool stop();

 private:
  Result<void> open_events();
  Result<void> open_geoip();
  void use_system(const console::SystemSettings& settings);
  std::string geoip_path() const;
  Result<void> open_system();
  void collect_status(std::function<void(console::StatusReport)> done);
  console::ConsoleOptions console_options() const;
  Result<void> open_console(std::vector<Endpoint> own_listeners);
  Result<void> open_ingest(const ingest::IngestOptions& options);
  void use_own_rules(const std::vector<console::OwnRule>& rules);
  void rebuild();
  void rebuild_until_settled();
  Result<void> open_rules();
  Result<std::vector<RuleText>> wanted_rules(const std::string& own) const;
  Result<std::shared_ptr<const detect::Engine>> compile_elsewhere(const std::vector<RuleText>& files);
  std::string kept_rules_path() const { return config_.state_dir + "/compiled-rules"; }
  void reopen_geoip();
  std::string tls_stamp(ingest::IngestListener listener) const;
  void reopen_changed_tls();
  console::StatusReport::Places places() const;
  void say_where() const;

  const Config& config_;
  const std::string node_;
  kit::SystemClock clock_;
  kit::SystemRandom random_;
  std::unique_ptr<console::StateLock> lock_;
  Shared<detect::Engine> engine_;
  Shared<ingest::GeoIp> geoip_;
  Shared<forward::ZoneTime> zone_;
  ingest::IngestOptions ingest_options_;
  Endpoint console_listen_;
  std::array<std::string, kTlsListeners.size()> tls_stamps_;  // of the main thread
  std::atomic<bool> ready_{false};
  std::atomic<bool> stopping_{false};
  std::mutex geoip_mutex_;           // held while a database is opened and put in use
  mutable std::mutex reload_mutex_;  // of what follows
  std::string own_rules_;
  std::string rules_error_;  // why the newest rules are not in force
  console::SystemValues system_;
  std::string system_error_;  // why what is set for the node is not in force
  std::string geoip_error_;
  std::string geoip_stamp_;
  std::condition_variable rebuilt_;  // rebuilding_ is over
  bool rebuild_wanted_ = false;
  bool rebuilding_ = false;
  std::thread rebuilder_;
  RuleCompiler compiler_;
  std::unique_ptr<forward::CursorStore> cursors_;
  std::unique_ptr<forward::Ring> ring_;
  std::unique_ptr<forward::DeliveryLoop> delivery_;
  std::unique_ptr<console::ConsoleServer> console_;
  std::unique_ptr<ingest::Ingest> ingest_;
};

void log_line(const std::string& line) { spdlog::warn("{}", line); }

// Tells one state of a file from another.
std::string stamp_of(const std::string& path) {
  struct stat now {};
  if (::stat(path.c_str(), &now) != 0) return "-";
  return fmt::format("{}:{}:{}:{}.{:09}", now.st_dev, now.st_ino, now.st_size, now.st_mtim.tv_sec,
                     now.st_mtim.tv_nsec);
}

console::SystemValues configured_system(const Config& config) {
  return {config.trusted_proxies, config.time_zone, config.geoip_database};
}

// What a change must have on this machine.
Result<void> check_system(const console::SystemSettings& settings) {
  if (!settings.geoip_database || settings.geoip_database->empty()) return {};
  const auto database = ingest::GeoIp::open(*settings.geoip_database);
  if (database) return {};
  return fail(ErrorCode::kInvalid, "geoip_database: " + database.error().what);
}

std::string Daemon::geoip_path() const {
  const std::lock_guard lock(reload_mutex_);
  return system_.geoip_database;
}

Result<void> Daemon::open_geoip() {
  const std::string path = geoip_path();
  {
    const std::lock_guard lock(reload_mutex_);
    geoip_stamp_ = stamp_of(path);
  }
  if (path.empty()) {
    geoip_.set(nullptr);
    return {};
  }
  auto database = ingest::GeoIp::open(path);
  if (!database) return fail(database.error().code, "geoip.database: " + database.error().what);
  geoip_.set(std::move(*database));
  return {};
}

// Sound: check_system has said so, or it was sound when it was saved.
void Daemon::use_system(const console::SystemSettings& settings) {
  const console::SystemValues now = console::in_force(settings, configured_system(config_));
  console::SystemValues before;
  {
    const std::lock_guard lock(reload_mutex_);
    before = std::exchange(system_, now);
  }
  if (now.trusted_proxies != before.trusted_proxies)
    ingest_->swap_trusted_proxies(cidrs_of(now.trusted_proxies));
  if (now.time_zone != before.time_zone) {
    auto zone = forward::ZoneTime::of(now.time_zone);
    if (zone) {
      delivery_->set_time_zone(*zone);
      zone_.set(std::make_shared<const forward::ZoneTime>(std::move(*zone)));
    }
    const std::lock_guard lock(reload_mutex_);
    system_error_ = zone ? "" : zone.error().what + "; the time zone before stays in use";
  }
  if (now.geoip_database != before.geoip_database) reopen_geoip();
}

Result<void> Daemon::open_events() {
  auto cursors = forward::CursorStore::open(config_.state_dir + "/cursors", config_.ring_sync_interval_ms);
  if (!cursors) return tl::unexpected<Error>(cursors.error());
  cursors_ = std::move(*cursors);

  forward::RingOptions options;
  options.path = config_.state_dir + "/ring";
  options.size_bytes = static_cast<std::uint64_t>(config_.ring_size_mib) << 20;
  options.sync_interval_ms = config_.ring_sync_interval_ms;
  options.min_next_seq = cursors_->max_seq();
  auto ring = forward::Ring::open(options);
  if (!ring) return tl::unexpected<Error>(ring.error());
  ring_ = std::move(*ring);
  if (!ring_->recovery().text.empty()) spdlog::warn("{}", ring_->recovery().text);
  if (!cursors_->recovery().text.empty()) spdlog::warn("{}", cursors_->recovery().text);
  return {};
}

// `done` runs on a worker's thread, or at once after ingest has stopped.
void Daemon::collect_status(std::function<void(console::StatusReport)> done) {
  ingest_->counters([this, done = std::move(done)](const ingest::IngestCounters& counters) {
    const auto engine = engine_.get();
    auto report = status_report(counters, *ingest_, ingest_options_, engine ? engine->rules().size() : 0);
    report.places = places();
    {
      const std::lock_guard lock(reload_mutex_);
      if (!rules_error_.empty()) report.notes.push_back(rules_error_);
      if (!system_error_.empty()) report.notes.push_back(system_error_);
    }
    done(std::move(report));
  });
}

console::ConsoleOptions Daemon::console_options() const {
  console::ConsoleOptions options;
  options.listen = console_listen_;
  options.state_dir = config_.state_dir;
  options.node = node_;
  options.zone = *zone_.get();
  options.configured = configured_system(config_);
  options.hosts = config_.console_hosts;
  options.certificate_file = config_.console_certificate;
  options.key_file = config_.console_key;
  if (config_.settings_source == "file") options.settings_file = config_.settings_file;
  options.assets = console::assets();
  for (ConfigLine& line : describe_config(config_))
    options.config.push_back(
        {std::move(line.key), std::move(line.value), std::move(line.fallback), std::move(line.help)});
  return options;
}

Result<void> Daemon::open_console(std::vector<Endpoint> own_listeners) {
  console::ConsoleParts parts{
      .clock = clock_,
      .random = random_,
      .ring = *ring_,
      .delivery = *delivery_,
      .hooks =
          {
              .check_policy = [](const detect::PolicySettings& settings) -> Result<void> {
                auto policy = detect::Policy::build(settings);
                if (!policy) return tl::unexpected<Error>(policy.error());
                return {};
              },
              .apply_policy =
                  [this](const detect::PolicySettings& settings) {
                    auto policy = detect::Policy::build(settings);  // sound: check_policy has said so
                    if (policy)
                      ingest_->swap_policy(std::make_shared<const detect::Policy>(std::move(*policy)));
                  },
              .apply_targets =
                  [this](const std::vector<forward::TargetSettings>& targets) { delivery_->apply(targets); },
              .apply_rules =
                  [this](const std::vector<console::OwnRule>& rules) {
                    use_own_rules(rules);
                    rebuild();
                  },
              .check_system = check_system,
              .apply_system = [this](const console::SystemSettings& settings) { use_system(settings); },
          },
      .engine = [this] { return engine_.get(); },
      .collect = [this](std::function<void(console::StatusReport)> done) { collect_status(std::move(done)); },
      .take_hits =
          [this](std::function<void(std::vector<detect::UsageCounters>)> done) {
            ingest_->take_hits(std::move(done));
          },
      .ready = [this] { return ready_.load(); },
      .log = log_line,
      .compile_rules =
          [this](const std::string& name, const std::string& text) {
            return compiler_.compile({{name, text}}, false);
          },
  };
  console::ConsoleOptions options = console_options();
  options.own_listeners = std::move(own_listeners);
  auto server = console::ConsoleServer::open(std::move(options), std::move(parts));
  if (!server) return tl::unexpected<Error>(server.error());
  console_ = std::move(*server);
  if (!console_->settings_notice().empty()) spdlog::warn("{}", console_->settings_notice());
  for (const std::string& warning :
       console::system_warnings(console::in_force(console_->settings().system, configured_system(config_))))
    spdlog::warn("{}", warning);
  return {};
}

Result<void> Daemon::open_ingest(const ingest::IngestOptions& options) {
  auto policy = detect::Policy::build(console_->settings().policy);
  if (!policy) return tl::unexpected<Error>(policy.error());
  ingest::Ingest::Parts parts{
      .clock = clock_,
      .random = random_,
      .sink = *ring_,
      .node = node_,
      .time_text = [this](std::int64_t unix_s) { return time_text(*zone_.get(), unix_s); },
      .place_of =
          [this](std::string_view ip) {
            const auto database = geoip_.get();
            return database ? database->find(ip) : detect::SourcePlace{};
          },
      .ready = [this] { return ready_.load(); },
      .log = log_line,
  };
  const auto engine = engine_.get();
  auto ingest = ingest::Ingest::open(options, std::move(parts), engine,
                                     std::make_shared<const detect::Policy>(std::move(*policy)));
  if (!ingest) return tl::unexpected<Error>(ingest.error());
  const std::lock_guard lock(reload_mutex_);
  ingest_ = std::move(*ingest);
  if (const auto now = engine_.get(); now != engine) ingest_->swap_engine(now);  // compiled meanwhile
  return {};
}

Result<void> Daemon::open() {
  // What the configuration alone decides comes first, before anything is touched.
  if (auto good = check_run(config_); !good) return fail(ErrorCode::kInvalid, good.error().what);
  std::transform(kTlsListeners.begin(), kTlsListeners.end(), tls_stamps_.begin(),
                 [this](ingest::IngestListener listener) { return tls_stamp(listener); });
  auto options = ingest_options(config_);
  if (!options) return tl::unexpected<Error>(options.error());
  ingest_options_ = *options;
  auto zone = forward::ZoneTime::of(config_.time_zone);
  if (!zone) {
    return fail(
        ErrorCode::kInvalid,
        fmt::format("time_zone: {}: expected an IANA name such as Europe/Lisbon, or UTC", config_.time_zone));
  }
  zone_.set(std::make_shared<const forward::ZoneTime>(std::move(*zone)));
  system_ = configured_system(config_);
  system_.geoip_database.clear();  // none is open yet
  const auto console = Endpoint::parse(config_.console_listen);
  if (!console) {
    return fail(ErrorCode::kInvalid,
                fmt::format("console.listen: expected ADDR:PORT, got \"{}\"", config_.console_listen));
  }
  console_listen_ = *console;
  if (auto done = console::make_folder(config_.state_dir); !done)
    return fail(ErrorCode::kIo, "state_dir: " + done.error().what);
  auto lock = console::StateLock::take(config_.state_dir);
  if (!lock) return fail(ErrorCode::kIo, "state_dir: " + lock.error().what);
  lock_ = std::move(*lock);
  if (auto done = open_events(); !done) return fail(ErrorCode::kIo, done.error().what);

  std::vector<Endpoint> own;
  if (ingest_options_.t1k_listen) own.push_back(*ingest_options_.t1k_listen);
  if (ingest_options_.http_listen) own.push_back(*ingest_options_.http_listen);
  if (ingest_options_.spop_listen) own.push_back(*ingest_options_.spop_listen);
  if (ingest_options_.envoy_listen) own.push_back(*ingest_options_.envoy_listen);
  own.push_back(console_listen_);
  forward::DeliveryParts delivery{
      .clock = clock_, .random = random_, .ring = *ring_, .cursors = *cursors_, .node = node_};
  delivery.cursors_lost = cursors_->recovery().lost;
  delivery.on_lost_cursor =
      config_.on_lost_cursor == "gap" ? forward::OnLostCursor::kGap : forward::OnLostCursor::kOldest;
  delivery.time_zone = config_.time_zone;
  delivery.own_listeners = own;
  delivery.stop_timeout_ms = config_.stop_timeout_s * 1000;
  delivery.log = log_line;
  delivery.inform = [](const std::string& line) { spdlog::info("{}", line); };
  auto loop = forward::DeliveryLoop::create(std::move(delivery));
  if (!loop) return fail(ErrorCode::kIo, loop.error().what);
  delivery_ = std::move(*loop);

  if (auto done = open_console(own); !done) return fail(ErrorCode::kIo, done.error().what);
  use_own_rules(console_->settings().rules);
  if (auto done = open_rules(); !done) return done;
  if (auto done = open_ingest(ingest_options_); !done) return fail(ErrorCode::kIo, done.error().what);
  if (auto done = open_system(); !done) return fail(ErrorCode::kInvalid, done.error().what);
  return {};
}

// What the settings say of the node goes before the configuration. A database that the configuration names
// must be there; one of the settings that is gone meanwhile stops nothing, and is said.
Result<void> Daemon::open_system() {
  const console::SystemSettings& set = console_->settings().system;
  if (!set.geoip_database) {
    system_.geoip_database = config_.geoip_database;
    if (auto done = open_geoip(); !done) return done;
  }
  use_system(set);
  if (!system_error_.empty()) spdlog::error("{}", system_error_);
  return {};
}

void Daemon::say_where() const {
  spdlog::info("wafd {} is ready as node {}, {} rules", WAFD_VERSION, node_, engine_.get()->rules().size());
  for (const auto which : {ingest::IngestListener::kT1k, ingest::IngestListener::kT1kUnix,
                           ingest::IngestListener::kHttp, ingest::IngestListener::kSpop}) {
    if (const std::string address = ingest_->address(which); !address.empty())
      spdlog::info("{}: {}", to_string(which), address);
  }
  spdlog::info("console: https://{}/, certificate SHA-256 {}", console_->local().text(),
               console_->fingerprint());
  if (const std::uint64_t kept = ring_->end() - ring_->oldest(); kept > 0) {
    spdlog::info("ring: {} events, back to {}", kept,
                 time_text(*zone_.get(), ring_->oldest_time_ms() / 1000));
  } else {
    spdlog::info("ring: empty, {} MiB", ring_->size_bytes() >> 20);
  }
  if (const std::string token = console_->setup_token(); !token.empty()) {
    spdlog::warn(
        "first start: make the first account within 30 minutes on the console with the token {} ({})", token,
        console_->setup_token_filed() ? fmt::format("also in {}/setup-token", config_.state_dir)
                                      : "in no file: it could not be written");
  }
}

void Daemon::start() {
  delivery_->start();
  delivery_->apply(console_->settings().targets);
  console_->start();
  ingest_->start();
  ready_ = true;
  say_where();
}

void Daemon::use_own_rules(const std::vector<console::OwnRule>& rules) {
  const bool any = std::any_of(rules.begin(), rules.end(), [](const auto& rule) { return rule.enabled; });
  const std::lock_guard lock(reload_mutex_);
  own_rules_ = any ? console::rule_file(rules) : std::string();
}

// Rules take seconds to compile, so a thread does it; what changes meanwhile is compiled after it.
void Daemon::rebuild() {
  const std::lock_guard lock(reload_mutex_);
  rebuild_wanted_ = true;
  if (rebuilding_) return;
  rebuilding_ = true;
  if (rebuilder_.joinable()) rebuilder_.join();  // it has nothing left to do
  rebuilder_ = std::thread([this] { rebuild_until_settled(); });
}

Result<std::vector<RuleText>> Daemon::wanted_rules(const std::string& own) const {
  auto files = read_rule_files(config_);
  if (files && !own.empty()) files->push_back({"console", own});
  return files;
}

// What is not compiled yet is compiled in a child, and kept for the next start.
Result<std::shared_ptr<const detect::Engine>> Daemon::compile_elsewhere(const std::vector<RuleText>& files) {
  auto sets = compiler_.compile(files, true);
  if (!sets) return tl::unexpected<Error>(sets.error());
  auto engine = build_engine(config_, files, {.known = &*sets});
  if (!engine) return engine;
  if (auto kept = keep_rules(kept_rules_path(), files, std::move(*sets)); !kept)
    spdlog::warn("the compiled rules cannot be kept for the next start: {}", kept.error().what);
  return engine;
}

// The rules as they are wanted, if they were compiled before. Else those that were in force last, or the
// built-in ones, until a child has compiled what is wanted; an ordinary set is waited for.
Result<void> Daemon::open_rules() {
  constexpr auto kWait = std::chrono::seconds(2);
  const auto wanted = wanted_rules(own_rules_);
  if (!wanted) return fail(ErrorCode::kInvalid, wanted.error().what);
  const KeptRules kept = read_kept_rules(kept_rules_path());
  if (auto engine = build_engine(config_, *wanted, {.known = &kept.sets, .compile = false})) {
    engine_.set(std::move(*engine));
    return {};
  }
  auto before = wanted->empty() ? Result<std::shared_ptr<const detect::Engine>>(tl::unexpected(Error{}))
                                : build_engine(config_, kept.files, {.known = &kept.sets, .compile = false});
  const bool last = before.has_value();
  detect::CompiledSets made;
  if (!last) before = build_engine(config_, {}, {.known = &kept.sets, .made = &made});
  if (!before) return fail(ErrorCode::kInvalid, before.error().what);
  engine_.set(std::move(*before));
  if (wanted->empty()) {
    (void)keep_rules(kept_rules_path(), {},
                     std::move(made));  // without it the next start takes a second longer
    return {};
  }
  rebuild();
  std::unique_lock lock(reload_mutex_);
  if (!rebuilt_.wait_for(lock, kWait, [this] { return !rebuilding_; }))
    spdlog::warn("rules of your own are being compiled; until then {} are in force",
                 last ? "those that were in force last" : "the built-in ones alone");
  return {};
}

void Daemon::rebuild_until_settled() {
  for (;;) {
    std::string own;
    {
      const std::lock_guard lock(reload_mutex_);
      if (!rebuild_wanted_ || stopping_) {
        rebuilding_ = false;
        rebuilt_.notify_all();
        return;
      }
      rebuild_wanted_ = false;
      own = own_rules_;
    }
    const auto wanted = wanted_rules(own);
    auto engine = wanted
                      ? compile_elsewhere(*wanted)
                      : Result<std::shared_ptr<const detect::Engine>>(tl::unexpected<Error>(wanted.error()));
    if (stopping_) continue;
    const std::string error = engine ? "" : engine.error().what + "; the rules before stay in force";
    const std::lock_guard lock(reload_mutex_);
    rules_error_ = error;
    if (!engine) {
      spdlog::error("{}", error);
      continue;
    }
    engine_.set(*engine);
    if (ingest_) ingest_->swap_engine(std::move(*engine));
    if (ready_) spdlog::info("{} rules are in force", engine_.get()->rules().size());
  }
}

void Daemon::reopen_geoip() {
  const std::lock_guard one_at_a_time(geoip_mutex_);
  const auto done = open_geoip();
  const std::string error =
      done ? "" : done.error().what + (geoip_.get() ? "; the database before stays in use" : "");
  if (!done)
    spdlog::error("{}", error);
  else if (const auto now = geoip_.get())
    spdlog::info("source locations: {}, {}", now->type(), geoip_path());
  const std::lock_guard lock(reload_mutex_);
  geoip_error_ = error;
}

console::StatusReport::Places Daemon::places() const {
  console::StatusReport::Places out;
  out.database = geoip_path();
  if (const auto now = geoip_.get()) {
    out.type = now->type();
    out.built_s = now->built_s();
  }
  const std::lock_guard lock(reload_mutex_);
  out.error = geoip_error_;
  return out;
}

// Empty without a certificate.
std::string Daemon::tls_stamp(ingest::IngestListener listener) const {
  const bool envoy = listener == ingest::IngestListener::kEnvoy;
  const std::string& certificate = envoy ? config_.envoy_certificate : config_.t1k_certificate;
  if (certificate.empty()) return {};
  return stamp_of(certificate) + stamp_of(envoy ? config_.envoy_key : config_.t1k_key) +
         stamp_of(envoy ? config_.envoy_client_ca : config_.t1k_client_ca);
}

void Daemon::reopen_changed_tls() {
  for (std::size_t i = 0; i < kTlsListeners.size(); ++i) {
    const ingest::IngestListener listener = kTlsListeners[i];
    const std::string now = tls_stamp(listener);
    if (now == tls_stamps_[i]) continue;
    tls_stamps_[i] = now;
    const auto files = listener_tls(config_, listener);
    const auto done = files ? ingest_->swap_tls(listener, *files) : tl::unexpected<Error>(files.error());
    if (done)
      spdlog::info("ingest.{}: certificate, key and client CA are read again, for new connections",
                   to_string(listener));
    else
      spdlog::error("{}; those before stay in use", done.error().what);
  }
}

void Daemon::reload() {
  spdlog::info("reloading rule files, source locations and certificates");
  console_->reload_certificate();
  tls_stamps_.fill({});
  reopen_changed_tls();
  reopen_geoip();
  rebuild();
}

void Daemon::watch() {
  reopen_changed_tls();
  const std::string path = geoip_path();
  if (path.empty()) return;
  const std::string now = stamp_of(path);
  {
    const std::lock_guard lock(reload_mutex_);
    if (now == geoip_stamp_) return;
  }
  reopen_geoip();
}

bool Daemon::stop() {
  ready_ = false;
  stopping_ = true;
  spdlog::info("stopping");
  compiler_.stop();
  ingest_->stop(config_.stop_timeout_s * 1000);
  delivery_->stop();
  console_->stop();
  if (rebuilder_.joinable()) rebuilder_.join();
  spdlog::info("stopped");
  return delivery_->ended();
}

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

int run_daemon(const Config& config) {
  auto logger = spdlog::stderr_logger_mt("wafd");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  spdlog::set_default_logger(logger);
  spdlog::set_level(spdlog::level::from_str(config.log_level));
  logger->flush_on(spdlog::level::info);

  // Blocked before any thread is made, so that this thread alone takes them.
  signal(SIGPIPE, SIG_IGN);
  const sigset_t signals = handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const auto descriptors = raise_descriptors(config);
  if (!descriptors) {
    fmt::print(stderr, "wafd: {}\n", descriptors.error().what);
    return 1;
  }
  if (*descriptors < static_cast<std::uint64_t>(config.max_connections))
    spdlog::warn("this process may open {} files: fewer connections than ingest.max_connections {}",
                 *descriptors, config.max_connections);

  auto daemon = std::make_unique<Daemon>(config);
  if (auto opened = daemon->open(); !opened) {
    fmt::print(stderr, "wafd: {}\n", opened.error().what);
    return opened.error().code == ErrorCode::kInvalid ? 2 : 1;
  }
  daemon->start();
  for (;;) {
    const timespec look_every{.tv_sec = 2, .tv_nsec = 0};
    const int received = sigtimedwait(&signals, nullptr, &look_every);
    if (received == SIGHUP) daemon->reload();
    if (received == SIGTERM || received == SIGINT) break;
    if (received < 0) daemon->watch();
  }
  const bool ended = daemon->stop();
  daemon.reset();
  if (!ended) std::_Exit(0);
  return 0;
}

}  // namespace wafd
