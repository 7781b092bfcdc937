// Signs of bytes and of pairs against their slow twin, which looks at every place.
#include "detect/prefilter/byte_signs.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

bool has(const ByteSigns::Set& set, std::size_t bit) { return (set[bit / 64] >> (bit % 64) & 1) != 0; }

bool has_pair(std::string_view text, std::string_view first, std::string_view second,
              std::string_view between) {
  for (std::size_t begin = text.find_first_of(first); begin != text.npos;
       begin = text.find_first_of(first, begin + 1)) {
    const std::size_t end = text.find_first_not_of(between, begin + 1);
    for (std::size_t at = begin + 1; at < text.size() && at <= end; ++at)
      if (second.find(text[at]) != second.npos) return true;
  }
  return false;
}

TEST(ByteSigns, Table) {
  ByteSigns signs;
  const std::size_t quotes = signs.add("'\"");
  const std::size_t first = signs.add_first("=<");
  const std::size_t beside = signs.add_pair("=<", "'\"");
  const std::size_t spaced = signs.add_pair("=<", "'\"", " \t");
  struct Row {
    const char* text;
    bool quotes, first, beside, spaced;
  };
  const Row rows[] = {
      {"", false, false, false, false},      {"'", true, false, false, false},
      {"a='b", true, false, true, true},     {"a= \t'b", true, false, false, true},
      {"a= x'b", true, false, false, false}, {"'=", true, true, false, false},
      {"  <\"", true, true, true, true},     {"=\n'", true, true, false, false},
      {"''=''", true, true, true, true},
  };
  for (const Row& row : rows) {
    const ByteSigns::Found found = signs.read(row.text);
    EXPECT_EQ(has(found.bytes, quotes), row.quotes) << row.text;
    EXPECT_EQ(has(found.bytes, first), row.first) << row.text;
    EXPECT_EQ(has(found.pairs, beside), row.beside) << row.text;
    EXPECT_EQ(has(found.pairs, spaced), row.spaced) << row.text;
  }
}

TEST(ByteSigns, TheSameSignHasTheSameNumberAndTooManyAreRefused) {
  ByteSigns signs;
  EXPECT_EQ(signs.add("a"), signs.add("a"));
  EXPECT_NE(signs.add("a"), signs.add_first("a"));
  EXPECT_EQ(signs.add_pair("a", "b"), signs.add_pair("a", "b"));
  EXPECT_NE(signs.add_pair("a", "b"), signs.add_pair("a", "b", " "));
  for (std::size_t i = 2; i < ByteSigns::kMax; ++i) ASSERT_EQ(signs.add_pair("a", std::string(i, 'b')), i);
  EXPECT_EQ(signs.add_pair("b", "a"), ByteSigns::kFull);
}

TEST(ByteSigns, FindsWhatComparingFinds) {
  struct Sign {
    std::string first, second, between;
    std::size_t number = 0;
  };
  Sign pairs[] = {{"'", "=", ""}, {"'\"", "=<", " "}, {"(", ")", "x "}, {"=", "'", " x"}, {"x", "x", "="}};
  ByteSigns signs;
  for (Sign& sign : pairs) sign.number = signs.add_pair(sign.first, sign.second, sign.between);
  std::mt19937 random(1);
  std::size_t found_in_all = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t i = random() % 24; i > 0; --i) text += std::string_view("'\"=<() xy")[random() % 9];
    const ByteSigns::Found found = signs.read(text);
    for (const Sign& sign : pairs) {
      const bool expected = has_pair(text, sign.first, sign.second, sign.between);
      ASSERT_EQ(has(found.pairs, sign.number), expected) << text << " for " << sign.first << sign.second;
      found_in_all += expected ? 1 : 0;
    }
  }
  EXPECT_GT(found_in_all, 10000u);
}

}  // namespace
}  // namespace wafd::detect
