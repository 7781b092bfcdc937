// The declaration of the body in a request head, for telling a body that the gateway cut or left out. Not a
// framing decision.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wafd::ingest {

struct DeclaredBody {
  std::optional<std::uint64_t> length;  // the first readable Content-Length
  bool transfer_encoding = false;       // a Transfer-Encoding field is there
};

// CRLF or LF lines, any bytes. One pass.
DeclaredBody declared_body(std::string_view head) noexcept;

}  // namespace wafd::ingest
