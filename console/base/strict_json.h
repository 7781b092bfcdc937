// Members that stand twice in one object. RFC 8259 section 4 leaves open which of them counts: a request or a
// settings file that could be read in two ways is refused instead.
#pragma once

#include <optional>
#include <string_view>

#include "detect/core/error.h"

namespace wafd::console {

// `json` is sound JSON text (what is not gives nothing here). The error names the member ("sites[2].mode:
// expected once, it is given twice") and the byte behind its second key. Linear but for a look at the names
// of the object.
std::optional<Error> member_given_twice(std::string_view json);

}  // namespace wafd::console
