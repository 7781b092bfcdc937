// Lookups (Log4j 2 "Lookups", Commons Text StringSubstitutor): ${prefix:argument:-default}, nested.
#include "detect/analyze/java/java_rules.h"
#include "detect/analyze/java/lookup_reader.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxPrefixBytes = 32;

// The lookups whose names are known once everything inside of them is resolved.
void read_resolved(std::string_view resolved, std::size_t first, FirstHits& found) {
  for (std::size_t at = resolved.find("${"); at != std::string_view::npos; at = resolved.find("${", at + 2)) {
    std::size_t end = at + 2;
    while (end < resolved.size() && end - at < kMaxPrefixBytes && is_alnum(resolved[end])) ++end;
    if (end >= resolved.size() || resolved[end] != ':') continue;
    const LookupKind kind = lookup_kind(resolved.substr(at + 2, end - at - 2));
    if (kind == LookupKind::kJndi) {
      found.add(kJavaJndi, first, std::string_view::npos,
                "A lookup that makes a Java program load an object from an address.");
    }
    const bool argument =
        end + 1 < resolved.size() && (is_alnum(resolved[end + 1]) || resolved[end + 1] == '/');
    if (!argument) continue;
    if (kind == LookupKind::kCode)
      found.add(kJavaCodeLookup, first, std::string_view::npos,
                "A lookup that runs a script or fetches what it names.");
    if (kind == LookupKind::kRead)
      found.add(kJavaLookup, first, std::string_view::npos, "A lookup that reads the server's environment.");
  }
}

}  // namespace

void read_java_lookups(std::string_view text, const FieldContext& context, FirstHits& found) {
  const std::size_t first = text.find("${");
  if (first == std::string_view::npos) return;
  const std::string_view rest = text.substr(first);
  if (rest.find(':') == std::string_view::npos) return;
  const LookupReading reading = resolve_lookups(rest, context.memory);
  read_resolved(reading.resolved, first, found);
  if (found.has(kJavaJndi)) return;
  if (reading.nested && rest.find(":-") != std::string_view::npos &&
      rest.find("${", 2) != std::string_view::npos) {
    found.add(kJavaLookup, first, std::string_view::npos,
              "Lookups nested in each other, to put a name together.");
  } else if (reading.hides) {
    found.add(kJavaLookup, first, std::string_view::npos, "A lookup that only serves to hide letters.");
  }
}

}  // namespace wafd::detect
