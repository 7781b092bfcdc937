// What fills a text is made short: blanks, bytes that repeat, comments of SQL and C. A long text is judged in
// pieces, and filling between the words of an attack puts them into different ones; and a text that is long
// for nothing but its filling is no document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wafd::detect {

// Longer texts are judged in pieces.
inline constexpr std::size_t kLongTextBytes = 16u << 10;
// Of a shorter run nothing is taken.
inline constexpr std::size_t kFillingBytes = 256;

// White space becomes a line end or a blank; white space with comments (/* */, not those that MySQL runs) an
// empty comment; one to four bytes over and over their first 16 bytes. In texts of up to kLongTextBytes only
// comments of one line count, as code has others; in longer ones those behind -- and # up to the line's end,
// too. Linear time.
bool maybe_filled(std::string_view in) noexcept;
bool squeeze_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
