// The configuration of receivers that comes with wafd (packaging/receivers), built into the program.
#pragma once

#include <string_view>

namespace wafd::console {

// The text of "rsyslog.conf" and the like; empty if there is none of that name.
std::string_view receiver_snippet(std::string_view file) noexcept;

}  // namespace wafd::console
