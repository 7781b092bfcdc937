// The analysers of web attacks on any octets, as values and as names: spans inside of the text, a reason for
// each hit, nothing that the gate does not announce.
#include <cstdint>

#include "tests/fuzz/analyzer_gate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static wafd::detect::AnalyzerGate gate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"xss", "cmd", "path", "inclusion", "ssrf", "php", "java", "deserial", "ssti",
                           "code", "xxe", "crlf", "leak", "upload", "formula"}) {
    gate.analyze(name, text, false);
    gate.analyze(name, text, true);
  }
  return 0;
}
