// XML that makes its reader fetch, expand without end, include or run: external entities, foreign definitions
// and schemas (XML 1.0, XML Schema 1.1), XInclude 1.0, XSLT.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_xxe_matcher();

}  // namespace wafd::detect
