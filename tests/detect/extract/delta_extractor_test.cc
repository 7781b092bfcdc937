// The parts of a long text that are judged again where a decoding changed little of it.
#include "detect/extract/delta_extractor.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

// Words, each at one place alone.
std::string prose(std::size_t bytes, std::mt19937::result_type seed = 1) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < bytes) text += "word" + std::to_string(random()) + " ";
  text.resize(bytes);
  return text;
}

std::string replaced(std::string text, std::size_t at, std::string_view by) {
  return text.replace(at, by.size(), by);
}

class Parts : public testing::Test {
 protected:
  std::string of(const std::string& from, const std::string& made) {
    parts_.begin();
    parts_.add(from);
    return std::string(parts_.of(from, made));
  }
  DeltaExtractor parts_;
};

TEST_F(Parts, AShortTextIsOnePart) {
  const std::string from = prose(kWholeBytes);
  const std::string made = replaced(from, kWholeBytes / 2, "'");
  EXPECT_EQ(of(from, made), made);
}

TEST_F(Parts, OfALongTextWhatStandsAroundAChange) {
  const std::string from = prose(20000);
  for (const std::size_t at : {0u, 300u, 5000u, 12345u, 19900u, 19999u}) {
    for (const std::string_view by : {"'", "<script>", "' or 1=1 -- "}) {
      const std::string made = replaced(from, at, by).substr(0, from.size());
      const std::string part = of(from, made);
      const std::string near = made.substr(at - std::min<std::size_t>(at, kAroundBytes),
                                           std::min<std::size_t>(at, kAroundBytes) + kAroundBytes);
      EXPECT_NE(part.find(near), std::string::npos) << at << " " << by;
      EXPECT_LT(part.size(), 4 * kAroundBytes) << at << " " << by;
    }
  }
}

TEST_F(Parts, TheSameAfterLongerAndShorterTexts) {
  const std::string from = prose(20000);
  for (const std::string_view by : {"", "'", "%27", "a much longer text than what stood there"}) {
    const std::string made = from.substr(0, 9000) + std::string(by) + from.substr(9030);
    const std::string part = of(from, made);
    EXPECT_LT(part.size(), 4 * kAroundBytes) << by;
    EXPECT_NE(part.find(made.substr(9000 - kAroundBytes, 2 * kAroundBytes)), std::string::npos) << by;
  }
}

TEST_F(Parts, BetweenChangesThatAreFarApartNothing) {
  const std::string from = prose(30000);
  std::string made = from;
  for (std::size_t at = 100; at < made.size(); at += 6000) made[at] = '\'';
  const std::string part = of(from, made);
  EXPECT_EQ(std::count(part.begin(), part.end(), '\''), 5);
  EXPECT_LT(part.size(), 5 * 4 * kAroundBytes);
  // Whole words alone stand beside each other where something was left out.
  std::size_t unknown = 0;
  for (std::size_t at = 0; at < part.size();) {
    const std::size_t end = std::min(part.find(' ', at), part.size());
    const std::string word = part.substr(at, end - at);
    unknown += (" " + made + " ").find(" " + word + " ") == std::string::npos ? 1u : 0u;
    at = end + 1;
  }
  EXPECT_LE(unknown, 2u);  // the first and the last
}

TEST_F(Parts, WordsAreNotCut) {
  // One word: base64, perhaps.
  std::string from(30000, '\0');
  std::mt19937 random(3);
  for (char& c : from) c = static_cast<char>('a' + random() % 26);
  std::string made = from;
  made[1000] = made[28000] = '+';
  const std::string part = of(from, made);
  EXPECT_NE(part.find(made.substr(1000, 27001)), std::string::npos);
}

TEST_F(Parts, WhatAnotherTextOfTheFieldHasIsKnown) {
  const std::string root = prose(20000);
  const std::string first = replaced(root, 3000, "'");
  const std::string second = replaced(root, 15000, "<");
  const std::string both = replaced(first, 15000, "<");
  parts_.begin();
  for (const std::string* text : {&root, &first, &second}) parts_.add(*text);
  EXPECT_EQ(parts_.of(first, both), "");
  // Near each other they are one thing.
  const std::string near = replaced(first, 3100, "<");
  EXPECT_NE(std::string(parts_.of(first, near)).find(near.substr(3000, 101)), std::string::npos);
}

