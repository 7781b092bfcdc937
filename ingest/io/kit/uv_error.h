// libuv's and errno's codes as Error values for people.
#pragma once

#include <string_view>

#include "detect/core/error.h"

namespace wafd::kit {

// `uv_code` is negative, as libuv returns it. "connect to 10.0.0.5:514: connection refused".
Error uv_error(int uv_code, std::string_view doing);

}  // namespace wafd::kit
