// Which analyser is asked how often, for how many octets, and what that costs; and which of its hints wake
// it.
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
  std::uint64_t octets = 0;
  std::uint64_t hits = 0;
  double us = 0;
};

// Every analyser of the product behind one that counts. `costs` must outlive them; one thread.
std::vector<std::unique_ptr<detect::Analyzer>> counted_analyzers(std::vector<AnalyserCost>& costs);

// A copy of every text that an engine without a gate would show to analysers: no hints, finds nothing.
struct SeenText {
  std::string text;
  std::string decode_path;
  Location location = Location::kQuery;
};
std::unique_ptr<detect::Analyzer> text_collector(std::vector<SeenText>& seen);

// One line for each hint and hint word of each analyser, the busiest first: how many of `seen` it matches.
std::string hint_table(const std::vector<SeenText>& seen, std::size_t lines);

}  // namespace wafd::bench
