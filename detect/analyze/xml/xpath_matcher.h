// XPath injection: a value that leaves the predicate it was put in and asks the document something else (W3C
// XPath 1.0; XPath and XQuery functions 3.1). What SQL has too ("' or '1'='1") is left to SQL.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_xpath_matcher();

}  // namespace wafd::detect
