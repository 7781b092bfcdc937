// Snappy's block format (format_description.txt of Google's library), in which metrics and logs are shipped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "detect/decode/content/inflate.h"

namespace wafd::detect {

// Appends what comes out to `out`, which has at most `cap` bytes then. It has no magic: text may read as such
// a stream too, so whoever asks must know that it is one. Linear in what comes out.
InflateEnd run_snappy(std::string_view in, std::size_t cap, std::string& out);

}  // namespace wafd::detect
