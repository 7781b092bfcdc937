#include "detect/core/error.h"

namespace wafd {

const char* to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalid:
      return "invalid";
    case ErrorCode::kTooLarge:
      return "too_large";
    case ErrorCode::kTruncated:
      return "truncated";
    case ErrorCode::kUnknown:
      return "unknown";
    case ErrorCode::kMissing:
      return "missing";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kDenied:
      return "denied";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kResource:
      return "resource";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

}  // namespace wafd
