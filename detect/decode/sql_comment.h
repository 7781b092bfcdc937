// SQL comments taken out of words: /**/ disappears, /*!50000 text */ becomes its text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/decode_flags.h"

namespace wafd::detect {

bool maybe_sql_comment(std::string_view in) noexcept;
// For filters and applications that strip comments before use; the SQL analyser reads comments as the
// languages do by itself. Comments in one line (-- and #) stay. An unfinished comment stays.
bool sql_comment_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
