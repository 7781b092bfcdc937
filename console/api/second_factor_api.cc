// The second factor: one's own, and an admin's way to take somebody's away.
#include <algorithm>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "console/api/api_parts.h"
#include "console/api/second_factor.h"
#include "console/base/problem.h"
#include "console/credentials/password.h"
#include "console/credentials/totp.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::string_view kIssuer = "wafd";
constexpr std::size_t kMaxCodeBytes = 64;

HttpResponse too_early_for_code(std::int64_t delay_ms) {
  return problem_retry(kTooMany, "Too many failed attempts: wait before the next one.",
                       (delay_ms + 999) / 1000);
}

HttpResponse with_codes(const std::vector<std::string>& codes) {
  return HttpResponse::json(200, {{"recovery_codes", boost::json::array(codes.begin(), codes.end())}});
}

// The session's user; a token is nobody who could hold an authenticator.
const User* own(const Services& services, const Call& call) {
  return call.identity.via == Identity::Via::kSession ? services.credentials.user(call.identity.username)
                                                      : nullptr;
}

HttpResponse no_user() { return problem(kForbidden, "A token has no second factor: log in as the user."); }

HttpResponse factor_state(const Services& services, const Call& call) {
  const User* user = own(services, call);
  if (user == nullptr) return no_user();
  return HttpResponse::json(200, {{"enabled", user->second_factor.on()},
                                  {"recovery_codes_left", user->second_factor.recovery.size()},
                                  {"required", needs_factor(services, user->role)}});
}

bool good_code(SecondFactor& factor, const std::string& code, std::int64_t now_ms) {
  return use_code(factor, code, now_ms) != CodeUse::kRefused;
}

// Shows a new secret, to who knows the password: who found an open session cannot bind it to a device. Where
// a factor is in force, a code of it is asked for too: else the password alone would replace it.
void begin_factor(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  auto password = std::make_shared<std::string>();
  std::string code;
  ObjectReader reader(call->body);
  reader.require("password").text("password", *password, 0, 4096).text("code", code, 0, kMaxCodeBytes);
  if (auto good = reader.finish(); !good) return respond(problem_of(good.error()));
  const User* user = own(services, *call);
  if (user == nullptr) return respond(no_user());
  if (user->is_external())
    return respond(problem(kConflict, "You sign in by a provider: the second factor is asked for there."));
  const std::string username = user->username;
  const std::string device = call->identity.session_hash;
  const std::string address = call->request.peer;
  if (const auto delay = services.login_guard.delay_ms(username, address, services.steady_ms(), device);
      delay > 0)
    return respond(too_early_for_code(delay));
  services.login_guard.failed(username, address, services.steady_ms(), device);
  auto right = std::make_shared<bool>(false);
  const bool taken = services.hash_in_background(
      [password, right, hash = user->password] { *right = verify_password(*password, hash); },
      [&services, call, respond, username, device, right, code] {
        if (!*right)
          return respond(problem(kLoginFailed, "The current password is wrong.", {{"member", "password"}}));
        std::string secret;
        auto saved = services.credentials.update_user(username, [&](User& of) {
          if (!of.second_factor.on() || good_code(of.second_factor, code, call->now_ms))
            secret = begin_factor(of.second_factor, services.random);
        });
        if (!saved) return respond(problem_of(saved.error()));
        if (secret.empty())
          return respond(
              problem(kLoginFailed, "The code is wrong, or was used before.", {{"member", "code"}}));
        services.login_guard.succeeded(username, call->request.peer, services.steady_ms(), device);
        services.audit(*call, "user.factor_begin", username);
        respond(
            HttpResponse::json(200, {{"secret", base32(secret)},
                                     {"uri", otpauth_uri(kIssuer, username + "@" + services.node, secret)}}));
      });
  if (taken) return;
  services.login_guard.not_tried(username, address, device);
  respond(problem_retry(kUnavailable, "Too many log-ins at once: try again.", 1));
}

Result<std::string> read_code(const Call& call) {
  std::string code;
  ObjectReader reader(call.body);
  reader.require("code").text("code", code, 0, kMaxCodeBytes);
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  return code;
}

// Runs `act` on the caller's factor if it takes the code, which counts as a try to log in.
HttpResponse by_code(Services& services, Call& call,
                     const std::function<bool(SecondFactor&, const std::string& code)>& act,
                     const std::function<HttpResponse(const User&)>& then) {
  auto code = read_code(call);
  if (!code) return problem_of(code.error());
  const User* user = own(services, call);
  if (user == nullptr) return no_user();
  const std::string& device = call.identity.session_hash;
  const std::string username = user->username;
  const std::string& address = call.request.peer;
  if (const auto delay = services.login_guard.delay_ms(username, address, services.steady_ms(), device);
      delay > 0)
    return too_early_for_code(delay);
  SecondFactor next = user->second_factor;
  if (!act(next, *code)) {
    services.login_guard.failed(username, address, services.steady_ms(), device);
    return problem(kLoginFailed, "The code is wrong, or was used before.", {{"member", "code"}});
  }
  // Of the factor as it is kept: another console may have taken the code meanwhile.
  std::optional<User> now;
  auto saved = services.credentials.update_user(username, [&](User& of) {
    next = of.second_factor;
    now.reset();
    if (!act(next, *code)) return;
    of.second_factor = next;
    now = of;
  });
  if (!saved) return problem_of(saved.error());
  if (!now) return problem(kLoginFailed, "The code is wrong, or was used before.", {{"member", "code"}});
  services.login_guard.succeeded(username, address, services.steady_ms(), device);
  return then(*now);
}

