#include "detect/policy/glob.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"

namespace wafd::detect {

bool glob_match(std::string_view pattern, std::string_view text, char separator) noexcept {
  std::size_t steps = static_cast<std::size_t>(-1);
  return glob_match(pattern, text, separator, steps);
}

bool glob_match(std::string_view pattern, std::string_view text, char separator,
                std::size_t& steps) noexcept {
  constexpr std::size_t kNone = std::string_view::npos;
  struct Star {
    std::size_t pattern = kNone;  // behind the star
    std::size_t text = 0;         // where its run ends so far
  };
  Star single;  // last `*` since the last `**`
  Star multi;   // last `**`
  std::size_t p = 0;
  std::size_t t = 0;
  // The literal end is compared first: it decides most patterns.
  const std::string_view tail = pattern.substr(pattern.rfind('*') + 1);  // all of it, if there is no star
  if (steps <= tail.size()) return steps = 0, false;
  steps -= tail.size() / 16 + 1;
  if (!text.ends_with(tail)) return false;
  while (true) {
    if (steps == 0) return false;
    --steps;
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

std::string_view without_port(std::string_view host) noexcept {
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    return close == std::string_view::npos ? host : host.substr(0, close + 1);
  }
  const std::size_t colon = host.find(':');
  // More than one colon: an IPv6 address that lost its brackets.
  return colon != std::string_view::npos && host.find(':', colon + 1) == std::string_view::npos
             ? host.substr(0, colon)
             : host;
}

HostKey::HostKey(std::string_view host) noexcept {
  host = without_port(host);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.size() > kMaxBytes) return;
  size_ = host.size();
  std::transform(host.begin(), host.end(), bytes_.begin(), [](char c) { return to_lower(c); });
  // An IPv6 address has many spellings.
  const auto address = host.find(':') != std::string_view::npos ? IpAddress::parse(host) : std::nullopt;
  if (!address) return;
  const std::string one = address->text();
  size_ = one.size();
  std::copy(one.begin(), one.end(), bytes_.begin());
}

bool is_host_pattern(std::string_view text) noexcept {
  if (text.starts_with("*.")) text.remove_prefix(2);
  return !text.empty() && text.size() <= HostKey::kMaxBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_alnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
         });
}

}  // namespace wafd::detect
