// The status document (GET /api/v1/status) over the admin socket, for `wafd doctor` and `wafd health`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "console/api/services.h"
#include "telemetry/metrics.h"

namespace wafd::console {

inline constexpr std::string_view kAskForStatus = R"({"command":"status"})";
bool asks_for_status(std::string_view line);

// {"ok":true,"status":{…}}, on the console loop, after every worker and the delivery loop have said theirs.
void answer_status(Services& services, std::function<void(std::string)> answer);

// What GET /metrics shows, likewise on the console loop.
void collect_metrics(Services& services, std::function<void(std::vector<telemetry::MetricFamily>)> then);

}  // namespace wafd::console
