// Every analyser is linear in its text, also in texts made to be slow: steps are counted, so that the answer
// is the same on every machine.
#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "detect/analyze/http/http_violation.h"
#include "detect/analyzers.h"
#include "tests/detect/steps/hostile_units.h"
#include "tests/detect/steps/step_count.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kSmall = 4000;

// Four times the text: four times the steps, and a fifth for tables that grow; a square would be sixteen.
TEST(Steps, OfEveryAnalyzerAreLinearInTheText) {
  std::uint64_t most = 0;
  for (const auto& analyzer : all_analyzers()) {
    for (const char* unit : kHostileUnits) {
      const std::uint64_t small = steps_of(*analyzer, repeated(unit, kSmall));
      const std::uint64_t large = steps_of(*analyzer, repeated(unit, 4 * kSmall));
      EXPECT_GT(small, 0u);
      EXPECT_LE(large, 5 * small + 1000)
          << analyzer->name() << " on " << testing::PrintToString(unit) << ": " << small;
      most = std::max(most, large / (4 * kSmall));
    }
  }
  EXPECT_LT(most, 1000u);  // a step is about a nanosecond
}

// Long runs of one piece between other words, which decide how the run is read; with as many blanks behind
// them, too.
TEST(Steps, OfRunsBetweenWordsAreLinear) {
  const struct {
    const char* head;
    const char* unit;
    const char* tail;
  } kRows[] = {{"x.__class__.", "\n", ".__mro__"},
               {"x.__class__.", " \n", ".__mro__"},
               {"if id", "\n", ";then id"},
               {"{", "\n ", "}"},
               {"1;", "exit();", ""},
               {"hello `", "a` ``b", "` there"},
               {";sh -c '", "\\' ", "'"},
               {"\" @click=\"", "a=", "\""}};
  for (const auto& row : kRows) {
    for (const auto& analyzer : all_analyzers()) {
      const auto steps = [&](std::size_t bytes) {
        return steps_of(*analyzer, row.head + repeated(row.unit, bytes) + row.tail + std::string(bytes, ' '));
      };
      const std::uint64_t small = steps(kSmall);
      EXPECT_LE(steps(4 * kSmall), 5 * small + 1000)
          << analyzer->name() << " on " << row.head << testing::PrintToString(row.unit) << ": " << small;
    }
  }
}

// A pattern of a path is not compared with each of two thousand commands.
TEST(Steps, OfAPatternDoNotDependOnTheCommands) {
  const auto analyzers = all_analyzers();
  const auto shell = std::find_if(analyzers.begin(), analyzers.end(),
                                  [](const auto& analyzer) { return analyzer->name() == "cmd"; });
  ASSERT_NE(shell, analyzers.end());
  for (const char* text :
       {"/*/*/*/*0", "/*/*?z?*q", "/b?n/[x-z]*_*", "/*/????????????????????????????????????"}) {
    const std::uint64_t steps = steps_of(**shell, text);
    EXPECT_LE(steps, 10000u) << text;
  }
}

// The counter itself: a text compared with all of its ends, in our code and in the library's.
TEST(Steps, OfASquareAreSeen) {
  const auto steps_of_square = [](std::size_t size) {
    const std::string text(size, 'a');
    const std::uint64_t before = steps_so_far();
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_EQ(std::string_view(text).substr(i).find('b'), std::string::npos);
    return steps_so_far() - before;
  };
  EXPECT_GT(steps_of_square(4 * kSmall), 10 * steps_of_square(kSmall));
}

std::uint64_t steps_of_request(const std::string& headers, const std::string& body) {
  const auto analyzer = make_http_violation_analyzer();
  const std::string bytes = "POST /a HTTP/1.1\r\nHost: shop.example\r\n" + headers + "\r\n";
  Request request;
  request.head = bytes;
  request.body = body;
  const std::uint64_t before = steps_so_far();
  RequestHead head;
  head.parse(request.head);
  std::vector<RequestHit> hits;
  analyzer->analyze(request, head, hits);
  return steps_so_far() - before;
}

TEST(Steps, OfHttpViolationAreLinearInTheRequest) {
  const auto compare = [](auto headers, auto body) {
    const std::uint64_t small = steps_of_request(headers(1), body(1));
    EXPECT_LE(steps_of_request(headers(4), body(4)), 5 * small) << headers(1).substr(0, 40);
  };
  const auto none = [](std::size_t) { return std::string(); };
  const auto lines = [](std::string_view line) {
    return [line](std::size_t times) { return repeated(line, times * 40000); };
  };
  compare([](std::size_t) { return std::string("Transfer-Encoding: chunked\r\n"); }, lines("1;a\r\nx\r\n"));
  compare(lines("X-A" + std::string(400, '\x01') + ":b\r\n"), none);
  compare(
      [](std::size_t times) {
        return "Transfer-Encoding:\r\n" + repeated(" ,,,,,,,,,,,,,,,,\r\n", times * 40000);
      },
      none);
  for (const char* name : {"Content-Length", "Transfer-Encoding"})
    compare(
        [name](std::size_t times) {
          return std::string(name) + ": " + std::string(times * 40000, ',') + "\r\n";
        },
        none);
}

}  // namespace
}  // namespace wafd::detect
