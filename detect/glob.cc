#include "detect/glob.h"

#include <cstddef>

#include "detect/core/octets.h"

namespace wafd::detect {

bool glob_match(std::string_view pattern, std::string_view text, char separator) noexcept {
  constexpr std::size_t kNone = std::string_view::npos;
  struct Star {
    std::size_t pattern = kNone;  // behind the star
    std::size_t text = 0;         // where its run ends so far
  };
  Star single;  // last `*` since the last `**`
  Star multi;   // last `**`
  std::size_t p = 0;
  std::size_t t = 0;
  while (true) {
    if (p < pattern.size() && pattern[p] == '*') {
      if (p + 1 < pattern.size() && pattern[p + 1] == '*') {
        multi = {p + 2, t};
        single = {};
        p += 2;
      } else {
        single = {p + 1, t};
        p += 1;
      }
      continue;
    }
    if (t == text.size() && p == pattern.size()) return true;
    if (t < text.size() && p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
      continue;
    }
    if (single.pattern != kNone && single.text < text.size() && text[single.text] != separator) {
      t = ++single.text;
      p = single.pattern;
      continue;
    }
    if (multi.pattern != kNone && multi.text < text.size()) {
      t = ++multi.text;
      p = multi.pattern;
      single = {};
      continue;
    }
    return false;
  }
}

bool host_match(std::string_view pattern, std::string_view host) noexcept {
  if (!pattern.starts_with("*.")) return iequals(pattern, host);
  const std::string_view suffix = pattern.substr(1);
  return host.size() > suffix.size() && iequals(host.substr(host.size() - suffix.size()), suffix);
}

}  // namespace wafd::detect
