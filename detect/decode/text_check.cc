#include "detect/decode/text_check.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/decode/decode_flags.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kSampleBytes = 4096;
constexpr std::size_t kMostControls = 20;   // one in so many bytes is a control
constexpr std::size_t kMostOfObjects = 10;  // the same of objects that PHP wrote

bool is_text_control(char c) noexcept { return c == '\t' || c == '\n' || c == '\r'; }

// Where the first byte from `at` on is that ends a text.
std::size_t text_end(std::string_view octets, std::size_t at) noexcept {
  while (at < octets.size()) {
    const unsigned char c = octet(octets[at]);
    if (c < 0x80) {
      if ((c < 0x20 && !is_text_control(octets[at])) || c == 0x7F) break;
      ++at;
      continue;
    }
    std::uint32_t cp = 0;
    const std::size_t length = utf8_sequence(octets, at, cp);
    if (length == 0 || cp < 0xA0) break;
    at += length;
  }
  return at;
}

}  // namespace

bool is_text(std::string_view octets) noexcept {
  if (!octets.empty() && octets.back() == '\0') octets.remove_suffix(1);
  return !octets.empty() && text_end(octets, 0) == octets.size();
}

bool is_nearly_text(std::string_view octets) noexcept {
  if (is_text(octets)) return true;
  std::size_t controls = 0;
  for (std::size_t at = text_end(octets, 0); at < octets.size(); at = text_end(octets, at + 1)) {
    if (octet(octets[at]) >= 0x80 || ++controls * kMostOfObjects > octets.size()) return false;
  }
  return !octets.empty();
}

bool is_text_begin(std::string_view octets) noexcept {
  std::size_t end = text_end(octets, 0);
  while (end < octets.size() && octet(octets[end]) < 0x80) end = text_end(octets, end + 1);
  // Whole, or cut inside of a character.
  return end == octets.size() || (end + 1 == octets.size() && octet(octets[end]) >= 0xC2) ||
         (end + 4 > octets.size() && octet(octets[end]) >= 0xE0);
}

bool is_ascii_text(std::string_view octets) noexcept {
  return !octets.empty() && std::all_of(octets.begin(), octets.end(),
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
bool begins_as(std::string_view octets, const std::array<std::string_view, N>& magics) noexcept {
  return std::any_of(magics.begin(), magics.end(), [&](std::string_view m) { return octets.starts_with(m); });
}

}  // namespace

bool looks_binary(std::string_view octets) noexcept {
  const std::string_view sample = octets.substr(0, kSampleBytes);
  const auto controls = static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), [](char c) {
    return octet(c) < 0x20 && !is_text_control(c) && c != '\f';
  }));
  if (controls * kMostControls > sample.size()) return true;
  // PDF marks itself as binary by bytes from 0x80 on in its second line (ISO 32000-1, 7.5.2).
  return begins_as(octets, kFileMagics) && (controls != 0 || (flags_of_utf8(sample) & kInvalidUtf8) != 0);
}

bool is_tar(std::string_view octets) noexcept {
  constexpr std::size_t kHeaderBytes = 512;
  if (octets.size() < kHeaderBytes) return false;
  const std::string_view magic = octets.substr(257, 8);
  return magic == "ustar\00000"sv || magic == "ustar  \0"sv;
}

bool has_known_magic(std::string_view octets) noexcept {
  static constexpr auto kBegins = [] {
    std::array<bool, 256> begins{};
    for (const std::string_view magic : kFileMagics) begins[octet(magic[0])] = true;
    for (const std::string_view magic : kMagics) begins[octet(magic[0])] = true;
    return begins;
  }();
  return !octets.empty() && kBegins[octet(octets[0])] &&
         (begins_as(octets, kFileMagics) || begins_as(octets, kMagics));
}

std::uint32_t flags_of_utf8(std::string_view octets) noexcept {
  for (std::size_t i = 0; i < octets.size();) {
    if (octet(octets[i]) < 0x80) {
      ++i;
      continue;
    }
    std::uint32_t cp = 0;
    const std::size_t length = utf8_sequence(octets, i, cp);
    if (length == 0) return kInvalidUtf8;
    i += length;
  }
  return 0;
}

}  // namespace wafd::detect
