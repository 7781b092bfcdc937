// CR LF injection: line ends in a value that would add header fields or a second message to a response, mail
// or log.
//
// Lines of text are ordinary; a field behind one is an attack where an application would have put one line.
// So a field is judged by its own grammar (RFC 9110, RFC 6265, RFC 5322) and by what stands before it: prose,
// a message or a document of "name: value" lines makes it a matter of `strict`.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_header_injection_analyzer();

}  // namespace wafd::detect
