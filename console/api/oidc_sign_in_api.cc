// Signing in by a provider: the browser is sent there, comes back with a code, and the code becomes a
// session. The browser that comes back must be the one that was sent: it has a cookie of its own.
#include <algorithm>
#include <utility>

#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/api/oidc.h"
#include "console/api/routing/auth.h"
#include "console/api/second_factor.h"
#include "console/api/session_answer.h"
#include "console/base/problem.h"
#include "console/credentials/known_clients.h"
#include "forward/notify/web_address.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxGrantBytes = 4096;
constexpr std::size_t kMaxStateBytes = 256;
constexpr std::size_t kMaxIssuerBytes = 2048;

const OidcSettings& settings_of(const Services& services) { return services.settings.current().oidc; }

HttpResponse not_set_up() { return problem(kNotFound, "Sign-in by a provider is not set up."); }

std::string label_of(const OidcSettings& settings) {
  if (!settings.label.empty()) return settings.label;
  const auto address = forward::parse_web_address(settings.issuer);
  return address ? address->host : std::string();
}

HttpResponse sign_in_state(const Services& services) {
  const OidcSettings& settings = settings_of(services);
  return HttpResponse::json(
      200, {{"enabled", settings.enabled}, {"label", settings.enabled ? label_of(settings) : std::string()}});
}

// Where the provider sends the browser back to: the console as this browser names it. That it is ours, the
// provider says, who knows its addresses.
std::optional<std::string> redirect_uri(const Call& call) {
  const std::string origin = "https://" + std::string(call.request.header("Host").value_or(""));
  const auto address = forward::parse_web_address(origin);
  if (!address || address->path != "/" || origin.ends_with('/')) return std::nullopt;
  return origin + std::string(kOidcRedirectPath);
}

void begin_sign_in(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  if (!settings_of(services).enabled) return respond(not_set_up());
  const auto back = redirect_uri(*call);
  if (!back) return respond(problem(kBadRequest, "Expected a Host header with the console's own name."));
  const auto known = std::make_shared<ProviderMetadata>();
  const std::string address = address_key(call->request.peer);
  ask_provider(
      services, settings_of(services), "oidc " + address, respond,
      [known](SignInContext& context) {
        auto read = know_provider(context);
        *known = context.provider.metadata;
        return read;
      },
      [&services, call, respond, known, back, address](const Result<void>& read) {
        if (!read) return respond(sign_in_problem(read.error()));
        const OidcSettings& settings = settings_of(services);
        if (!settings.enabled || settings.issuer != known->issuer) return respond(not_set_up());
        const auto begun =
            services.oidc->pending.begin(*back, settings.issuer, address, services.random, services.now_ms());
        HttpResponse response =
            HttpResponse::json(200, {{"url", authorization_url(*known, settings, begun.attempt)}});
        response.headers.push_back({"Set-Cookie", set_sign_in_cookie(begun.browser)});
        respond(std::move(response));
      });
}

std::optional<Role> role_of(const OidcSettings& settings, const std::vector<std::string>& groups) {
  const auto member = [&](const std::vector<std::string>& wanted) {
    return std::any_of(groups.begin(), groups.end(), [&](const std::string& group) {
      return std::find(wanted.begin(), wanted.end(), group) != wanted.end();
    });
  };
  if (member(settings.admin_groups)) return Role::kAdmin;
  if (member(settings.operator_groups)) return Role::kOperator;
  if (member(settings.viewer_groups) || settings.default_role == OidcDefaultRole::kViewer)
    return Role::kViewer;
  return std::nullopt;
}

void note_refused(Services& services, const Call& call, const std::string& user, std::string_view why) {
  services.audit({call.now_ms,
                  user,
                  "session",
                  call.request.peer,
                  "session.refused",
                  user,
                  {{"by", "oidc"}, {"why", why}}});
}

// Who may no longer sign in has no sessions either.
HttpResponse no_role(Services& services, const Call& call, const ExternalId& external) {
  const User* known = services.credentials.user_of(external);
  const std::string username = known == nullptr ? std::string() : known->username;
  if (known != nullptr)
    if (auto closed = services.credentials.close_sessions_of(username, ""); !closed)
      return problem_of(closed.error());
  note_refused(services, call, username, "no group gives a role");
  return problem(kForbidden, "The provider knows you, but none of your groups has a role here.");
}

