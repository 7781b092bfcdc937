// Side effects of style sheets and style attributes (CSS Syntax 3; extensions that earlier browsers ran).
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>

namespace wafd::detect::xss {

enum class Css : std::uint8_t {
  kPlain,
  kForeign,  // loads from another host
  kLoads,    // brings in rules from elsewhere, or tells another host what the page holds, letter by letter
  kScript,   // runs script: expression(), behaviors, bindings, URLs that are script
};

// Escapes and comments inside of words are read as browsers do. Linear time.
Css read_css(std::string_view css, std::pmr::memory_resource& memory);
// A text that may be put into a style: properties that run script, an @import, the end of a rule and one of
// its own that loads from another host. Never kForeign.
Css read_css_value(std::string_view text, std::pmr::memory_resource& memory);

}  // namespace wafd::detect::xss
