// Analysers of a request as a whole: what no single value shows, such as framing that contradicts itself.
// Asked once for each request, without a prefilter.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/request.h"
#include "detect/core/request_head.h"
#include "detect/core/verdict.h"

namespace wafd::detect {

// One finding about the request. Views into the bytes of the request.
struct RequestHit {
  std::uint16_t rule = 0;  // index in RequestAnalyzer::rules()
  Location location = Location::kHeader;
  std::string_view name;   // of the header; empty for the request line
  std::string_view piece;  // the bytes that show it, inside of head or body
  std::string reason;      // one sentence; made only on a hit
};

// Pure and immutable; one instance serves all threads. Linear in the request, and allocates nothing for a
// request in which it finds nothing. Never judges what a request lacks, nor the set or order of its headers.
class RequestAnalyzer {
 public:
  virtual ~RequestAnalyzer() = default;
  virtual std::span<const Rule> rules() const noexcept = 0;  // as Analyzer::rules()
  // `head` is request.head parsed. Appends at most one hit of each rule.
  virtual void analyze(const Request& request, const RequestHead& head,
                       std::vector<RequestHit>& hits) const = 0;
};

}  // namespace wafd::detect
