// The fast search without case against the plain one.
#include <string>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"

namespace wafd {
namespace {

std::size_t plain(std::string_view text, std::string_view needle, std::size_t from) {
  for (std::size_t i = from; i + needle.size() <= text.size(); ++i) {
    if (iequals(text.substr(i, needle.size()), needle)) return i;
  }
  return std::string_view::npos;
}

TEST(Ifind, SameAsThePlainSearch) {
  std::uint64_t state = 88172645463325252ull;
  const auto roll = [&state](std::uint64_t sides) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % sides;
  };
  std::size_t found = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text(roll(80), '\0');
    for (char& c : text) c = "aAbB@`[{\x80\xc1\0z"[roll(12)];
    std::string needle(roll(5), '\0');
    for (char& c : needle) c = "aAbB@`[{\x80\xc1\0z"[roll(12)];
    const std::size_t from = roll(20);
    const std::size_t want = plain(text, needle, from);
    ASSERT_EQ(ifind(text, needle, from), want) << text << " / " << needle << " / " << from;
    if (want != std::string_view::npos) ++found;
  }
  EXPECT_GT(found, 1000u);
}

}  // namespace
}  // namespace wafd
