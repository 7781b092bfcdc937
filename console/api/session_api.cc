// Logging in and out, who one is, the sessions there are.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "console/api/api_parts.h"
#include "console/api/routing/auth.h"
#include "console/api/session_answer.h"
#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "console/credentials/password.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::string_view kWrongPair = "The user name or the password is wrong.";

// While the accounts of a fleet are away it may be neither.
HttpResponse wrong_pair(const Services& services) {
  const std::string why = services.credentials.why_away_for_all();
  return problem(kLoginFailed, why.empty() ? kWrongPair : std::string_view(why));
}

struct Login {
  std::string username;
  std::string password;
  std::string code;  // of the second factor; empty: not asked for yet
};

HttpResponse too_early(std::int64_t delay_ms) {
  return problem_retry(kTooMany, "Too many failed attempts: wait before the next one.",
                       (delay_ms + 999) / 1000);
}

// The password was not looked at, so this is nobody's try.
HttpResponse too_many_at_once() {
  return problem_retry(kUnavailable, "Too many log-ins at once: try again.", 1);
}

// The digest of the device cookie, if it is one that this account was given.
std::string known_device(const Services& services, std::string_view account, const HttpRequest& request) {
  const std::string_view cookie = device_cookie(request);
  if (cookie.empty() || services.known_clients == nullptr) return {};
  std::string digest = sha256_hex(cookie);
  return services.known_clients->has_device(account, digest) ? digest : std::string();
}

void refused(Services& services, const Call& call, const std::string& account,
             boost::json::object detail = {}) {
  services.audit(
      {call.now_ms, account, "session", call.request.peer, "session.refused", account, std::move(detail)});
}

// Looks at the code of a user whose password was right. Nothing: go ahead.
std::optional<HttpResponse> second_factor(Services& services, const Call& call, const User& user,
                                          const std::string& code, const std::string& device) {
  if (!user.second_factor.on()) return std::nullopt;
  if (code.empty()) {
    services.login_guard.not_tried(user.username, call.request.peer, device);
    return problem(kSecondFactor, "Expected a code of the authenticator app, or a recovery code.",
                   {{"member", "code"}});
  }
  SecondFactor next = user.second_factor;
  CodeUse use = use_code(next, code, call.now_ms);
  const std::string username = user.username;
  if (use != CodeUse::kRefused) {
    // Written before the session opens: the code is good once, also after a crash, and at another console.
    auto saved = services.credentials.update_user(username, [&](User& of) {
      use = use_code(of.second_factor, code, call.now_ms);
      next = of.second_factor;
    });
    if (!saved) return problem_of(saved.error());
  }
  if (use == CodeUse::kRefused) {
    refused(services, call, username, {{"why", "code"}});
    return problem(kLoginFailed, "The code is wrong, or was used before.", {{"member", "code"}});
  }
  if (use == CodeUse::kRecovery)
    services.audit({call.now_ms,
                    username,
                    "session",
                    call.request.peer,
                    "session.recovery_code",
                    username,
                    {{"left", next.recovery.size()}}});
  return std::nullopt;
}

void log_in(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  auto login = std::make_shared<Login>();
  ObjectReader reader(call->body);
  reader.require("username").require("password");
  reader.text("username", login->username, 0, 1024).text("password", login->password, 0, 4096);
  reader.text("code", login->code, 0, 64);
  if (auto good = reader.finish(); !good) return respond(problem_of(good.error()));

  const std::string& address = call->request.peer;
  // A name no user can have must not fill the guard's table with long keys.
  const std::string account = check_username(login->username) ? login->username : std::string("?");
  const std::string device = known_device(services, account, call->request);
  if (const std::int64_t delay =
          services.login_guard.delay_ms(account, address, services.steady_ms(), device);
      delay > 0) {
    return respond(too_early(delay));
  }
  const bool stranger = device.empty() && !services.login_guard.knows(account, address);
  // Counted before it is judged, so that many at once get no more tries than one after the other.
  services.login_guard.failed(account, address, services.steady_ms(), device);
  const User* user = services.credentials.may_log_in(login->username);
  const std::string hash = user == nullptr || user->is_external() ? nobody_hash() : user->password;
  auto right = std::make_shared<bool>(false);
  const bool taken = services.hash_in_background(
      [login, hash, right] {
        // A password that is too long for any user is hashed no less than others.
        *right = verify_password(std::string_view(login->password).substr(0, kMaxPasswordBytes + 1), hash);
      },
      [&services, call, respond, login, account, hash, right, device] {
        const User* now = services.credentials.may_log_in(login->username);
        if (!*right || now == nullptr || now->password != hash) {
          refused(services, *call, account);
          return respond(wrong_pair(services));
        }
        const CredentialStore::Shown shown{hash, now->second_factor.on()};
        if (auto wrong = second_factor(services, *call, *now, login->code, device))
          return respond(std::move(*wrong));
        HttpResponse opened = open_session(services, *call, login->username, 200, shown);
        if (opened.status == 200)
          services.login_guard.succeeded(account, call->request.peer, services.steady_ms(), device);
        respond(std::move(opened));
      },
      stranger);
  if (taken) return;
  services.login_guard.not_tried(account, address, device);
  respond(too_many_at_once());
}

