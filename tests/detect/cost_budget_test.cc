// What judging costs is linear in the request: counted in units, so that the answer is the same everywhere.
#include "detect/core/cost_budget.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/detect/shapes.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "tests/detect/full_engine.h"

namespace wafd::detect {
namespace {

std::uint64_t units_of(const std::string& bytes, bool& limited) {
  static const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  full_engine().inspect(split_request(bytes), *scratch, verdict);
  limited = verdict.limit_reached;
  return scratch->work_units();
}

// Four times the bytes: four times the work, what the overlap of pieces adds (a seventh), and analysers that
// wake in later pieces alone: below six times; a square would be sixteen. What reaches a limit is not
// compared.
TEST(CostBudget, IsLinearInTheBytesOfEveryShape) {
  std::size_t compared = 0;
  for (const bench::Shape& shape : bench::shapes()) {
    for (const std::size_t size : {4000u, 16000u}) {
      bool limited = false;
      bool limited_too = false;
      const std::uint64_t small = units_of(shape.make(size), limited);
      const std::uint64_t large = units_of(shape.make(4 * size), limited_too);
      EXPECT_GT(small, size) << shape.name;
      if (limited || limited_too) continue;
      EXPECT_LE(large, 6 * small) << shape.name << " of " << size << ": " << small << ", " << large;
      ++compared;
    }
  }
  EXPECT_GE(compared, 25u);
}

// A megabyte of whatever shape costs no more than 200 units a byte, further decodings included.
TEST(CostBudget, OfEveryShapeIsBoundedForEachByte) {
  constexpr std::size_t kBytes = 1u << 20;
  for (const bench::Shape& shape : bench::shapes()) {
    bool limited = false;
    EXPECT_LE(units_of(shape.make(kBytes), limited), 200 * kBytes) << shape.name;
  }
}

// Also of bodies in which no matcher reads anything.
TEST(CostBudget, SeesTheReadingOfABody) {
  std::string binary(300'000, '\0');
  for (std::size_t i = 0; i < binary.size(); ++i) binary[i] = static_cast<char>(i * 37 % 251);
  bool limited = false;
  for (const char* type : {"image/png", "application/octet-stream", "text/xml", "application/json"}) {
    const std::string head = std::string("POST / HTTP/1.1\r\nContent-Type: ") + type + "\r\n\r\n";
    EXPECT_GE(units_of(head + binary, limited), CostBudget::kDecodeUnits * binary.size()) << type;
  }
}

TEST(CostBudget, AFieldCannotUseUpAnothersShare) {
  CostBudget budget;
  budget.begin_request();
  budget.begin_field(10);
  EXPECT_TRUE(budget.take(10 * CostBudget::kUnitsPerByte));
  EXPECT_TRUE(budget.take(CostBudget::kUnitsPerField));
  EXPECT_FALSE(budget.take(1));
  budget.begin_field(10);
  EXPECT_TRUE(budget.take(10 * CostBudget::kUnitsPerByte + CostBudget::kUnitsPerField));
  EXPECT_EQ(budget.used(), 2 * (10 * CostBudget::kUnitsPerByte + CostBudget::kUnitsPerField));
}

TEST(CostBudget, WhatAFieldLeavesOfTheSharedUnitsIsThereForTheNext) {
  CostBudget budget;
  budget.begin_request();
  for (int i = 0; i < 1000; ++i) budget.begin_field(0);
  EXPECT_TRUE(budget.take(CostBudget::kUnitsPerField));
  for (std::uint64_t left = CostBudget::kSharedUnits - CostBudget::kUnitsPerField; left != 0;) {
    budget.begin_field(0);
    const std::uint64_t part = std::min(left, CostBudget::kUnitsPerField);
    ASSERT_TRUE(budget.take(part));
    left -= part;
  }
  budget.begin_field(1);
  EXPECT_TRUE(budget.take(CostBudget::kUnitsPerByte)) << "its bytes have units of their own";
  EXPECT_FALSE(budget.take(1));
}

TEST(CostBudget, IsCountedAnewForEachRequestAndTheSameAgain) {
  const std::string bytes = "GET /?q=%27%20or%201%3D1-- HTTP/1.1\r\nHost: a.example\r\n\r\n";
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  full_engine().inspect(split_request(bytes), *scratch, verdict);
  const std::uint64_t first = scratch->work_units();
  EXPECT_GT(first, bytes.size() / 2);
  full_engine().inspect(split_request(bytes), *scratch, verdict);
  EXPECT_EQ(scratch->work_units(), first);
}

}  // namespace
}  // namespace wafd::detect
