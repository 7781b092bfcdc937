// SPOP on the wire, as HAProxy speaks it to its agents: frames, lists of typed values, actions. Bytes in,
// bytes out. Source: HAProxy's doc/SPOE.txt (2.6), section 3; integers are of variable length, in the
// encoding of its peers' protocol.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "detect/core/error.h"
#include "detect/core/ip_address.h"

namespace wafd::ingest::spop {

// The smallest frame that every peer must take, and the largest that we take; without the four bytes of
// length before it.
inline constexpr std::uint32_t kMinFrameBytes = 256;
inline constexpr std::uint32_t kMaxFrameBytes = 1u << 20;

enum FrameType : std::uint8_t {
  kUnset = 0,  // a further fragment of the payload that is under way
  kHaproxyHello = 1,
  kHaproxyDisconnect = 2,
  kNotify = 3,
  kAgentHello = 101,
  kAgentDisconnect = 102,
  kAck = 103,
};
inline constexpr std::uint32_t kFin = 1, kAbort = 2;

// Why a connection is ended. Indexes counters.
enum class Malformed : std::uint8_t {
  kFrameTooBig,     // announced length beyond what the HELLO agreed on
  kInvalidFrame,    // a frame or a list that does not end where it says, or that has no place there
  kNoVersion,       // HELLO without supported-versions
  kNoFrameSize,     // without max-frame-size
  kNoCapabilities,  // without capabilities
  kBadVersion,      // without a 2.x among its versions
  kBadFrameSize,    // less than 256 bytes
  kInterlaced,      // another frame among the fragments of a payload
};
inline constexpr std::size_t kMalformedReasons = 8;
const char* to_string(Malformed reason) noexcept;        // "frame_too_big", ...
std::uint32_t status_code(Malformed reason) noexcept;    // section 3.5
const char* status_text(std::uint32_t status) noexcept;  // what a DISCONNECT says beside the code

// A value of a list. Text and bytes are views of the payload.
struct Null {};
using Value = std::variant<Null, bool, std::int64_t, std::uint64_t, IpAddress, std::string_view>;

// Reads a payload from its start. After a false or empty answer the rest is of no use.
class PayloadReader {
 public:
  explicit PayloadReader(std::string_view payload) noexcept : left_(payload) {}

  bool empty() const noexcept { return left_.empty(); }
  std::size_t left() const noexcept { return left_.size(); }
  std::optional<std::uint8_t> byte() noexcept;
  std::optional<std::uint64_t> number() noexcept;  // at most 64 bits
  // A string whose announced length goes beyond the payload is nothing; with `cut`, it is what is there.
  std::optional<std::string_view> text(bool cut = false) noexcept;
  std::optional<Value> value(bool cut = false) noexcept;

 private:
  std::string_view left_;
};

struct Frame {
  std::uint8_t type = kUnset;
  std::uint32_t flags = 0;
  std::uint64_t stream_id = 0, frame_id = 0;
  std::string_view payload;

  bool fin() const noexcept { return (flags & kFin) != 0; }
  bool aborts() const noexcept { return (flags & kAbort) != 0; }
};

// Cuts a stream into frames. Any fragmentation gives the same frames; nothing is allocated by an announced
// length.
class FrameReader {
 public:
  // Uses up bytes until a frame is complete (true; frame() holds until the next call) or none are left
  // (false). After an error only destroy it.
  tl::expected<bool, Malformed> next(std::string_view& bytes);
  const Frame& frame() const noexcept { return frame_; }
  bool in_frame() const noexcept { return !complete_ && length_used_ != 0; }
  void set_max_frame_bytes(std::uint32_t bytes) noexcept { max_bytes_ = bytes; }

 private:
  std::uint32_t max_bytes_ = kMaxFrameBytes;
  std::array<unsigned char, 4> length_{};
  std::size_t length_used_ = 0;
  std::uint32_t size_ = 0;
  bool complete_ = false;
  std::string data_;
  Frame frame_;
};

// --- what is written ---
void append_number(std::uint64_t number, std::string& out);
void append_text(std::string_view text, std::string& out);
void append_text_value(std::string_view text, std::string& out);   // with its type
void append_uint32_value(std::uint32_t number, std::string& out);  // likewise
void append_int64_value(std::int64_t number, std::string& out);    // likewise
// Actions of an ACK that set a variable of the transaction.
void append_set_text(std::string_view name, std::string_view value, std::string& out);
void append_set_number(std::string_view name, std::int64_t value, std::string& out);
// A whole, unfragmented frame with its length before it.
std::string frame(FrameType type, std::uint64_t stream_id, std::uint64_t frame_id, std::string_view payload);

}  // namespace wafd::ingest::spop
