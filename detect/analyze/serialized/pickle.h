// Calls in pickles (Python library, pickletools): GLOBAL and STACK_GLOBAL name a function of a module.
#pragma once

#include <string_view>

namespace wafd::detect::serialized {

// A function of a module of modules.tsv is named. `bytes` are the pickle, or text in which one of protocol 0
// stands. Linear time.
bool pickle_calls(std::string_view bytes) noexcept;
// The same of a file that is a pickle of protocol 2 or later: of modules that run commands, which no model
// and no data set names.
bool pickle_file_runs(std::string_view bytes) noexcept;

}  // namespace wafd::detect::serialized
