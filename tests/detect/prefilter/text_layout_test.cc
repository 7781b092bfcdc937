// How a text is laid out for the index of factors, beside what one octet after the other says.
#include "detect/prefilter/text_layout.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "detect/prefilter/pair_octets.h"

namespace wafd::detect {
namespace {

std::string word_key_of(std::string text) {
  text.resize(4);
  unsigned char folded[4];
  for (std::size_t i = 0; i < 4; ++i) folded[i] = folded_octet(static_cast<unsigned char>(text[i]));
  const std::uint32_t key = word_key(folded);
  std::string out;
  for (unsigned i = 0; i < 4; ++i) {
    const char c = static_cast<char>(key >> (8 * i) & 0xff);
    out += c >= 'a' ? c : static_cast<char>('0' + c);
  }
  return out;
}

TEST(TextLayout, KeysEndWithTheWord) {
  struct Row {
    const char* text;
    const char* key;  // digits: what a letter is not, and nothing behind it
  };
  const Row rows[] = {
      {"select", "sele"},
      {"SeLeCt", "sele"},
      {"id=1", "id10"},
      {"id1x", "id10"},
      {"id_x", "id20"},
      {"id/x", "id00"},
      {"a.bc", "a000"},
      {"\xc3\xa4"
       "bc",
       "0000"},
      {"abc", "abc0"},
      {"ab@c", "ab00"},
  };
  for (const Row& row : rows) EXPECT_EQ(word_key_of(row.text), row.key) << row.text;
}

// Pairs of a few octets, some of them of words.
std::vector<std::uint16_t> some_pairs(std::mt19937& random) {
  const std::string_view octets("\x00/'\"(=-%az09_Z\x80\xfe", 17);
  std::vector<std::uint16_t> slots(PairSlots::kPairs, PairSlots::kNone);
  for (std::uint16_t i = 1; i < 12; ++i) {
    const auto first = static_cast<unsigned char>(octets[random() % octets.size()]);
    const auto second = static_cast<unsigned char>(octets[random() % octets.size()]);
    slots[PairSlots::number(first, second)] = i;
  }
  return slots;
}

std::string some_text(std::mt19937& random, std::size_t size) {
  const std::string_view common("\x00/'\"(=-%az09_Z\x80\xfe\xff[{@`A", 22);
  std::string text(size, ' ');
  for (char& c : text)
    c = random() % 4 == 0 ? static_cast<char>(random() & 0xff) : common[random() % common.size()];
  return text;
}

TEST(TextLayout, MarksWhatOneOctetAfterTheOtherShows) {
  std::mt19937 random(9);
  TextLayout layout;
  std::size_t pairs = 0;
  std::size_t marks = 0;
  std::size_t places = 0;
  for (int round = 0; round < 400; ++round) {
    const std::vector<std::uint16_t> slots = some_pairs(random);
    const PairSlots pair_slots(slots);
    const PairMarks pair_marks(PairOctets::of(slots));
    const std::string text = some_text(random, random() % 200);
    layout.begin(text, pair_marks);
    for (std::size_t i = 0; i < TextLayout::kPad; ++i) {
      EXPECT_EQ(layout.octets()[text.size() + i], kOutside);
      EXPECT_EQ(*(layout.octets() - 1 - i), kOutside);
    }
    bool letter_before = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const unsigned char octet = inside(static_cast<unsigned char>(text[i]));
      ASSERT_EQ(layout.octets()[i], octet);
      ASSERT_EQ(layout.folded()[i], folded_octet(octet));
      const bool letter = (folded_octet(octet) & kFoldedLetter) != 0;
      const std::size_t number = i / TextLayout::kMarks;
      const std::size_t bit = i % TextLayout::kMarks;
      ASSERT_EQ((layout.word_starts(number) >> bit & 1) != 0, letter && !letter_before)
          << text << " at " << i;
      letter_before = letter;
      const bool marked = (layout.pairs(number) >> bit & 1) != 0;
      marks += marked ? 1 : 0;
      ++places;
      if (i + 1 == text.size()) continue;
      const std::uint16_t slot =
          slots[PairSlots::number(octet, inside(static_cast<unsigned char>(text[i + 1])))];
      ASSERT_EQ(pair_slots.at(layout.octets() + i), slot);
      pairs += slot != PairSlots::kNone ? 1 : 0;
      ASSERT_TRUE(marked || slot == PairSlots::kNone) << text << " at " << i;
    }
    const std::size_t behind = text.size() % TextLayout::kMarks;
    if (behind != 0) {
      EXPECT_EQ(layout.word_starts(text.size() / TextLayout::kMarks) >> behind, 0u);
      EXPECT_EQ(layout.pairs(text.size() / TextLayout::kMarks) >> behind, 0u);
    }
  }
  EXPECT_GT(pairs, 500u);
  EXPECT_LT(marks, places);
}

}  // namespace
}  // namespace wafd::detect
