// What people set on the console: sites, exceptions, lists and syslog targets, kept in settings.json with the
// versions before it (settings-versions/NNNNNNNN.json, newest 20).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "detect/policy.h"
#include "forward/target_settings.h"

namespace wafd::console {

struct Settings {
  std::uint64_t version = 0;  // counts up with every change; 0: never saved
  std::int64_t saved_ms = 0;
  std::string author;
  detect::PolicySettings policy;
  std::vector<forward::TargetSettings> targets;
};

inline constexpr std::size_t kKeptVersions = 20;
inline constexpr std::size_t kMaxSites = 1000;
inline constexpr std::size_t kMaxExceptions = 10'000;
inline constexpr std::size_t kMaxLists = 100'000;
inline constexpr std::size_t kMaxTargets = 64;

// {"format":1,"version":…,"sites":[…],"exceptions":[…],"lists":[…],"targets":[…]}; errors name the member
// ("sites[2].mode: expected …"). With secrets; without them for people's eyes.
boost::json::object to_json(const Settings& settings, bool with_secrets);
Result<Settings> parse_settings(std::string_view text);

// The default site "0", put in if it is missing.
void add_default_site(detect::PolicySettings& policy);

// What the rest of the program does about a change. Called on the thread of the store.
struct SettingsHooks {
  std::function<Result<void>(const detect::PolicySettings&)> check_policy;  // may refuse
  std::function<void(const detect::PolicySettings&)> apply_policy;
  std::function<void(const std::vector<forward::TargetSettings>&)> apply_targets;
};

// One thread.
class SettingsStore {
 public:
  // Never fails for a damaged file: the newest good version is used, the damaged file is kept beside it under
  // another name, and notice() says so. Fails if the folder cannot be read or written. Does not call the
  // hooks.
  static Result<SettingsStore> open(const std::string& state_dir, SettingsHooks hooks);

  const Settings& current() const noexcept { return current_; }
  const std::string& notice() const noexcept { return notice_; }  // one line for people, empty if all is well

  // Calls the hooks with what is current: once, at the start.
  void apply_all() const;

  // Saves `next` as a new version and applies it. The policy is checked first; on any error nothing has
  // changed.
  Result<void> commit(Settings next, std::string_view author, std::int64_t now_ms);

 private:
  SettingsStore(std::string path, std::string folder, SettingsHooks hooks);
  Result<void> keep_version(std::string_view text, std::uint64_t version) const;

  std::string path_;
  std::string folder_;
  SettingsHooks hooks_;
  Settings current_;
  std::string notice_;
};

}  // namespace wafd::console
