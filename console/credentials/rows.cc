#include "console/credentials/rows.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::int64_t kMaxRowTime = std::int64_t{1} << 52;
constexpr std::size_t kMaxRowText = 1024;

// Members that files of earlier versions do not have.
void read_own(ObjectReader& reader, User& user) {
  reader.text("language", user.preferences.language, 0, 16)
      .text("time_zone", user.preferences.time_zone, 0, 64)
      .boolean("may_unmask", user.may_unmask)
      .text("oidc_issuer", user.external.issuer, 0, 2048)
      .text("oidc_subject", user.external.subject, 0, 255)
      .boolean("of_fleet", user.of_fleet)
      .texts("spent", user.spent, kRecoveryCodes, 64, 64);
  SecondFactor& factor = user.second_factor;
  reader.text("totp_secret", factor.secret, 0, 64)
      .text("totp_pending", factor.pending, 0, 64)
      .integer("totp_last_step", factor.last_step, 0, kMaxRowTime)
      .texts("recovery_codes", factor.recovery, kRecoveryCodes, 64, 64);
}

}  // namespace

boost::json::object row_of(const User& user) {
  const SecondFactor& factor = user.second_factor;
  boost::json::object row{
      {"username", user.username},
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
  if (user.of_fleet) row["of_fleet"] = true;
  if (!user.spent.empty()) row["spent"] = boost::json::array(user.spent.begin(), user.spent.end());
  return row;
}

boost::json::object row_of(const Session& session) {
  return {{"hash", session.hash},
          {"username", session.username},
          {"address", session.address},
          {"user_agent", session.user_agent},
          {"created_ms", session.created_ms},
          {"last_used_ms", session.last_used_ms}};
}

boost::json::object row_of(const Token& token) {
  return {{"id", token.id},
          {"name", token.name},
          {"hash", token.hash},
          {"scope", scope_of(token.role)},
          {"created_ms", token.created_ms},
          {"created_by", token.created_by},
          {"expires_s", token.expires_s},
          {"last_used_ms", token.last_used_ms}};
}

Result<void> read_user(const boost::json::object& row, std::string_view place, CredentialRows& rows) {
  ObjectReader reader(row, std::string(place));
  User user;
  reader.text("username", user.username, 1, 64).text("password", user.password, 0, kMaxRowText);
  reader.choice("role", user.role, parse_role, "a role");
  reader.integer("created_ms", user.created_ms, 0, kMaxRowTime)
      .integer("last_login_ms", user.last_login_ms, 0, kMaxRowTime);
  read_own(reader, user);
  if (reader.ok() && user.password.empty() && !user.is_external())
    reader.refuse("password", "one, or who the user is at a provider");
  if (auto good = reader.finish(); !good) return good;
  rows.users.emplace(user.username, user);
  return {};
}

Result<void> read_session(const boost::json::object& row, std::string_view place, CredentialRows& rows) {
  ObjectReader reader(row, std::string(place));
  Session session;
  reader.text("hash", session.hash, 64, 64).text("username", session.username, 1, 64);
  reader.text("address", session.address, 0, kMaxRowText)
      .text("user_agent", session.user_agent, 0, kMaxRowText);
  reader.integer("created_ms", session.created_ms, 0, kMaxRowTime);
  reader.integer("last_used_ms", session.last_used_ms, 0, kMaxRowTime);
  if (auto good = reader.finish(); !good) return good;
  rows.sessions.emplace(session.hash, session);
  return {};
}

Result<void> read_token(const boost::json::object& row, std::string_view place, CredentialRows& rows) {
  ObjectReader reader(row, std::string(place));
  Token token;
  reader.text("id", token.id, 1, 64).text("name", token.name, 1, 64).text("hash", token.hash, 64, 64);
  reader.choice("scope", token.role, parse_scope, "a scope");
  reader.text("created_by", token.created_by, 0, kMaxRowText)
      .integer("created_ms", token.created_ms, 0, kMaxRowTime);
  reader.integer("expires_s", token.expires_s, 0, kMaxRowTime)
      .integer("last_used_ms", token.last_used_ms, 0, kMaxRowTime);
  if (auto good = reader.finish(); !good) return good;
  rows.tokens.emplace(token.hash, token);
  return {};
}

}  // namespace wafd::console
