// Reading a hint on and back from one octet, beside Vectorscan, which scans the whole text.
#include "detect/prefilter/local_matcher.h"

#include <array>
#include <numeric>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <hs/hs.h>

#include "detect/analyzers.h"
#include "detect/prefilter/gate.h"

namespace wafd::detect {
namespace {

constexpr unsigned kFlags = HS_FLAG_CASELESS | HS_FLAG_DOTALL | HS_FLAG_MULTILINE | HS_FLAG_SINGLEMATCH;

bool surround(const LocalMatcher::Surroundings& around, std::string_view text, std::size_t at) {
  const auto stands = [&](const OctetSet& set, std::size_t i) {
    return i < text.size() ? set.has(static_cast<unsigned char>(text[i])) : set.edge;
  };
  bool all = stands(around.here, at);
  for (std::size_t i = 0; i < LocalMatcher::kReach; ++i)
    all = all && stands(around.behind[i], at + i + 1) && stands(around.before[i], at - i - 1);
  return all;
}

// Where a match passes text[at], nothing that stands there may be narrowed away, whatever of it is known.
bool narrowing_keeps(const LocalMatcher& local, std::size_t leaf, std::string_view text, std::size_t at) {
  constexpr std::size_t kAround = 4;
  for (unsigned known = 0; known < 1u << (2 * kAround + 1); known += 7) {
    std::array<OctetSet, 2 * kAround + 1> places;
    places.fill(OctetSet::everything());
    std::array<OctetSet, 2 * kAround + 1> stands{};
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t place = at + i - kAround;
      if (place < text.size()) {
        stands[i].add(static_cast<unsigned char>(text[place]));
      } else {
        stands[i].edge = true;
      }
      if ((known >> i & 1u) != 0) places[i] = stands[i];
    }
    if (!local.narrow(leaf, places, kAround)) return false;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t place = at + i - kAround;
      const bool kept =
          place < text.size() ? places[i].has(static_cast<unsigned char>(text[place])) : places[i].edge;
      if (!kept) return false;
    }
  }
  return true;
}

// By every leaf and every octet of a text.
struct Beside {
  HsDatabase database;
  HsScratch scratch;
  Expression expression;
  LocalMatcher local;

  bool scan(std::string_view text) const {
    bool found = false;
    const auto on_match = [](unsigned, unsigned long long, unsigned long long, unsigned, void* context) {
      *static_cast<bool*>(context) = true;
      return 1;
    };
    scan_block(database.get(), text, scratch.get(), on_match, &found);
    return found;
  }

  // `octets` of further reading, for all leaves and places.
  LocalMatcher::Answer match(std::string_view text, std::size_t octets = 0) const {
    using Answer = LocalMatcher::Answer;
    Answer best = Answer::kNo;
    FurtherReading further;
    further.begin(octets);
    for (std::size_t leaf = 0; leaf < expression.leaves.size(); ++leaf) {
      const LocalMatcher::Surroundings around = local.surroundings(leaf);
      for (std::size_t at = 0; at < text.size(); ++at) {
        const Answer answer = local.match(leaf, text, at, further);
        if (answer != Answer::kNo) {
          EXPECT_TRUE(surround(around, text, at)) << leaf << " at " << at << " of " << text;
          // Narrowing asks for every octet around: one place in eight, another in each text, is plenty.
          if (answer == Answer::kYes && (leaf + at + text.size()) % 8 == 0) {
            EXPECT_TRUE(narrowing_keeps(local, leaf, text, at)) << leaf << " at " << at << " of " << text;
          }
        }
        if (answer == Answer::kPerhaps || best == Answer::kNo) best = answer;
      }
    }
    return best;
  }
};

std::optional<Beside> make(std::string_view text) {
  std::optional<Expression> expression = parse_expression(text);
  if (!expression) return std::nullopt;
  Beside out;
  const Pattern pattern{text, kFlags, 0};
  auto database = compile(std::span(&pattern, 1));
  if (!database) return std::nullopt;
  out.database = std::move(*database);
  hs_scratch* scratch = nullptr;
  if (hs_alloc_scratch(out.database.get(), &scratch) != HS_SUCCESS) return std::nullopt;
  out.scratch.reset(scratch);
  std::vector<std::uint16_t> leaves(expression->leaves.size());
  std::iota(leaves.begin(), leaves.end(), std::uint16_t{0});
  out.local = LocalMatcher::build(*expression, leaves);
  out.expression = std::move(*expression);
  return out;
}

// Texts of up to `most` of the octets that expressions ask about, so that many match and nearly match.
std::string some_text(std::mt19937& dice, const Expression& expression, std::size_t most = 24) {
  std::string text;
  const std::size_t length = std::uniform_int_distribution<std::size_t>(0, most)(dice);
  std::uniform_int_distribution<std::size_t> any_leaf(0, expression.leaves.size() - 1);
  std::size_t leaf = any_leaf(dice);
  for (std::size_t i = 0; i < length; ++i) {
    const unsigned what = static_cast<unsigned>(dice() % 16);
    leaf = what == 0 ? any_leaf(dice) : (leaf + (what < 12 ? 1 : 0)) % expression.leaves.size();
    if (what == 1) {
      text += "\n a0;"[dice() % 5];
      continue;
    }
    const OctetSet& set = expression.leaves[leaf];
    auto c = static_cast<unsigned char>(dice());
    for (unsigned tries = 0; tries < 256 && !set.has(c); ++tries) ++c;
    text += static_cast<char>(c);
  }
  return text;
}

