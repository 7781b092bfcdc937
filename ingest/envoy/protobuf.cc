#include "ingest/envoy/protobuf.h"

#include <algorithm>

#include "detect/core/bytes.h"

namespace wafd::ingest::envoy {

std::optional<std::uint64_t> FieldReader::varint() noexcept {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const std::uint64_t part = byte(rest_.front());
    rest_.remove_prefix(1);
    value |= (part & 0x7f) << shift;
    if (part < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<Field> FieldReader::end() noexcept {
  broken_ = !cut_;
  rest_ = {};
  return std::nullopt;
}

std::optional<Field> FieldReader::next() noexcept {
  if (rest_.empty()) return std::nullopt;
  const auto tag = varint();
  if (!tag) return end();
  Field field;
  field.number = *tag >> 3;
  field.type = static_cast<WireType>(*tag & 7);
  std::size_t fixed = 0;
  switch (field.type) {
    case WireType::kVarint: {
      const auto value = varint();
      if (!value) return end();
      field.value = *value;
      return field;
    }
    case WireType::kBytes: {
      const auto size = varint();
      if (!size || (*size > rest_.size() && !cut_)) return end();
      field.cut = *size > rest_.size();
      field.bytes = rest_.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(*size, rest_.size())));
      rest_.remove_prefix(field.bytes.size());
      return field;
    }
    case WireType::kFixed64:
      fixed = 8;
      break;
    case WireType::kFixed32:
      fixed = 4;
      break;
    default:
      cut_ = false;  // no end of the message explains that
      return end();
  }
  if (rest_.size() < fixed) return end();
  rest_.remove_prefix(fixed);
  return field;
}

void append_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void append_number_field(std::uint64_t number, std::uint64_t value, std::string& out) {
  append_varint(number << 3, out);
  append_varint(value, out);
}

void append_bytes_field(std::uint64_t number, std::string_view bytes, std::string& out) {
  append_varint(number << 3 | static_cast<unsigned>(WireType::kBytes), out);
  append_varint(bytes.size(), out);
  out += bytes;
}

}  // namespace wafd::ingest::envoy
