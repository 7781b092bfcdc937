// NoSQL injection: operators of MongoDB where a value was expected, and JavaScript or JSON that leaves the
// string it was put in.
//
// Three ways in: a parameter name that makes an object of a value (user[$ne]=1), a JSON key that is an
// operator
// ({"user":{"$gt":""}}), and text that closes a string inside of a $where function or a query document.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_nosql_analyzer();

}  // namespace wafd::detect
