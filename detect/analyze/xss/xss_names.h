// Names of HTML that matter to the XSS analyser (HTML standard, 4 and 8.1.8.2; SVG 2; what browsers have
// added or still have: VML, HTML+TIME, Internet Explorer's and WebKit's events).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wafd::detect {

enum HtmlName : std::uint32_t {
  kScriptName = 1u << 0,
  kActiveName = 1u << 1,   // runs code of its own, or changes where every other link of the page goes
  kLoadingName = 1u << 2,  // loads something, sends something, or takes input
  kPlainName = 1u << 3,
  kImageName = 1u << 4,  // shows data: URLs as images
  kMetaName = 1u << 5,
  kLinkName = 1u << 6,
  kStyleName = 1u << 7,
  kFrameName = 1u << 8,
};

// Flags of an element's name, without case; 0 if it is none of HTML.
std::uint32_t html_element(std::string_view name) noexcept;

// Names of elements as a part of an expression, "(a|b|c)": those that are plain alone, or all others.
std::string html_elements(bool plain);

// onclick, onerror, …: a name that some browser has an event for.
bool known_handler(std::string_view name) noexcept;
// The shape of such a name: "on" and letters.
bool handler_shape(std::string_view name) noexcept;

}  // namespace wafd::detect
