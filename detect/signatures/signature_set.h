// All signatures, ready to be matched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"
#include "detect/prefilter/expression_set.h"
#include "detect/prefilter/prefilter.h"
#include "detect/signatures/signatures.h"

namespace wafd::detect {

// Buffers of one worker.
struct SignatureScratch {
  HsScratch hs;
  struct Match {
    std::uint32_t signature = 0;
    std::uint32_t end = 0;         // of the first match
    std::uint32_t expression = 0;  // its number in its set
  };
  std::vector<Match> matches;    // filled by match()
  std::vector<bool> conditions;  // filled by match_further(): by number of the further condition
};

// Immutable after build(); any number of threads.
class SignatureSet {
 public:
  // An error says which signature's expression Vectorscan refuses, and why.
  static Result<SignatureSet> build(std::vector<Signature> signatures);

  std::span<const Signature> all() const noexcept { return signatures_; }
  // Literals of which one stands in every text that the first condition of a signature matches.
  std::vector<Prefilter::Marker> markers() const;

  bool allocate(SignatureScratch& scratch) const;

  // scratch.matches: the signatures whose first condition matches `text`, each once. `marked`: one of the
  // markers stands in it; if none does, only signatures without markers are looked for.
  void match(std::string_view text, bool marked, SignatureScratch& scratch) const;
  // Where one of scratch.matches begins; a few scans, so for what is shown.
  std::uint32_t begin_of(const SignatureScratch::Match& match, std::string_view text,
                         SignatureScratch& scratch) const;

  // Further conditions have numbers: those of a signature stand one behind the other.
  std::uint32_t first_further(std::uint32_t signature) const noexcept { return first_further_[signature]; }
  // scratch.conditions: which of them match `text`.
  void match_further(std::string_view text, SignatureScratch& scratch) const;

  std::size_t table_bytes() const noexcept;

 private:
  std::vector<Signature> signatures_;
  ExpressionSet marked_;    // first conditions that have markers
  ExpressionSet unmarked_;  // those that are looked for in every text
  ExpressionSet further_;
  std::vector<std::uint32_t> of_marked_;  // by number in the set: the signature
  std::vector<std::uint32_t> of_unmarked_;
  std::vector<std::uint32_t> first_further_;
  std::vector<std::vector<std::string>> literals_;  // by signature
  std::size_t further_count_ = 0;
};

}  // namespace wafd::detect
