#include "ingest/spop/spop.h"

#include <algorithm>

#include "detect/core/bytes.h"

namespace wafd::ingest::spop {
namespace {

enum Type : std::uint8_t {
  kTypeNull = 0,
  kTypeBool = 1,
  kTypeInt32 = 2,
  kTypeUint32 = 3,
  kTypeInt64 = 4,
  kTypeUint64 = 5,
  kTypeIpv4 = 6,
  kTypeIpv6 = 7,
  kTypeString = 8,
  kTypeBinary = 9,
};
constexpr std::uint8_t kTypeMask = 0x0f, kTrue = 0x10;
constexpr std::uint8_t kSetVariable = 1, kSetVariableArguments = 3, kScopeTransaction = 2;

void append_byte(unsigned value, std::string& out) { out += static_cast<char>(value); }

void append_be32(std::uint32_t value, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) append_byte(value >> shift & 0xff, out);
}

}  // namespace

const char* to_string(Malformed reason) noexcept {
  switch (reason) {
    case Malformed::kFrameTooBig:
      return "frame_too_big";
    case Malformed::kInvalidFrame:
      return "invalid_frame";
    case Malformed::kNoVersion:
      return "no_version";
    case Malformed::kNoFrameSize:
      return "no_frame_size";
    case Malformed::kNoCapabilities:
      return "no_capabilities";
    case Malformed::kBadVersion:
      return "bad_version";
    case Malformed::kBadFrameSize:
      return "bad_frame_size";
    case Malformed::kInterlaced:
      return "interlaced";
  }
  return "invalid_frame";
}

std::uint32_t status_code(Malformed reason) noexcept {
  switch (reason) {
    case Malformed::kFrameTooBig:
      return 3;
    case Malformed::kInvalidFrame:
      return 4;
    case Malformed::kNoVersion:
      return 5;
    case Malformed::kNoFrameSize:
      return 6;
    case Malformed::kNoCapabilities:
      return 7;
    case Malformed::kBadVersion:
      return 8;
    case Malformed::kBadFrameSize:
      return 9;
    case Malformed::kInterlaced:
      return 11;
  }
  return 99;
}

const char* status_text(std::uint32_t status) noexcept {
  switch (status) {
    case 0:
      return "normal";
    case 3:
      return "frame is too big";
    case 4:
      return "invalid frame received";
    case 5:
      return "version value not found";
    case 6:
      return "max-frame-size value not found";
    case 7:
      return "capabilities value not found";
    case 8:
      return "unsupported version: expected 2.0";
    case 9:
      return "max-frame-size too small: expected at least 256";
    case 11:
      return "invalid interlaced frames";
    default:
      return "an unknown error occurred";
  }
}

std::optional<std::uint8_t> PayloadReader::byte() noexcept {
  if (left_.empty()) return std::nullopt;
  const std::uint8_t out = wafd::byte(left_[0]);
  left_.remove_prefix(1);
  return out;
}

std::optional<std::uint64_t> PayloadReader::number() noexcept {
  const auto first = byte();
  if (!first) return std::nullopt;
  std::uint64_t out = *first;
  if (*first < 0xf0) return out;
  for (unsigned shift = 4; shift < 64; shift += 7) {
    const auto next = byte();
    if (!next) return std::nullopt;
    const std::uint64_t part = *next;
    // An integer of more than 64 bits is malformed.
    if (part > (UINT64_MAX - out) >> shift) return std::nullopt;
    out += part << shift;
    if (*next < 0x80) return out;
  }
  return std::nullopt;
}

std::optional<std::string_view> PayloadReader::text(bool cut) noexcept {
  const auto length = number();
  if (!length || (*length > left_.size() && !cut)) return std::nullopt;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(*length, left_.size()));
  const std::string_view out = left_.substr(0, size);
  left_.remove_prefix(size);
  return out;
}

