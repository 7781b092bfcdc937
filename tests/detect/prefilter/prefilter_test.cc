// The prefilter's answer for a text, by patterns of bytes, words and literals.
#include "detect/prefilter/prefilter.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

Prefilter of(const Needs& needs) {
  auto made = Prefilter::build(std::vector<Needs>{needs});
  EXPECT_TRUE(made) << made.error().what;
  return made ? std::move(*made) : Prefilter();
}
bool says_yes(const Prefilter& prefilter, std::string_view text) {
  return prefilter.scan(text, 1).matchers == 1;
}

TEST(Prefilter, AByteOfTheSetIsEnough) {
  const Prefilter prefilter = of({{any_byte("'\"")}});
  EXPECT_TRUE(says_yes(prefilter, "O'Brien"));
  EXPECT_TRUE(says_yes(prefilter, std::string(100, 'a') + '"'));
  EXPECT_FALSE(says_yes(prefilter, "OBrien"));
  EXPECT_FALSE(says_yes(prefilter, ""));
}

TEST(Prefilter, AWordStandsByItself) {
  const Prefilter prefilter = of({{any_word({"union", "information_schema", "base64_decode", "or"})}});
  for (const std::string_view text :
       {"union", "UNION", "1 uNiOn select", "(union)", "1union", "union2", "1.0union 2", "\\Nunion",
        "\xe9union", "union\xa0", "x=INFORMATION_SCHEMA.tables", "base64_decode(1)", "1base64_decode",
        "a or b", "9or8", "'or'", "a-or-b", "1e5or"}) {
    EXPECT_TRUE(says_yes(prefilter, text)) << text;
  }
  for (const std::string_view text :
       {"reunion", "unions", "my_union", "union_", "information_schemas", "base64", "decode", "for", "order",
        "u nion", "aunion", "_or", "1_or", ""}) {
    EXPECT_FALSE(says_yes(prefilter, text)) << text;
  }
}

TEST(Prefilter, WordsOfEveryLengthAreFound) {
  std::string word;
  for (std::size_t size = 1; size <= kMaxVocabularyWordBytes; ++size) {
    word += static_cast<char>('a' + size % 26);
    const Prefilter prefilter = of({{Sign{SignKind::kWords, {word}}}});
    EXPECT_TRUE(says_yes(prefilter, word)) << size;
    EXPECT_TRUE(says_yes(prefilter, " " + word + "(")) << size;
    EXPECT_FALSE(says_yes(prefilter, word + "x")) << size;
    std::string other = word;
    other[size / 2] = other[size / 2] == 'q' ? 'r' : 'q';
    EXPECT_FALSE(says_yes(prefilter, other)) << size;
  }
}

TEST(Prefilter, ALiteralStandsAnywhereAndInAnyCase) {
  const Prefilter prefilter = of({{any_literal({"://", "<script", "v$version", "\\u0"})}});
  for (const std::string_view text :
       {"http://x", "<SCRIPT", "a<sCript", "V$VERSION", "xv$versionx", "\\U0061"})
    EXPECT_TRUE(says_yes(prefilter, text)) << text;
  for (const std::string_view text : {":/", "//", "< script", "v$versio", "$version", "\\u", ":"})
    EXPECT_FALSE(says_yes(prefilter, text)) << text;
}

TEST(Prefilter, TheFirstByteStandsBehindWhiteSpaceAndQuotes) {
  const Prefilter prefilter = of({{any_first("-"), any_byte("x")}});
  for (const std::string_view text : {"-x", " \t-x", "'-x", "\" -x", "-ax"})
    EXPECT_TRUE(says_yes(prefilter, text)) << text;
  for (const std::string_view text : {"x-", "-", "a -x", ""}) EXPECT_FALSE(says_yes(prefilter, text)) << text;
  const Prefilter quoted = of({{any_first("'")}});
  EXPECT_TRUE(says_yes(quoted, " 'a"));
  EXPECT_FALSE(says_yes(quoted, "a'"));
}

TEST(Prefilter, AMarkerIsToldOfItsPlacesAlone) {
  const std::vector<Prefilter::Marker> markers{{"/admin", 1, 1}, {"/admin", 2, 2}, {"root", 3, 3}};
  const auto prefilter = Prefilter::build({}, markers);
  ASSERT_TRUE(prefilter);
  EXPECT_EQ(prefilter->scan("/ADMIN", 0, 1).marked, 2u);
  EXPECT_EQ(prefilter->scan("/admin/root", 0, 2).marked, 12u);
  EXPECT_EQ(prefilter->scan("/admin/root", 0).marked, 14u);
  EXPECT_EQ(prefilter->scan("/admin/root", 0, 4).marked, 0u);
}

