// Patterns that operators write for hosts, paths and parameter names.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace wafd::detect {

// `*` stands for any run without `separator`, `**` for any run; every other byte for itself. Time is at most
// |pattern| x |text|, squared in |text| where `*` follows `**`: for many patterns give it steps.
bool glob_match(std::string_view pattern, std::string_view text, char separator) noexcept;

// The same with at most `steps` steps, which are counted down. At 0 nothing matches any more.
bool glob_match(std::string_view pattern, std::string_view text, char separator, std::size_t& steps) noexcept;

// "shop.example", or "*.example" for every host below example (not example itself). ASCII case does not
// count.
bool host_match(std::string_view pattern, std::string_view host) noexcept;

// "shop.example:8080" and "[::1]:80" without their port; of text with several colons and no brackets all.
std::string_view without_port(std::string_view host) noexcept;

// A host as it is looked up: without port and final dot, lower case, an IPv6 address without brackets and as
// RFC 5952 writes it. One that is longer than any name can be
// has the empty key. Holds its own text, because every request makes one.
class HostKey {
 public:
  static constexpr std::size_t kMaxBytes = 253;

  explicit HostKey(std::string_view host) noexcept;
  std::string_view text() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, kMaxBytes> bytes_;
  std::size_t size_ = 0;
};

// Whether a site may have it: a name or an address, perhaps with "*." in front.
bool is_host_pattern(std::string_view text) noexcept;

}  // namespace wafd::detect
