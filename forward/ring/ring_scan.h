// Walks the chain of records in a ring's file: on opening, after damage, and in a file that another process
// writes. Internal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "forward/ring/ring_map.h"

namespace wafd::forward::ring {

// Called for each record in order. False ends the walk.
using RecordSink = std::function<bool(const RecordHeader&)>;

struct Gap {
  std::uint64_t begin = 0;  // positions
  std::uint64_t end = 0;
  std::uint32_t epoch = 0;  // of the record before
};

struct Walk {
  std::uint64_t end = 0;       // position behind the last sound record
  std::uint64_t last_seq = 0;  // of events; 0: none
  std::uint32_t epoch = 0;
  std::uint64_t events = 0;
  bool torn_tail = false;  // a record was begun behind the last one
  std::vector<Gap> gaps;   // damaged stretches between sound records
};

// A record image in words, as read. `bytes` as the header says.
bool crc_matches(const std::uint64_t* record) noexcept;
std::uint32_t place_crc(const RecordHeader& header, std::uint32_t content_crc) noexcept;

// Sane in itself and for its place; `check_crc` reads all of it.
bool sound_at(const Map& map, std::uint64_t position, bool check_crc, RecordHeader& header,
              std::vector<std::uint64_t>& buffer);

// From `begin` on. Behind `trusted_end` (the live page's word) a record that is not sound is the end; before
// it, it is damage, and the walk goes on at the next sound record. `overtaken(position)` tells that a writer
// has advanced over that position meanwhile: the walk then ends where it is.
Walk walk(const Map& map, std::uint64_t begin, std::uint64_t trusted_end, bool check_crc,
          const std::function<bool(std::uint64_t)>& overtaken, const RecordSink& sink);

// When head or live page cannot be trusted: reads the whole data area and gives every sound record that
// belongs to the newest stretch, in order. `begin` gets the position of the oldest one.
Walk salvage(const Map& map, std::uint64_t& begin, const RecordSink& sink);

}  // namespace wafd::forward::ring
