// The analysers of web attacks on any octets, as values and as names: spans inside of the text, a reason for
// each hit; the gate says what the hints say.
#include "tests/fuzz/analyzer_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafd::detect;
  const std::string_view text = input(data, size);
  require(the_gate().says_what_hints_say(text));
  for (const char* name : {"xss", "cmd", "path", "inclusion", "ssrf", "php", "java", "deserial", "ssti",
                           "code", "interpreter", "xxe", "crlf", "leak", "upload", "formula"}) {
    the_gate().analyze(name, text, false);
    the_gate().analyze(name, text, true);
  }
  return 0;
}
