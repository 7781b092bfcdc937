// From an HTTP request of a gateway to the request it is about, for `/check` and `/mirror`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "detect/core/error.h"
#include "detect/core/ip_address.h"
#include "ingest/check_dialect.h"
#include "ingest/http/message.h"
#include "ingest/owned_request.h"

namespace wafd::ingest {

// Who speaks, and whom to believe.
struct PeerTrust {
  std::optional<IpAddress> peer;          // of the connection; none: a Unix socket, which is believed
  std::span<const Cidr> trusted_proxies;  // whose X-Forwarded-For and X-Real-IP count

  bool believed() const noexcept;
};

// The client's address: from the right of X-Forwarded-For the first one that is not itself a trusted proxy,
// else X-Real-IP, else the peer; the headers count only if the peer is trusted.
std::string client_address(const http::Fields& fields, const PeerTrust& trust);

// `/check/<target>` and `/mirror<target>`: the request itself with the prefix taken off its target; every
// header is data. The body is not set.
OwnedRequest request_behind_prefix(const http::Request& request, std::size_t prefix_bytes,
                                   const PeerTrust& trust);
// The same from a head that the parser refused: its first line is cut by hand.
OwnedRequest request_of_refused(std::string_view raw_head, std::size_t prefix_bytes, const PeerTrust& trust);

struct DialectError {
  unsigned status = 400;  // 400, or 401 for a wrong key
  std::string what;       // for the gateway's operator: which header, and what was expected
};

// Exactly `/check`: the request that the dialect's headers describe. They and the subrequest's own framing
// are not part of what is judged, X-Forwarded-For is. A header of the dialect that is missing or doubled is
// an error.
tl::expected<OwnedRequest, DialectError> request_of_dialect(const http::Request& request,
                                                            CheckDialect dialect,
                                                            std::span<const std::string> api_keys,
                                                            const PeerTrust& trust);

// The operation that a request target's path selects.
enum class Route { kCheckDialect, kCheckTarget, kMirror, kRecords, kHealth, kReady, kStat, kNone };
struct Routed {
  Route route = Route::kNone;
  std::size_t prefix_bytes = 0;  // of kCheckTarget and kMirror
};
Routed route_of(std::string_view target) noexcept;
// The target in the first line of a head that was refused; empty if there is none to see.
std::string_view target_of_refused(std::string_view raw_head) noexcept;

}  // namespace wafd::ingest
