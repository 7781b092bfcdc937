// The literal index against its slow twin, which compares every literal at every place.
#include "detect/prefilter/literal_index.h"

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

std::set<std::uint32_t> found_in(const LiteralIndex& index, std::string_view text) {
  std::set<std::uint32_t> out;
  index.scan(
      text, [](std::uint32_t) { return false; }, [&](std::uint32_t id) { out.insert(id); });
  return out;
}

std::set<std::uint32_t> by_comparing(const std::vector<std::string>& literals, std::string_view text) {
  std::set<std::uint32_t> out;
  for (std::uint32_t id = 0; id < literals.size(); ++id)
    for (std::size_t at = 0; at < text.size(); ++at)
      if (istarts_with(text.substr(at), literals[id])) out.insert(id);
  return out;
}

LiteralIndex index_of(const std::vector<std::string>& literals) {
  LiteralIndex out;
  for (std::uint32_t id = 0; id < literals.size(); ++id) out.add(literals[id], id);
  out.finish();
  return out;
}

const std::vector<std::string> kLiterals{"sel",    "select", "union select", "<sv",         "@{x",
                                         "../",    "`id`",   "\xff\xfe!",    "javascript:", "aaaa",
                                         "aaaaab", "   ",    "select"};

TEST(LiteralIndex, Table) {
  const LiteralIndex index = index_of(kLiterals);
  struct Row {
    const char* text;
    std::set<std::uint32_t> found;
  };
  const Row rows[] = {
      {"", {}},
      {"s", {}},
      {"se", {}},
      {"sel", {0}},
      {"sEl", {0}},
      {"UNION SELECT", {0, 1, 2, 12}},
      {"union   select", {0, 1, 11, 12}},
      {"x<SV", {3}},
      {"@{x", {4}},
      {"`[x", {}},  // differ from "@{" by the bit of case alone
      {"a/../b", {5}},
      {"`ID`", {6}},
      {"\xff\xfe!", {7}},
      {"aaaaaaab", {9, 10}},
      {"aaaab", {9}},
      {"JavaScript:alert", {8}},
  };
  for (const Row& row : rows) EXPECT_EQ(found_in(index, row.text), row.found) << row.text;
}

// A literal is found at every place of a text, across the blocks in which the text is read.
TEST(LiteralIndex, FindsAtEveryPlace) {
  const LiteralIndex index = index_of(kLiterals);
  for (std::uint32_t id = 0; id < kLiterals.size(); ++id) {
    for (std::size_t before = 0; before < 100; ++before) {
      for (const std::size_t behind : {0u, 1u, 40u}) {
        const std::string text = std::string(before, 'x') + kLiterals[id] + std::string(behind, 'x');
        EXPECT_TRUE(found_in(index, text).contains(id))
            << kLiterals[id] << " at " << before << ", " << behind;
      }
    }
  }
}

TEST(LiteralIndex, FindsWhatComparingFinds) {
  const LiteralIndex index = index_of(kLiterals);
  std::mt19937 random(1);
  std::size_t texts_with = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const std::size_t pieces = random() % 12;
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::string& literal = kLiterals[random() % kLiterals.size()];
      const std::size_t begin = random() % literal.size();
      text += literal.substr(begin, 1 + random() % literal.size());
      if (random() % 4 == 0) text += static_cast<char>(random() % 256);
    }
    for (char& c : text)
      if (random() % 3 == 0 && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    const auto expected = by_comparing(kLiterals, text);
    ASSERT_EQ(found_in(index, text), expected) << testing::PrintToString(text);
    texts_with += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(texts_with, 1000u);
}

TEST(LiteralIndex, WhatIsToBeSkippedIsNotReported) {
  const LiteralIndex index = index_of(kLiterals);
  std::set<std::uint32_t> found;
  index.scan(
      "union select", [](std::uint32_t id) { return id == 1; }, [&](std::uint32_t id) { found.insert(id); });
  EXPECT_EQ(found, (std::set<std::uint32_t>{0, 2, 12}));
}

}  // namespace
}  // namespace wafd::detect
