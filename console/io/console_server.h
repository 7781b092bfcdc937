// The console of the running program: stores, API, HTTPS listener, admin socket, one loop on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "console/api/services.h"
#include "console/base/assets.h"
#include "console/base/status.h"
#include "console/io/connection.h"
#include "console/settings/compile_alone.h"
#include "console/settings/store.h"
#include "detect/core/clock.h"
#include "detect/core/ip_address.h"
#include "forward/format/zone_time.h"
#include "forward/io/fleet_database.h"
#include "forward/notify/notifier.h"
#include "forward/ring/ring.h"
#include "forward/target/delivery.h"
#include "telemetry/metrics.h"

namespace wafd::console {

struct ConsoleOptions {
  Endpoint listen;        // port 0: a free one
  std::string state_dir;  // exists; its lock is held by the caller
  std::string node;
  forward::ZoneTime zone;          // of times in previews of messages, until the settings say otherwise
  SystemValues configured;         // where the settings say nothing
  std::vector<std::string> hosts;  // names under which the console answers; empty: any
  std::string certificate_file;    // both empty: self-signed, in the state folder
  std::string key_file;
  std::string settings_file;  // not empty: settings come from it, people cannot change them on the console
  bool settings_of_fleet = false;  // settings come from ConsoleParts::fleet
  std::string fleet_key_file;      // of what the fleet's database must not know; empty: none
  std::span<const Asset> assets;
  std::vector<ConfigKey> config;        // to show; without secrets
  std::vector<Endpoint> own_listeners;  // of the whole program; no target may point there (ours is added)
  PasswordCost password_cost;
  ConnectionLimits limits;
  std::size_t max_connections = 1024;
  std::size_t max_strangers_per_address = 64;  // connections on which nobody logged in yet
};

// A change of accounts waits for it on the console's loop.
inline constexpr forward::FleetDatabase::Patience kAccountPatience{1'000, 1'500};
// One filter that takes longer holds up all live tails so long, once in a while.
inline constexpr forward::FleetDatabase::Patience kTailPatience{3'000, 3'000};

// Functions given by the rest of the program. Called on the console loop; references must outlive the server.
struct ConsoleParts {
  const Clock& clock;
  Random& random;
  const forward::Ring& ring;
  forward::Delivery& delivery;
  SettingsHooks hooks;                                             // changes only: see settings()
  std::function<std::shared_ptr<const detect::Engine>()> engine;   // rules in use; may give nothing
  std::function<void(std::function<void(StatusReport)>)> collect;  // may call back on any thread
  // The workers' counts since the last call; may call back on any thread, and once they have stopped at
  // once.
  std::function<void(std::function<void(std::vector<detect::UsageCounters>)>)> take_hits;
  std::function<bool()> ready;
  std::function<void(const std::string& line)> log;  // one line for the operator
  std::function<void(const std::string& line)> inform = [](const std::string&) {};  // likewise; all is well
  CompileRules compile_rules = {};                                         // as Services::compile_rules
  std::function<SourceFacts(std::string_view address)> source_facts = {};  // as Services::source_facts
  forward::Notifier* notifier = nullptr;                                   // null: nobody is told
  std::shared_ptr<forward::NodeBeat> beat = {};   // what this node says of itself; null: nobody hears it
  forward::FleetDatabase* fleet = nullptr;        // whose events are shown; null: this node's
  forward::FleetDatabase* fleet_tails = nullptr;  // the same for live tails, with kTailPatience
  // Where users, sessions, tokens are, with kAccountPatience; null: in the files of this node.
  forward::FleetDatabase* accounts = nullptr;
  std::function<std::vector<telemetry::MetricFamily>()> more_metrics = {};  // of the rest of the program
};

class ConsoleServer {
 public:
  // Reads the stores and binds: an error names file or address. Nothing is served yet.
  static Result<std::unique_ptr<ConsoleServer>> open(ConsoleOptions options, ConsoleParts parts);
  virtual ~ConsoleServer() = default;  // stops

  // Before start(): what was saved, for the first policy and targets (the hooks tell of changes after it).
  virtual const Settings& settings() const noexcept = 0;
  virtual const std::string& settings_notice() const noexcept = 0;  // of damaged files; empty if all is well
  virtual Endpoint local() const noexcept = 0;                      // with the real port
  virtual std::string fingerprint() const = 0;                      // SHA-256 of the certificate
  virtual std::string setup_token() const = 0;                      // empty: not the first start
  virtual bool setup_token_filed() const = 0;                       // it stands in the state folder too
  virtual void set_own_listeners(std::vector<Endpoint> listeners) = 0;

  virtual void start() = 0;               // the thread
  virtual void stop() = 0;                // ends live tails, waits for the thread
  virtual void reload_certificate() = 0;  // any thread; the old one stays if the new one is no good
  // Any thread; `done` gets on the server's thread what GET /metrics shows, and is not called after stop().
  virtual void collect_metrics(std::function<void(std::vector<telemetry::MetricFamily>)> done) = 0;
};

}  // namespace wafd::console
