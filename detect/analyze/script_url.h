// URLs that a browser runs instead of fetching: javascript:, vbscript:, data: with a document or script in
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect {

enum class ScriptUrlKind : std::uint8_t { kNone, kScript, kIdleScript, kData };

struct ScriptUrl {
  ScriptUrlKind kind = ScriptUrlKind::kNone;
  std::size_t begin = 0;  // of the scheme in the text
  std::size_t code = 0;   // behind the colon
};

// Reads the scheme at text[at] as browsers do (URL standard, 4.4): leading control octets and spaces are
// skipped, and TAB, CR, LF and NUL inside the scheme. kIdleScript is a link that does nothing, as many pages
// have: "javascript:;", "javascript:void(0)". kData only for media types that act: HTML, SVG, XML, scripts.
ScriptUrl read_script_url(std::string_view text, std::size_t at = 0) noexcept;

// The first such URL at the start of the text, or behind a sign that may stand before a URL ( ; , = ' " ( or
// space ).
ScriptUrl find_script_url(std::string_view text) noexcept;

}  // namespace wafd::detect
