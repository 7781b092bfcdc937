#include "console/settings/describe.h"

#include "console/settings/oidc_settings.h"
#include "console/settings/policy_json.h"
#include "console/settings/system_settings.h"
#include "forward/notify/alert.h"
#include "forward/notify/channel.h"
#include "forward/target/target_settings.h"

namespace wafd::console {

std::span<const std::string_view> described_settings() noexcept {
  static constexpr std::string_view kNames[] = {"Site",     "Mask",    "Exception",   "ListEntry",
                                                "System",   "Target",  "TlsSettings", "PostgresqlSettings",
                                                "HostPort", "Channel", "Alert",       "Oidc"};
  return kNames;
}

std::optional<ObjectDescription> describe_settings(std::string_view object) {
  if (object == "System") return describe_system();
  if (object == "Oidc") return describe_oidc();
  if (object == "Channel") return forward::describe_channel();
  if (object == "Alert") return forward::describe_alert();
  if (auto policy = describe_policy(object)) return policy;
  return forward::describe_target(object);
}

}  // namespace wafd::console
