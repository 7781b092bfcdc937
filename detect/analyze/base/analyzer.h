// An analyser of one attack class as the engine sees it: rules that it may report, places that it reads, a
// pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/verdict.h"

namespace wafd::detect {

// The language whose obfuscation a decoder undid; only its analysers read the text that came
// out.
enum class ObfuscationLanguage : std::uint8_t { kNone, kShell, kStyle };

class DocumentCache;  // detect/judge/document.h
namespace js {
class ReadingsCache;  // detect/analyze/script/js_places.h
}

// Where a variant stands; analysers use it for quoting contexts, never for the name of a header or host.
struct FieldContext {
  Location location = Location::kQuery;
  bool in_name = false;   // the text is a name, not a value
  bool media = false;     // content of an upload whose name or media type says image, sound, video, document
  bool code = false;      // stands in a block of code of a document made of blocks
  bool prose = false;     // a body whose media type says that it is a text for people
  bool stored = false;    // a text that PUT stores as the file that its path names
  std::string_view name;  // of the parameter, header, cookie, file field
  std::string_view parent;     // key or element of a document that the name stands in: "scripts" of scripts.x
  std::string_view outermost;  // key of a document that all of these stand under: "selector" of selector.x.y
  std::uint32_t decode_flags = 0;  // DecodeFlag bits met on the way (detect/decode)
  std::string_view decode_path;    // "percent|base64", as in findings
  std::string_view whole;          // the text that the one at hand is a part of; empty: it is whole itself
  std::string_view uncut;  // before a decoding, of which `whole` is the changed parts; empty: it is all
  bool front_cut = false;  // something was left out before `whole`
  DocumentCache* documents = nullptr;    // for `whole` and `uncut`; null: what is read of them is not kept
  js::ReadingsCache* scripts = nullptr;  // for the text; null: likewise
  // For what analyze() needs while it reads (tokens, stacks): taken back after the call, so that an ordinary
  // request allocates nothing. Never for what goes into a Hit.
  std::pmr::memory_resource* memory = std::pmr::new_delete_resource();
};

// A bit for each place, for Analyzer::reads_places().
constexpr std::uint32_t place_bit(Location location, bool in_name) noexcept {
  return 1u << (static_cast<unsigned>(location) * 2 + (in_name ? 1u : 0u));
}
constexpr std::uint32_t kEveryPlace = ~0u;
constexpr std::size_t kPlaces = 12;

// One match of an analyser, in bytes of the text that it was given.
struct Hit {
  std::uint16_t rule = 0;  // index in Analyzer::rules()
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string reason;   // one sentence, why this is an attack; made only on a hit
  bool judged = false;  // `denies_from` counts, not the rule's
  std::optional<Sensitivity> denies_from;
};

class Matcher;

// Pure and immutable: no state but what its constructor made; one instance serves all threads. analyze()
// takes time linear in `text` and never recurses to a depth that the text chooses.
class Analyzer {
 public:
  virtual ~Analyzer() = default;
  virtual std::string_view name() const noexcept = 0;  // "sqli": module is "m_sqli"

  // Built-in rules, in the order of Hit::rule. Numbers and ids must never change once released: the id is
  // "<module>/" + 32 hex digits, made with rule_id() from module and a stable key.
  virtual std::span<const Rule> rules() const noexcept = 0;

  // The matcher that finds evidence for it, if it is made of a matcher and a judge (all but those that tests
  // make): that says what it needs. Null: asked about every text.
  virtual const Matcher* matcher() const noexcept { return nullptr; }

  // Places in which it can find something; it is not asked about others.
  virtual std::uint32_t reads_places() const noexcept { return kEveryPlace; }

  // True: also asked about bytes that are no text (images, archives, protocol buffers) as a whole.
  virtual bool reads_binary() const noexcept { return false; }
  // True: a part of a long text is given behind what opened the tag or delimiter that it begins inside of.
  virtual bool reads_inside() const noexcept { return false; }

  // False: not asked about a form's value whose plus signs were not decoded to spaces.
  virtual bool reads_kept_plus() const noexcept { return true; }

  // The language whose tricks (c'a't) are undone for it.
  virtual ObfuscationLanguage reads_obfuscation() const noexcept { return ObfuscationLanguage::kNone; }

  // Appends what it finds; at most a few hits (the weightiest of each rule).
  virtual void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const = 0;
};

// One built-in rule as an analyser writes it down.
struct RuleSpec {
  const char* key;   // stable: the id is made from it
  const char* name;  // for people
  Risk risk = Risk::kHigh;
  std::optional<Sensitivity> denies_from = Sensitivity::kBalanced;
};

// Rules numbered first_number, first_number + 1, ... in the order of `specs`: append, never insert. Blocks of
// numbers: sqli 1000, nosql 1200, ldap 1300, xpath 1400, xss 2000, cmd 3000, path 4000, inclusion 4200, php
// 5000, java 5200, ssti 5400, xxe 5600, ssrf 5700, deserial 5800, code 5900, interpreter 5950, crlf 6000,
// upload 6100, http 6200; signatures from 10000.
std::vector<Rule> make_rules(std::string_view module, AttackType type, std::uint32_t first_number,
                             std::span<const RuleSpec> specs);

}  // namespace wafd::detect
