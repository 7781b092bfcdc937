// Values of header fields that have a grammar of their own (RFC 9110, RFC 9112): what a client can never send
// there. Pure; linear in the value, but Range, of which at most 64 ranges are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect {

// Hosts as clients, probes and gateways write them, with optional ports: letters, digits, `.-_~:|`, bytes of
// UTF-8, or an address in brackets; several where a gateway has joined two fields. RFC 3986 section 3.2.2
// also allows percent escapes and `!$&'()*+;=`, of which no name that a client finds by DNS is made. An empty
// value is a host (RFC 9112 section 3.2).
bool is_host_field(std::string_view value) noexcept;

// Range (RFC 9110 section 14.1.2). Units other than bytes are the application's own and never odd.
enum class RangeForm : std::uint8_t { kOrdinary, kOdd, kMany };
// kOdd: no list of ranges, one that ends before it begins, or more than two that cover what others cover.
// kMany: more than 63.
RangeForm range_form(std::string_view value) noexcept;

// The first option of Connection that names a field which is meant for the application (credentials, who the
// client is, what the body is, all that begin with X-): a proxy that obeys takes it away. Empty if there is
// none. RFC 9110 section 7.6.1 forbids it.
std::string_view dropped_field(std::string_view connection) noexcept;

// The first escape of a path that is none (RFC 3986 section 2.1): "%" without two hexadecimal digits. Empty:
// all are.
std::string_view broken_escape(std::string_view path) noexcept;

// True if the media type names a charset in which letters are not the bytes of ASCII and which no browser
// writes (WHATWG Encoding has none of them): EBCDIC, UTF-7, UTF-32.
bool hides_ascii(std::string_view media_type) noexcept;

}  // namespace wafd::detect
