// A text as the index of factors reads it: octets around it, letters without case, and marks at the places
// where something that is looked for may begin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "detect/prefilter/octet_groups.h"
#include "detect/prefilter/pair_octets.h"

namespace wafd::detect {

// Folded octets: letters in lower case, of all others what is roughly their kind, by their high half.
inline constexpr std::array<unsigned char, 16> kFoldedKinds = {0, 0, 0, 1, 0, 2, 0, 2};  // digits 1, '_' 2
inline constexpr unsigned char kFoldedOther = 0;
inline constexpr unsigned char kFoldedLetter = 0x40;  // letters alone have this bit

constexpr unsigned char folded_octet(unsigned char octet) noexcept {
  const auto lower = static_cast<unsigned char>(octet | 0x20);
  return lower >= 'a' && lower <= 'z' ? lower : kFoldedKinds[octet >> 4];
}

// Four folded octets as one number, without what comes behind the first of them that is no letter. (The
// machine's numbers begin with their low octets.)
inline std::uint32_t word_key(const unsigned char* folded) noexcept {
  std::uint32_t four = 0;
  __builtin_memcpy(&four, folded, sizeof four);
  const std::uint32_t ends = ~four & kFoldedLetter * 0x01010101u;
  return four & (ends ^ (ends - 1));
}

// Sets of octets as vector code asks for them: by the low half of an octet a bit for each high half below 8,
// and for each from 8 on.
struct PairMarks {
  PairMarks() = default;
  explicit PairMarks(const PairOctets& pairs) noexcept;

  struct Set {
    alignas(16) std::array<unsigned char, 16> low{};
    alignas(16) std::array<unsigned char, 16> high{};
  };
  Set first;
  Set second;
  Set word_first;
  Set word_second;
};

// One worker's, for one text at a time.
class TextLayout {
 public:
  static constexpr std::size_t kPad = 8;     // octets around a text, so that every window can be read
  static constexpr std::size_t kMarks = 64;  // places in one number of marks, the first in the lowest bit

  void begin(std::string_view text, const PairMarks& pairs);

  // The text's first octet. kOutside stands around the text and nowhere in it.
  const unsigned char* octets() const noexcept { return octets_.data() + kPad; }
  const unsigned char* folded() const noexcept { return folded_.data() + kPad; }
  // Letters behind something else.
  std::uint64_t word_starts(std::size_t number) const noexcept { return marks_[number].word_starts; }
  // Pairs of octets that may be in `pairs`.
  std::uint64_t pairs(std::size_t number) const noexcept { return marks_[number].pairs; }

 private:
  struct Marks {
    std::uint64_t word_starts = 0;
    std::uint64_t pairs = 0;
  };
  std::vector<unsigned char> octets_;
  std::vector<unsigned char> folded_;
  std::vector<Marks> marks_;
};

}  // namespace wafd::detect
