#include "console/io/fleet/fleet_adoption.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace wafd::console {

std::string fleet_notice(const FleetSettingsNews& news, std::uint64_t used) {
  if (!news.why.empty())
    return fmt::format("{}: version {} of the settings stays in use, and cannot be changed meanwhile",
                       news.why, used);
  if (news.newest == 0)
    return "the fleet has no settings yet: this node's are in use, and their first change makes them the "
           "fleet's";
  if (news.newest == used) return {};
  if (news.newest < used)
    return fmt::format(
        "the newest settings in the fleet's database are version {}, older than version {}, which is in use: "
        "a "
        "backup was restored, or a standby answers; they are taken over if nothing newer comes for {} s",
        news.newest, used, FleetSettings::kOlderMs / 1000);
  return fmt::format("version {} of the fleet's settings is not in use here yet, version {} is", news.newest,
                     used);
}

Result<void> use_fleet_version(SettingsStore& settings, FleetSettingsNews& news,
                               const CheckTarget& check_files) {
  const forward::FleetSettingsRow& about = *news.about;
  Result<void> used;
  if (!*news.settings) {
    used = tl::unexpected((*news.settings).error());
  } else {
    used = check_targets(**news.settings, settings.current(), check_files);
    if (used) used = settings.adopt(std::move(**news.settings));
  }
  if (used) return {};
  settings.fleet_is(
      news.newest, {},
      fmt::format(
          "version {} of the fleet's settings, by {} on node {}, cannot be used on this node: {}; version "
          "{} stays in use",
          about.version, about.author, about.node, used.error().what, settings.current().version));
  return used;
}

Result<void> begin_with_fleet(SettingsStore& settings, const std::string& copy, FleetSettings& fleet,
                              const std::function<void(const std::string&)>& log) {
  if (auto followed = settings.follow_fleet(copy); !followed) {
    log("settings: " + followed.error().what + "; the copy is put aside");
    std::rename(copy.c_str(), (copy + ".damaged").c_str());
    if (followed = settings.follow_fleet(copy); !followed) return followed;
  }
  if (settings.current().version != 0) return {};
  FleetSettingsNews news = fleet.look_once();
  if (news.settings) {
    (void)use_fleet_version(settings, news, {});
  } else {
    settings.fleet_is(news.newest, news.why, fleet_notice(news, 0));
  }
  return {};
}

}  // namespace wafd::console
