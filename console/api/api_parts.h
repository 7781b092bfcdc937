// The operations by topic. Each function gives routes whose handlers keep a reference to `services`.
#pragma once

#include <vector>

#include "console/api/routing/route.h"
#include "console/api/services.h"

namespace wafd::console {

std::vector<Route> health_routes(Services& services);         // /healthz, /readyz
std::vector<Route> session_routes(Services& services);        // /session, /sessions, /me
std::vector<Route> second_factor_routes(Services& services);  // /me/second-factor, /me/recovery-codes
std::vector<Route> oidc_routes(Services& services);           // /oidc
std::vector<Route> oidc_sign_in_routes(Services& services);   // /session/oidc
std::vector<Route> own_routes(Services& services);            // /me/preferences, ending all sessions
std::vector<Route> setup_routes(Services& services);          // /setup
std::vector<Route> people_routes(Services& services);         // /users, /tokens
std::vector<Route> event_routes(Services& services);          // /events...
std::vector<Route> fleet_routes(Services& services);          // /fleet
std::vector<Route> triage_routes(Services& services);         // /triage, /pins, /views
std::vector<Route> syslog_routes(Services& services);         // /syslog...
std::vector<Route> notify_routes(Services& services);         // /notify...
std::vector<Route> report_routes(Services& services);         // /report
std::vector<Route> policy_routes(Services& services);         // /sites, /exceptions, /lists
std::vector<Route> list_routes(Services& services);           // /lists/import, /lists/export
std::vector<Route> source_routes(Services& services);         // /sources
std::vector<Route> exception_routes(Services& services);      // /exceptions/preview
std::vector<Route> rule_routes(Services& services);           // /rules
std::vector<Route> certificate_routes(Services& services);    // /certificate
std::vector<Route> settings_routes(Services& services);       // /settings/versions
std::vector<Route> system_routes(Services& services);         // /system
std::vector<Route> inspect_routes(Services& services);        // /inspect
std::vector<Route> status_routes(Services& services);         // /status, /audit, /metrics

}  // namespace wafd::console
