// Which findings of many are kept, and that those which would not be kept are known before they are made.
#include "detect/findings.h"

#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

constexpr std::optional<Sensitivity> kDenials[] = {std::nullopt, Sensitivity::kLow, Sensitivity::kBalanced,
                                                   Sensitivity::kStrict};

TEST(Findings, WhatMayNotBeAddedWouldNotHaveBeenKept) {
  const std::vector<Rule> rules(3);
  std::mt19937 random(7);
  std::size_t left_out = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<Finding> findings;
    for (int i = 0; i < 30; ++i) {
      Finding finding;
      finding.rule = &rules[random() % rules.size()];
      finding.denies_from = kDenials[random() % std::size(kDenials)];
      finding.raw_begin = static_cast<std::uint32_t>(random() % 20);
      finding.raw_end = finding.raw_begin + 2;
      finding.payload = std::to_string(i);
      const bool may = may_add(*finding.rule, finding.denies_from, findings);
      const std::string payload = finding.payload;
      add_finding(std::move(finding), findings);
      if (may) continue;
      ++left_out;
      for (const Finding& kept : findings) EXPECT_NE(kept.payload, payload);
    }
  }
  EXPECT_GT(left_out, 1000u);
}

TEST(Findings, ARuleIsShownUpToItsShareAndAGraverOneStill) {
  const std::vector<Rule> rules(2);
  std::vector<Finding> findings;
  for (std::uint32_t i = 0; i < kMaxFindingsPerRule; ++i) {
    EXPECT_TRUE(may_add(rules[0], Sensitivity::kStrict, findings));
    Finding finding;
    finding.rule = &rules[0];
    finding.denies_from = Sensitivity::kStrict;
    finding.raw_begin = 10 * i;
    finding.raw_end = finding.raw_begin + 1;
    add_finding(std::move(finding), findings);
  }
  EXPECT_EQ(findings.size(), kMaxFindingsPerRule);
  EXPECT_FALSE(may_add(rules[0], Sensitivity::kStrict, findings));
  EXPECT_FALSE(may_add(rules[0], std::nullopt, findings));
  EXPECT_TRUE(may_add(rules[0], Sensitivity::kBalanced, findings));
  EXPECT_TRUE(may_add(rules[1], std::nullopt, findings));
}

}  // namespace
}  // namespace wafd::detect
