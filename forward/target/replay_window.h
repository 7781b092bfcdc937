// The part of a TCP stream that a receiver may still lose: acknowledged bytes may lie unread in its kernel
// and are gone if it dies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace wafd::forward {

// The next record to send and the sequenceId counter before it: together they make a message sent again
// identical.
struct Position {
  std::uint64_t seq = 1;
  std::uint32_t sequence_id = 0;  // of the last message made; 0: none yet

  auto operator<=>(const Position&) const = default;
};

// One connection's marks: cumulative bytes at the end of each message with the position behind it. A message
// is settled, so never sent again, once the peer's kernel has acknowledged it and, beyond it, as many bytes
// as the peer may hold unread: max(min_bytes, 2 x the largest window it ever advertised); or once it was
// acknowledged longer than max_age_us ago, where time counts only while the peer's window is back at its
// ceiling, so while it has read all. Memory: 32 bytes a message within the window. One thread.
//
// The ceiling is the largest window since at least four windows of bytes were acknowledged: a peer that
// reads nothing cannot take as many, so it never lowers its own ceiling; one that reads may, because kernels
// shrink what they advertise as they learn how much room a segment takes. A window within 1/64 of the ceiling
// counts a third of the time.
class ReplayWindow {
 public:
  struct Options {
    std::uint64_t min_bytes = 1 << 20;
    std::int64_t max_age_us = 60'000'000;
  };

  ReplayWindow(Position start, Options options) : options_(options), settled_(start) {}

  void written(std::uint64_t bytes, Position behind, std::int64_t now_us);  // one more on the stream
  void skipped(Position behind);  // records that this target's filter leaves out
  // `acked`: bytes of this connection acknowledged so far; `peer_window`: advertised now. Returns how many
  // messages became acknowledged.
  std::uint64_t acknowledged(std::uint64_t acked, std::uint64_t peer_window, std::int64_t now_us);

  const Position& settled() const noexcept { return settled_; }
  bool all_acknowledged() const noexcept { return acked_marks_ == marks_.size(); }
  std::size_t unacknowledged() const noexcept { return marks_.size() - acked_marks_; }  // messages
  // When the oldest of them was written; nothing if there is none.
  std::optional<std::int64_t> unacknowledged_since_us() const;
  // After a close that the peer agreed to: nothing will be sent again.
  void settle_acknowledged();
  std::uint64_t written_bytes() const noexcept { return bytes_; }
  std::uint64_t settled_bytes() const noexcept { return settled_bytes_; }
  std::size_t marks() const noexcept { return marks_.size(); }

 private:
  struct Mark {
    std::uint64_t end;
    Position behind;
    std::int64_t at_us;  // when it was written; once acknowledged, that time on calm_us_
  };
  void pop();

  Options options_;
  Position settled_;
  std::deque<Mark> marks_;       // not settled, in order
  std::size_t acked_marks_ = 0;  // how many of them, from the front, are acknowledged
  std::uint64_t bytes_ = 0, settled_bytes_ = 0;
  std::uint64_t largest_window_ = 0;
  std::uint64_t ceiling_ = 0, ceiling_before_ = 0;  // largest windows of this epoch and of the one before
  std::uint64_t epoch_begin_ = 0;                   // in bytes acknowledged
  std::int64_t calm_us_ = 0;                        // time during which the window was at its ceiling
  std::int64_t last_seen_us_ = 0;
  int calm_ = 0;  // thirds of time that count
};

}  // namespace wafd::forward
