// Server-side request forgery: addresses that make a server ask itself, its network, its cloud, or services
// that are not the web.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_ssrf_matcher();

}  // namespace wafd::detect