HttpResponse admit(Services& services, Call& call, const SignedIn& who) {
  const OidcSettings& settings = settings_of(services);
  const ExternalId external{settings.issuer, who.subject};
  const auto role = role_of(settings, who.groups);
  if (!role) return no_role(services, call, external);
  const User* before = services.credentials.user_of(external);
  const std::string known = before == nullptr ? std::string() : before->username;
  if (needs_factor(services, *role) && !settings.trust_second_factor && !who.second_factor) {
    note_refused(services, call, known, "no second factor");
    return problem(kForbidden,
                   "Your role needs a second factor, and the provider does not say that you used one.");
  }
  const bool other_role = before != nullptr && before->role != *role;
  const std::string wanted = who.username.empty() ? who.subject : who.username;
  auto user = services.credentials.sign_in(external, wanted, *role, call.now_ms);
  if (!user) return problem_of(user.error());
  if (known.empty() || other_role)
    services.audit({call.now_ms,
                    user->username,
                    "session",
                    call.request.peer,
                    known.empty() ? "user.create" : "user.change",
                    user->username,
                    {{"role", to_string(*role)}, {"by", "oidc"}, {"subject", who.subject}}});
  return open_session(services, call, user->username, 200);
}

struct SignInAnswer {
  std::string state, error;
  AuthorizationAnswer answer;
};

Result<SignInAnswer> read_answer(const Call& call) {
  SignInAnswer out;
  ObjectReader reader(call.body);
  reader.require("state").text("state", out.state, 1, kMaxStateBytes);
  reader.text("code", out.answer.code, 0, kMaxGrantBytes).text("error", out.error, 0, kMaxStateBytes);
  reader.text("iss", out.answer.issuer, 0, kMaxIssuerBytes);
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  return out;
}

void finish(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  auto read = read_answer(*call);
  if (!read) return respond(problem_of(read.error()));
  if (!settings_of(services).enabled) return respond(not_set_up());
  const auto attempt = services.oidc->pending.take(read->state, sign_in_cookie(call->request), call->now_ms);
  if (!attempt) {
    note_refused(services, *call, "", "not begun here");
    return respond(problem(kLoginFailed,
                           "This log-in was not begun in this browser, took longer than 10 minutes, or was "
                           "answered before: begin again."));
  }
  if (!read->error.empty() || read->answer.code.empty()) {
    const std::string error = known_error(read->error);
    note_refused(services, *call, "", error);
    return respond(problem(kLoginFailed, fmt::format("The sign-in provider refused: {}.", error)));
  }
  const auto who = std::make_shared<SignedIn>();
  const auto done = [respond](HttpResponse response) {
    response.headers.push_back({"Set-Cookie", set_sign_in_cookie("")});
    respond(std::move(response));
  };
  ask_provider(
      services, settings_of(services), "oidc " + address_key(call->request.peer), done,
      [who, attempt, answer = read->answer](SignInContext& context) -> Result<void> {
        auto redeemed = redeem(context, *attempt, answer);
        if (!redeemed) return tl::unexpected(redeemed.error());
        *who = std::move(*redeemed);
        return {};
      },
      [&services, call, done, who, attempt](const Result<void>& redeemed) {
        const bool same = settings_of(services).enabled && settings_of(services).issuer == attempt->issuer;
        if (redeemed && same) return done(admit(services, *call, *who));
        if (redeemed) return done(not_set_up());
        note_refused(services, *call, "", redeemed.error().what);
        done(sign_in_problem(redeemed.error()));
      });
}

// Ends the session here, at once; where to go for the provider's, where that is wanted.
HttpResponse log_out_of_provider(Services& services, Call& call) {
  const OidcSettings& settings = settings_of(services);
  const User* user = services.credentials.user(call.identity.username);
  const bool there = user != nullptr && user->is_external() && settings.provider_log_out;
  const std::string url = there ? log_out_url(services.oidc->provider.metadata, settings) : std::string();
  if (call.identity.via == Identity::Via::kSession)
    if (auto closed = services.credentials.close_session(call.identity.session_hash.substr(0, 16)); !closed)
      return problem_of(closed.error());
  services.audit(call, "session.close", call.identity.username, {{"by", "oidc"}});
  HttpResponse response =
      HttpResponse::json(200, {{"url", url.empty() ? boost::json::value() : boost::json::value(url)}});
  response.headers.push_back({"Set-Cookie", set_cookie("")});
  return response;
}

}  // namespace

std::vector<Route> oidc_sign_in_routes(Services& services) {
  const std::string path = "/api/v1/session/oidc";
  return with_enrolling({
      operation("GET", path, std::nullopt, "getOidcSignIn", "Whether people can sign in by a provider")
          .answers("OidcSignIn")
          .by(at_once([&services](Call&) { return sign_in_state(services); })),
      operation("POST", path, std::nullopt, "beginOidcSignIn",
                "Begin to sign in by the provider: where the browser goes next")
          .answers("OidcBegun")
          .by(services, begin_sign_in),
      operation("PUT", path, std::nullopt, "finishOidcSignIn",
                "Sign in by what the browser brought back from the provider")
          .takes("OidcAnswer")
          .answers("SessionOpened")
          .by(services, finish),
      operation("DELETE", path, Role::kViewer, "logOutOidc",
                "Log out; where the browser goes to log out at the provider too")
          .answers("OidcLoggedOut")
          .by(services, log_out_of_provider),
  });
}

}  // namespace wafd::console
