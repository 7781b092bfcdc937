// Messages on their way to a receiver that answers each by itself: which of them are settled, and which one
// is poison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace wafd::forward {

// Answers may come in any order; settled is the longest beginning of what was sent that is all answered. A
// message that the receiver refused is settled, as put aside, once the receiver has taken a later one: so a
// poison message holds nothing up, and a receiver that refuses everything loses nothing. Memory: 16 bytes a
// message. One thread.
class AckWindow {
 public:
  // One more message; ids count up from 0.
  std::uint64_t sent(std::uint64_t bytes);
  // False: no message of that id waits for an answer.
  bool taken(std::uint64_t id);
  bool refused(std::uint64_t id);

  std::uint64_t first() const noexcept { return first_; }  // id of the first that is not settled
  std::size_t size() const noexcept { return marks_.size(); }
  std::size_t waiting() const noexcept { return waiting_; }  // without an answer
  std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }
  // Bytes of all settled messages: what ReplayWindow calls acknowledged.
  std::uint64_t settled_bytes() const noexcept { return settled_bytes_; }
  std::uint64_t rejected() const noexcept { return rejected_; }  // settled without being taken
  // The receiver refused the first one, and has taken nothing behind it.
  bool held_by_refusal() const noexcept { return !marks_.empty() && marks_.front().state == State::kRefused; }

 private:
  enum class State : std::uint8_t { kWaiting, kTaken, kRefused };
  struct Mark {
    std::uint64_t bytes;
    State state;
  };
  bool answer(std::uint64_t id, State state);

  std::deque<Mark> marks_;  // not settled, in order
  std::uint64_t first_ = 0;
  std::uint64_t behind_taken_ = 0;  // id behind the last one that was taken
  std::size_t waiting_ = 0;
  std::uint64_t sent_bytes_ = 0, settled_bytes_ = 0, rejected_ = 0;
};

}  // namespace wafd::forward
