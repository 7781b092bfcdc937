// TLS: the tester's stage, delivery, and what is refused.
#include <algorithm>

#include <gtest/gtest.h>

#include "forward/io/tls_settings.h"
#include "tests/forward/io/delivery_help.h"

namespace wafd::forward {
namespace {

using test::DeliveryRig;
using test::wait_until;

// A receiver over TLS on a thread of its own.
class TlsReceiver {
 public:
  // Its certificate was made `age_days` ago, for 30 days.
  explicit TlsReceiver(const std::vector<std::string>& names = {"127.0.0.1"}, int age_days = 0,
                       const std::string& client_ca = "", const Endpoint& listen = test::kAnyPort)
      : certificate(std::move(*kit::make_self_signed(
            names, kit::SystemClock().unix_us() / 1'000'000 - age_days * 86'400, 30))) {
    kit::TlsServerOptions o;
    o.client_ca_pem = client_ca;
    o.certificate_pem = certificate.certificate_pem;
    o.key_pem = certificate.key_pem;
    receiver_ = std::move(*TcpReceiver::open(
        loop_, listen,
        [this](std::string_view m) {
          const std::scoped_lock lock(mutex_);
          messages_.emplace_back(m);
        },
        {}, kit::TlsContext::server(o).value()));
    at = receiver_->local();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~TlsReceiver() {
    loop_.stop();
    thread_.join();
  }
  std::vector<std::string> messages() const {
    const std::scoped_lock lock(mutex_);
    return messages_;
  }
  kit::SelfSigned certificate;
  Endpoint at;

 private:
  kit::Loop loop_;
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
  std::unique_ptr<TcpReceiver> receiver_;
  std::thread thread_;
};

TestResult tested(DeliveryRig& rig, const TargetSettings& t) {
  std::promise<TestResult> promise;
  rig.delivery->test(t, TestKind::kConnectivity, [&](TestResult r) { promise.set_value(std::move(r)); });
  return promise.get_future().get();
}

TEST(Tls, TesterTellsTheStageAndItsVerdict) {
  DeliveryRig rig;
  TlsReceiver receiver;
  TargetSettings t = rig.target("tls-target", Transport::kTls, receiver.at);
  TestResult r = tested(rig, t);  // the system's authorities do not know it
  EXPECT_EQ(r.verdict, "failed");
  EXPECT_EQ(r.stages.back().name, "tls");
  EXPECT_NE(r.text.find("give the receiver's CA"), std::string::npos) << r.text;

  t.tls.ca = receiver.certificate.certificate_pem;
  r = tested(rig, t);
  EXPECT_EQ(r.verdict, "accepted") << r.text;
  ASSERT_EQ(r.stages.size(), 5u);
  EXPECT_EQ(r.stages[2].name, "tls");
  EXPECT_TRUE(r.stages[2].detail.at("verified").as_bool());
  EXPECT_EQ(r.stages[2].detail.at("version").as_string(), "TLSv1.3");
  const std::string fingerprint(r.stages[2].detail.at("fingerprint_sha256").as_string());

  t.tls.server_name = "another.example";
  EXPECT_EQ(tested(rig, t).stages.back().name, "tls");
  EXPECT_EQ(tested(rig, t).verdict, "failed");

  t.tls = {};
  t.tls.verify = false;
  t.tls.fingerprint_sha256 = fingerprint;
  EXPECT_EQ(tested(rig, t).verdict, "accepted");
  t.tls.fingerprint_sha256 = std::string(64, '0');
  EXPECT_EQ(tested(rig, t).verdict, "failed");

  t.tls = {};
  t.tls.ca = "file:/no/such/file.pem";
  r = tested(rig, t);
  EXPECT_EQ(r.stages.back().error, "tls.ca: /no/such/file.pem cannot be read: No such file or directory");
  ASSERT_TRUE(wait_until([&] { return receiver.messages().size() == 2; }));
  EXPECT_TRUE(receiver.messages()[0].ends_with("waf_event - Connectivity test requested."));
}

// A certificate that is not believed is shown, so that people can compare and decide; the words say what to
// do.
TEST(Tls, TheTestShowsACertificateThatIsNotBelieved) {
  DeliveryRig rig;
  TlsReceiver own, old({"127.0.0.1"}, 40),
      other({"a.example", "b\xff\x1b[1m.example", "c.example", "d.example"});
  const struct {
    const char* what;
    const TlsReceiver& receiver;
    std::string ca;
    const char* text;
  } rows[] = {
      {"unknown", own, old.certificate.certificate_pem,
       "Failed at tls: TLS: self-signed certificate (the CA that is given did not issue the receiver's "
       "certificate: give the one that did, or the fingerprint)."},
      {"no CA",
       own,
       {},
       "Failed at tls: TLS: self-signed certificate (give the receiver's CA, or its fingerprint)."},
      {"expired", old, old.certificate.certificate_pem,
       "Failed at tls: TLS: certificate has expired (the receiver needs a new certificate)."},
      {"another name", other, other.certificate.certificate_pem,
       "Failed at tls: TLS: IP address mismatch (its certificate is for a.example, b\\xff\\x1b[1m.example, "
       "c.example, ...: give the right one as server_name)."},
  };
  for (const auto& row : rows) {
    TargetSettings t = rig.target("tls-target", Transport::kTls, row.receiver.at);
    t.tls.ca = row.ca;
    TestResult r = tested(rig, t);
    EXPECT_EQ(r.text, row.text) << row.what;
    const auto& detail = r.stages.back().detail;
    ASSERT_TRUE(detail.contains("fingerprint_sha256")) << row.what;
    EXPECT_FALSE(detail.at("verified").as_bool());
    EXPECT_GT(detail.at("not_after").as_int64(), 0);
    t.tls.ca.clear();
    t.tls.verify = false;
    t.tls.fingerprint_sha256 = std::string(detail.at("fingerprint_sha256").as_string());
    r = tested(rig, t);
    EXPECT_EQ(r.verdict, "accepted") << row.what << r.text;  // what was shown is what it has
    t.tls.fingerprint_sha256 = std::string(64, '0');
    r = tested(rig, t);
    EXPECT_TRUE(r.stages.back().detail.contains("fingerprint_sha256"));
    EXPECT_NE(r.text.find("compare the fingerprint"), std::string::npos) << r.text;
  }
}

TEST(Tls, AReceiverThatWantsAClientCertificate) {
  DeliveryRig rig;
  const auto client = kit::make_self_signed({"wafd.example"}, rig.clock.unix_us() / 1'000'000, 30).value();
  TlsReceiver receiver({"127.0.0.1"}, 0, client.certificate_pem);
  TargetSettings t = rig.target("tls-target", Transport::kTls, receiver.at);
  t.tls.ca = receiver.certificate.certificate_pem;
  const TestResult r = tested(rig, t);
  EXPECT_EQ(r.verdict, "closed");
  EXPECT_NE(r.text.find("perhaps it wants a client certificate"), std::string::npos) << r.text;
  EXPECT_EQ(r.text.find("framing"), std::string::npos) << r.text;
}

// Answers the first bytes of a handshake one by one, and never ends.
class SlowHandshake {
 public:
  SlowHandshake() : sockets_(std::move(*kit::ListenSockets::tcp(test::kAnyPort, 1))), at(sockets_.local()) {
    thread_ = std::thread([this] {
      struct Quiet : kit::StreamHandler {
        void on_data(std::string_view) noexcept override {}
        void on_end(const kit::StreamEnd&) noexcept override {}
      } quiet;
      std::vector<std::unique_ptr<kit::Stream>> streams;
      kit::Listener listener(loop_, sockets_.take(0), false, [&](std::unique_ptr<kit::Stream> s) {
        streams.push_back(std::move(s));
        streams.back()->start(quiet);
        streams.back()->write(std::string("\x16\x03\x03\x10\x00\x02\x00\x0f\xfc", 9));  // a record's head
      });
      kit::Timer drop(loop_, [&] {
        for (auto& s : streams) s->write(std::string(1, '\0'));
      });
      drop.start(200, 200);
      loop_.run();
    });
  }
  ~SlowHandshake() {
    loop_.stop();
    thread_.join();
  }

 private:
  kit::Loop loop_;
  kit::ListenSockets sockets_;
  std::thread thread_;

 public:
  Endpoint at;
};

TEST(Tls, AHandshakeThatNeverEndsIsGivenUpForTheBackup) {
  DeliveryRig rig;
  SlowHandshake slow;
  TlsReceiver backup;
  TargetSettings t = rig.target("slow-handshake", Transport::kTls, slow.at);
  t.backups = {{"127.0.0.1", backup.at.port}};
  t.tls.ca = backup.certificate.certificate_pem;
  rig.delivery->apply({t});
  const std::string id = rig.append();
  ASSERT_TRUE(wait_until([&] { return backup.messages().size() == 1; }));
  EXPECT_EQ(test::event_id(backup.messages()[0]), id);
  EXPECT_NE(rig.status("slow-handshake").last_error.find("TLS: the handshake took longer than 5 s"),
            std::string::npos)
      << rig.status("slow-handshake").last_error;
}

TEST(Tls, ByNameAndLikeUdpAndTcpOverIpv6) {
  const Endpoint any = *Endpoint::parse("[::1]:0");
  kit::Loop loop;
  std::atomic<std::size_t> datagrams{0}, frames{0};
  const auto udp = UdpReceiver::open(loop, any, [&](std::string_view) { ++datagrams; }).value();
  const auto tcp = TcpReceiver::open(loop, any, [&](std::string_view) { ++frames; }, {}).value();
  std::thread thread([&] { loop.run(); });
  {
    TlsReceiver tls({"localhost", "::1"}, 0, "", any), named({"localhost"});
    DeliveryRig rig;
    TargetSettings by_address = rig.target("tls-v6", Transport::kTls, tls.at),
                   by_name = rig.target("tls-name", Transport::kTls, named.at);
    by_address.tls.ca = tls.certificate.certificate_pem;
    by_name.tls.ca = named.certificate.certificate_pem;
    by_name.host = "localhost";
    rig.delivery->apply({by_address, by_name, rig.target("udp-v6", Transport::kUdp, udp->local()),
                         rig.target("tcp-v6", Transport::kTcp, tcp->local())});
    for (const char* id : {"tls-v6", "tls-name", "udp-v6", "tcp-v6"}) EXPECT_TRUE(rig.up(id)) << id;
    EXPECT_TRUE(rig.status("tls-v6").connected_to.starts_with("[::1]:"));
    for (int i = 0; i < 10; ++i) rig.append();
    EXPECT_TRUE(wait_until([&] {
      return datagrams == 10 && frames == 10 && tls.messages().size() == 10 && named.messages().size() == 10;
    })) << datagrams
        << ' ' << frames << ' ' << tls.messages().size() << ' ' << named.messages().size();
    rig.close();
  }
  loop.stop();
  thread.join();
}

TEST(Tls, SpokenToAPlainPort) {
  DeliveryRig rig;
  test::Receivers plain;
  const TestResult r = tested(rig, rig.target("tls-target", Transport::kTls, plain.tcp));
  EXPECT_EQ(r.verdict, "failed");
  EXPECT_EQ(r.stages.back().name, "tls");
  EXPECT_NE(r.text.find("speaks no TLS"), std::string::npos) << r.text;
}

TEST(Tls, EveryEventInOrderAndNoneTwiceOverACleanRestart) {
  DeliveryRig rig;
  TlsReceiver receiver;
  TargetSettings t = rig.target("tls-target", Transport::kTls, receiver.at);
  t.tls.ca = receiver.certificate.certificate_pem;
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up("tls-target"));
  std::vector<std::string> ids;
  for (int i = 0; i < 3000; ++i) ids.push_back(rig.append());
  ASSERT_TRUE(wait_until([&] { return rig.status("tls-target").acknowledged == 3000; }));
  EXPECT_LT(rig.status("tls-target").cursor,
            rig.ring->end());  // the replay window: the peer may not have read all
  rig.close();
  rig.open();
  rig.delivery->apply({t});
  for (int i = 0; i < 100; ++i) ids.push_back(rig.append());
  ASSERT_TRUE(wait_until([&] { return receiver.messages().size() >= 3100; })) << receiver.messages().size();
  rig.close();
  const auto messages = receiver.messages();
  ASSERT_EQ(messages.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(test::event_id(messages[i]), ids[i]);
}

// A receiver's kernel acknowledges ciphertext, signs of life included: if their bytes were counted otherwise,
// every connection would keep some that are never acknowledged.
TEST(Tls, SignsOfLifeLeaveNothingThatIsNeverAcknowledged) {
  DeliveryRig rig;
  rig.close();
  rig.health_interval_ms = 50;
  rig.open();
  TlsReceiver receiver;
  TargetSettings t = rig.target("tls-target", Transport::kTls, receiver.at);
  t.tls.ca = receiver.certificate.certificate_pem;
  t.streams = {"event", "health"};
  rig.delivery->apply({t});
  ASSERT_TRUE(wait_until([&] { return receiver.messages().size() >= 3; }));
  const std::string id = rig.append();
  ASSERT_TRUE(wait_until([&] {
    const auto all = receiver.messages();
    return std::any_of(all.begin(), all.end(), [&](const auto& m) { return test::event_id(m) == id; });
  }));
  rig.close();
  rig.open();
  EXPECT_EQ(rig.cursors->get("tls-target")->next_seq, rig.ring->end());
}

}  // namespace
}  // namespace wafd::forward
