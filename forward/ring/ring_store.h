// The parts of an open ring that a reader needs: mapping, index, the word that says what has been overtaken.
// Internal.
#pragma once

#include <atomic>
#include <mutex>

#include "forward/ring/ring_index.h"
#include "forward/ring/ring_map.h"
#include "forward/ring/ring_scan.h"

namespace wafd::forward::ring {

class Store {
 public:
  explicit Store(std::unique_ptr<Map> map_given, bool read_only_given)
      : map(std::move(map_given)), index(map->data_bytes()), read_only(read_only_given) {}

  std::unique_ptr<Map> map;
  mutable Index index;
  const bool read_only;

  // Bytes before that position may be gone. Read after a copy, it tells whether the copy is sound.
  std::uint64_t oldest_position() const noexcept { return frozen ? frozen_oldest : map->load(kOldestWord); }

  // Read-only: takes over what the writing process appended meanwhile. For the writer itself: nothing to do.
  void refresh() const;

  // A file whose head or live page cannot be trusted is read as it lies; nobody writes it.
  bool frozen = false;
  std::uint64_t frozen_oldest = 0;

 private:
  friend class RingFile;
  mutable std::mutex refresh_lock;
  mutable std::uint64_t scanned_to = 0;
};

}  // namespace wafd::forward::ring