HttpResponse log_out(Services& services, Call& call) {
  HttpResponse response = HttpResponse::empty(204);
  const std::string_view cookie = session_cookie(call.request);
  if (const Session* session =
          cookie.empty() ? nullptr : services.credentials.use_session(cookie, call.now_ms)) {
    const std::string username = session->username;
    if (auto closed = services.credentials.close_session(session->id()); !closed)
      response = problem_of(closed.error());
    else
      services.audit({call.now_ms, username, "session", call.request.peer, "session.close", username, {}});
  }
  response.headers.push_back({"Set-Cookie", set_cookie("")});
  return response;
}

HttpResponse me(const Services& services, const Call& call) {
  const Identity& who = call.identity;
  boost::json::object answer;
  answer["username"] = who.username;
  answer["role"] = to_string(who.role);
  answer["via"] = who.via == Identity::Via::kToken ? "token" : "session";
  answer["token_name"] =
      who.via == Identity::Via::kToken ? boost::json::value(who.token_name) : boost::json::value();
  answer["expires_ms"] = who.expires_ms == 0 ? boost::json::value() : boost::json::value(who.expires_ms);
  answer["node"] = services.node;
  answer["version"] = WAFD_VERSION;
  answer["settings_file"] = services.settings.file();
  answer["settings_of_fleet"] = services.settings.of_fleet();
  answer["fleet"] = services.fleet;
  const User* user = who.via == Identity::Via::kSession ? services.credentials.user(who.username) : nullptr;
  const Preferences wanted = user == nullptr ? Preferences{} : user->preferences;
  answer["preferences"] = {{"language", wanted.language}, {"time_zone", wanted.time_zone}};
  answer["signs_in"] = user != nullptr && user->is_external() ? "oidc" : "password";
  answer["second_factor"] = user != nullptr && user->second_factor.on();
  answer["masked"] = who.masked;
  answer["may_unmask"] = !who.masked || (user != nullptr && user->may_unmask);
  answer["must_set_up_second_factor"] = who.must_enrol;
  const std::string away = services.credentials.why_away();
  answer["accounts"] = {
      {"away", away},
      {"reading_until_ms",
       services.accounts == nullptr || who.of_files ? 0 : services.accounts->reading_until_ms()}};
  answer["time_zone"] = in_force(services.settings.current().system, services.configured).time_zone;
  return HttpResponse::json(200, answer);
}

HttpResponse sessions(const Services& services, const Call& call) {
  boost::json::array list;
  for (const Session& session : services.credentials.sessions()) {
    if (call.identity.role != Role::kAdmin && session.username != call.identity.username) continue;
    if (services.credentials.find_session(session.hash, call.now_ms) == nullptr) continue;
    list.push_back(
        {{"id", session.id()},
         {"username", session.username},
         {"address", session.address},
         {"user_agent", session.user_agent},
         {"created_ms", session.created_ms},
         {"last_used_ms", session.last_used_ms},
         {"expires_ms", std::min(session.created_ms + kSessionLifeMs, session.last_used_ms + kSessionIdleMs)},
         {"current", session.hash == call.identity.session_hash}});
  }
  boost::json::object answer;
  answer["sessions"] = std::move(list);
  return HttpResponse::json(200, answer);
}

HttpResponse end_session(Services& services, Call& call) {
  std::string owner;
  for (const Session& session : services.credentials.sessions()) {
    if (session.id() == call.path[0]) owner = session.username;
  }
  if (owner.empty() || (call.identity.role != Role::kAdmin && owner != call.identity.username)) {
    return problem(kNotFound, "There is no such session.");
  }
  if (auto closed = services.credentials.close_session(call.path[0]); !closed)
    return problem_of(closed.error());
  services.audit(call, "session.revoke", call.path[0], {{"username", owner}});
  return HttpResponse::empty(204);
}

