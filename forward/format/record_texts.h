// All members of one record as text, decoded at once: what other contents than JSON are written from.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "detect/core/record_members.h"

namespace wafd::forward {

// The number of a member that exists, at compile time.
consteval std::size_t member_of(std::string_view name) {
  const std::size_t number = member_number(name);
  if (number == 0) throw "no such member";
  return number;
}

// The members of one record as text. Views are sound until the next load() and as long as the JSON lives.
class RecordTexts {
 public:
  // False: no record; all members are empty then.
  bool load(std::string_view record_json);
  // Strings decoded, lists without brackets, numbers and null as they stand.
  std::string_view operator[](std::size_t number) const noexcept { return texts_[number - 1]; }
  // Likewise, but strings as they are escaped in the JSON.
  std::string_view json(std::size_t number) const noexcept { return json_[number - 1]; }

 private:
  std::array<std::string_view, kRecordMembers> texts_{}, json_{};
  std::string decoded_;
};

}  // namespace wafd::forward
