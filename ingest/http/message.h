// HTTP/1.1 messages as values, shared by HTTP ingest and the console.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wafd::http {

using Fields =
    std::vector<std::pair<std::string, std::string>>;  // in order; names as given, values without OWS

// First value of that name without ASCII case, or empty.
std::string_view value_of(const Fields& fields, std::string_view name) noexcept;
// How many fields have that name.
std::size_t count_of(const Fields& fields, std::string_view name) noexcept;

struct Request {
  std::string method;
  std::string target;     // as received
  unsigned version = 11;  // 10 or 11
  Fields fields;
  std::string raw_head;    // bytes as received, from the request line to the empty line
  std::string body;        // de-chunked; empty if it was streamed
  bool keep_alive = true;  // the client allows another request on this connection

  std::string_view value(std::string_view name) const noexcept { return value_of(fields, name); }
  std::size_t count(std::string_view name) const noexcept { return count_of(fields, name); }
};

// Connection, Content-Length, Transfer-Encoding and Date are the writer's; do not set them here.
struct Response {
  unsigned status = 200;
  Fields fields;
  std::string body;
};

}  // namespace wafd::http
