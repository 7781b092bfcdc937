// CRC-32C (Castagnoli, RFC 3720 appendix B.4), the check on ring records.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd {

// Continue with `seed` = the result for the bytes before.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0) noexcept;

}  // namespace wafd
