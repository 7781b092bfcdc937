#include "console/api/admin.h"

#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/settings/check_targets.h"
#include "files/given_text.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

using AdminAnswer = Result<boost::json::object>;

constexpr std::int64_t kMaxBase = std::int64_t{1} << 52;

void audit(const AdminParts& parts, std::string action, std::string object, boost::json::object detail = {}) {
  parts.audit({parts.now_ms, "", "command", "", std::move(action), std::move(object), std::move(detail)});
}

AdminAnswer admin_add_user(ObjectReader& reader, const AdminParts& parts) {
  User user;
  user.role = Role::kAdmin;
  std::string password;
  reader.require("username")
      .require("password")
      .text("username", user.username, 0, 1024)
      .text("password", password, 0, 4096);
  reader.choice("role", user.role, parse_role, "viewer, operator or admin");
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  if (auto good = check_username(user.username); !good) return tl::unexpected(good.error());
  if (auto good = check_password(password, user.username); !good) return tl::unexpected(good.error());
  if (parts.credentials.user(user.username) != nullptr)
    return fail(ErrorCode::kConflict, "a user of that name exists");
  auto hash = hash_password(password, parts.random, parts.password_cost);
  if (!hash) return tl::unexpected(hash.error());
  user.password = std::move(*hash);
  user.created_ms = parts.now_ms;
  const std::string username = user.username;
  const std::string role = to_string(user.role);
  if (auto added = parts.credentials.add_user(std::move(user)); !added) return tl::unexpected(added.error());
  if (parts.setup != nullptr) parts.setup->finish();
  audit(parts, "user.create", username, {{"role", role}});
  return boost::json::object{};
}

AdminAnswer admin_change_password(ObjectReader& reader, const AdminParts& parts) {
  std::string username;
  std::string password;
  reader.require("username")
      .require("password")
      .text("username", username, 0, 1024)
      .text("password", password, 0, 4096);
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  if (parts.credentials.user(username) == nullptr)
    return fail(ErrorCode::kUnknown, "there is no user of that name");
  if (auto good = check_password(password, username); !good) return tl::unexpected(good.error());
  auto hash = hash_password(password, parts.random, parts.password_cost);
  if (!hash) return tl::unexpected(hash.error());
  auto changed = parts.credentials.change_user(username, std::nullopt, std::move(*hash));
  // Who may run commands on this machine is let in again, also without the phone that was lost.
  if (changed) changed = parts.credentials.update_user(username, [](User& user) { user.second_factor = {}; });
  if (!changed) return tl::unexpected(changed.error());
  audit(parts, "user.password", username);
  return boost::json::object{};
}

AdminAnswer admin_remove_user(ObjectReader& reader, const AdminParts& parts) {
  std::string username;
  reader.require("username").text("username", username, 0, 1024);
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  if (auto removed = parts.credentials.remove_user(username); !removed)
    return tl::unexpected(removed.error());
  audit(parts, "user.remove", username);
  return boost::json::object{};
}

AdminAnswer create_token(ObjectReader& reader, const AdminParts& parts) {
  std::string name;
  Role role = Role::kViewer;
  std::int64_t expires_s = 0;
  reader.require("name").require("scope").plain("name", name, 1, 64);
  reader.choice("scope", role, parse_scope, "read, write or admin");
  reader.integer("expires_s", expires_s, 0, std::int64_t{1} << 40);
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  auto made = parts.credentials.add_token(name, role, expires_s, "command", parts.random, parts.now_ms);
  if (!made) return tl::unexpected(made.error());
  audit(parts, "token.create", made->token.id, {{"name", name}, {"scope", scope_of(role)}});
  return boost::json::object{{"token", made->secret}};
}

