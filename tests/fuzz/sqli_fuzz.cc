// The SQL analyser on any bytes: spans inside of the text, one hit a rule.
#include "tests/fuzz/analyzer_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafd::detect;
  const std::string_view text = input(data, size);
  const auto hits = the_prefilter().analyze("sqli", text, false);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) require(hits[i].rule != hits[j].rule);
  }
  return 0;
}
