// Errors of the API as problem documents (RFC 9457).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "console/base/http.h"
#include "detect/core/error.h"

namespace wafd::console {

// `type` is the last part of the URN "urn:wafd:problem:…".
struct ProblemType {
  const char* type;
  int status;
  const char* title;
};

inline constexpr ProblemType kBadRequest{"bad-request", 400, "Bad request"};
inline constexpr ProblemType kUnauthenticated{"unauthenticated", 401, "Not logged in"};
inline constexpr ProblemType kLoginFailed{"login-failed", 401, "Login failed"};
inline constexpr ProblemType kSecondFactor{"second-factor", 401, "Second factor needed"};
inline constexpr ProblemType kSecondFactorRequired{"second-factor-required", 403,
                                                   "Second factor must be set up"};
inline constexpr ProblemType kForbidden{"forbidden", 403, "Not permitted"};
inline constexpr ProblemType kCsrf{"csrf", 403, "Request from a foreign page"};
inline constexpr ProblemType kSetupClosed{"setup-closed", 403, "First start is closed"};
inline constexpr ProblemType kSetupToken{"setup-token", 403, "Wrong set-up token"};
inline constexpr ProblemType kNotFound{"not-found", 404, "Not found"};
inline constexpr ProblemType kMethod{"method", 405, "Method not allowed"};
inline constexpr ProblemType kConflict{"conflict", 409, "Conflict"};
inline constexpr ProblemType kPrecondition{"precondition", 412, "Changed meanwhile"};
inline constexpr ProblemType kTooLarge{"too-large", 413, "Too large"};
inline constexpr ProblemType kMediaType{"media-type", 415, "Unsupported media type"};
inline constexpr ProblemType kValidation{"validation", 422, "Validation failed"};
inline constexpr ProblemType kForbiddenDestination{"forbidden-destination", 422, "Forbidden destination"};
inline constexpr ProblemType kTooMany{"too-many", 429, "Too many requests"};
inline constexpr ProblemType kInternal{"internal", 500, "Internal error"};
inline constexpr ProblemType kUnavailable{"unavailable", 503, "Not available now"};

// `detail` is one sentence for people; `extra` adds members.
HttpResponse problem(const ProblemType& type, std::string_view detail, boost::json::object extra = {});

// With `retry_after_s` and the header Retry-After.
HttpResponse problem_retry(const ProblemType& type, std::string_view detail, std::int64_t retry_after_s);

// A refused value: "port: expected …" also gives the member that is to blame. Other codes than kInvalid map
// to their problem (unknown 404, conflict 409, denied 403, I/O and resources 503).
HttpResponse problem_of(const Error& error);

// The member that a message of the form "tls.ca: expected …" blames, or empty.
std::string_view blamed_member(std::string_view what) noexcept;

}  // namespace wafd::console
