// Triage and pins of events that all consoles of a fleet share, in its database. For threads that may wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console/events/triage.h"

namespace wafd::console {

struct MarkedEvent {
  EventId id;
  Triage triage;  // `at_ms` 0: nobody said anything
  bool pinned = false;
};

struct TriageChange {
  std::optional<bool> closed;
  std::optional<Label> label;
  std::optional<std::string> note;
  std::string by;
  std::int64_t at_ms = 0;
};

class SharedTriage {
 public:
  virtual ~SharedTriage() = default;

  // In the order of `ids`; an event that is not there counts as untouched.
  virtual Result<std::vector<MarkedEvent>> read(const std::vector<EventId>& ids) = 0;
  // All or none, and the same answer; kUnknown: some are not there.
  virtual Result<std::vector<MarkedEvent>> change(const std::vector<EventId>& ids,
                                                  const TriageChange& change) = 0;
  virtual Result<std::vector<std::pair<EventId, Pin>>> pins() = 0;  // the last pinned first
  // Gives the stored pin: where the event was pinned before, that one stays. The copy of the event is the
  // database's own; kUnknown: it does not have the event.
  virtual Result<Pin> pin(const EventId& id, const Pin& pin) = 0;
  virtual Result<bool> unpin(const EventId& id) = 0;  // false: it was not pinned
};

}  // namespace wafd::console
