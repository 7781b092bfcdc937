// Signature rules (m_rule): what is known of products, tools and CVEs, as expressions in a JSON file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"
#include "detect/core/verdict.h"
#include "detect/extract/variants.h"

namespace wafd::detect {

// One bit for every location, value or name: bit (location * 2 + in_name).
using LocationSet = std::uint16_t;
constexpr LocationSet location_bit(Location location, bool in_name) noexcept {
  return static_cast<LocationSet>(1u << (static_cast<unsigned>(location) * 2 + (in_name ? 1 : 0)));
}
inline constexpr LocationSet kAllValues = 0x0555;

// Holds for a variant that stands at one of the places and in which the expression matches.
struct Condition {
  LocationSet locations = kAllValues;
  std::string name;        // of the header, parameter, cookie, file field; no case; empty: any
  std::string expression;  // Vectorscan (PCRE) syntax, no case, dot matches all, ^ and $ at line ends too
  bool any_decoding = true;
  std::vector<std::string> decodings;  // else: only variants made by none but these
  std::string through;                 // a decoding by which, among others, the variant was made; empty: any

  bool applies(const Field& field, std::string_view decode_path) const noexcept;
};

// Matches when every condition holds somewhere in the request; the first one is what the finding shows.
struct Signature {
  Rule rule;
  std::vector<Condition> conditions;
};

inline constexpr std::uint32_t kFirstSignatureNumber = 10000;
inline constexpr std::size_t kMaxSignatures = 10000;
inline constexpr std::size_t kMaxConditions = 8;
inline constexpr std::size_t kMaxExpressionBytes = 4096;

// Appends the rules of one file (format: detect/signatures/rules/README.md) up to the first mistake, which
// the error says as "file:line: rule "id": reason". Ids and numbers must be new among `out`. Expressions are
// compiled later, by the engine.
Result<void> load_signatures(std::string_view file_name, std::string_view json, std::vector<Signature>& out);

// How many states an expression has, if those are more than are taken (kMaxExpressionStates).
std::optional<std::uint32_t> too_many_states(std::string_view expression);

// The same, and expressions that Vectorscan would refuse are mistakes too. Takes a moment, because it
// compiles none: a few mistakes only compiling finds.
Result<void> look_at_signatures(std::string_view file_name, std::string_view json,
                                std::vector<Signature>& out);

// Every mistake of one file in its order, in the words of load_signatures(); expressions are compiled too,
// each by itself. After kMaxMistakes the rest is not looked at. Rules without a mistake are appended.
inline constexpr std::size_t kMaxMistakes = 100;
std::vector<Error> check_signatures(std::string_view file_name, std::string_view json,
                                    std::vector<Signature>& out);

}  // namespace wafd::detect
