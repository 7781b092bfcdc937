#include "ingest/io/kit/uv_error.h"

#include <fmt/format.h>
#include <uv.h>

namespace wafd::kit {

Error uv_error(int uv_code, std::string_view doing) {
  ErrorCode code = ErrorCode::kIo;
  switch (uv_code) {
    case UV_EADDRINUSE:
      code = ErrorCode::kConflict;
      break;
    case UV_EACCES:
    case UV_EPERM:
      code = ErrorCode::kDenied;
      break;
    case UV_EMFILE:
    case UV_ENFILE:
    case UV_ENOMEM:
    case UV_ENOBUFS:
      code = ErrorCode::kResource;
      break;
    case UV_ENOENT:
      code = ErrorCode::kMissing;
      break;
    case UV_EMSGSIZE:
      code = ErrorCode::kTooLarge;
      break;
    default:
      break;
  }
  return Error{code, 0, fmt::format("{}: {}", doing, uv_strerror(uv_code))};
}

}  // namespace wafd::kit
