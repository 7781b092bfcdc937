// Reads a request head. Our own reader, because it must never refuse: HTTP/2.0 tokens, LF line ends, odd
// bytes, missing parts are evidence and become flags (RFC 9112 sections 2-5 say what would be regular).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace wafd {

struct HeaderField {
  std::string_view name;   // as received, without the colon
  std::string_view value;  // OWS trimmed; obs-fold lines are separate fields with an empty name
};

// Bits of RequestHead::flags: what was irregular.
enum HeadFlag : std::uint32_t {
  kHeadBadRequestLine = 1u << 0,  // not METHOD SP TARGET SP HTTP/x
  kHeadBareLf = 1u << 1,          // a line ended with LF alone
  kHeadControlByte = 1u << 2,     // NUL, bare CR or another control byte inside
  kHeadBadFieldName = 1u << 3,    // a name that is no token, or white space before the colon
  kHeadNoColon = 1u << 4,         // a line without colon
  kHeadObsFold = 1u << 5,         // a continuation line
  kHeadUnterminated = 1u << 6,    // no empty line at the end
  kHeadTooManyFields = 1u << 7,   // fields beyond kMaxHeaderFields were left out
};

// Lines beyond these are left out, but never those that applications read in any case: Cookie, Host,
// User-Agent, Referer, Authorization, Content-Type, Content-Encoding and what proxies say of the client.
inline constexpr std::size_t kMaxHeaderFields = 4096;

// Views into the head given to parse(). Reusable: parse() keeps the capacity of `fields`.
struct RequestHead {
  std::string_view request_line;
  std::string_view method;
  std::string_view
      target;  // as received; of an absolute-form target the part from its path on is in path/query
  std::string_view path;   // raw, before '?'
  std::string_view query;  // raw, without '?'; empty if there is none
  bool has_query = false;
  std::string_view version;  // "HTTP/1.1", or whatever stood there
  std::vector<HeaderField> fields;
  std::uint32_t flags = 0;

  void parse(std::string_view head);

  // First value of that name without ASCII case, or empty.
  std::string_view value(std::string_view name) const noexcept;
  // Host of the request without port: of an absolute-form target, else the Host header. As received, not
  // validated.
  std::string_view host() const noexcept;
};

}  // namespace wafd
