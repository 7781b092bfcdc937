// The settings made on the console: sites, exceptions, lists, syslog targets, rules and the node's own, kept
// in settings.json with the versions before it (settings-versions/NNNNNNNN.json, newest 20).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "console/settings/oidc_settings.h"
#include "console/settings/system_settings.h"
#include "detect/core/error.h"
#include "detect/policy/policy.h"
#include "forward/notify/alert.h"
#include "forward/notify/channel.h"
#include "forward/target/target_settings.h"

namespace wafd::console {

inline constexpr std::size_t kMaxSettingsBytes = 64u << 20;  // of a file of them

// A signature rule made on the console (detect/signatures/rules/README.md).
struct OwnRule {
  std::string id;  // of the rule itself
  bool enabled = true;
  boost::json::object rule;  // as in a rule file
};

struct Settings {
  std::uint64_t version = 0;  // counts up with every change; 0: never saved
  std::int64_t saved_ms = 0;
  std::string author;
  detect::PolicySettings policy;
  std::vector<forward::TargetSettings> targets;
  std::vector<OwnRule> rules;
  std::vector<forward::ChannelSettings> channels;
  std::vector<forward::AlertSettings> alerts;
  SystemSettings system;
  OidcSettings oidc;
  std::string change_id{};  // of a fleet's version, which its number alone does not tell from another's
};

// The enabled ones as the text of a rule file, one a line.
std::string rule_file(const std::vector<OwnRule>& rules);

// Of a state folder: the last version of a fleet's settings that was in use.
inline constexpr const char* kFleetCopyFile = "/fleet-settings.json";

inline constexpr std::size_t kKeptVersions = 20;
inline constexpr std::size_t kMaxSites = 1000;
inline constexpr std::size_t kMaxExceptions = 10'000;
inline constexpr std::size_t kMaxLists = 100'000;
inline constexpr std::size_t kMaxTargets = 64;
inline constexpr std::size_t kMaxOwnRules = 1000;

// {"format":1,"version":…,"sites":[…],"exceptions":[…],"lists":[…],"targets":[…],"rules":[…],"channels":[…],
// "alerts":[…],"system":{…},"oidc":{…}}; errors name the member
// ("sites[2].mode: expected …"). With secrets; without them for people's eyes.
boost::json::object to_json(const Settings& settings, bool with_secrets);
// `previous` gives the secrets of targets and channels with the same id and of the sign-in provider, which an
// export leaves out.
Result<Settings> parse_settings(std::string_view text, const Settings* previous = nullptr);

// Whether the channels that an alert names are there: "channels[0]: expected the id of a channel".
Result<void> check_channels(const forward::AlertSettings& alert,
                            const std::vector<forward::ChannelSettings>& channels);

// Settings stored by this or an earlier version: brought up to date first (old_settings.h), each change a
// note.
Result<Settings> parse_stored_settings(std::string_view text, std::vector<std::string>& notes);

// The default site "0", put in if it is missing.
void add_default_site(detect::PolicySettings& policy);

// The rest of the program's reactions to a change. Called on the thread of the store.
struct SettingsHooks {
  std::function<Result<void>(const detect::PolicySettings&)> check_policy;  // may refuse
  std::function<void(const detect::PolicySettings&)> apply_policy;
  std::function<void(const std::vector<forward::TargetSettings>&)> apply_targets;
  std::function<void(const std::vector<OwnRule>&)> apply_rules;
  std::function<void(const Settings&)> apply_notifications;         // channels and alerts
  std::function<Result<void>(const SystemSettings&)> check_system;  // may refuse; only asked of what changed
  std::function<void(const SystemSettings&)> apply_system;
  std::function<void(const OidcSettings&)> apply_oidc;
};

// The kept versions of a state folder, newest first; unreadable ones are left out. Reads files; any thread.
std::vector<Settings> read_versions(const std::string& folder);
// One of them; kMissing if it is not kept (any more).
Result<Settings> read_version(const std::string& folder, std::uint64_t version);

// One thread.
class SettingsStore {
 public:
  // Never fails for a damaged file: the newest good version is used, the damaged file is kept beside it under
  // another name, and notice() says so. Fails if the folder cannot be read or written. Does not call the
  // hooks.
  static Result<SettingsStore> open(const std::string& state_dir, SettingsHooks hooks);

