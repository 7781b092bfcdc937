// The ring as the daemon has it open: recovery, append, amend, sync. Internal; others see
// forward/ring/ring.h.
#pragma once

#include <mutex>

#include "forward/ring/periodic_thread.h"
#include "forward/ring/ring.h"
#include "forward/ring/ring_store.h"

namespace wafd::forward::ring {

// Where recent events are, by id. Fixed size: 4 places a bucket, the oldest makes room.
class RecentIds {
 public:
  static constexpr std::size_t kPlaces = 1u << 17;
  RecentIds() : places_(kPlaces) {}
  void put(std::uint64_t id_prefix, std::uint64_t ordinal) noexcept;
  // Ordinal + 1, or 0.
  std::uint64_t find(std::uint64_t id_prefix) const noexcept;

 private:
  struct Place {
    std::atomic<std::uint64_t> id_prefix{0};
    std::atomic<std::uint64_t> ordinal_plus_one{0};
  };
  std::vector<Place> places_;
};

class RingFile final : public Ring {
 public:
  RingFile(std::unique_ptr<Map> map, bool read_only);

  // Reads what the file holds. `head_sound` as Map::open said.
  void recover(bool head_sound, std::uint64_t min_next_seq);
  // Takes the newest records of `old` over, as many as fit.
  void take_over(const RingFile& old);
  void begin_new(const std::uint8_t (&generation)[16], std::uint32_t epoch, std::uint64_t next_seq);
  void start_sync(std::int64_t interval_ms);
  // Instead of recover() for a file that another process may be writing.
  void read_beside(bool head_sound);
  std::uint32_t next_epoch() const noexcept { return epoch_; }

  Result<std::uint64_t> append(const EventRecord& record) noexcept override;
  bool amend(const ResponseReport& report) noexcept override;

  const RingRecovery& recovery() const noexcept override { return recovery_; }
  std::string generation() const override;
  std::uint64_t oldest() const noexcept override;
  std::uint64_t end() const noexcept override;
  std::int64_t oldest_time_ms() const noexcept override;
  std::uint64_t size_bytes() const noexcept override { return store_.map->data_bytes() + kDataBegin; }
  std::uint64_t used_bytes() const noexcept override;
  std::uint64_t records() const noexcept override;
  std::uint64_t refused() const noexcept override { return refused_.load(std::memory_order_relaxed); }
  std::uint64_t amendments_dropped() const noexcept override {
    return dropped_.load(std::memory_order_relaxed);
  }
  std::uint64_t sync_errors() const noexcept override { return sync_errors_.load(std::memory_order_relaxed); }
  void set_wakeup(std::function<void()> wakeup) override { wakeup_ = std::move(wakeup); }
  const Store& store() const noexcept override { return store_; }

  RingRecovery& recovery_to_fill() noexcept { return recovery_; }

 private:
  struct Pieces {
    std::string_view texts;
    std::string_view json;
    std::string_view detail;
  };
  void make_room(std::uint64_t bytes) noexcept;                                                // under lock_
  void write(RecordHeader& header, const Pieces& pieces, std::uint32_t content_crc) noexcept;  // under lock_
  void heal(const Gap& gap) noexcept;
  bool take_record(const RecordHeader& header);
  void sync() noexcept;

  Store store_;
  RingRecovery recovery_;
  RecentIds recent_;
  std::function<void()> wakeup_;

  std::mutex lock_;
  std::uint64_t end_position_ = 0;
  std::uint64_t oldest_position_ = 0;
  std::uint32_t epoch_ = 0;
  std::atomic<std::uint64_t> next_seq_{1};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> sync_errors_{0};

  std::uint64_t synced_to_ = 0;  // of the syncing thread
  std::unique_ptr<PeriodicThread> syncer_;
};

// The amendment of an entry, if it has one and it is still there. `header_seq` must match the event's.
bool read_amendment(const Store& store, const Entry& entry, ResponseReport& out);

}  // namespace wafd::forward::ring
