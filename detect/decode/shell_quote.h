// Quote removal and expansion as shells do them before running a word: quotes, backslashes, carets, empty
// expansions, ${IFS}, brace lists.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

bool maybe_shell_quote(std::string_view in) noexcept;
// c"a"t, c\at, c^at, c$@at, c${x}at, ca$()t, {cat,/etc/passwd}, $IFS, ${IFS%%?}: becomes what runs. Quotes
// are removed only where they touch a word; text outside of such tricks is copied.
bool shell_quote_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
