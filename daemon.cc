#include "daemon.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "console/base/assets.h"
#include "console/io/console_server.h"
#include "detect/core/ip_address.h"
#include "detect/engine.h"
#include "detect/policy/policy.h"
#include "files/small_file.h"
#include "forward/format/zone_time.h"
#include "forward/io/delivery_loop.h"
#include "forward/io/fleet_database.h"
#include "forward/io/notify/notify_loop.h"
#include "forward/ring/cursor_store.h"
#include "forward/ring/ring.h"
#include "ingest/io/geoip.h"
#include "ingest/io/ingest.h"
#include "ingest/io/kit/system.h"
#include "ingest_options.h"
#include "listener_certificates.h"
#include "log.h"
#include "rules_in_force.h"
#include "run_check.h"
#include "shared_value.h"
#include "source_places.h"
#include "status_report.h"

namespace wafd {
namespace {

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "wafd";
  return name;
}

// "YYYY-MM-DD HH:MM:SS"
std::string time_text(forward::ZoneTime zone, std::int64_t unix_s) {
  std::string text;
  zone.append_rfc3339(unix_s * 1'000'000, 3, text);
  text.resize(std::min<std::size_t>(text.size(), 19));
  if (text.size() > 10) text[10] = ' ';
  return text;
}

class Daemon {
 public:
  explicit Daemon(const Config& config)
      : config_(config),
        node_(config.node.empty() ? host_name() : config.node),
        rules_(config),
        certificates_(config) {}
  ~Daemon() { rules_.stop(); }  // its thread uses what is gone before it

  // In the order of the flow: state, rules, ring, delivery, workers, console.
  Result<void> open();
  void start();
  // Rule files, source locations, certificates; what is wrong leaves the old one in force. Rules take seconds
  // to compile, so a thread of its own does it; one at a time.
  void reload();
  // Looks for a changed database of source locations, and for changed certificates of listeners.
  void watch() {
    certificates_.reopen_changed(*ingest_);
    places_.watch();
    networks_.watch();
  }
  // False: threads of a library are still going on, and the program must end without exit handlers.
  bool stop();

 private:
  Result<void> open_events();
  void use_system(const console::SystemSettings& settings);
  Result<void> open_system();
  void collect_status(std::function<void(console::StatusReport)> done);
  console::ConsoleOptions console_options(std::vector<Endpoint> own_listeners) const;
  void open_notifier(const std::vector<Endpoint>& own_listeners);
  Result<void> open_fleet();
  void warn_of_settings() const;
  Result<void> open_console(std::vector<Endpoint> own_listeners);
  Result<void> open_ingest(const ingest::IngestOptions& options);
  console::SourceFacts facts_of(std::string_view address) const;
  void say_where() const;

  const Config& config_;
  const std::string node_;
  kit::SystemClock clock_;
  kit::SystemRandom random_;
  std::unique_ptr<StateLock> lock_;
  RulesInForce rules_;
  EventLog event_log_{config_};
  SourcePlaces places_{"geoip.database"};
  SourcePlaces networks_{"geoip.asn_database"};
  SharedValue<forward::ZoneTime> zone_;
  ingest::IngestOptions ingest_options_;
  Endpoint console_listen_;
  ListenerCertificates certificates_;  // of the main thread
  std::atomic<bool> ready_{false};
  mutable std::mutex system_mutex_;  // of what follows
  console::SystemValues system_;
  std::string system_error_;  // why what is set for the node is not in force
  std::unique_ptr<forward::CursorStore> cursors_;
  std::unique_ptr<forward::Ring> ring_;
  std::shared_ptr<forward::NodeBeat> beat_;
  std::unique_ptr<forward::DeliveryLoop> delivery_;
  std::unique_ptr<forward::NotifyLoop> notifier_;
  std::unique_ptr<forward::FleetDatabase> fleet_, fleet_tails_;
  std::unique_ptr<forward::FleetDatabase> accounts_;  // the same, for those who wait on the console's loop
  std::unique_ptr<console::ConsoleServer> console_;
  std::unique_ptr<ingest::Ingest> ingest_;
};

void warn_of(const std::string& line) { spdlog::warn("{}", line); }

console::SystemValues configured_system(const Config& config) {
  return {config.trusted_proxies, config.time_zone, config.geoip_database};
}

// Refuses a change that needs a file which this machine does not have.
Result<void> check_system(const console::SystemSettings& settings) {
  if (!settings.geoip_database || settings.geoip_database->empty()) return {};
  const auto database = ingest::GeoIp::open(*settings.geoip_database);
  if (database) return {};
  return fail(ErrorCode::kInvalid, "geoip_database: " + database.error().what);
}

// Sound: check_system has said so, or it was sound when it was saved.
void Daemon::use_system(const console::SystemSettings& settings) {
  const console::SystemValues now = console::in_force(settings, configured_system(config_));
  console::SystemValues before;
  {
    const std::lock_guard lock(system_mutex_);
    before = std::exchange(system_, now);
  }
  if (now.trusted_proxies != before.trusted_proxies)
    ingest_->swap_trusted_proxies(cidrs_of(now.trusted_proxies));
  if (now.time_zone != before.time_zone) {
    auto zone = forward::ZoneTime::of(now.time_zone);
    if (zone) {
      delivery_->set_time_zone(*zone);
      notifier_->set_time_zone(*zone);
      zone_.set(std::make_shared<const forward::ZoneTime>(std::move(*zone)));
    }
    const std::lock_guard lock(system_mutex_);
    system_error_ = zone ? "" : zone.error().what + "; the time zone before stays in use";
  }
  if (now.geoip_database != before.geoip_database) places_.use(now.geoip_database);
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
    const auto engine = rules_.engine();
    auto report = status_report(counters, *ingest_, ingest_options_, engine ? engine->rules().size() : 0);
    report.places = places_.status();
    if (std::string error = networks_.status().error; !error.empty())
      report.notes.push_back(std::move(error));
    report.rules_error = rules_.error();
    if (!report.rules_error.empty()) report.notes.push_back(report.rules_error);
    {
      const std::lock_guard lock(system_mutex_);
      if (!system_error_.empty()) report.notes.push_back(system_error_);
    }
    done(std::move(report));
  });
}

