// A request to the console and its answer as values; console/io turns bytes into them and back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "console/base/background.h"

namespace wafd::console {

struct Header {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method;           // as received
  std::string target;           // as received
  std::vector<Header> headers;  // as received, OWS trimmed
  std::string body;
  std::string peer;  // address of the client, IPv4 or IPv6 text
  Gone gone = {};    // set when the connection is, before the answer: what is done for it may end

  // The value if there is exactly one field of that name (no ASCII case): a doubled header is no header.
  std::optional<std::string_view> header(std::string_view name) const noexcept;
  std::size_t header_count(std::string_view name) const noexcept;
};

// A body made while it is sent: an export, the live tail. Used on the console loop alone; destroyed when the
// client is gone.
class BodySource {
 public:
  enum class Next : std::uint8_t {
    kMore,    // call again as soon as there is room
    kWait,    // nothing now: call again on the next tick (kStreamTickMs)
    kEnd,     // the body is complete
    kBroken,  // it cannot be completed: the connection is cut, so that nobody takes it for whole
  };
  virtual ~BodySource() = default;
  // Appends about `room` bytes at most to `out`; bounded work in one call.
  virtual Next pull(std::string& out, std::size_t room, std::int64_t now_ms) = 0;
};
inline constexpr std::int64_t kStreamTickMs = 100;

struct HttpResponse {
  int status = 200;
  std::vector<Header>
      headers;  // beside those that every answer has (io adds Content-Length, Date, security headers)
  std::string body;
  std::string_view fixed_body;         // instead of `body`: bytes that live as long as the program
  std::unique_ptr<BodySource> stream;  // instead of both: sent chunked

  std::string_view header(std::string_view name) const noexcept;  // empty if absent
  std::string_view content() const noexcept {
    return fixed_body.empty() ? std::string_view(body) : fixed_body;
  }

  static HttpResponse json(int status, const boost::json::value& value);
  static HttpResponse json_text(int status, std::string text);
  static HttpResponse empty(int status);
};

}  // namespace wafd::console
