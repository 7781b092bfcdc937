// Fields of Protocol Buffers messages as bytes: a reader that copies nothing, and appenders. After "Encoding"
// of the Protocol Buffers documentation (protobuf.dev/programming-guides/encoding).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wafd::ingest::envoy {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct Field {
  std::uint64_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;  // of kVarint
  std::string_view bytes;   // of kBytes, into the message
  bool cut = false;         // of kBytes: it goes on behind the end

  bool is_bytes(std::uint64_t n) const noexcept { return number == n && type == WireType::kBytes; }
  bool is_varint(std::uint64_t n) const noexcept { return number == n && type == WireType::kVarint; }
};

// The fields of one message in their order.
class FieldReader {
 public:
  // `cut`: the message may end anywhere, and its last field of bytes is what is left of it.
  FieldReader(std::string_view message, bool cut) noexcept : rest_(message), cut_(cut) {}

  // Nothing: the end, or broken() from there on. Deprecated groups are broken.
  std::optional<Field> next() noexcept;
  bool broken() const noexcept { return broken_; }

 private:
  std::optional<std::uint64_t> varint() noexcept;
  std::optional<Field> end() noexcept;

  std::string_view rest_;
  bool cut_;
  bool broken_ = false;
};

void append_varint(std::uint64_t value, std::string& out);
void append_number_field(std::uint64_t number, std::uint64_t value, std::string& out);
void append_bytes_field(std::uint64_t number, std::string_view bytes, std::string& out);

}  // namespace wafd::ingest::envoy
