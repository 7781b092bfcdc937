// Which analyser is asked how often, for how many bytes, and what that costs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "detect/analyze/base/analyzer.h"

namespace wafd::bench {

struct AnalyserCost {
  std::string name;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hits = 0;
  double us = 0;
};

// Every analyser of the product behind one that counts. `costs` must outlive them; one thread.
std::vector<std::unique_ptr<detect::Analyzer>> counted_analyzers(std::vector<AnalyserCost>& costs);

}  // namespace wafd::bench
