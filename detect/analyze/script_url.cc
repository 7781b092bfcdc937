#include "detect/analyze/script_url.h"

#include <algorithm>
#include <array>

#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr WordSet kScriptSchemes({"javascript", "vbscript", "livescript", "mocha", "jscript"});

// Statements of links that do nothing, without spaces and semicolons.
constexpr WordSet kIdle({"void(0)",
                         "void0",
                         "void(null)",
                         "void",
                         "void()",
                         "false",
                         "returnfalse",
                         "true",
                         "null",
                         "0",
                         "undefined",
                         "history.back()",
                         "history.back(-1)",
                         "history.go(-1)",
                         "window.history.back()",
                         "window.history.go(-1)",
                         "window.close()",
                         "self.close()",
                         "window.print()",
                         "print()",
                         "{}",
                         "#",
                         "//",
                         "_"});

bool skipped(char c) noexcept { return c == '\t' || c == '\n' || c == '\r' || c == '\0'; }

bool idle(std::string_view code) noexcept {
  std::array<char, 40> text{};
  std::size_t size = 0;
  for (const char c : code) {
    if (octet(c) <= ' ' || c == ';') continue;
    // A quote ends the attribute or JSON string that the link stood in.
    if (c == '"' || c == '\'' || c == '\\' || c == '<' || c == '&') break;
    if (size == text.size()) return false;
    text[size++] = c;
  }
  return size == 0 || kIdle.has(std::string_view(text.data(), size));
}

bool acting_media_type(std::string_view rest) noexcept {
  std::string_view head = rest.substr(0, std::min<std::size_t>(rest.find(','), 96));
  for (const std::string_view word : {"html", "svg", "xml", "javascript", "ecmascript", "jscript"}) {
    if (ifind(head, word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

ScriptUrl read_script_url(std::string_view text, std::size_t at) noexcept {
  ScriptUrl out;
  // At the start any number is skipped; behind a sign a few, or many signs would make the work quadratic.
  const std::size_t skip_to = at == 0 ? text.size() : std::min(text.size(), at + 64);
  while (at < skip_to && octet(text[at]) <= ' ') ++at;
  out.begin = at;
  std::array<char, 12> scheme{};
  std::size_t size = 0;
  std::size_t skips = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (skipped(c)) {
      if (++skips > 64) return out;
      continue;
    }
    if (c == ':' || !is_alpha(c) || size == scheme.size()) break;
    scheme[size++] = c;
  }
  // White space before the colon is no part of the scheme, but filters and old readers disagree.
  std::size_t colon = at;
  while (colon < text.size() && text[colon] == ' ' && colon < at + 4) ++colon;
  if (colon >= text.size() || text[colon] != ':' || size == 0) return out;
  const std::string_view name(scheme.data(), size);
  out.code = colon + 1;
  if (kScriptSchemes.has(name)) {
    out.kind = idle(text.substr(out.code)) ? ScriptUrlKind::kIdleScript : ScriptUrlKind::kScript;
  } else if (iequals(name, "data") && acting_media_type(text.substr(out.code))) {
    out.kind = ScriptUrlKind::kData;
  }
  return out;
}

ScriptUrl find_script_url(std::string_view text) noexcept {
  ScriptUrl found = read_script_url(text);
  if (found.kind == ScriptUrlKind::kScript || found.kind == ScriptUrlKind::kData) return found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool before_url = c == ';' || c == ',' || c == '=' || c == '\'' || c == '"' || c == '(' || c == ' ';
    if (!before_url || at + 1 >= text.size() || octet(text[at + 1]) == ' ') continue;
    const ScriptUrl here = read_script_url(text, at + 1);
    if (here.kind == ScriptUrlKind::kScript || here.kind == ScriptUrlKind::kData) return here;
  }
  return found;
}

}  // namespace wafd::detect
