// What one walk over the octets tells of a text before anything in it is read as SQL.
#pragma once

#include <string_view>

namespace wafd::detect::sqli {

struct Look {
  bool quote = false;    // '
  bool doubled = false;  // "
  bool backtick = false;
  bool noisy = false;   // controls that no text has
  bool strong = false;  // a word that means something where it stands; else only a query's continuation does
};

Look look_at(std::string_view text) noexcept;

// Whether a word of SQL, its logic, a cast or the end of a statement stands somewhere. Names, numbers and
// arithmetic alone (base64, percent signs) read on as an expression without end.
bool holds_sql(std::string_view text) noexcept;

}  // namespace wafd::detect::sqli
