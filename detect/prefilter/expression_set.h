// Many expressions matched in one scan, by Vectorscan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "detect/core/error.h"
#include "detect/prefilter/compiled_sets.h"

struct hs_database;
struct hs_scratch;

namespace wafd::detect {

struct HsDatabaseFree {
  void operator()(hs_database* database) const noexcept;
};
struct HsScratchFree {
  void operator()(hs_scratch* scratch) const noexcept;
};
using HsScratch = std::unique_ptr<hs_scratch, HsScratchFree>;

// Whether an expression holds \A, \z, \Z or \G. They mean the whole buffer, and so nothing here.
bool has_buffer_anchor(std::string_view expression) noexcept;

// Immutable after build(); any number of threads, each with a scratch of its own. Without case, dot matches
// all, `^` and `$` match around line ends too.
class ExpressionSet {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // The error's offset is the index of the expression that Vectorscan refuses, with what it says, or that
  // would take too long to compile (kMaxExpressionStates). kUnknown: `source` knows no such set and may
  // compile none.
  static Result<ExpressionSet> build(std::span<const std::string_view> expressions,
                                     const SetSource& source = {});

  // The error that build() would give for one expression, without compiling it; quick for any expression.
  static Result<void> look_at(std::string_view expression);

  // Grows `scratch` to this set; false: no memory.
  bool allocate(HsScratch& scratch) const;

  // Calls `found(context, expression, end)` for matches of `text`: of each expression at least the first end.
  // False: the scan failed, and any expression may match.
  using Found = void (*)(void* context, std::uint32_t expression, std::size_t end);
  bool scan(std::string_view text, hs_scratch* scratch, Found found, void* context) const noexcept;

  // Where a match of `expression` that ends at `end` begins: the latest place from which it still matches. A
  // few scans of at most kMaxSpanBytes, for what is shown.
  static constexpr std::size_t kMaxSpanBytes = 4096;
  std::size_t begin_of(std::uint32_t expression, std::size_t end, std::string_view text,
                       hs_scratch* scratch) const noexcept;

  std::size_t table_bytes() const noexcept;
  bool empty() const noexcept { return database_ == nullptr; }

 private:
  std::unique_ptr<hs_database, HsDatabaseFree> database_;
};

}  // namespace wafd::detect
