// URLs that browsers run instead of fetching: javascript:, vbscript:, and data: with a document or a script
// (URL standard, 4.4; HTML, 7.4.2.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::xss {

enum class UrlKind : std::uint8_t {
  kNone,
  kScript,
  kData,  // of a type that acts: HTML, XML, SVG, scripts
};

struct ScriptUrl {
  UrlKind kind = UrlKind::kNone;
  bool begins = false;    // nothing but white space stands before it
  std::size_t begin = 0;  // of the scheme
  std::size_t code = 0;   // behind the colon
};

// The next such URL at or behind `from`: at the text's start, or behind white space or a sign behind which
// URLs stand: ; , = ' " ` ( / or a letter beyond ASCII, which a filter may take for white space. Tabs, line
// ends and NUL inside of the scheme are passed over. Linear time.
ScriptUrl find_script_url(std::string_view text, std::size_t from = 0) noexcept;

// The script does nothing, as that of many links: "void(0)", "history.back()", "". `whole`: it ends with
// `code`; else with the quote or the tag that it stands in.
bool is_idle_script(std::string_view code, bool whole) noexcept;

}  // namespace wafd::detect::xss
