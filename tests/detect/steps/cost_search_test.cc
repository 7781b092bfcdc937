// What text costs most? Looked for as an attacker would: texts are changed at random, and whatever costs more
// is changed further. Steps are counted and the seed is fixed, so that the answer is the same on every
// machine. WAFD_COST_ROUNDS: how many changes are tried (default: 300; tests/long tries many),
// WAFD_COST_SEED: another seed.
#include <algorithm>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "tests/detect/steps/hostile_units.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kTextBytes = 8000;
// All analysers together on a byte of one reading of the text; a step is about a nanosecond.
constexpr std::uint64_t kMostSteps = 1000;

std::size_t setting(const char* name, std::size_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// A text is its units, said again and again.
using Units = std::vector<std::string>;

struct Candidate {
  Units units;
  std::uint64_t steps = 0;  // a byte
  std::string worst;        // the analyser with most of them
};

class Search {
 public:
  explicit Search(std::size_t seed) : random_(seed) {}

  Candidate run(std::size_t rounds) {
    for (const char* unit : kHostileUnits) consider({unit});
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
    const std::string text = repeated(whole, kTextBytes);
    Candidate candidate{std::move(units), 0, {}};
    std::uint64_t most = 0;
    for (const auto& analyzer : analyzers_) {
      const std::uint64_t steps = steps_of(*analyzer, text) / text.size();
      candidate.steps += steps;
      if (steps > most) candidate.worst = std::string(analyzer->name()) + ' ' + std::to_string(steps);
      most = std::max(most, steps);
    }
    const auto place = std::find_if(best_.begin(), best_.end(),
                                    [&](const Candidate& other) { return other.steps < candidate.steps; });
    best_.insert(place, std::move(candidate));
    if (best_.size() > kKept) best_.pop_back();
  }

  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Analyzer>> analyzers_ = all_analyzers();
  std::vector<Candidate> best_;  // the most expensive first
};

TEST(CostSearch, FindsNoTextThatCostsMoreThanTheLimit) {
  const Candidate found = Search(setting("WAFD_COST_SEED", 1)).run(setting("WAFD_COST_ROUNDS", 300));
  std::string units;
  for (const std::string& one : found.units) units += testing::PrintToString(one) + ' ';
  RecordProperty("steps_a_byte", static_cast<int>(found.steps));
  EXPECT_LE(found.steps, kMostSteps) << found.worst << " on " << units;
  std::printf("most expensive: %llu steps a byte, %s on %s\n", static_cast<unsigned long long>(found.steps),
              found.worst.c_str(), units.c_str());
}

}  // namespace
}  // namespace wafd::detect
