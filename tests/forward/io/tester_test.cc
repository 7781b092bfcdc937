#include "forward/io/tester.h"

#include <optional>

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "forward/io/receive/receiver.h"
#include "ingest/io/kit/system.h"
#include "tests/forward/io/loop_help.h"
#include "tests/support/record_contract.h"
#include "tests/support/strict_syslog.h"

namespace wafd::forward {
namespace {

const Endpoint kAnyPort = *Endpoint::parse("127.0.0.1:0");

class TesterTest : public ::testing::Test {
 protected:
  TestResult test(const TargetSettings& target, TestKind kind = TestKind::kConnectivity) {
    std::optional<TestResult> result;
    Tester tester(loop, {clock, random, "node-1", {}, own, {}}, target, kind,
                  [&](TestResult r) { result = std::move(r); });
    EXPECT_TRUE(test::run_until(loop, [&] { return result.has_value(); }));
    return result.value_or(TestResult{});
  }
  static TargetSettings target(Transport transport, const Endpoint& to) {
    TargetSettings t;
    t.transport = transport;
    t.host = to.address.text();
    t.port = to.port;
    return t;
  }
  std::unique_ptr<UdpReceiver> udp() {
    return std::move(*UdpReceiver::open(loop, kAnyPort, [this](std::string_view m) { got.emplace_back(m); }));
  }
  std::unique_ptr<TcpReceiver> tcp() {
    return std::move(*TcpReceiver::open(
        loop, kAnyPort, [this](std::string_view m) { got.emplace_back(m); },
        [this](const std::string& text) { complaints.push_back(text); }));
  }
  static std::string stages(const TestResult& r) {
    std::string out;
    for (const auto& s : r.stages) out += s.name + (s.ok ? "+" : "-") + " ";
    return out;
  }

  kit::Loop loop;
  kit::SystemClock clock;
  kit::SystemRandom random;
  std::vector<Endpoint> own;
  std::vector<std::string> got, complaints;
};

TEST_F(TesterTest, UdpIsSentAndNeverMore) {
  const auto receiver = udp();
  const TestResult r = test(target(Transport::kUdp, receiver->local()));
  EXPECT_EQ(r.verdict, "sent");
  EXPECT_EQ(r.text, "Sent; UDP cannot confirm delivery.");
  EXPECT_EQ(stages(r), "resolve+ connect+ write+ after+ ");
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0], r.message);
  const auto m = test::StrictParser::parse(got[0]);
  EXPECT_EQ(m.error, "");
  EXPECT_EQ(got[0], "<30>1 " + m.timestamp + " node-1 wafd 1 waf_event - Connectivity test requested.");
}

TEST_F(TesterTest, UdpPortClosed) {
  auto receiver = udp();
  const Endpoint to = receiver->local();
  receiver.reset();
  test::run_until(loop, [n = 0]() mutable { return ++n > 3; });
  const TestResult r = test(target(Transport::kUdp, to));
  EXPECT_EQ(r.verdict, "closed");
  EXPECT_EQ(stages(r), "resolve+ connect+ write+ after- ");
}

TEST_F(TesterTest, TcpIsAccepted) {
  const auto receiver = tcp();
  for (const Framing framing : {Framing::kOctetCounting, Framing::kLf}) {
    got.clear();
    TargetSettings t = target(Transport::kTcp, receiver->local());
    t.framing = framing;
    const TestResult r = test(t);
    EXPECT_EQ(r.verdict, "accepted") << r.text;
    EXPECT_EQ(stages(r), "resolve+ connect+ write+ after+ ");
    ASSERT_TRUE(test::run_until(loop, [&] { return got.size() == 1; }));
    EXPECT_EQ(r.message,
              framing == Framing::kLf ? got[0] + "\\n" : std::to_string(got[0].size()) + " " + got[0]);
  }
  EXPECT_TRUE(complaints.empty());
}

