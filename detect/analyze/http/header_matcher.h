// Header injection: a value that ends the line into which an application puts it, and goes on with fields, an
// answer, a request or a mail of its own (RFC 9112, RFC 5322; CWE-93, CWE-113).
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_header_matcher();

}  // namespace wafd::detect
