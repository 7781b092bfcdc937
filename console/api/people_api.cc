// Users and API tokens.
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "console/api/api_parts.h"
#include "console/api/routing/etag.h"
#include "console/base/problem.h"
#include "console/credentials/password.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::int64_t kMaxExpiry = std::int64_t{1} << 40;

boost::json::value or_null(std::int64_t time) {
  return time == 0 ? boost::json::value() : boost::json::value(time);
}

// The version of a user as its editors see it: a log-in does not change it. The digest of it tells nothing of
// the password's salted hash.
boost::json::object changeable(const User& user) {
  return {{"username", user.username},
          {"role", to_string(user.role)},
          {"created_ms", user.created_ms},
          {"may_unmask", user.may_unmask},
          {"password", user.password}};
}

boost::json::object user_json(const User& user) {
  return {{"username", user.username},
          {"role", to_string(user.role)},
          {"created_ms", user.created_ms},
          {"last_login_ms", or_null(user.last_login_ms)},
          {"second_factor", user.second_factor.on()},
          {"signs_in", user.is_external() ? "oidc" : "password"},
          {"may_unmask", user.may_unmask},
          {"etag", with_etag(changeable(user)).at("etag")}};
}

// Use is no change.
boost::json::object changeable(const Token& token) {
  return {{"id", token.id},
          {"name", token.name},
          {"scope", scope_of(token.role)},
          {"expires_s", token.expires_s}};
}

boost::json::object token_json(const Token& token) {
  return {{"id", token.id},
          {"name", token.name},
          {"scope", scope_of(token.role)},
          {"created_ms", token.created_ms},
          {"created_by", token.created_by},
          {"expires_s", token.expires_s},
          {"last_used_ms", or_null(token.last_used_ms)},
          {"etag", with_etag(changeable(token)).at("etag")}};
}

HttpResponse list_users(const Services& services) {
  boost::json::array list;
  for (const User& user : services.credentials.users()) list.emplace_back(user_json(user));
  boost::json::object answer;
  answer["users"] = std::move(list);
  return HttpResponse::json(200, answer);
}

// Hashes `password` on another thread, then goes on with the hash.
void hash_then(Services& services, std::string password, const Respond& respond,
               std::function<HttpResponse(std::string)> then) {
  auto hash = std::make_shared<Result<std::string>>();
  const bool taken = services.hash_in_background(
      [&services, password = std::move(password), hash] {
        *hash = hash_password(password, services.random, services.password_cost);
      },
      [respond, hash, then = std::move(then)] { respond(*hash ? then(**hash) : problem_of(hash->error())); });
  if (!taken) respond(problem_retry(kUnavailable, "Too many passwords at once: try again.", 1));
}

void add_user(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  User user;
  std::string password;
  ObjectReader reader(call->body);
  reader.require("username").require("role").require("password");
  reader.text("username", user.username, 0, 1024).text("password", password, 0, 4096);
  reader.choice("role", user.role, parse_role, "viewer, operator or admin");
  reader.boolean("may_unmask", user.may_unmask);
  if (auto good = reader.finish(); !good) return respond(problem_of(good.error()));
  if (auto good = check_username(user.username); !good) return respond(problem_of(good.error()));
  if (services.credentials.user(user.username) != nullptr)
    return respond(problem(kConflict, "A user of that name exists."));
  if (auto good = check_password(password, user.username); !good) return respond(problem_of(good.error()));
  user.created_ms = call->now_ms;
  hash_then(services, std::move(password), respond, [&services, call, user](std::string hash) mutable {
    user.password = std::move(hash);
    if (auto added = services.credentials.add_user(user); !added) return problem_of(added.error());
    services.audit(*call, "user.create", user.username, {{"role", to_string(user.role)}});
    return answer_object(201, user_json(user));
  });
}

