// All signatures, ready to be matched.
#pragma once

#include <array>
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
    std::uint32_t expression = 0;  // its number in its group's set
  };
  std::vector<Match> matches;  // filled by match()
  enum class Answer : std::uint8_t { kUnknown, kNo, kYes };
  std::vector<Answer> answers;  // of the text at hand, by number of the further expression
};

// Immutable after build(); any number of threads.
class SignatureSet {
 public:
  // The first `builtin` of `signatures` are compiled apart from the others, so that what they were compiled
  // to stays the same whatever rules follow. An error says which signature's expression Vectorscan refuses,
  // and why.
  static Result<SignatureSet> build(std::vector<Signature> signatures, std::size_t builtin,
                                    const SetSource& source = {});

  std::span<const Signature> all() const noexcept { return signatures_; }
  // Signatures are matched in groups, so that a text is looked through for those alone of which a marker
  // stands in it. Sets of bits: one for each group.
  static constexpr std::uint64_t kAllGroups = ~std::uint64_t{0};
  // Of signatures without markers, which any text may match.
  static constexpr std::uint64_t kUnmarkedGroups = std::uint64_t{3} << 62;

  // Literals of which one stands in every text that the first condition of a signature matches.
  std::vector<Prefilter::Marker> markers() const;
  // Whether a signature without markers is for this text.
  bool looks_everywhere(const Field& field, std::string_view decode_path) const noexcept;

  bool allocate(SignatureScratch& scratch) const;

  // scratch.matches: the signatures of `groups` whose first condition matches `text`, each once.
  void match(std::string_view text, std::uint64_t groups, SignatureScratch& scratch) const;
  // Where one of scratch.matches begins; a few scans, so for what is shown.
  std::uint32_t begin_of(const SignatureScratch::Match& match, std::string_view text,
                         SignatureScratch& scratch) const;

  // Whether a further condition of a signature, from 1 on, matches `text`. begin_text() is called before each
  // text; what two signatures ask alike is looked for once.
  void begin_text(SignatureScratch& scratch) const;
  bool holds(std::uint32_t signature, std::uint32_t condition, std::string_view text,
             SignatureScratch& scratch) const;

  std::size_t table_bytes() const noexcept;

 private:
  static constexpr std::uint32_t kGroups = 64;
  static constexpr std::uint32_t kMarkedGroups = 62;  // half of them for built-in signatures
  static constexpr std::uint32_t kUnmarkedOwn = 62, kUnmarkedBuiltin = 63;

  std::vector<Signature> signatures_;
  struct Group {
    ExpressionSet set;                      // first conditions
    std::vector<std::uint32_t> signatures;  // by number in the set
  };
  std::array<Group, kGroups> groups_;
  std::vector<std::uint8_t> group_of_;  // by signature
  // Expressions of further conditions, each once. They are looked for one by one: few are asked for, and as
  // one set they would be compiled for seconds.
  std::vector<ExpressionSet> further_;
  std::vector<std::vector<std::uint32_t>>
      further_of_;                                  // by signature: the numbers of its further expressions
  std::vector<std::vector<std::string>> literals_;  // by signature
};

}  // namespace wafd::detect
