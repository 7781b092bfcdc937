// Other ways to write the same attack: rules that rewrite its text within its language, and rules that carry
// the same text in another coding, wrapping or place. Each says what it holds for, so that a variation still
// works as an attack.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "detect/core/verdict.h"
#include "tests/support/variations/raw_request.h"

namespace wafd::variations {

// A bit for each AttackType.
using Types = std::uint32_t;
constexpr Types bit(AttackType type) { return Types{1} << static_cast<unsigned>(type); }

struct Attack {
  AttackType type = AttackType::kSqli;
  RawRequest request;
  Leaf leaf;  // what carries it
  bool wrapped =
      false;  // the value is base64, JSON or the like around the attack: no rule of its language applies
};

struct Variation {
  const char* name = "";
  const char* holds = "";  // for what, and why the attack still works
  Types types = 0;
  // One of the two. False: does not apply. `text`: the attack as it stands decoded, rewritten in its
  // language.
  bool (*text)(std::string_view attack, std::string& out) = nullptr;
  // The whole request.
  bool (*request)(const Attack& attack, std::string& out) = nullptr;
};

// Every variation; the order and the names are stable within a release.
std::span<const Variation> all_variations();
bool vary(const Variation& variation, const Attack& attack, std::string& out);

// The attack that a verdict rests on: the place that carries the finding. None where no single value does (a
// compressed body, a document as a whole).
std::optional<Attack> attack_of(std::string bytes, const Finding& finding);
// `text` as the value of an ordinary parameter among others.
Attack attack_of(AttackType type, std::string_view text);

// Makers of the languages' rules; each returns the rules of one language.
std::span<const Variation> sql_variations();
std::span<const Variation> html_variations();
std::span<const Variation> script_variations();
std::span<const Variation> shell_variations();
std::span<const Variation> path_variations();
std::span<const Variation> code_variations();
std::span<const Variation> place_variations();

}  // namespace wafd::variations
