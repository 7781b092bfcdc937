// The gate: what it lets through, and that it never loses what one text alone would match.
#include "detect/prefilter/gate.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

class GateTest : public testing::Test {
 protected:
  void build(std::span<const Hint> hints, std::span<const HintWord> words = {},
             std::uint32_t first_listed = Gate::kNone) {
    auto built = Gate::build(hints, words, first_listed);
    ASSERT_TRUE(built) << built.error().what;
    gate_ = std::move(*built);
    ASSERT_TRUE(gate_.allocate(scratch_.hs));
  }
  std::vector<std::uint64_t> scan(const std::vector<std::string>& texts) {
    std::vector<std::uint64_t> out;
    for (const std::string& text : texts) out.push_back(gate_.scan(text, ~std::uint64_t{0}, scratch_));
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
  const HintWord words[] = {{"cat", 1}, {"python", 2}, {"x_y2", 4}, {"id", 16}, {"w", 32}};
  const Hint hints[] = {{"<", 8}};
  build(hints, words);
  EXPECT_EQ(
      scan({"cat", "/bin/CAT x", "concat", "cats", "cat9", "python3.1", "x_y2", "x_y", "a<cat>", "c", ""}),
      (Bits{1, 1, 0, 0, 1, 2, 4, 0, 9, 0, 0}));
  EXPECT_EQ(scan({std::string(3000, ' ') + "cat"}), (Bits{1}));
  EXPECT_EQ(scan({"id", "ID7;", "idx", "aid", "w", "w2", ";W\n", "ww", "w_", "wid id"}),
            (Bits{16, 16, 0, 0, 32, 32, 32, 0, 0, 16}));
  for (const char* wrong : {"apt-get", "Cat", ""}) {
    const HintWord word{wrong, 1};
    EXPECT_FALSE(Gate::build({}, std::span(&word, 1))) << wrong;
  }
}

TEST_F(GateTest, WordsWhereACommandCanStand) {
  const HintWord words[] = {{"id", 1, WordPlace::kCommandAmid}, {"who", 2, WordPlace::kCommand}};
  build({}, words);
  EXPECT_EQ(
      scan({";id", "| id x", "$(id)", "\"id", "/bin/id", "a\nid", "{,id}", "=id", "@id", "id x", " id -u"}),
      (Bits{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(
      scan({"the id", "user.id", "user: id", "(a) id", "[0] id", "5% id", "a-id", "\xc3\xa9 id", "a, id"}),
      (Bits{0, 0, 0, 0, 0, 0, 0, 0, 0}));
  // All of the text; with a line end it is a command of its own.
  EXPECT_EQ(scan({"id", " id\t", "id7", "\nid", "id\n", "id;", "who", " who ", "who2"}),
            (Bits{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  // Behind an assignment, and behind more spaces than are passed.
  EXPECT_EQ(scan({"a=b id", "; a=b\tid", "a=b;c id", "a=b c id", "x" + std::string(16, ' ') + "id",
                  "x" + std::string(15, ' ') + "id"}),
            (Bits{1, 1, 0, 0, 1, 0}));
}

TEST_F(GateTest, WordsWhereANameCanBeOver) {
  const HintWord words[] = {{"gcc", 1, WordPlace::kCommand}};
  build({}, words);
  EXPECT_EQ(scan({"gcc x", "gcc-12", "gcc12.1", "gcc.exe", "GCC.COM x", "gcc/s", "gcc/s/b", "gcc/?",
                  "{gcc,x}", "gcc;", "gcc'", "gcc-'12'", "gcc\\", "gcc]", "gcc.", "gcc-"}),
            Bits(16, 1));
  EXPECT_EQ(scan({"gcc:x", "gcc~", "gcc+x", "gcc=x", "gcc-x", "gcc-", "gcc.png", "gcc..", "gcc/", "gcc/ab",
                  "gcc/s.c"}),
            (Bits{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}));
}

TEST_F(GateTest, OnlyWhatIsWantedAndTheListedOneByOne) {
  const Hint hints[] = {{"abc", 1}, {"abc|def", 2}, {"abc.*xyz", 4}, {"d.f", 4}};
  build(hints, {}, 2);
  EXPECT_EQ(gate_.scan("abc", 2, scratch_), 2u);
  EXPECT_TRUE(scratch_.suspected.empty());
  EXPECT_EQ(gate_.scan("abc dxf", 5, scratch_), 1u);
  EXPECT_EQ(scratch_.suspected, (std::vector<std::uint32_t>{3}));  // behind abc no xyz can be seen
  EXPECT_EQ(gate_.match(2, "abc dxf", scratch_), Gate::kNone);
  EXPECT_EQ(gate_.match(3, "abc dxf", scratch_), 7u);
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
  build(hints, {}, 0);
  const std::string text = "a select, then select x from y from";
  EXPECT_EQ(gate_.match(0, text, scratch_), Gate::kNone);
  const std::uint32_t end = gate_.match(1, text, scratch_);
  ASSERT_NE(end, Gate::kNone);
  const std::uint32_t begin = gate_.begin_of(1, end, text, scratch_);
  EXPECT_EQ(text.substr(begin, end - begin), "select x from");
}

// Random texts against Vectorscan alone: the walk lets through what matches, and nothing else.
TEST_F(GateTest, SaysWhatTheExpressionMatches) {
  const char* const expressions[] = {"a",       "^b",           "c$",
                                     "d+e",     "[^f]g",        "\\bh\\b",
                                     "^i$",     "ab?c",         "(a|bc)d*e",
                                     "a{2,3}b", "[a-c]{4}",     "a.c",
                                     "ab.*gh",  "(^|[^a-z])de", "fg($|[^a-z])",
                                     "\\s_0",   "[\\w]{3}\\n",  "(ab|cd|ef){2}",
                                     "a(b|)c",  "(?:gh|hg)+i",  "x|^$|abcdabcd",
                                     "(a$|b)c", "a(^b|c)",      "[\\x00-\\x20]*d0",
                                     "\\D0a",   "i\\W\\W?i"};
  std::mt19937 random(7);
  std::size_t matched = 0;
  std::size_t spared = 0;
  for (const char* expression : expressions) {
    const Hint hint{expression, 1};
    auto built = Gate::build(std::span(&hint, 1));
    auto places = Gate::build(std::span(&hint, 1), {}, 0);
    if (!places) continue;  // matches the empty text, which Vectorscan refuses
    ASSERT_TRUE(built);
    gate_ = std::move(*built);
    ASSERT_TRUE(gate_.allocate(scratch_.hs) && places->allocate(scratch_.hs));
    for (int round = 0; round < 2000; ++round) {
      std::string text(random() % (round % 10 == 0 ? 70 : 12), ' ');
      for (char& c : text) c = "abcdefghiABCDEFGHI \n0_"[random() % 22];
      const bool alone = !text.empty() && places->match(0, text, scratch_) != Gate::kNone;
      const bool through = !text.empty() && gate_.scan(text, 1, scratch_) != 0;
      ASSERT_EQ(through, alone) << expression << " in " << text;
      matched += alone ? 1 : 0;
      spared += through ? 0 : 1;
    }
  }
  EXPECT_GT(matched, 3000u);
  EXPECT_GT(spared, 5000u);
}

// The scanner itself, against plain search: its vector code has edges, and on some processors lost matches
// there.
TEST_F(GateTest, NoAlignmentLosesAMatch) {
  struct Row {
    const char* expression;
    const char* match;
  };
  const Row rows[] = {{"[|][a-z]", "|q"},     {"^unix:.*\\|[a-z]{2,10}:", "|http:"},
                      {"[^k0-9u-y:]b", "zb"}, {"<[a-z]", "<s"},
                      {"u.*[ab][cd]", "ad"},  {"(a|b)c.?[<>]", "bc>"}};
  for (const Row& row : rows) {
    const Hint hint{row.expression, 1};
    build(std::span(&hint, 1));
    auto places = Gate::build(std::span(&hint, 1), {}, 0);
    ASSERT_TRUE(places && places->allocate(scratch_.hs));
    std::vector<char> octets(4096, 'k');
    for (std::size_t begin = 0; begin < 64; ++begin) {
      for (const std::size_t pad : {0u, 1u, 7u, 15u, 16u, 31u, 40u, 63u, 64u, 65u, 100u, 127u, 500u, 1000u}) {
        const std::string text = "unix:" + std::string(pad, 'k') + row.match + std::string(pad % 70, 'k');
        std::copy(text.begin(), text.end(), octets.begin() + static_cast<std::ptrdiff_t>(begin));
        const std::string_view placed(octets.data() + begin, text.size());
        ASSERT_NE(places->match(0, placed, scratch_), Gate::kNone)
            << row.expression << " at " << begin << ", " << pad;
        ASSERT_EQ(gate_.scan(placed, 1, scratch_), 1u) << row.expression << " at " << begin << ", " << pad;
      }
    }
  }
}

}  // namespace
}  // namespace wafd::detect
