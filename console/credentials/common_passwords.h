// Long passwords that everyone tries first.
#pragma once

#include <string_view>

namespace wafd::console {

// `lower`: the password in lower case. Also recognised with digits and punctuation around it and with the
// usual substitutions of letters (0 for o, 1 for i, 3 for e, 4 and @ for a, 5 and $ for s, 7 for t).
bool is_common_password(std::string_view lower);

}  // namespace wafd::console
