// Strings of messages in binary formats as fields: Protocol Buffers (protobuf.dev, "Encoding"), alone and in
// the frames of gRPC and gRPC-Web, MessagePack (github.com/msgpack, spec.md) and CBOR (RFC 8949).
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/extract/fields.h"

namespace wafd::detect {

enum class WireFormat : std::uint8_t { kNone, kProtobuf, kGrpc, kGrpcText, kMessagePack, kCbor };

WireFormat wire_format_of(std::string_view content_type) noexcept;

// Deeper messages are bytes, which marks the limit.
inline constexpr std::size_t kMaxWireDepth = 16;

// Adds keys and strings, made after `like`, up to the first error. True if all of `bytes` was read.
bool read_wire(std::string_view bytes, WireFormat format, const Field& like, FieldList& out);

// The format of which all of `bytes` is a message; its fields were added. kNone: of none.
WireFormat read_any_wire(std::string_view bytes, const Field& like, FieldList& out);

// As decode paths have it: "protobuf".
std::string_view to_string(WireFormat format) noexcept;

}  // namespace wafd::detect
