// The detail block of an event: JSON for the console alone, with every finding and why the action was what it
// was. Format: detect/core/RECORD.md, "The detail block".
#pragma once

#include <string>

#include "detect/core/request.h"
#include "detect/core/verdict.h"
#include "detect/policy/policy.h"
#include "detect/redact/masking.h"

namespace wafd::detect {

// Findings written; more are counted in `findings_left_out`.
inline constexpr std::size_t kMaxDetailFindings = 64;

// Parts of the request as they stand in the record, so that spans point into its members.
struct MaskedRequest {
  const MaskedText& head;  // `req_header_raw`
  const MaskedText& body;  // `body`
};

std::string make_detail(const Request& request, const Verdict& verdict, const Decision& decision,
                        Enforcement enforcement, const MaskedRequest& masked, const Masker& masker);

}  // namespace wafd::detect
