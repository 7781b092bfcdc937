// 19,000 ordinary values as the value of a parameter, a form and JSON: none is denied at balanced.
#include "tests/support/ordinary/ordinary_values.h"

#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tests/detect/quality/engine_under_test.h"
#include "tests/support/variations/codings.h"
#include "tests/support/variations/raw_request.h"

namespace wafd::detect {
namespace {

using variations::json_escape;
using variations::make_request;
using variations::percent_encode;

constexpr std::size_t kValues = 19000;

TEST(OrdinaryValues, NoneIsDeniedAtBalanced) {
  const std::vector<ordinary::Value> values = ordinary::ordinary_values(kValues, 1);
  ASSERT_EQ(values.size(), kValues);
  std::map<std::string, std::size_t> strict;
  std::set<std::string> found;
  const bool explain = std::getenv("WAFD_EXPLAIN") != nullptr;  // shows what strict denies too
  std::size_t denied = 0;
  for (const ordinary::Value& value : values) {
    const std::string percent = percent_encode(value.text, "._-~");
    const std::string requests[] = {
        make_request("/shop/items?page=3&q=" + percent, "", ""),
        make_request("/shop/note", "application/x-www-form-urlencoded", "id=7&text=" + percent),
        make_request("/api/note", "application/json",
                     R"({"id":7,"text":")" + json_escape(value.text) + "\"}"),
    };
    for (const std::string& request : requests) {
      engine().inspect(request);
      if (!engine().denies(Sensitivity::kStrict)) continue;
      ++strict[value.kind];
      const bool balanced = engine().denies(Sensitivity::kBalanced);
      if (balanced || explain)
        found.insert((balanced ? "balanced " : "strict ") + engine().why() + " <- " + value.text);
      denied += balanced ? 1 : 0;
    }
  }
  EXPECT_EQ(denied, 0u);
  for (const std::string& one : found) fmt::print("{}\n", one);
  // Strict may suspect what balanced lets through; how much is shown, and bounded.
  std::size_t sum = 0;
  for (const auto& [kind, count] : strict) {
    fmt::print("strict denies {} requests with values of kind {}\n", count, kind);
    sum += count;
  }
  EXPECT_LE(sum, 3 * kValues * 4 / 100) << "strict is for sites whose users do not write such things, still";
}

}  // namespace
}  // namespace wafd::detect
