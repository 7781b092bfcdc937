// What every attack class looks like to the engine: hints that gate it, rules it may report, a pure function.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/verdict.h"

namespace wafd::detect {

// Where a variant stands; analysers use it for quoting contexts, never for the name of a header or host.
struct FieldContext {
  Location location = Location::kQuery;
  bool in_name = false;            // the text is a name, not a value
  std::string_view name;           // of the parameter, header, cookie, file field
  std::uint32_t decode_flags = 0;  // DecodeFlag bits met on the way (detect/decode)
};

// One match of an analyser, in octets of the text that it was given.
struct Hit {
  std::uint16_t rule = 0;   // index in Analyzer::rules()
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string reason;       // one sentence, why this is an attack; made only on a hit
};

// Pure and immutable: no state but what its constructor made; one instance serves all threads. analyze() takes time
// linear in `text` and never recurses to a depth that the text chooses.
class Analyzer {
 public:
  virtual ~Analyzer() = default;
  virtual std::string_view name() const noexcept = 0;  // "sqli": module is "m_sqli"

  // Built-in rules, in the order of Hit::rule. Numbers and ids must never change once released: the id is
  // "<module>/" + 32 hex digits, made with rule_id() from module and a stable key.
  virtual std::span<const Rule> rules() const noexcept = 0;

  // Vectorscan expressions (without case, dot matches all), of which at least one matches every text in which
  // analyze() finds something. Tested by fuzzing: the gate never loses what an analyser would find.
  virtual std::span<const char* const> hints() const noexcept = 0;

  // Appends what it finds; at most a few hits (the weightiest of each rule).
  virtual void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const = 0;
};

// "<module>/" and the first 32 hex digits of a digest of module and key: stable across releases and machines.
std::string rule_id(std::string_view module, std::string_view key);

}  // namespace wafd::detect
