// How connections end without a failure: renewed when idle, handed over, stopped. What a receiver has read is
// proven by its own end of the connection alone.
#include <csignal>

#include <fmt/format.h>

#include "tests/forward/io/real_rig.h"

namespace wafd::forward {
namespace {

using test::RealReceiver;
using test::ReceiverKind;
using test::wait_until;

constexpr const char* kId = "ending";

struct Case {
  ReceiverKind kind;
  Transport transport;
};

class ConnectionEnd : public ::testing::TestWithParam<Case>, protected test::RealRig {
 protected:
  void begin(const std::function<void(DeliveryParts&)>& adjust) {
    begin_receiver(GetParam().kind, GetParam().transport == Transport::kTls);
    rig.close();
    rig.adjust = [adjust](DeliveryParts& p) {
      p.machine.replay.max_age_us = 3'600'000'000;  // nothing is settled by time here
      adjust(p);
    };
    rig.open();
    rig.delivery->apply({target()});
    ASSERT_TRUE(rig.up(kId)) << rig.status(kId).last_error;
  }
  TargetSettings target() const { return RealRig::target(kId, GetParam().transport); }
  bool settled() { return rig.status(kId).cursor == rig.ring->end(); }
};

TEST_P(ConnectionEnd, AnIdleConnectionIsRenewedAndNothingOfItIsSentAgain) {
  begin([](DeliveryParts& p) { p.machine.renew_us = 300'000; });
  append(300);
  ASSERT_TRUE(all_there());
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).reconnects == 1 && settled(); }));
  EXPECT_EQ(rig.status(kId).errors, 0u);
  EXPECT_EQ(rig.status(kId).resent, 0u);
  receiver->stop(SIGKILL);
  receiver->start();
  append(100);
  ASSERT_TRUE(all_there());
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).reconnects >= 3 && settled(); }));  // failed, renewed
  EXPECT_EQ(rig.status(kId).resent, 0u);
  expect_in_order();
}

TEST_P(ConnectionEnd, AReceiverThatStandsStillAndIsKilledGetsAllOfItAgain) {
  begin([](DeliveryParts& p) {
    p.machine.renew_us = 300'000;
    p.machine.handover_us = 500'000;
  });
  append(100);
  ASSERT_TRUE(all_there());
  receiver->signal(SIGSTOP);
  append(20);  // so few that its window does not show it
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged >= 120; }));
  // The renewal finds nobody who answers: TLS not at the new connection, TCP not at the end of the old one.
  if (GetParam().transport == Transport::kTcp)
    ASSERT_TRUE(wait_until([&] { return rig.status(kId).reconnects >= 1; }));
  else
    ASSERT_TRUE(wait_until([&] { return rig.status(kId).errors >= 1; }));
  receiver->stop(SIGKILL);
  receiver->start();
  ASSERT_TRUE(all_there()) << missing();
}

TEST_P(ConnectionEnd, AStopBeforeASlowReceiverIsNoCleanOne) {
  rig.stop_timeout_ms = 700;
  begin([](DeliveryParts&) {});
  append(100);
  ASSERT_TRUE(all_there());
  receiver->signal(SIGSTOP);
  append(20);
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged >= 120; }));
  rig.close();
  receiver->stop(SIGKILL);
  receiver->start();
  rig.open();
  rig.delivery->apply({target()});
  ASSERT_TRUE(all_there()) << missing();
}

TEST_P(ConnectionEnd, TheFirstReceiverGetsAgainWhatTheBackupMayNotHaveRead) {
  begin([](DeliveryParts& p) {
    p.machine.return_base_us = 300'000;
    p.machine.return_max_us = 300'000;
    p.machine.handover_us = 500'000;
  });
  rig.delivery->apply({});
  test::TempFolder other;
  RealReceiver first(GetParam().kind, other.path, certificate.certificate_pem, certificate.key_pem);
  TargetSettings t = target();
  t.backups = {{t.host, t.port}};
  t.port = t.transport == Transport::kTls ? first.tls : first.tcp;
  t.id = "two-receivers";
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up(t.id));
  append(100);
  ASSERT_TRUE(all_there());
  receiver->signal(SIGSTOP);  // the backup reads nothing from here on
  append(20);
  ASSERT_TRUE(wait_until([&] { return rig.status(t.id).acknowledged >= 120; }));
  first.start();
  const std::string there = fmt::format("127.0.0.1:{}", t.port);
  ASSERT_TRUE(wait_until([&] { return rig.status(t.id).connected_to == there; }))
      << rig.status(t.id).last_error;
  receiver->stop(SIGKILL);  // and loses what only its kernel had
  append(100);
  const auto lost = [&] {
    auto got = seen();
    for (const auto& line : first.lines()) ++got[test::event_id(line)];
    return std::count_if(ids.begin(), ids.end(), [&](const auto& id) { return !got.count(id); });
  };
  EXPECT_TRUE(wait_until([&] { return lost() == 0; })) << lost();
  EXPECT_GE(rig.status(t.id).resent, 20u);
}

INSTANTIATE_TEST_SUITE_P(Receivers, ConnectionEnd,
                         ::testing::Values(Case{ReceiverKind::kRsyslog, Transport::kTcp},
                                           Case{ReceiverKind::kRsyslog, Transport::kTls},
                                           Case{ReceiverKind::kSyslogNg, Transport::kTcp},
                                           Case{ReceiverKind::kSyslogNg, Transport::kTls}),
                         [](const auto& i) {
                           return std::string(i.param.kind == ReceiverKind::kRsyslog ? "rsyslog_"
                                                                                     : "syslog_ng_") +
                                  to_string(i.param.transport);
                         });

class Lines : public ::testing::Test, protected test::RealRig {};

// Audit lines lie in no ring: what a connection has not settled is kept, and what is too much is told.
TEST_F(Lines, OfAConnectionThatWasLostAreSentAgain) {
  begin_receiver(ReceiverKind::kRsyslog);
  TargetSettings t = target(kId, Transport::kTcp);
  t.streams = {"audit"};
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up(kId));
  const auto line = [](int i) { return fmt::format("{{\"line\":{}}}", i); };
  receiver->signal(SIGSTOP);
  for (int i = 0; i < 50; ++i) rig.delivery->audit(line(i));
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged >= 50; }));
  receiver->stop(SIGKILL);
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).state == "waiting"; }));
  for (int i = 50; i < 1'020; ++i) rig.delivery->audit(line(i));  // 1,000 may wait
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).lines_lost == 20; })) << rig.status(kId).lines_lost;
  receiver->start();
  ASSERT_TRUE(wait_until([&] { return receiver->lines().size() >= 1'000; })) << receiver->lines().size();
  const auto lines = receiver->lines();
  for (std::size_t i = 0; i < lines.size(); ++i)
    ASSERT_TRUE(lines[i].ends_with(line(static_cast<int>(i) + 20))) << lines[i];
}

}  // namespace
}  // namespace wafd::forward
