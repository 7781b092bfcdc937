#include "detect/analyze/lookup_reader.h"

#include <vector>

#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxLookupBytes = 4096;

// What ${inner} gives, if that can be known without the system's values.
bool evaluate(std::string_view inner, std::string& value) {
  const std::size_t colon = inner.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view prefix = inner.substr(0, colon);
    const std::string_view rest = inner.substr(colon + 1);
    if (iequals(prefix, "lower") || iequals(prefix, "upper")) {
      value = to_lower(rest);
      return true;
    }
    if (lookup_kind(prefix) == LookupKind::kJndi) return false;
  }
  const std::size_t fallback = inner.rfind(":-");
  if (fallback == std::string_view::npos) return false;
  value = inner.substr(fallback + 2);
  return true;
}

}  // namespace

LookupKind lookup_kind(std::string_view prefix) noexcept {
  if (iequals(prefix, "jndi")) return LookupKind::kJndi;
  constexpr WordSet kCode(
      {"script", "url", "dns", "file", "base64decoder", "xml", "properties", "const", "urldecoder"});
  constexpr WordSet kRead({"env", "sys", "java", "ctx", "main", "docker", "k8s", "web", "bundle", "log4j",
                           "sd", "map", "marker", "spring", "jvmrunargs", "event", "localhost", "hostname"});
  if (kCode.has(prefix)) return LookupKind::kCode;
  if (kRead.has(prefix)) return LookupKind::kRead;
  return LookupKind::kNone;
}

LookupReading resolve_lookups(std::string_view text) {
  LookupReading out;
  out.resolved.reserve(text.size());
  std::vector<std::size_t> open;  // positions in `resolved` of "${"
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '$' && at + 1 < text.size() && text[at + 1] == '{') {
      if (open.size() == kMaxDepth) open.erase(open.begin());
      if (!open.empty()) out.nested = true;
      open.push_back(out.resolved.size());
      out.resolved += "${";
      ++at;
      continue;
    }
    if (c == '}' && !open.empty()) {
      const std::size_t begin = open.back();
      open.pop_back();
      const std::string_view inner = std::string_view(out.resolved).substr(begin + 2);
      std::string value;
      if (inner.size() <= kMaxLookupBytes && evaluate(inner, value)) {
        out.resolved.resize(begin);
        out.resolved += value;
        out.nested = true;
        continue;
      }
    }
    out.resolved.push_back(c);
  }
  return out;
}

}  // namespace wafd::detect
