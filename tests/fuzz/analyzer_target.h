// The beginning of every fuzz target of analysers: the prefilter, made once, and its property.
#pragma once

#include <cstdint>

#include "tests/fuzz/analyzer_prefilter.h"

namespace wafd::detect {

inline AnalyzerPrefilter& the_prefilter() {
  static AnalyzerPrefilter prefilter;
  return prefilter;
}

// The bytes of one execution.
inline std::string_view input(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace wafd::detect

// Made before the time of the run begins: under the sanitizers it takes many seconds.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  wafd::detect::the_prefilter();
  return 0;
}