console::SourceFacts Daemon::facts_of(std::string_view address) const {
  detect::SourcePlace place = places_.find(address);
  ingest::SourceNetwork network = networks_.find_network(address);
  return {std::move(place.country), std::move(place.province), std::move(place.city), network.number,
          std::move(network.name)};
}

console::ConsoleOptions Daemon::console_options(std::vector<Endpoint> own_listeners) const {
  console::ConsoleOptions options;
  options.own_listeners = std::move(own_listeners);
  options.listen = console_listen_;
  options.state_dir = config_.state_dir;
  options.node = node_;
  options.zone = *zone_.get();
  options.configured = configured_system(config_);
  options.hosts = config_.console_hosts;
  options.certificate_file = config_.console_certificate;
  options.key_file = config_.console_key;
  if (config_.settings_source == "file") options.settings_file = config_.settings_file;
  options.settings_of_fleet = config_.settings_source == "fleet";
  options.fleet_key_file = config_.fleet_key_file;
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
                    rules_.want(rules);
                    rules_.rebuild();
                  },
              .apply_notifications =
                  [this](const console::Settings& settings) {
                    notifier_->apply(settings.channels, settings.alerts);
                  },
              .check_system = check_system,
              .apply_system = [this](const console::SystemSettings& settings) { use_system(settings); },
          },
      .engine = [this] { return rules_.engine(); },
      .collect = [this](std::function<void(console::StatusReport)> done) { collect_status(std::move(done)); },
      .take_hits =
          [this](std::function<void(std::vector<detect::UsageCounters>)> done) {
            ingest_->take_hits(std::move(done));
          },
      .ready = [this] { return ready_.load(); },
      .log = warn_of,
      .inform = [](const std::string& line) { spdlog::info("{}", line); },
      .compile_rules =
          [this](const std::string& name, const std::string& text) {
            return rules_.compile({name, text});
          },
      .source_facts = [this](std::string_view address) { return facts_of(address); },
      .notifier = notifier_.get(),
      .beat = beat_,
      .fleet = fleet_.get(),
      .fleet_tails = fleet_tails_.get(),
      .accounts = accounts_.get(),
  };
  auto server = console::ConsoleServer::open(console_options(std::move(own_listeners)), std::move(parts));
  if (!server) return tl::unexpected<Error>(server.error());
  console_ = std::move(*server);
  warn_of_settings();
  return {};
}

void Daemon::warn_of_settings() const {
  if (!console_->settings_notice().empty()) spdlog::warn("{}", console_->settings_notice());
  for (const std::string& warning :
       console::system_warnings(console::in_force(console_->settings().system, configured_system(config_))))
    spdlog::warn("{}", warning);
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
      .place_of = [this](std::string_view ip) { return places_.find(ip); },
      .ready = [this] { return ready_.load(); },
      .log = warn_of,
      .told = {},
  };
  if (event_log_.wanted())
    parts.told = [this](const EventRecord& event, std::string_view id) { event_log_.tell(event, id); };
  const auto engine = rules_.engine();
  auto ingest = ingest::Ingest::open(options, std::move(parts), engine,
                                     std::make_shared<const detect::Policy>(std::move(*policy)));
  if (!ingest) return tl::unexpected<Error>(ingest.error());
  ingest_ = std::move(*ingest);
  rules_.follow(engine, [this](const RulesInForce::EnginePointer& now) {
    ingest_->swap_engine(now);
    if (ready_) spdlog::info("{} rules are in force", now->rules().size());
  });
  return {};
}

