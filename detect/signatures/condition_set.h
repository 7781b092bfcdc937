// The further conditions of all signatures: asked only about requests in which a first condition holds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "detect/core/error.h"
#include "detect/prefilter/gate.h"

namespace wafd::detect {

// Immutable after build(). Matches as the gate does: without case, dot matches all, ^ and $ at line ends too.
class ConditionSet {
 public:
  // The error's offset is the index of the expression.
  static Result<ConditionSet> build(std::span<const std::string_view> expressions);

  // Grows `scratch` to this set.
  bool allocate(HsScratch& scratch) const { return gate_.allocate(scratch); }
  std::size_t octets() const noexcept { return gate_.octets(); }  // size of the databases

  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  // A bit that the expression shares with few others: who is asked.
  static std::uint64_t bit(std::size_t expression) noexcept { return std::uint64_t{1} << (expression % 64); }

  // Sets out[i] to 1 for each expression i of the bits `which` that matches `text`, and leaves the others as
  // they are. `out` has a place for every expression. A scan that fails counts as a match: whatever stops it
  // must not hide anything. scratch.scanned_octets as after Gate::scan().
  void match(std::string_view text, std::uint64_t which, GateScratch& scratch,
             std::span<unsigned char> out) const;

 private:
  Gate gate_;
};

}  // namespace wafd::detect
