// A request as the engine judges it: bytes and what the gateway said about the connection. Views only.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd {

// The connection as the gateway described it; empty or 0 where it said nothing. Untrusted text, not
// validated.
struct Connection {
  std::string_view scheme;  // "http" or "https"
  std::string_view src_ip;  // client, after trusted-proxy resolution
  std::uint16_t src_port = 0;
  std::string_view socket_ip;  // peer of the connection that the gateway saw; empty: same as src_ip
  std::string_view dest_ip;    // address the gateway listened on
  std::uint16_t dest_port = 0;
  std::string_view upstream_addr;  // empty: dest_ip
  std::string_view server_name;    // virtual host of the gateway; "_" and empty say nothing
  std::string_view proxy_name;     // name of the gateway
  std::string_view host;           // host if it is not the Host header that tells; usually empty
};

// Every view must live until the call that takes the Request returns.
struct Request {
  std::string_view head;        // request line and headers as received, CRLF or LF, any bytes
  std::string_view body;        // entity body: de-chunked, Content-Encoding not undone, perhaps cut
  bool body_truncated = false;  // bytes of the body are known to be missing
  bool body_abandoned = false;  // there was a body and none of it is here
  Connection connection;
  std::int64_t start_time_us = 0;  // Unix time at which the gateway saw it begin; 0: unknown
  std::int64_t end_time_us = 0;    // Unix time at which its last byte was read here
  bool report_if_passed = false;   // the gateway announced a report of the response for when it passes,
  bool report_if_blocked = false;  // and for when it does not
};

// Why nobody waits for the answer, or kInline if somebody does. Decides between `deny` and `monitor`.
enum class Enforcement : std::uint8_t {
  kInline,         // the gateway blocks on our word
  kMirror,         // mirrored traffic or a record
  kPluginMonitor,  // the gateway's plugin said that it only watches
  kNotEnforcing,   // the listener is configured with enforcing: false
};

const char* to_string(Enforcement enforcement) noexcept;

}  // namespace wafd
