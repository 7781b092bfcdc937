// Which changes of a target let it keep the secrets that nobody is shown: a stored key or password goes only
// to the receivers it was saved for, protected as it was then.
#pragma once

#include <string>

#include "forward/target/target_settings.h"

namespace wafd::forward {

// Whether the target as it stands would use the secret on a connection.
bool uses_key(const TargetSettings& target) noexcept;       // tls.key
bool uses_password(const TargetSettings& target) noexcept;  // kafka.sasl.password or postgresql.password

// The member whose change takes `after` elsewhere than `before`, or there with less or other protection:
// transport, host, port, backups[N], tls.*, kafka.sasl.mechanism. Empty: `after` goes to receivers of
// `before` alone, protected the same. A receiver may be left out, and backups may change places.
std::string changed_destination(const TargetSettings& before, const TargetSettings& after);

}  // namespace wafd::forward
