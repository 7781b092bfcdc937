// The settings of a fleet in its database: looked at every second, changed by adding a version. A thread of
// its own asks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "console/base/sealing.h"
#include "console/settings/shared_settings.h"
#include "detect/core/clock.h"
#include "forward/io/fleet_database.h"
#include "forward/io/postgres/fleet_settings.h"

namespace wafd::console {

// The result of one query of the settings in the database.
struct FleetSettingsNews {
  std::uint64_t newest = 0;
  std::string why;                                 // the database cannot be asked; empty: it answered
  std::optional<forward::FleetSettingsRow> about;  // of `settings`, without contents
  std::optional<Result<Settings>> settings;        // another version than this node uses
};

struct FleetSettingsParts {
  forward::FleetDatabase& database;
  const Clock& clock;
  Random& random;
  std::string node;
  std::string key_file;                               // empty: none
  std::function<void(std::function<void()>)> post{};  // onto the loop, from any thread
  // On the loop, for every look that found something else than the one before, and for versions: why this
  // node cannot use that one, empty: it does.
  std::function<std::string(FleetSettingsNews)> tell{};
};

class FleetSettings final : public SharedSettings {
 public:
  static constexpr std::int64_t kLookMs = 1'000;
  static constexpr std::int64_t kTryAgainMs = 5'000;  // a version that could not be used
  // A newest version that is older than the one in use is a database from a backup, or a standby that is
  // behind and may be asked now and again: it is taken once nothing newer was seen for so long.
  static constexpr std::int64_t kOlderMs = 30'000;

  explicit FleetSettings(FleetSettingsParts parts) : parts_(std::move(parts)) {}
  ~FleetSettings() override { stop(); }
  FleetSettings(const FleetSettings&) = delete;
  FleetSettings& operator=(const FleetSettings&) = delete;

  // One look, which waits; for the first start of a node.
  FleetSettingsNews look_once();
  void start();
  void stop();  // the database's waits must end by themselves: FleetDatabase::stop()
  // Which version is in use, so that others are fetched. On the loop.
  void uses(const Settings& settings);

  // Makes `next` the newest version, as publish() does: its change_id. `parent` is that of the version that
  // it was made of, empty: of any. Waits.
  Result<std::string> store(const Settings& next, const std::string& comment, const std::string& parent);

  Result<std::vector<SharedVersion>> versions() override;
  Result<SharedVersion> version(std::uint64_t version) override;
  void publish(Settings next, std::string comment, std::function<void(Result<std::string>)> done) override;

 private:
  void run();
  void look();
  bool is_wanted(const forward::FleetSettingsId& newest);
  forward::FleetSettingsId used();
  FleetSettingsNews fetch(std::uint64_t newest);
  Result<SealingKeys> keys() const;
  Result<Settings> opened(const forward::FleetSettingsRow& row) const;
  SharedVersion shared_version(const forward::FleetSettingsRow& row) const;

  FleetSettingsParts parts_;
  std::mutex mutex_;  // of what follows
  forward::FleetSettingsId used_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  // Of the thread.
  std::uint64_t told_newest_ = 0;
  std::string told_why_;
  bool told_ = false;
  forward::FleetSettingsId fetched_;  // the last version that was handed on
  std::int64_t fetched_ms_ = 0;
  std::optional<std::int64_t> older_since_ms_;  // the newest is older than what is in use
  std::thread thread_;
};

}  // namespace wafd::console
