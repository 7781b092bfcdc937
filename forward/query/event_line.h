// One event as a line for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace wafd::forward {

// `record`: the 58 members as the ring has them. Ends with a line end; long members are cut, and what would
// reorder text is escaped.
std::string event_line(std::string_view record);

}  // namespace wafd::forward
