// Any octets as a request: the gate loses nothing that the engine without gate finds, every finding lies
// inside the request, and judging again says the same.
#include <cstdlib>

#include "detect/engine.h"
#include "detect/offline.h"

namespace {

using wafd::detect::Engine;

void require(bool holds) {
  if (!holds) std::abort();
}

const Engine& engine(bool gate) {
  static const auto gated = Engine::build({}, Engine::Options{true, true});
  static const auto slow = Engine::build({}, Engine::Options{true, false});
  require(gated && slow);
  return gate ? **gated : **slow;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const auto scratch = engine(true).make_scratch();
  static const auto slow_scratch = engine(false).make_scratch();
  static wafd::Verdict fast;
  static wafd::Verdict slow;
  const std::string_view octets(reinterpret_cast<const char*>(data), size);
  const wafd::Request request = wafd::detect::split_request(octets);
  engine(true).inspect(request, *scratch, fast);
  engine(false).inspect(request, *slow_scratch, slow);
  require(fast.total_octets == octets.size() && fast.inspected_octets <= fast.total_octets);
  require(fast.findings.size() == slow.findings.size());
  for (std::size_t i = 0; i < fast.findings.size(); ++i) {
    const wafd::Finding& a = fast.findings[i];
    const wafd::Finding& b = slow.findings[i];
    require(a.rule->number == b.rule->number && a.payload == b.payload && a.decode_path == b.decode_path);
    require(a.raw_begin <= a.raw_end);
    require(a.raw_end <= (a.in_body ? request.body.size() : request.head.size()));
    require(a.payload.size() <= wafd::kMaxPayloadBytes && a.excerpt.size() <= 256);
  }
  engine(true).inspect(request, *scratch, slow);
  require(fast.findings.size() == slow.findings.size());
  return 0;
}
