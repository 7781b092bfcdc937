// JSON whose every value knows where it stands: for files that people write and that are answered with line
// and reason.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"

namespace wafd {

enum class PlacedKind { kObject, kArray, kString, kOther };

struct PlacedJson {
  PlacedKind kind = PlacedKind::kOther;
  std::size_t offset = 0;         // of its first byte; of a member: of its key
  std::string key;                // of a member of an object
  std::string text;               // a string unescaped; a number, true, false, null as written
  std::vector<PlacedJson> items;  // members or elements, in order; members given twice are there twice

  // The first member of that name, or null.
  const PlacedJson* member(std::string_view name) const noexcept;
};

// RFC 8259; comments and trailing commas are taken. 32 levels deep at most. An error has the offset at which
// reading ended; its code is kTruncated where the text ends too early.
Result<PlacedJson> parse_placed_json(std::string_view text);

// From 1.
std::size_t line_of(std::string_view text, std::size_t offset) noexcept;

}  // namespace wafd