// What is read first: the same changes with less around them, if that is much less.
TEST_F(Parts, NearAChange) {
  const std::string from = prose(20000);
  for (const std::size_t at : {0u, 300u, 5000u, 12345u, 19999u}) {
    const std::string made = replaced(from, at, "'");
    of(from, made);
    const std::string near(parts_.near_of(made).value_or(""));
    const std::size_t before = std::min<std::size_t>(at, kNearBytes);
    EXPECT_NE(near.find(made.substr(at - before, before + kNearBytes)), std::string::npos) << at;
    EXPECT_LT(near.size(), 4 * kNearBytes) << at;
  }
}

TEST_F(Parts, NearIsEmptyWhereItIsAboutAllThatIsJudged) {
  const std::string from = prose(4000);
  std::string dense = from;
  for (std::size_t at = 10; at < dense.size(); at += 2 * kNearBytes) dense[at] = '\'';
  EXPECT_EQ(of(from, dense), dense);
  EXPECT_FALSE(parts_.near_of(dense));
  // Of a short text after a long one.
  of(from, replaced(from, 2000, "'"));
  EXPECT_TRUE(parts_.near_of(replaced(from, 2000, "'")));
  EXPECT_EQ(of("a'b", "a\"b"), "a\"b");
  EXPECT_FALSE(parts_.near_of("a\"b"));
}

// A text too short for a cut may have one near its change.
TEST_F(Parts, NearInATextThatIsJudgedWhole) {
  const std::string from = prose(600);
  const std::string made = replaced(from, 300, "'");
  EXPECT_EQ(of(from, made), made);
  const std::string near(parts_.near_of(made).value_or(""));
  EXPECT_NE(near.find(made.substr(300 - kNearBytes, 2 * kNearBytes)), std::string::npos);
  EXPECT_LT(near.size(), 400u);
}

// What two decodings change apart from each other was judged in what each of them made.
TEST_F(Parts, NearOfTwoChanges) {
  const std::string root = prose(800);
  const std::string first = replaced(root, 300, "'");
  const auto near_of_both = [&](std::size_t at) {
    const std::string second = replaced(root, at, "<");
    const std::string both = replaced(first, at, "<");
    parts_.begin();
    for (const std::string* text : {&root, &first, &second}) parts_.add(*text);
    EXPECT_NE(parts_.of(first, both, kNearBytesOfTwo), "");
    return std::string(parts_.near_of(both).value_or("all"));
  };
  EXPECT_EQ(near_of_both(500), "");
  EXPECT_NE(near_of_both(320).find(replaced(first, 320, "<").substr(300, 21)), std::string::npos);
}

// Every byte of the text stands in a part, or in a text before with the same bytes around it.
TEST_F(Parts, NothingIsLost) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> texts = {prose(1500 + random() % 6000, random())};
    const std::size_t changes = 1 + random() % 6;
    while (texts.size() < 4) {
      std::string made = texts[random() % texts.size()];
      for (std::size_t i = 0; i < changes; ++i) {
        const std::size_t at = random() % (made.size() - 40);
        made.replace(at, random() % 30, std::string(random() % 30, static_cast<char>('!' + random() % 9)));
      }
      texts.push_back(made);
    }
    const std::string made = texts.back();
    texts.pop_back();
    parts_.begin();
    for (const std::string& text : texts) parts_.add(text);
    const std::string part(parts_.of(texts[0], made));
    const std::string nearest(parts_.near_of(made).value_or(""));
    // A quarter of what has to be the same, so that a place is meant and no cut between parts.
    const auto expect_all = [&](const std::string& left, std::size_t around) {
      for (std::size_t at = 0; at + 2 * around <= made.size(); at += 7) {
        const std::string here = made.substr(at, 2 * around);
        bool found = left.find(here) != std::string::npos;
        for (const std::string& text : texts) found = found || text.find(here) != std::string::npos;
        ASSERT_TRUE(found) << round << " " << at << " " << around;
      }
    };
    expect_all(part, kAroundBytes / 4);
    if (!nearest.empty()) expect_all(nearest, kNearBytes / 4);
  }
}

}  // namespace
}  // namespace wafd::detect
