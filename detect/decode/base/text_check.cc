#include "detect/decode/base/text_check.h"

#include <algorithm>
#include <array>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kSampleBytes = 4096;
constexpr std::size_t kMostControls = 20;   // one in so many bytes is a control
constexpr std::size_t kMostOfObjects = 10;  // the same of objects that PHP wrote

bool is_text_control(char c) noexcept { return c == '\t' || c == '\n' || c == '\r'; }
// Controls that texts do not have: all but white space.
constexpr ByteFinder kBinaryControls(
    std::string_view("\0\1\2\3\4\5\6\7\x8\xb\xe\xf\x10\x11\x12\x13\x14"
                     "\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f",
                     28));

// Where the first byte from `at` on is that ends a text.
std::size_t text_end(std::string_view bytes, std::size_t at) noexcept {
  while (at < bytes.size()) {
    const unsigned char c = byte(bytes[at]);
    if (c < 0x80) {
      if ((c < 0x20 && !is_text_control(bytes[at])) || c == 0x7F) break;
      ++at;
      continue;
    }
    std::uint32_t cp = 0;
    const std::size_t length = utf8_sequence(bytes, at, cp);
    if (length == 0 || cp < 0xA0) break;
    at += length;
  }
  return at;
}

}  // namespace

bool is_text(std::string_view bytes) noexcept {
  if (!bytes.empty() && bytes.back() == '\0') bytes.remove_suffix(1);
  return !bytes.empty() && text_end(bytes, 0) == bytes.size();
}

bool is_nearly_text(std::string_view bytes) noexcept {
  if (is_text(bytes)) return true;
  std::size_t controls = 0;
  for (std::size_t at = text_end(bytes, 0); at < bytes.size(); at = text_end(bytes, at + 1)) {
    if (byte(bytes[at]) >= 0x80 || ++controls * kMostOfObjects > bytes.size()) return false;
  }
  return !bytes.empty();
}

bool is_text_begin(std::string_view bytes) noexcept {
  std::size_t end = text_end(bytes, 0);
  while (end < bytes.size() && byte(bytes[end]) < 0x80) end = text_end(bytes, end + 1);
  // Whole, or cut inside of a character.
  return end == bytes.size() || (end + 1 == bytes.size() && byte(bytes[end]) >= 0xC2) ||
         (end + 4 > bytes.size() && byte(bytes[end]) >= 0xE0);
}

bool is_ascii_text(std::string_view bytes) noexcept {
  return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(),
                                       [](char c) { return (c >= 0x20 && c < 0x7F) || is_text_control(c); });
}

namespace {

using namespace std::string_view_literals;

// Of files that hold bytes of any kind.
constexpr std::array kFileMagics = {
    "\x1f\x8b\x08"sv,  // gzip
    "PK\x03\x04"sv,
    "%PDF-"sv,
    "\x89PNG"sv,
    "GIF8"sv,
    "\xff\xd8\xff"sv,
    "\x7f"
    "ELF"sv,
    "MZ\x90"sv,
    "\xca\xfe\xba\xbe"sv,  // Java class
};
// Of what programs read that may hold text.
constexpr std::array kMagics = {
    "\x78\x01"sv,
    "\x78\x9c"sv,
    "\x78\xda"sv,                              // zlib
    "BZh"sv,                                   // bzip2
    "\xac\xed\x00\x05"sv,                      // Java object stream
    "\x00\x01\x00\x00\x00\xff\xff\xff\xff"sv,  // .NET BinaryFormatter
    "\xff\x01"sv,                              // ASP.NET view state
    "\x80\x02"sv,
    "\x80\x03"sv,
    "\x80\x04\x95"sv,
    "\x80\x05\x95"sv,  // Python pickle
    "\x04\x08"sv,      // Ruby Marshal
    "\xff\xfe"sv,
    "\xfe\xff"sv,  // UTF-16 text
};

template <std::size_t N>
bool begins_as(std::string_view bytes, const std::array<std::string_view, N>& magics) noexcept {
  return std::any_of(magics.begin(), magics.end(), [&](std::string_view m) { return bytes.starts_with(m); });
}

}  // namespace

bool looks_binary(std::string_view bytes) noexcept {
  const std::string_view sample = bytes.substr(0, kSampleBytes);
  std::size_t controls = 0;
  kBinaryControls.each(sample, [&controls](std::size_t) { ++controls; });
  if (controls * kMostControls > sample.size()) return true;
  // PDF marks itself as binary by bytes from 0x80 on in its second line (ISO 32000-1, 7.5.2).
  return begins_as(bytes, kFileMagics) && (controls != 0 || (flags_of_utf8(sample) & kInvalidUtf8) != 0);
}

bool is_tar(std::string_view bytes) noexcept {
  constexpr std::size_t kHeaderBytes = 512;
  if (bytes.size() < kHeaderBytes) return false;
  constexpr std::size_t kChecksum = 148;
  constexpr std::size_t kChecksumBytes = 8;
  const std::string_view magic = bytes.substr(257, 8);
  if (magic != "ustar\00000"sv && magic != "ustar  \0"sv) return false;
  unsigned sum = 0;
  for (std::size_t i = 0; i < kHeaderBytes; ++i)
    sum += i >= kChecksum && i < kChecksum + kChecksumBytes ? ' ' : byte(bytes[i]);
  unsigned said = 0;
  for (std::size_t i = kChecksum; i < kChecksum + kChecksumBytes; ++i) {
    if (bytes[i] >= '0' && bytes[i] <= '7') said = said * 8 + static_cast<unsigned>(bytes[i] - '0');
  }
  const std::string_view last = bytes.substr(bytes.size() - kHeaderBytes);
  return sum == said && bytes.size() % kHeaderBytes == 0 && bytes.size() > kHeaderBytes &&
         last.find_first_not_of('\0') == std::string_view::npos;
}

bool has_known_magic(std::string_view bytes) noexcept {
  static constexpr auto kBegins = [] {
    std::array<bool, 256> begins{};
    for (const std::string_view magic : kFileMagics) begins[byte(magic[0])] = true;
    for (const std::string_view magic : kMagics) begins[byte(magic[0])] = true;
    return begins;
  }();
  return !bytes.empty() && kBegins[byte(bytes[0])] &&
         (begins_as(bytes, kFileMagics) || begins_as(bytes, kMagics));
}

std::uint32_t flags_of_utf8(std::string_view bytes) noexcept {
  for (std::size_t i = 0; i < bytes.size();) {
    if (byte(bytes[i]) < 0x80) {
      ++i;
      continue;
    }
    std::uint32_t cp = 0;
    const std::size_t length = utf8_sequence(bytes, i, cp);
    if (length == 0) return kInvalidUtf8;
    i += length;
  }
  return 0;
}

}  // namespace wafd::detect
