#include "detect/analyze/xml/web_place.h"

#include <algorithm>

#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::xml {
namespace {

constexpr WordSet kInnerTops({"local", "internal", "localhost", "localdomain", "lan", "home", "corp",
                              "intranet", "private", "test"});

}  // namespace

std::string_view web_host(std::string_view place) noexcept {
  place = trim(place);
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!istarts_with(place, scheme)) continue;
    place.remove_prefix(scheme.size());
    return place.substr(0, place.find_first_of("/:?#@'\" \\<>"));
  }
  return {};
}

bool is_public_name(std::string_view host) noexcept {
  const std::size_t dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 2 >= host.size()) return false;
  const std::string_view top = host.substr(dot + 1);
  return !kInnerTops.has(top) && std::all_of(top.begin(), top.end(), is_alpha);
}

std::string_view domain_of(std::string_view host) noexcept {
  const std::size_t last = host.rfind('.');
  if (last == std::string_view::npos || last == 0) return host;
  const std::size_t dot = host.rfind('.', last - 1);
  return dot == std::string_view::npos ? host : host.substr(dot + 1);
}

}  // namespace wafd::detect::xml
