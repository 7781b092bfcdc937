// The effect that an exception would have, computed from the findings that are stored with the events: which
// would pass, which would still be denied by another finding, of which it cannot be known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/event_id.h"
#include "detect/policy/policy.h"
#include "forward/ring/ring.h"

namespace wafd::console {

// Bounds of one preview: the newest events are looked at.
inline constexpr std::size_t kMaxPreviewEvents = 500'000;  // blocked or would-block
inline constexpr std::size_t kMaxPreviewDetails = 50'000;  // whose findings are read
inline constexpr std::size_t kMaxPreviewSources = 20;      // listed

enum class PreviewOutcome : std::uint8_t {
  kUntouched,    // the exception accepts none of its findings
  kPasses,       // nothing is left that denies it
  kStillDenied,  // it accepts a finding, another one still denies
  kUnknown,      // it depends on what the event does not hold (findings left out, a cut path)
};
const char* to_string(PreviewOutcome) noexcept;  // "untouched" | "passes" | "denied" | "unknown"

// One stored event. `sites` gives the sensitivity in force; a site that is gone counts as it did then.
PreviewOutcome preview_outcome(const detect::ExceptionSettings& exception,
                               const std::vector<detect::SiteSettings>& sites,
                               const forward::RecordView& record);

// The answer of POST /exceptions/preview (schema ExceptionPreview). `event`, if given, is the one the
// exception is made from: its outcome is told, and its source is not listed among the others. Reads the ring,
// up to about a second: not for a loop.
boost::json::object preview_exception(const forward::Ring& ring, const detect::ExceptionSettings& exception,
                                      const std::vector<detect::SiteSettings>& sites, const EventId* event);

}  // namespace wafd::console
