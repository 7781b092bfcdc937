// Messages that are sent again are the same, byte for byte, sequenceId included: also where audit lines and
// signs of life, which lie in no ring, went between the events. And what a target that was edited keeps.
#include <gtest/gtest.h>

#include "tests/forward/io/delivery_help.h"
#include "tests/support/strict_syslog.h"

namespace wafd::forward {
namespace {

using test::DeliveryRig;
using test::event_id;
using test::ReceiverAt;
using test::wait_until;

struct Seen {
  std::map<std::string, std::string> by_id;  // sequenceId -> message
  std::map<std::string, std::string> by_event;
  std::set<std::string> kinds;
  int again = 0;

  void add(const std::vector<std::string>& messages) {
    for (const std::string& text : messages) {
      const auto m = test::StrictParser::parse(text);
      ASSERT_EQ(m.error, "") << text;
      ASSERT_EQ(m.sd.size(), 1u) << text;
      kinds.insert(m.msgid);
      const std::string number = m.sd[0].params.at(0).second;
      const auto [at, fresh] = by_id.emplace(number, text);
      EXPECT_EQ(at->second, text) << "sequenceId " << number;
      if (!fresh) ++again;
      if (const std::string id = event_id(text); !id.empty()) {
        EXPECT_EQ(by_event.emplace(id, number).first->second, number) << id;
      }
    }
  }
};

class Resent : public testing::TestWithParam<Transport> {};

TEST_P(Resent, IsTheSameBesideAuditLinesAndSignsOfLife) {
  DeliveryRig rig;
  rig.close();
  rig.health_interval_ms = 20;
  rig.open();
  auto receiver = std::make_unique<ReceiverAt>(GetParam(), test::kAnyPort);
  const Endpoint at = receiver->local;
  TargetSettings t = rig.target("resent-target", GetParam(), at);
  t.sequence_id = true;
  t.streams = {"event", "audit", "health"};
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up(t.id));
  std::set<std::string> ids;
  int lines = 0;
  const auto some = [&] {
    for (int i = 0; i < 10; ++i) {
      ids.insert(rig.append());
      if (i % 3 == 0) rig.delivery->audit("{\"line\":" + std::to_string(++lines) + "}");
    }
  };
  Seen seen;
  const auto all_there = [&] {
    std::set<std::string> events, audit;
    for (const std::string& m : receiver->messages()) {
      if (const std::string id = event_id(m); !id.empty()) events.insert(id);
      if (m.find("\"line\":") != std::string::npos) audit.insert(m);
    }
    for (const auto& [number, m] : seen.by_id) {
      if (const std::string id = event_id(m); !id.empty()) events.insert(id);
      if (m.find("\"line\":") != std::string::npos) audit.insert(m);
    }
    return events == ids && audit.size() == static_cast<std::size_t>(lines);
  };
  for (int round = 0; round < 3; ++round) {
    for (int burst = 0; burst < 4; ++burst) {
      some();
      ASSERT_TRUE(wait_until(all_there)) << "round " << round;
    }
    ASSERT_TRUE(wait_until([&] {
      for (const std::string& m : receiver->messages())
        if (m.find(" waf_alive ") != std::string::npos) return true;
      return false;
    }));
    const auto errors = rig.status(t.id).errors;
    seen.add(receiver->messages());
    receiver.reset();
    some();
    ASSERT_TRUE(wait_until([&] { return rig.status(t.id).errors > errors; }));
    receiver = std::make_unique<ReceiverAt>(GetParam(), at);
    ASSERT_TRUE(wait_until(all_there)) << "round " << round << " " << rig.status(t.id).last_error;
  }
  rig.close();
  seen.add(receiver->messages());
  EXPECT_EQ(seen.kinds, (std::set<std::string>{"waf_event", "waf_audit", "waf_alive"}));
  EXPECT_EQ(seen.by_event.size(), ids.size());
  // Over UDP the last bursts are sent again, and whether one of them had arrived is a matter of time.
  const bool is_sure = GetParam() != Transport::kUdp;
  EXPECT_GE(seen.again, is_sure ? 1 : 0) << "nothing was sent again";
}

// A line that comes while events wait to be sent again goes behind them: they keep their numbers.
TEST_P(Resent, KeepsItsNumbersWhenALineComesMeanwhile) {
  DeliveryRig rig;
  auto receiver = std::make_unique<ReceiverAt>(GetParam(), test::kAnyPort);
  const Endpoint at = receiver->local;
  TargetSettings t = rig.target("line-target", GetParam(), at);
  t.sequence_id = true;
  t.streams = {"event", "audit"};
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up(t.id));
  const auto have = [&](std::size_t count) {
    return wait_until([&] { return receiver->messages().size() == count; });
  };
  rig.append();
  ASSERT_TRUE(have(1));
  rig.delivery->audit("{\"line\":1}");
  ASSERT_TRUE(have(2));
  for (int i = 0; i < 5; ++i) rig.append();
  ASSERT_TRUE(have(7));
  Seen seen;
  seen.add(receiver->messages());
  const auto errors = rig.status(t.id).errors;
  receiver.reset();
  if (GetParam() == Transport::kUdp) rig.append();  // the refusal of a datagram is how it is noticed
  ASSERT_TRUE(wait_until([&] { return rig.status(t.id).errors > errors; }));
  rig.delivery->audit("{\"line\":2}");
  rig.append();
  receiver = std::make_unique<ReceiverAt>(GetParam(), at);
  const auto there = [&](const char* what) {
    for (const std::string& m : receiver->messages())
      if (m.find(what) != std::string::npos) return true;
    return false;
  };
  ASSERT_TRUE(wait_until([&] { return there("\"line\":2"); })) << rig.status(t.id).last_error;
  ASSERT_TRUE(wait_until([&] { return rig.status(t.id).lag_events == 0; }));
  rig.close();
  seen.add(receiver->messages());
  EXPECT_GT(seen.again, 0) << "nothing was sent again";
}

