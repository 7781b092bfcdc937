// Messages to and from a provider: discovery (OpenID Connect Discovery 1.0), the authorization request
// with PKCE (RFC 7636), the token request (RFC 6749 section 4.1.3) and its answer. Texts in and out.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "console/base/web.h"
#include "console/settings/oidc_settings.h"
#include "detect/core/error.h"

namespace wafd::console {

struct ProviderMetadata {
  std::string issuer;
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string jwks_uri;
  std::string userinfo_endpoint;     // may be empty
  std::string end_session_endpoint;  // may be empty
  bool names_itself = false;         // its answers have `iss` (RFC 9207)
  bool basic_authentication = true;  // of clients at the token endpoint; else in the body
};

std::string discovery_url(std::string_view issuer);
// kDenied, in words for people: of another issuer, without PKCE or an algorithm that is taken here, or with
// an endpoint that is not https.
Result<ProviderMetadata> parse_metadata(std::string_view text, std::string_view issuer);

// One log-in that has begun.
struct SignInAttempt {
  std::string state, nonce, verifier;
  std::string redirect_uri;
  std::string issuer;  // of the provider that it was begun with
};
std::string authorization_url(const ProviderMetadata& provider, const OidcSettings& settings,
                              const SignInAttempt& attempt);

// `secret`: the client's, in the clear; empty: a public client.
WebRequest token_request(const ProviderMetadata& provider, const OidcSettings& settings,
                         std::string_view secret, const SignInAttempt& attempt, std::string_view code);

struct TokenAnswer {
  std::string id_token;
  std::string access_token;
};
Result<TokenAnswer> parse_token_answer(const WebAnswer& answer);

// Where the browser goes to log out there; empty: the provider has no such place.
std::string log_out_url(const ProviderMetadata& provider, const OidcSettings& settings);

// An error code of RFC 6749 or OpenID Connect as it is, anything else as "an error": nobody else's words are
// shown.
std::string known_error(std::string_view code);

}  // namespace wafd::console
