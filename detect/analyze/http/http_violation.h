// HTTP violations: framing that two servers may read differently (request smuggling), bytes that do not
// belong into a head, two hosts in one request, methods that no application serves. Source: RFC 9110 and RFC
// 9112.
#pragma once

#include <memory>

#include "detect/analyze/base/request_analyzer.h"

namespace wafd::detect {

// At `balanced` only what no client sends and no gateway makes: a gateway may have unchunked the body and
// kept Transfer-Encoding, spoken HTTP/2 to the client, ended lines with LF alone. The odd but possible is
// `strict`.
std::unique_ptr<RequestAnalyzer> make_http_violation_analyzer();

}  // namespace wafd::detect
