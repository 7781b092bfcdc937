// Content codings (RFC 9110 section 8.4.1) undone within limits: gzip, deflate (zlib or raw), brotli (RFC
// 7932), bzip2, and snappy, which is none of them but what shippers of metrics call one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

enum class ContentCoding : std::uint8_t { kGzip, kDeflate, kBrotli, kBzip2, kSnappy };

// As decode paths have it: "gzip".
std::string_view to_string(ContentCoding coding) noexcept;

// "gzip", "x-gzip", "deflate", "br", "bzip2", "x-bzip2", "snappy", without case; nothing for others.
std::optional<ContentCoding> parse_content_coding(std::string_view token) noexcept;
// By magic: gzip, zlib and bzip2 heads. Brotli and snappy have none.
std::optional<ContentCoding> sniff_content_coding(std::string_view bytes) noexcept;
// The coding to undo next, taken off the list: the last, since codings were applied in its order; where
// that is none, by magic of `body`.
std::optional<ContentCoding> take_content_coding(std::string_view& codings, std::string_view body) noexcept;

// Against bombs: so much may come out of anything, and of more input more of it.
struct InflateLimits {
  std::size_t any_ratio_bytes = 1u << 20;
  std::size_t max_ratio = 16;  // output to input beyond that
  std::size_t max_output_bytes = 16u << 20;
};

enum class InflateEnd : std::uint8_t {
  kComplete,   // the stream ended; bytes behind it are ignored
  kTruncated,  // the input ended first; what came out is there
  kLimit,      // a limit stopped it; what came out is there
  kBroken,     // not this coding, or damaged, or a wrong sum; what came out before is there
};

// Replaces `out`. Never throws; memory beside `out` is bounded (zlib 64 KiB, bzip2 4 MiB, brotli up to its
// window of 16 MiB).
InflateEnd inflate(std::string_view in, ContentCoding coding, const InflateLimits& limits, std::string& out);

// A transformation for values (after base64): gzip, zlib or bzip2 data by magic, the first 32 KiB that come
// out.
bool maybe_compressed(std::string_view in) noexcept;
bool compressed_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
