// Kinds of bytes against their definition, in texts of every size.
#include "detect/decode/base/byte_kinds.h"

#include <string>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

std::uint32_t defined(char c) {
  const auto in = [&](std::string_view set) { return set.find(c) != std::string_view::npos; };
  std::uint32_t kinds = 0;
  if (byte(c) >= 0x80) kinds |= kHigh;
  if (byte(c) > 0x20 && byte(c) < 0x80 && !is_alnum(c) && !in("+/=-_")) kinds |= kSign;
  if (byte(c) < 0x20) kinds |= kControl;
  if (byte(c) == 0) kinds |= kNul;
  if (in("%")) kinds |= kPercentSign;
  if (in("&")) kinds |= kAmpersand;
  if (in("\\")) kinds |= kBackslash;
  if (in("+")) kinds |= kPlusSign;
  if (in("*")) kinds |= kStar;
  if (in("'\"`^${\\")) kinds |= kQuote;
  return kinds;
}

TEST(ByteKinds, OfEveryByteAtEveryPlace) {
  EXPECT_EQ(kinds_of(""), 0u);
  for (unsigned c = 0; c < 256; ++c) {
    const char one = static_cast<char>(c);
    for (const std::size_t size : {1u, 2u, 15u, 16u, 17u, 32u, 33u, 47u}) {
      for (std::size_t place = 0; place < size; ++place) {
        std::string text(size, ' ');
        text[place] = one;
        EXPECT_EQ(kinds_of(text), defined(one)) << c << " at " << place << " of " << size;
      }
    }
  }
}

TEST(ByteKinds, OfSeveralBytes) {
  EXPECT_EQ(kinds_of("some words, and one 50% sign"), std::uint32_t{kSign | kPercentSign});
  EXPECT_EQ(kinds_of("abc_DEF-012/345=678+9012"), std::uint32_t{kPlusSign});
  EXPECT_EQ(kinds_of(std::string_view("\0\x80 and the like", 16)), std::uint32_t{kNul | kControl | kHigh});
}

TEST(ByteKinds, MarksOfHexWhereverTheyStand) {
  for (std::size_t size = 2; size < 50; ++size) {
    for (std::size_t begin = 0; begin + 2 <= size; ++begin) {
      for (const char* mark : {"0x", "0X", "x'", "X'"}) {
        std::string text(size, ' ');
        text.replace(begin, 2, mark);
        EXPECT_NE(kinds_of(text) & kHexMark, 0u) << size << " " << begin;
        std::swap(text[begin], text[begin + 1]);
        if (size >= 16) {
          EXPECT_EQ(kinds_of(text) & kHexMark, 0u) << size << " " << begin;
        }
      }
    }
  }
}

}  // namespace
}  // namespace wafd::detect
