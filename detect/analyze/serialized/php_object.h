// Objects in PHP's serialize() format (PHP internals, ext/standard/var.c): O:8:"Name":1:{…} and C:….
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::serialized {

enum class PhpObject : std::uint8_t {
  kNone,
  kData,     // stdClass, which has neither methods nor a destructor, with more than a probe has
  kOfClass,  // of a class that the sender chose
};

// The gravest in the text, and where it begins. Quotes may still be escaped. Linear time.
PhpObject find_php_object(std::string_view text, std::size_t& begin) noexcept;

}  // namespace wafd::detect::serialized
