// The counts as the bytes of a file: format 1, little-endian, with a CRC-32C over all behind the head.
#pragma once

#include <string>
#include <string_view>

#include "detect/core/error.h"
#include "forward/trend/trend_counts.h"

namespace wafd::forward {

inline constexpr std::size_t kMaxTrendFileBytes = 16u << 20;

std::string trend_file(const TrendCounts& counts);
// kTruncated, kInvalid: damaged, with the offset; kUnknown: of a newer format.
Result<TrendCounts> parse_trend_file(std::string_view bytes);

}  // namespace wafd::forward
