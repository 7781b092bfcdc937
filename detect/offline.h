// Judging stored requests without a gateway: what `wafd inspect` and the quality bench share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detect/core/request.h"
#include "detect/core/verdict.h"

namespace wafd::detect {

// A raw HTTP request in one piece: the head ends at the first empty line, the rest is the body
// (Content-Length is not looked at). Views into `bytes`.
Request split_request(std::string_view bytes) noexcept;

// Index of the finding that a verdict rests on at this sensitivity: the weightiest of those that deny (risk,
// then the lowest sensitivity that denies, then the order of match), or -1.
int deciding_finding(const Verdict& verdict, Sensitivity sensitivity) noexcept;

}  // namespace wafd::detect
