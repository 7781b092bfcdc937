// Any bytes as a request: the prefilter adds nothing to what the engine without prefilter finds (and loses
// nothing, with WAFD_FUZZ_UNANNOUNCED=1), every finding lies inside the request, and judging again says the
// same.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "detect/engine.h"
#include "detect/offline.h"

namespace {

using wafd::detect::Engine;

void require(bool holds) {
  if (!holds) std::abort();
}

// Made before the first input: compiling the rules takes longer than thousands of executions.
struct Engines {
  std::unique_ptr<Engine> filtered;
  std::unique_ptr<Engine> slow;
  std::unique_ptr<wafd::detect::Scratch> scratch;
  std::unique_ptr<wafd::detect::Scratch> slow_scratch;
};
Engines engines;

std::unique_ptr<Engine> build(bool prefilter) {
  auto built = Engine::build({}, Engine::Options{true, prefilter});
  require(built.has_value());
  return std::move(*built);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  engines.filtered = build(true);
  engines.slow = build(false);
  engines.scratch = engines.filtered->make_scratch();
  engines.slow_scratch = engines.slow->make_scratch();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static wafd::Verdict fast;
  static wafd::Verdict slow;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const wafd::Request request = wafd::detect::split_request(bytes);
  engines.filtered->inspect(request, *engines.scratch, fast);
  engines.slow->inspect(request, *engines.slow_scratch, slow);
  require(fast.total_bytes == bytes.size() && fast.inspected_bytes <= fast.total_bytes);
  static const bool unannounced_stops = std::getenv("WAFD_FUZZ_UNANNOUNCED") != nullptr;
  const auto denying = [](const wafd::Verdict& verdict) {
    return std::count_if(verdict.findings.begin(), verdict.findings.end(),
                         [](const wafd::Finding& finding) { return finding.denies_from.has_value(); });
  };
  require(!unannounced_stops || denying(fast) == denying(slow));
  for (const wafd::Finding& a : fast.findings) {
    // Which of a rule's pieces is shown may differ: the first one stands for those that overlap it.
    require(std::any_of(slow.findings.begin(), slow.findings.end(),
                        [&a](const wafd::Finding& b) { return a.rule->number == b.rule->number; }));
    require(a.raw_begin <= a.raw_end);
    require(a.raw_end <= (a.in_body ? request.body.size() : request.head.size()));
    require(a.payload.size() <= wafd::kMaxPayloadBytes && a.excerpt.size() <= 256);
  }
  engines.filtered->inspect(request, *engines.scratch, slow);
  require(fast.findings.size() == slow.findings.size());
  // A stricter sensitivity denies whatever a milder one does.
  const bool low = wafd::detect::deciding_finding(fast, wafd::Sensitivity::kLow) >= 0;
  const bool balanced = wafd::detect::deciding_finding(fast, wafd::Sensitivity::kBalanced) >= 0;
  require((!low || balanced) &&
          (!balanced || wafd::detect::deciding_finding(fast, wafd::Sensitivity::kStrict) >= 0));
  return 0;
}
