// The ring: the store of events, one mapped file of fixed size that survives a crash (forward/ring/README.md:
// format).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"
#include "detect/core/event_record.h"
#include "detect/core/ip_address.h"

namespace wafd::forward {

namespace ring {
class Store;
}

// The fields that are searched without reading the JSON. Parsed from the record's fixed head.
struct RecordView {
  std::uint64_t seq = 0;
  std::int64_t time_ms = 0;
  EventId id;
  AttackType attack_type = AttackType::kCustom;
  Risk risk = Risk::kLow;
  Action action = Action::kAllow;
  std::string_view src_ip;
  std::string_view site_uuid;
  std::string_view rule_id;
  AmendableOffsets offsets;
  std::string_view json;  // the 58 members as appended; see merged_json() for amendments
  std::string_view detail;
  bool report_expected = false;       // the gateway announced a response report
  bool reported = false;              // one came, or more
  std::int64_t report_time_ms = 0;    // when the first came; 0: unknown (stored by an earlier version)
  std::uint16_t response_status = 0;  // as reported; 0: unknown
  std::uint64_t response_size = 0;    // bytes of its body
};

// The index entry of a record, in memory: enough to judge most queries without reading the file.
struct RecordHead {
  std::uint64_t seq = 0;
  std::int64_t time_ms = 0;
  std::uint64_t id_prefix = 0;  // first 8 bytes of the id, as they lie in memory
  AttackType attack_type = AttackType::kCustom;
  Risk risk = Risk::kLow;
  Action action = Action::kAllow;
  std::optional<IpAddress> source;  // none: the source was no address
  std::uint64_t site_hash = 0;      // text_hash(site_uuid)
  std::uint64_t rule_hash = 0;      // text_hash(rule_id)
};
using HeadFilter = std::function<bool(const RecordHead&)>;

std::uint64_t text_hash(std::string_view text) noexcept;

struct RingOptions {
  std::string path;  // the file, created if missing
  std::uint64_t size_bytes = 1ull << 30;
  std::int64_t sync_interval_ms = 1000;  // msync by a thread of its own; 0: on closing alone
  std::uint64_t min_next_seq = 1;        // max over all cursors + 1: sequences never go back
};

// The findings of open(), for the start line and the status page.
struct RingRecovery {
  bool created = false;
  bool resized = false;
  std::uint64_t records = 0;
  std::uint64_t dropped_bytes = 0;  // not readable: a torn tail, damaged stretches
  std::string text;                 // one line for people; empty if there is nothing to say
};

// append() and amend() may be called from any thread, readers from any thread. Nothing here blocks on IO but
// open() and the destructor. A record may take a quarter of the ring; a larger one is refused. open() refuses
// a file that another process has open for writing, and one of a newer format. A damaged file is read as far
// as it is sound, said in recovery(); a file that holds no ring at all is renamed to PATH.unreadable and a
// new one begun.
//
// amend() finds the 131,072 newest events; a second report for one event adds what the first did not
// say; one that says nothing new takes no room.
class Ring : public EventSink {
 public:
  static Result<std::unique_ptr<Ring>> open(const RingOptions& options);
  // Reads the file of a ring that a daemon may be writing, or of a stopped one; append() is an error.
  static Result<std::unique_ptr<Ring>> open_read_only(const std::string& path);

  ~Ring() override = default;

  virtual const RingRecovery& recovery() const noexcept = 0;
  virtual std::string generation() const = 0;         // hex id of this file's life; cursors carry it
  virtual std::uint64_t oldest() const noexcept = 0;  // sequence of the oldest record still there
  virtual std::uint64_t end()
      const noexcept = 0;  // sequence the next record will get; empty: oldest() == end()
  virtual std::int64_t oldest_time_ms() const noexcept = 0;
  virtual std::uint64_t size_bytes() const noexcept = 0;
  virtual std::uint64_t used_bytes() const noexcept = 0;
  virtual std::uint64_t records() const noexcept = 0;
  virtual std::uint64_t refused() const noexcept = 0;  // appends that could not be stored
  virtual std::uint64_t amendments_dropped()
      const noexcept = 0;                                  // reports whose event was gone or never there
  virtual std::uint64_t sync_errors() const noexcept = 0;  // msync refused by the system

  // Called after each append and each amendment on the appending thread; must be cheap and not throw
  // (uv_async_send). Set before use.
  virtual void set_wakeup(std::function<void()> wakeup) = 0;

  // For RingReader.
  virtual const ring::Store& store() const noexcept = 0;
};

// Copies records into a buffer of its own, in order, with amendments merged on demand. One thread at a time;
// the ring must outlive its readers.
class RingReader {
 public:
  explicit RingReader(const Ring& ring);
  ~RingReader();

  // Positions at `seq`. If that is gone, the next read() begins at the oldest and says how many were
  // overtaken.
  void seek(std::uint64_t seq);
  std::uint64_t next_seq() const noexcept;

  // Copies up to `max_records` and about `max_bytes` from the position on, then drops what the ring overtook
  // meanwhile: every view given is sound until the next call. `overtaken` gets the number of records between
  // the position and the first one given that are gone.
  std::span<const RecordView> read(std::size_t max_records, std::size_t max_bytes, std::uint64_t& overtaken);
  // A hint, nothing is read: the processor may fetch the next bytes behind what read() gave, while the
  // caller is busy with that. Bounded by what the ring held then, and by as much again as was given.
  void hint_next(std::size_t bytes) const noexcept;
  // The same backwards: up to `max_records` with sequence < `before`, newest first.
  std::span<const RecordView> read_before(std::uint64_t before, std::size_t max_records,
                                          std::size_t max_bytes);
  // Only those whose head `wanted` accepts. At most `max_heads` heads are judged; `scanned_to` gets the
  // sequence before which the next call goes on (0: there is nothing before).
  std::span<const RecordView> read_before(std::uint64_t before, std::size_t max_records,
                                          std::size_t max_bytes, std::size_t max_heads,
                                          const HeadFilter& wanted, std::uint64_t& scanned_to);

  // Heads of the records with from <= sequence < to, oldest first, until `visit` says false. A million in
  // about 20 ms.
  void visit_heads(std::uint64_t from, std::uint64_t to, const HeadFilter& visit);
  // First sequence whose event is not older than that time, the ring's end if all are. Times may go back a
  // little (clocks are set), so a reader of a range still compares.
  std::uint64_t first_at(std::int64_t time_ms);

  // Places in the order of appending, where reports lie between events. Behind the event of that sequence;
  // the oldest place if it is gone.
  std::uint64_t place_behind(std::uint64_t seq) const;
  // Sequences of the events for which a report was stored behind `place`, in the order in which they came;
  // `place` moves behind what was looked at, which is `max_records` at most.
  std::vector<std::uint64_t> reported_behind(std::uint64_t& place, std::size_t max_records) const;

  // The record of that id, newest first; nothing if it is gone.
  const RecordView* find(const EventId& id);

  // `view.json` with the response report merged in, if one came.
  std::string merged_json(const RecordView& view) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wafd::forward
