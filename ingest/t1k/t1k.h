// T1K on the wire: sections, messages, answers. Bytes in, bytes out; see README.md for the protocol.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "detect/core/error.h"
#include "detect/core/event_id.h"

namespace wafd::ingest::t1k {

// Section = one byte of flags and tag, length as 32-bit little endian, data.
inline constexpr std::uint8_t kFirst = 0x40, kLast = 0x80, kTagMask = 0x3f;
inline constexpr std::size_t kSectionHeaderBytes = 5;

enum Tag : std::uint8_t {
  kNone = 0x00,
  kHead = 0x01,
  kBody = 0x02,
  kExtra = 0x03,
  kRspHead = 0x11,
  kRspBody = 0x12,
  kRspExtra = 0x13,
  kVersion = 0x20,
  kExtraHeader = 0x23,
  kExtraBody = 0x24,
  kContext = 0x25,
};

// Bytes kept of each section; what comes beyond is read and dropped, and flagged.
struct Limits {
  std::size_t max_head_bytes = 128 * 1024;
  std::size_t max_body_bytes = 1024 * 1024;
  std::size_t max_meta_bytes = 64 * 1024;  // EXTRA, VERSION, CONTEXT, RSP_*
};
inline constexpr std::size_t kMaxSections = 32;

struct Section {
  std::string data;          // at most the limit
  std::uint32_t length = 0;  // as announced
  bool present = false;
  bool cut() const noexcept { return data.size() < length; }
};

enum class MessageKind : std::uint8_t {
  kRequest,    // HEAD, no RSP_*
  kReport,     // any RSP_*
  kHeartbeat,  // nothing but tag 0
  kOther,      // neither; answered with pass
};

struct Message {
  Section head, body, extra, version, context, rsp_head, rsp_body, rsp_extra;
  bool other_tags = false;  // unknown ones, ignored

  MessageKind kind() const noexcept;
  void clear() noexcept;  // keeps capacity
};

// Broken framing: the stream cannot be read on. Indexes counters.
enum class Malformed : std::uint8_t { kNoFirst, kSecondFirst, kTooManySections };
inline constexpr std::size_t kMalformedReasons = 3;
const char* to_string(Malformed) noexcept;  // "no_first", "second_first", "too_many_sections"

// One connection's worth. Any fragmentation gives the same messages. Of repeated sections the last counts.
class MessageReader {
 public:
  explicit MessageReader(Limits limits) noexcept : limits_(limits) {}

  // Uses up bytes until a message is complete (true; take message() before the next call) or none are left
  // (false). After an error only destroy it.
  tl::expected<bool, Malformed> next(std::string_view& bytes);

  const Message& message() const noexcept { return message_; }
  Message take_message() noexcept { return std::exchange(message_, {}); }
  bool in_message() const noexcept { return sections_ != 0 || header_used_ != 0; }
  // Of the present message: something behind its first section has begun.
  bool behind_head() const noexcept { return sections_ > 1 || (sections_ == 1 && !in_section_); }

 private:
  tl::expected<void, Malformed> begin_section();

  Limits limits_;
  Message message_;
  std::array<unsigned char, kSectionHeaderBytes> header_{};
  std::size_t header_used_ = 0;
  std::size_t sections_ = 0;
  std::uint32_t left_ = 0;  // bytes of the section still to come
  bool in_section_ = false;
  bool last_ = false;
  bool complete_ = false;
  Section* into_ = nullptr;  // none: dropped
  std::size_t room_ = 0;
};

// Answers, each to be written in one piece. `context` comes back in the response report; empty: none.
std::string pass_answer(std::string_view context = {});
// HEAD `?`, the status in BODY and the event id in EXTRA_BODY: all three, because every client looks at
// another of them.
std::string block_answer(const EventId& id, std::string_view context = {}, std::int64_t status = 403);
std::string heartbeat_answer();

}  // namespace wafd::ingest::t1k