INSTANTIATE_TEST_SUITE_P(Transports, Resent, testing::Values(Transport::kTcp, Transport::kUdp),
                         [](const auto& i) { return std::string(to_string(i.param)); });

TEST(Resent, AnEditedTargetCountsWhatItSendsAgain) {
  DeliveryRig rig;
  auto receiver = std::make_unique<ReceiverAt>(Transport::kTcp, test::kAnyPort);
  const Endpoint at = receiver->local;
  TargetSettings t = rig.target("edited-target", Transport::kTcp, at);
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up(t.id));
  for (int i = 0; i < 20; ++i) rig.append();
  ASSERT_TRUE(wait_until([&] { return receiver->messages().size() == 20; }));
  receiver.reset();
  ASSERT_TRUE(wait_until([&] { return rig.status(t.id).errors > 0; }));
  t.name = "renamed";  // while what was sent is not settled
  rig.delivery->apply({t});
  receiver = std::make_unique<ReceiverAt>(Transport::kTcp, at);
  ASSERT_TRUE(wait_until([&] { return receiver->messages().size() == 20; }));
  ASSERT_TRUE(wait_until([&] { return rig.status(t.id).sent == 40; }));
  EXPECT_EQ(rig.status(t.id).resent, 20u);
}

TEST(Resent, ARestartKnowsWhatItSendsAgain) {
  DeliveryRig rig;
  rig.close();
  rig.stop_timeout_ms = 200;
  rig.open();
  auto receiver = std::make_unique<ReceiverAt>(Transport::kTcp, test::kAnyPort);
  const Endpoint at = receiver->local;
  TargetSettings t = rig.target("restarted-target", Transport::kTcp, at);
  t.sequence_id = true;
  t.streams = {"event", "audit"};
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up(t.id));
  for (int i = 0; i < 20; ++i) rig.append();
  ASSERT_TRUE(wait_until([&] { return receiver->messages().size() == 20; }));
  Seen seen;
  seen.add(receiver->messages());
  const auto errors = rig.status(t.id).errors;
  receiver.reset();
  ASSERT_TRUE(wait_until([&] { return rig.status(t.id).errors > errors; }));
  rig.close();  // nothing of it is settled
  rig.open();
  rig.delivery->apply({t});
  rig.delivery->audit("{\"line\":1}");
  rig.append();
  receiver = std::make_unique<ReceiverAt>(Transport::kTcp, at);
  ASSERT_TRUE(wait_until([&] { return receiver->messages().size() == 22; })) << receiver->messages().size();
  ASSERT_TRUE(wait_until([&] { return rig.status(t.id).sent == 22; }));
  EXPECT_EQ(rig.status(t.id).resent, 20u);
  seen.add(receiver->messages());
  EXPECT_EQ(seen.again, 20);
}

// Events that were sent before the ring overtook them may have arrived: the gap says that it is an upper
// bound.
TEST(Resent, AGapOverWhatWasSentIsAnUpperBound) {
  for (const bool sent : {true, false}) {
    DeliveryRig rig(1 << 20);
    auto receiver = std::make_unique<ReceiverAt>(Transport::kTcp, test::kAnyPort);
    const Endpoint at = receiver->local;
    TargetSettings t = rig.target("gap-target-1", Transport::kTcp, at);
    t.filter.clear();
    if (!sent) receiver.reset();
    rig.delivery->apply({t});
    if (sent) {
      ASSERT_TRUE(rig.up(t.id));
      for (int i = 0; i < 20; ++i) rig.append();
      ASSERT_TRUE(wait_until([&] { return receiver->messages().size() == 20; }));
      receiver.reset();
    }
    ASSERT_TRUE(wait_until([&] { return rig.status(t.id).errors > 0; }));
    for (int i = 0; i < 1000; ++i) rig.append();
    receiver = std::make_unique<ReceiverAt>(Transport::kTcp, at);
    ASSERT_TRUE(
        wait_until([&] { return rig.status(t.id).lag_events == 0 && !receiver->messages().empty(); }));
    const std::string gap = receiver->messages().front();
    EXPECT_NE(gap.find(" waf_gap "), std::string::npos) << gap;
    EXPECT_NE(gap.find("\"first_seq\":1,"), std::string::npos) << gap;
    EXPECT_NE(gap.find(sent ? "\"upper_bound\":true" : "\"upper_bound\":false"), std::string::npos) << gap;
  }
}

}  // namespace
}  // namespace wafd::forward
