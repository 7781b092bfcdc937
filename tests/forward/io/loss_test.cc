// Delivery to rsyslog and syslog-ng that are killed, stopped and started again: what is lost, what comes
// twice.
#include <csignal>

#include <gtest/gtest.h>

#include "tests/forward/io/real_rig.h"

namespace wafd::forward {
namespace {

using test::DeliveryRig;
using test::RealReceiver;
using test::ReceiverKind;
using test::wait_until;

struct Case {
  ReceiverKind kind;
  Framing framing;
};

class Loss : public ::testing::TestWithParam<Case>, protected test::RealRig {
 protected:
  void SetUp() override {
    begin_receiver(GetParam().kind);
    rig.delivery->apply({target()});
    ASSERT_TRUE(rig.up("real-tcp"));
  }
  TargetSettings target() const { return RealRig::target("real-tcp", Transport::kTcp, GetParam().framing); }
};

TEST_P(Loss, NothingWithoutTrouble) {
  append(2000);
  ASSERT_TRUE(wait_until([&] { return missing() == 0; })) << missing();
  expect_in_order();
}

TEST_P(Loss, KilledUnderLoadAndStartedAgain) {
  for (unsigned round = 0; round < 3; ++round) {
    std::thread load([&] {
      for (int i = 0; i < 30; ++i) {
        append(100);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the load's rate, not a wait
      }
    });
    const std::size_t before = receiver->lines().size();
    wait_until([&] { return receiver->lines().size() > before + 300; });
    receiver->stop(SIGKILL);
    load.join();
    receiver->start();
    // Messages are sent again on a new connection, also where the old one had brought everything.
    ASSERT_TRUE(
        wait_until([&] { return missing() == 0 && rig.status("real-tcp").reconnects > round; }, 60'000))
        << missing() << " of " << ids.size() << ", " << rig.status("real-tcp").state << ' '
        << rig.status("real-tcp").last_error << ", acknowledged " << rig.status("real-tcp").acknowledged;
  }
  const TargetStatus s = rig.status("real-tcp");
  EXPECT_EQ(s.lost, 0u);
  EXPECT_EQ(s.sent, ids.size() + s.resent);
  EXPECT_LE(twice(), s.resent);
  RecordProperty("duplicates", static_cast<int>(twice()));
}

TEST_P(Loss, StoppedWhileItsBuffersFillThenKilled) {
  append(100);
  ASSERT_TRUE(wait_until([&] { return missing() == 0; }));
  receiver->signal(SIGSTOP);
  append(5000);
  // It reads nothing now; what its kernel acknowledges dies with it.
  ASSERT_TRUE(wait_until([&] { return rig.status("real-tcp").acknowledged > 100; }));
  receiver->stop(SIGKILL);
  receiver->start();
  ASSERT_TRUE(wait_until([&] { return missing() == 0; }, 60'000)) << missing() << " of " << ids.size();
  EXPECT_EQ(rig.status("real-tcp").lost, 0u);
}

TEST_P(Loss, CleanRestartOfTheSender) {
  append(1000);
  rig.close();
  ASSERT_TRUE(wait_until([&] { return missing() == 0; })) << missing();
  rig.open();
  append(1000);
  rig.delivery->apply({target()});
  ASSERT_TRUE(wait_until([&] { return missing() == 0; })) << missing();
  rig.close();
  EXPECT_EQ(twice(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Receivers, Loss,
                         ::testing::Values(Case{ReceiverKind::kRsyslog, Framing::kOctetCounting},
                                           Case{ReceiverKind::kRsyslog, Framing::kLf},
                                           Case{ReceiverKind::kSyslogNg, Framing::kOctetCounting},
                                           Case{ReceiverKind::kSyslogNg, Framing::kLf}),
                         [](const auto& i) {
                           return std::string(i.param.kind == ReceiverKind::kRsyslog ? "rsyslog"
                                                                                     : "syslog_ng") +
                                  (i.param.framing == Framing::kLf ? "_lf" : "_octets");
                         });

TEST(UdpAtRealReceivers, EveryEventAtAnEasyRate) {
  for (const auto kind : {ReceiverKind::kRsyslog, ReceiverKind::kSyslogNg}) {
    test::TempFolder folder;
    RealReceiver receiver(kind, folder.path);
    receiver.start();
    DeliveryRig rig;
    rig.delivery->apply(
        {rig.target("real-udp", Transport::kUdp, {*IpAddress::parse("127.0.0.1"), receiver.udp})});
    ASSERT_TRUE(rig.up("real-udp"));
    std::vector<std::string> ids;
    for (int i = 0; i < 40; ++i) ids.push_back(rig.append());  // few enough for any receive buffer
    ASSERT_TRUE(wait_until([&] { return receiver.lines().size() >= ids.size(); })) << receiver.lines().size();
    const auto lines = receiver.lines();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(test::event_id(lines[i]), ids[i]);
      const auto m = test::StrictParser::parse(lines[i]);
      EXPECT_EQ(m.error, "");
      EXPECT_EQ(test::check_record(m.msg), "");
    }
  }
}

}  // namespace
}  // namespace wafd::forward
