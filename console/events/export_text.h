// Records as the lines of an export.
#pragma once

#include <string>
#include <string_view>

#include "console/events/streams.h"

namespace wafd::console {

void append_csv_head(std::string& out);  // the names of the 58 members
void append_exported(std::string_view record, ExportFormat format, std::string& out);

}  // namespace wafd::console
