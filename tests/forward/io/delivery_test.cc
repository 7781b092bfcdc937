#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/forward/io/delivery_help.h"
#include "tests/support/record_contract.h"
#include "tests/support/strict_syslog.h"

namespace wafd::forward {
namespace {

using test::DeliveryRig;
using test::event_id;
using test::Receivers;
using test::wait_until;

// How often each event id came.
std::map<std::string, int> counts(const std::vector<std::string>& messages) {
  std::map<std::string, int> out;
  for (const auto& m : messages)
    if (const std::string id = event_id(m); !id.empty()) ++out[id];
  return out;
}

TEST(Delivery, UdpAndTcpGetEveryEventInOrderAndByteExact) {
  DeliveryRig rig;
  Receivers receivers;
  TargetSettings udp = rig.target("udp-target", Transport::kUdp, receivers.udp);
  rig.delivery->apply({udp});
  ASSERT_TRUE(rig.up("udp-target"));
  std::vector<std::string> ids = rig.append_gently(100, [&] { return receivers.count(); });
  ASSERT_EQ(receivers.count(), 100u);

  Receivers streams;
  TargetSettings bytes = rig.target("tcp-bytes", Transport::kTcp, streams.tcp);
  Receivers lines;
  TargetSettings lf = rig.target("tcp-lines", Transport::kTcp, lines.tcp);
  lf.framing = Framing::kLf;
  rig.delivery->apply({udp, bytes, lf});
  ASSERT_TRUE(rig.up("tcp-bytes") && rig.up("tcp-lines"));
  const auto more = rig.append_gently(1000, [&] { return receivers.count(); });
  ids.insert(ids.end(), more.begin(), more.end());
  ASSERT_TRUE(wait_until([&] { return streams.count() >= 1000 && lines.count() >= 1000; }));

  const auto by_udp = receivers.messages(), by_bytes = streams.messages(), by_lines = lines.messages();
  EXPECT_EQ(by_bytes, by_lines);  // a new target starts at the present end
  EXPECT_EQ(std::vector<std::string>(by_udp.begin() + 100, by_udp.end()), by_bytes);
  ASSERT_EQ(by_udp.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ASSERT_EQ(event_id(by_udp[i]), ids[i]);
    const auto m = test::StrictParser::parse(by_udp[i]);
    ASSERT_EQ(m.error, "");
    ASSERT_EQ(test::check_record(m.msg), "");
    ASSERT_TRUE(by_udp[i].starts_with("<26>1 " + m.timestamp + " node-1 wafd 1 waf_event - {")) << by_udp[i];
  }
  ASSERT_TRUE(wait_until([&] { return rig.status("tcp-bytes").acknowledged == 1000; }));
  const TargetStatus s = rig.status("udp-target");
  EXPECT_EQ(s.sent, 1100u);
  EXPECT_EQ(s.lag_events, 0u);
  EXPECT_EQ(s.cursor, rig.ring->end());
  EXPECT_EQ(s.lost + s.resent + s.errors + s.rejected, 0u);
}

// The caller may tell people "saved" as soon as apply() returns: what comes then belongs to the target, also
// when the loop has not turned yet.
// Sends bytes without end to whoever connects, and reads at the same time.
class Talker {
 public:
  Talker() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof a;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&a), size), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&a), &size), 0);
    at = {*IpAddress::parse("127.0.0.1"), ntohs(a.sin_port)};
    reader_ = std::thread([this] {
      const int peer = ::accept(fd_, nullptr, nullptr);
      std::thread writer([peer, this] {
        const std::string bytes(1 << 16, '\xff');
        for (ssize_t n = 1; n > 0; said += static_cast<std::uint64_t>(std::max<ssize_t>(n, 0)))
          n = ::send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      });
      FrameReader frames(1 << 20);
      std::vector<char> room(1 << 16);
      for (ssize_t n = 1; n > 0;) {
        n = ::recv(peer, room.data(), room.size(), 0);
        if (n > 0) frames.feed({room.data(), static_cast<std::size_t>(n)});
        for (std::string_view m; frames.next(m);) ++messages;
      }
      ::shutdown(peer, SHUT_RDWR);
      writer.join();
      ::close(peer);
    });
  }
  ~Talker() {
    ::shutdown(fd_, SHUT_RDWR);
    reader_.join();
    ::close(fd_);
  }
  Endpoint at;
  std::atomic<std::uint64_t> said{0}, messages{0};

 private:
  int fd_;
  std::thread reader_;
};

