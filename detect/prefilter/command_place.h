// Where a word of a text can be the name of a command, by what stands around it; for hints that are words.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect {

// At the beginning of a text or a line, behind a sign or an assignment, with spaces or without. Behind a
// word, a full stop, a colon, ) ] % - or an octet of another script none begins.
bool command_may_begin(std::string_view text, std::size_t at) noexcept;

// Whether a name that was read up to `at` can be over there, but for a version (gcc-12, python3.11), .exe,
// .com and switches (dir/s). Where it goes on, or is given a value, it is another: id.png, type:a, cmd=b,
// file/a.
bool name_may_end(std::string_view text, std::size_t at) noexcept;

}  // namespace wafd::detect
