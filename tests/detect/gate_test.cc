// The gate: what it lets through, and that it never loses what one text alone would match.
#include "detect/gate.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

std::vector<Variant> variants_of(const std::vector<std::string>& texts) {
  std::vector<Variant> out;
  for (const std::string& text : texts) {
    Variant variant;
    variant.text = text;
    out.push_back(variant);
  }
  return out;
}

class GateTest : public testing::Test {
 protected:
  void build(std::span<const Hint> hints, WordGate words = {}) {
    auto built = Gate::build(hints, std::move(words));
    ASSERT_TRUE(built) << built.error().what;
    gate_ = std::move(*built);
    ASSERT_TRUE(gate_.allocate(scratch_.hs));
  }
  std::vector<std::uint64_t> scan(const std::vector<std::string>& texts) {
    auto variants = variants_of(texts);
    gate_.scan(variants, scratch_);
    std::vector<std::uint64_t> out;
    for (const Variant& variant : variants) out.push_back(variant.analyzers);
    return out;
  }
  Gate gate_;
  GateScratch scratch_;
};

using Bits = std::vector<std::uint64_t>;

TEST_F(GateTest, EachTextGetsItsOwnBits) {
  const Hint hints[] = {{"select", 1}, {"^abc", 2}, {"xyz$", 4}, {"<[a-z]", 8}, {"^only$", 16}};
  build(hints);
  EXPECT_EQ(scan({"SELECT", "abc", "0abc", "0xyz", "xyz0", "<b", "", "only", "not only"}),
            (Bits{1, 2, 0, 4, 0, 8, 0, 16, 0}));
  EXPECT_EQ(scan({"select"}), (Bits{1}));
  EXPECT_EQ(scan({}), (Bits{}));
  EXPECT_EQ(scan({std::string(5000, 'a') + "select", "abc"}), (Bits{1, 2}));
}

TEST_F(GateTest, Words) {
  WordGate words;
  ASSERT_TRUE(words.add("cat", 1));
  ASSERT_TRUE(words.add("python", 2));
  ASSERT_TRUE(words.add("x_y2", 4));
  EXPECT_FALSE(words.add("apt-get", 1));
  EXPECT_FALSE(words.add("Cat", 1));
  EXPECT_FALSE(words.add("", 1));
  const Hint hints[] = {{"<", 8}};
  build(hints, std::move(words));
  EXPECT_EQ(
      scan({"cat", "/bin/CAT x", "concat", "cats", "cat9", "python3.1", "x_y2", "x_y", "a<cat>", "c", ""}),
      (Bits{1, 1, 0, 0, 1, 2, 4, 0, 9, 0, 0}));
  EXPECT_EQ(scan({std::string(3000, ' ') + "cat"}), (Bits{1}));
}

TEST_F(GateTest, RefusesWhatMeansTheWholeBuffer) {
  for (const char* expression : {"\\Aabc", "abc\\z", "abc\\Z", "a\\Gb"}) {
    const Hint hint{expression, 1};
    EXPECT_FALSE(Gate::build(std::span(&hint, 1))) << expression;
  }
  const Hint escaped{"\\\\Abc", 1};
  EXPECT_TRUE(Gate::build(std::span(&escaped, 1)));
  const Hint hints[] = {{"fine", 1}, {"(", 1}};
  const auto built = Gate::build(hints);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().offset, 1u);
}

TEST_F(GateTest, WhereAMatchBegins) {
  const Hint hints[] = {{"zzz", 1}, {"sel.*from", 2}};
  build(hints);
  const std::string text = "a select, then select x from y from";
  std::vector<Gate::Match> matches;
  ASSERT_TRUE(gate_.find(text, 0, scratch_, matches));
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].hint, 1u);
  const std::uint32_t begin = gate_.begin_of(matches[0], text, scratch_);
  EXPECT_EQ(text.substr(begin, matches[0].end - begin), "select x from");
}

// Random texts in batches: whatever matches alone must be let through in company, also when there are so many
// matches that the batch is given up.
TEST_F(GateTest, NeverLosesWhatOneTextAloneWouldMatch) {
  const Hint hints[] = {{"a", 1},      {"^b", 2},       {"c$", 4},     {"d+e", 8},
                        {"[^f]g", 16}, {"\\bh\\b", 32}, {"^$|^i$", 64}};
  const Hint usable[] = {hints[0], hints[1], hints[2], hints[3], hints[4], hints[5], {"^i$", 64}};
  WordGate words;
  ASSERT_TRUE(words.add("ab", 128));
  build(usable, std::move(words));
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> texts(1 + random() % 40);
    const std::size_t longest = round % 10 == 0 ? 1500 : 12;
    for (std::string& text : texts) {
      text.resize(random() % longest);
      for (char& c : text) c = "abcdefghi \n0_"[random() % 13];
    }
    const auto together = scan(texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto alone = scan({texts[i]});
      ASSERT_EQ(alone[0] & ~together[i], 0u) << "round " << round << ", text " << texts[i];
    }
  }
}

}  // namespace
}  // namespace wafd::detect
