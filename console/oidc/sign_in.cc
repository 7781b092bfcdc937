#include "console/oidc/sign_in.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "console/oidc/claims.h"
#include "console/oidc/id_token.h"
#include "detect/core/bytes.h"
#include "files/given_text.h"

namespace wafd::console {
namespace {

Result<std::string> text_at(SignInContext& context, const std::string& url, const char* what) {
  const WebAnswer answer =
      context.fetch({.url = url, .headers = {{"Accept", "application/json"}}, .ca = context.settings.ca});
  if (!answer.failure.empty())
    return fail(ErrorCode::kIo, fmt::format("The sign-in provider does not answer: {}.", answer.failure));
  if (answer.status != 200)
    return fail(ErrorCode::kIo,
                fmt::format("The sign-in provider has no {} (status {}).", what, answer.status));
  return answer.body;
}

Result<void> read_keys(SignInContext& context) {
  const auto text = text_at(context, context.provider.metadata.jwks_uri, "keys at jwks_uri");
  if (!text) return tl::unexpected(text.error());
  auto keys = parse_jwks(*text);
  if (!keys)
    return fail(ErrorCode::kDenied, "The sign-in provider's keys are refused: " + keys.error().what + ".");
  context.provider.keys = std::move(*keys);
  return {};
}

// A key that is not known may be a new one: keys are read again, once.
Result<void> check_signed(SignInContext& context, const IdToken& token) {
  auto good = check_signature(token, context.provider.keys);
  if (good || good.error().code != ErrorCode::kUnknown) return good;
  if (auto read = read_keys(context); !read) return read;
  good = check_signature(token, context.provider.keys);
  if (!good && good.error().code == ErrorCode::kUnknown) return fail(ErrorCode::kDenied, good.error().what);
  return good;
}

// Claims that the ID token does not have. An answer about somebody else is no answer (Core, section 5.3.2).
boost::json::object user_info(SignInContext& context, const std::string& token, const std::string& subject) {
  if (context.provider.metadata.userinfo_endpoint.empty() || token.empty()) return {};
  const WebAnswer answer =
      context.fetch({.url = context.provider.metadata.userinfo_endpoint,
                     .headers = {{"Accept", "application/json"}, {"Authorization", "Bearer " + token}},
                     .ca = context.settings.ca});
  auto claims = answer.status == 200 ? json_object(answer.body) : std::nullopt;
  if (!claims || claim_text(*claims, "sub") != subject) return {};
  return std::move(*claims);
}

bool tells_of_second_factor(const boost::json::object& claims, const OidcSettings& settings) {
  const std::vector<std::string> methods = claim_texts(claims, "amr");  // RFC 8176
  if (std::find(methods.begin(), methods.end(), "mfa") != methods.end()) return true;
  const std::string context = claim_text(claims, "acr");
  return std::find(settings.acr_values.begin(), settings.acr_values.end(), context) !=
         settings.acr_values.end();
}

bool header_safe(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return byte(c) > 0x20 && byte(c) < 0x7f; });
}

SignedIn who_is(SignInContext& context, const IdToken& token, const std::string& access_token) {
  SignedIn out;
  out.subject = claim_text(token.claims, "sub");
  out.second_factor = tells_of_second_factor(token.claims, context.settings);
  out.username = claim_text(token.claims, context.settings.username_claim);
  out.groups = claim_texts(token.claims, context.settings.groups_claim);
  if ((!out.username.empty() && !out.groups.empty()) || !header_safe(access_token)) return out;
  const auto more = user_info(context, access_token, out.subject);
  if (out.username.empty()) out.username = claim_text(more, context.settings.username_claim);
  if (out.groups.empty()) out.groups = claim_texts(more, context.settings.groups_claim);
  return out;
}

}  // namespace

Result<void> read_provider(SignInContext& context) {
  const auto text = text_at(context, discovery_url(context.settings.issuer),
                            "description at /.well-known/openid-configuration");
  if (!text) return tl::unexpected(text.error());
  auto metadata = parse_metadata(*text, context.settings.issuer);
  if (!metadata) return tl::unexpected(metadata.error());
  context.provider.metadata = std::move(*metadata);
  if (auto keys = read_keys(context); !keys) return keys;
  context.provider.read_ms = context.now_ms;
  return {};
}

Result<void> know_provider(SignInContext& context) {
  const KnownProvider& known = context.provider;
  const bool fresh = known.read_ms != 0 && context.now_ms - known.read_ms < kProviderFreshMs &&
                     known.metadata.issuer == context.settings.issuer;
  return fresh ? Result<void>{} : read_provider(context);
}

Result<SignedIn> redeem(SignInContext& context, const SignInAttempt& attempt,
                        const AuthorizationAnswer& answer) {
  // Of another provider, or of nobody where it should be said: a code that was mixed up goes nowhere.
  if (attempt.issuer != context.settings.issuer)
    return fail(ErrorCode::kDenied, "The sign-in provider was changed meanwhile: begin again.");
  if (auto known = know_provider(context); !known) return tl::unexpected(known.error());
  if (answer.issuer.empty() ? context.provider.metadata.names_itself : answer.issuer != attempt.issuer)
    return fail(ErrorCode::kDenied, "The answer does not come from the provider that was asked (iss).");
  const auto secret = read_secret("client_secret", context.settings.client_secret);
  if (!secret) return fail(ErrorCode::kIo, secret.error().what + ".");
  const WebAnswer given = context.fetch(
      token_request(context.provider.metadata, context.settings, *secret, attempt, answer.code));
  if (!given.failure.empty())
    return fail(ErrorCode::kIo, fmt::format("The sign-in provider does not answer: {}.", given.failure));
  const auto tokens = parse_token_answer(given);
  if (!tokens) return tl::unexpected(tokens.error());
  auto token = parse_id_token(tokens->id_token);
  if (!token) return tl::unexpected(token.error());
  if (auto good = check_signed(context, *token); !good) return tl::unexpected(good.error());
  const IdTokenExpectations expected{context.settings.issuer, context.settings.client_id, attempt.nonce,
                                     context.now_ms / 1000};
  if (auto good = check_claims(token->claims, expected); !good) return tl::unexpected(good.error());
  return who_is(context, *token, tokens->access_token);
}

}  // namespace wafd::console
