#include "detect/decode/text_check.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/decode/decode_flags.h"

namespace wafd::detect {
namespace {

bool is_text_control(char c) noexcept { return c == '\t' || c == '\n' || c == '\r'; }

// Where the first octet is that ends a text.
std::size_t text_end(std::string_view octets) noexcept {
  std::size_t i = 0;
  while (i < octets.size()) {
    const unsigned char c = octet(octets[i]);
    if (c < 0x80) {
      if ((c < 0x20 && !is_text_control(octets[i])) || c == 0x7F) break;
      ++i;
      continue;
    }
    std::uint32_t cp = 0;
    const std::size_t length = utf8_sequence(octets, i, cp);
    if (length == 0 || cp < 0xA0) break;
    i += length;
  }
  return i;
}

}  // namespace

bool is_text(std::string_view octets) noexcept {
  if (!octets.empty() && octets.back() == '\0') octets.remove_suffix(1);
  return !octets.empty() && text_end(octets) == octets.size();
}

bool is_text_begin(std::string_view octets) noexcept {
  const std::size_t end = text_end(octets);
  if (end == octets.size()) return true;
  // Cut inside of a character, or before the NUL at the end.
  return end + 1 == octets.size() ? octets[end] == '\0' || octet(octets[end]) >= 0xC2
                                  : end + 4 > octets.size() && octet(octets[end]) >= 0xE0;
}

bool is_ascii_text(std::string_view octets) noexcept {
  return !octets.empty() && std::all_of(octets.begin(), octets.end(),
                                        [](char c) { return (c >= 0x20 && c < 0x7F) || is_text_control(c); });
}

bool looks_binary(std::string_view octets) noexcept {
  constexpr std::size_t kSampleBytes = 4096;
  const std::string_view sample = octets.substr(0, kSampleBytes);
  const auto controls = std::count_if(sample.begin(), sample.end(), [](char c) {
    return octet(c) < 0x20 && !is_text_control(c) && c != '\f';
  });
  return static_cast<std::size_t>(controls) * 20 > sample.size();
}

bool has_known_magic(std::string_view octets) noexcept {
  using namespace std::string_view_literals;
  static constexpr std::array kMagics = {
      "\x1f\x8b\x08"sv,  // gzip
      "\x78\x01"sv,
      "\x78\x9c"sv,
      "\x78\xda"sv,                              // zlib
      "\xac\xed\x00\x05"sv,                      // Java object stream
      "\x00\x01\x00\x00\x00\xff\xff\xff\xff"sv,  // .NET BinaryFormatter
      "\xff\x01"sv,                              // ASP.NET view state
      "\x80\x02"sv,
      "\x80\x03"sv,
      "\x80\x04\x95"sv,
      "\x80\x05\x95"sv,  // Python pickle
      "\x04\x08"sv,      // Ruby Marshal
      "PK\x03\x04"sv,
      "%PDF-"sv,
      "\x89PNG"sv,
      "GIF8"sv,
      "\xff\xd8\xff"sv,
      "\x7f"
      "ELF"sv,
      "MZ\x90"sv,
      "\xca\xfe\xba\xbe"sv,  // Java class
      "\xff\xfe"sv,
      "\xfe\xff"sv,  // UTF-16 text
  };
  static constexpr auto kBegins = [] {
    std::array<bool, 256> begins{};
    for (const std::string_view magic : kMagics) begins[octet(magic[0])] = true;
    return begins;
  }();
  return !octets.empty() && kBegins[octet(octets[0])] &&
         std::any_of(kMagics.begin(), kMagics.end(),
                     [&](std::string_view m) { return octets.starts_with(m); });
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
