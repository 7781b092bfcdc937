// A URL at the beginning of a value, as the most lenient of clients takes it apart: browsers (WHATWG URL),
// curl, Java's handlers, PHP's wrappers, file APIs of Windows.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace wafd::detect::url {

// Views into the text.
struct Url {
  std::string_view first;      // its scheme, empty for "//host" and "host/"
  std::string_view scheme;     // the last of nested ones: "http" of "jar:http:"
  std::string_view authority;  // up to the next / ? # or backslash
  std::string_view user;       // of it, before the last '@'
  std::string_view host;       // without port and brackets
  std::string_view port;       // its digits
  std::string_view path;
  std::string_view query;     // behind '?'
  std::string_view fragment;  // with its '#'
  std::size_t begin = 0;      // in the text
  std::size_t end = 0;        // behind it
  std::size_t slashes = 0;    // between the scheme's colon and the authority
  bool backslash = false;     // one of them is, or white space stands between them
  bool has_query = false;
  bool bracketed = false;  // the host is an IPv6 address, perhaps without its brackets
  bool alone = false;      // nothing stands behind it
};

inline constexpr std::size_t kMaxUrlBytes = 8192;

// Behind white space and quotes; nothing if there is neither a scheme nor two slashes. At most
// kMaxUrlBytes are read.
std::optional<Url> read_url(std::string_view text) noexcept;

// Reads "user@host:port" into those members.
void read_authority(std::string_view authority, Url& out) noexcept;

// Where in the path of a request an address with a scheme begins, behind a slash; its end if none does.
std::size_t address_in_path(std::string_view path) noexcept;

}  // namespace wafd::detect::url
