// Checks of `wafd run` beyond the configuration's own grammar: found by `wafd config check` too, without
// starting anything.
#pragma once

#include <optional>
#include <vector>

#include "config.h"
#include "detect/core/ip_address.h"
#include "forward/target/target_settings.h"
#include "rule_compiler.h"
#include "telemetry/otlp/settings.h"

namespace wafd {

// Addresses with ports, no two listeners at one, their certificates and keys, time zone, rule files (read,
// and their expressions looked at, none compiled), database of source locations, where OTLP goes. The error
// begins with the key.
Result<void> check_run(const Config& config);
// The same, and what a run finds later: a state folder that cannot be one, an address that this host does not
// have, a port that another program has, the settings file; and what it goes on without: the console's
// certificate and key. Changes nothing; each address is listened on for a moment.
Result<void> check_all(const Config& config);

// The database that `fleet.database` names; its password's file and certificates are read once, to be judged.
Result<forward::TargetSettings> fleet_target(const Config& config);

// Keys otlp.* as the exporter takes them.
telemetry::OtlpSettings otlp_settings(const Config& config);

// An empty text: none.
Result<std::optional<Endpoint>> endpoint_of(const char* key, const std::string& text);
// The rule files of the configuration. One that is missing or wrong is an error that names it.
Result<std::vector<RuleText>> read_rule_files(const Config& config);

// Of descriptors, that a run needs at least.
std::uint64_t descriptors_needed(const Config& config);

// Raises the process's limit of open descriptors as far as it may. kResource: it is too low to run at all;
// `ulimit -n` or LimitNOFILE. Gives the limit.
Result<std::uint64_t> raise_descriptors(const Config& config);

}  // namespace wafd
