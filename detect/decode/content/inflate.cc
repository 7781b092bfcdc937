#include "detect/decode/content/inflate.h"

#include <algorithm>
#include <memory>

#include <brotli/decode.h>
#include <bzlib.h>
#include <zlib.h>

#include "detect/core/bytes.h"
#include "detect/decode/content/snappy.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kStepBytes = 16 * 1024;
constexpr std::size_t kValueOutputBytes = 32 * 1024;

// The most that may come out of `in_size` bytes.
std::size_t output_cap(std::size_t in_size, const InflateLimits& limits) noexcept {
  return std::min(limits.max_output_bytes, std::max(in_size * limits.max_ratio, limits.any_ratio_bytes));
}

// A raw deflate stream (RFC 1951) from `at` on, which then stands behind it. Appends to `out`.
InflateEnd run_deflate(std::string_view in, std::size_t& at, std::size_t cap, std::string& out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return InflateEnd::kBroken;
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, inflateEnd);
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(in.data() + at));  // zlib's interface lacks const
  stream.avail_in = static_cast<uInt>(in.size() - at);
  while (true) {
    const std::size_t have = out.size();
    if (have >= cap) return InflateEnd::kLimit;
    const std::size_t step = std::min(kStepBytes, cap - have);
    out.resize(have + step);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    stream.avail_out = static_cast<uInt>(step);
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    out.resize(have + step - stream.avail_out);
    at = in.size() - stream.avail_in;
    if (result == Z_STREAM_END) return InflateEnd::kComplete;
    if (result == Z_BUF_ERROR || (result == Z_OK && stream.avail_in == 0 && stream.avail_out != 0))
      return InflateEnd::kTruncated;
    if (result != Z_OK) return InflateEnd::kBroken;
  }
}

// Behind the head of a gzip member at `at` (RFC 1952 section 2.3), or npos. What no reader needs is not asked
// for: sums, reserved flags.
std::size_t gzip_head_end(std::string_view in, std::size_t at) noexcept {
  constexpr unsigned kExtra = 4, kName = 8, kComment = 16, kHeadSum = 2;
  if (in.size() < at + 10 || in.substr(at, 3) != "\x1f\x8b\x08") return std::string_view::npos;
  const unsigned flags = byte(in[at + 3]);
  at += 10;
  if ((flags & kExtra) != 0 && at + 2 <= in.size()) at += 2u + byte(in[at]) + 256u * byte(in[at + 1]);
  for (const unsigned text : {kName, kComment}) {
    if ((flags & text) != 0) at = std::min(in.find('\0', std::min(at, in.size())), in.size()) + 1;
  }
  if ((flags & kHeadSum) != 0) at += 2;
  return at <= in.size() ? at : std::string_view::npos;
}

// Members may follow one another; a reader sees them as one text. Their sums and lengths are not compared:
// what came out is what some reader has already handed on.
InflateEnd run_gzip(std::string_view in, std::size_t cap, std::string& out) {
  constexpr std::size_t kTrailerBytes = 8;
  InflateEnd end = in.empty() ? InflateEnd::kTruncated : InflateEnd::kBroken;
  for (std::size_t at = gzip_head_end(in, 0); at != std::string_view::npos; at = gzip_head_end(in, at)) {
    end = run_deflate(in, at, cap, out);
    if (end != InflateEnd::kComplete || in.size() - at < kTrailerBytes) return end;
    at += kTrailerBytes;
  }
  return end;
}

bool has_zlib_head(std::string_view bytes) noexcept {
  if (bytes.size() < 6 || (byte(bytes[0]) & 0x8f) != 8) return false;
  // RFC 1950 section 2.2: the head is a multiple of 31; no preset dictionary.
  const unsigned head = static_cast<unsigned>(byte(bytes[0])) * 256 + byte(bytes[1]);
  return head % 31 == 0 && (head & 0x20) == 0;
}

// "deflate" is zlib by the RFC; servers take the raw stream too, since clients have long sent that.
InflateEnd run_zlib_or_raw(std::string_view in, std::size_t cap, std::string& out) {
  for (std::size_t head : {2u, 0u}) {
    if (head != 0 && !has_zlib_head(in)) continue;
    out.clear();
    const InflateEnd end = run_deflate(in, head, cap, out);
    if (!out.empty() || end != InflateEnd::kBroken) return end;
  }
  return InflateEnd::kBroken;
}