void change_password(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  if (call->identity.via != Identity::Via::kSession) {
    return respond(problem(kForbidden, "A token has no password: log in as the user."));
  }
  std::string current;
  auto wanted = std::make_shared<std::string>();
  ObjectReader reader(call->body);
  reader.require("current")
      .require("password")
      .text("current", current, 0, 4096)
      .text("password", *wanted, 0, 4096);
  if (auto good = reader.finish(); !good) return respond(problem_of(good.error()));
  const std::string username = call->identity.username;
  if (auto good = check_password(*wanted, username); !good) return respond(problem_of(good.error()));
  if (const User* own = services.credentials.user(username); own != nullptr && own->is_external())
    return respond(problem(kConflict, "You sign in by a provider: there is no password here."));
  const std::string& address = call->request.peer;
  // Who is inside has tries of its own.
  const std::string device = call->identity.session_hash;
  if (const std::int64_t delay =
          services.login_guard.delay_ms(username, address, services.steady_ms(), device);
      delay > 0) {
    return respond(too_early(delay));
  }
  services.login_guard.failed(username, address, services.steady_ms(), device);
  const User* user = services.credentials.user(username);
  const std::string hash = user == nullptr ? nobody_hash() : user->password;
  auto made = std::make_shared<Result<std::string>>(fail(ErrorCode::kDenied, ""));
  const bool taken = services.hash_in_background(
      [&services, current, wanted, hash, made] {
        if (verify_password(current, hash))
          *made = hash_password(*wanted, services.random, services.password_cost);
      },
      [&services, call, respond, username, made, device] {
        if (!*made && made->error().code == ErrorCode::kDenied) {
          return respond(problem(kLoginFailed, "The current password is wrong.", {{"member", "current"}}));
        }
        if (!*made) return respond(problem_of(made->error()));
        services.login_guard.succeeded(username, call->request.peer, services.steady_ms(), device);
        auto changed =
            services.credentials.change_user(username, std::nullopt, **made, call->identity.session_hash);
        if (!changed) return respond(problem_of(changed.error()));
        services.audit(*call, "user.password", username);
        respond(HttpResponse::empty(204));
      });
  if (taken) return;
  services.login_guard.not_tried(username, address, device);
  respond(too_many_at_once());
}

}  // namespace

HttpResponse open_session(Services& services, Call& call, const std::string& username, int status,
                          const std::optional<CredentialStore::Shown>& shown) {
  auto cookie = services.credentials.open_session(username, call.request.peer,
                                                  call.request.header("User-Agent").value_or(""),
                                                  services.random, call.now_ms, shown);
  if (!cookie && cookie.error().code == ErrorCode::kDenied) {
    refused(services, call, username);
    return wrong_pair(services);
  }
  if (!cookie) return problem_of(cookie.error());
  const User* user = services.credentials.user(username);
  services.audit({call.now_ms, username, "session", call.request.peer, "session.open", username, {}});
  boost::json::object answer;
  answer["username"] = username;
  answer["role"] = to_string(user == nullptr ? Role::kViewer : user->role);
  answer["via"] = "session";
  answer["expires_ms"] = call.now_ms + kSessionLifeMs;
  answer["idle_expires_ms"] = call.now_ms + kSessionIdleMs;
  HttpResponse response = HttpResponse::json(status, answer);
  response.headers.push_back({"Set-Cookie", set_cookie(*cookie)});
  if (services.known_clients != nullptr) {
    // The browser keeps the cookie it has, unless somebody else made it.
    std::string device(device_cookie(call.request));
    if (known_device(services, username, call.request).empty()) device = make_secret(services.random);
    response.headers.push_back({"Set-Cookie", set_device_cookie(device)});
    auto kept = services.known_clients->remember(
        username, {address_key(call.request.peer), sha256_hex(device), call.now_ms});
    if (!kept) services.audit_error = kept.error().what;
  }
  return response;
}

std::vector<Route> session_routes(Services& services) {
  return with_enrolling({
      operation("POST", "/api/v1/session", std::nullopt, "logIn", "Log in")
          .takes("LoginRequest")
          .answers("SessionOpened")
          .by(services, log_in),
      operation("DELETE", "/api/v1/session", std::nullopt, "logOut", "Log out")
          .answers_nothing()
          .by(services, log_out),
      operation("GET", "/api/v1/me", Role::kViewer, "getMe", "Who one is").answers("Me").by(services, me),
      operation("PUT", "/api/v1/me/password", Role::kViewer, "changePassword", "Change one's password")
          .takes("PasswordChange")
          .answers_nothing()
          .by(services, change_password),
      operation("GET", "/api/v1/sessions", Role::kViewer, "listSessions",
                "One's sessions; all of them for an admin")
          .answers("Sessions")
          .by(services, sessions),
      operation("DELETE", "/api/v1/sessions/{id}", Role::kViewer, "endSession", "End a session")
          .answers_nothing()
          .by(services, end_session),
  });
}

}  // namespace wafd::console
