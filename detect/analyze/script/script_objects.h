// Names and references that walk to the object behind every object of a script.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace wafd::detect {

struct ObjectWalk {
  std::size_t begin = 0;  // octets of the text
  std::size_t end = 0;
  bool sure = false;  // written so that it sets or reads, not only named
};

// __proto__[x], a.__proto__.b; `in_name`: of a parameter or member.
std::optional<ObjectWalk> prototype_name(std::string_view text, bool in_name) noexcept;

// constructor.prototype, constructor[prototype]: nothing but signs between.
std::optional<ObjectWalk> constructor_prototype(std::string_view text, bool in_name) noexcept;

// "$1:constructor:constructor": a reference between the parts of a serialised message.
std::optional<ObjectWalk> message_reference(std::string_view text) noexcept;

}  // namespace wafd::detect
