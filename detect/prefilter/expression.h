// An expression as a tree: what the factors and the matchers of hints are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "detect/prefilter/octet_set.h"

namespace wafd::detect {

// What the octet on one side of a place between two octets may be. The edge of a text is like a line end.
enum class OctetKind : std::uint8_t { kLineEnd, kWord, kOther };
inline constexpr unsigned kOctetKinds = 3;

// For which octets to the left and to the right something holds at a place between them: bit left * 3 +
// right.
using PlaceMask = std::uint16_t;
inline constexpr PlaceMask kEverywhere = 0x1ff;

OctetKind kind_of(unsigned char c) noexcept;
constexpr bool holds(PlaceMask mask, OctetKind left, OctetKind right) noexcept {
  return (mask >> (static_cast<unsigned>(left) * kOctetKinds + static_cast<unsigned>(right)) & 1) != 0;
}

struct ExpressionNode {
  enum class Kind : std::uint8_t {
    kEmpty,
    kLeaf,          // one octet of `set`
    kAssertion,     // no octet; true where `mask` says
    kSequence,      // of two or more
    kAlternatives,  // of two or more
    kOptional,      // of one: once or not at all
    kPlus,          // of one: once or more
  };
  Kind kind = Kind::kEmpty;
  OctetSet set;            // of an assertion: what it looks at, if that is one octet
  bool ahead = false;      // assertion: `set` lies before the place (^)
  bool behind = false;     // assertion: `set` lies behind the place ($)
  bool counted = false;    // of kOptional: from a count ({2,5}), not from `?` alone
  PlaceMask mask = 0;      // of an assertion
  std::uint16_t leaf = 0;  // number of a leaf, from left to right, from 0
  std::vector<ExpressionNode> children;
};

struct Expression {
  ExpressionNode root;
  std::vector<OctetSet> leaves;  // by number
  // Matches more than what was written: a repetition beyond kMaxRepeat was taken as one without end.
  bool widened = false;
};

// Limits of what is understood.
inline constexpr std::size_t kMaxLeaves = 4096;
inline constexpr unsigned kMaxRepeat = 64;
inline constexpr int kMaxExpressionDepth = 60;  // of groups

// Reads PCRE syntax as Vectorscan takes it; here always without case, dot matches all, `^` and `$` at line
// ends too. Nothing for what is not understood. Time and size are bounded by the expression's length.
std::optional<Expression> parse_expression(std::string_view text);

}  // namespace wafd::detect