// Without secrets; where a file holds one, its path is none.
boost::json::object exported(const Settings& settings) {
  boost::json::object document = to_json(settings, false);
  boost::json::array& targets = document.at("targets").as_array();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const forward::TargetSettings& target = settings.targets[i];
    boost::json::object& shown = targets[i].as_object();
    if (names_file(target.tls.key)) shown.at("tls").as_object()["key"] = target.tls.key;
    if (names_file(target.postgresql.password))
      shown.at("postgresql").as_object()["password"] = target.postgresql.password;
    const boost::json::value* sasl = target.kafka.if_contains("sasl");
    if (sasl == nullptr) continue;
    const auto& password = sasl->as_object().at("password").as_string();
    if (names_file(password)) shown.at("kafka").as_object().at("sasl").as_object()["password"] = password;
  }
  boost::json::array& channels = document.at("channels").as_array();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const forward::ChannelSettings& channel = settings.channels[i];
    boost::json::object& shown = channels[i].as_object();
    if (names_file(channel.password)) shown["password"] = channel.password;
    if (names_file(channel.secret)) shown["secret"] = channel.secret;
  }
  if (names_file(settings.oidc.client_secret))
    document.at("oidc").as_object()["client_secret"] = settings.oidc.client_secret;
  return document;
}

AdminAnswer export_settings(ObjectReader& reader, const AdminParts& parts) {
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  return boost::json::object{{"settings", exported(parts.settings.current())}};
}

// Reads what a file says, as it would be put in use.
Result<Settings> read_given(ObjectReader& reader, const AdminParts& parts) {
  const boost::json::object* given = reader.object("settings");
  reader.require("settings");
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  auto next = parse_settings(boost::json::serialize(*given), &parts.settings.current());
  if (!next) return next;
  if (auto good = check_targets(*next, parts.settings.current(), parts.check_target); !good)
    return tl::unexpected(good.error());
  return next;
}

// The same with every default written out, for comparing with an export.
AdminAnswer normal_settings(ObjectReader& reader, const AdminParts& parts) {
  const auto given = read_given(reader, parts);
  if (!given) return tl::unexpected(given.error());
  return boost::json::object{{"settings", exported(*given)}};
}

AdminAnswer apply_settings(ObjectReader& reader, const AdminParts& parts) {
  std::int64_t base = -1;
  reader.integer("base", base, 0, kMaxBase);
  if (parts.settings.changed_since(base))
    return fail(ErrorCode::kConflict,
                fmt::format("The settings are at version {}, not at {}: see what was changed (`wafd settings "
                            "diff`), then apply again.",
                            parts.settings.newest(), base));
  auto next = read_given(reader, parts);
  if (!next) return tl::unexpected(next.error());
  if (auto saved = parts.settings.commit(std::move(*next), "command", parts.now_ms, true); !saved)
    return tl::unexpected(saved.error());
  const std::uint64_t version = parts.settings.current().version;
  audit(parts, "settings.apply", std::to_string(version));
  return boost::json::object{{"version", version}};
}

AdminAnswer dispatch(const boost::json::object& command, const AdminParts& parts) {
  std::string name;
  ObjectReader reader(command);
  reader.require("command").text("command", name, 1, 64);
  if (!reader.ok()) return tl::unexpected(reader.finish().error());
  if (name == "user.add") return admin_add_user(reader, parts);
  if (name == "user.passwd") return admin_change_password(reader, parts);
  if (name == "user.remove") return admin_remove_user(reader, parts);
  if (name == "token.create") return create_token(reader, parts);
  if (name == "settings.export") return export_settings(reader, parts);
  if (name == "settings.normal") return normal_settings(reader, parts);
  if (name == "settings.apply") return apply_settings(reader, parts);
  return fail(ErrorCode::kUnknown, "command: expected one that this version of wafd knows");
}

}  // namespace

namespace {

boost::json::object refusal(const Error& error) {
  return {{"ok", false}, {"error", error.what}, {"code", to_string(error.code)}};
}

}  // namespace

boost::json::object run_admin_command(const boost::json::object& command, const AdminParts& parts) {
  AdminAnswer answer = dispatch(command, parts);
  if (!answer) return refusal(answer.error());
  boost::json::object out{{"ok", true}};
  for (auto& member : *answer) out[member.key()] = std::move(member.value());
  return out;
}

std::string admin_refusal(const Error& error) { return boost::json::serialize(refusal(error)); }

std::string run_admin_line(std::string_view line, const AdminParts& parts) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse({line.data(), line.size()}, error);
  if (error || !value.is_object())
    return R"({"ok":false,"error":"expected one JSON object in a line","code":"invalid"})";
  return boost::json::serialize(run_admin_command(value.get_object(), parts));
}

}  // namespace wafd::console
