// The store of settings that are a fleet's: what is proposed is not in use, and what is adopted is kept.
#include <filesystem>

#include <gtest/gtest.h>

#include "console/settings/store.h"
#include "files/small_file.h"
#include "tests/support/temp_folder.h"

namespace wafd::console {
namespace {

struct FleetStore : ::testing::Test {
  test::TempFolder folder;
  const std::string copy = folder.path + kFleetCopyFile;
  std::vector<std::size_t> applied;  // sites of each policy
  SettingsHooks hooks() {
    SettingsHooks made;
    made.check_policy = [](const detect::PolicySettings& policy) -> Result<void> {
      for (const auto& site : policy.sites)
        if (site.name == "refused") return fail(ErrorCode::kInvalid, "sites: refused");
      return {};
    };
    made.apply_policy = [this](const detect::PolicySettings& policy) {
      applied.push_back(policy.sites.size());
    };
    return made;
  }
  Result<SettingsStore> opened = SettingsStore::open(folder.path, hooks());
  SettingsStore& store = *opened;

  Settings with_site(const std::string& name) {
    Settings next = store.current();
    detect::SiteSettings site;
    site.uuid = std::to_string(next.policy.sites.size() + 10);
    site.name = name;
    site.hosts = {name + ".example"};
    next.policy.sites.push_back(site);
    return next;
  }
};

TEST_F(FleetStore, AProposalIsTakenBackAndNothingIsWritten) {
  ASSERT_TRUE(store.commit(with_site("own"), "me", 1));
  applied.clear();
  ASSERT_TRUE(store.follow_fleet(copy));
  EXPECT_EQ(store.current().version, 0u) << "the fleet's count";
  const auto early = store.commit(with_site("a"), "me", 1);
  ASSERT_FALSE(early) << "nobody knows yet what the fleet has";
  EXPECT_EQ(early.error().code, ErrorCode::kIo);
  store.fleet_is(0, {}, "none yet");
  EXPECT_EQ(store.notice(), "none yet");
  ASSERT_TRUE(store.commit(with_site("a"), "me", 1));
  EXPECT_TRUE(store.has_proposal());
  EXPECT_EQ(store.current().policy.sites.size(), 3u) << "within the turn it is what would be";
  const auto proposed = store.take_proposal();
  ASSERT_TRUE(proposed);
  EXPECT_EQ(proposed->version, 1u);
  EXPECT_EQ(proposed->author, "me");
  EXPECT_EQ(store.current().policy.sites.size(), 2u);
  EXPECT_FALSE(store.take_proposal());
  EXPECT_TRUE(applied.empty());
  EXPECT_FALSE(std::filesystem::exists(copy));
}

TEST_F(FleetStore, WhatIsAdoptedIsInUseKeptAndThereAfterARestart) {
  ASSERT_TRUE(store.follow_fleet(copy));
  store.fleet_is(7, {}, "not yet");
  Settings next = with_site("a");
  next.version = 7, next.author = "somebody", next.change_id = "c7";
  ASSERT_TRUE(store.adopt(next));
  EXPECT_EQ(applied, std::vector<std::size_t>{2});
  EXPECT_EQ(store.notice(), "");
  EXPECT_EQ(std::filesystem::status(copy).permissions(), std::filesystem::perms(0600));
  EXPECT_FALSE(std::filesystem::exists(folder.path + "/settings.json")) << "its own are as they were";
  next.policy.sites.back().name = "refused";
  next.version = 8;
  EXPECT_FALSE(store.adopt(next));
  EXPECT_EQ(store.current().version, 7u);
  auto again = SettingsStore::open(folder.path, {});
  ASSERT_TRUE(again && again->follow_fleet(copy));
  EXPECT_EQ(again->current().version, 7u);
  EXPECT_EQ(again->current().author, "somebody");
  EXPECT_EQ(again->current().change_id, "c7") << "the number alone does not tell which version it is";
  ASSERT_TRUE(write_file(copy, "{"));
  auto damaged = SettingsStore::open(folder.path, {});
  ASSERT_TRUE(damaged);
  EXPECT_FALSE(damaged->follow_fleet(copy));
}

TEST_F(FleetStore, WhatCouldNotBeReadAsACopyIsNotAdopted) {
  ASSERT_TRUE(store.follow_fleet(copy));
  Settings good = with_site("a");
  good.version = 7, good.author = "somebody";
  ASSERT_TRUE(store.adopt(good));
  Settings far = good, unnamed = good;
  far.version = (std::uint64_t{1} << 52) + 1;
  unnamed.version = 8, unnamed.author = std::string(129, 'a');
  for (const Settings& wrong : {far, unnamed}) {
    const auto adopted = store.adopt(wrong);
    ASSERT_FALSE(adopted);
    EXPECT_EQ(adopted.error().code, ErrorCode::kInvalid);
    EXPECT_EQ(store.current().version, 7u);
    auto again = SettingsStore::open(folder.path, {});
    ASSERT_TRUE(again && again->follow_fleet(copy)) << "the copy is as it was";
    EXPECT_EQ(again->current().version, 7u);
  }
}

TEST_F(FleetStore, TheNewestIsTheFleets) {
  EXPECT_EQ(store.newest(), 0u);
  ASSERT_TRUE(store.commit(with_site("own"), "me", 1));
  EXPECT_EQ(store.newest(), 1u);
  ASSERT_TRUE(store.follow_fleet(copy));
  store.fleet_is(9, {}, "version 9 cannot be used");
  EXPECT_EQ(store.newest(), 9u);
  EXPECT_EQ(store.current().version, 0u);
}

TEST_F(FleetStore, WhoIsBehindOrWaitsChangesNothing) {
  ASSERT_TRUE(store.follow_fleet(copy));
  store.fleet_is(3, {}, "version 3 cannot be used");
  const auto behind = store.commit(with_site("a"), "me", 1);
  ASSERT_FALSE(behind);
  EXPECT_EQ(behind.error().code, ErrorCode::kConflict);
  ASSERT_TRUE(store.commit(with_site("a"), "me", 1, true)) << "all of it anew is the way out";
  EXPECT_EQ(store.take_proposal()->version, 4u);
  store.set_busy(true);
  EXPECT_FALSE(store.was_busy());
  EXPECT_FALSE(store.commit(with_site("a"), "me", 1, true));
  EXPECT_TRUE(store.was_busy());
  EXPECT_FALSE(store.was_busy()) << "told once";
  store.set_busy(false);
  EXPECT_FALSE(store.commit(with_site("refused"), "me", 1, true)) << "judged before it is sent";
  EXPECT_FALSE(store.has_proposal());
  store.fleet_is(3, "the database is away", "away");
  EXPECT_FALSE(store.commit(with_site("a"), "me", 1, true));
}

}  // namespace
}  // namespace wafd::console
