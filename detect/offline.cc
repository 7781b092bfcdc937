#include "detect/offline.h"

namespace wafd::detect {

Request split_request(std::string_view bytes) noexcept {
  Request request;
  std::size_t at = 0;
  while (true) {
    const std::size_t lf = bytes.find('\n', at);
    if (lf == std::string_view::npos) {
      request.head = bytes;
      return request;
    }
    const std::string_view line = bytes.substr(at, lf - at);
    at = lf + 1;
    if (at > 2 && (line.empty() || line == "\r"))
      break;  // not the empty lines that may come before a request
  }
  request.head = bytes.substr(0, at);
  request.body = bytes.substr(at);
  return request;
}

int deciding_finding(const Verdict& verdict, Sensitivity sensitivity) noexcept {
  int best = -1;
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    const Finding& finding = verdict.findings[i];
    if (!denies(finding, sensitivity)) continue;
    if (best >= 0) {
      const Finding& other = verdict.findings[static_cast<std::size_t>(best)];
      if (finding.rule->risk < other.rule->risk) continue;
      if (finding.rule->risk == other.rule->risk && *finding.denies_from >= *other.denies_from) continue;
    }
    best = static_cast<int>(i);
  }
  return best;
}

}  // namespace wafd::detect
