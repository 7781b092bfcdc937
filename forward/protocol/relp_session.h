// The sending side of one RELP connection: open, window, answers, limits of time. Bytes and time in, bytes
// out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forward/protocol/ack_window.h"
#include "forward/protocol/relp_frame.h"

namespace wafd::forward {

// Order: open(), whose bytes go out first; bytes of the peer to on_bytes() until is_open(); then messages,
// at most room() at once; close() last. Once failed() the connection is of no use: whatever is not settled is
// to be sent again on another one. What the peer sends is judged and never repeated, but for the three digits
// of a status. One thread.
class RelpSession {
 public:
  struct Options {
    std::size_t window = 1024;                 // messages without an answer
    std::int64_t open_timeout_us = 5'000'000;  // for the answer to open
    std::int64_t answer_timeout_us =
        600'000'000;  // no answer at all for so long: a stalled receiver is not a dead one
    std::int64_t refusal_wait_us =
        1'000'000;  // for a later message that tells poison from a receiver in trouble
  };

  explicit RelpSession(Options options) : options_(options), reader_(kMaxAnswerBytes) {}

  std::string open(std::int64_t now_us);
  // Appends one message as a frame to `out` and returns the frame's bytes.
  std::size_t append(std::string_view header, std::string_view content, std::int64_t now_us,
                     std::string& out);
  // The same for a message that lies elsewhere: appends what comes before its `size` bytes; behind them goes
  // one LF.
  std::size_t begin(std::size_t size, std::int64_t now_us, std::string& out);
  // After it nothing may be appended. The peer's answer need not be waited for: everything was acknowledged
  // before.
  std::string close();

  // False: failed().
  bool on_bytes(std::string_view bytes, std::int64_t now_us);
  bool on_time(std::int64_t now_us);
  std::int64_t wake_at() const noexcept;  // on_time is due then; INT64_MAX: never

  bool is_open() const noexcept { return state_ == State::kOpen; }
  bool failed() const noexcept { return !error_.empty(); }
  const std::string& error() const noexcept { return error_; }  // for people: "the receiver ..."
  std::size_t room() const noexcept;                            // messages that may be appended now
  const AckWindow& window() const noexcept { return window_; }
  int refusal() const noexcept { return refusal_; }  // status of the last refused message, 0: none

 private:
  enum class State : std::uint8_t { kNew, kOpening, kOpen, kClosing };
  static constexpr std::size_t kMaxAnswerBytes = 4096;

  bool fail(std::string what);
  bool on_frame(const RelpFrame& frame);
  bool on_open_answer(std::string_view data);

  Options options_;
  State state_ = State::kNew;
  RelpFrameReader reader_;
  AckWindow window_;
  std::uint64_t sent_ = 0;
  std::int64_t last_answer_us_ = 0;  // or when waiting for one began
  int refusal_ = 0;
  std::string error_;
};

}  // namespace wafd::forward
