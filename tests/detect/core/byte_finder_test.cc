// The finder against a plain loop, at every place of texts of every size.
#include "detect/core/byte_finder.h"

#include <string>

#include <gtest/gtest.h>

namespace wafd {
namespace {

TEST(ByteFinder, EveryByteIsInTheSetOrNot) {
  const std::string set = "'\"\\^${`/\x7f\x01";
  const ByteFinder finder(set);
  for (unsigned c = 0; c < 256; ++c) {
    const char byte = static_cast<char>(c);
    const bool in_set = set.find(byte) != std::string::npos;
    EXPECT_EQ(finder.has(byte), in_set) << c;
    for (const std::size_t size : {1u, 15u, 16u, 17u, 31u, 40u, 64u}) {
      for (std::size_t place = 0; place < size; ++place) {
        std::string text(size, 'x');
        text[place] = byte;
        EXPECT_EQ(finder.find(text, 0), in_set ? place : size) << c << " at " << place << " of " << size;
        std::string within(size, '$');
        within[place] = byte;
        EXPECT_EQ(finder.find_other(within, 0), in_set ? size : place)
            << c << " at " << place << " of " << size;
      }
    }
  }
}

TEST(ByteFinder, FromAnyPlaceOn) {
  const ByteFinder finder("%");
  for (std::size_t size = 0; size < 50; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      std::string text(size, 'x');
      text[place] = '%';
      for (std::size_t from = 0; from <= size; ++from)
        EXPECT_EQ(finder.find(text, from), from <= place ? place : size)
            << from << " " << place << " " << size;
    }
  }
}

}  // namespace
}  // namespace wafd