TEST(Delivery, AReceiverThatTalksWithoutEndHarmsNobody) {
  Talker talker;
  DeliveryRig rig;
  Receivers well;
  rig.delivery->apply(
      {rig.target("talker", Transport::kTcp, talker.at), rig.target("well-tcp", Transport::kTcp, well.tcp)});
  ASSERT_TRUE(rig.up("talker") && rig.up("well-tcp"));
  ASSERT_TRUE(wait_until([&] { return talker.said > (std::uint64_t{64} << 20); }));
  for (int i = 0; i < 2000; ++i) rig.append();
  EXPECT_TRUE(wait_until([&] { return well.count() == 2000 && talker.messages == 2000; }))
      << well.count() << ' ' << talker.messages;
  const TargetStatus s = rig.status("talker");
  EXPECT_EQ(s.reconnects + s.errors, 0u) << s.last_error;
  rig.close();
}

TEST(Delivery, ANewTargetGetsWhatIsAppendedRightAfterApply) {
  DeliveryRig rig;
  for (int round = 0; round < 20; ++round) {
    Receivers receivers;
    rig.append();  // before it existed
    rig.delivery->apply(
        {rig.target("target-" + std::to_string(round) + "-x", Transport::kTcp, receivers.tcp)});
    const std::string first = rig.append();
    ASSERT_TRUE(wait_until([&] { return receivers.count() > 0; })) << "round " << round;
    EXPECT_EQ(event_id(receivers.messages()[0]), first);
  }
}

TEST(Delivery, ACleanRestartSendsNothingTwiceAndNothingIsMissing) {
  DeliveryRig rig;
  Receivers receivers;
  const auto targets = [&] {
    TargetSettings udp = rig.target("udp-target", Transport::kUdp, receivers.udp);
    TargetSettings tcp = rig.target("tcp-target", Transport::kTcp, receivers.tcp);
    udp.sequence_id = tcp.sequence_id = true;
    return std::vector<TargetSettings>{udp, tcp};
  };
  rig.delivery->apply(targets());
  ASSERT_TRUE(rig.up("udp-target") && rig.up("tcp-target"));
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(rig.append());  // few: they come as datagrams too
  rig.close();
  rig.open();
  for (int i = 0; i < 20; ++i) ids.push_back(rig.append());  // before the targets are known again
  rig.delivery->apply(targets());
  ASSERT_TRUE(wait_until([&] { return receivers.count() >= 80; })) << receivers.count();
  rig.close();
  const auto messages = receivers.messages();
  EXPECT_EQ(messages.size(), 80u);
  const auto seen = counts(messages);
  EXPECT_EQ(seen.size(), 40u);
  for (const auto& id : ids) EXPECT_EQ(seen.count(id) ? seen.at(id) : 0, 2) << id;
  std::map<std::string, int> sequence_ids;
  for (const auto& m : messages) ++sequence_ids[test::StrictParser::parse(m).sd.at(0).params.at(0).second];
  EXPECT_EQ(sequence_ids.size(), 40u);
  for (int i = 1; i <= 40; ++i) EXPECT_EQ(sequence_ids[std::to_string(i)], 2) << i;
}

TEST(Delivery, ADeadTargetHarmsNoOther) {
  DeliveryRig rig;
  Receivers receivers;
  auto gone = std::make_unique<Receivers>();
  const Endpoint closed_tcp = gone->tcp, closed_udp = gone->udp;
  gone.reset();
  TargetSettings nowhere = rig.target("no-such-name", Transport::kTcp, receivers.tcp);
  nowhere.host = "no-such-name.invalid";
  rig.delivery->apply({rig.target("dead-tcp", Transport::kTcp, closed_tcp),
                       rig.target("dead-udp", Transport::kUdp, closed_udp), nowhere,
                       rig.target("alive-tcp", Transport::kTcp, receivers.tcp),
                       rig.target("alive-udp", Transport::kUdp, receivers.udp)});
  ASSERT_TRUE(rig.up("alive-tcp") && rig.up("alive-udp"));
  rig.append_gently(1000, [&] { return receivers.count() / 2; });
  ASSERT_EQ(receivers.count(), 2000u);
  const TargetStatus tcp = rig.status("dead-tcp");
  EXPECT_NE(tcp.last_error.find("connection refused"), std::string::npos) << tcp.last_error;
  EXPECT_EQ(tcp.sent, 0u);
  EXPECT_GE(tcp.lag_events, 1000u);
  EXPECT_GE(tcp.lag_ms, 0);
  ASSERT_TRUE(wait_until([&] { return rig.status("dead-udp").errors > 0; }));
  EXPECT_LT(rig.status("dead-udp").sent, 1000u);
  EXPECT_GT(rig.status("no-such-name").errors, 0u);
}

