// The gate: says which analysers and signatures can possibly find something in a text. One walk over the
// octets looks for factors of all hints; where one stands, the hint is read on and back from there.
// Vectorscan scans only for hints that are too large for that, and for where a match stands.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "detect/analyze/base/analyzer.h"
#include "detect/core/error.h"
#include "detect/prefilter/expression_set.h"
#include "detect/prefilter/factor_index.h"
#include "detect/prefilter/factors.h"
#include "detect/prefilter/local_matcher.h"

namespace wafd::detect {

using HsDatabase = std::unique_ptr<hs_database, HsDatabaseFree>;

struct Pattern {
  std::string_view expression;
  unsigned flags = 0;  // HS_FLAG_...
  std::uint32_t id = 0;
};
// Block mode. The error names the expression (offset: its index in `patterns`) and what Vectorscan says.
Result<HsDatabase> compile(std::span<const Pattern> patterns);

// Vectorscan's callback: expression id, from, to, flags, context; not 0 ends the scan.
using OnMatch = int (*)(unsigned, unsigned long long, unsigned long long, unsigned, void*);
// Scans `text` as hs_scan() does, with the one scanner of the library that loses no match. HS_SUCCESS is 0.
int scan_block(const hs_database* database, std::string_view text, hs_scratch* scratch, OnMatch on_match,
               void* context) noexcept;

struct Hint {
  std::string_view expression;
  std::uint64_t analyzers = 0;  // a bit for each that it stands for
};
// A hint that is a whole word: a run of a-z, 0-9 and _ without case, perhaps with digits behind it.
struct HintWord {
  std::string_view word;
  std::uint64_t analyzers = 0;
  WordPlace place = WordPlace::kAnywhere;
};

// The words of an analyser's hints.
void append_words(const Analyzer& analyzer, std::uint64_t bit, std::vector<HintWord>& out);
bool has_hints(const Analyzer& analyzer) noexcept;

// Which octets a text holds, looked up when it is asked.
class OctetsOfText {
 public:
  void begin(std::string_view text) noexcept;
  bool any_of(const NeededOctets& needed) noexcept {
    for (std::size_t i = 0; i < needed.count; ++i) {
      if (has(needed.octets[i])) return true;
    }
    return false;
  }

 private:
  bool has(unsigned char octet) noexcept {
    if (known_[octet] / 2 != number_) look_up(octet);
    return (known_[octet] & 1) != 0;
  }
  void look_up(unsigned char octet) noexcept;

  std::string_view text_;
  std::uint32_t number_ = 0;                // of the text
  std::array<std::uint32_t, 256> known_{};  // the number of the text it is known of, and whether it is there
};

// Buffers of one worker.
struct GateScratch {
  HsScratch hs;
  FactorScratch factors;
  FurtherReading further;
  OctetsOfText octets;
  std::vector<std::uint32_t> pending;
  std::vector<std::uint32_t> suspected;  // filled by scan(): hints from Gate::first_listed on
  std::uint64_t scanned_octets = 0;      // filled by scan(): read beyond the walk, again for each time
};

// Immutable after build(). Without case, dot matches all; `^` and `$` match at the ends of a text and around
// line ends. \A, \z, \Z and \G are refused.
class Gate {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  // What of the hints from `first_listed` on will be asked.
  enum class Listed : std::uint8_t { kEnds, kWhether };
  // An error names the hint (offset: its index in `hints`, or hints.size() for a word). Hints from
  // `first_listed` on are told one by one.
  static Result<Gate> build(std::span<const Hint> hints, std::span<const HintWord> words = {},
                            std::uint32_t first_listed = kNone, Listed listed = Listed::kEnds);

  // Grows `scratch` to this gate.
  bool allocate(HsScratch& scratch) const;
  std::size_t octets() const noexcept;  // size of the databases

  // Those of `wanted` with a hint that matches `text`. scratch.suspected gets the hints from `first_listed`
  // on that may match it, if their bit is wanted: ask matches() or match(). Too much may be let through,
  // never too little.
  std::uint64_t scan(std::string_view text, std::uint64_t wanted, GateScratch& scratch) const;

  // Whether a suspected hint does match.
  bool matches(std::uint32_t hint, std::string_view text, GateScratch& scratch) const {
    return hints_[hint].certain || match(hint, text, scratch) != kNone;
  }

  // Of a listed hint, built for ends: end of the first match in `text` alone, or kNone.
  std::uint32_t match(std::uint32_t hint, std::string_view text, GateScratch& scratch) const;

  // Where a match of `hint` that ends at `end` begins: the latest place from which it still matches. A
  // few scans of at most kMaxSpanBytes; for what is shown, so called on matches alone.
  static constexpr std::uint32_t kMaxSpanBytes = 4096;
  std::uint32_t begin_of(std::uint32_t hint, std::uint32_t end, std::string_view text,
                         GateScratch& scratch) const;

  // Whether every text is scanned for this hint, because no factor of it is known.
  bool is_unfiltered(std::uint32_t hint) const noexcept { return hints_[hint].unfiltered; }

 private:
  struct Stored {
    std::uint64_t analyzers = 0;
    bool unfiltered = false;
    bool certain = false;  // what `local` says is so, yes or no
    bool perhaps = false;  // a yes of `local` is none
    LocalMatcher local;
    HsDatabase database;  // null: in listed_, or none is needed
  };
  // Octets that local matchers may read on and back in one text in all, for each of its octets. Beyond, what
  // they would have found counts as found: of 70 backticks alone, a dozen hints read on from each. Then the
  // gate says more than its hints do (scratch.further.ran_out()), and an analyser finds nothing; Vectorscan,
  // which says less there, has lost nothing.
  static constexpr std::size_t kFurtherReading = 16;
  bool index(std::string_view text, std::uint32_t hint, Stored& stored);
  std::uint64_t matching(std::uint32_t hint, std::string_view text, std::uint64_t open,
                         GateScratch& scratch) const;

  FactorIndex index_;
  std::vector<Stored> hints_;
  std::vector<NeededOctets> needed_;  // by hint
  std::vector<std::uint64_t> bits_;   // by target of the index: hints, then words
  std::vector<std::uint32_t> unfiltered_;
  std::uint32_t first_listed_ = kNone;
  HsDatabase listed_;  // of the listed hints that have a factor: hundreds are made at once in far less time
};

}  // namespace wafd::detect
