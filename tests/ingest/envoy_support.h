// Envoy's side of ext_authz by gRPC, written for the tests: messages and frames by their numbers, sharing
// nothing with what it tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wafd::ingest::envoy::test {

inline std::string varint(std::uint64_t n) {
  std::string out;
  while (n > 127) {
    out += static_cast<char>(n % 128 + 128);
    n /= 128;
  }
  return out + static_cast<char>(n);
}
inline std::string bytes(std::uint64_t field, std::string_view text) {
  return (varint(field * 8 + 2) + varint(text.size())).append(text);
}
inline std::string number(std::uint64_t field, std::uint64_t n) { return varint(field * 8) + varint(n); }
inline std::string header(std::string_view name, std::string_view value) {
  return bytes(3, bytes(1, name) + bytes(2, value));
}
// CheckRequest{attributes{request{http}}}
inline std::string check(std::string_view http) { return bytes(1, bytes(4, bytes(2, http))); }

// The same from a client at `ip`.
inline std::string check_from(std::string_view ip, std::string_view http) {
  return bytes(1, bytes(1, bytes(1, bytes(1, bytes(2, ip)))) + bytes(4, bytes(2, http)));
}

// RFC 9113 section 4.1
inline std::string frame(unsigned type, unsigned flags, std::uint32_t stream, std::string_view payload) {
  std::string out;
  for (const int shift : {16, 8, 0})
    out += static_cast<char>(payload.size() >> static_cast<unsigned>(shift) & 0xff);
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0})
    out += static_cast<char>(stream >> static_cast<unsigned>(shift) & 0xff);
  return out.append(payload);
}
inline std::string preface() { return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, ""); }
// Behind a preface that was answered: only then the windows are as wide as the other side said.
inline std::string acknowledged() { return frame(4, 1, 0, ""); }
// A literal field without indexing (RFC 7541 section 6.2.2).
inline std::string literal(std::string_view name, std::string_view value) {
  const auto text = [](std::string_view t) { return std::string(1, static_cast<char>(t.size())).append(t); };
  return std::string(1, '\0') + text(name) + text(value);
}
inline std::string call_head(std::uint32_t stream,
                             std::string_view path = "/envoy.service.auth.v3.Authorization/Check",
                             std::string_view type = "application/grpc") {
  return frame(1, 4, stream,
               literal(":method", "POST") + literal(":scheme", "http") + literal(":path", path) +
                   literal(":authority", "wafd") + literal("content-type", type) + literal("te", "trailers"));
}
// With its prefix; in frames of the size that every peer takes.
inline std::string call_body(std::uint32_t stream, std::string_view message) {
  std::string data(1, '\0');
  for (const int shift : {24, 16, 8, 0})
    data += static_cast<char>(message.size() >> static_cast<unsigned>(shift) & 0xff);
  data += message;
  std::string out;
  std::string_view rest = data;
  for (; rest.size() > 16384; rest.remove_prefix(16384)) out += frame(0, 0, stream, rest.substr(0, 16384));
  return out + frame(0, 1, stream, rest);
}
inline std::string call(std::uint32_t stream, std::string_view message) {
  return call_head(stream) + call_body(stream, message);
}
inline std::string request(std::string_view path, std::string_view body = {}) {
  return check(bytes(2, "POST") + bytes(4, path) + (body.empty() ? "" : bytes(11, body)));
}

}  // namespace wafd::ingest::envoy::test
