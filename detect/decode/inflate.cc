#include "detect/decode/inflate.h"

#include <algorithm>
#include <memory>

#include <brotli/decode.h>
#include <zlib.h>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kStepBytes = 16 * 1024;
constexpr std::size_t kRatioFreeBytes = 64 * 1024;
constexpr std::size_t kValueOutputBytes = 256 * 1024;

// The most that may come out of `in_size` octets.
std::size_t output_cap(std::size_t in_size, const InflateLimits& limits) noexcept {
  const std::size_t by_ratio = in_size > limits.max_output_bytes / std::max<std::size_t>(limits.max_ratio, 1)
                                   ? limits.max_output_bytes
                                   : in_size * limits.max_ratio;
  return std::min(limits.max_output_bytes, std::max(by_ratio, kRatioFreeBytes));
}

// One zlib run with the given window bits.
InflateEnd run_zlib(std::string_view in, int window_bits, std::size_t cap, std::string& out) {
  out.clear();
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK) return InflateEnd::kBroken;
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // zlib's interface lacks const
  stream.avail_in = static_cast<uInt>(in.size());
  while (true) {
    const std::size_t have = out.size();
    if (have >= cap) return InflateEnd::kLimit;
    const std::size_t step = std::min(kStepBytes, cap - have);
    out.resize(have + step);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    stream.avail_out = static_cast<uInt>(step);
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    out.resize(have + step - stream.avail_out);
    if (result == Z_STREAM_END) {
      // gzip members may follow one another (RFC 1952 section 2.2); a reader sees them as one text.
      if (stream.avail_in < 18 || stream.next_in[0] != 0x1f || stream.next_in[1] != 0x8b)
        return InflateEnd::kComplete;
      if (inflateReset(&stream) != Z_OK) return InflateEnd::kComplete;
      continue;
    }
    if (result == Z_BUF_ERROR || (result == Z_OK && stream.avail_in == 0 && stream.avail_out != 0))
      return InflateEnd::kTruncated;
    if (result != Z_OK) return InflateEnd::kBroken;
  }
}

InflateEnd run_brotli(std::string_view in, std::size_t cap, std::string& out) {
  out.clear();
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

}  // namespace

std::optional<ContentCoding> parse_content_coding(std::string_view token) noexcept {
  token = trim(token);
  if (iequals(token, "gzip") || iequals(token, "x-gzip")) return ContentCoding::kGzip;
  if (iequals(token, "deflate")) return ContentCoding::kDeflate;
  if (iequals(token, "br")) return ContentCoding::kBrotli;
  return std::nullopt;
}

std::optional<ContentCoding> sniff_content_coding(std::string_view octets) noexcept {
  if (octets.starts_with("\x1f\x8b\x08")) return ContentCoding::kGzip;
  if (octets.size() < 6 || octets[0] != 0x78) return std::nullopt;
  const unsigned head = static_cast<unsigned>(octet(octets[0])) * 256 + octet(octets[1]);
  // RFC 1950 section 2.2: the head is a multiple of 31; no preset dictionary.
  if (head % 31 == 0 && (head & 0x20) == 0) return ContentCoding::kDeflate;
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
  switch (coding) {
    case ContentCoding::kBrotli:
      return run_brotli(in, cap, out);
    case ContentCoding::kGzip:
      return run_zlib(in, 15 + 16, cap, out);
    case ContentCoding::kDeflate:
      break;
  }
  // "deflate" is zlib by the RFC; servers take the raw stream too, since clients have long sent that.
  const InflateEnd end = run_zlib(in, 15, cap, out);
  if (end != InflateEnd::kBroken || !out.empty()) return end;
  return run_zlib(in, -15, cap, out);
}

bool maybe_compressed(std::string_view in) noexcept { return sniff_content_coding(in).has_value(); }

bool compressed_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  const auto coding = sniff_content_coding(in);
  if (!coding) return false;
  const InflateLimits limits{.max_output_bytes = kValueOutputBytes, .max_ratio = InflateLimits{}.max_ratio};
  inflate(in, *coding, limits, out);
  return !out.empty();
}

}  // namespace wafd::detect
