// Says which matchers can possibly find something in a text, from one walk over its bytes.
//
// Made of what matchers need (analyze/base/needs.h). It may say yes too often, never no too often: tests and
// fuzzing compare with the engine that asks every matcher about every text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
  static constexpr std::size_t kWordBeginnings = 1024;

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
  // By the first two bytes of a word, and the bit of its size there.
  static std::size_t beginning_of(const char* word, std::size_t size) noexcept {
    return (byte(word[0]) & 31u) << 5 | (size > 1 ? byte(word[1]) & 31u : 0u);
  }
  static std::uint64_t size_bit(std::size_t size) noexcept { return std::uint64_t{1} << (size & 63); }
  // False: no word begins as these bytes and has so many. Most runs of letters in a text are none.
  bool may_be_word(const char* word, std::size_t size) const noexcept {
    return (word_sizes_[beginning_of(word, size)] & size_bit(size)) != 0;
  }
  void sort_conditions();

  void look_up(std::string_view text, std::size_t begin, std::size_t end, SignSet& signs) const noexcept;
  void read_word(std::string_view text, std::size_t begin, std::size_t end, bool digits,
                 SignSet& signs) const noexcept;
  void read_words(std::string_view text, SignSet& signs) const noexcept;
  std::uint64_t read_literals(std::string_view text, std::uint32_t places, SignSet& signs) const noexcept;

  // What the pairs that were found say of signs and markers.
  std::uint64_t take_pairs(const ByteSigns::Set& pairs, std::uint32_t places, SignSet& signs) const noexcept;

  std::uint64_t matchers_ = 0;         // those that need something
  std::vector<Condition> conditions_;  // those of bytes alone first, then by their first sign
  // Of sign s those from of_sign_[s] to of_sign_[s + 1]; of bytes alone those before of_sign_[0].
  std::vector<std::uint32_t> of_sign_;
  std::vector<Sign> signs_;  // of words and literals, each once
  ByteSigns bytes_;
  std::array<std::vector<std::uint32_t>, ByteSigns::kMax> of_pair_;  // ids as those of literals_
  std::vector<std::pair<std::string, SignSet>> words_;               // while it is built
  std::string word_text_;
  std::vector<SignSet> sign_sets_;
  std::vector<WordEntry> word_slots_;      // open addressing; a power of two
  std::vector<std::uint64_t> word_bloom_;  // two bits of one of its words for each hash
  // By how a word begins: a bit for each size of which there is one.
  std::array<std::uint64_t, kWordBeginnings> word_sizes_{};
  LiteralIndex literals_;  // signs, and from kMaxSigns on markers
  struct MarkerUse {
    std::uint64_t group = 0;  // its bit
    std::uint32_t places = 0;
  };
  std::vector<MarkerUse> markers_;
};

}  // namespace wafd::detect
