// The status document (GET /api/v1/status) over the admin socket, for `wafd doctor` and `wafd health`.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "console/api/services.h"

namespace wafd::console {

inline constexpr std::string_view kAskForStatus = R"({"command":"status"})";
bool asks_for_status(std::string_view line);

// {"ok":true,"status":{…}}, on the console loop, after every worker and the delivery loop have said theirs.
void answer_status(Services& services, std::function<void(std::string)> answer);

}  // namespace wafd::console
