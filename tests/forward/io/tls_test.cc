// TLS: the tester's stage, delivery, and what is refused.
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
  explicit TlsReceiver(const std::vector<std::string>& names = {"127.0.0.1"})
      : certificate(std::move(*kit::make_self_signed(names, kit::SystemClock().unix_us() / 1'000'000, 30))) {
    kit::TlsServerOptions o;
    o.certificate_pem = certificate.certificate_pem;
    o.key_pem = certificate.key_pem;
    receiver_ = std::move(*TcpReceiver::open(
        loop_, test::kAnyPort,
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
  EXPECT_EQ(r.stages.back().error, "tls.ca: /no/such/file.pem cannot be read");
  ASSERT_TRUE(wait_until([&] { return receiver.messages().size() == 2; }));
  EXPECT_TRUE(receiver.messages()[0].ends_with("waf_event - Connectivity test requested."));
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

}  // namespace
}  // namespace wafd::forward
