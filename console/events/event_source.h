// Where the API reads events: the ring of this node, or a database to which all nodes write.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "console/base/http.h"
#include "console/events/groups.h"
#include "console/events/search.h"
#include "console/events/streams.h"
#include "detect/core/error.h"
#include "detect/core/event_id.h"
#include "forward/format/zone_time.h"
#include "forward/target/target_settings.h"

namespace wafd::console {

// Where a page of the list begins: in the ring before a sequence; in the order of (time, id) behind an event.
struct EventPlace {
  std::optional<std::uint64_t> seq = {};
  std::string text = {};  // "MS-ID"; empty: not that
};

// How one event is made a message.
struct MessageOptions {
  forward::TargetSettings target;
  std::string node;
  forward::ZoneTime zone;
};

// Answers are JSON texts as the API gives them (console/api/schemas). All but export_events() and
// tail_events() may wait: on a thread for it. An error of kIo: where the events are cannot be asked now.
class EventSource {
 public:
  virtual ~EventSource() = default;

  virtual Result<std::string> list(const EventFilter& filter, std::size_t limit,
                                   const EventPlace& before) = 0;
  virtual Result<std::string> detail(const EventId& id) = 0;
  virtual Result<std::string> count(const EventFilter& filter, const CountOptions& options) = 0;
  virtual Result<std::string> histogram(const EventFilter& filter, std::size_t buckets) = 0;
  virtual Result<std::string> top(const EventFilter& filter, std::string_view field, std::size_t limit) = 0;
  virtual Result<std::string> groups(const EventFilter& filter, GroupBy by, std::size_t limit) = 0;
  virtual Result<boost::json::object> message(const EventId& id, const MessageOptions& options) = 0;

  // Why the events of all nodes cannot be asked for now, as far as is known; empty: they can.
  virtual std::string away() const { return {}; }
  virtual std::unique_ptr<BodySource> export_events(EventFilter filter, ExportFormat format) = 0;
  virtual std::unique_ptr<BodySource> tail_events(TailOptions options) = 0;
};

}  // namespace wafd::console
