// What the operations of the API work with. One struct, made by the server; everything in it outlives the
// API.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "console/audit_log.h"
#include "console/base/background.h"
#include "console/certificate_keeper.h"
#include "console/credentials/login_guard.h"
#include "console/credentials/password.h"
#include "console/credentials/store.h"
#include "console/hit_store.h"
#include "console/notebook.h"
#include "console/route.h"
#include "console/settings/store.h"
#include "console/setup.h"
#include "console/status.h"
#include "detect/core/clock.h"
#include "detect/core/ip_address.h"
#include "detect/engine.h"
#include "forward/delivery.h"
#include "forward/ring.h"
#include "forward/zone_time.h"

namespace wafd::console {

struct Services {
  std::string node;
  const Clock& clock;
  Random& random;
  const forward::Ring& ring;
  forward::Delivery& delivery;
  CredentialStore& credentials;
  SettingsStore& settings;
  AuditLog& audit_log;
  HitStore& hits;
  LoginGuard& login_guard;
  Setup& setup;
  Background& background;
  PasswordCost password_cost;
  std::vector<Endpoint> own_listeners;                             // never a destination
  std::function<void(std::function<void()>)> post;                 // onto the console loop, from any thread
  std::function<std::shared_ptr<const detect::Engine>()> engine;   // the rules in use; may give nothing
  std::function<void(std::function<void(StatusReport)>)> collect;  // calls back on any thread
  // What the workers counted since the last call; calls back on any thread.
  std::function<void(std::function<void(std::vector<detect::Hits>)>)> take_hits;
  std::function<ConsoleStatus()> console_status;
  std::function<bool()> ready;
  std::int64_t started_ms = 0;

  std::int64_t now_ms() const noexcept { return clock.unix_us() / 1000; }

  // Adds what the workers counted to `hits`, then goes on on the console loop.
  void gather_hits(std::function<void()> then);

  // Writes an audit entry for a change that was made, to the file and to the targets of the audit stream.
  // What fails is told by the status page (`audit_error`): the change itself stands.
  void audit(const Call& call, std::string_view action, std::string_view object,
             boost::json::object detail = {});
  void audit(AuditEntry entry);
  std::string audit_error;

  Notebook* notebook = nullptr;              // never null once the server runs
  forward::ZoneTime zone{};                  // of times in messages that are shown before they are sent
  CertificateKeeper* certificate = nullptr;  // never null once the server runs
  std::vector<ConfigKey> config{};           // in the order of the file
  SystemValues configured{};                 // where the settings say nothing
  std::string etag_key{};                    // of the digests of secrets in entity tags
};

}  // namespace wafd::console
