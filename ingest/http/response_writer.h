// HTTP/1.1 responses -> bytes, whole or streamed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/http/message.h"

namespace wafd::http {

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

struct WriteOptions {
  bool keep_alive = true;     // false adds "Connection: close": close after it was written
  bool head_request = false;  // answers HEAD: Content-Length tells, the body is left out
  unsigned version = 11;      // of the request; a 1.0 client that keeps alive is told so
  std::int64_t date_s = 0;    // Unix time for Date; 0: no Date field
};

// Bytes that could break the head (CR, LF, NUL, other controls) become spaces in fields. Statuses 1xx, 204
// and 304 have neither body nor Content-Length.
std::string write(const Response& response, const WriteOptions& options);

// A response whose length is not known: head, then chunks, then the end. For HTTP/1.0 clients the body is not
// chunked and ends with the connection: give keep_alive false then.
class ChunkedWriter {
 public:
  explicit ChunkedWriter(const WriteOptions& options) : options_(options) {}
  std::string head(const Response& response) const;  // `body` is ignored
  std::string chunk(std::string_view bytes) const;   // empty in, empty out
  std::string end() const;

 private:
  WriteOptions options_;
};

// "OK", "Not Found", ...
std::string_view reason_of(unsigned status) noexcept;

}  // namespace wafd::http
