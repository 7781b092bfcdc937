// XPath injection (XPath 1.0 and 2.0): a value that closes the literal or predicate it was put in and asks
// the document something else.
//
// What SQL has too ("' or '1'='1") is left to the SQL analyser; here it must be a path, an axis or a function
// of XPath on a node set.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_xpath_analyzer();

}  // namespace wafd::detect
