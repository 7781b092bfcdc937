// The analysers of MongoDB's documents, LDAP filters and XPath on any octets, as values and as names: spans
// inside of the text, nothing that the gate does not announce.
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
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"ldap", "nosql", "xpath"}) {
    gate.analyze(name, text, false);
    gate.analyze(name, text, true);
  }
  return 0;
}
