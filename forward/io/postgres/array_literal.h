// Array literals of PostgreSQL as parameters of statements (documentation of PostgreSQL, 8.15.2).
#pragma once

#include <string>
#include <string_view>

namespace wafd::forward {

// Of `text(row)` for each of `rows`, quoted: {"a","b"}. No text of PostgreSQL holds a NUL: it is left out.
template <class Rows, class Text>
std::string array_literal(const Rows& rows, const Text& text) {
  std::string list = "{";
  for (const auto& row : rows) {
    const auto& one = text(row);
    list += list.size() > 1 ? ",\"" : "\"";
    for (const char c : std::string_view(one)) {
      if (c == '"' || c == '\\') list += '\\';
      if (c != '\0') list += c;
    }
    list += '"';
  }
  return list + "}";
}

}  // namespace wafd::forward
