// The tester's messages at rsyslog and syslog-ng, as they arrive there.
#include <optional>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "forward/io/tester.h"
#include "ingest/io/kit/system.h"
#include "tests/forward/io/loop_help.h"
#include "tests/support/real_receiver.h"
#include "tests/support/record_contract.h"
#include "tests/support/strict_syslog.h"
#include "tests/support/temp_folder.h"

namespace wafd::forward {
namespace {

using test::RealReceiver;
using test::ReceiverKind;

class RealReceivers : public ::testing::TestWithParam<ReceiverKind> {};

TEST_P(RealReceivers, EveryTransportArrivesByteExact) {
  const test::TempFolder folder;
  RealReceiver receiver(GetParam(), folder.path);
  receiver.start();
  kit::Loop loop;
  kit::SystemClock clock;
  kit::SystemRandom random;
  std::size_t expected = 0;
  struct Way {
    Transport transport;
    Framing framing;
    std::uint16_t port;
  };
  for (const Way& way : {Way{Transport::kUdp, Framing::kOctetCounting, receiver.udp},
                         Way{Transport::kTcp, Framing::kOctetCounting, receiver.tcp},
                         Way{Transport::kTcp, Framing::kLf, receiver.tcp_lf}}) {
    for (const TestKind kind : {TestKind::kConnectivity, TestKind::kSample}) {
      TargetSettings t;
      t.host = "127.0.0.1";
      t.transport = way.transport;
      t.framing = way.framing;
      t.port = way.port;
      t.max_message_bytes = 65507;
      std::optional<TestResult> result;
      Tester tester(loop, {clock, random, "node-1", {}, {}, {}}, t, kind,
                    [&](TestResult r) { result = std::move(r); });
      ASSERT_TRUE(test::run_until(loop, [&] { return result.has_value(); }));
      EXPECT_EQ(result->verdict, way.transport == Transport::kUdp ? "sent" : "accepted") << result->text;
      ++expected;
      std::vector<std::string> lines;
      ASSERT_TRUE(test::run_until(loop, [&] {
        lines = receiver.lines();
        std::erase(lines, "");  // the empty datagram
        return lines.size() >= expected;
      })) << lines.size();
      const std::string& line = lines.back();
      const auto m = test::StrictParser::parse(line);
      EXPECT_EQ(m.error, "") << line;
      const std::string shown = escape_bytes(line);
      if (way.transport == Transport::kUdp)
        EXPECT_EQ(shown, result->message);
      else
        EXPECT_EQ(way.framing == Framing::kLf ? shown + "\\n" : std::to_string(line.size()) + " " + shown,
                  result->message);
      if (kind == TestKind::kConnectivity)
        EXPECT_EQ(line, "<30>1 " + m.timestamp + " node-1 wafd 1 waf_event - Connectivity test requested.");
      else
        EXPECT_EQ(test::check_record(m.msg), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Daemons, RealReceivers,
                         ::testing::Values(ReceiverKind::kRsyslog, ReceiverKind::kSyslogNg),
                         [](const auto& i) {
                           return i.param == ReceiverKind::kRsyslog ? "rsyslog" : "syslog_ng";
                         });

}  // namespace
}  // namespace wafd::forward
