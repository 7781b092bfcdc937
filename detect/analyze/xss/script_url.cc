#include "detect/analyze/xss/script_url.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

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

constexpr std::size_t kMaxScheme = 12;
constexpr std::size_t kMaxSkips = 64;   // octets inside of a scheme that browsers pass over
constexpr std::size_t kMaxSpaces = 4;   // before the colon
constexpr std::size_t kMaxBefore = 64;  // spaces and control octets between a sign and the scheme

bool skipped(char c) noexcept { return c == '\t' || c == '\n' || c == '\r' || c == '\0'; }

bool idle(std::string_view code) noexcept {
  std::array<char, 40> text{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (octet(c) <= ' ' || c == ';') continue;
    // A quote ends the attribute or JSON string that the link stood in; an escaped letter hides something.
    if (c == '\\' && i + 1 < code.size() && code[i + 1] != '"' && code[i + 1] != '\'') return false;
    if (c == '"' || c == '\'' || c == '\\' || c == '<' || c == '&') break;
    if (size == text.size()) return false;
    text[size++] = c;
  }
  return size == 0 || kIdle.has(std::string_view(text.data(), size));
}

bool acting_media_type(std::string_view rest) noexcept {
  const std::string_view window = rest.substr(0, 96);
  const std::string_view head = window.substr(0, window.find(','));
  for (const std::string_view word : {"html", "svg", "xml", "javascript", "ecmascript", "jscript"}) {
    if (ifind(head, word) != std::string_view::npos) return true;
  }
  return false;
}

// Whether a URL may begin at text[at]: at the start, behind a space, or behind a sign that URLs stand behind.
bool url_may_begin(std::string_view text, std::size_t at) noexcept {
  if (at > 0 && text[at - 1] == ' ') return true;
  std::size_t before = at;
  while (before > 0 && octet(text[before - 1]) <= ' ' && at - before < kMaxBefore) --before;
  if (before == 0) return true;
  const char c = text[before - 1];
  return c == ';' || c == ',' || c == '=' || c == '\'' || c == '"' || c == '(' || c == '`';
}

// The URL whose scheme ends with the colon at `colon`.
ScriptUrl url_before(std::string_view text, std::size_t colon) noexcept {
  ScriptUrl out;
  std::size_t at = colon;
  // White space before the colon is no part of the scheme, but filters and old readers disagree.
  while (at > 0 && octet(text[at - 1]) <= ' ' && colon - at < kMaxSpaces) --at;
  // The last letters of script, mocha and data: nearly every other colon ends here.
  const char last = at > 0 ? to_lower(text[at - 1]) : '\0';
  if (last != 't' && last != 'a') return out;
  std::array<char, kMaxScheme> scheme{};
  std::size_t size = 0;
  std::size_t begin = at;
  for (std::size_t skips = 0; at > 0; --at) {
    const char c = text[at - 1];
    if (is_alpha(c)) {
      if (size == kMaxScheme) return out;
      scheme[kMaxScheme - ++size] = c;
      begin = at - 1;
    } else if (!skipped(c) || ++skips > kMaxSkips) {
      break;
    }
  }
  const std::string_view name(scheme.data() + (kMaxScheme - size), size);
  const bool script = kScriptSchemes.has(name);
  if (!script && !(iequals(name, "data") && acting_media_type(text.substr(colon + 1)))) return out;
  if (!url_may_begin(text, begin)) return out;
  out.begin = begin;
  out.code = colon + 1;
  out.kind = !script                             ? ScriptUrlKind::kData
             : idle(text.substr(colon + 1, 256)) ? ScriptUrlKind::kIdleScript
                                                 : ScriptUrlKind::kScript;
  return out;
}

}  // namespace

ScriptUrl find_script_url(std::string_view text) noexcept {
  ScriptUrl idle_one;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const ScriptUrl here = url_before(text, colon);
    if (here.kind == ScriptUrlKind::kScript || here.kind == ScriptUrlKind::kData) return here;
    if (here.kind == ScriptUrlKind::kIdleScript && idle_one.kind == ScriptUrlKind::kNone) idle_one = here;
  }
  return idle_one;
}

}  // namespace wafd::detect
