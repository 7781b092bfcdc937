// Watches the ring and the node for alert rules, and sends what there is to tell: a thread of its own, which
// no worker waits for. It reads the ring as a cursor of its own; what it could not read in time is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "detect/core/clock.h"
#include "detect/core/error.h"
#include "detect/core/ip_address.h"
#include "forward/format/zone_time.h"
#include "forward/notify/alert_engine.h"
#include "forward/notify/notifier.h"
#include "forward/ring/ring.h"

namespace wafd::forward {

struct NotifyParts {
  const Clock& clock;
  Random& random;
  const Ring& ring;
  std::string node;
  std::string state_file;  // what was told, where reading goes on, what waits; JSON
  std::string trend_file;  // counts by hour
  ZoneTime zone = {};
  AlertEngine::RuleNames rule_names = {};  // called on the notifier's thread
  std::vector<Endpoint> own_listeners = {};
  std::function<std::vector<IpAddress>()> local_addresses = {};
  std::function<void(const std::string& line)> log = {};  // one line for the operator
};

class NotifyLoop : public Notifier {
 public:
  // A state file that cannot be read is put aside as FILE.damaged, said in log and status, and begun anew.
  static std::unique_ptr<NotifyLoop> create(NotifyParts parts);
  ~NotifyLoop() override = default;  // stops
  virtual void set_time_zone(ZoneTime zone) = 0;
  virtual void start() = 0;
  // Messages on their way are broken off, and sent again at the next start.
  virtual void stop() = 0;
};

}  // namespace wafd::forward
