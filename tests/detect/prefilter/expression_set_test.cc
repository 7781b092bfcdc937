// The scanner loses no match: expressions against a plain search, at every length and place of a text. Some
// builds of Vectorscan do lose them, on some processors, at some lengths.
#include "detect/prefilter/expression_set.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

// Which of `count` expressions match.
std::vector<bool> matching(const ExpressionSet& set, std::size_t count, std::string_view text,
                           HsScratch& scratch) {
  std::vector<bool> found(count);
  EXPECT_TRUE(set.scan(
      text, scratch.get(),
      [](void* context, std::uint32_t expression, std::size_t) {
        (*static_cast<std::vector<bool>*>(context))[expression] = true;
      },
      &found));
  return found;
}

TEST(Scanner, FindsAtEveryLengthAndPlace) {
  struct Row {
    const char* expression;
    const char* head;
    char fill;
    const char* tail;
  };
  const Row rows[] = {
      {"unix:.*\\|[a-z]{2,10}:", "unix:", 'A', "|http:"},
      {"<[a-z]", "", ' ', "<b"},
      {":[\\\\/]{2}", "http", '1', "://"},
      {"\\$\\{?[a-z]", "", ' ', "${b"},
      {"%[0-9a-f]{2}", "", 'x', "%41"},
      {"^a.*;[a-z]b", "a", '1', ";cb"},
      {"\\|\\s*[a-z]", "", '.', "| b"},
      {"[\\r\\n]\\s*[a-z]", "1", '.', "\nb"},
      {"[a-z]\\(", "", '1', "b("},
      {"[^a-z ][(]", "", ' ', ".("},
      {"union.*select", "union", ' ', "select"},
      {"\\beval\\s*\\(", "", ' ', "eval ("},
      {"[|].", "", 'a', "|h"},
      {"[^<]*<[a-z]", "x", 'a', "<h"},
  };
  std::string memory(1024, '\0');
  for (const Row& row : rows) {
    const std::string_view expression = row.expression;
    const auto set = ExpressionSet::build(std::span(&expression, 1));
    ASSERT_TRUE(set) << row.expression;
    HsScratch scratch;
    ASSERT_TRUE(set->allocate(scratch));
    std::size_t lost = 0;
    for (std::size_t begin = 0; begin < 64; begin += 9) {
      for (std::size_t length = 0; length < 260; ++length) {
        for (const std::size_t behind : {0, 1, 20, 70}) {
          const std::string text =
              row.head + std::string(length, row.fill) + row.tail + std::string(behind, 'x');
          std::copy(text.begin(), text.end(), memory.begin() + static_cast<std::ptrdiff_t>(begin));
          const std::string_view placed = std::string_view(memory).substr(begin, text.size());
          if (!matching(*set, 1, placed, scratch)[0]) ++lost;
        }
      }
    }
    EXPECT_EQ(lost, 0u) << row.expression;
  }
}

// Expressions of two to five byte classes in a row, in sets of one to eight, on texts of few different
// bytes.
TEST(Scanner, AgreesWithAPlainSearch) {
  struct Class {
    const char* text;
    const char* bytes;
  };
  const Class classes[] = {{"a", "aA"},      {"b", "bB"},    {"<", "<"},         {"\\|", "|"},
                           {"[ab]", "aAbB"}, {"[<|]", "<|"}, {"[^a|]", "bB< 1"}, {"[a1 ]", "aA1 "}};
  const std::string_view alphabet = "abAB<| 1";
  Dice dice(5);
  std::size_t compared = 0;
  std::size_t matched = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> expressions(1 + dice.roll(8));
    std::vector<std::vector<const Class*>> plain(expressions.size());
    for (std::size_t e = 0; e < expressions.size(); ++e) {
      for (std::uint64_t n = 2 + dice.roll(4); n > 0; --n) {
        plain[e].push_back(&classes[dice.roll(std::size(classes))]);
        expressions[e] += plain[e].back()->text;
      }
    }
    const std::vector<std::string_view> views(expressions.begin(), expressions.end());
    const auto set = ExpressionSet::build(views);
    ASSERT_TRUE(set);
    HsScratch scratch;
    ASSERT_TRUE(set->allocate(scratch));
    for (int text_round = 0; text_round < 150; ++text_round) {
      // Mostly one byte, so that matches are rare and far in.
      const char fill = alphabet[dice.roll(alphabet.size())];
      std::string text(dice.roll(300), fill);
      for (std::uint64_t n = dice.roll(8); n > 0 && !text.empty(); --n)
        text[dice.roll(text.size())] = alphabet[dice.roll(alphabet.size())];
      const std::vector<bool> found = matching(*set, views.size(), text, scratch);
      for (std::size_t e = 0; e < plain.size(); ++e) {
        bool there = false;
        for (std::size_t at = 0; !there && at + plain[e].size() <= text.size(); ++at) {
          there = true;
          for (std::size_t k = 0; there && k < plain[e].size(); ++k)
            there = std::string_view(plain[e][k]->bytes).find(text[at + k]) != std::string_view::npos;
        }
        EXPECT_EQ(found[e], there) << expressions[e] << " in " << text;
        ++compared;
        matched += there ? 1 : 0;
      }
    }
  }
  EXPECT_GT(matched, 1000u);
  EXPECT_GT(compared - matched, 1000u);
}

TEST(ExpressionSetTest, SaysWhereAMatchBegins) {
  const std::string_view expressions[] = {"b+c", "cd"};
  const auto set = ExpressionSet::build(expressions);
  ASSERT_TRUE(set);
  HsScratch scratch;
  ASSERT_TRUE(set->allocate(scratch));
  EXPECT_EQ(set->begin_of(0, 5, "aabbcd", scratch.get()), 3u) << "the latest place from which it matches";
  EXPECT_EQ(set->begin_of(1, 6, "aabbcd", scratch.get()), 4u);
}

TEST(ExpressionSetTest, NamesTheExpressionThatIsRefused) {
  const std::string_view expressions[] = {"a", "b(", "c"};
  const auto set = ExpressionSet::build(expressions);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().offset, 1u);
}

}  // namespace
}  // namespace wafd::detect
