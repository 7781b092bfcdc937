// The gate: one Vectorscan database of hints, and one table of words, say which analysers can possibly find
// something in a text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"
#include "detect/variants.h"
#include "detect/word_gate.h"

struct hs_database;
struct hs_scratch;

namespace wafd::detect {

struct HsDatabaseFree {
  void operator()(hs_database* database) const noexcept;
};
struct HsScratchFree {
  void operator()(hs_scratch* scratch) const noexcept;
};
using HsDatabase = std::unique_ptr<hs_database, HsDatabaseFree>;
using HsScratch = std::unique_ptr<hs_scratch, HsScratchFree>;

struct Pattern {
  std::string_view expression;
  unsigned flags = 0;  // HS_FLAG_...
  std::uint32_t id = 0;
};
// Block mode. The error names the expression (offset: its index in `patterns`) and what Vectorscan says.
Result<HsDatabase> compile(std::span<const Pattern> patterns);

struct Hint {
  std::string_view expression;
  std::uint64_t analyzers = 0;  // bits for Variant::analyzers
};

// Buffers of one worker.
struct GateScratch {
  HsScratch hs;
  std::string batch;                  // short texts, each followed by a line end
  std::vector<std::uint32_t> ends;    // of each text in the batch
  std::vector<std::uint32_t> owners;  // index of its variant
};

// Immutable after build(). Without case, dot matches all; `^` and `$` match at the ends of a text (and around
// line ends: the gate may let through too much, never too little). \A, \z, \Z and \G are refused.
class Gate {
 public:
  static Result<Gate> build(std::span<const Hint> hints, WordGate words = {});

  // Grows `scratch` to this gate.
  bool allocate(HsScratch& scratch) const;
  std::size_t octets() const noexcept;  // size of the databases

  // Sets Variant::analyzers of each. Linear in the texts.
  void scan(std::span<Variant> variants, GateScratch& scratch) const;

  // Whether any hint matches `text` alone.
  bool matches(std::string_view text, GateScratch& scratch) const;

  struct Match {
    std::uint32_t hint = 0;
    std::uint32_t end = 0;  // of its first match
  };
  // The hints from index `first` on that match `text` alone, each once, in no order. False: the scan failed.
  bool find(std::string_view text, std::uint32_t first, GateScratch& scratch, std::vector<Match>& out) const;

  // Where a match of `hint` that ends at match.end begins: the latest place from which it still matches. A
  // few scans of at most kMaxSpanBytes; for what is shown, so called on matches alone.
  static constexpr std::uint32_t kMaxSpanBytes = 4096;
  std::uint32_t begin_of(const Match& match, std::string_view text, GateScratch& scratch) const;

 private:
  void scan_one(Variant& variant, GateScratch& scratch) const;
  void scan_batch(std::span<Variant> variants, GateScratch& scratch) const;

  WordGate words_;
  std::vector<std::uint64_t> bits_;  // by expression id
  HsDatabase single_;                // each expression reported once: for long texts
  HsDatabase multi_;                 // every end reported: for batches
};

}  // namespace wafd::detect
