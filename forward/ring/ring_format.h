// The ring's file format 1: what lies where (forward/ring/README.md says it in words). Internal to the ring.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wafd::forward::ring {

// Little-endian words, everything aligned to 8. File = head page, live page, data area of `data_bytes`.
// A position counts bytes appended since the beginning of the generation's life; it lies at position %
// data_bytes.
inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint64_t kDataBegin = 2 * kPageBytes;
inline constexpr std::uint32_t kFormat = 1;
inline constexpr char kMagic[8] = {'W', 'A', 'F', 'D', 'R', 'N', 'G', '\xff'};
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::uint64_t kMinDataBytes = 64 * 1024;

struct FileHead {
  char magic[8];
  std::uint32_t format;
  std::uint32_t byte_order;
  std::uint64_t data_bytes;
  std::uint8_t generation[16];
  std::uint32_t epoch;  // one more with every opening for writing
  std::uint32_t crc;    // CRC-32C of everything before
};
static_assert(sizeof(FileHead) == 48);

// Byte offsets in the live page of words that change with every append, each in a cache line of its own.
inline constexpr std::uint64_t kOldestWord = kPageBytes;    // position of the oldest record
inline constexpr std::uint64_t kEndWord = kPageBytes + 64;  // position behind the newest

enum class RecordKind : std::uint32_t { kEvent = 1, kAmendment = 2, kFill = 3 };

// A byte 0xff never stands in our JSON, so no text can look like a record.
inline constexpr std::uint32_t kMark = 0xff52'4500;
constexpr std::uint32_t mark_of(RecordKind kind) noexcept { return kMark | static_cast<std::uint32_t>(kind); }

struct RecordHeader {
  std::uint64_t seq;  // written last; of an amendment: the event's
  std::uint64_t position;
  std::uint32_t bytes;  // of the whole record, a multiple of 8
  std::uint32_t mark;
  std::uint32_t epoch;  // of the writer; never falls along the chain
  std::uint32_t crc;  // CRC-32C of the bytes from `time_ms` on (texts without padding), then of those before
  std::int64_t time_ms;  // of the event; of an amendment: when its first report came, 0 if unknown
  std::uint8_t id[16];
  std::uint8_t source[16];  // as IpAddress; zero if the text is none
  std::uint64_t site_hash;
  std::uint64_t rule_hash;
  std::uint8_t attack_type;
  std::uint8_t risk;
  std::uint8_t action;
  std::uint8_t source_is_address;
  std::uint8_t source_bytes;  // texts, one behind the other
  std::uint8_t site_bytes;
  std::uint8_t rule_bytes;
  std::uint8_t flags;          // kReportExpected; 0 in records of earlier versions
  std::uint32_t json_bytes;    // then the JSON, padded to 8
  std::uint32_t detail_bytes;  // then the detail block, padded to 8
  std::uint32_t offsets[3];    // of members 7, 9, 41 in the JSON
  std::uint32_t reserved2;
};
static_assert(sizeof(RecordHeader) == 120);
inline constexpr std::uint8_t kReportExpected = 1;  // of RecordHeader::flags
inline constexpr std::size_t kPlacePart =
    28;  // seq..epoch: what the appending thread fills in under the lock

// Stands where an event has its JSON, the reason phrase behind it.
struct AmendmentBody {
  std::int64_t rsp_start_time_ms;
  std::int64_t rsp_end_time_ms;
  std::uint64_t size;
  std::uint16_t status;
  std::uint8_t has_start;
  std::uint8_t has_end;
  std::uint32_t phrase_bytes;
};
static_assert(sizeof(AmendmentBody) == 32);

constexpr std::uint64_t padded(std::uint64_t bytes) noexcept { return (bytes + 7) & ~std::uint64_t{7}; }

}  // namespace wafd::forward::ring
