// Certificates and keys of a target, judged before it is saved: what could never work is refused with the
// member's name.
#pragma once

#include <cstdint>

#include "detect/core/error.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {

// Reads `file:/PATH` members; any thread. Errors, `what` as "tls.ca: …":
// - ca: unreadable, no certificate, expired or not yet valid, no CA (RFC 5280 section 4.2.1.9). The
// receiver's
//   own self-signed certificate is as good as a CA, if one of its names is `server_name`, or host and every
//   backup. Of a bundle one usable certificate is enough.
// - certificate: unreadable, no certificate, expired or not yet valid, not made for TLS clients.
// - key: unreadable, encrypted, of another certificate.
Result<void> check_tls(const TargetSettings& target, std::int64_t now_s);

}  // namespace wafd::forward
