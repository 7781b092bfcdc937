#include "detect/prefilter/expression_states.h"

#include <string>

#include <gtest/gtest.h>

#include "detect/prefilter/compiled_sets.h"
#include "detect/prefilter/expression_set.h"

namespace wafd::detect {
namespace {

TEST(ExpressionStates, CountsWhatBoundedRepeatsWriteOut) {
  struct Row {
    const char* expression;
    std::uint32_t states;
  };
  constexpr Row kRows[] = {
      {"", 0},
      {"abc", 3},
      {"a*b+c?", 3},
      {"(ab|cd)e", 5},
      {"a{80}", 80},
      {"a{1,80}", 80},
      {"a{80,}", 80},
      {"a{0}", 1},
      {"a{0,2}", 2},
      {"(ab){1,80}", 160},
      {"((ab){10}c){10}", 210},
      {"(?:a|bc){5}d", 16},
      {"[abc]{3}x", 4},
      {"[]a]{2}[^]]{2}", 4},
      {"[[:alpha:]]{4}", 4},
      {R"([\]]{3}\]{2}\x41{3}\x{41}{2}\d{2})", 12},
      {"a{,5}", 5},  // not a repeat: read as it stands
      {"a{b}", 4},
      {"a.{1,8000}b.{1,8000}c", 16003},
      {"(.{0,30000}x){30000}", 900030000},
      {"((((a{9999}){9999}){9999}){9999})", 4294967295u},
      {"(?i)ab", 2},
      {"(?", 0},
      {"(?<name>ab){3}", 6},
      {"(((a", 1},
      {")a)", 1},
      {"a\\", 2},
  };
  for (const Row& row : kRows) EXPECT_EQ(expression_states(row.expression), row.states) << row.expression;
}

TEST(ExpressionStates, WhatTakesTooLongIsNotCompiled) {
  const std::string_view expression = "a.{1,8000}b.{1,8000}c";
  const auto looked = ExpressionSet::look_at(expression);
  ASSERT_FALSE(looked);
  EXPECT_NE(looked.error().what.find("it has 16003 states, expected at most 4000"), std::string::npos);
  const auto built = ExpressionSet::build(std::span(&expression, 1));
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().what, looked.error().what);
  EXPECT_TRUE(ExpressionSet::look_at("union.{1,40}select"));
  EXPECT_FALSE(ExpressionSet::look_at("(("));
  EXPECT_FALSE(ExpressionSet::look_at("a*"));
}

// Serialised databases are read back, and match as the compiled ones do.
TEST(CompiledSets, AreReadInPlaceOfCompiling) {
  constexpr std::string_view kExpressions[] = {"union\\s+select", "etc/passwd"};
  CompiledSets made;
  ASSERT_TRUE(ExpressionSet::build(kExpressions, {.made = &made}));
  EXPECT_EQ(made.size(), 1u);
  const std::string text = made.text();
  const auto read = CompiledSets::parse(text);
  ASSERT_TRUE(read) << read.error().what;
  const auto set = ExpressionSet::build(kExpressions, {.known = &*read, .compile = false});
  ASSERT_TRUE(set) << set.error().what;
  HsScratch scratch;
  ASSERT_TRUE(set->allocate(scratch));
  std::uint32_t found = 99;
  ASSERT_TRUE(set->scan(
      "x /ETC/passwd", scratch.get(),
      [](void* to, std::uint32_t expression, std::size_t) { *static_cast<std::uint32_t*>(to) = expression; },
      &found));
  EXPECT_EQ(found, 1u);
  const std::string_view other = "elsewhere";
  const auto unknown = ExpressionSet::build(std::span(&other, 1), {.known = &*read, .compile = false});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kUnknown);
  // Whatever byte is damaged or missing, nothing is read.
  for (std::size_t at = 0; at < text.size(); at += 1 + text.size() / 200) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(CompiledSets::parse(damaged)) << at;
    EXPECT_FALSE(CompiledSets::parse(text.substr(0, at))) << at;
  }
}

}  // namespace
}  // namespace wafd::detect
