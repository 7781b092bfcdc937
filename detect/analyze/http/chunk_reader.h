// Reads a body that is still in chunks (RFC 9112 section 7.1), as far as it is well-formed.
#pragma once

#include <string_view>

namespace wafd::detect {

struct Chunks {
  bool begun = false;      // the body begins with a chunk, or with the last one
  bool ended = false;      // the last chunk and the empty line behind it were met
  bool extension = false;  // a chunk has one: "5;name=value"
  std::string_view rest;   // what follows the end
};

// Linear in the number of chunks. A chunk that is longer than the body ends the reading.
Chunks read_chunks(std::string_view body) noexcept;

// Whether `text` begins with a request line: method, target, HTTP version.
bool looks_like_request(std::string_view text) noexcept;

}  // namespace wafd::detect
