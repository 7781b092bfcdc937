#include "detect/analyze/java/lookups.h"

#include <array>

#include "detect/analyze/java/lookups.tsv.h"
#include "detect/core/bytes.h"
#include "detect/decode/base64.h"

namespace wafd::detect::java {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxLookupBytes = 4096;
constexpr std::size_t kMaxBase64Bytes = 64;

// Lower case as Java's: the letters beyond ASCII whose other case is within it.
void append_lower(std::string_view text, std::pmr::string& out) {
  struct Folded {
    std::string_view from;
    char to;
  };
  constexpr Folded kFolded[] = {
      {"\xC4\xB1", 'i'}, {"\xC4\xB0", 'i'}, {"\xC5\xBF", 's'}, {"\xE2\x84\xAA", 'k'}};
  for (std::size_t i = 0; i < text.size();) {
    std::size_t taken = 0;
    if (byte(text[i]) >= 0x80) {
      for (const Folded& folded : kFolded) {
        if (!text.substr(i).starts_with(folded.from)) continue;
        out.push_back(folded.to);
        taken = folded.from.size();
      }
    }
    if (taken == 0) {
      out.push_back(to_lower(text[i]));
      taken = 1;
    }
    i += taken;
  }
}

// Appends what ${inner} gives, if that can be known without the system's values. `inner` is no part of `out`.
bool evaluate(std::string_view inner, std::pmr::string& out, bool& hides) {
  const std::size_t colon = inner.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view prefix = inner.substr(0, colon);
    const std::string_view rest = inner.substr(colon + 1);
    if (iequals(prefix, "lower") || iequals(prefix, "upper")) {
      append_lower(rest, out);
      return hides = true;
    }
    // ${date:'j'}: quoted letters of a pattern stand for themselves.
    if (iequals(prefix, "date") && rest.size() >= 3 && rest.front() == '\'' && rest.back() == '\'') {
      out += rest.substr(1, rest.size() - 2);
      return hides = true;
    }
    if ((iequals(prefix, "base64decoder") || iequals(prefix, "base64")) && rest.size() <= kMaxBase64Bytes) {
      std::string bytes;
      if (!base64_bytes(rest, bytes)) return false;
      out += bytes;
      return hides = true;
    }
    if (iequals(prefix, "urldecoder") || iequals(prefix, "urlencoder") || iequals(prefix, "const"))
      return false;
    if (lookup_of(prefix) == Lookup::kJndi) return false;
  }
  const std::size_t fallback = inner.find(":-");
  if (fallback == std::string_view::npos) return false;
  if (inner.find_first_not_of(':') > fallback) hides = true;
  out += inner.substr(fallback + 2);
  return true;
}

}  // namespace

Lookup lookup_of(std::string_view prefix) noexcept {
  const LookupRow* row = kLookups.find(prefix);
  return row == nullptr ? Lookup::kNone : row->lookup;
}

LookupReading resolve_lookups(std::string_view text, std::pmr::memory_resource* memory) {
  LookupReading out{std::pmr::string(memory)};
  out.resolved.reserve(text.size());
  struct Open {
    std::size_t begin = 0;  // of "${" in `resolved`
    bool named = false;     // a colon stood inside: what comes is no part of the name
  };
  std::array<Open, kMaxDepth> open;  // a ring
  std::size_t depth = 0;
  std::size_t newest = 0;
  std::pmr::string value(memory);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    // "$${" is an escaped "${", which another round of replacing then finds.
    if (c == '$' && next == '$' && at + 2 < text.size() && text[at + 2] == '{') continue;
    if (c == '$' && next == '{') {
      if (depth > 0 && !open[newest].named) out.nested = true;
      if (depth < kMaxDepth) ++depth;
      newest = (newest + 1) % kMaxDepth;
      open[newest] = {out.resolved.size(), false};
      out.resolved += "${";
      ++at;
      continue;
    }
    if (c == '}' && depth > 0) {
      const std::size_t begin = open[newest].begin;
      newest = (newest + kMaxDepth - 1) % kMaxDepth;
      --depth;
      const std::string_view inner = std::string_view(out.resolved).substr(begin + 2);
      value.clear();
      if (inner.size() <= kMaxLookupBytes && evaluate(inner, value, out.hides)) {
        out.resolved.resize(begin);
        out.resolved += value;
        if (depth > 0 && value.find(':') != std::pmr::string::npos) open[newest].named = true;
        continue;
      }
    }
    if (c == ':' && depth > 0) open[newest].named = true;
    out.resolved.push_back(c);
  }
  return out;
}

}  // namespace wafd::detect::java
