// XML that makes its reader fetch, expand without end, or include: external entities, XInclude, foreign DTDs.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_xxe_analyzer();

}  // namespace wafd::detect
