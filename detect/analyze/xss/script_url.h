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

// The first such URL at the start of the text, behind a space, or behind a sign that may stand before a URL
// ( ; , = ' " ` ( ), with spaces and control octets between. The scheme is read as browsers do (URL standard,
// 4.4): TAB, CR, LF and NUL inside of it are skipped. kIdleScript is a link that does nothing, as many pages
// have: "javascript:;", "javascript:void(0)"; it is given if there is no other. kData only for media types
// that act: HTML, SVG, XML, scripts.
ScriptUrl find_script_url(std::string_view text) noexcept;

}  // namespace wafd::detect
