// Uploads that a server would run, or by which it would be taken over: names and contents of files (CWE-434).
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_upload_matcher();

}  // namespace wafd::detect
