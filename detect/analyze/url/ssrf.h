// Server-side request forgery: addresses that lead a server to itself, its network or its cloud's metadata.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_ssrf_analyzer();

}  // namespace wafd::detect