TEST_F(TesterTest, SampleIsAWholeEvent) {
  const auto receiver = tcp();
  const TestResult r = test(target(Transport::kTcp, receiver->local()), TestKind::kSample);
  EXPECT_EQ(r.verdict, "accepted");
  ASSERT_TRUE(test::run_until(loop, [&] { return got.size() == 1; }));
  const auto m = test::StrictParser::parse(got[0]);
  EXPECT_EQ(m.error, "");
  EXPECT_EQ(test::check_record(m.msg), "");
  EXPECT_EQ(r.event_id.size(), 32u);
  EXPECT_NE(m.msg.find("\"event_id\":\"" + r.event_id + "\""), std::string::npos);
}

TEST_F(TesterTest, TcpRefused) {
  auto receiver = tcp();
  const Endpoint to = receiver->local();
  receiver.reset();
  test::run_until(loop, [n = 0]() mutable { return ++n > 3; });
  const TestResult r = test(target(Transport::kTcp, to));
  EXPECT_EQ(r.verdict, "failed");
  EXPECT_EQ(stages(r), "resolve+ connect- ");
  EXPECT_EQ(r.stages.back().error, "connect to " + to.text() + ": connection refused");
  EXPECT_NE(r.text.find("nothing listens on that port"), std::string::npos);
}

// Closes each connection as soon as something arrives.
struct Closer : kit::StreamHandler {
  explicit Closer(bool r) : reset(r) {}
  void on_data(std::string_view) noexcept override { end(); }
  void on_end(const kit::StreamEnd&) noexcept override { stream.reset(); }
  void end() {
    if (reset) {
      const linger hard{1, 0};
      setsockopt(stream->descriptor(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }
    stream.reset();
  }
  bool reset;
  std::unique_ptr<kit::Stream> stream;
};

TEST_F(TesterTest, TcpClosedAfterTheFirstFrame) {
  for (const bool reset : {false, true}) {
    auto sockets = std::move(*kit::ListenSockets::tcp(kAnyPort, 1));
    Closer closer(reset);
    kit::Listener listener(loop, sockets.take(0), false, [&](std::unique_ptr<kit::Stream> s) {
      closer.stream = std::move(s);
      closer.stream->start(closer);
    });
    const TestResult r = test(target(Transport::kTcp, sockets.local()));
    EXPECT_EQ(r.verdict, "closed");
    EXPECT_EQ(stages(r), "resolve+ connect+ write+ after- ");
    EXPECT_NE(r.text.find("try the other framing (LF)"), std::string::npos) << r.text;
    EXPECT_EQ(r.stages.back().detail.at("how").as_string(), reset ? "reset" : "closed");
  }
}

TEST_F(TesterTest, UnknownNameAndForbiddenAddress) {
  TargetSettings t;
  t.host = "no-such-name.invalid";
  TestResult r = test(t);
  EXPECT_EQ(r.verdict, "failed");
  EXPECT_EQ(stages(r), "resolve- ");
  t.host = "169.254.169.254";
  r = test(t);
  EXPECT_EQ(stages(r), "resolve- ");
  EXPECT_NE(r.text.find("may not be connected to"), std::string::npos) << r.text;
  own = {*Endpoint::parse("127.0.0.1:8700")};
  r = test(target(Transport::kTcp, own[0]));
  EXPECT_NE(r.text.find("one of wafd's own listeners"), std::string::npos) << r.text;
  EXPECT_EQ(r.text.find("check the name"), std::string::npos) << r.text;
}

TEST_F(TesterTest, SourceAddressOfAnotherFamily) {
  const auto receiver = udp();
  TargetSettings t = target(Transport::kUdp, receiver->local());
  t.source_address = "::1";
  const TestResult r = test(t);
  EXPECT_EQ(stages(r), "resolve- ");
  t.source_address = "127.0.0.1";
  EXPECT_EQ(test(t).verdict, "sent");
}

TEST(EscapeBytes, Table) {
  EXPECT_EQ(escape_bytes("a\\b\n\r\t\x01\x7f\xff"), "a\\\\b\\n\\r\\t\\x01\\x7f\\xff");
  EXPECT_EQ(one_line("{\"a\":\"\\u0000\"}\n\x1b[31m\xc3\xa9\xc2\x9b\xff"),
            "{\"a\":\"\\u0000\"}\\n\\x1b[31m\xc3\xa9\\xc2\\x9b\\xff");
}

}  // namespace
}  // namespace wafd::forward