// Rules of a site may bring very many, and long ones.
TEST(Prefilter, MarkersWithoutNumberAreTold) {
  std::vector<Prefilter::Marker> markers;
  for (std::uint32_t i = 0; i < 70'000; ++i)
    markers.push_back({"marker" + std::to_string(i) + "x", i % 63, kEveryPlace});
  markers.push_back({std::string(300, 'e') + "zq", 63, kEveryPlace});
  const auto prefilter = Prefilter::build({}, markers);
  ASSERT_TRUE(prefilter);
  for (const std::uint32_t i : {0u, 1u, 65'535u, 65'536u, 69'999u}) {
    EXPECT_EQ(prefilter->scan("a MARKER" + std::to_string(i) + "x b", 0).marked, std::uint64_t{1} << i % 63)
        << i;
  }
  EXPECT_EQ(prefilter->scan(std::string(301, 'e') + "ZQ", 0).marked, std::uint64_t{1} << 63);
  EXPECT_EQ(prefilter->scan("marker70000x", 0).marked, 0u);
}

TEST(Prefilter, AllSignsOfOneNeedMustStand) {
  const Prefilter prefilter = of({{any_byte("'"), any_word({"or", "and"})}, {any_literal({"${"})}});
  EXPECT_TRUE(says_yes(prefilter, "x' or 1"));
  EXPECT_TRUE(says_yes(prefilter, "${"));
  EXPECT_FALSE(says_yes(prefilter, "x' 1"));
  EXPECT_FALSE(says_yes(prefilter, "x or 1"));
}

TEST(Prefilter, MatchersAreAskedOneByOne) {
  const std::vector<Needs> needs{{{any_byte("a")}}, {{any_byte("b")}}, {{any_byte("ab")}}};
  const auto prefilter = Prefilter::build(needs);
  ASSERT_TRUE(prefilter);
  EXPECT_EQ(prefilter->scan("a", 7).matchers, 5u);
  EXPECT_EQ(prefilter->scan("ab", 7).matchers, 7u);
  EXPECT_EQ(prefilter->scan("ab", 2).matchers, 2u);
  EXPECT_EQ(prefilter->scan("c", 7).matchers, 0u);
}

// Texts are read in blocks: what they end must not matter.
TEST(Prefilter, FindsASignWhereverItStands) {
  const std::vector<Needs> needs{{{any_byte("<")}},
                                 {{any_word({"union"})}},
                                 {{any_literal({"=a"})}},
                                 {{any_literal({"--x"})}},
                                 {{any_literal({"${jndi:"})}}};
  const auto prefilter = Prefilter::build(needs);
  ASSERT_TRUE(prefilter);
  const struct {
    std::string_view text;
    std::uint64_t matchers;
  } kRows[] = {{"<", 1},  {"Union", 2}, {"union", 2},    {"12union3", 2}, {"\\Nunion", 2},
               {"=A", 4}, {"--X", 8},   {"${JNDI:", 16}, {"unions", 0},   {"aunion", 0},
               {"=", 0},  {"--", 0},    {"${jndi", 0}};
  for (const auto& row : kRows) {
    for (std::size_t before = 0; before < 140; ++before) {
      for (const std::size_t behind : {0u, 1u, 7u, 64u}) {
        const std::string text = std::string(before, ' ') + std::string(row.text) + std::string(behind, ' ');
        EXPECT_EQ(prefilter->scan(text, 31).matchers, row.matchers)
            << row.text << ' ' << before << ' ' << behind;
      }
    }
  }
  // The padding of the last block is no part of the text.
  const auto spaces =
      Prefilter::build(std::vector<Needs>{{{any_literal({"    "})}}, {{any_literal({"  "})}}});
  ASSERT_TRUE(spaces);
  for (std::size_t size = 0; size < 70; ++size) {
    const std::string text(size, 'x');
    EXPECT_EQ(spaces->scan(text, 3).matchers, 0u) << size;
    EXPECT_EQ(spaces->scan(text + ' ', 3).matchers, 0u) << size;
    EXPECT_EQ(spaces->scan(text + "   ", 3).matchers, 2u) << size;
    EXPECT_EQ(spaces->scan(text + "    ", 3).matchers, 3u) << size;
  }
  // Runs of more bytes than a block has.
  EXPECT_EQ(prefilter->scan(std::string(100, '7') + "union", 31).matchers, 2u);
  EXPECT_EQ(prefilter->scan("union" + std::string(200, '7'), 31).matchers, 2u);
  EXPECT_EQ(prefilter->scan(std::string(100, 'a') + "union", 31).matchers, 0u);
  // Digits before, behind and between letters, wherever a block begins in them.
  for (std::size_t before = 0; before < 140; ++before) {
    const std::string letters(before, 'a');
    for (const std::string_view text : {"1union", "1union2", "12b3union", "1union23b4", "1UNION2"})
      EXPECT_EQ(prefilter->scan(letters + std::string(text), 31).matchers, 2u) << text << ' ' << before;
    for (const std::string_view text : {"1unionb", "1unio2n", "12b3unio"})
      EXPECT_EQ(prefilter->scan(letters + std::string(text), 31).matchers, 0u) << text << ' ' << before;
    EXPECT_EQ(prefilter->scan(std::string(before, ' ') + "union7" + letters, 31).matchers, 2u);
  }
}

TEST(Prefilter, RefusesWhatNoTextCouldHold) {
  const auto refusal = [](const Needs& needs) {
    const auto made = Prefilter::build(std::vector<Needs>{{{any_byte("a")}}, needs});
    return made ? std::string("taken") : std::to_string(made.error().offset) + " " + made.error().what;
  };
  EXPECT_EQ(refusal({{any_byte("")}}), "1 a sign without parts");
  EXPECT_EQ(refusal({Need{}}), "1 a need without signs");
  EXPECT_EQ(refusal({{any_literal({"<"})}}), "1 a part of 1 bytes");
  EXPECT_EQ(refusal({{any_word({"Union"})}}), "1 \"Union\" is not in lower case");
  EXPECT_EQ(refusal({{Sign{SignKind::kWords, {std::string(65, 'a')}}}}),
            "1 \"" + std::string(65, 'a') + "\" is longer than a word can be");
}

}  // namespace
}  // namespace wafd::detect
