// Says which matchers can possibly find something in a text, from one walk over its bytes.
//
// Made of what matchers need (analyze/base/needs.h). It may say yes too often, never no too often: tests and
// fuzzing compare with the engine that asks every matcher about every text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/analyze/base/analyzer.h"
#include "detect/analyze/base/needs.h"
#include "detect/core/error.h"
#include "detect/prefilter/byte_signs.h"
#include "detect/prefilter/literal_index.h"

namespace wafd::detect {

// Immutable after build(); any number of threads.
class Prefilter {
 public:
  // A literal that is told by itself: for whom it is looked for.
  struct Marker {
    std::string literal;                 // in lower case, at least two bytes
    std::uint32_t group = 0;             // below 64
    std::uint32_t places = kEveryPlace;  // where it counts (place_bit())
  };
  // `needs[i]` are those of matcher i, at most 64. An error names the matcher by its index (offset) and what
  // is wrong: a part of no bytes, a word of other bytes than words have.
  static Result<Prefilter> build(std::span<const Needs> needs, std::span<const Marker> markers = {});

  struct Outcome {
    std::uint64_t matchers = 0;  // a bit for each that may find something
    std::uint64_t marked = 0;    // a bit for each group of which a marker stands in the text
  };
  // Linear time, about 5 ns a byte. Only the matchers of `which` are asked about, and only markers that count
  // in one of `places` are told.
  Outcome scan(std::string_view text, std::uint64_t which, std::uint32_t places = kEveryPlace) const noexcept;

  std::size_t table_bytes() const noexcept;  // for the status page

 private:
  static constexpr std::size_t kMaxSigns = 256;  // of words and literals
  using SignSet = std::array<std::uint64_t, kMaxSigns / 64>;
  static constexpr unsigned kBeginningBits = 16;
  static constexpr std::size_t kBeginningBytes = 4;

  // A need of a matcher: it holds if all of its signs are there.
  struct Condition {
    std::uint64_t matcher = 0;  // its bit
    SignSet signs{};
    ByteSigns::Set byte_signs{};
    ByteSigns::Set pairs{};
  };
  struct WordEntry {
    std::uint64_t head = 0;   // the first eight bytes, in lower case, 0 behind the end
    std::uint64_t tail = 0;   // the last eight
    std::uint32_t begin = 0;  // of the word in word_text_
    std::uint16_t size = 0;   // 0: free
    std::uint16_t signs = 0;  // index in sign_sets_
  };
  struct Key {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::size_t size = 0;
  };

  // Of text[begin..begin + size); bytes behind it are perhaps read, but none behind the text.
  static Key key_of(std::string_view text, std::size_t begin, std::size_t size) noexcept;
  static std::uint32_t hash_of(const Key& key) noexcept;

  Result<void> add(const Sign& sign, Condition& condition);
  Result<void> add_bytes(const Sign& sign, Condition& condition);
  // Literals of two bytes are pairs of sets: the sign, or the marker, that the pairs are read for.
  Result<void> add_pairs(std::span<const std::string> literals, std::uint32_t id);
  void add_word(const std::string& word, std::uint16_t sign);
  void index_words();
  // By the first four bytes of a word, without case, and its size. Four bytes can be read at `word`.
  static std::uint32_t beginning_of(const char* word, std::size_t size) noexcept {
    std::uint32_t four = 0;
    std::memcpy(&four, word, kBeginningBytes);
    four = (four | 0x20202020u) << (size < kBeginningBytes ? 8 * (kBeginningBytes - size) : 0);
    return ((four ^ static_cast<std::uint32_t>(size)) * 0x9e3779b1u) >> (32 - kBeginningBits);
  }
  // False: text[begin..end) is no word, as most runs of letters are none.
  bool may_be_word(std::string_view text, std::size_t begin, std::size_t end) const noexcept {
    if (end - begin > kMaxVocabularyWordBytes) return false;
    if (text.size() - begin < kBeginningBytes) return true;
    const std::uint32_t at = beginning_of(text.data() + begin, end - begin);
    return (word_beginnings_[at / 64] >> (at % 64) & 1) != 0;
  }
  void sort_conditions();

  void look_up(std::string_view text, std::size_t begin, std::size_t end, SignSet& signs) const noexcept;
  void read_word(std::string_view text, std::size_t begin, std::size_t end, SignSet& signs) const noexcept;
  void read_parts(std::string_view text, std::size_t begin, std::size_t end, SignSet& signs) const noexcept;
  struct Run {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t block = 0;      // where the block begins in which it ends
    std::uint64_t letters = 0;  // a bit for each in this block
  };
  void read_parts(std::string_view text, const Run& run, SignSet& signs) const noexcept;
  void read_words(std::string_view text, SignSet& signs) const noexcept;
  std::uint64_t read_literals(std::string_view text, std::uint32_t places, SignSet& signs) const noexcept;

  // Sets the signs and markers that follow from the byte pairs found.
  std::uint64_t take_pairs(const ByteSigns::Set& pairs, std::uint32_t places, SignSet& signs) const noexcept;

  // A range of conditions_.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  void ask(Range range, const ByteSigns::Found& bytes, const SignSet& signs, std::uint64_t which,
           std::uint64_t& matchers) const noexcept;

  std::uint64_t matchers_ = 0;         // those that need something
  std::vector<Condition> conditions_;  // by the sign that an ordinary text has least often
  // The conditions that stand at each sign: of words and literals, of bytes, of pairs.
  std::array<Range, kMaxSigns> of_sign_{};
  std::array<Range, ByteSigns::kMax> of_bytes_{};
  std::array<Range, ByteSigns::kMax> of_pairs_{};
  std::vector<Sign> signs_;  // of words and literals, each once
  ByteSigns bytes_;
  std::array<std::vector<std::uint32_t>, ByteSigns::kMax> of_pair_;  // ids as those of literals_
  std::vector<std::pair<std::string, SignSet>> words_;               // while it is built
  std::string word_text_;
  std::vector<SignSet> sign_sets_;
  std::vector<WordEntry> word_slots_;      // open addressing; a power of two
  std::vector<std::uint64_t> word_bloom_;  // two bits of one of its words for each hash
  // A bit for each beginning_of() of a word.
  std::array<std::uint64_t, (std::size_t{1} << kBeginningBits) / 64> word_beginnings_{};
  LiteralIndex literals_;  // signs, and from kMaxSigns on markers
  struct MarkerUse {
    std::uint64_t group = 0;  // its bit
    std::uint32_t places = 0;
  };
  std::vector<MarkerUse> markers_;
};

}  // namespace wafd::detect
