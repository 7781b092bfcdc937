#include "forward/notify/outbox.h"

#include <gtest/gtest.h>

namespace wafd::forward {
namespace {

constexpr std::int64_t kStart = 1'700'000'000'000;
constexpr int kNoon = 12 * 60;

ChannelSettings channel(const char* id) {
  ChannelSettings out;
  out.id = id;
  out.group_s = 60;
  return out;
}

Notification note(const char* title, NotificationState state = NotificationState::kBegan) {
  Notification out;
  out.title = title;
  out.state = state;
  return out;
}

// "CHANNEL#ATTEMPT: TITLES"
std::string due(Outbox& outbox, std::int64_t now_ms, int minute = kNoon) {
  std::string out;
  for (const Batch& batch : outbox.due(now_ms, minute)) {
    out += batch.channel + "#" + std::to_string(batch.attempt) + ":";
    for (const Notification& one : batch.notifications) out += " " + one.title;
    out += ";";
  }
  return out;
}

TEST(Outbox, GroupsWhatComesTogether) {
  Outbox outbox;
  outbox.apply({channel("a")});
  outbox.add(note("one"), kStart);
  EXPECT_EQ(due(outbox, kStart), "");
  outbox.add(note("two"), kStart + 30'000);
  EXPECT_EQ(due(outbox, kStart + 59'999), "");
  EXPECT_EQ(due(outbox, kStart + 60'000), "a#1: one two;");
  EXPECT_EQ(due(outbox, kStart + 60'000), "") << "it is on its way";
  outbox.add(note("three"), kStart + 61'000);
  outbox.done("a", true, kStart + 62'000);
  EXPECT_EQ(due(outbox, kStart + 62'000), "");
  EXPECT_EQ(due(outbox, kStart + 121'000), "a#1: three;");
}

TEST(Outbox, EachChannelGetsItInItsLanguage) {
  Outbox outbox;
  auto chinese = channel("b");
  chinese.language = Language::kChinese;
  outbox.apply({channel("a"), chinese});
  Notification both = note("");
  both.entitle({"one", "一"});
  both.add_line({"line", "行"});
  outbox.add(both, kStart);
  outbox.add(note("in one language"), kStart);
  const auto batches = outbox.due(kStart + 60'000, kNoon);
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].notifications[0].title, "one");
  EXPECT_EQ(batches[0].notifications[0].lines, std::vector<std::string>{"line"});
  EXPECT_EQ(batches[1].notifications[0].title, "一");
  EXPECT_EQ(batches[1].notifications[0].lines, std::vector<std::string>{"行"});
  EXPECT_EQ(batches[1].notifications[1].title, "in one language");
  for (const Batch& batch : batches) EXPECT_TRUE(batch.notifications[0].chinese_title.empty());
}

TEST(Outbox, GoesToTheChannelsThatAreNamedAndWantIt) {
  Outbox outbox;
  auto quiet_ends = channel("b");
  quiet_ends.tell_end = false;
  auto off = channel("c");
  off.enabled = false;
  outbox.apply({channel("a"), quiet_ends, off});
  outbox.add(note("end", NotificationState::kEnded), kStart);
  EXPECT_EQ(due(outbox, kStart + 60'000), "a#1: end;");
  Notification named = note("named");
  named.channels = {"b", "c", "gone"};
  outbox.add(named, kStart);
  EXPECT_EQ(due(outbox, kStart + 60'000), "b#1: named;");
}

TEST(Outbox, IsSilentInQuietTimes) {
  Outbox outbox;
  auto night = channel("a");
  night.quiet_from = "22:00";
  night.quiet_to = "07:00";
  outbox.apply({night});
  outbox.add(note("one"), kStart);
  EXPECT_EQ(due(outbox, kStart + 600'000, 23 * 60), "");
  outbox.add(note("two"), kStart + 700'000);
  EXPECT_EQ(due(outbox, kStart + 800'000, 7 * 60), "a#1: one two;");
}

TEST(Outbox, TriesAgainEverMoreSeldomAndGivesUpAfterADay) {
  Outbox outbox;
  auto at_once = channel("a");
  at_once.group_s = 0;
  outbox.apply({at_once});
  outbox.add(note("one"), kStart);
  std::int64_t now = kStart;
  std::vector<std::int64_t> waits;
  while (now < kStart + Outbox::kGiveUpMs) {
    ASSERT_EQ(due(outbox, now).substr(0, 2), "a#");
    outbox.done("a", false, now);
    const std::int64_t next = outbox.states()[0].next_ms;
    EXPECT_EQ(due(outbox, next - 1), "");
    waits.push_back(next - now);
    now = next;
  }
  EXPECT_EQ(waits[0], 15'000);
  EXPECT_EQ(waits[1], 30'000);
  EXPECT_EQ(waits.back(), Outbox::kMaxRetryMs);
  EXPECT_EQ(due(outbox, now), "");
  EXPECT_EQ(outbox.states()[0].waiting, 0u);
  EXPECT_EQ(outbox.states()[0].dropped, 1u);
  outbox.add(note("two"), now);
  now = outbox.states()[0].next_ms;
  EXPECT_NE(due(outbox, now), "");
  outbox.done("a", true, now);
  outbox.add(note("three"), now);
  EXPECT_EQ(due(outbox, now), "a#1: three;");
}

TEST(Outbox, ChangedSettingsAreTriedAtOnce) {
  Outbox outbox;
  auto at_once = channel("a");
  at_once.group_s = 0;
  outbox.apply({at_once});
  outbox.add(note("one"), kStart);
  EXPECT_NE(due(outbox, kStart), "");
  outbox.done("a", false, kStart);
  EXPECT_EQ(due(outbox, kStart + 1), "");
  outbox.apply({at_once});
  EXPECT_EQ(due(outbox, kStart + 1), "a#1: one;");
}

TEST(Outbox, IsBounded) {
  Outbox outbox;
  outbox.apply({channel("a")});
  for (std::size_t i = 0; i < Outbox::kMaxWaiting + 5; ++i) outbox.add(note("n"), kStart);
  EXPECT_EQ(outbox.states()[0].waiting, Outbox::kMaxWaiting);
  EXPECT_EQ(outbox.states()[0].dropped, 5u);
}

TEST(Outbox, WhatWaitsSurvivesARestart) {
  Outbox before;
  before.apply({channel("a"), channel("b")});
  Notification one = note("one");
  one.lines = {"x", "y"};
  one.channels = {"a"};
  before.add(one, kStart);
  EXPECT_NE(due(before, kStart + 60'000), "");  // broken off on its way

  Outbox after;
  after.restore(before.state(), kStart + 70'000);
  after.apply({channel("a"), channel("b")});
  const auto batches = after.due(kStart + 70'000, kNoon);
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].notifications, std::vector<Notification>{one});
  Outbox other;
  other.restore(before.state(), kStart + 70'000);
  EXPECT_TRUE(other.due(kStart + 70'000, kNoon).empty()) << "before the channels are known";
  other.apply({channel("b")});
  EXPECT_TRUE(other.due(kStart + 70'000, kNoon).empty()) << "the channel is gone";
}

}  // namespace
}  // namespace wafd::forward
