#include "detect/analyze/base/token_count.h"

#include <string>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

// One byte after the other.
std::size_t counted_slowly(std::string_view text) {
  std::size_t tokens = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    const bool word = is_alnum(c) || c == '_' || c == '\0' || byte(c) >= 0x80;
    if (word ? !in_word : !blank) ++tokens;
    in_word = word;
  }
  return tokens;
}

TEST(TokenCount, CountsWordsAndSigns) {
  const struct {
    std::string_view text;
    std::size_t tokens;
  } kRows[] = {{"", 0},     {"word", 1},      {"two words", 2},
               {"a=1;", 4}, {"  \t\r\n ", 0}, {"f(x_1, \"\xc3\xa9\")", 8},
               {"((((", 4}, {"\x01\x7f", 2}};
  for (const auto& row : kRows) EXPECT_EQ(token_count(row.text), row.tokens) << row.text;
}

TEST(TokenCount, IsThatOfASlowTwinForEveryByteAndAcrossBlocks) {
  for (int c = 0; c < 256; ++c) {
    const char text[] = {'a', static_cast<char>(c), 'b', static_cast<char>(c)};
    EXPECT_EQ(token_count({text, 4}), counted_slowly({text, 4})) << c;
  }
  std::string text;
  for (unsigned i = 0; i < 400; ++i) {
    text += "ab; c\n()"[i * i % 8];
    EXPECT_EQ(token_count(text), counted_slowly(text)) << text;
  }
}

}  // namespace
}  // namespace wafd::detect
