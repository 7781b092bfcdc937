// Array literals of PostgreSQL ("{a,b}") as parameters of statements (documentation of PostgreSQL, 8.15.2).
#pragma once

#include <string>

namespace wafd::forward {

// Of `text(row)` for each of `rows`: ids, dates, numbers. Nothing is quoted, so no text with commas, braces
// or blanks.
template <class Rows, class Text>
std::string array_literal(const Rows& rows, const Text& text) {
  std::string list = "{";
  for (const auto& row : rows) list.append(list.size() > 1 ? "," : "").append(text(row));
  return list + "}";
}

}  // namespace wafd::forward
