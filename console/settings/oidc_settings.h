// Sign-in by an OpenID Connect provider as people configure it. Not set up: nobody is sent there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "json/object_rows.h"

namespace wafd::console {

enum class OidcDefaultRole : std::uint8_t { kNone, kViewer };

struct OidcSettings {
  bool enabled = false;
  std::string label;   // on the button; empty: the provider's host
  std::string issuer;  // https URL, exactly as the provider has it
  std::string client_id;
  std::string client_secret;  // or file:/PATH; empty: a public client; never answered
  std::string ca;             // PEM text or file:/PATH; empty: the system's
  std::vector<std::string> scopes = {"openid", "profile"};
  std::string username_claim = "preferred_username";
  std::string groups_claim = "groups";
  std::vector<std::string> admin_groups, operator_groups, viewer_groups;
  OidcDefaultRole default_role = OidcDefaultRole::kNone;
  std::vector<std::string> acr_values;  // contexts that count as a second factor, beside amr mfa
  bool trust_second_factor = false;     // take it that the provider asked for one where the role needs it
  bool provider_log_out = true;         // who logs out is sent to the provider's log-out

  bool operator==(const OidcSettings&) const = default;
};

// `previous` gives the client secret where the member is absent, but only for the issuer and the authority it
// was saved with. Errors name the member.
Result<OidcSettings> parse_oidc(const boost::json::object& object, const OidcSettings* previous = nullptr);
// Without secrets `client_secret_set` says whether there is one.
boost::json::object to_json(const OidcSettings& settings, bool with_secrets);
ObjectDescription describe_oidc();

}  // namespace wafd::console
