// File inclusion: addresses in place of files that an application reads or runs.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_inclusion_matcher();

}  // namespace wafd::detect
