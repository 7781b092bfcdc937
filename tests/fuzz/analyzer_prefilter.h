// The prefilter as the engine builds it from what every matcher needs, for fuzz targets of single analysers.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "detect/analyze/base/matcher.h"
#include "detect/analyzers.h"
#include "detect/prefilter/prefilter.h"

namespace wafd::detect {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Whether a finding in random bytes that denies and that the prefilter does not announce stops the target
// (WAFD_FUZZ_UNANNOUNCED=1). A search that never ends finds a need that is too narrow for some odd text now
// and then: the long runs look for those, and what they find becomes a row of
// tests/detect/prefilter/prefilter_announces_test.cc.
inline bool unannounced_stops() {
  static const bool stops = std::getenv("WAFD_FUZZ_UNANNOUNCED") != nullptr;
  return stops;
}

class AnalyzerPrefilter {
 public:
  AnalyzerPrefilter() : analyzers_(all_analyzers()) {
    std::vector<Needs> needs(analyzers_.size());
    for (std::size_t i = 0; i < analyzers_.size(); ++i) {
      if (const Matcher* matcher = analyzers_[i]->matcher()) needs[i] = matcher->needs();
    }
    auto prefilter = Prefilter::build(needs);
    require(prefilter.has_value());
    prefilter_ = std::make_unique<Prefilter>(std::move(*prefilter));
  }

  // The hits of the analyser called `name`, checked: spans inside of the text, a reason, announced by the
  // prefilter (unannounced_stops()).
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
      if (unannounced_stops() && denies(*analyzers_[i], hits)) require(lets_through(i, text));
      return hits;
    }
    std::abort();
  }

  // For tests that name the text: false if the analyser finds something that the prefilter does not announce.
  // Adds the number of hits to `found`.
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
  // One of them denies at some sensitivity. What is recorded alone may be left out: nothing passes by it.
  static bool denies(const Analyzer& analyzer, const std::vector<Hit>& hits) {
    return std::any_of(hits.begin(), hits.end(), [&](const Hit& hit) {
      return (hit.judged ? hit.denies_from : analyzer.rules()[hit.rule].denies_from).has_value();
    });
  }

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

  bool lets_through(std::size_t i, std::string_view text) {
    return prefilter_->scan(text, std::uint64_t{1} << i).matchers != 0;
  }

  std::vector<std::unique_ptr<Analyzer>> analyzers_;
  std::unique_ptr<Prefilter> prefilter_;
};

}  // namespace wafd::detect
