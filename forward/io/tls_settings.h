// A target's TLS settings as a context: PEM texts taken as they are or read from file:/PATH.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "detect/core/error.h"
#include "forward/target_settings.h"
#include "ingest/io/kit/tls.h"

namespace wafd::forward {

// Files up to 64 KiB, read now: a target that connects again takes what is there then. Errors name the
// member.
Result<std::shared_ptr<const kit::TlsContext>> tls_context(const TlsSettings& settings);

// PEM text as it is, or the content of file:/PATH. `member` names it in the error.
Result<std::string> read_pem(std::string_view member, const std::string& text);

// The name that the receiver's certificate must have: `server_name`, or the host that was dialled.
std::string tls_name(const TlsSettings& settings, const HostPort& to);

}  // namespace wafd::forward
