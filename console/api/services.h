// The objects and functions that operations of the API use, by topic. One struct, made by the server with the
// name of each; everything in it outlives the API.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "console/api/routing/route.h"
#include "console/base/audit_log.h"
#include "console/base/audit_pages.h"
#include "console/base/background.h"
#include "console/base/fleet_nodes.h"
#include "console/base/source_facts.h"
#include "console/base/status.h"
#include "console/base/traffic.h"
#include "console/base/web.h"
#include "console/credentials/known_clients.h"
#include "console/credentials/login_guard.h"
#include "console/credentials/password.h"
#include "console/credentials/setup.h"
#include "console/credentials/shared_accounts.h"
#include "console/credentials/store.h"
#include "console/events/ring_events.h"
#include "console/events/shared_triage.h"
#include "console/events/triage.h"
#include "console/oidc/oidc_state.h"
#include "console/settings/certificate_keeper.h"
#include "console/settings/compile_alone.h"
#include "console/settings/shared_settings.h"
#include "console/settings/store.h"
#include "console/settings/usage_counter_store.h"
#include "detect/core/clock.h"
#include "detect/core/ip_address.h"
#include "detect/engine.h"
#include "forward/format/zone_time.h"
#include "forward/notify/notifier.h"
#include "forward/ring/ring.h"
#include "forward/target/delivery.h"
#include "forward/target/node_beat.h"

namespace wafd::console {

struct Services {
  // --- the node: who answers, when, with which randomness
  std::string node;
  const Clock& clock;
  Random& random;
  std::int64_t started_ms = 0;
  std::vector<ConfigKey> config{};           // in the order of the file
  SystemValues configured{};                 // where the settings say nothing
  std::vector<std::string> hosts{};          // names under which the console answers; empty: any
  std::vector<Endpoint> own_listeners{};     // never a destination
  forward::ZoneTime zone{};                  // of times in messages that are shown before they are sent
  CertificateKeeper* certificate = nullptr;  // never null once the server runs
  std::function<std::vector<IpAddress>()> local_addresses{};  // of this machine; may be empty

  // --- people: credentials, guesses, sessions
  CredentialStore& credentials;
  SharedAccounts* accounts = nullptr;  // where they are those of many consoles; null: this one's alone
  LoginGuard& login_guard;
  Setup& setup;
  PasswordCost password_cost;
  KnownClients* known_clients = nullptr;  // never null once the server runs
  WebFetch fetch{};                       // of sign-in providers; waits: on `outgoing` alone
  std::shared_ptr<OidcState> oidc = std::make_shared<OidcState>();

  // --- settings and their history
  SettingsStore& settings;
  SharedSettings* shared_settings = nullptr;  // of a fleet; null: they are this node's own
  AuditLog& audit_log;
  AuditPages* audit_pages = nullptr;  // those of all nodes; null: this one's alone
  std::string audit_error{};
  std::uint64_t audit_missing = 0;  // entries that could not be written since the start
  std::string etag_key{};           // of the digests of secrets in entity tags
  // Compiles the rules of one file, on any thread, elsewhere than in this process if it is given; none: here.
  CompileRules compile_rules{};

  // --- events: the ring, what is said of them, where they are sent
  const forward::Ring& ring;
  forward::Delivery& delivery;
  forward::Notifier* notifier = nullptr;                                // never null once the server runs
  TriageStore* triage_store = nullptr;                                  // never null once the server runs
  std::function<SourceFacts(std::string_view address)> source_facts{};  // any thread; may be empty
  std::shared_ptr<EventSource> events = std::make_shared<RingEvents>(ring);
  bool fleet = false;                             // `events` are those of all nodes
  std::shared_ptr<SharedTriage> shared_triage{};  // instead of `triage_store`, but for views; null: none
  std::shared_ptr<FleetNodes> fleet_nodes{};      // null: there is no fleet
  std::shared_ptr<forward::NodeBeat> beat{};      // what this node says of itself; null: nobody hears it
  RequestPace pace{};                             // of it

  // --- the workers: the rules in use, their counts
  std::function<std::shared_ptr<const detect::Engine>()> engine;   // may give nothing
  std::function<void(std::function<void(StatusReport)>)> collect;  // calls back on any thread
  // Metrics that are not of the status.
  std::function<std::vector<telemetry::MetricFamily>()> more_metrics = {};
  // The workers' counts since the last call; calls back on any thread.
  std::function<void(std::function<void(std::vector<detect::UsageCounters>)>)> take_hits;
  UsageCounterStore& hits;
  TrafficHistory traffic{};
  std::function<ConsoleStatus()> console_status;
  std::function<bool()> ready;

  // --- threads
  std::function<void(std::function<void()>)> post;  // onto the console loop, from any thread
  Background& background;
  Background* passwords = nullptr;  // never null once the server runs: hashing, which waits for nothing else
  Background* outgoing = nullptr;   // likewise: waiting for other servers
  Background* database = nullptr;   // searches in the fleet's database; null: `background` has them

  std::int64_t now_ms() const noexcept { return clock.unix_us() / 1000; }
  // Of waits: does not jump when the clock is set.
  std::int64_t steady_ms() const noexcept { return clock.monotonic_us() / 1000; }

  // Reading on behalf of who calls: `work` is left out once they are gone. Where it is not taken the answer
  // is 429 for too much of one user, 503 for too much of all.
  void read_in_background(const Call& call, const Respond& respond, std::function<void()> work,
                          std::function<void()> done);
  // The same of events, wherever they are.
  void search_in_background(const Call& call, const Respond& respond, std::function<void()> work,
                            std::function<void()> done);
  // The same where the answer is all there is to do.
  void answer_in_background(const Call& call, const Respond& respond, std::function<HttpResponse()> work);
  // Of passwords, which wait for no search.
  // `stranger`: nobody is known to have logged in from there. All strangers together get half of the threads
  // and of the places, so that those who are known find one.
  bool hash_in_background(std::function<void()> work, std::function<void()> done, bool stranger = false) {
    Background& pool = passwords == nullptr ? background : *passwords;
    return pool.take({std::move(work), std::move(done), stranger ? "stranger" : ""}) ==
           Background::Taken::kYes;
  }

  // Adds what the workers counted to `hits`, then goes on on the console loop.
  void gather_hits(std::function<void()> then);

  // Adds what the workers judged to `traffic`, then goes on on the console loop.
  void gather_traffic(std::function<void()> then);

  // Writes an audit entry for a change that was made, to the file and to the targets of the audit stream.
  // A failure is told by the status page (`audit_error`): the change itself stands.
  void audit(const Call& call, std::string_view action, std::string_view object,
             boost::json::object detail = {});
  void audit(const AuditEntry& entry);

  // Behind what may have changed the settings, in the same turn of the loop: where they are a fleet's, the
  // change goes there, and `then` learns what became of it, once this node has it in use; else at once.
  // `again` is called in its place where another change was on its way, once that is over. What was said to
  // audit() by then counts only if the change does.
  void settle_settings(std::function<void()> again, std::function<void(Result<void>)> then);
  std::vector<AuditEntry> held_audits{};
  std::vector<std::function<void()>> waiting_changes{};
};

}  // namespace wafd::console
