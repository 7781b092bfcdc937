// Literals that every match of an expression contains: so that an expression is asked only about texts
// that hold it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect {

// Of these literals (in lower case, each at least two bytes long) one stands in every text that `expression`
// matches without case. Empty: nothing is known, which is always right. `expression` is PCRE syntax as
// Vectorscan takes it; what is not understood counts as anything. Of several answers the one that ordinary
// requests hold least often. Bounded by the expression's length.
std::vector<std::string> required_literals(std::string_view expression);

}  // namespace wafd::detect
