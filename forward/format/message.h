// From a record, a gap, an audit line or the node's health to one syslog message for one target.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "forward/format/content_format.h"
#include "forward/format/rfc5424.h"
#include "forward/format/zone_time.h"
#include "forward/ring/ring.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {

// Messages that a receiver did not get: the ring overtook its target (stream "event"), or a queue was full
// ("audit").
struct Gap {
  std::string_view stream = "event";
  std::uint64_t first_seq = 0;  // 0: the stream has no sequences
  std::uint64_t last_seq = 0;   // inclusive
  std::uint64_t count = 0;
  bool upper_bound = false;  // the filter might have kept some of them back, or some were sent before
  std::optional<std::int64_t> from_ms;  // Unix time of the last message before the gap, if known
  std::int64_t to_ms = 0;               // of the first behind it
};

struct Health {
  std::int64_t now_us = 0;  // Unix time
  std::int64_t uptime_s = 0;
  std::uint64_t ring_oldest = 0;
  std::uint64_t ring_end = 0;
  std::uint64_t lag_events = 0;  // of this target
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
};

// A message is `header` then `content`, without framing. The views are sound until the next call.
struct Message {
  std::string_view header;
  std::string_view content;
  bool truncated = false;  // cut to the target's max_message_bytes

  std::size_t size() const noexcept { return header.size() + content.size(); }
};

// MSGIDs: waf_event, waf_gap (severity 4), waf_audit (5), waf_alive (6). Events stand in the target's
// content; the others are one JSON object whatever it is, cut in its structure like them. The severity of
// events is the target's fixed one or by risk: high 2, medium 4, low 5. `sequence_id` 0: none. One thread.
class MessageMaker {
 public:
  MessageMaker(const TargetSettings& target, std::string_view node, ZoneTime zone);

  // TIMESTAMP is the event's time, so a message made again is byte-identical.
  Message event(const RecordView& record, std::uint32_t sequence_id);
  Message gap(const Gap& gap, std::uint32_t sequence_id);
  std::string health_json(const Health& health) const;  // one object, for alive()
  Message alive(std::string_view json, std::int64_t time_us, std::uint32_t sequence_id);
  // `json` is one object without line ends, written by us; the longest strings in it are shortened if need
  // be.
  Message audit(std::string_view json, std::int64_t time_us, std::uint32_t sequence_id);
  // Exactly `<30>1 TIMESTAMP HOSTNAME APP-NAME 1 waf_event - Connectivity test requested.` with default
  // settings.
  Message connectivity(std::int64_t now_us);

 private:
  std::string_view header(int severity, std::int64_t time_us, std::string_view msgid,
                          std::uint32_t sequence_id);

  struct HeaderOf {
    int severity = -1;
    std::int64_t time_us = 0;
    std::uint32_t sequence_id = 0;
    std::string_view msgid;  // a literal
    bool operator==(const HeaderOf&) const = default;
  };

  // A message of one JSON object (audit, health), cut to the maximum size if it is longer.
  Message line(std::string_view header, std::string_view json);

  HeaderWriter writer_;
  ZoneTime zone_;  // for times inside contents
  std::string node_;
  std::optional<int> severity_;
  std::unique_ptr<ContentFormat> format_;
  bool json_;  // the record goes out as it lies in the ring
  RequestDetail detail_;
  std::size_t max_;
  HeaderOf header_of_;  // what header_ was made of
  std::string header_, content_, reduced_;
};

}  // namespace wafd::forward
