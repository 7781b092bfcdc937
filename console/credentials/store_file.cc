// credentials.json: {"format":1,"users":[…],"sessions":[…],"tokens":[…]}.
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "console/credentials/store.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::int64_t kMaxTime = std::int64_t{1} << 52;
constexpr std::size_t kText = 1024;

// Calls `read` with each object of the list `name`.
template <class Read>
Result<void> each(ObjectReader& root, std::string_view name, Read read) {
  const boost::json::array* list = root.array(name, 100'000);
  if (list == nullptr) return root.ok() ? Result<void>{} : root.finish();
  for (const boost::json::value& item : *list) {
    if (!item.is_object()) return fail(ErrorCode::kInvalid, std::string(name) + ": expected objects");
    ObjectReader reader(item.get_object(), std::string(name) + "[].");
    read(reader);
    if (auto good = reader.finish(); !good) return good;
  }
  return {};
}

// Members that files of earlier versions do not have.
void read_own(ObjectReader& reader, User& user) {
  reader.text("language", user.preferences.language, 0, 16)
      .text("time_zone", user.preferences.time_zone, 0, 64)
      .boolean("may_unmask", user.may_unmask)
      .text("oidc_issuer", user.external.issuer, 0, 2048)
      .text("oidc_subject", user.external.subject, 0, 255);
  SecondFactor& factor = user.second_factor;
  reader.text("totp_secret", factor.secret, 0, 64)
      .text("totp_pending", factor.pending, 0, 64)
      .integer("totp_last_step", factor.last_step, 0, kMaxTime)
      .texts("recovery_codes", factor.recovery, kRecoveryCodes, 64, 64);
}

boost::json::object user_json(const User& user) {
  const SecondFactor& factor = user.second_factor;
  return {{"username", user.username},
          {"role", to_string(user.role)},
          {"password", user.password},
          {"created_ms", user.created_ms},
          {"last_login_ms", user.last_login_ms},
          {"language", user.preferences.language},
          {"time_zone", user.preferences.time_zone},
          {"may_unmask", user.may_unmask},
          {"oidc_issuer", user.external.issuer},
          {"oidc_subject", user.external.subject},
          {"totp_secret", factor.secret},
          {"totp_pending", factor.pending},
          {"totp_last_step", factor.last_step},
          {"recovery_codes", boost::json::array(factor.recovery.begin(), factor.recovery.end())}};
}

}  // namespace

Result<void> CredentialStore::load(std::string_view text) {
  boost::system::error_code error;
  const boost::json::value document = boost::json::parse({text.data(), text.size()}, error);
  if (error || !document.is_object()) return fail(ErrorCode::kInvalid, "no JSON object");
  ObjectReader root(document.get_object());
  std::int64_t format = 0;
  root.require("format").integer("format", format, 1, 1);

  auto good = each(root, "users", [&](ObjectReader& reader) {
    User user;
    reader.text("username", user.username, 1, 64).text("password", user.password, 0, kText);
    reader.choice("role", user.role, parse_role, "a role");
    reader.integer("created_ms", user.created_ms, 0, kMaxTime)
        .integer("last_login_ms", user.last_login_ms, 0, kMaxTime);
    read_own(reader, user);
    if (reader.ok() && user.password.empty() && !user.is_external())
      reader.refuse("password", "one, or who the user is at a provider");
    users_.emplace(user.username, user);
  });
  if (!good) return good;
  good = each(root, "sessions", [&](ObjectReader& reader) {
    Session session;
    reader.text("hash", session.hash, 64, 64).text("username", session.username, 1, 64);
    reader.text("address", session.address, 0, kText).text("user_agent", session.user_agent, 0, kText);
    reader.integer("created_ms", session.created_ms, 0, kMaxTime);
    reader.integer("last_used_ms", session.last_used_ms, 0, kMaxTime);
    sessions_.emplace(session.hash, session);
  });
  if (!good) return good;
  good = each(root, "tokens", [&](ObjectReader& reader) {
    Token token;
    reader.text("id", token.id, 1, 64).text("name", token.name, 1, 64).text("hash", token.hash, 64, 64);
    reader.choice("scope", token.role, parse_scope, "a scope");
    reader.text("created_by", token.created_by, 0, kText)
        .integer("created_ms", token.created_ms, 0, kMaxTime);
    reader.integer("expires_s", token.expires_s, 0, kMaxTime)
        .integer("last_used_ms", token.last_used_ms, 0, kMaxTime);
    tokens_.emplace(token.hash, token);
  });
  if (!good) return good;
  return root.finish();
}

std::string CredentialStore::dump() const {
  boost::json::array users;
  for (const auto& [name, user] : users_) {
    users.push_back(user_json(user));
  }
  boost::json::array sessions;
  for (const auto& [hash, session] : sessions_) {
    sessions.push_back({{"hash", session.hash},
                        {"username", session.username},
                        {"address", session.address},
                        {"user_agent", session.user_agent},
                        {"created_ms", session.created_ms},
                        {"last_used_ms", session.last_used_ms}});
  }
  boost::json::array tokens;
  for (const auto& [hash, token] : tokens_) {
    tokens.push_back({{"id", token.id},
                      {"name", token.name},
                      {"hash", token.hash},
                      {"scope", scope_of(token.role)},
                      {"created_ms", token.created_ms},
                      {"created_by", token.created_by},
                      {"expires_s", token.expires_s},
                      {"last_used_ms", token.last_used_ms}});
  }
  boost::json::object document;
  document["format"] = 1;
  document["users"] = std::move(users);
  document["sessions"] = std::move(sessions);
  document["tokens"] = std::move(tokens);
  return boost::json::serialize(document) + "\n";
}

}  // namespace wafd::console
