// The first start: the first admin is made by whoever has the set-up token.
#include <utility>

#include <boost/json/value.hpp>

#include "console/api/api_parts.h"
#include "console/api/session_answer.h"
#include "console/base/problem.h"
#include "console/credentials/password.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::string_view kGuardAccount = "?setup";

HttpResponse setup_state(const Services& services, const Call& call) {
  const bool needed = services.credentials.empty();
  boost::json::object answer;
  answer["needed"] = needed;
  answer["open"] = needed && services.setup.open(call.now_ms);
  answer["closes_ms"] = needed ? boost::json::value(services.setup.closes_ms()) : boost::json::value();
  return HttpResponse::json(200, answer);
}

void set_up(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  if (!services.credentials.empty()) return respond(problem(kConflict, "The first start is done: log in."));
  std::string token;
  auto user = std::make_shared<User>();
  auto password = std::make_shared<std::string>();
  ObjectReader reader(call->body);
  reader.require("token").require("username").require("password");
  reader.text("token", token, 0, 256)
      .text("username", user->username, 0, 1024)
      .text("password", *password, 0, 4096);
  if (auto good = reader.finish(); !good) return respond(problem_of(good.error()));

  const std::string& address = call->request.peer;
  if (const std::int64_t delay = services.login_guard.delay_ms(kGuardAccount, address, services.steady_ms());
      delay > 0) {
    return respond(
        problem_retry(kTooMany, "Too many wrong tokens: wait before the next one.", (delay + 999) / 1000));
  }
  if (!services.setup.open(call->now_ms)) {
    return respond(
        problem(kSetupClosed, "The set-up token was good for 30 minutes: restart wafd to get a new one."));
  }
  if (!services.setup.matches(token)) {
    services.login_guard.failed(kGuardAccount, address, services.steady_ms());
    services.audit({call->now_ms, "", "setup", address, "setup.refused", "token", {}});
    return respond(problem(kSetupToken, "This is not the set-up token that wafd printed when it started.",
                           {{"member", "token"}}));
  }
  if (auto good = check_username(user->username); !good) return respond(problem_of(good.error()));
  if (auto good = check_password(*password, user->username); !good) return respond(problem_of(good.error()));
  user->role = Role::kAdmin;
  user->created_ms = call->now_ms;
  auto hash = std::make_shared<Result<std::string>>();
  const bool taken = services.hash_in_background(
      [&services, password, hash] {
        *hash = hash_password(*password, services.random, services.password_cost);
      },
      [&services, call, respond, user, hash] {
        if (!*hash) return respond(problem_of(hash->error()));
        if (!services.credentials.empty())
          return respond(problem(kConflict, "The first start is done: log in."));
        user->password = **hash;
        if (auto added = services.credentials.add_first_user(*user); !added)
          return respond(problem_of(added.error()));
        services.setup.finish();
        services.audit({call->now_ms,
                        user->username,
                        "setup",
                        call->request.peer,
                        "user.create",
                        user->username,
                        {{"role", "admin"}}});
        respond(open_session(services, *call, user->username, 201));
      });
  if (!taken) respond(problem_retry(kUnavailable, "Too many log-ins at once: try again.", 1));
}

}  // namespace

std::vector<Route> setup_routes(Services& services) {
  return {
      operation("GET", "/api/v1/setup", std::nullopt, "getSetup", "Whether this is the first start")
          .answers("SetupState")
          .by(services, setup_state),
      operation("POST", "/api/v1/setup", std::nullopt, "setUp", "Make the first admin")
          .takes("SetupRequest")
          .answers("SessionOpened", 201)
          .by(services, set_up),
  };
}

}  // namespace wafd::console