TEST(Delivery, UdpToAClosedPortIsNoticedAndNothingIsMissingAfterwards) {
  DeliveryRig rig;
  auto receivers = std::make_unique<Receivers>();
  const Endpoint at = receivers->udp;
  rig.delivery->apply({rig.target("udp-target", Transport::kUdp, at)});
  ASSERT_TRUE(rig.up("udp-target"));
  std::set<std::string> ids;
  for (const auto& id : rig.append_gently(50, [&] { return receivers->count(); })) ids.insert(id);
  ASSERT_EQ(receivers->count(), 50u);
  std::vector<std::string> messages = receivers->messages();
  receivers.reset();
  for (int i = 0; i < 40; ++i) ids.insert(rig.append());
  ASSERT_TRUE(wait_until([&] { return rig.status("udp-target").state == "waiting"; }));
  // The same port again. Some of what had arrived before comes twice, so the ids tell when all is there.
  kit::Loop loop;
  std::mutex mutex;
  auto again = UdpReceiver::open(loop, at, [&](std::string_view m) {
    const std::scoped_lock lock(mutex);
    messages.emplace_back(m);
  });
  ASSERT_TRUE(again) << again.error().what;
  std::thread thread([&] { loop.run(); });
  EXPECT_TRUE(wait_until([&] {
    const std::scoped_lock lock(mutex);
    const auto seen = counts(messages);
    return std::all_of(ids.begin(), ids.end(), [&](const auto& id) { return seen.count(id) != 0; });
  }));
  loop.stop();
  thread.join();
  EXPECT_GE(rig.status("udp-target").reconnects, 1u);
}