HttpResponse confirm(Services& services, Call& call) {
  std::vector<std::string> codes;
  return by_code(
      services, call,
      [&](SecondFactor& factor, const std::string& code) {
        if (!confirm_factor(factor, code, call.now_ms)) return false;
        codes = new_recovery_codes(factor, services.random);
        return true;
      },
      [&](const User& user) {
        // Sessions from before have shown one factor alone.
        auto closed = services.credentials.close_sessions_of(user.username, call.identity.session_hash);
        if (!closed) return problem_of(closed.error());
        services.audit(call, "user.factor_on", user.username);
        return with_codes(codes);
      });
}

HttpResponse renew_codes(Services& services, Call& call) {
  std::vector<std::string> codes;
  return by_code(
      services, call,
      [&](SecondFactor& factor, const std::string& code) {
        if (!good_code(factor, code, call.now_ms)) return false;
        codes = new_recovery_codes(factor, services.random);
        return true;
      },
      [&](const User& user) {
        services.audit(call, "user.recovery_codes", user.username);
        return with_codes(codes);
      });
}

HttpResponse remove_own(Services& services, Call& call) {
  if (needs_factor(services, call.identity.role))
    return problem(kConflict, "Your role needs a second factor: it can be set up anew, not removed.");
  return by_code(
      services, call,
      [&](SecondFactor& factor, const std::string& code) {
        if (!good_code(factor, code, call.now_ms)) return false;
        factor = {};
        return true;
      },
      [&](const User& user) {
        services.audit(call, "user.factor_off", user.username);
        return HttpResponse::empty(204);
      });
}

HttpResponse remove_of(Services& services, Call& call) {
  auto saved = services.credentials.update_user(call.path[0], [](User& user) { user.second_factor = {}; });
  if (saved) saved = services.credentials.close_sessions_of(call.path[0], call.identity.session_hash);
  if (!saved) return problem_of(saved.error());
  services.audit(call, "user.factor_removed", call.path[0]);
  return HttpResponse::empty(204);
}

// Operations that set up a second factor.
std::vector<Route> enrolling_routes(Services& services) {
  const std::string path = "/api/v1/me/second-factor";
  return with_enrolling({
      operation("GET", path, Role::kViewer, "getSecondFactor", "One's second factor")
          .answers("SecondFactor")
          .by(services, factor_state),
      operation("POST", path, Role::kViewer, "beginSecondFactor",
                "Make a secret for an authenticator app; it is in force once a code of it came")
          .takes("SecondFactorBegin")
          .answers("SecondFactorSecret")
          .by(services, begin_factor),
      operation("PUT", path, Role::kViewer, "confirmSecondFactor",
                "Put the secret in force; recovery codes are shown once")
          .takes("SecondFactorCode")
          .answers("RecoveryCodes")
          .by(services, confirm),
  });
}

}  // namespace

bool needs_factor(const Services& services, Role role) {
  const auto& roles = services.settings.current().system.second_factor_roles;
  return roles && std::find(roles->begin(), roles->end(), to_string(role)) != roles->end();
}

bool must_enrol(const Services& services, const Identity& identity) {
  if (identity.via != Identity::Via::kSession || !needs_factor(services, identity.role)) return false;
  const User* user = services.credentials.user(identity.username);
  // Of those who sign in by a provider it was judged then.
  return user == nullptr || (!user->is_external() && !user->second_factor.on());
}

std::vector<Route> second_factor_routes(Services& services) {
  std::vector<Route> routes = enrolling_routes(services);
  routes.push_back(operation("POST", "/api/v1/me/second-factor/removal", Role::kViewer, "removeSecondFactor",
                             "Log in by password alone from now on")
                       .takes("SecondFactorCode")
                       .answers_nothing()
                       .by(services, remove_own));
  routes.push_back(operation("POST", "/api/v1/me/recovery-codes", Role::kViewer, "renewRecoveryCodes",
                             "New recovery codes in place of all others")
                       .takes("SecondFactorCode")
                       .answers("RecoveryCodes")
                       .by(services, renew_codes));
  routes.push_back(operation("DELETE", "/api/v1/users/{username}/second-factor", Role::kAdmin,
                             "removeSecondFactorOf",
                             "Take a user's second factor away, such as a lost one; their sessions end")
                       .answers_nothing()
                       .by(services, remove_of));
  return routes;
}

}  // namespace wafd::console
