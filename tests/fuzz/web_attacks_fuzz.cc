// The analysers of web attacks on any bytes, as values and as names: spans inside of the text, a reason for
// each hit.
#include "tests/fuzz/analyzer_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafd::detect;
  const std::string_view text = input(data, size);
  for (const char* name : {"xss", "cmd", "path", "inclusion", "ssrf", "php", "java", "deserial", "ssti",
                           "code", "interpreter", "xxe", "crlf", "leak", "upload", "formula"}) {
    the_prefilter().analyze(name, text, false);
    the_prefilter().analyze(name, text, true);
  }
  return 0;
}
