// RELP frames: TXNR SP COMMAND SP DATALEN [SP DATA] LF (rsyslog's protocol description, "RELP frame").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wafd::forward {

constexpr std::uint32_t kRelpMaxTxnr = 999'999'999;  // then 1 again; 0 is for hints that get no answer
constexpr std::size_t kRelpMaxDataBytes =
    128 * 1024;  // of a message, in every version of the protocol so far

struct RelpFrame {
  std::uint32_t txnr = 0;
  std::string_view command;
  std::string_view data;
};

// Appends the head of a frame with `size` bytes of data, up to their first; behind them goes one LF.
void append_relp_begin(std::uint32_t txnr, std::string_view command, std::size_t size, std::string& out);
// Appends one frame whose data is `data` followed by `more`.
void append_relp_frame(std::uint32_t txnr, std::string_view command, std::string_view data,
                       std::string_view more, std::string& out);

// Splits a stream of any bytes into frames. Keeps at most one header (53 bytes), `max_data_bytes` and what
// was fed last; every byte is looked at once. Fed in any fragments. One thread.
class RelpFrameReader {
 public:
  explicit RelpFrameReader(std::size_t max_data_bytes) : max_data_(max_data_bytes) {}

  void feed(std::string_view bytes);
  // The next whole frame; its views are sound until the next call of anything. False: feed more, or error()
  // is set.
  bool next(RelpFrame& frame);

  // The expected element, at the first byte that cannot be: empty while the framing is sound, and final.
  // Never has bytes of the peer in it.
  std::string_view error() const noexcept { return error_; }

 private:
  enum class Part : std::uint8_t { kTxnr, kCommand, kLength, kData };
  bool header_byte(char c);
  bool fail(std::string_view what);

  std::size_t max_data_;
  std::string buffer_;
  std::size_t at_ = 0;         // begin of the frame in buffer_
  std::size_t looked_at_ = 0;  // bytes behind it that were read
  Part part_ = Part::kTxnr;
  std::size_t length_ = 0;  // of the present part
  std::uint32_t number_ = 0;
  std::uint32_t txnr_ = 0;
  std::size_t command_at_ = 0, command_size_ = 0;
  bool spaced_ = false;  // DATALEN ended with a space, not with the frame's LF
  std::string_view error_;
};

// The data of a `rsp`: a status of three digits, text for people that is left out here, then what belongs to
// the answered command.
struct RelpAnswer {
  int status = 0;         // 0: there is none
  std::string_view data;  // behind the first LF
};
RelpAnswer relp_answer(std::string_view data) noexcept;

// Whether the offers (`name=value,value` lines) have `name`, and among its values `value` (empty: any).
bool relp_offers(std::string_view offers, std::string_view name, std::string_view value) noexcept;

}  // namespace wafd::forward
