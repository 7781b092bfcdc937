// Requests of the shell's commands to the program, as JSON: the daemon answers over its admin socket, or, if
// none runs, the command does it itself. Whoever may do this can read and write the state folder: there is no
// further check.
#pragma once

#include <functional>
#include <string>

#include <boost/json/object.hpp>

#include "console/base/audit_log.h"
#include "console/credentials/password.h"
#include "console/credentials/setup.h"
#include "console/credentials/store.h"
#include "console/settings/store.h"

namespace wafd::console {

// {"command":"user.add","username":…,"role":…,"password":…} |
// {"command":"user.passwd","username":…,"password":…} |
// {"command":"user.remove","username":…} | {"command":"token.create","name":…,"scope":…} |
// {"command":"settings.export"} | {"command":"settings.apply","settings":{…},"base":…}
// (`base`: the version that they were made of; another one is the newest: "conflict")
// -> {"ok":true,…} with `token` or `settings`, or {"ok":false,"error":"…","code":"…"} with the
// name of the ErrorCode: a caller tells wrong input ("invalid") from what failed.
struct AdminParts {
  CredentialStore& credentials;
  SettingsStore& settings;
  Setup* setup = nullptr;  // of the daemon: closed once a user exists
  Random& random;
  PasswordCost password_cost;
  std::int64_t now_ms = 0;
  std::function<void(AuditEntry)> audit;
  // forward::Delivery::check(), which reads certificates of a target. None: they are not checked.
  std::function<Result<void>(const forward::TargetSettings&)> check_target = {};
};

// Hashes passwords: tens of milliseconds.
boost::json::object run_admin_command(const boost::json::object& command, const AdminParts& parts);

// The same for a line of text; the answer without line end.
std::string run_admin_line(std::string_view line, const AdminParts& parts);
std::string admin_refusal(const Error& error);
inline constexpr std::size_t kMaxAdminLineBytes = 64u << 20;

}  // namespace wafd::console
