// The further conditions of all signatures as one database: asked only about requests in which a first
// condition holds.
#pragma once

#include <span>
#include <string_view>

#include "detect/core/error.h"
#include "detect/gate.h"

namespace wafd::detect {

// Immutable after build(). Matches as the gate does: without case, dot matches all, ^ and $ at line ends too.
class ConditionSet {
 public:
  // The error's offset is the index of the expression.
  static Result<ConditionSet> build(std::span<const std::string_view> expressions);

  // Grows `scratch` to this set.
  bool allocate(HsScratch& scratch) const;
  std::size_t octets() const noexcept;  // size of the database

  // Sets out[i] to 1 for each expression i that matches `text`, and leaves the others as they are. `out` has
  // a place for every expression. A scan that fails sets all: whatever stops it must not hide anything.
  void match(std::string_view text, const HsScratch& scratch, std::span<unsigned char> out) const;

 private:
  HsDatabase database_;
};

}  // namespace wafd::detect
