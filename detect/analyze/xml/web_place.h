// Addresses in documents: whose they are, as far as the name of the host says.
#pragma once

#include <string_view>

namespace wafd::detect::xml {

// Host of "http://host/…" and "https://host/…"; else empty.
std::string_view web_host(std::string_view place) noexcept;

// A name that anybody could look up: dotted letters, not an address, not one of a network's own (RFC 6761,
// RFC 6762, ICANN's internal).
bool is_public_name(std::string_view host) noexcept;

// "example.org" of "www.example.org".
std::string_view domain_of(std::string_view host) noexcept;

}  // namespace wafd::detect::xml