Result<void> Daemon::open() {
  // Mistakes of the configuration are found first, before anything is touched.
  if (auto good = check_run(config_); !good) return fail(ErrorCode::kInvalid, good.error().what);
  certificates_.remember();
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
  if (auto done = make_folder(config_.state_dir); !done)
    return fail(ErrorCode::kIo, "state_dir: " + done.error().what);
  auto lock = StateLock::take(config_.state_dir);
  if (!lock) return fail(ErrorCode::kIo, "state_dir: " + lock.error().what);
  lock_ = std::move(*lock);
  if (auto done = open_events(); !done) return fail(ErrorCode::kIo, done.error().what);

  std::vector<Endpoint> own;
  if (ingest_options_.t1k_listen) own.push_back(*ingest_options_.t1k_listen);
  if (ingest_options_.http_listen) own.push_back(*ingest_options_.http_listen);
  if (ingest_options_.spop_listen) own.push_back(*ingest_options_.spop_listen);
  if (ingest_options_.envoy_listen) own.push_back(*ingest_options_.envoy_listen);
  own.push_back(console_listen_);
  beat_ = std::make_shared<forward::NodeBeat>(ring_->generation());
  forward::DeliveryParts delivery{
      .clock = clock_, .random = random_, .ring = *ring_, .cursors = *cursors_, .node = node_};
  delivery.cursors_lost = cursors_->recovery().lost;
  delivery.on_lost_cursor =
      config_.on_lost_cursor == "gap" ? forward::OnLostCursor::kGap : forward::OnLostCursor::kOldest;
  delivery.time_zone = config_.time_zone;
  delivery.own_listeners = own;
  delivery.beat = beat_;
  delivery.stop_timeout_ms = config_.stop_timeout_s * 1000;
  delivery.log = warn_of;
  delivery.inform = [](const std::string& line) { spdlog::info("{}", line); };
  auto loop = forward::DeliveryLoop::create(std::move(delivery));
  if (!loop) return fail(ErrorCode::kIo, loop.error().what);
  delivery_ = std::move(*loop);

  open_notifier(own);
  if (auto done = open_fleet(); !done) return done;
  if (auto done = open_console(own); !done) return fail(ErrorCode::kIo, done.error().what);
  rules_.want(console_->settings().rules);
  if (auto done = rules_.open(); !done) return done;
  if (auto done = open_ingest(ingest_options_); !done) return fail(ErrorCode::kIo, done.error().what);
  if (auto done = open_system(); !done) return fail(ErrorCode::kInvalid, done.error().what);
  return {};
}

Result<void> Daemon::open_fleet() {
  if (config_.fleet_database.empty()) return {};
  auto where = fleet_target(config_);
  if (!where) return tl::unexpected<Error>(where.error());
  fleet_ = std::make_unique<forward::FleetDatabase>(*where, clock_);
  fleet_tails_ = std::make_unique<forward::FleetDatabase>(*where, clock_, console::kTailPatience);
  if (config_.fleet_accounts == "database")
    accounts_ =
        std::make_unique<forward::FleetDatabase>(std::move(*where), clock_, console::kAccountPatience);
  return {};
}

void Daemon::open_notifier(const std::vector<Endpoint>& own_listeners) {
  forward::NotifyParts parts{.clock = clock_,
                             .random = random_,
                             .ring = *ring_,
                             .node = node_,
                             .state_file = config_.state_dir + "/notifications.json",
                             .trend_file = config_.state_dir + "/trends"};
  parts.zone = *zone_.get();
  parts.rule_names = [this](std::string_view id) {
    const auto engine = rules_.engine();
    for (const Rule* rule : engine ? engine->rules() : std::span<const Rule* const>())
      if (rule->id == id) return rule->name;
    return std::string();
  };
  parts.own_listeners = own_listeners;
  parts.local_addresses = [] { return kit::local_addresses(); };
  parts.log = warn_of;
  notifier_ = forward::NotifyLoop::create(std::move(parts));
}

// The settings of the node precede the configuration. A database that the configuration names must be there;
// one of the settings that is gone meanwhile is reported and stops nothing.
Result<void> Daemon::open_system() {
  const console::SystemSettings& set = console_->settings().system;
  if (!set.geoip_database) {
    system_.geoip_database = config_.geoip_database;
    if (auto done = places_.open(config_.geoip_database); !done) return done;
  }
  if (auto done = networks_.open(config_.asn_database); !done) return done;
  use_system(set);
  if (!system_error_.empty()) spdlog::error("{}", system_error_);
  return {};
}

void Daemon::say_where() const {
  spdlog::info("wafd {} is ready as node {}, {} rules", WAFD_VERSION, node_, rules_.engine()->rules().size());
  for (const auto which :
       {ingest::IngestListener::kT1k, ingest::IngestListener::kT1kUnix, ingest::IngestListener::kHttp,
        ingest::IngestListener::kSpop, ingest::IngestListener::kEnvoy}) {
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
  notifier_->start();
  notifier_->apply(console_->settings().channels, console_->settings().alerts);
  console_->start();
  ingest_->start();
  ready_ = true;
  say_where();
}

void Daemon::reload() {
  spdlog::info("reloading rule files, source locations and certificates");
  console_->reload_certificate();
  certificates_.reopen(*ingest_);
  places_.reopen();
  networks_.reopen();
  rules_.rebuild();
}

bool Daemon::stop() {
  ready_ = false;
  spdlog::info("stopping");
  rules_.interrupt();
  ingest_->stop(config_.stop_timeout_s * 1000);
  delivery_->stop();
  console_->stop();
  notifier_->stop();
  rules_.stop();
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
  open_log(config);

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
