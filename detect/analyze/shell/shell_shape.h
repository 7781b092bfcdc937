// What matchers that are not built on evidence yet ask of texts and paths.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect {

// Three words in a row, in any language that separates words.
bool has_prose(std::string_view text) noexcept;
// How many words there are of which prose is made.
std::size_t prose_words(std::string_view text) noexcept;

// A file that only who attacks asks for by its path: accounts, keys, histories, what a process was started
// with.
bool is_secret_file(std::string_view word) noexcept;

}  // namespace wafd::detect
