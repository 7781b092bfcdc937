// A raw HTTP request taken apart into the places that hold a value, each with its bytes, so that one value
// can be replaced as its place writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/verdict.h"

namespace wafd::variations {

enum class Place : std::uint8_t {
  kPath,
  kQuery,
  kRefererQuery,
  kCookie,
  kHeader,
  kForm,
  kJson,
  kMultipart,
  kFileName,
  kXml,
};
const char* to_string(Place place) noexcept;

// One value or name. [begin, end) are its bytes in the whole request; `value` is what they mean there.
struct Leaf {
  Place place = Place::kQuery;
  bool in_name = false;
  std::string name;
  std::string value;
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct RawRequest {
  std::string bytes;
  std::size_t body = 0;  // where the body begins
  std::vector<Leaf> leaves;
};

// Any bytes. A body that was compressed has no leaves.
RawRequest read_request(std::string bytes);

// The value of a header, or empty.
std::string_view header_of(const RawRequest& request, std::string_view name);

// With [begin, end) replaced by `raw`; Content-Length, where there is one, tells the new size of the body.
std::string replace_bytes(const RawRequest& request, std::size_t begin, std::size_t end,
                          std::string_view raw);

// `value` as the place writes it. False: the place cannot hold it (line ends in a header).
bool write_as(Place place, std::string_view value, std::string& raw);
// `value` in the place of the leaf.
bool replace_value(const RawRequest& request, const Leaf& leaf, std::string_view value, std::string& out);

// Without every header line that carries none of the findings: nothing may rest on those.
std::string without_idle_headers(std::string_view bytes, const Verdict& verdict);

// A request as a browser sends it, with `target` and, where `body` is not empty, a body of that type.
std::string make_request(std::string_view target, std::string_view content_type, std::string_view body,
                         std::string_view more_headers = {});

}  // namespace wafd::variations
