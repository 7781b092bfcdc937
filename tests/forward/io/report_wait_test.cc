// Targets that wait for response reports beside targets that do not, over real sockets.
#include <gtest/gtest.h>

#include "tests/forward/io/delivery_help.h"
#include "tests/forward/io/mock_kafka.h"
#include "tests/support/real_receiver.h"
#include "tests/support/record_contract.h"
#include "tests/support/strict_syslog.h"

namespace wafd::forward {
namespace {

using test::DeliveryRig;
using test::event_id;
using test::Receivers;
using test::wait_until;

// So long that a test which waited for its end would fail by its own deadline.
constexpr std::int64_t kLongMs = 60'000;

struct Rig : DeliveryRig {
  // An event whose gateway announced a report.
  EventId announced() {
    const EventId id = EventId::make(random);
    ZoneTime utc;
    EventRecord record = sample_event(id, "node-1", clock.unix_us(), utc);
    record.report_expected = true;
    EXPECT_TRUE(ring->append(record));
    return id;
  }
  void report(const EventId& id, std::uint16_t status = 503) {
    ResponseReport r;
    r.id = id;
    r.time_ms = clock.unix_us() / 1000;
    r.rsp_start_time_ms = 1'760'000'000'001;
    r.rsp_end_time_ms = 1'760'000'000'002;
    r.status = status;
    r.size = 77;
    r.reason_phrase = "Service \"Un\navailable\"";
    EXPECT_TRUE(ring->amend(r));
  }
  static TargetSettings waiting(std::string id, Transport transport, const Endpoint& to, std::int64_t ms) {
    TargetSettings t = target(std::move(id), transport, to);
    t.wait_for_report_ms = ms;
    return t;
  }
};

std::vector<std::string> ids_of(const std::vector<std::string>& messages) {
  std::vector<std::string> out;
  for (const auto& m : messages) out.push_back(event_id(m));
  return out;
}

bool has_report(const std::string& message) {
  return message.find(R"("rsp_start_time":1760000000001,)") != std::string::npos &&
         message.find(R"("rsp_end_time":1760000000002,)") != std::string::npos &&
         message.find(R"("resp_reason_phrase":"Service \"Un\u000aavailable\"")") != std::string::npos;
}

bool has_none(const std::string& message) {
  return message.find(R"("rsp_start_time":null,)") != std::string::npos &&
         message.find(R"("rsp_end_time":null,)") != std::string::npos &&
         message.find(R"("resp_reason_phrase":"",)") != std::string::npos;
}

TEST(ReportWaitDelivery, WaitingTargetsSendTheReportInOrderAndHoldNobodyElse) {
  Rig rig;
  Receivers at_once, waiting_tcp, waiting_udp;
  rig.delivery->apply({rig.target("at-once-tcp", Transport::kTcp, at_once.tcp),
                       rig.waiting("waiting-tcp", Transport::kTcp, waiting_tcp.tcp, kLongMs),
                       rig.waiting("waiting-udp", Transport::kUdp, waiting_udp.udp, kLongMs)});
  ASSERT_TRUE(rig.up("at-once-tcp") && rig.up("waiting-tcp") && rig.up("waiting-udp"));
  const std::string before = rig.append();  // no report was announced: nobody waits
  const EventId first = rig.announced(), second = rig.announced();
  const std::string last = rig.append();
  const std::vector<std::string> all{before, first.text(), second.text(), last};
  ASSERT_TRUE(wait_until([&] { return at_once.count() == 4; }));
  EXPECT_EQ(ids_of(at_once.messages()), all);
  ASSERT_TRUE(wait_until([&] { return waiting_tcp.count() >= 1 && waiting_udp.count() >= 1; }));

  rig.report(second);  // behind one that still waits
  ASSERT_TRUE(wait_until([&] { return rig.status("waiting-tcp").lag_events == 3; }));
  EXPECT_EQ(waiting_tcp.count(), 1u);
  EXPECT_EQ(waiting_udp.count(), 1u);
  rig.report(first);
  for (Receivers* receivers : {&waiting_tcp, &waiting_udp}) {
    ASSERT_TRUE(wait_until([&] { return receivers->count() == 4; }));
    const auto messages = receivers->messages();
    EXPECT_EQ(ids_of(messages), all);
    EXPECT_TRUE(has_none(messages[0])) << messages[0];
    EXPECT_TRUE(has_report(messages[1])) << messages[1];
    EXPECT_TRUE(has_report(messages[2])) << messages[2];
    EXPECT_TRUE(has_none(messages[3])) << messages[3];
    for (const auto& m : messages) {
      const auto parsed = test::StrictParser::parse(m);
      EXPECT_EQ(parsed.error, "");
      EXPECT_EQ(test::check_record(parsed.msg), "");
    }
  }
  for (const auto& m : at_once.messages()) EXPECT_TRUE(has_none(m)) << m;
}

TEST(ReportWaitDelivery, OverEveryOtherTransportToo) {
  Rig rig;
  const test::TempFolder folder;
  const auto own = kit::make_self_signed({"127.0.0.1"}, kit::SystemClock().unix_us() / 1'000'000, 30).value();
  test::RealReceiver receiver(test::ReceiverKind::kRsyslog, folder.path, own.certificate_pem, own.key_pem);
  receiver.start();
  test::MockKafka kafka(1, 1);
  const auto at = [](std::uint16_t port) { return Endpoint{*IpAddress::parse("127.0.0.1"), port}; };
  TargetSettings tls = rig.waiting("waiting-tls", Transport::kTls, at(receiver.tls), kLongMs);
  tls.tls.ca = own.certificate_pem;
  tls.app_name = "tls";
  TargetSettings relp = rig.waiting("waiting-relp", Transport::kRelp, at(receiver.relp), kLongMs);
  relp.app_name = "relp";
  TargetSettings events = rig.waiting("waiting-kafka", Transport::kKafka, kafka.broker(), kLongMs);
  events.kafka = {{"topic", test::MockKafka::kTopic}, {"compression", "none"}};
  rig.delivery->apply({tls, relp, events});
  for (const char* id : {"waiting-tls", "waiting-relp", "waiting-kafka"})
    ASSERT_TRUE(rig.up(id)) << id << " " << rig.status(id).last_error;
  const std::string before = rig.append();
  const EventId announced = rig.announced();
  const std::string last = rig.append();
  for (const char* id : {"waiting-tls", "waiting-relp", "waiting-kafka"})
    ASSERT_TRUE(wait_until([&] {
      const TargetStatus s = rig.status(id);
      return s.sent == 1 && s.acknowledged == 1 && s.lag_events == 2;
    })) << id;
  rig.report(announced);
  ASSERT_TRUE(wait_until([&] { return receiver.lines().size() == 6; })) << receiver.lines().size();
  std::vector<std::string> over_kafka;
  for (const auto& r : kafka.records(3)) over_kafka.push_back(r.value);
  std::map<std::string, std::vector<std::string>> over{{"kafka", over_kafka}};
  for (const auto& line : receiver.lines())
    over[line.find(" relp 1 ") == std::string::npos ? "tls" : "relp"].push_back(line);
  for (const auto& [how, messages] : over) {
    EXPECT_EQ(ids_of(messages), (std::vector<std::string>{before, announced.text(), last})) << how;
    ASSERT_EQ(messages.size(), 3u) << how;
    EXPECT_TRUE(has_none(messages[0]) && has_report(messages[1]) && has_none(messages[2])) << how;
  }
}

TEST(ReportWaitDelivery, AReportThatNeverComesHoldsNoLongerThanItsTime) {
  Rig rig;
  Receivers receivers;
  constexpr std::int64_t kWaitMs = 300;
  rig.delivery->apply({rig.waiting("waiting-tcp", Transport::kTcp, receivers.tcp, kWaitMs)});
  ASSERT_TRUE(rig.up("waiting-tcp"));
  const std::int64_t begin_us = rig.clock.monotonic_us();
  const EventId id = rig.announced();
  const std::string next = rig.append();
  ASSERT_TRUE(wait_until([&] { return receivers.count() == 2; }));
  EXPECT_GE(rig.clock.monotonic_us() - begin_us, kWaitMs * 1000);
  EXPECT_EQ(ids_of(receivers.messages()), (std::vector<std::string>{id.text(), next}));
  EXPECT_TRUE(has_none(receivers.messages()[0]));
}

TEST(ReportWaitDelivery, ManyEventsThatAllWait) {
  Rig rig;
  Receivers receivers;
  rig.delivery->apply({rig.waiting("waiting-tcp", Transport::kTcp, receivers.tcp, kLongMs)});
  ASSERT_TRUE(rig.up("waiting-tcp"));
  std::vector<EventId> ids;
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) {
    ids.push_back(rig.announced());
    texts.push_back(ids.back().text());
  }
  for (std::size_t i = ids.size(); i-- > 0;) rig.report(ids[i]);  // the newest first
  ASSERT_TRUE(wait_until([&] { return receivers.count() == 1000; }));
  const auto messages = receivers.messages();
  EXPECT_EQ(ids_of(messages), texts);
  for (const auto& m : messages) ASSERT_TRUE(has_report(m));
}

TEST(ReportWaitDelivery, FiltersOverTheStatusKnowIt) {
  Rig rig;
  Receivers errors, blind;
  auto target = rig.waiting("errors-only", Transport::kTcp, errors.tcp, kLongMs);
  target.filter = "status:5*";
  auto at_once = rig.target("blind-one", Transport::kTcp, blind.tcp);
  at_once.filter = "-status:5*";  // it never learns a status
  rig.delivery->apply({target, at_once});
  ASSERT_TRUE(rig.up("errors-only") && rig.up("blind-one"));
  const EventId found = rig.announced(), broken = rig.announced();
  rig.report(found, 404);
  rig.report(broken, 500);
  ASSERT_TRUE(wait_until([&] { return errors.count() == 1 && blind.count() == 2; }));
  EXPECT_EQ(ids_of(errors.messages()), std::vector<std::string>{broken.text()});
  EXPECT_EQ(rig.status("errors-only").filtered, 1u);
}

TEST(ReportWaitDelivery, WhatIsSentAgainIsTheSameWhateverWasReportedMeanwhile) {
  Rig rig;
  Receivers before;
  auto at_once = rig.target("at-once-tcp", Transport::kTcp, before.tcp);
  auto waits = rig.waiting("waiting-tcp", Transport::kTcp, before.tcp, 100);
  rig.delivery->apply({at_once, waits});
  ASSERT_TRUE(rig.up("at-once-tcp") && rig.up("waiting-tcp"));
  const EventId late = rig.announced();
  ASSERT_TRUE(wait_until([&] { return before.count() == 2; }));
  ASSERT_TRUE(wait_until([&] {  // by now the report is late, whatever the clocks
    return rig.clock.unix_us() / 1000 > RingReader(*rig.ring).find(late)->time_ms + 100;
  }));
  rig.report(late);
  // Settled or not, a target that goes back to the beginning of the ring tells the same.
  Receivers again;
  at_once.id = at_once.name = "at-once-again";
  waits.id = waits.name = "waiting-again";
  at_once.port = waits.port = again.tcp.port;
  const Cursor begin{rig.ring->generation(), 1, 1};
  ASSERT_TRUE(rig.cursors->set(at_once.id, begin) && rig.cursors->set(waits.id, begin));
  rig.delivery->apply({at_once, waits});
  ASSERT_TRUE(wait_until([&] { return again.count() == 2; }));
  EXPECT_EQ(again.messages(), before.messages());
}

TEST(ReportWaitDelivery, AStopSendsWhatWaits) {
  Rig rig;
  Receivers receivers;
  rig.delivery->apply({rig.waiting("waiting-tcp", Transport::kTcp, receivers.tcp, kLongMs)});
  ASSERT_TRUE(rig.up("waiting-tcp"));
  const EventId id = rig.announced();
  rig.close();
  ASSERT_TRUE(wait_until([&] { return receivers.count() == 1; }));
  EXPECT_EQ(ids_of(receivers.messages()), std::vector<std::string>{id.text()});
}

}  // namespace
}  // namespace wafd::forward
