// Errors as values: what every fallible function of wafd returns.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace wafd {

// The kind of an error, for callers that branch on it. Text for people is in Error::what.
enum class ErrorCode {
  kInvalid,    // the input breaks its format
  kTooLarge,   // a limit was passed
  kTruncated,  // the input ends too early
  kUnknown,    // a name that does not exist
  kMissing,    // something required is not there
  kConflict,   // it exists already, or changed meanwhile
  kDenied,     // not permitted
  kIo,         // the operating system refused
  kResource,   // out of memory, descriptors, space
  kInternal,   // our own mistake
};

const char* to_string(ErrorCode code) noexcept;

// `offset` counts bytes in the input that was read (0 where there is none). `what` is one line for a person:
// what is wrong, where, and what was expected; it never holds raw attacker bytes.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::size_t offset = 0;
  std::string what;
};

// An alias, so that std::expected can replace it.
template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string what, std::size_t offset = 0) {
  return tl::unexpected<Error>(Error{code, offset, std::move(what)});
}

}  // namespace wafd
