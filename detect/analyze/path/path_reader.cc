#include "detect/analyze/path/path_reader.h"

#include <algorithm>
#include <array>
#include <memory_resource>
#include <vector>

#include "detect/analyze/path/path_names.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::size_t kMaxNoise =
    8;  // octets that a dot segment may hold besides its dots; path_hints.cc knows it

// First segments of all of these: a path without any of them is not looked at further.
struct Nothing {};
using SegmentSet =
    FixedWordMap<Nothing, std::size(names::kRooted) + std::size(names::kAnywhere) + std::size(names::kNamed)>;
constexpr SegmentSet kFirstSegments([] {
  std::array<SegmentSet::Entry,
             std::size(names::kRooted) + std::size(names::kAnywhere) + std::size(names::kNamed)>
      out{};
  std::size_t size = 0;
  for (const std::string_view path : names::kRooted) out[size++].word = path.substr(0, path.find('/'));
  for (const std::string_view path : names::kAnywhere) out[size++].word = path.substr(0, path.find('/'));
  for (const std::string_view name : names::kNamed) out[size++].word = name;
  return out;
}());

bool ends_with_path(std::string_view target, std::string_view tail) noexcept {
  if (!target.ends_with(tail)) return false;
  return target.size() == tail.size() || target[target.size() - tail.size() - 1] == '/';
}

// One segment as the systems that attackers know read it. 0 = not "..", 1 = "..", 2 = ".." in disguise.
int up_segment(std::string_view segment) noexcept {
  if (segment == "..") return 1;
  if (segment.size() < 2) return 0;
  std::size_t dots = 0;
  std::size_t noise = 0;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    const char c = segment[i];
    if (c == '.') {
      ++dots;
    } else if (c == ';' || c == '\0' || c == ' ' || c == '\t' || octet(c) < 0x20 || c == '\x7f') {
      ++noise;
      // "..;jsessionid=1": a path parameter
      if (c == ';' && dots == 2) return 2;
    } else if (c == '%' && i + 2 < segment.size() && segment[i + 1] == '2' &&
               to_lower(segment[i + 2]) == 'e') {
      ++dots;
      ++noise;
      i += 2;
    } else {
      return 0;
    }
  }
  if (noise > kMaxNoise) return 0;
  if (dots == 2) return noise > 0 ? 2 : 1;
  // "...." becomes ".." for a filter that takes "../" out once; "..." was the grandparent on old Windows.
  if (dots == 3 || dots == 4) return 2;
  return 0;
}

}  // namespace

PathReading read_path(std::string_view path) {
  PathReading out;
  path = path.substr(0, kMaxPathBytes);
  const std::size_t nul = path.find('\0');
  if (nul != std::string_view::npos && nul > 0) {
    const std::string_view behind = path.substr(nul + 1);
    out.nul_suffix = behind.size() >= 2 && behind.size() <= 6 && behind[0] == '.' &&
                     std::all_of(behind.begin() + 1, behind.end(), is_alnum);
    if (behind.find_first_of("/\\") == std::string_view::npos) path = path.substr(0, nul);
  }
  std::array<std::byte, 1024> octets;  // of 64 segments; more come from the heap
  std::pmr::monotonic_buffer_resource memory(octets.data(), octets.size());
  std::pmr::vector<std::string_view> segments(&memory);
  const bool absolute = !path.empty() && (path[0] == '/' || path[0] == '\\');
  std::size_t high = 0;
  std::ptrdiff_t depth = 0;
  for (std::size_t at = 0; at <= path.size();) {
    std::size_t end = path.find_first_of("/\\", at);
    if (end == std::string_view::npos) end = path.size();
    if (end < path.size() && path[end] == '\\') out.backslash = true;
    const std::string_view segment = path.substr(at, end - at);
    int up = up_segment(segment);
    // Dots at the end of a path are an ellipsis or a sloppy name: a disguise has something to climb to.
    if (up == 2 && end == path.size()) up = 0;
    if (up != 0) {
      ++out.ups;
      if (up == 2) out.disguised = true;
      --depth;
      if (depth < 0) high = std::max(high, static_cast<std::size_t>(-depth));
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      ++depth;
      segments.push_back(segment);
    }
    at = end + 1;
  }
  out.escape = high;
  if (absolute) out.target.push_back('/');
  for (const std::string_view segment : segments) {
    if (!out.target.empty() && out.target.back() != '/') out.target.push_back('/');
    for (const char c : segment) out.target.push_back(to_lower(c));
  }
  return out;
}

bool may_be_sensitive(std::string_view path) noexcept {
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = at;
    while (end < path.size() && path[end] != '/' && path[end] != '\\' && path[end] != '=' &&
           path[end] != '\0' && path[end] != '?' && path[end] != '#') {
      ++end;
    }
    if (end - at > 1 && kFirstSegments.find(path.substr(at, end - at)) != nullptr) return true;
    at = end + 1;
  }
  return false;
}

bool sensitive_file(std::string_view target, bool rooted) {
  std::string_view below = target;
  while (below.starts_with('/')) below.remove_prefix(1);
  // c:/windows
  if (below.size() > 2 && is_alpha(below[0]) && below[1] == ':') {
    below.remove_prefix(2);
    while (below.starts_with('/')) below.remove_prefix(1);
    rooted = true;
  }
  if (rooted) {
    for (const std::string_view file : names::kRooted) {
      if (below.starts_with(file)) return true;
    }
  }
  return std::any_of(std::begin(names::kAnywhere), std::end(names::kAnywhere),
                     [&](std::string_view file) { return ends_with_path(below, file); });
}

bool is_settings_file(std::string_view target) noexcept {
  const std::string_view name = target.substr(target.rfind('/') + 1);
  return std::find(std::begin(names::kNamed), std::end(names::kNamed), name) != std::end(names::kNamed);
}

}  // namespace wafd::detect
