// Heads of all records in memory, in order: queries read these alone, 80 bytes a record instead of the
// file's pages. One thread at a time changes it (the ring's lock), any number read.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "forward/ring/ring_format.h"

namespace wafd::forward::ring {

// One record's head, and its place.
struct Entry {
  std::uint64_t seq = 0;
  std::uint64_t position = 0;
  std::uint64_t amendment = 0;  // position + 1 of the newest amendment, 0: none
  std::int64_t time_ms = 0;
  std::uint64_t id_prefix = 0;  // first 8 bytes of the event id
  std::array<std::uint8_t, 16> source{};
  std::uint64_t site_hash = 0;
  std::uint64_t rule_hash = 0;
  std::uint32_t bytes = 0;
  std::uint8_t attack_type = 0;
  std::uint8_t risk = 0;
  std::uint8_t action = 0;
  std::uint8_t source_is_address = 0;
};

Entry entry_of(const RecordHeader& header) noexcept;

// Entries have ordinals that only grow; sequence numbers may have holes, ordinals have none. Memory is in
// chunks that are used again and freed only with the index, so that a late reader reads a stale entry, never
// freed memory; it notices by first().
class Index {
 public:
  // Room for every record that a data area of that size can hold.
  explicit Index(std::uint64_t data_bytes);

  void reserve();                          // memory for one more; may throw
  void push(const Entry& entry) noexcept;  // after reserve()
  void pop() noexcept;
  void clear() noexcept;
  void set_amendment(std::uint64_t ordinal, std::uint64_t position) noexcept;

  std::uint64_t first() const noexcept { return first_.load(std::memory_order_acquire); }
  std::uint64_t end() const noexcept { return end_.load(std::memory_order_acquire); }
  bool empty() const noexcept { return first() == end(); }

  // False if it is gone (or was never there).
  bool get(std::uint64_t ordinal, Entry& out) const noexcept;
  // Ordinal of the first entry with that sequence or a later one; end() if there is none.
  std::uint64_t lower_bound(std::uint64_t seq) const noexcept;

 private:
  static constexpr std::uint64_t kChunk = 1024;
  static constexpr std::size_t kWords = 10;
  struct Chunk {
    std::array<std::atomic<std::uint64_t>, kChunk * kWords> words;
  };
  std::atomic<std::uint64_t>* words_of(std::uint64_t ordinal) const noexcept;

  std::vector<std::atomic<Chunk*>> table_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Chunk*> free_;
  std::atomic<std::uint64_t> first_{0};
  std::atomic<std::uint64_t> end_{0};
};

}  // namespace wafd::forward::ring
