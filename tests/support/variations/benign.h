// Changes of an ordinary request that say the same to its application: it must stay ordinary.
#pragma once

#include <span>
#include <string>

#include "tests/support/variations/raw_request.h"

namespace wafd::variations {

struct BenignChange {
  const char* name = "";
  bool (*change)(const RawRequest& request, std::string& out) = nullptr;  // false: does not apply
};

std::span<const BenignChange> benign_changes();

}  // namespace wafd::variations
