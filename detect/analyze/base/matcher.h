// A language as the engine sees it: it reads a text and says what stands where. How much that
// weighs is decided elsewhere (detect/judge).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "detect/analyze/base/analyzer.h"
#include "detect/analyze/base/evidence.h"
#include "detect/analyze/base/needs.h"

namespace wafd::detect {

// Pure and immutable: no state but what its constructor made; one instance serves all threads. find() takes
// time linear in the text, at most about 15 ns a byte for each reading of it, and never recurses to a depth
// that the text chooses. A token that it does not know makes it less certain; it ends no reading.
class Matcher {
 public:
  virtual ~Matcher() = default;
  virtual std::string_view name() const noexcept = 0;  // "sqli": module is "m_sqli"
  // Names of the kinds of evidence, by Evidence::kind, as the judgement's table has them.
  virtual std::span<const std::string_view> evidence() const noexcept = 0;
  // Necessary conditions on a text for find() to find anything; empty: it is always asked.
  virtual Needs needs() const = 0;
  // Places in which it can find something.
  virtual std::uint32_t reads_places() const noexcept { return kEveryPlace; }
  // True: also asked about bytes that are no text (images, archives, protocol buffers) as a whole.
  virtual bool reads_binary() const noexcept { return false; }
  // Whether what it finds may begin with a tag or a template's delimiter, far before the rest (OpenContext).
  virtual bool reads_inside() const noexcept { return false; }
  // Whether it reads the values of a form as programs have them that decode %HH and leave plus signs: false,
  // if those say nothing in its language that a blank does not, or all that run it decode them.
  virtual bool reads_kept_plus() const noexcept { return true; }
  // The language whose obfuscations (c'a't) are undone for it.
  virtual ObfuscationLanguage reads_obfuscation() const noexcept { return ObfuscationLanguage::kNone; }
  // The cost of reading one token (token_count.h), in units of core/cost_budget.h, beside the steps that its
  // readers count themselves (core/work_counter.h). tests/detect/steps compares both with what is really
  // done.
  virtual std::uint32_t units_a_token() const noexcept { return 8; }
  // Adds what it finds in `text`.
  virtual void find(std::string_view text, const FieldContext& context, EvidenceList& out) const = 0;
};

}  // namespace wafd::detect