std::optional<Value> PayloadReader::value(bool cut) noexcept {
  const auto type = byte();
  if (!type) return std::nullopt;
  const auto address = [&](std::size_t bytes) -> std::optional<Value> {
    if (left_.size() < bytes) return std::nullopt;
    IpAddress out;
    std::array<std::uint8_t, 4> v4{};
    for (std::size_t i = 0; i < bytes; ++i) (bytes == 4 ? v4[i] : out.bytes[i]) = wafd::byte(left_[i]);
    left_.remove_prefix(bytes);
    return Value(bytes == 4 ? IpAddress::from_v4(v4) : out);
  };
  switch (*type & kTypeMask) {
    case kTypeNull:
      return Value(Null{});
    case kTypeBool:
      return Value((*type & kTrue) != 0);
    case kTypeInt32:
    case kTypeInt64: {
      const auto out = number();
      if (!out) return std::nullopt;
      return Value(static_cast<std::int64_t>(*out));
    }
    case kTypeUint32:
    case kTypeUint64: {
      const auto out = number();
      if (!out) return std::nullopt;
      return Value(*out);
    }
    case kTypeIpv4:
      return address(4);
    case kTypeIpv6:
      return address(16);
    case kTypeString:
    case kTypeBinary: {
      const auto out = text(cut);
      if (!out) return std::nullopt;
      return Value(*out);
    }
    default:
      return std::nullopt;
  }
}

tl::expected<bool, Malformed> FrameReader::next(std::string_view& bytes) {
  if (complete_) {
    complete_ = false;
    length_used_ = 0;
    data_.clear();
  }
  while (length_used_ < length_.size()) {
    if (bytes.empty()) return false;
    length_[length_used_++] = byte(bytes[0]);
    bytes.remove_prefix(1);
    if (length_used_ < length_.size()) continue;
    size_ = 0;
    for (const unsigned char one : length_) size_ = size_ << 8 | one;
    if (size_ > max_bytes_) return tl::unexpected(Malformed::kFrameTooBig);
  }
  const std::size_t taken = std::min<std::size_t>(size_ - data_.size(), bytes.size());
  data_.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  if (data_.size() < size_) return false;
  complete_ = true;

  frame_ = {};
  PayloadReader in(data_);
  const auto type = in.byte();
  for (int i = 0; i < 4; ++i) {
    const auto one = in.byte();
    if (!one) return tl::unexpected(Malformed::kInvalidFrame);
    frame_.flags = frame_.flags << 8 | *one;
  }
  const auto stream_id = in.number(), frame_id = in.number();
  if (!type || !stream_id || !frame_id) return tl::unexpected(Malformed::kInvalidFrame);
  frame_.type = *type;
  frame_.stream_id = *stream_id;
  frame_.frame_id = *frame_id;
  frame_.payload = std::string_view(data_).substr(data_.size() - in.left());
  return true;
}

void append_number(std::uint64_t number, std::string& out) {
  if (number < 0xf0) {
    append_byte(static_cast<unsigned>(number), out);
    return;
  }
  append_byte(static_cast<unsigned>(number & 0xff) | 0xf0, out);
  for (number = (number - 0xf0) >> 4; number >= 0x80; number = (number - 0x80) >> 7)
    append_byte(static_cast<unsigned>(number & 0xff) | 0x80, out);
  append_byte(static_cast<unsigned>(number), out);
}

void append_text(std::string_view text, std::string& out) {
  append_number(text.size(), out);
  out.append(text);
}

void append_text_value(std::string_view text, std::string& out) {
  append_byte(kTypeString, out);
  append_text(text, out);
}

void append_uint32_value(std::uint32_t number, std::string& out) {
  append_byte(kTypeUint32, out);
  append_number(number, out);
}

void append_int64_value(std::int64_t number, std::string& out) {
  append_byte(kTypeInt64, out);
  append_number(static_cast<std::uint64_t>(number), out);
}

namespace {

void append_set(std::string_view name, std::string& out) {
  append_byte(kSetVariable, out);
  append_byte(kSetVariableArguments, out);
  append_byte(kScopeTransaction, out);
  append_text(name, out);
}

}  // namespace

void append_set_text(std::string_view name, std::string_view value, std::string& out) {
  append_set(name, out);
  append_text_value(value, out);
}

void append_set_number(std::string_view name, std::int64_t value, std::string& out) {
  append_set(name, out);
  append_int64_value(value, out);
}

std::string frame(FrameType type, std::uint64_t stream_id, std::uint64_t frame_id, std::string_view payload) {
  std::string data;
  append_byte(type, data);
  append_be32(kFin, data);
  append_number(stream_id, data);
  append_number(frame_id, data);
  std::string out;
  append_be32(static_cast<std::uint32_t>(data.size() + payload.size()), out);
  return out.append(data).append(payload);
}

}  // namespace wafd::ingest::spop
