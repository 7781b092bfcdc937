#include "forward/query_sql/trigram_signature.h"

#include <algorithm>
#include <bit>
#include <random>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"

namespace wafd::forward {
namespace {

std::string signature_of(std::string_view text) {
  TrigramSignature signature;
  signature.add(text);
  return signature.text();
}

int bits_of(const std::string& signature) {
  int bits = 0;
  for (const char c : signature.substr(1)) bits += std::popcount(static_cast<unsigned>(hex_value(c)));
  return bits;
}

bool holds(const std::string& all, const std::string& some) {
  for (std::size_t i = 1; i < all.size(); ++i)
    if ((hex_value(some[i]) & ~hex_value(all[i])) != 0) return false;
  return true;
}

std::string random_text(std::mt19937& random, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(random());
  return out;
}

TEST(TrigramSignature, IsThatOfEachThreeBytesTogether) {
  std::mt19937 random(7);
  for (std::size_t size = 0; size < 100; ++size) {
    const std::string text = random_text(random, size);
    TrigramSignature one_by_one;
    for (std::size_t at = 0; at + 3 <= size; ++at) one_by_one.add(std::string_view(text).substr(at, 3));
    EXPECT_EQ(signature_of(text), one_by_one.text()) << size;
    EXPECT_EQ(one_by_one.empty(), size < 3) << size;
    EXPECT_LE(bits_of(one_by_one.text()), std::max(0, static_cast<int>(size) - 2)) << size;
  }
}

TEST(TrigramSignature, OfAPartIsAPartWhateverItsCase) {
  std::mt19937 random(8);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random_text(random, 1 + random() % 300);
    const std::size_t at = random() % text.size();
    std::string part = text.substr(at, random() % 40);
    for (char& c : part)
      if (is_lower(c)) c = static_cast<char>(c - 32);
    EXPECT_TRUE(holds(signature_of(text), signature_of(part)));
    EXPECT_TRUE(holds(signature_of(text), signature_of(to_lower(part))));
  }
}

// Rows are stored with it: the same texts must give the same bits in every version of wafd.
TEST(TrigramSignature, StaysAsItIsStored) {
  const std::string empty = signature_of("ab"), union_select = signature_of("UNION select");
  EXPECT_EQ(empty, "x" + std::string(256, '0'));
  EXPECT_EQ(bits_of(union_select), 10);
  std::string places;
  for (std::size_t at = 1; at < union_select.size(); ++at)
    if (union_select[at] != '0') places += std::to_string(at) + union_select[at] + " ";
  EXPECT_EQ(places, "38 91 452 1074 1232 1602 1804 1811 2124 2204 ");
  EXPECT_FALSE(holds(signature_of("union all select"), union_select));
}

}  // namespace
}  // namespace wafd::forward
