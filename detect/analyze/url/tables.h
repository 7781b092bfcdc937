// Rows of this room's tables: schemes, services inside networks, names of parameters.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect::url {

enum class SchemeUse : std::uint8_t {
  kWeb,
  kTransfer,  // files from elsewhere, as people link them
  kFetch,     // files from elsewhere, as nobody links them in pages
  kNest,      // stands before another scheme
  kWrapper,   // PHP's, Java's and Python's: reads, unpacks or runs what the address names
  kData,
  kFile,
  kProtocol,    // sends what the address says to services that are not the web
  kRepository,  // settings of repositories
  kService,     // settings of mail and messages
  kDirectory,   // LDAP
  kDatabase,
  kStream,  // of cameras and players
  kSocket,  // of the machine itself
};
struct Scheme {
  std::string_view text;
  SchemeUse use;
  std::string_view ports;  // of its own, each between spaces
};

enum class ServiceUse : std::uint8_t { kForeign, kInterface };
struct Service {
  std::string_view text;  // ":port", or the first segments of a path
  ServiceUse use;
};

enum class ParameterUse : std::uint8_t {
  kOther,
  kCode,
  kFile,
  kText,  // in a URL a part of a page, in a body what somebody writes
  kAddress,
  kWayBack,
};
struct ParameterWord {
  std::string_view text;
  ParameterUse use;
};

// The use of a parameter's value, by the words of its name; that it is an address counts more.
ParameterUse use_of(std::string_view name) noexcept;

}  // namespace wafd::detect::url
