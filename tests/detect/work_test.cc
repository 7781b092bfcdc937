// Work is linear in the request: counted in units, so that the answer is the same on every machine.
#include "detect/core/work.h"

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

std::uint64_t units_of(const std::string& octets, bool& limited) {
  static const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  full_engine().inspect(split_request(octets), *scratch, verdict);
  limited = verdict.limit_reached;
  return scratch->work_units();
}

// Four times the octets: four times the work, what the overlap of pieces adds (a seventh), and analysers that
// wake in later pieces alone: below six times; a square would be sixteen. What reaches a limit is not
// compared.
TEST(Work, IsLinearInTheOctetsOfEveryShape) {
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

// Beyond the total nothing but a few units an octet is added: for texts that are left out, for signatures.
TEST(Work, EndsAtTheTotal) {
  constexpr std::size_t kOctets = 1u << 20;
  for (const bench::Shape& shape : bench::shapes()) {
    bool limited = false;
    EXPECT_LE(units_of(shape.make(kOctets), limited), Work::kTotalUnits + 2 * kOctets) << shape.name;
  }
}

TEST(Work, IsCountedAnewForEachRequestAndTheSameAgain) {
  const std::string octets = "GET /?q=%27%20or%201%3D1-- HTTP/1.1\r\nHost: a.example\r\n\r\n";
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  full_engine().inspect(split_request(octets), *scratch, verdict);
  const std::uint64_t first = scratch->work_units();
  EXPECT_GT(first, octets.size() / 2);
  full_engine().inspect(split_request(octets), *scratch, verdict);
  EXPECT_EQ(scratch->work_units(), first);
}

}  // namespace
}  // namespace wafd::detect
