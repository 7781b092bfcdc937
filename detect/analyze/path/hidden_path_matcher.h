// Information leak: request paths to what a server should not serve: hidden files and folders, and copies
// that editors, tools and databases leave behind.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_hidden_path_matcher();

}  // namespace wafd::detect
