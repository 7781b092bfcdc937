// LDAP injection: text that leaves the item of a search filter (RFC 4515) into which an application puts it.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_ldap_matcher();

}  // namespace wafd::detect
