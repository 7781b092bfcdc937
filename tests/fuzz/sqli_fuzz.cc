// The SQL analyser on any octets: spans inside of the text, one hit a rule, nothing that the gate does not
// announce.
#include <algorithm>
#include <cstdint>

#include "tests/fuzz/analyzer_gate.h"

namespace {

wafd::detect::AnalyzerGate& the_gate() {
  static wafd::detect::AnalyzerGate gate;
  return gate;
}

}  // namespace

// Made before the time of the run begins: under the sanitizers it takes many seconds.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  the_gate();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wafd::detect::AnalyzerGate& gate = the_gate();
  const auto hits = gate.analyze("sqli", {reinterpret_cast<const char*>(data), size}, false);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) wafd::detect::require(hits[i].rule != hits[j].rule);
  }
  return 0;
}
