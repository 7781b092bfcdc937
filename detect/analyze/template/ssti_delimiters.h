// Delimiters that expressions and statements of templates stand between. Internal to ssti.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/core/octets.h"

namespace wafd::detect {

enum class Delimited : std::uint8_t {
  kExpression,  // {{ }}, ${ }, #{ }, *{ }, ~{ }, @{ }
  kStatement,   // {% %}
  kCode,        // <% %>
  kNarrow,      // [[ ]], [= ], @( ): too common for more than computing and running
  kSingle,      // { }: Smarty, Latte; scripts and style sheets are full of it
};

struct Opener {
  std::string_view close;
  Delimited kind = Delimited::kExpression;
  std::size_t size = 0;  // of the opening delimiter, 0: there is none
};

// The delimiter that opens at text[at].
Opener opener_at(std::string_view text, std::size_t at) noexcept;

// Octets that a delimiter may open with.
inline constexpr std::array<bool, 256> kOpens = [] {
  std::array<bool, 256> opens{};
  for (const char c : std::string_view("{$#*~@<[")) opens[octet(c)] = true;
  return opens;
}();

// Where a closing delimiter comes next: looked for once for each stretch of text, or many openings would make
// it quadratic.
class Closers {
 public:
  explicit Closers(std::string_view text) noexcept : text_(text) {}

  // npos: nowhere. At most eight different delimiters are looked for.
  std::size_t find(std::string_view close, std::size_t from) noexcept;

 private:
  struct Next {
    std::string_view close;
    std::size_t at = 0;
    bool sought = false;
  };
  std::string_view text_;
  std::array<Next, 8> next_{};
};

}  // namespace wafd::detect
