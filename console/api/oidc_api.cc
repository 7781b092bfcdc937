// The sign-in provider as it is set up, and whether it answers.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "console/api/api_parts.h"
#include "console/api/oidc.h"
#include "console/api/routing/etag.h"
#include "console/api/routing/test_limiter.h"
#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "forward/notify/web_address.h"
#include "forward/target/destination.h"

namespace wafd::console {
namespace {

std::string hidden(const Services& services, const OidcSettings& settings) {
  return keyed_digest(services.etag_key, boost::json::serialize(to_json(settings, true)));
}

boost::json::object shown_settings(const Services& services) {
  const OidcSettings& settings = services.settings.current().oidc;
  boost::json::object out = with_etag(to_json(settings, false), hidden(services, settings));
  out["redirect_path"] = kOidcRedirectPath;
  return out;
}

// An address that needs no resolving is judged at once; a name when it is connected to.
std::optional<HttpResponse> refuse_address(const Services& services, const OidcSettings& settings) {
  const auto web = forward::parse_web_address(settings.issuer);
  const auto address = web ? IpAddress::parse(web->host) : std::nullopt;
  if (!address) return std::nullopt;
  const auto local = services.local_addresses ? services.local_addresses() : std::vector<IpAddress>();
  auto good = forward::check_destination(*address, web->port, forward::Transport::kTcp,
                                         services.own_listeners, local);
  if (good) return std::nullopt;
  return problem(kForbiddenDestination, "issuer: " + good.error().what, {{"member", "issuer"}});
}

HttpResponse change_settings(Services& services, Call& call) {
  Settings next = services.settings.current();
  boost::json::object before = to_json(next.oidc, false);
  if (auto refused = refuse_outdated(call.request, before, hidden(services, next.oidc)))
    return std::move(*refused);
  auto parsed = parse_oidc(call.body, &next.oidc);
  if (!parsed) return problem_of(parsed.error());
  if (auto refused = refuse_address(services, *parsed)) return std::move(*refused);
  const bool secret = parsed->client_secret != next.oidc.client_secret;
  next.oidc = std::move(*parsed);
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved)
    return problem_of(saved.error());
  boost::json::object detail{{"before", std::move(before)},
                             {"after", to_json(services.settings.current().oidc, false)}};
  if (secret) detail["client_secret"] = "changed";
  services.audit(call, "oidc.change", "oidc", std::move(detail));
  return answer_object(200, shown_settings(services));
}

boost::json::object facts_of(const KnownProvider& provider) {
  boost::json::array keys;
  for (const Jwk& key : provider.keys)
    keys.push_back(
        {{"kid", key.kid}, {"algorithm", key.algorithm == SignatureAlgorithm::kRs256 ? "RS256" : "ES256"}});
  const ProviderMetadata& metadata = provider.metadata;
  return {{"authorization_endpoint", metadata.authorization_endpoint},
          {"token_endpoint", metadata.token_endpoint},
          {"userinfo_endpoint", metadata.userinfo_endpoint},
          {"end_session_endpoint", metadata.end_session_endpoint},
          {"keys", std::move(keys)}};
}

void say_checked(Services& services, const Call& call, const Respond& respond, const SignInContext& asked,
                 const Result<void>& read) {
  boost::json::object answer = facts_of(read ? asked.provider : KnownProvider{});
  answer["ok"] = read.has_value();
  answer["text"] = read ? "The provider answers: its description and its keys are good." : read.error().what;
  services.audit(call, "oidc.check", asked.settings.issuer, {{"ok", read.has_value()}});
  respond(HttpResponse::json(200, answer));
}

// Reads description and keys with the settings as they stand in the form; nobody is signed in.
void check(Services& services, TestLimiter& limiter, const std::shared_ptr<Call>& call,
           const Respond& respond) {
  auto settings = parse_oidc(call->body, &services.settings.current().oidc);
  if (!settings) return respond(problem_of(settings.error()));
  if (settings->issuer.empty())
    return respond(
        problem(kValidation, "issuer: expected the provider's issuer URL", {{"member", "issuer"}}));
  if (auto refused = refuse_address(services, *settings)) return respond(std::move(*refused));
  if (const std::int64_t wait_s = limiter.begin(services.steady_ms()); wait_s > 0)
    return respond(problem_retry(kTooMany, "One test at a time, and six a minute.", wait_s));
  const auto asked = std::make_shared<SignInContext>();
  asked->settings = *settings;
  const Respond ended = [&limiter, respond](HttpResponse response) {
    limiter.end();
    respond(std::move(response));
  };
  const auto read_now = [asked](SignInContext& context) {
    auto read = read_provider(context);
    *asked = context;
    return read;
  };
  ask_provider(services, std::move(*settings), call->identity.username, ended, read_now,
               [&services, call, ended, asked](const Result<void>& read) {
                 say_checked(services, *call, ended, *asked, read);
               });
}

}  // namespace

void ask_provider(Services& services, OidcSettings settings, const std::string& who, const Respond& respond,
                  std::function<Result<void>(SignInContext&)> work, std::function<void(Result<void>)> then) {
  if (!services.fetch) return respond(problem(kUnavailable, "Sign-in by a provider is not possible here."));
  const auto context = std::make_shared<SignInContext>(
      SignInContext{std::move(settings), services.fetch, services.now_ms(), services.oidc->provider});
  const auto result = std::make_shared<Result<void>>();
  const auto done = [&services, context, result, then = std::move(then)] {
    const OidcSettings& now = services.settings.current().oidc;
    const bool same = context->settings.issuer == now.issuer && context->settings.ca == now.ca;
    if (same) services.oidc->provider = context->provider;
    then(*result);
  };
  Background& pool = services.outgoing == nullptr ? services.background : *services.outgoing;
  if (pool.take({[context, result, work = std::move(work)] { *result = work(*context); }, done, who, {}}) !=
      Background::Taken::kYes)
    respond(problem_retry(kUnavailable, "Too many log-ins at once: try again.", 1));
}

HttpResponse sign_in_problem(const Error& error) {
  if (error.code == ErrorCode::kIo)
    return problem(kUnavailable, error.what + " Who has a password here can log in by it.");
  return problem(kLoginFailed, error.what);
}

void provider_changed(Services& services) {
  const OidcSettings& now = services.settings.current().oidc;
  services.oidc->pending.clear();
  services.oidc->provider = {};
  const auto closed = services.credentials.close_foreign_sessions(now.enabled ? now.issuer : std::string());
  if (!closed) services.audit_error = closed.error().what;
}

std::vector<Route> oidc_routes(Services& services) {
  const auto limiter = std::make_shared<TestLimiter>();
  const std::string path = "/api/v1/oidc";
  std::vector<Route> out = with_if_match({
      operation("GET", path, Role::kAdmin, "getOidc", "The provider by which people sign in")
          .answers("Oidc")
          .by(at_once([&services](Call&) { return answer_object(200, shown_settings(services)); })),
      operation("PUT", path, Role::kAdmin, "changeOidc",
                "Set the provider; sessions of people of another one end")
          .takes("OidcRequest")
          .answers("Oidc")
          .by(services, change_settings),
  });
  out.push_back(operation("POST", path + "/check", Role::kAdmin, "checkOidc",
                          "Read the provider's description and keys with settings that need not be stored")
                    .takes("OidcRequest")
                    .answers("OidcCheck")
                    .by([&services, limiter](const std::shared_ptr<Call>& call, const Respond& respond) {
                      check(services, *limiter, call, respond);
                    }));
  return out;
}

}  // namespace wafd::console