void compare(std::string_view expression, unsigned texts, unsigned seed) {
  const std::optional<Beside> beside = make(expression);
  if (!beside || beside->expression.leaves.empty()) return;
  std::mt19937 dice(seed);
  for (unsigned i = 0; i < texts; ++i) {
    const std::string text = some_text(dice, beside->expression);
    const bool found = beside->scan(text);
    const LocalMatcher::Answer answer = beside->match(text);
    // An expression may match where no octet is read; then no octet is passed.
    if (found && beside->scan("") == false) {
      EXPECT_NE(answer, LocalMatcher::Answer::kNo) << expression << " in " << testing::PrintToString(text);
    }
    if (answer == LocalMatcher::Answer::kYes && !beside->expression.widened) {
      EXPECT_TRUE(found) << expression << " in " << testing::PrintToString(text);
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(LocalMatcher, SaysWhatVectorscanSays) {
  for (const char* expression :
       {"select",    "a|bc",       "colou?r",     "ab{3}c",       "union.*select", "[0-9]+union",
        "^abc$",     "(^|[;,])id", "q(^|x)id",    "\\bword\\b",   "\\b[a-z]+\\b;", "a(b|c+)d",
        "x{2,}y",    "[;|]{2,4}$", "^[ab]*(<|>)", "a(\\b|;)b",    "(a|$)+;?b",     "^[ \\t]*[;|&]",
        "[^\\n]*x$", "(a?b?c?)+d", "a.{0,5}b",    "(x{1,3}y){2}", "\\d+\\.\\d+$",  "a\\b.\\bc"})
    compare(expression, 3000, 1);
}

// Texts longer than what is read at once, so that runs meet places that others came to.
TEST(LocalMatcher, FurtherReadingSaysWhatVectorscanSays) {
  constexpr std::size_t kEnough = 1u << 20;
  std::size_t found = 0;
  std::size_t compared = 0;
  std::size_t perhaps = 0;
  for (const char* expression :
       {"<[^>]*x", "x[^<]*<", "'.*(--|#)", "^[^?#]*@[0-9]", "(//|<!--)[^\n]*\n", "a(bc|cb|[d-f])*g",
        "\\{[^}]*\\([^)]*\\)", "[a-c]+[0-9]+$", "(a.*b|b.*c).*d", "^[ab]+$"}) {
    const std::optional<Beside> beside = make(expression);
    ASSERT_TRUE(beside) << expression;
    ASSERT_TRUE(beside->local.complete()) << expression;
    EXPECT_FALSE(beside->local.certain()) << expression;
    std::mt19937 dice(4);
    for (unsigned i = 0; i < 150; ++i) {
      std::string text = some_text(dice, beside->expression, 300);
      if (text.size() > 40 && i % 2 == 0) text.replace(20, text.size() - 40, text.size() - 40, text[20]);
      const bool there = beside->scan(text);
      const auto answer = beside->match(text, kEnough);
      EXPECT_EQ(answer == LocalMatcher::Answer::kYes, there) << expression << " in " << text;
      found += there ? 1 : 0;
      ++compared;
      perhaps += beside->match(text, 100) == LocalMatcher::Answer::kPerhaps ? 1 : 0;
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(found, 300u);
  EXPECT_GT(compared - found, 200u);
  EXPECT_GT(perhaps, 100u);
}

// A place that every run comes to is read on from once, so that what is read grows as the text does.
TEST(LocalMatcher, FurtherReadingIsMadeOnce) {
  const std::optional<Beside> beside = make("<[^>]*x");
  ASSERT_TRUE(beside);
  for (const std::size_t size : {std::size_t{1000}, std::size_t{16000}}) {
    const std::string text(size, '<');
    FurtherReading further;
    further.begin(size * 1000);
    for (std::size_t at = 0; at < size; ++at)
      EXPECT_EQ(beside->local.match(0, text, at, further), LocalMatcher::Answer::kNo);
    EXPECT_LT(size * 1000 - further.left(), size * 18);
  }
}

TEST(LocalMatcher, WhatItIsSureOf) {
  const auto built = [](std::string_view text) { return make(text)->local; };
  for (const char* expression : {"select", "a[0-9]{1,8}b", "^abc$", "\bword\b"}) {
    EXPECT_TRUE(built(expression).certain()) << expression;
  }
  EXPECT_FALSE(built("[ab]{40}c").certain());
  EXPECT_TRUE(built("[ab]{40}c").complete());
}

TEST(LocalMatcher, SaysWhatVectorscanSaysOfAllHints) {
  unsigned hints = 0;
  for (const auto& analyzer : all_analyzers()) {
    for (const char* hint : analyzer->hints()) {
      // Every leaf is asked at every octet here, so the longest lists are left to the gate's own tests.
      const auto parsed = parse_expression(hint);
      ASSERT_TRUE(parsed) << hint;
      if (parsed->leaves.size() > 200) continue;
      compare(hint, 60, ++hints);
    }
  }
  EXPECT_GT(hints, 100u);
}

TEST(LocalMatcher, AnythingGivesAnAnswer) {
  for (const char* expression : {"", "^", "$", "a?", "(a|b|)*", "\\b"}) {
    const std::optional<Expression> parsed = parse_expression(expression);
    ASSERT_TRUE(parsed) << expression;
    const std::array<std::uint16_t, 1> leaf{0};
    const std::span<const std::uint16_t> leaves(leaf.data(), parsed->leaves.empty() ? 0u : 1u);
    const LocalMatcher local = LocalMatcher::build(*parsed, leaves);
    if (!leaves.empty()) {
      FurtherReading further;
      further.begin(0);
      EXPECT_NE(local.match(0, "a", 0, further), LocalMatcher::Answer::kNo) << expression;
    }
  }
  EXPECT_FALSE(parse_expression("a{5,2}"));
  EXPECT_FALSE(parse_expression("((((a{64}){64}){64}){64})"));
}

}  // namespace
}  // namespace wafd::detect
