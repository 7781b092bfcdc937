#include "forward/target/target_machine.h"

#include <gtest/gtest.h>

namespace wafd::forward {
namespace {

constexpr std::int64_t kMs = 1000, kSecond = 1'000'000;

MachineOptions stream() {
  MachineOptions o;
  o.stream = true;
  o.replay = {.min_bytes = 1000, .max_age_us = 60 * kSecond};
  return o;
}

Position at(std::uint64_t seq) { return {seq, static_cast<std::uint32_t>(seq)}; }

TEST(ReplayWindow, KeepsWhatThePeerMayHoldUnread) {
  ReplayWindow w(at(1), {.min_bytes = 1000, .max_age_us = 60 * kSecond});
  for (std::uint64_t seq = 1; seq <= 50; ++seq) w.written(100, at(seq + 1), 0);
  EXPECT_EQ(w.acknowledged(0, 400, 0), 0u);
  EXPECT_EQ(w.settled(), at(1));
  EXPECT_EQ(w.acknowledged(2000, 400, 0), 20u);  // 1000 of them may be unread
  EXPECT_EQ(w.settled(), at(11));
  EXPECT_EQ(w.acknowledged(2099, 400, 0), 0u);  // not a whole message
  EXPECT_EQ(w.acknowledged(3000, 900, 0),
            10u);  // twice the largest window is more now: settled never goes back
  EXPECT_EQ(w.settled(), at(13));
  EXPECT_EQ(w.acknowledged(5000, 10, 0), 20u);  // and a small window does not shrink it
  EXPECT_EQ(w.settled(), at(33));
  EXPECT_TRUE(w.all_acknowledged());
}

TEST(ReplayWindow, AgesOnlyWhileThePeerHasReadAll) {
  ReplayWindow w(at(1), {.min_bytes = 1000, .max_age_us = 60 * kSecond});
  w.written(100, at(2), 0);
  w.acknowledged(100, 500, 0);
  w.acknowledged(100, 400, 1 * kSecond);     // it holds something unread
  w.acknowledged(100, 400, 1000 * kSecond);  // for as long as it likes
  EXPECT_EQ(w.settled(), at(1));
  w.acknowledged(100, 500, 1001 * kSecond);
  w.acknowledged(100, 500, 1060 * kSecond);
  EXPECT_EQ(w.settled(), at(1));
  w.acknowledged(100, 500, 1061 * kSecond);
  EXPECT_EQ(w.settled(), at(2));
}

TEST(ReplayWindow, ACeilingThatSankIsFoundAgainOnlyByReading) {
  // Four windows of bytes go by, and the peer advertises less from then on: it has read them, so that is
  // all.
  ReplayWindow w(at(1), {.min_bytes = 100'000, .max_age_us = 60 * kSecond});
  std::int64_t now = 0;
  w.written(100, at(2), 0);
  w.acknowledged(100, 6400, now);
  for (std::uint64_t seq = 2; seq <= 600; ++seq) {
    w.written(100, at(seq + 1), 0);
    w.acknowledged(seq * 100, 6000, now += kMs);
  }
  EXPECT_EQ(w.settled(), at(1));
  w.acknowledged(60'000, 6000, now + 61 * kSecond);
  EXPECT_EQ(w.settled(), at(601));

  // A peer that reads nothing: its window sinks with every message, slowly as they come, and no time counts.
  ReplayWindow stopped(at(1), {.min_bytes = 100'000, .max_age_us = 60 * kSecond});
  for (std::uint64_t seq = 1; seq <= 64; ++seq) {
    stopped.written(100, at(seq + 1), 0);
    stopped.acknowledged(seq * 100, 6400 - seq * 100, static_cast<std::int64_t>(seq) * 100 * kSecond);
  }
  EXPECT_EQ(stopped.settled(), at(1));

  // Nearly at its ceiling: a third of the time counts.
  ReplayWindow near(at(1), {.min_bytes = 100'000, .max_age_us = 60 * kSecond});
  near.acknowledged(0, 6400, 0);
  near.written(100, at(2), 0);
  near.acknowledged(100, 6310, 0);
  near.acknowledged(100, 6310, 179 * kSecond);
  EXPECT_EQ(near.settled(), at(1));
  near.acknowledged(100, 6310, 181 * kSecond);
  EXPECT_EQ(near.settled(), at(2));
}

TEST(ReplayWindow, SkippedRecordsFollowTheMessageBefore) {
  ReplayWindow w(at(1), {.min_bytes = 0, .max_age_us = 0});
  w.skipped(at(5));
  EXPECT_EQ(w.settled(), at(5));
  w.written(10, at(6), 0);
  w.skipped(at(9));
  EXPECT_EQ(w.settled(), at(5));
  w.acknowledged(10, 0, 0);
  EXPECT_EQ(w.settled(), at(9));
}

TEST(ReplayWindow, TellsHowLongAnAcknowledgementIsAwaited) {
  ReplayWindow w(at(1), {});
  EXPECT_EQ(w.unacknowledged(), 0u);
  EXPECT_FALSE(w.unacknowledged_since_us());
  w.written(10, at(2), 100);
  w.written(10, at(3), 200);
  EXPECT_EQ(w.unacknowledged(), 2u);
  EXPECT_EQ(w.unacknowledged_since_us(), 100);
  w.acknowledged(19, 0, 300);
  EXPECT_EQ(w.unacknowledged(), 1u);
  EXPECT_EQ(w.unacknowledged_since_us(), 200);
  w.acknowledged(20, 0, 400);
  EXPECT_FALSE(w.unacknowledged_since_us());
}

TEST(TargetMachine, StreamIsSentAgainAfterAnUncleanClose) {
  TargetMachine m(stream(), at(1), 1);
  EXPECT_EQ(m.start(0).connect, 0u);
  EXPECT_EQ(m.state(), TargetState::kResolving);
  m.on_resolved();
  EXPECT_EQ(m.state(), TargetState::kConnecting);
  EXPECT_EQ(m.budget(0), 0u);
  m.on_connected(0);
  EXPECT_GT(m.budget(0), 64u);
  for (std::uint64_t seq = 1; seq <= 30; ++seq) m.on_written(100, at(seq + 1), 0);
  m.on_acked(2500, 300, 0);
  EXPECT_EQ(m.settled(), at(16));
  EXPECT_EQ(m.counters().acknowledged, 25u);
  const TargetActions a = m.on_failed("reset", 10 * kSecond);
  EXPECT_TRUE(a.close);
  EXPECT_EQ(a.rewind, at(16));
  EXPECT_EQ(m.next(), at(16));
  EXPECT_EQ(m.state(), TargetState::kWaiting);
  EXPECT_EQ(m.on_tick(m.wake_at(0)).connect, 0u);
  m.on_connected(11 * kSecond);
  for (std::uint64_t seq = 16; seq <= 31; ++seq) m.on_written(100, at(seq + 1), 11 * kSecond);
  EXPECT_EQ(m.counters().resent, 15u);
  EXPECT_EQ(m.counters().sent, 46u);
  EXPECT_EQ(m.counters().reconnects, 1u);
}

TEST(TargetMachine, NothingIsSentAgainAfterACleanStop) {
  TargetMachine m(stream(), at(1), 1);
  m.start(0);
  m.on_connected(0);
  m.on_written(100, at(2), 0);
  EXPECT_TRUE(m.stop(0).finish);
  EXPECT_FALSE(m.all_acknowledged());
  m.on_acked(100, 300, 0);
  EXPECT_TRUE(m.all_acknowledged());
  EXPECT_EQ(m.settled(), at(1));
  m.on_finished(true);
  EXPECT_EQ(m.settled(), at(2));
  EXPECT_EQ(m.state(), TargetState::kStopped);
}

TEST(TargetMachine, AnUncleanStopKeepsTheWindow) {
  TargetMachine m(stream(), at(1), 1);
  m.start(0);
  m.on_connected(0);
  m.on_written(100, at(2), 0);
  m.on_acked(100, 300, 0);
  m.stop(0);
  m.on_finished(false);
  EXPECT_EQ(m.settled(), at(1));
}

TEST(TargetMachine, WaitsLongerEachTimeForEver) {
  TargetMachine m(stream(), at(1), 99);
  std::int64_t now = 0;
  m.start(now);
  std::int64_t low = 100 * kMs, high = 200 * kMs;
  for (int i = 0; i < 60; ++i) {
    const TargetActions a = m.on_failed("refused", now);
    EXPECT_FALSE(a.rewind);
    const std::int64_t wait = m.wake_at(now) - now;
    EXPECT_GE(wait, low);
    EXPECT_LE(wait, high);
    EXPECT_FALSE(m.on_tick(now + wait - 1).connect);
    now += wait;
    EXPECT_TRUE(m.on_tick(now).connect);
    low = std::min<std::int64_t>(low * 2, 15 * kSecond);
    high = std::min<std::int64_t>(high * 2, 30 * kSecond);
  }
  m.on_connected(now);  // a receiver that accepts and closes is no success
  m.on_failed("closed", now + kSecond);
  EXPECT_GE(m.wake_at(now) - now - kSecond, 15 * kSecond);
  now = m.wake_at(now);
  m.on_tick(now);
  m.on_connected(now);
  m.on_failed("reset", now + 5 * kSecond);
  EXPECT_LE(m.wake_at(now) - now - 5 * kSecond, 200 * kMs);
}

TEST(TargetMachine, BackupsBeforeWaiting) {
  MachineOptions o = stream();
  o.endpoints = 3;
  TargetMachine m(o, at(1), 1);
  EXPECT_EQ(m.start(0).connect, 0u);
  EXPECT_EQ(m.on_failed("refused", 0).connect, 1u);
  EXPECT_EQ(m.on_failed("refused", 0).connect, 2u);
  const TargetActions a = m.on_failed("refused", 0);
  EXPECT_FALSE(a.connect);
  EXPECT_EQ(m.on_tick(m.wake_at(0)).connect, 0u);
  m.on_failed("refused", kSecond);
  m.on_connected(kSecond);
  EXPECT_EQ(m.endpoint(), 1u);
  m.on_failed("reset", 2 * kSecond);
  EXPECT_EQ(m.on_tick(m.wake_at(0)).connect, 0u);
}

// A balancer with nobody behind it accepts every connection and ends it at once.
TEST(TargetMachine, TheBackupTakesOverFromAReceiverThatOnlyAccepts) {
  MachineOptions o = stream();
  o.endpoints = 2;
  TargetMachine m(o, at(1), 1);
  EXPECT_EQ(m.start(0).connect, 0u);
  std::int64_t now = 0;
  const auto end_at_once = [&] {
    m.on_connected(now);
    m.on_written(100, at(2), now);
    return m.on_failed("closed by the receiver", now += kMs);
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(end_at_once().connect);
    now = m.wake_at(now);
    EXPECT_EQ(m.on_tick(now).connect, 0u);
  }
  const TargetActions a = end_at_once();
  EXPECT_EQ(a.connect, 1u);
  EXPECT_EQ(a.rewind, at(1));
  m.on_connected(now);
  EXPECT_GE(m.tick_at() - now, 10 * kSecond);  // the first is asked for less often than one that was away
  m.on_tick(now + 6 * kSecond);                // the backup lasts
  EXPECT_FALSE(m.on_failed("reset", now + 7 * kSecond).connect);
  EXPECT_EQ(m.endpoint(), 0u);
}

// A target of two receivers whose first does not answer: up at the backup at time 0.
TargetMachine at_the_backup(bool datagrams = false) {
  MachineOptions o = stream();
  o.stream = !datagrams;
  o.endpoints = 2;
  TargetMachine m(o, at(1), 1);
  m.start(0);
  EXPECT_EQ(m.on_failed("refused", 0).connect, 1u);
  m.on_connected(0);
  EXPECT_EQ(m.endpoint(), 1u);
  return m;
}

TEST(TargetMachine, ReturnsToTheFirstReceiverOnceItIsReachable) {
  TargetMachine m = at_the_backup();
  EXPECT_GE(m.tick_at(), 5 * kSecond);
  EXPECT_LE(m.tick_at(), 10 * kSecond);
  EXPECT_FALSE(m.on_tick(m.tick_at() - 1).standby);
  std::int64_t now = m.tick_at(), low = 10 * kSecond;
  for (int i = 0; i < 10; ++i) {  // the first stays away: tried ever more seldom, delivery goes on
    const TargetActions a = m.on_tick(now);
    if (a.check_name) {
      now = m.tick_at();
      --i;
      continue;
    }
    ASSERT_EQ(a.standby, 0u) << i;
    EXPECT_FALSE(a.close || a.connect || a.rewind);
    EXPECT_FALSE(m.on_tick(now + kMs).standby);  // one at a time
    EXPECT_GT(m.budget(now), 0u);
    m.on_standby_failed(now);
    std::int64_t next = now;  // names are looked at in between
    for (next = m.tick_at(); m.on_tick(next).check_name; next = m.tick_at()) {
    }
    m.on_standby_failed(next);
    EXPECT_EQ(m.state(), TargetState::kUp);
    now = m.tick_at();
    EXPECT_GE(now - next, std::min<std::int64_t>(low, 60 * kSecond));
    low = std::min<std::int64_t>(low * 2, 150 * kSecond);
  }
}

TEST(TargetMachine, HandsOverWhenTheOldConnectionIsSettled) {
  TargetMachine m = at_the_backup();
  m.on_written(100, at(2), 0);
  std::int64_t now = m.tick_at();
  ASSERT_EQ(m.on_tick(now).standby, 0u);
  m.on_written(100, at(3), now);
  m.on_standby_up(now);
  EXPECT_EQ(m.budget(now), 0u);  // nothing more to the old one
  EXPECT_FALSE(m.handover_due(now));
  m.on_acked(200, 400, now);
  EXPECT_TRUE(m.handover_due(now));
  EXPECT_EQ(m.settled(), at(1));
  const TargetActions a = m.on_handover(true, now);
  EXPECT_FALSE(a.rewind);
  EXPECT_EQ(m.settled(), at(3));
  EXPECT_EQ(m.next(), at(3));
  EXPECT_EQ(m.endpoint(), 0u);
  EXPECT_EQ(m.state(), TargetState::kUp);
  EXPECT_GT(m.budget(now), 0u);
  EXPECT_EQ(m.counters().reconnects, 1u);
  EXPECT_EQ(m.counters().errors, 1u);
}

TEST(TargetMachine, AHandoverThatCannotSettleSendsTheWindowAgain) {
  TargetMachine m = at_the_backup();
  m.on_written(100, at(2), 0);
  std::int64_t now = m.tick_at();
  m.on_tick(now);
  m.on_standby_up(now);
  EXPECT_FALSE(m.handover_due(now + 4 * kSecond));
  now += 5 * kSecond;
  EXPECT_TRUE(m.handover_due(now));
  EXPECT_EQ(m.on_handover(false, now).rewind, at(1));
  EXPECT_EQ(m.next(), at(1));
}

TEST(TargetMachine, AStandbyThatGoesAwayAgainChangesNothing) {
  TargetMachine m = at_the_backup();
  m.on_written(100, at(2), 0);
  const std::int64_t now = m.tick_at();
  m.on_tick(now);
  m.on_standby_up(now);
  m.on_standby_failed(now);
  EXPECT_FALSE(m.handover_due(now + 100 * kSecond));
  EXPECT_GT(m.budget(now), 0u);
  EXPECT_EQ(m.endpoint(), 1u);
}

TEST(TargetMachine, AMovedNameIsFollowedAtTheSameEndpoint) {
  TargetMachine m(stream(), at(1), 1);
  m.start(0);
  m.on_connected(0);
  EXPECT_EQ(m.tick_at(), 60 * kSecond);
  EXPECT_TRUE(m.on_tick(60 * kSecond).check_name);
  EXPECT_EQ(m.tick_at(), 120 * kSecond);
  EXPECT_EQ(m.on_moved().standby, 0u);
  EXPECT_FALSE(m.on_moved().standby);
  m.on_standby_up(61 * kSecond);
  EXPECT_TRUE(m.handover_due(61 * kSecond));
  m.on_handover(true, 61 * kSecond);
  EXPECT_EQ(m.endpoint(), 0u);
  EXPECT_EQ(m.state(), TargetState::kUp);
}

TEST(TargetMachine, AnIdleConnectionIsRenewedWhileItsWindowIsNotSettled) {
  TargetMachine m(stream(), at(1), 7);
  m.start(0);
  m.on_connected(0);
  std::int64_t now = 1 * kSecond;
  EXPECT_GT(m.tick_at(), 59 * kSecond);  // nothing to renew: the name alone is looked at
  m.on_written(100, at(2), now);
  m.on_acked(0, 500, now);
  EXPECT_FALSE(m.on_tick(now + 59 * kSecond).standby);  // bytes on their way: not idle
  EXPECT_FALSE(m.on_tick(now + 500 * kSecond).standby);
  m.on_acked(100, 400, now);  // acknowledged, and its window is never again what it was
  m.on_tick(now + 74 * kSecond);
  EXPECT_EQ(m.tick_at(), now + 75 * kSecond);
  ASSERT_EQ(m.on_tick(now += 75 * kSecond).standby, 0u);
  m.on_standby_failed(now);  // again later, at the pace of a return
  EXPECT_FALSE(m.on_tick(now + 299 * kSecond).standby);
  ASSERT_EQ(m.on_tick(now += 301 * kSecond).standby, 0u);
  m.on_standby_up(now);
  EXPECT_EQ(m.budget(now), 0u);
  EXPECT_TRUE(m.handover_due(now));
  EXPECT_FALSE(m.handover_late(now));
  EXPECT_FALSE(m.on_handover(true, now).rewind);
  EXPECT_EQ(m.settled(), at(2));
  EXPECT_FALSE(m.on_tick(now + 1000 * kSecond).standby);  // once

  // A receiver that does not answer the end of a connection gets the window again, and is not asked again.
  m.on_written(100, at(3), now);
  m.on_acked(100, 400, now);
  ASSERT_EQ(m.on_tick(now += 75 * kSecond).standby, 0u);
  m.on_standby_up(now);
  EXPECT_TRUE(m.handover_late(now += 5 * kSecond));
  EXPECT_EQ(m.on_handover(false, now).rewind, at(2));
  m.on_written(100, at(3), now);
  m.on_acked(100, 400, now);
  EXPECT_FALSE(m.on_tick(now += 1000 * kSecond).standby);
  m.on_failed("reset", now);
  m.on_tick(now += 60 * kSecond);
  m.on_connected(now);
  m.on_written(100, at(3), now);
  m.on_acked(100, 400, now);
  EXPECT_EQ(m.on_tick(now += 75 * kSecond).standby, 0u);
  m.on_left();
  EXPECT_EQ(m.settled(), at(3));
}

TEST(TargetMachine, DatagramsGoToTheBackupAndBackOneAtATime) {
  MachineOptions o;
  o.endpoints = 2;
  TargetMachine m(o, at(1), 1);
  m.start(0);
  m.on_connected(0);
  m.on_written(100, at(2), 0);
  m.on_failed("refused", 1);
  std::int64_t now = m.wake_at(1);
  EXPECT_EQ(m.on_tick(now).connect, 0u);
  m.on_connected(now);
  m.on_written(100, at(2), now);
  TargetActions a = m.on_failed("refused", now);  // nobody there: the backup, at once
  EXPECT_EQ(a.connect, 1u);
  EXPECT_EQ(a.rewind, at(1));
  m.on_connected(now);
  EXPECT_EQ(m.budget(now), 1u);
  m.on_written(100, at(2), now);
  now += 200 * kMs;
  EXPECT_EQ(m.budget(now), 16u);
  m.on_written(100, at(3), now);
  now = m.tick_at();
  ASSERT_EQ(m.on_tick(now).standby, 0u);
  m.on_standby_up(now);
  EXPECT_TRUE(m.handover_due(now));
  m.on_handover(true, now);
  EXPECT_EQ(m.endpoint(), 0u);
  EXPECT_EQ(m.budget(now), 1u);  // one message asks whether somebody is there
  m.on_written(100, at(4), now);
  a = m.on_failed("refused", now);
  EXPECT_EQ(a.rewind, at(3));  // what the backup got is not sent again
  EXPECT_EQ(a.connect, 1u);
  m.on_connected(now);
  EXPECT_GE(m.tick_at() - now, 10 * kSecond);  // twice as long as before
}

TEST(TargetMachine, DatagramsArePacedAndGoBackOneBurstOnRefusal) {
  TargetMachine m({}, at(1), 1);
  m.start(0);
  m.on_connected(0);
  EXPECT_EQ(m.budget(0), 16u);
  std::uint64_t seq = 1;
  for (int i = 0; i < 16; ++i) m.on_written(100, at(++seq), 0);
  EXPECT_EQ(m.budget(0), 16u);  // a second burst may follow: timers are a millisecond wide
  for (int i = 0; i < 16; ++i) m.on_written(100, at(++seq), 0);
  EXPECT_EQ(m.budget(0), 0u);
  EXPECT_EQ(m.wake_at(0), 50);
  EXPECT_EQ(m.budget(kMs), 16u);  // never more at once, however long it waited
  EXPECT_EQ(m.settled(), at(33));
  std::uint64_t sent = 0;
  for (std::int64_t now = 0; now < kSecond; now += 100)
    for (std::uint64_t n = m.budget(now); n > 0; --n, ++sent) m.on_written(1, at(++seq), now);
  EXPECT_LE(sent, 20'032u);
  EXPECT_GE(sent, 19'000u);
  const Position before = m.next();
  const TargetActions a = m.on_failed("refused", kSecond);
  ASSERT_TRUE(a.rewind);
  EXPECT_LT(a.rewind->seq, before.seq);
  EXPECT_EQ(m.settled(), *a.rewind);
}

TEST(TargetMachine, AfterARefusalOneDatagramGoesAlone) {
  TargetMachine m({}, at(1), 1);
  m.start(0);
  m.on_connected(0);
  m.on_written(100, at(2), 0);
  const TargetActions a = m.on_failed("refused", 1);
  EXPECT_EQ(a.rewind, at(1));
  std::int64_t now = m.wake_at(1);
  m.on_tick(now);
  m.on_connected(now);
  EXPECT_EQ(m.budget(now), 1u);
  m.on_written(100, at(2), now);
  EXPECT_EQ(m.budget(now + 1), 0u);
  EXPECT_EQ(m.wake_at(now), now + 200 * kMs);
  now += 200 * kMs;
  m.on_tick(now);
  EXPECT_EQ(m.budget(now), 16u);
}

TEST(TargetMachine, RateLimitDelays) {
  MachineOptions o = stream();
  o.rate_limit = 10;
  TargetMachine m(o, at(1), 1);
  m.start(0);
  m.on_connected(0);
  std::uint64_t seq = 1, sent = 0;
  for (std::int64_t now = 0; now <= 10 * kSecond; now += kMs)
    for (std::uint64_t n = m.budget(now); n > 0; --n, ++sent) m.on_written(1, at(++seq), now);
  EXPECT_EQ(sent, 101u);
  EXPECT_EQ(m.wake_at(10 * kSecond), 10 * kSecond + 100 * kMs);
}

TEST(TargetMachine, LostRangesAreJoinedAndBounded) {
  TargetMachine m({}, at(1), 1);
  m.on_lost(1, 5, at(6));
  m.on_lost(6, 7, at(8));
  EXPECT_EQ(m.counters().lost, 7u);
  EXPECT_EQ(m.counters().lost_ranges.size(), 1u);
  for (std::uint64_t i = 10; i < 60; i += 2) m.on_lost(i, i, at(i + 1));
  EXPECT_EQ(m.counters().lost_ranges.size(), 16u);
  EXPECT_EQ(m.counters().lost_ranges.back(), (std::pair<std::uint64_t, std::uint64_t>{58, 58}));
}

// A gap that was told before the connection was lost is told again, together with events that were overtaken
// meanwhile, and counted once.
TEST(TargetMachine, WhatIsToldAgainAsLostIsCountedOnce) {
  struct Row {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> told, ranges;
    std::uint64_t lost;
  };
  const Row rows[] = {
      {{{1, 5}, {1, 5}}, {{1, 5}}, 5},
      {{{1, 5}, {1, 9}}, {{1, 9}}, 9},
      {{{1, 5}, {11, 15}, {6, 8}}, {{1, 8}, {11, 15}}, 13},
      {{{1, 5}, {11, 15}, {6, 20}}, {{1, 20}}, 20},
      {{{11, 15}, {1, 5}, {3, 12}}, {{1, 15}}, 15},
      {{{11, 15}, {20, 20}, {12, 14}}, {{11, 15}, {20, 20}}, 6},
  };
  for (const Row& row : rows) {
    TargetCounters c;
    for (const auto& [first, last] : row.told) c.add_lost(first, last);
    EXPECT_EQ(c.lost, row.lost);
    EXPECT_EQ(c.lost_ranges, row.ranges);
  }
  TargetMachine m(stream(), at(1), 1);
  m.start(0);
  for (int connection = 0; connection < 2; ++connection) {
    m.on_connected(0);
    m.on_lost(1, 5, at(6));
    m.on_written(100, at(6), 0);
    m.on_skipped(at(7));
    EXPECT_EQ(m.on_failed("reset", 0).rewind, at(1));
  }
  EXPECT_EQ(m.counters().lost, 5u);
  EXPECT_EQ(m.counters().filtered, 1u);
}

}  // namespace
}  // namespace wafd::forward
