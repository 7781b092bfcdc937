// CR LF injection: line ends in a value that would add header fields or a second message to a response, mail
// or log.
#pragma once

#include <memory>

#include "detect/analyze/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_header_injection_analyzer();

}  // namespace wafd::detect