  const Settings& current() const noexcept { return current_; }
  const std::string& notice() const noexcept { return notice_; }  // one line for people, empty if all is well
  const std::string& versions_folder() const noexcept { return folder_; }
  const std::string& file() const noexcept {
    return file_;
  }  // where the settings come from; empty: from people

  // Settings come from this file from now on: commit() refuses with kConflict. The file is read now; an error
  // names file and member, what is in use stays and notice() says so.
  Result<void> follow_file(std::string path, std::int64_t now_ms);
  // Reads the file again if it is another one than last time. True: new settings are in use.
  bool refresh_file(std::int64_t now_ms);

  // Settings come from the database of a fleet from now on (shared_settings.h). `copy` is the file of the
  // last version of it that was in use, which is in use now; without it the node's own stay in use.
  Result<void> follow_fleet(std::string copy);
  bool of_fleet() const noexcept { return !copy_.empty(); }
  // The state of the fleet's settings: the newest version; `why` nothing can be changed here (empty: it can);
  // `notice`, one line for people.
  void fleet_is(std::uint64_t newest, std::string why, std::string notice);
  const std::string& fleet_why() const noexcept { return fleet_why_; }
  // The version that a change is made behind: of the fleet, or the one in use.
  std::uint64_t newest() const noexcept { return of_fleet() ? fleet_newest_ : current_.version; }
  // Whether somebody changed them since they were at version `seen` (negative: nobody asks). Of a fleet that
  // is away nothing is known, and nothing can be changed.
  bool changed_since(std::int64_t seen) const noexcept {
    return seen >= 0 && fleet_why_.empty() && static_cast<std::uint64_t>(seen) != newest();
  }
  // A version of the fleet: judged as a change of a person is, then in the copy and in use; on any error
  // nothing has changed.
  Result<void> adopt(Settings next);
  // commit() only proposes then: until take_proposal(), in the same turn of the loop, current() is what would
  // be. While busy() a proposal is on its way and commit() refuses, which was_busy() tells once.
  bool has_proposal() const noexcept { return before_.has_value(); }
  std::optional<Settings> take_proposal();
  void set_busy(bool busy) noexcept { busy_ = busy; }
  bool was_busy() noexcept { return std::exchange(was_busy_, false); }

  void set_hooks(SettingsHooks hooks) { hooks_ = std::move(hooks); }

  // Calls the hooks with what is current: once, at the start.
  void apply_all() const;

  // Saves `next` as a new version and applies it. The policy is checked first; on any error nothing has
  // changed. `whole`: it is not made of current(), so one of a fleet that this node cannot use is in no way.
  Result<void> commit(Settings next, std::string_view author, std::int64_t now_ms, bool whole = false);

 private:
  SettingsStore(std::string path, std::string folder, SettingsHooks hooks);
  Result<void> keep_version(std::string_view text, std::uint64_t version) const;
  Result<void> check(const Settings& next) const;
  Result<void> propose(Settings next, std::string_view author, std::int64_t now_ms, bool whole);
  Result<void> save(Settings next, std::string_view author, std::int64_t now_ms);
  void apply_changes(const Settings& before) const;
  Result<bool> read_file_settings(std::int64_t now_ms);

  std::string path_;
  std::string folder_;
  SettingsHooks hooks_;
  Settings current_;
  std::string notice_;
  std::string file_;
  std::string file_stamp_;  // of the file as last read
  std::string copy_;        // of a fleet's; empty: there is no fleet
  std::uint64_t fleet_newest_ = 0;
  std::string fleet_why_;
  std::optional<Settings> before_;  // what is in use while there is a proposal
  bool busy_ = false;
  bool was_busy_ = false;
};

}  // namespace wafd::console
