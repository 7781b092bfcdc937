// A search for the text that costs most, as an attacker would do it: texts are changed at random, and
// whatever costs more is changed further. Steps are counted and the seed is fixed, so that the answer is the
// same on every machine. Once for the analysers alone, once for whole requests with such text in a body or in
// a head. WAFD_COST_ROUNDS: how many changes are tried (tests/long tries many), WAFD_COST_SEED: another seed.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "detect/core/cost_budget.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "tests/detect/steps/hostile_requests.h"
#include "tests/detect/steps/hostile_units.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kTextBytes = 8000;
// All analysers together on a byte of one reading of the text; a step is about a nanosecond.
constexpr std::uint64_t kMostSteps = 1000;
// Of a request, long enough that what it may cost beside its bytes is little.
constexpr std::size_t kRequestBytes = 8000;
// A unit of the budget is about two steps; it may be so many where a text is made for it.
constexpr std::uint64_t kMostStepsOfUnit = 6;
// The dearest analyser on the longest text that it is given at once, begun below the limit.
constexpr std::uint64_t kUnitsOfOneCall = 150 * kRequestBytes;

std::size_t setting(const char* name, std::size_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// A text is its units, said again and again.
using Units = std::vector<std::string>;

struct Candidate {
  Units units;
  std::uint64_t steps = 0;  // a byte; of requests: units
  std::string worst;        // the analyser with most of them
};

class Search {
 public:
  // Of these units: steps a byte, and what is said of the worst.
  using Cost = std::function<void(Candidate&, std::string_view unit)>;
  Search(std::size_t seed, Cost cost) : random_(seed), cost_(std::move(cost)) {}

  // Begins with every one of so many units.
  Candidate run(std::size_t every, std::size_t rounds) {
    for (std::size_t i = pick(every); i < std::size(kHostileUnits); i += every) consider({kHostileUnits[i]});
    for (; rounds > 0; --rounds) consider(changed(best_[pick(best_.size())].units));
    return best_.front();
  }

 private:
  static constexpr std::size_t kKept = 12;
  static constexpr std::size_t kMostUnits = 8;

  std::size_t pick(std::size_t of) { return std::uniform_int_distribution<std::size_t>(0, of - 1)(random_); }
  std::string unit() { return kHostileUnits[pick(std::size(kHostileUnits))]; }

  Units changed(Units units) {
    std::string& one = units[pick(units.size())];
    switch (pick(6)) {
      case 0:
        one = unit();
        break;
      case 1:
        if (units.size() < kMostUnits)
          units.insert(units.begin() + static_cast<std::ptrdiff_t>(pick(units.size())), unit());
        break;
      case 2:
        if (units.size() > 1) units.erase(units.begin() + static_cast<std::ptrdiff_t>(pick(units.size())));
        break;
      case 3:
        if (!one.empty()) one[pick(one.size())] = static_cast<char>(pick(256));
        break;
      case 4:
        if (one.size() < 40) one += one;
        break;
      default:
        one.insert(pick(one.size() + 1), 1, "\\'\"`$%<>/*;|&({[.,:=# \n0a"[pick(26)]);
    }
    return units;
  }

  void consider(Units units) {
    std::string whole;
    for (const std::string& one : units) whole += one;
    if (whole.empty()) return;
    Candidate candidate{std::move(units), 0, {}};
    cost_(candidate, whole);
    const auto place = std::find_if(best_.begin(), best_.end(),
                                    [&](const Candidate& other) { return other.steps < candidate.steps; });
    best_.insert(place, std::move(candidate));
    if (best_.size() > kKept) best_.pop_back();
  }

  std::mt19937_64 random_;
  Cost cost_;
  std::vector<Candidate> best_;  // the most expensive first
};

std::string shown(const Units& units) {
  std::string all;
  for (const std::string& one : units) all += testing::PrintToString(one) + ' ';
  return all;
}

TEST(CostSearch, FindsNoTextThatCostsMoreThanTheLimit) {
  const auto analyzers = all_analyzers();
  const auto cost = [&](Candidate& candidate, std::string_view unit) {
    const std::string text = repeated(unit, kTextBytes);
    std::uint64_t most = 0;
    for (const auto& analyzer : analyzers) {
      const std::uint64_t steps = steps_of(*analyzer, text) / text.size();
      candidate.steps += steps;
      if (steps > most) candidate.worst = std::string(analyzer->name()) + ' ' + std::to_string(steps);
      most = std::max(most, steps);
    }
  };
  const Candidate found = Search(setting("WAFD_COST_SEED", 1), cost).run(1, setting("WAFD_COST_ROUNDS", 300));
  RecordProperty("steps_a_byte", static_cast<int>(found.steps));
  EXPECT_LE(found.steps, kMostSteps) << found.worst << " on " << shown(found.units);
  std::printf("most expensive: %llu steps a byte, %s on %s\n", static_cast<unsigned long long>(found.steps),
              found.worst.c_str(), shown(found.units).c_str());
}

class RequestCostSearch : public testing::TestWithParam<HostileRequest> {};

// The budget counts the steps that are done, and ends the judging.
TEST_P(RequestCostSearch, FindsNoRequestThatCostsMoreThanTheLimit) {
  Engine::Options options;
  options.builtin_rules = false;
  const auto engine = Engine::build({}, options);
  ASSERT_TRUE(engine);
  const auto cost = [&](Candidate& candidate, std::string_view unit) {
    const std::string bytes = GetParam().make(unit, kRequestBytes);
    const auto scratch = (*engine)->make_scratch();  // remembers nothing
    Verdict verdict;
    const std::uint64_t before = steps_so_far();
    (*engine)->inspect(split_request(bytes), *scratch, verdict);
    const std::uint64_t steps = steps_so_far() - before;
    const std::uint64_t units = scratch->work_units();
    candidate.steps = units / bytes.size();
    EXPECT_LE(units, CostBudget::limit_of(bytes.size()) + kUnitsOfOneCall) << shown(candidate.units);
    EXPECT_LE(steps, units * kMostStepsOfUnit) << "a loop that nobody counts, on " << shown(candidate.units);
  };
  const Candidate found = Search(setting("WAFD_COST_SEED", 1), cost).run(10, setting("WAFD_COST_ROUNDS", 10));
  RecordProperty("units_a_byte", static_cast<int>(found.steps));
  std::printf("most expensive: %llu units a byte on %s\n", static_cast<unsigned long long>(found.steps),
              shown(found.units).c_str());
}

INSTANTIATE_TEST_SUITE_P(All, RequestCostSearch, testing::ValuesIn(kHostileRequests),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace wafd::detect
