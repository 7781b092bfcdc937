#include "console/oidc/provider.h"

#include <algorithm>

#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/oidc/base64url.h"
#include "console/oidc/claims.h"
#include "detect/core/bytes.h"
#include "forward/notify/digests.h"
#include "forward/notify/web_address.h"

namespace wafd::console {
namespace {

namespace json = boost::json;

constexpr std::string_view kErrors[] = {
    "invalid_request",
    "unauthorized_client",
    "access_denied",
    "unsupported_response_type",
    "invalid_scope",
    "server_error",
    "temporarily_unavailable",
    "interaction_required",
    "login_required",
    "account_selection_required",
    "consent_required",
    "invalid_client",
    "invalid_grant",
    "unsupported_grant_type",
    "unmet_authentication_requirements",
};

std::string encoded(std::string_view text) { return forward::percent_encoded(text); }

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

tl::unexpected<Error> refuse(const std::string& why) {
  return fail(ErrorCode::kDenied, "The sign-in provider's description is refused: " + why + ".");
}

// True if the list is there and lacks `word`.
bool lacks(const json::object& document, std::string_view list, std::string_view word) {
  const std::vector<std::string> words = claim_texts(document, list);
  return document.contains(list) && std::find(words.begin(), words.end(), word) == words.end();
}

std::string with_query(std::string_view endpoint, const std::string& query) {
  return std::string(endpoint) + (endpoint.find('?') == std::string_view::npos ? "?" : "&") + query;
}

Result<void> check_abilities(const json::object& document) {
  if (lacks(document, "code_challenge_methods_supported", "S256"))
    return refuse("it does not know PKCE (S256)");
  if (lacks(document, "response_types_supported", "code")) return refuse("it does not know the code flow");
  if (lacks(document, "id_token_signing_alg_values_supported", "RS256") &&
      lacks(document, "id_token_signing_alg_values_supported", "ES256"))
    return refuse("it signs neither by RS256 nor by ES256");
  return {};
}

}  // namespace

std::string discovery_url(std::string_view issuer) {
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  return std::string(issuer) + "/.well-known/openid-configuration";
}

Result<ProviderMetadata> parse_metadata(std::string_view text, std::string_view issuer) {
  const auto document = json_object(text);
  if (!document) return refuse("it is no JSON object");
  ProviderMetadata out;
  out.issuer = claim_text(*document, "issuer");
  if (out.issuer != issuer) return refuse("it is of another issuer than the one that was set");
  struct Endpoint {
    const char* name;
    std::string ProviderMetadata::*member;
    bool required;
  };
  constexpr Endpoint kEndpoints[] = {
      {"authorization_endpoint", &ProviderMetadata::authorization_endpoint, true},
      {"token_endpoint", &ProviderMetadata::token_endpoint, true},
      {"jwks_uri", &ProviderMetadata::jwks_uri, true},
      {"userinfo_endpoint", &ProviderMetadata::userinfo_endpoint, false},
      {"end_session_endpoint", &ProviderMetadata::end_session_endpoint, false},
  };
  for (const Endpoint& endpoint : kEndpoints) {
    std::string& url = out.*endpoint.member;
    url = claim_text(*document, endpoint.name);
    if (url.empty() && !endpoint.required) continue;
    const auto address = forward::parse_web_address(url);
    if (!address || !address->encrypted) return refuse(fmt::format("{} is no https URL", endpoint.name));
  }
  if (auto good = check_abilities(*document); !good) return tl::unexpected(good.error());
  const json::value* names_itself = document->if_contains("authorization_response_iss_parameter_supported");
  out.names_itself = names_itself != nullptr && *names_itself == true;
  // client_secret_basic is what holds where nothing is said (Discovery, section 3).
  out.basic_authentication =
      !lacks(*document, "token_endpoint_auth_methods_supported", "client_secret_basic");
  return out;
}

std::string authorization_url(const ProviderMetadata& provider, const OidcSettings& settings,
                              const SignInAttempt& attempt) {
  std::string query = fmt::format(
      "response_type=code&client_id={}&redirect_uri={}&scope={}&state={}&nonce={}&code_challenge={}"
      "&code_challenge_method=S256",
      encoded(settings.client_id), encoded(attempt.redirect_uri), encoded(joined(settings.scopes)),
      encoded(attempt.state), encoded(attempt.nonce), base64url(forward::sha256(attempt.verifier)));
  if (!settings.acr_values.empty()) query += "&acr_values=" + encoded(joined(settings.acr_values));
  return with_query(provider.authorization_endpoint, query);
}

WebRequest token_request(const ProviderMetadata& provider, const OidcSettings& settings,
                         std::string_view secret, const SignInAttempt& attempt, std::string_view code) {
  WebRequest out;
  out.method = "POST";
  out.url = provider.token_endpoint;
  out.ca = settings.ca;
  out.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
  out.body = fmt::format("grant_type=authorization_code&code={}&redirect_uri={}&code_verifier={}",
                         encoded(code), encoded(attempt.redirect_uri), encoded(attempt.verifier));
  // RFC 6749 section 2.3.1: both are encoded before they are joined.
  const std::string id = encoded(settings.client_id), key = encoded(secret);
  if (secret.empty() || !provider.basic_authentication) out.body += "&client_id=" + id;
  if (!secret.empty() && provider.basic_authentication)
    out.headers.push_back({"Authorization", "Basic " + forward::base64(id + ":" + key)});
  else if (!secret.empty())
    out.body += "&client_secret=" + key;
  return out;
}

Result<TokenAnswer> parse_token_answer(const WebAnswer& answer) {
  const auto document = json_object(answer.body);
  if (answer.status != 200) {
    const std::string code = document ? claim_text(*document, "error") : std::string();
    return fail(ErrorCode::kDenied, fmt::format("The sign-in provider refused the code: {} (status {}).",
                                                known_error(code), answer.status));
  }
  TokenAnswer out;
  if (document) {
    out.id_token = claim_text(*document, "id_token");
    if (iequals(claim_text(*document, "token_type"), "Bearer"))
      out.access_token = claim_text(*document, "access_token");
  }
  if (out.id_token.empty()) return fail(ErrorCode::kDenied, "The sign-in provider gave no ID token.");
  return out;
}

std::string log_out_url(const ProviderMetadata& provider, const OidcSettings& settings) {
  if (provider.end_session_endpoint.empty()) return {};
  return with_query(provider.end_session_endpoint, "client_id=" + encoded(settings.client_id));
}

std::string known_error(std::string_view code) {
  return std::find(std::begin(kErrors), std::end(kErrors), code) == std::end(kErrors) ? "an error"
                                                                                      : std::string(code);
}

}  // namespace wafd::console
