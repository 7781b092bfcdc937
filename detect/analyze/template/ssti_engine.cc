#include "detect/analyze/template/ssti_engine.h"

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

// include "/etc/passwd", extends '../x', import "http://…"
bool outside_template(std::string_view inner) noexcept {
  constexpr WordSet kTaking({"include", "extends", "import", "from", "embed", "use", "render"});
  std::size_t at = 0;
  while (at < inner.size() && (inner[at] == ' ' || inner[at] == '-')) ++at;
  std::size_t end = at;
  while (end < inner.size() && is_alpha(inner[end])) ++end;
  if (!kTaking.has(inner.substr(at, end - at))) return false;
  while (end < inner.size() && inner[end] == ' ') ++end;
  if (end >= inner.size() || (inner[end] != '"' && inner[end] != '\'')) return false;
  const std::string_view file = inner.substr(end + 1, inner.find(inner[end], end + 1) - end - 1);
  return file.starts_with("../") || file.find("://") != std::string_view::npos ||
         (file.starts_with('/') && file.find("html") == std::string_view::npos &&
          file.find("twig") == std::string_view::npos);
}

}  // namespace

void read_engine_words(std::string_view text, FirstHits& hits, std::uint16_t engine, std::uint16_t probe) {
  for (std::size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
    const std::string_view inner = text.substr(at + 2, 64);
    const std::size_t end = inner.find('}');
    if (end == std::string_view::npos || end < 2) continue;
    if (inner[0] == '.' && is_alpha(inner[1])) {
      hits.add(engine, at, at + end + 3, "A template expression that reads what the engine itself holds.");
    }
    const std::size_t built = inner.substr(0, end).find('?');
    const bool constant = is_digit(inner[0]) || inner[0] == '"' || inner[0] == '\'';
    if (constant && built != std::string_view::npos && built + 1 < end && is_alpha(inner[built + 1]) &&
        inner.substr(0, built).find(' ') == std::string_view::npos) {
      hits.add(probe, at, at + end + 3,
               "A template expression that only computes: a probe whether a template engine runs it.");
    }
  }
  for (const std::string_view directive : {"#parse(", "#evaluate(", "#include("}) {
    const std::size_t at = text.find(directive);
    if (at == std::string_view::npos || at + directive.size() >= text.size()) continue;
    if (std::string_view("'\"$").find(text[at + directive.size()]) == std::string_view::npos) continue;
    hits.add(engine, at, at + 64, "A Velocity statement that runs another template or a text as one.");
  }
  for (std::size_t at = text.find("{%"); at != std::string_view::npos; at = text.find("{%", at + 2)) {
    if (outside_template(text.substr(at + 2, 96)))
      hits.add(engine, at, at + 64,
               "A template statement that takes in a file from outside of the templates.");
  }
}

}  // namespace wafd::detect
