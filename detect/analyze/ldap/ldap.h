// LDAP filter injection (RFC 4515): a value that closes the filter item it was put in and opens another.
//
// Inside of "(uid=VALUE)" the text is read as a filter: a parenthesis that the value did not open closes the
// item; what opens behind it must be an item (attribute, operator) or a set ("&", "|", "!").
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_ldap_analyzer();

}  // namespace wafd::detect
