// The listeners' options, made of the configuration.
#pragma once

#include <string>
#include <vector>

#include "config.h"
#include "detect/core/error.h"
#include "detect/core/ip_address.h"
#include "ingest/io/ingest.h"

namespace wafd {

// Those that can be read; check_config has refused others.
std::vector<Cidr> cidrs_of(const std::vector<std::string>& texts);

// Reads the PEM files that the configuration names for kT1k or kEnvoy (at most 1 MiB each). An error names
// the key and what was expected.
Result<ingest::ListenerTls> listener_tls(const Config& config, ingest::IngestListener listener);

// With listener_tls.
Result<ingest::IngestOptions> ingest_options(const Config& config);

}  // namespace wafd
