// The gate as the engine builds it from every analyser's hints, for fuzz targets of single analysers.
#pragma once

#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "detect/analyzers.h"
#include "detect/analyze/base/matcher.h"
#include "detect/prefilter/gate.h"
#include "detect/prefilter/prefilter.h"
#include "tests/fuzz/plain_gate.h"

namespace wafd::detect {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Whether a finding in random octets that no hint announces stops the target (WAFD_FUZZ_UNANNOUNCED=1). Hints
// are written by hand beside the analysers, and a search that never ends finds one that is too narrow for
// some odd text now and then: the long runs look for those, and what they find becomes a row of
// tests/detect/gate_announces_test.cc.
inline bool unannounced_stops() {
  static const bool stops = std::getenv("WAFD_FUZZ_UNANNOUNCED") != nullptr;
  return stops;
}

class AnalyzerGate {
 public:
  AnalyzerGate() : analyzers_(all_analyzers()) {
    std::vector<Hint> hints;
    std::vector<HintWord> words;
    for (std::size_t i = 0; i < analyzers_.size(); ++i) {
      for (const char* hint : analyzers_[i]->hints()) hints.push_back({hint, std::uint64_t{1} << i});
      append_words(*analyzers_[i], std::uint64_t{1} << i, words);
    }
    std::vector<Needs> needs(analyzers_.size());
    for (std::size_t i = 0; i < analyzers_.size(); ++i) {
      if (const Matcher* matcher = analyzers_[i]->matcher()) needs[i] = matcher->needs();
    }
    auto prefilter = Prefilter::build(needs);
    require(prefilter.has_value());
    prefilter_ = std::make_unique<Prefilter>(std::move(*prefilter));
    auto gate = Gate::build(hints, words);
    require(gate.has_value());
    gate_ = std::make_unique<Gate>(std::move(*gate));
    require(gate_->allocate(scratch_.hs));
    require(plain_.build(hints, words));
  }

  // The gate says of `text` what the hints say by a plain reading, of all analysers at once and of each
  // alone. More only where it stopped reading on and back, because that was too long for the text.
  bool says_what_hints_say(std::string_view text) {
    const std::uint64_t plain = plain_.scan(text);
    if (!agrees(gate_->scan(text, ~std::uint64_t{0}, scratch_), plain)) return false;
    for (std::size_t i = 0; i < analyzers_.size(); ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      if (!agrees(gate_->scan(text, bit, scratch_), plain & bit)) return false;
    }
    return true;
  }

  // Whether the gate stops reading on and back in `text`, all analysers asked at once.
  bool stops_reading(std::string_view text) {
    gate_->scan(text, ~std::uint64_t{0}, scratch_);
    return scratch_.further.ran_out();
  }

  // The hits of the analyser called `name`, checked: spans inside of the text, a reason, announced by the
  // gate (unannounced_stops()).
  std::vector<Hit> analyze(std::string_view name, std::string_view text, bool in_name) {
    for (std::size_t i = 0; i < analyzers_.size(); ++i) {
      if (analyzers_[i]->name() != name) continue;
      std::vector<Hit> hits;
      // Taken back after the call, as the engine does.
      std::pmr::monotonic_buffer_resource memory;
      FieldContext context = place_of(*analyzers_[i], in_name);
      context.memory = &memory;
      analyzers_[i]->analyze(text, context, hits);
      for (const Hit& hit : hits) {
        require(hit.rule < analyzers_[i]->rules().size() && !hit.reason.empty());
        require(hit.begin <= hit.end && hit.end <= text.size());
      }
      // What matchers need is made of their own tables: there nothing is lost, whatever the text.
      if (!hits.empty() && (unannounced_stops() || analyzers_[i]->matcher() != nullptr))
        require(lets_through(i, text));
      return hits;
    }
    std::abort();
  }

  // For tests that name the text: false if the analyser finds something that the gate does not announce. Adds
  // the number of hits to `found`.
  bool announced(std::string_view name, std::string_view text, bool in_name, std::size_t& found) {
    for (std::size_t i = 0; i < analyzers_.size(); ++i) {
      if (analyzers_[i]->name() != name) continue;
      std::vector<Hit> hits;
      // Taken back after the call, as the engine does.
      std::pmr::monotonic_buffer_resource memory;
      FieldContext context = place_of(*analyzers_[i], in_name);
      context.memory = &memory;
      analyzers_[i]->analyze(text, context, hits);
      found += hits.size();
      return hits.empty() || lets_through(i, text);
    }
    return false;
  }

 private:
  // A query value or name if it reads those, or else a place that it reads.
  static FieldContext place_of(const Analyzer& analyzer, bool in_name) {
    FieldContext context;
    context.in_name = in_name;
    context.media = true;
    for (const Location location : {Location::kFile, Location::kUrlPath, Location::kQuery}) {
      if ((analyzer.reads_places() & place_bit(location, in_name)) != 0) context.location = location;
    }
    return context;
  }

  // What the last scan said, and what the hints say.
  bool agrees(std::uint64_t said, std::uint64_t plain) const {
    return said == plain || ((plain & ~said) == 0 && scratch_.further.ran_out());
  }

  bool lets_through(std::size_t i, std::string_view text) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (analyzers_[i]->matcher() != nullptr) return prefilter_->scan(text, bit).matchers != 0;
    return gate_->scan(text, bit, scratch_) != 0;
  }

  std::vector<std::unique_ptr<Analyzer>> analyzers_;
  std::unique_ptr<Prefilter> prefilter_;
  std::unique_ptr<Gate> gate_;
  GateScratch scratch_;
  PlainGate plain_;
};

}  // namespace wafd::detect
