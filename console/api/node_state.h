// The node as alert rules see it, and sendings as the audit log has them.
#pragma once

#include <string>
#include <vector>

#include "console/api/services.h"
#include "forward/notify/node_state.h"
#include "forward/notify/notifier.h"

namespace wafd::console {

// Below this share of the ring in use its reach is a guess that nobody is told of.
inline constexpr double kTellingShare = 0.1;
// A receiver that acknowledges nothing for longer than this is not well.
inline constexpr std::int64_t kUnacknowledgedMs = 30'000;

forward::NodeState node_state(const StatusReport& report, const std::vector<forward::TargetStatus>& statuses,
                              const Settings& settings, const RingStatus& ring);

// The reason why this node does not use the newest settings, or a part of them: one line for people, empty if
// it uses them all.
std::string settings_notice(const SettingsStore& settings, const StatusReport& report);

// Asks workers and delivery, and gives what they say to the notifier. Console loop.
void observe(Services& services);

AuditEntry audit_of(const forward::SendRecord& record);

RingStatus ring_status(const forward::Ring& ring, std::int64_t now_ms);

}  // namespace wafd::console