void change_user(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  const std::string username = call->path[0];
  const User* present = services.credentials.user(username);
  if (present == nullptr) return respond(problem(kNotFound, "There is no such user."));
  if (auto refused = refuse_outdated(call->request, changeable(*present)))
    return respond(std::move(*refused));
  std::optional<Role> role;
  std::string password;
  ObjectReader reader(call->body);
  if (call->body.contains("role")) {
    role = Role::kViewer;
    reader.choice("role", *role, parse_role, "viewer, operator or admin");
  }
  reader.text("password", password, 0, 4096);
  std::optional<bool> may_unmask;
  if (call->body.contains("may_unmask")) {
    may_unmask = false;
    reader.boolean("may_unmask", *may_unmask);
  }
  if (auto good = reader.finish(); !good) return respond(problem_of(good.error()));
  if (present->is_external() && (role || !password.empty()))
    return respond(problem(kConflict, "This user signs in by a provider, whose groups give the role."));
  const auto finish = [&services, call, username, role, may_unmask](std::optional<std::string> hash) {
    const User* now = services.credentials.user(username);  // hashing took a while
    if (now == nullptr) return problem(kNotFound, "There is no such user.");
    if (auto refused = refuse_outdated(call->request, changeable(*now))) return std::move(*refused);
    const bool with_password = hash.has_value();
    auto changed =
        services.credentials.change_user(username, role, std::move(hash), call->identity.session_hash);
    if (changed && may_unmask)
      changed =
          services.credentials.update_user(username, [&](User& user) { user.may_unmask = *may_unmask; });
    if (!changed) return problem_of(changed.error());
    boost::json::object detail;
    if (may_unmask) detail["may_unmask"] = *may_unmask;
    if (role) detail["role"] = to_string(*role);
    if (with_password) detail["password"] = "changed";
    services.audit(*call, "user.change", username, std::move(detail));
    return answer_object(200, user_json(*services.credentials.user(username)));
  };
  if (!call->body.contains("password")) return respond(finish(std::nullopt));
  if (auto good = check_password(password, username); !good) return respond(problem_of(good.error()));
  hash_then(services, std::move(password), respond, finish);
}

HttpResponse remove_user(Services& services, Call& call) {
  if (const User* present = services.credentials.user(call.path[0])) {
    if (auto refused = refuse_outdated(call.request, changeable(*present))) return std::move(*refused);
  }
  if (auto removed = services.credentials.remove_user(call.path[0]); !removed)
    return problem_of(removed.error());
  services.audit(call, "user.remove", call.path[0]);
  return HttpResponse::empty(204);
}

HttpResponse list_tokens(const Services& services) {
  boost::json::array list;
  for (const Token& token : services.credentials.tokens()) list.emplace_back(token_json(token));
  boost::json::object answer;
  answer["tokens"] = std::move(list);
  return HttpResponse::json(200, answer);
}

HttpResponse add_token(Services& services, Call& call) {
  std::string name;
  Role role = Role::kViewer;
  std::int64_t expires_s = 0;
  ObjectReader reader(call.body);
  reader.require("name").require("scope");
  reader.plain("name", name, 1, 64).choice("scope", role, parse_scope, "read, write or admin");
  reader.integer("expires_s", expires_s, 0, kMaxExpiry);
  if (reader.ok() && expires_s != 0 && expires_s * 1000 <= call.now_ms)
    reader.refuse("expires_s", "a time to come, or 0");
  if (auto good = reader.finish(); !good) return problem_of(good.error());
  auto made = services.credentials.add_token(name, role, expires_s, call.identity.username, services.random,
                                             call.now_ms);
  if (!made) return problem_of(made.error());
  services.audit(call, "token.create", made->token.id,
                 {{"name", name}, {"scope", scope_of(role)}, {"expires_s", expires_s}});
  boost::json::object answer = token_json(made->token);
  answer["token"] = made->secret;
  return answer_object(201, answer);
}

HttpResponse remove_token(Services& services, Call& call) {
  for (const Token& token : services.credentials.tokens()) {
    if (token.id != call.path[0]) continue;
    if (auto refused = refuse_outdated(call.request, changeable(token))) return std::move(*refused);
  }
  if (auto removed = services.credentials.remove_token(call.path[0]); !removed)
    return problem_of(removed.error());
  services.audit(call, "token.remove", call.path[0]);
  return HttpResponse::empty(204);
}

}  // namespace

std::vector<Route> people_routes(Services& services) {
  return with_if_match({
      operation("GET", "/api/v1/users", Role::kAdmin, "listUsers", "All users")
          .answers("Users")
          .by(services, list_users),
      operation("POST", "/api/v1/users", Role::kAdmin, "addUser", "Add a user")
          .takes("UserRequest")
          .answers("User", 201)
          .by(services, add_user),
      operation("PUT", "/api/v1/users/{username}", Role::kAdmin, "changeUser",
                "Change a user's role or password")
          .takes("UserChange")
          .answers("User")
          .by(services, change_user),
      operation("DELETE", "/api/v1/users/{username}", Role::kAdmin, "removeUser",
                "Remove a user and their sessions")
          .answers_nothing()
          .by(services, remove_user),
      operation("GET", "/api/v1/tokens", Role::kAdmin, "listTokens", "All API tokens")
          .answers("Tokens")
          .by(services, list_tokens),
      operation("POST", "/api/v1/tokens", Role::kAdmin, "addToken", "Make an API token; it is shown once")
          .takes("TokenRequest")
          .answers("TokenMade", 201)
          .by(services, add_token),
      operation("DELETE", "/api/v1/tokens/{id}", Role::kAdmin, "removeToken", "Revoke an API token")
          .answers_nothing()
          .by(services, remove_token),
  });
}

}  // namespace wafd::console
