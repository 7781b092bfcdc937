// How messages follow each other on a stream (RFC 6587, RFC 5425): octet counting `MSG-LEN SP MSG`, or MSG
// LF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "forward/target/target_settings.h"

namespace wafd::forward {

// Appends the message `header` + `content` as one frame. With LF framing an LF inside would end the frame
// early: it becomes a space (our JSON never holds one).
void append_frame(Framing framing, std::string_view header, std::string_view content, std::string& out);

// The prefix of a message of that many bytes: its count, or nothing with LF.
void append_frame_begin(Framing framing, std::size_t message_bytes, std::string& out);

// Splits a stream into messages, each frame by its own first byte: a digit 1..9 begins a count, anything
// else runs to LF (RFC 6587 section 3.4.1 note; '<' begins every message). Fed in any fragments. One thread.
class FrameReader {
 public:
  explicit FrameReader(std::size_t max_message_bytes) : max_(max_message_bytes) {}

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next whole message; the view is sound until the next call. False: feed more, or error() is set.
  bool next(std::string_view& message);
  // The remaining bytes without a frame end, for the end of the stream.
  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }

  // Empty while the framing is sound; a stream with an error cannot be read on.
  std::string_view error() const noexcept { return error_; }

 private:
  bool next_counted(std::string_view& message);
  bool next_line(std::string_view& message);

  std::size_t max_;
  std::string buffer_;
  std::size_t at_ = 0;       // begin of the next frame
  std::size_t scanned_ = 0;  // bytes from at_ known to hold no LF: each is looked at once
  std::string_view error_;
};

}  // namespace wafd::forward
