// Bodies that are made while they are sent: the export of events and the live tail.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "console/base/http.h"
#include "console/events/search.h"

namespace wafd::console {

enum class ExportFormat : std::uint8_t { kNdjson, kCsv };

// Every match that was in the ring at the start, newest first. CSV as base/csv.h with a header row.
std::unique_ptr<BodySource> export_events(const forward::Ring& ring, EventFilter filter, ExportFormat format);

// The live tail as server-sent events (WHATWG HTML section 9.2): "hello", "event", "amended", "skipped",
// "position", "end". "amended" gives an event once more whose response report came within 60 s (the newest 64
// are waited for). The ring is the queue: a client that is more than kMaxLagRecords behind gets the newest
// kMaxReplayRecords matches of them, and is told how many matches it skipped (`count`) and how many records
// the ring let go before they could be compared with the filter (`unknown`). "position" comes when nothing
// matched for kCommentMs: everything up to `after` was looked at.
inline constexpr std::uint64_t kMaxLagRecords = 10'000;
inline constexpr std::uint64_t kMaxReplayRecords = 1'000;
inline constexpr std::int64_t kCommentMs = 15'000;
struct TailOptions {
  EventFilter filter;
  std::optional<std::uint64_t> after;                     // resume behind this sequence
  std::function<std::string(std::int64_t now_ms)> ended;  // not empty: say so ("session") and end
};
std::unique_ptr<BodySource> tail_events(const forward::Ring& ring, TailOptions options);

}  // namespace wafd::console
