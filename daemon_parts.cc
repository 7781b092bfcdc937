#include "daemon_parts.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "console/base/assets.h"
#include "detect/core/ip_address.h"
#include "detect/engine.h"
#include "detect/policy/policy.h"
#include "ingest/io/geoip.h"
#include "run_check.h"
#include "status_report.h"

namespace wafd {
namespace {

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

}  // namespace

// "YYYY-MM-DD HH:MM:SS"
std::string time_text(forward::ZoneTime zone, std::int64_t unix_s) {
  std::string text;
  zone.append_rfc3339(unix_s * 1'000'000, 3, text);
  text.resize(std::min<std::size_t>(text.size(), 19));
  if (text.size() > 10) text[10] = ' ';
  return text;
}

DaemonParts::DaemonParts(const Config& config, std::shared_ptr<telemetry::LogQueue> logs, const LogTap& tap)
    : config_(config),
      node_(node_name(config)),
      rules_(config),
      event_log_(config, tap),
      certificates_(config),
      logs_(std::move(logs)) {}

DaemonParts::~DaemonParts() { rules_.stop(); }  // its thread uses what is gone before it

Result<void> DaemonParts::open() {
  // Mistakes of the configuration are found first, before anything is touched.
  if (auto good = check_run(config_); !good) return fail(ErrorCode::kInvalid, good.error().what);
  certificates_.remember();
  if (auto done = read_options(); !done) return done;
  if (auto done = open_state(); !done) return done;
  if (auto done = open_events(); !done) return fail(ErrorCode::kIo, done.error().what);
  const std::vector<Endpoint> own = own_listeners();
  if (auto done = open_delivery(own); !done) return fail(ErrorCode::kIo, done.error().what);
  open_notifier(own);
  if (auto done = open_fleet(); !done) return done;
  if (auto done = open_console(own); !done) return fail(ErrorCode::kIo, done.error().what);
  rules_.want(console_->settings().rules);
  if (auto done = rules_.open(); !done) return done;
  if (auto done = open_ingest(ingest_options_); !done) return fail(ErrorCode::kIo, done.error().what);
  if (auto done = open_system(); !done) return fail(ErrorCode::kInvalid, done.error().what);
  open_exporter(own);
  return {};
}

Result<void> DaemonParts::read_options() {
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
  return {};
}

Result<void> DaemonParts::open_state() {
  if (auto done = make_folder(config_.state_dir); !done)
    return fail(ErrorCode::kIo, "state_dir: " + done.error().what);
  auto lock = StateLock::take(config_.state_dir);
  if (!lock) return fail(ErrorCode::kIo, "state_dir: " + lock.error().what);
  lock_ = std::move(*lock);
  return {};
}

std::vector<Endpoint> DaemonParts::own_listeners() const {
  std::vector<Endpoint> own;
  own.reserve(5);
  for (const auto* listen : {&ingest_options_.t1k_listen, &ingest_options_.http_listen,
                             &ingest_options_.spop_listen, &ingest_options_.envoy_listen})
    if (*listen) own.push_back(**listen);
  own.push_back(console_listen_);
  return own;
}

Result<void> DaemonParts::open_events() {
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

Result<void> DaemonParts::open_delivery(const std::vector<Endpoint>& own_listeners) {
  beat_ = std::make_shared<forward::NodeBeat>(ring_->generation());
  forward::DeliveryParts delivery{
      .clock = clock_, .random = random_, .ring = *ring_, .cursors = *cursors_, .node = node_};
  delivery.cursors_lost = cursors_->recovery().lost;
  delivery.on_lost_cursor =
      config_.on_lost_cursor == "gap" ? forward::OnLostCursor::kGap : forward::OnLostCursor::kOldest;
  delivery.time_zone = config_.time_zone;
  delivery.own_listeners = own_listeners;
  delivery.beat = beat_;
  delivery.stop_timeout_ms = config_.stop_timeout_s * 1000;
  delivery.log = warn_of;
  delivery.inform = [](const std::string& line) { spdlog::info("{}", line); };
  auto loop = forward::DeliveryLoop::create(std::move(delivery));
  if (!loop) return tl::unexpected<Error>(loop.error());
  delivery_ = std::move(*loop);
  return {};
}

void DaemonParts::open_notifier(const std::vector<Endpoint>& own_listeners) {
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

Result<void> DaemonParts::open_fleet() {
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

Result<void> DaemonParts::open_console(std::vector<Endpoint> own_listeners) {
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
      .more_metrics = [this] { return exporter_ ? exporter_->families() : telemetry::exporter_families(); },
  };
  auto server = console::ConsoleServer::open(console_options(std::move(own_listeners)), std::move(parts));
  if (!server) return tl::unexpected<Error>(server.error());
  console_ = std::move(*server);
  warn_of_settings();
  return {};
}

void DaemonParts::warn_of_settings() const {
  if (!console_->settings_notice().empty()) spdlog::warn("{}", console_->settings_notice());
  for (const std::string& warning :
       console::system_warnings(console::in_force(console_->settings().system, configured_system(config_))))
    spdlog::warn("{}", warning);
}

console::ConsoleOptions DaemonParts::console_options(std::vector<Endpoint> own_listeners) const {
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

Result<void> DaemonParts::open_ingest(const ingest::IngestOptions& options) {
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

// The settings of the node precede the configuration. A database that the configuration names must be there;
// one of the settings that is gone meanwhile is reported and stops nothing.
Result<void> DaemonParts::open_system() {
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

void DaemonParts::open_exporter(std::vector<Endpoint> own_listeners) {
  telemetry::ExporterParts parts{.clock = clock_,
                                 .random = random_,
                                 .settings = otlp_settings(config_),
                                 .sender = {node_, WAFD_VERSION},
                                 .logs = logs_};
  if (!parts.settings.on()) return;
  parts.collect = [this](std::function<void(telemetry::Families)> done) {
    console_->collect_metrics(std::move(done));
  };
  parts.own_listeners = std::move(own_listeners);
  parts.local_addresses = [] { return kit::local_addresses(); };
  parts.log = warn_of;
  parts.inform = [](const std::string& line) { spdlog::info("{}", line); };
  exporter_ = telemetry::Exporter::create(std::move(parts));
}

// Sound: check_system has said so, or it was sound when it was saved.
void DaemonParts::use_system(const console::SystemSettings& settings) {
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

void DaemonParts::collect_status(std::function<void(console::StatusReport)> done) {
  ingest_->counters([this, done = std::move(done)](const ingest::IngestCounters& counters) {
    const auto engine = rules_.engine();
    auto report = status_report(counters, *ingest_, ingest_options_, engine ? engine->rules().size() : 0);
    report.places = places_.status();
    if (std::string error = networks_.status().error; !error.empty())
      report.notes.push_back(std::move(error));
    if (exporter_)
      for (std::string& note : exporter_->notes()) report.notes.push_back(std::move(note));
    report.rules_error = rules_.error();
    if (!report.rules_error.empty()) report.notes.push_back(report.rules_error);
    {
      const std::lock_guard lock(system_mutex_);
      report.system_error = system_error_;
    }
    if (!report.system_error.empty()) report.notes.push_back(report.system_error);
    done(std::move(report));
  });
}

console::SourceFacts DaemonParts::facts_of(std::string_view address) const {
  detect::SourcePlace place = places_.find(address);
  ingest::SourceNetwork network = networks_.find_network(address);
  return {std::move(place.country), std::move(place.province), std::move(place.city), network.number,
          std::move(network.name)};
}

}  // namespace wafd
