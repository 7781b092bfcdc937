// Tags that open PHP code (PHP manual, "PHP tags"; those of PHP 5 and of template engines too).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::php {

enum class Tag : std::uint8_t { kNone, kFull, kShort, kEngine };

// The tag that begins at text[at], which is one of kTagBytes; looks at a few dozen bytes.
Tag tag_at(std::string_view text, std::size_t at) noexcept;

inline constexpr std::string_view kTagBytes = "<{[";

}  // namespace wafd::detect::php
