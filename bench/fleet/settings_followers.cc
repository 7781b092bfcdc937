#include "bench/fleet/settings_followers.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "bench/forward/postgres_kit.h"
#include "console/io/fleet/fleet_settings.h"
#include "forward/io/fleet_address.h"

namespace wafd::bench {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);

// How many nodes have which version.
class Tally {
 public:
  void add(std::uint64_t version) {
    const std::lock_guard lock(mutex_);
    if (version == version_) ++have_;
    more_.notify_all();
  }
  void expect(std::uint64_t version) {
    const std::lock_guard lock(mutex_);
    version_ = version, have_ = 0;
  }
  void wait_for(int nodes) {
    std::unique_lock lock(mutex_);
    if (!more_.wait_for(lock, kPatience, [&] { return have_ >= nodes; }))
      throw std::runtime_error(fmt::format("{} of {} nodes have version {}", have_, nodes, version_));
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::uint64_t version_ = 0;
  int have_ = 0;
};

class Follower {
 public:
  Follower(const forward::TargetSettings& place, const Clock& clock, Random& random, Tally& tally)
      : tally_(tally),
        database_(place, clock),
        settings_({.database = database_,
                   .clock = clock,
                   .random = random,
                   .node = "bench",
                   .key_file = {},
                   .post = [](const std::function<void()>& f) { f(); },
                   .tell = [this](console::FleetSettingsNews news) { return take(news); }}) {}
  ~Follower() {
    database_.stop();
    settings_.stop();
  }
  console::FleetSettings& settings() noexcept { return settings_; }

 private:
  std::string take(const console::FleetSettingsNews& news) {
    if (!news.settings || !*news.settings) return {};
    settings_.uses(**news.settings);
    tally_.add((*news.settings)->version);
    return {};
  }

  Tally& tally_;
  forward::FleetDatabase database_;
  console::FleetSettings settings_;
};

}  // namespace

Followed follow_settings(std::uint16_t port, int nodes, int rounds) {
  const kit::SystemClock clock;
  kit::SystemRandom random;
  const auto place = forward::read_fleet_address(
      {fmt::format("postgresql://{}@127.0.0.1:{}/postgres?sslmode=disable", test::RealPostgres::kOwner, port),
       "secret", ""},
      "bench");
  if (!place) throw std::runtime_error(place.error().what);
  Tally tally;
  std::vector<std::unique_ptr<Follower>> followers;
  followers.reserve(static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i)
    followers.push_back(std::make_unique<Follower>(*place, clock, random, tally));
  Follower console(*place, clock, random, tally);
  console::Settings next;
  const auto store = [&] {
    ++next.version;
    next.author = "bench";
    tally.expect(next.version);
    const double begin = now_s();
    if (auto stored = console.settings().store(next, "", ""); !stored)
      throw std::runtime_error(stored.error().what);
    return begin;
  };
  store();
  for (const auto& follower : followers) follower->settings().start();
  tally.wait_for(nodes);
  Followed out;
  std::vector<double> last, read;
  for (int round = 0; round < rounds; ++round) {
    const double begin = store();
    tally.wait_for(nodes);
    last.push_back(now_s() - begin);
    const double before = now_s();
    (void)console.settings().look_once();
    read.push_back(now_s() - before);
  }
  return {median(last), median(read)};
}

}  // namespace wafd::bench