InflateEnd run_brotli(std::string_view in, std::size_t cap, std::string& out) {
  const std::unique_ptr<BrotliDecoderState, void (*)(BrotliDecoderState*)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), BrotliDecoderDestroyInstance);
  if (!state) return InflateEnd::kBroken;
  const auto* next_in = reinterpret_cast<const std::uint8_t*>(in.data());
  std::size_t left = in.size();
  while (true) {
    const std::size_t have = out.size();
    if (have >= cap) return InflateEnd::kLimit;
    std::size_t room = std::min(kStepBytes, cap - have);
    out.resize(have + room);
    auto* next_out = reinterpret_cast<std::uint8_t*>(out.data() + have);
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(state.get(), &left, &next_in, &room, &next_out, nullptr);
    out.resize(out.size() - room);
    if (result == BROTLI_DECODER_RESULT_SUCCESS) return InflateEnd::kComplete;
    if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) return InflateEnd::kTruncated;
    if (result == BROTLI_DECODER_RESULT_ERROR) return InflateEnd::kBroken;
  }
}

InflateEnd run_bzip2(std::string_view in, std::size_t cap, std::string& out) {
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) return InflateEnd::kBroken;
  const std::unique_ptr<bz_stream, int (*)(bz_stream*)> closer(&stream, BZ2_bzDecompressEnd);
  stream.next_in = const_cast<char*>(in.data());  // bzip2's interface lacks const
  stream.avail_in = static_cast<unsigned>(in.size());
  while (true) {
    const std::size_t have = out.size();
    if (have >= cap) return InflateEnd::kLimit;
    const std::size_t step = std::min(kStepBytes, cap - have);
    out.resize(have + step);
    stream.next_out = out.data() + have;
    stream.avail_out = static_cast<unsigned>(step);
    const int result = BZ2_bzDecompress(&stream);
    out.resize(have + step - stream.avail_out);
    if (result == BZ_STREAM_END) return InflateEnd::kComplete;
    if (result != BZ_OK) return InflateEnd::kBroken;
    if (stream.avail_in == 0 && stream.avail_out != 0) return InflateEnd::kTruncated;
  }
}

}  // namespace

std::string_view to_string(ContentCoding coding) noexcept {
  constexpr std::string_view kNames[] = {"gzip", "deflate", "brotli", "bzip2", "snappy"};
  return kNames[static_cast<std::size_t>(coding)];
}

std::optional<ContentCoding> parse_content_coding(std::string_view token) noexcept {
  token = trim(token);
  if (iequals(token, "gzip") || iequals(token, "x-gzip")) return ContentCoding::kGzip;
  if (iequals(token, "deflate")) return ContentCoding::kDeflate;
  if (iequals(token, "br")) return ContentCoding::kBrotli;
  if (iequals(token, "bzip2") || iequals(token, "x-bzip2")) return ContentCoding::kBzip2;
  if (iequals(token, "snappy")) return ContentCoding::kSnappy;
  return std::nullopt;
}

std::optional<ContentCoding> sniff_content_coding(std::string_view bytes) noexcept {
  if (bytes.starts_with("\x1f\x8b\x08")) return ContentCoding::kGzip;
  if (bytes.size() > 10 && bytes.starts_with("BZh") && bytes.substr(4, 2) == "1A")
    return ContentCoding::kBzip2;
  if (bytes.starts_with('x') && has_zlib_head(bytes)) return ContentCoding::kDeflate;
  return std::nullopt;
}

std::optional<ContentCoding> take_content_coding(std::string_view& codings, std::string_view body) noexcept {
  const std::size_t comma = codings.rfind(',');
  const bool last = comma == std::string_view::npos;
  const auto coding = parse_content_coding(trim(codings.substr(last ? 0 : comma + 1)));
  codings = last ? std::string_view() : codings.substr(0, comma);
  return coding ? coding : sniff_content_coding(body);
}

InflateEnd inflate(std::string_view in, ContentCoding coding, const InflateLimits& limits, std::string& out) {
  const std::size_t cap = output_cap(in.size(), limits);
  // zlib counts input in 32 bits; more than that is far beyond every body limit.
  in = in.substr(0, std::size_t{1} << 30);
  out.clear();
  switch (coding) {
    case ContentCoding::kBrotli:
      return run_brotli(in, cap, out);
    case ContentCoding::kBzip2:
      return run_bzip2(in, cap, out);
    case ContentCoding::kSnappy:
      return run_snappy(in, cap, out);
    case ContentCoding::kGzip:
      return run_gzip(in, cap, out);
    case ContentCoding::kDeflate:
      break;
  }
  return run_zlib_or_raw(in, cap, out);
}

bool maybe_compressed(std::string_view in) noexcept { return sniff_content_coding(in).has_value(); }

bool compressed_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  const auto coding = sniff_content_coding(in);
  if (!coding) return false;
  const InflateLimits limits{.any_ratio_bytes = kValueOutputBytes, .max_output_bytes = kValueOutputBytes};
  inflate(in, *coding, limits, out);
  return !out.empty();
}

}  // namespace wafd::detect
