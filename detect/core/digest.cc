#include "detect/core/digest.h"

#include <array>
#include <cstring>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#endif

namespace wafd {
namespace {

#if !defined(__SSE4_2__)
constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0x82f63b78u & (0u - (crc & 1u)));
    table[i] = crc;
  }
  return table;
}();
#endif

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed) noexcept {
  std::uint32_t crc = ~seed;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
#if defined(__SSE4_2__)
  std::uint64_t wide = crc;
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = static_cast<std::uint32_t>(wide);
  for (; left > 0; ++at, --left) crc = _mm_crc32_u8(crc, static_cast<unsigned char>(*at));
#else
  for (; left > 0; ++at, --left) {
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(*at)) & 0xffu];
  }
#endif
  return ~crc;
}

}  // namespace wafd
