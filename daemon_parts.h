// The parts of `wafd run`: each is opened of the configuration and the settings, in the order of the flow,
// and given what it needs of those before it. Daemon (daemon.cc) starts them, has them reload and stops them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "config.h"
#include "console/io/console_server.h"
#include "files/small_file.h"
#include "forward/format/zone_time.h"
#include "forward/io/delivery_loop.h"
#include "forward/io/fleet_database.h"
#include "forward/io/notify/notify_loop.h"
#include "forward/ring/cursor_store.h"
#include "forward/ring/ring.h"
#include "ingest/io/ingest.h"
#include "ingest/io/kit/system.h"
#include "ingest_options.h"
#include "listener_certificates.h"
#include "log.h"
#include "rules_in_force.h"
#include "shared_value.h"
#include "source_places.h"
#include "telemetry/io/exporter.h"

namespace wafd {

// "YYYY-MM-DD HH:MM:SS"
std::string time_text(forward::ZoneTime zone, std::int64_t unix_s);

class DaemonParts {
 public:
  // `config` outlives it; `logs`: lines of the log for the exporter, which `tap` puts there; null: none are
  // sent.
  DaemonParts(const Config& config, std::shared_ptr<telemetry::LogQueue> logs, const LogTap& tap);
  ~DaemonParts();
  DaemonParts(const DaemonParts&) = delete;
  DaemonParts& operator=(const DaemonParts&) = delete;

  // In the order of the flow: state, ring, delivery, console, rules, workers. Once, before anything of the
  // rest; nothing runs yet. kInvalid for a mistake of the configuration, kIo for what the machine refuses.
  Result<void> open();

  // Public for Daemon alone. Taken down from the last to the first: each uses those above it.
  const Config& config_;
  const std::string node_;
  kit::SystemClock clock_;
  kit::SystemRandom random_;
  std::unique_ptr<StateLock> lock_;
  RulesInForce rules_;
  EventLog event_log_;
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
  std::shared_ptr<telemetry::LogQueue> logs_;
  std::unique_ptr<telemetry::Exporter> exporter_;  // null: nothing is sent

 private:
  Result<void> read_options();
  Result<void> open_state();
  Result<void> open_events();
  Result<void> open_delivery(const std::vector<Endpoint>& own_listeners);
  void open_notifier(const std::vector<Endpoint>& own_listeners);
  Result<void> open_fleet();
  Result<void> open_console(std::vector<Endpoint> own_listeners);
  Result<void> open_ingest(const ingest::IngestOptions& options);
  Result<void> open_system();
  void open_exporter(std::vector<Endpoint> own_listeners);

  std::vector<Endpoint> own_listeners() const;
  console::ConsoleOptions console_options(std::vector<Endpoint> own_listeners) const;
  void warn_of_settings() const;
  void use_system(const console::SystemSettings& settings);
  // `done` runs on a worker's thread, or at once after ingest has stopped.
  void collect_status(std::function<void(console::StatusReport)> done);
  console::SourceFacts facts_of(std::string_view address) const;
};

}  // namespace wafd
