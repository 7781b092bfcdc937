#include "console/io/offline.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "console/api/admin.h"
#include "console/io/admin_client.h"
#include "files/small_file.h"
#include "ingest/io/kit/system.h"

namespace wafd::console {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);
constexpr auto kPause = std::chrono::milliseconds(50);

Result<boost::json::object> read_answer(const std::string& line) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(line, error);
  if (error || !value.is_object() || !value.get_object().contains("ok")) {
    return fail(ErrorCode::kInternal, "the daemon's answer cannot be read");
  }
  boost::json::object answer = std::move(value.get_object());
  if (answer.at("ok") != true) {
    const boost::json::value* what = answer.if_contains("error");
    const boost::json::value* code = answer.if_contains("code");
    const bool invalid = code != nullptr && *code == to_string(ErrorCode::kInvalid);
    return fail(invalid ? ErrorCode::kInvalid : ErrorCode::kIo, what != nullptr && what->is_string()
                                                                    ? std::string(what->get_string())
                                                                    : "the daemon refused");
  }
  answer.erase("ok");
  return answer;
}

using CheckTarget = std::function<Result<void>(const forward::TargetSettings&)>;

Result<boost::json::object> run_here(const std::string& state_dir, const boost::json::object& command,
                                     const CheckTarget& check_target) {
  auto credentials = CredentialStore::open(state_dir);
  if (!credentials) return tl::unexpected(credentials.error());
  SettingsHooks hooks;
  hooks.check_policy = [](const detect::PolicySettings& settings) -> Result<void> {
    if (auto policy = detect::Policy::build(settings); !policy) return tl::unexpected(policy.error());
    return {};
  };
  auto settings = SettingsStore::open(state_dir, hooks);
  if (!settings) return tl::unexpected(settings.error());
  if (const std::string copy = state_dir + kFleetCopyFile; std::filesystem::exists(copy)) {
    if (auto followed = settings->follow_fleet(copy); !followed) return tl::unexpected(followed.error());
    settings->fleet_is(settings->current().version, "wafd does not run on this node", {});
  }
  auto audit_log = AuditLog::open(state_dir);
  if (!audit_log) return tl::unexpected(audit_log.error());
  kit::SystemClock clock;
  kit::SystemRandom random;
  const AdminParts parts{*credentials,
                         *settings,
                         nullptr,
                         random,
                         {},
                         clock.unix_us() / 1000,
                         [&](const AuditEntry& entry) {
                           // An entry that cannot be written does not undo the change that was made.
                           (void)audit_log->append(entry);
                         },
                         check_target};
  return read_answer(boost::json::serialize(run_admin_command(command, parts)));
}

}  // namespace

Result<boost::json::object> run_command(const std::string& state_dir, const boost::json::object& command,
                                        const CheckTarget& check_target) {
  if (auto made = make_folder(state_dir); !made) return tl::unexpected(made.error());
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  const std::string line = boost::json::serialize(command);
  for (;;) {
    auto lock = StateLock::take(state_dir);
    if (lock) return run_here(state_dir, command, check_target);
    if (lock.error().code != ErrorCode::kConflict) return tl::unexpected(lock.error());
    auto answer = ask_daemon(state_dir, line);
    if (answer) return read_answer(*answer);
    if (answer.error().code != ErrorCode::kMissing || std::chrono::steady_clock::now() > deadline) {
      return tl::unexpected(answer.error());
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace wafd::console
