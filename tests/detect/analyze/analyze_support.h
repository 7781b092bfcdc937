// Table tests of analysers: what an analyser says about a text, as one word that a table row can hold.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "detect/analyze/base/matcher.h"
#include "detect/analyzers.h"

namespace wafd::detect {

// One of those that the engine asks, by its name ("sqli"); lives as long as the program.
inline const Analyzer& analyzer_named(std::string_view name) {
  static const std::vector<std::unique_ptr<Analyzer>> all = all_analyzers();
  for (const auto& analyzer : all) {
    if (analyzer->name() == name) return *analyzer;
  }
  ADD_FAILURE() << "no analyser is called " << name;
  return *all.front();
}

inline std::optional<Sensitivity> denies_from(const Analyzer& analyzer, const Hit& hit) {
  return hit.judged ? hit.denies_from : analyzer.rules()[hit.rule].denies_from;
}

// A matcher's evidence: "added_item(certain) [)(uid=]", one behind the other in the order found.
inline std::string evidence_of(const Matcher& matcher, std::string_view text, FieldContext context = {}) {
  std::pmr::monotonic_buffer_resource memory;
  context.memory = &memory;
  EvidenceList evidence;
  matcher.find(text, context, evidence);
  std::string out;
  for (const Evidence& item : evidence.items()) {
    static constexpr std::string_view kCertainties[] = {"possible", "likely", "certain"};
    EXPECT_LT(item.kind, matcher.evidence().size());
    EXPECT_LE(item.begin, item.end);
    EXPECT_LE(item.end, text.size());
    if (!out.empty()) out += "; ";
    out += std::string(matcher.evidence()[item.kind]) + "(" +
           std::string(kCertainties[static_cast<std::size_t>(item.certainty)]) + ") [" +
           std::string(text.substr(item.begin, item.end - item.begin)) + "]";
  }
  return out;
}

// The lowest sensitivity that denies the text: "low", "balanced", "strict", "recorded" (found, never denied)
// or "-".
inline std::string verdict_in(const Analyzer& analyzer, std::string_view text, FieldContext context) {
  std::pmr::monotonic_buffer_resource memory;
  context.memory = &memory;
  std::vector<Hit> hits;
  analyzer.analyze(text, context, hits);
  if (hits.empty()) return "-";
  std::optional<Sensitivity> lowest;
  for (const Hit& hit : hits) {
    EXPECT_LT(hit.rule, analyzer.rules().size());
    EXPECT_LE(hit.begin, hit.end);
    EXPECT_LE(hit.end, text.size());
    EXPECT_FALSE(hit.reason.empty());
    EXPECT_EQ(hit.reason.find_first_of("\n\r"), std::string::npos);
    const std::optional<Sensitivity> from = denies_from(analyzer, hit);
    if (from && (!lowest || *from < *lowest)) lowest = from;
  }
  return lowest ? to_string(*lowest) : "recorded";
}

inline std::string verdict_of(const Analyzer& analyzer, std::string_view text,
                              Location location = Location::kQuery, bool in_name = false,
                              std::string_view name = "q") {
  FieldContext context;
  context.location = location;
  context.in_name = in_name;
  context.name = name;
  return verdict_in(analyzer, text, context);
}

inline bool denied_at_balanced(const std::string& verdict) {
  return verdict == "low" || verdict == "balanced";
}

// Deterministic numbers for generated variations (xorshift64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  std::uint64_t roll(std::uint64_t sides) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % sides;
  }

 private:
  std::uint64_t state_;
};

}  // namespace wafd::detect
