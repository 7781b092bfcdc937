// The SQL analyser on any octets: spans inside of the text, one hit a rule, nothing that the gate does not
// announce.
#include <algorithm>
#include <cstdint>

#include "tests/fuzz/analyzer_gate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static wafd::detect::AnalyzerGate gate;
  const auto hits = gate.analyze("sqli", {reinterpret_cast<const char*>(data), size}, false);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) wafd::detect::require(hits[i].rule != hits[j].rule);
  }
  return 0;
}