TEST(Delivery, ASlowReceiverIsBackPressureAndHarmsNoOther) {
  DeliveryRig rig;
  Receivers receivers;
  auto sockets = std::move(*kit::ListenSockets::tcp(test::kAnyPort, 1));  // nobody accepts: its window fills
  rig.delivery->apply({rig.target("slow-tcp", Transport::kTcp, sockets.local()),
                       rig.target("alive-tcp", Transport::kTcp, receivers.tcp)});
  ASSERT_TRUE(rig.up("slow-tcp") && rig.up("alive-tcp"));
  for (int i = 0; i < 10'000; ++i) rig.append();
  ASSERT_TRUE(wait_until([&] { return receivers.count() >= 10'000; })) << receivers.count();
  const TargetStatus slow = rig.status("slow-tcp");
  EXPECT_EQ(slow.state, "up");
  EXPECT_GT(slow.lag_events, 0u);
  EXPECT_LT(slow.sent, 10'000u);
  EXPECT_EQ(slow.errors, 0u);
  EXPECT_EQ(slow.unacknowledged, slow.sent - slow.acknowledged);
  EXPECT_GT(slow.unacknowledged, 0u);
  const TargetStatus alive = rig.status("alive-tcp");
  EXPECT_EQ(alive.unacknowledged, alive.sent - alive.acknowledged);
  rig.stop_timeout_ms = 0;
}

TEST(Delivery, OvertakenByTheRingIsToldCountedAndShown) {
  DeliveryRig rig(1 << 20);
  auto gone = std::make_unique<Receivers>();
  const Endpoint at = gone->tcp;
  gone.reset();
  rig.delivery->apply({rig.target("late-tcp", Transport::kTcp, at)});
  ASSERT_TRUE(wait_until([&] { return rig.status("late-tcp").errors > 0; }));
  const std::uint64_t first = rig.ring->end();
  for (int i = 0; i < 3000; ++i) rig.append();
  ASSERT_GT(rig.ring->oldest(), first);
  {  // already while the receiver is away
    const TargetStatus away = rig.status("late-tcp");
    EXPECT_EQ(away.lost, rig.ring->oldest() - first);
    ASSERT_EQ(away.lost_ranges.size(), 1u);
    EXPECT_EQ(away.lost_ranges[0], (std::pair{first, rig.ring->oldest() - 1}));
    EXPECT_EQ(away.lag_events, rig.ring->end() - rig.ring->oldest());
  }
  kit::Loop loop;
  std::mutex mutex;
  std::vector<std::string> messages;
  auto receiver = TcpReceiver::open(loop, at,
                                    [&](std::string_view m) {
                                      const std::scoped_lock lock(mutex);
                                      messages.emplace_back(m);
                                    },
                                    {});
  ASSERT_TRUE(receiver) << receiver.error().what;
  std::thread thread([&] { loop.run(); });
  EXPECT_TRUE(wait_until([&] {
    const TargetStatus s = rig.status("late-tcp");
    return s.state == "up" && s.lag_events == 0 && s.acknowledged == s.sent;
  }));
  const TargetStatus s = rig.status("late-tcp");
  EXPECT_EQ(s.sent - 1 + s.lost, 3000u);  // one of them is the gap
  ASSERT_EQ(s.lost_ranges.size(), 1u);
  EXPECT_EQ(s.lost_ranges[0], (std::pair{first, first + s.lost - 1}));
  EXPECT_TRUE(wait_until([&] {
    const std::scoped_lock lock(mutex);
    return messages.size() == s.sent;
  }));
  rig.close();
  loop.stop();
  thread.join();
  const auto gap = test::StrictParser::parse(messages.at(0));
  EXPECT_EQ(gap.error, "");
  EXPECT_EQ(gap.msgid, "waf_gap");
  EXPECT_EQ(gap.severity, 4);
  const auto body = boost::json::parse(gap.msg).as_object();
  EXPECT_EQ(body.at("first_seq").to_number<std::uint64_t>(), first);
  EXPECT_EQ(body.at("last_seq").to_number<std::uint64_t>(), first + s.lost - 1);
  EXPECT_EQ(body.at("count").to_number<std::uint64_t>(), s.lost);
  EXPECT_TRUE(body.at("upper_bound").as_bool());
}

TEST(Delivery, EditsTakeEffectWithoutRestartAndKeepTheCursor) {
  DeliveryRig rig;
  Receivers one, two;
  TargetSettings t = rig.target("the-target", Transport::kTcp, one.tcp);
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up("the-target"));
  rig.append();
  ASSERT_TRUE(wait_until([&] { return one.count() == 1; }));
  t.enabled = false;
  rig.delivery->apply({t});
  ASSERT_TRUE(wait_until([&] { return rig.status("the-target").state == "disabled"; }));
  for (int i = 0; i < 10; ++i) rig.append();
  EXPECT_EQ(rig.status("the-target").lag_events, 10u);
  t.enabled = true;
  t.host = "127.0.0.1";
  t.port = two.tcp.port;
  t.app_name = "edited";
  rig.delivery->apply({t});
  ASSERT_TRUE(wait_until([&] { return two.count() == 10; })) << two.count();
  EXPECT_EQ(one.count(), 1u);
  EXPECT_NE(two.messages()[0].find(" node-1 edited 1 waf_event - "), std::string::npos);
  EXPECT_EQ(rig.status("the-target").sent, 11u);
  rig.delivery->apply({});
  EXPECT_TRUE(rig.statuses().empty());
  EXPECT_FALSE(rig.cursors->get("the-target"));
}

TEST(Delivery, AuditAndHealthGoToWhoWantsThem) {
  DeliveryRig rig;
  rig.close();
  rig.health_interval_ms = 50;
  rig.open();
  Receivers receivers, events;
  TargetSettings t = rig.target("audit-target", Transport::kTcp, receivers.tcp);
  t.streams = {"audit", "health"};
  rig.delivery->apply({t, rig.target("event-target", Transport::kTcp, events.tcp)});
  ASSERT_TRUE(rig.up("audit-target") && rig.up("event-target"));
  rig.delivery->audit("{\"who\":\"admin\"}");
  rig.append();
  ASSERT_TRUE(wait_until([&] { return events.count() == 1 && receivers.count() >= 3; }));
  bool audit = false, alive = false;
  for (const auto& text : receivers.messages()) {
    const auto m = test::StrictParser::parse(text);
    EXPECT_EQ(m.error, "");
    audit |= m.msgid == "waf_audit" && m.msg == "{\"who\":\"admin\"}";
    alive |=
        m.msgid == "waf_alive" && boost::json::parse(m.msg).as_object().at("type").as_string() == "alive";
    EXPECT_NE(m.msgid, "waf_event");
  }
  EXPECT_TRUE(audit);
  EXPECT_TRUE(alive);
  EXPECT_EQ(rig.status("audit-target").lag_events, 0u);
}

TEST(Delivery, TheTestButtonWorksBesideDelivery) {
  DeliveryRig rig;
  Receivers receivers;
  std::promise<TestResult> one, two;
  rig.delivery->test(rig.target("unsaved-one", Transport::kTcp, receivers.tcp), TestKind::kConnectivity,
                     [&](TestResult r) { one.set_value(std::move(r)); });
  rig.delivery->test(rig.target("unsaved-two", Transport::kUdp, receivers.udp), TestKind::kSample,
                     [&](TestResult r) { two.set_value(std::move(r)); });
  EXPECT_EQ(one.get_future().get().verdict, "accepted");
  EXPECT_EQ(two.get_future().get().verdict, "sent");
  ASSERT_TRUE(wait_until([&] { return receivers.count() == 2; }));
}

// A target whose cursor is gone: everything from the oldest event on, or a gap message about it; never
// silence.
TEST(Delivery, ALostCursorIsNotASilentLoss) {
  for (const OnLostCursor on : {OnLostCursor::kOldest, OnLostCursor::kGap}) {
    const bool gap = on == OnLostCursor::kGap;
    DeliveryRig rig;
    Receivers receivers;
    rig.close();
    std::vector<std::string> said;
    std::mutex mutex;
    rig.adjust = [&](DeliveryParts& parts) {
      parts.cursors_lost = true;
      parts.on_lost_cursor = on;
      parts.log = [&](const std::string& line) {
        const std::scoped_lock lock(mutex);
        said.push_back(line);
      };
    };
    rig.open();
    std::vector<std::string> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(rig.append());
    const std::uint64_t oldest = rig.ring->oldest(), end = rig.ring->end();
    rig.delivery->apply({rig.target("lost-target", Transport::kTcp, receivers.tcp)});
    ASSERT_TRUE(rig.up("lost-target"));
    ids.push_back(rig.append());
    const std::size_t expected = gap ? 2 : 101;
    ASSERT_TRUE(wait_until([&] { return receivers.count() >= expected; }));
    const auto messages = receivers.messages();
    ASSERT_EQ(messages.size(), expected);
    EXPECT_EQ(event_id(messages.back()), ids.back());
    if (gap) {
      const std::string range =
          fmt::format(R"("first_seq":{},"last_seq":{},"count":100,"upper_bound":true)", oldest, end - 1);
      EXPECT_NE(messages[0].find(" waf_gap "), std::string::npos) << messages[0];
      EXPECT_NE(messages[0].find(range), std::string::npos) << messages[0];
      EXPECT_EQ(rig.status("lost-target").lost, 100u);
    } else {
      for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(event_id(messages[i]), ids[i]) << i;
    }
    {
      const std::scoped_lock lock(mutex);
      EXPECT_TRUE(std::any_of(said.begin(), said.end(), [](const std::string& line) {
        return line.find("\"lost-target\": its cursor is lost") != std::string::npos;
      }));
    }
    // One that is added later is new: it begins at the present end.
    rig.delivery->apply({rig.target("lost-target", Transport::kTcp, receivers.tcp),
                         rig.target("new-target", Transport::kTcp, receivers.tcp)});
    ASSERT_TRUE(rig.up("new-target"));
    EXPECT_EQ(rig.status("new-target").cursor, rig.ring->end());
  }
}

}  // namespace
}  // namespace wafd::forward
