// RELP: delivery to rsyslog's imrelp that is killed, stopped and started again, over TLS too; and peers that
// misbehave.
#include <csignal>

#include <gtest/gtest.h>

#include "forward/protocol/relp_frame.h"
#include "ingest/io/kit/listen.h"
#include "tests/forward/io/real_rig.h"

namespace wafd::forward {
namespace {

using test::DeliveryRig;
using test::RealReceiver;
using test::ReceiverKind;
using test::wait_until;

constexpr const char* kId = "relp-target";

TestResult tested(DeliveryRig& rig, const TargetSettings& t) {
  std::promise<TestResult> promise;
  rig.delivery->test(t, TestKind::kConnectivity, [&](TestResult r) { promise.set_value(std::move(r)); });
  return promise.get_future().get();
}

class Relp : public ::testing::Test, protected test::RealRig {
 protected:
  TargetSettings target() const { return RealRig::target(kId, Transport::kRelp); }
  void begin() {
    begin_receiver(ReceiverKind::kRsyslog);
    rig.delivery->apply({target()});
    ASSERT_TRUE(rig.up(kId)) << rig.status(kId).last_error;
  }
};

TEST_F(Relp, EveryEventIsAcknowledgedAndTheCursorMovesWithIt) {
  begin();
  append(3000);  // more than the window
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged == ids.size(); }))
      << rig.status(kId).acknowledged;
  expect_in_order();
  const TargetStatus s = rig.status(kId);
  EXPECT_EQ(s.cursor, rig.ring->end());  // no replay window: what was acknowledged is settled
  EXPECT_EQ(s.sent, ids.size());
  EXPECT_EQ(s.resent + s.rejected + s.reconnects + s.errors, 0u);
}

TEST_F(Relp, KilledUnderLoadAndStartedAgain) {
  begin();
  for (int round = 0; round < 3; ++round) {
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
    ASSERT_TRUE(wait_until([&] { return missing() == 0; }, 60'000)) << missing() << " of " << ids.size();
  }
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged == ids.size(); }))
      << rig.status(kId).acknowledged;
  const TargetStatus s = rig.status(kId);
  EXPECT_EQ(s.lost + s.rejected, 0u);
  EXPECT_GE(s.reconnects, 3u);
  EXPECT_EQ(s.sent, ids.size() + s.resent);
  EXPECT_LE(twice(), s.resent);
  RecordProperty("duplicates", static_cast<int>(twice()));
}

TEST_F(Relp, StoppedAndContinuedIsNoFailure) {
  begin();
  append(100);
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged == 100; }));
  receiver->signal(SIGSTOP);
  append(4000);
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).sent >= 200; }));
  EXPECT_EQ(rig.status(kId).acknowledged, 100u);  // its kernel's word counts for nothing
  receiver->signal(SIGCONT);
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged == ids.size(); }, 60'000));
  expect_in_order();
  EXPECT_EQ(rig.status(kId).reconnects, 0u);
}

TEST_F(Relp, StoppedWhileItsBuffersFillThenKilled) {
  begin();
  append(100);
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged == 100; }));
  receiver->signal(SIGSTOP);
  append(4000);
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).sent >= 200; }));
  receiver->stop(SIGKILL);
  receiver->start();
  ASSERT_TRUE(wait_until([&] { return missing() == 0; }, 60'000)) << missing() << " of " << ids.size();
  EXPECT_EQ(rig.status(kId).lost, 0u);
}

TEST_F(Relp, CleanRestartOfTheSender) {
  begin();
  append(1000);
  rig.close();
  ASSERT_TRUE(wait_until([&] { return missing() == 0; })) << missing();
  rig.open();
  append(1000);
  rig.delivery->apply({target()});
  ASSERT_TRUE(wait_until([&] { return missing() == 0; })) << missing();
  rig.close();
  expect_in_order();
}

TEST_F(Relp, OverTlsToAName) {
  const auto own =
      kit::make_self_signed({"localhost", "127.0.0.1", "::1"}, kit::SystemClock().unix_us() / 1'000'000, 30)
          .value();
  const std::string cert = folder.path + "/cert.pem", key = folder.path + "/key.pem";
  std::ofstream(cert) << own.certificate_pem;
  std::ofstream(key) << own.key_pem;
  receiver = std::make_unique<RealReceiver>(ReceiverKind::kRsyslog, folder.path);
  const std::uint16_t port = test::free_port(), port6 = test::free_port();
  receiver->more_port = port;
  receiver->append_conf("input(type=\"imrelp\" address=\"127.0.0.1\" port=\"" + std::to_string(port) +
                        "\" maxDataSize=\"128k\" ruleset=\"all\" tls=\"on\" tls.caCert=\"" + cert +
                        "\" tls.myCert=\"" + cert + "\" tls.myPrivKey=\"" + key + "\")\n" +
                        "input(type=\"imrelp\" address=\"::1\" port=\"" + std::to_string(port6) +
                        "\" maxDataSize=\"128k\" ruleset=\"all\")\n");
  receiver->start();
  TargetSettings t = target();
  t.host = "localhost";
  t.port = port;
  t.tls.enabled = true;
  t.tls.ca = own.certificate_pem;
  const TestResult r = tested(rig, t);
  EXPECT_EQ(r.verdict, "acknowledged") << r.text;
  ASSERT_EQ(r.stages.size(), 5u);
  EXPECT_EQ(r.stages[2].name, "tls");
  EXPECT_TRUE(r.stages[2].detail.at("verified").as_bool());
  rig.delivery->apply({t});
  append(1500);
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged == ids.size(); }))
      << rig.status(kId).last_error;
  EXPECT_EQ(missing(), 0u);

  t.host = "::1";  // the other input, without TLS
  t.port = port6;
  t.tls = {};
  rig.delivery->apply({t});
  append(500);
  ASSERT_TRUE(wait_until([&] { return missing() == 0; })) << rig.status(kId).last_error;
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).connected_to.starts_with("[::1]:"); }));
}

// A RELP receiver that answers as a test wants, on a thread of its own.
class Peer {
 public:
  using Answer = std::function<std::string(const RelpFrame&)>;  // bytes to send; "bye": close

  explicit Peer(Answer answer) : answer_(std::move(answer)) {
    auto sockets = std::move(*kit::ListenSockets::tcp(test::kAnyPort, 1));
    at = sockets.local();
    listener_ = std::make_unique<kit::Listener>(
        loop_, sockets.take(0), false, [this](std::unique_ptr<kit::Stream> s) {
          ++connections;
          connections_.push_back(std::make_unique<Connection>(*this, std::move(s)));
        });
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Peer() {
    loop_.stop();
    thread_.join();
    connections_.clear();
  }
  static std::string rsp(const RelpFrame& to, std::string_view data) {
    std::string out;
    append_relp_frame(to.txnr, "rsp", data, "", out);
    return out;
  }
  // The answer of a receiver that accepts.
  static std::string good(const RelpFrame& f) {
    return rsp(f, f.command == "open" ? "200 OK\nrelp_version=0\ncommands=syslog" : "200 OK");
  }
  Endpoint at;
  std::atomic<int> connections = 0;

 private:
  struct Connection final : kit::StreamHandler {
    Connection(Peer& p, std::unique_ptr<kit::Stream> s)
        : peer(p), reader(kRelpMaxDataBytes), stream(std::move(s)) {
      stream->set_max_queued_bytes(64 << 20);
      stream->start(*this);
    }
    void on_data(std::string_view bytes) noexcept override {
      reader.feed(bytes);
      for (RelpFrame f; stream && reader.next(f);) {
        const std::string out = peer.answer_(f);
        if (out == "bye")
          stream.reset();
        else if (!out.empty())
          stream->write(out);
      }
    }
    void on_end(const kit::StreamEnd&) noexcept override { stream.reset(); }
    Peer& peer;
    RelpFrameReader reader;
    std::unique_ptr<kit::Stream> stream;
  };

  kit::Loop loop_;
  Answer answer_;
  std::unique_ptr<kit::Listener> listener_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::thread thread_;
};

TEST(RelpPeers, WhoeverMisbehavesIsLeftAndHarmsNobody) {
  struct Row {
    const char* name;
    Peer::Answer answer;
    std::string error;  // the end of last_error
  };
  const auto after_open = [](std::string text) {
    return
        [text = std::move(text)](const RelpFrame& f) { return f.command == "open" ? Peer::good(f) : text; };
  };
  const Row rows[] = {
      {"garbage instead of the greeting", [](const RelpFrame&) { return std::string(3 << 20, '\xff'); },
       "the receiver does not speak RELP: expected a number"},
      {"endless digits", after_open(std::string(3 << 20, '7')),
       "the receiver does not speak RELP: expected a number of at most 9 digits"},
      {"endless data", after_open("2 rsp 999999999 " + std::string(3 << 20, 'x')),
       "the receiver does not speak RELP: expected less data"},
      {"an answer to nothing", after_open("77777 rsp 6 200 OK\n"),
       "the receiver answers a RELP message that does not wait for an answer"},
      {"answers twice",
       [](const RelpFrame& f) { return f.command == "open" ? Peer::good(f) : Peer::good(f) + Peer::good(f); },
       "the receiver answers a RELP message that does not wait for an answer"},
      {"refuses the session", [](const RelpFrame& f) { return Peer::rsp(f, "500 no"); },
       "the receiver refuses the RELP session, status 500"},
      {"says goodbye", after_open("0 serverclose 0\n"), "the receiver closes the RELP session"},
      {"goes away", after_open("bye"), ""},  // by FIN or by a reset, as it happens
      {"commands its sender", after_open("3 syslog 2 hi\n"), "a RELP command that only a sender may send"},
  };
  for (const Row& row : rows) {
    Peer good(Peer::good), bad(row.answer);
    DeliveryRig rig;
    rig.delivery->apply(
        {rig.target("good-target", Transport::kRelp, good.at), rig.target(kId, Transport::kRelp, bad.at)});
    ASSERT_TRUE(rig.up("good-target"));
    const std::uint64_t start = rig.ring->end();
    for (int i = 0; i < 50; ++i) rig.append();
    ASSERT_TRUE(wait_until([&] { return bad.connections >= 3; })) << row.name;
    ASSERT_TRUE(wait_until([&] { return rig.status("good-target").acknowledged == 50; })) << row.name;
    const TargetStatus s = rig.status(kId);
    EXPECT_TRUE(s.last_error.ends_with(row.error)) << row.name << ": " << s.last_error;
    EXPECT_GE(s.errors, 2u) << row.name;
    EXPECT_EQ(s.rejected + s.lost, 0u) << row.name;
    if (std::string_view(row.name) != "answers twice") {
      EXPECT_EQ(s.cursor, start) << row.name;
    }
  }
}

TEST(RelpPeers, ARefusedMessageIsPutAsideOnceALaterOneIsTaken) {
  DeliveryRig rig;
  std::mutex mutex;
  std::set<std::string> taken;
  std::string poison;
  Peer peer([&](const RelpFrame& f) {
    const std::scoped_lock lock(mutex);
    const std::string id = test::event_id(f.data);
    if (f.command == "syslog" && id == poison) return Peer::rsp(f, "500 cannot parse");
    if (f.command == "syslog") taken.insert(id);
    return Peer::good(f);
  });
  rig.delivery->apply({rig.target(kId, Transport::kRelp, peer.at)});
  ASSERT_TRUE(rig.up(kId));
  {
    const std::scoped_lock lock(mutex);  // before the peer can see it
    poison = rig.append();
  }
  for (int i = 0; i < 100; ++i) rig.append();
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged == 100; }))
      << rig.status(kId).acknowledged;
  const TargetStatus s = rig.status(kId);
  EXPECT_EQ(s.rejected, 1u);
  EXPECT_EQ(s.cursor, rig.ring->end());
  EXPECT_NE(s.last_error.find("put aside: the receiver refused it, status 500"), std::string::npos)
      << s.last_error;
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(taken.size(), 100u);
}

TEST(RelpPeers, AReceiverThatRefusesEverythingLosesNothing) {
  DeliveryRig rig;
  std::atomic<bool> full = true;
  std::mutex mutex;
  std::vector<std::string> taken;
  Peer peer([&](const RelpFrame& f) {
    if (f.command == "syslog" && full) return Peer::rsp(f, "500 disk full");
    const std::scoped_lock lock(mutex);
    if (f.command == "syslog") taken.push_back(test::event_id(f.data));
    return Peer::good(f);
  });
  rig.delivery->apply({rig.target(kId, Transport::kRelp, peer.at)});
  ASSERT_TRUE(rig.up(kId));
  std::vector<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.push_back(rig.append());
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).errors >= 2; }));
  EXPECT_TRUE(rig.status(kId).last_error.ends_with("the receiver refuses messages, status 500"));
  EXPECT_EQ(rig.status(kId).rejected, 0u);
  full = false;
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged == 100; }));
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(taken, ids);
}

TEST(RelpPeers, ABackupTakesOverFromOneThatRefusesTheSession) {
  Peer backup(Peer::good), bad([](const RelpFrame&f) { return Peer::rsp(f, "500 no"); });
  DeliveryRig rig;
  TargetSettings t = rig.target(kId, Transport::kRelp, bad.at);
  t.backups = {{backup.at.address.text(), backup.at.port}};
  rig.delivery->apply({t});
  for (int i = 0; i < 10; ++i) rig.append();
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged == 10; }));
  EXPECT_EQ(rig.status(kId).connected_to, backup.at.text());
}

TEST(RelpPeers, TheTestButtonTellsWhatHappened) {
  DeliveryRig rig;
  const auto verdict = [&](Peer::Answer answer) {
    Peer peer(std::move(answer));
    const TestResult r = tested(rig, rig.target(kId, Transport::kRelp, peer.at));
    std::string out = r.verdict + ":";
    for (const auto& s : r.stages) out += " " + s.name + (s.ok ? "+" : "-");
    return out + (r.stages.back().error.empty() ? "" : " " + r.stages.back().error);
  };
  std::string got;
  EXPECT_EQ(verdict([&](const RelpFrame& f) {
              if (f.command == "syslog") got = f.data;
              return Peer::good(f);
            }),
            "acknowledged: resolve+ connect+ write+ after+");
  const auto m = test::StrictParser::parse(got);
  EXPECT_EQ(got, "<30>1 " + m.timestamp + " node-1 wafd 1 waf_event - Connectivity test requested.");
  EXPECT_EQ(verdict([](const RelpFrame& f) {
              return f.command == "open" ? Peer::good(f) : Peer::rsp(f, "500 no");
            }),
            "failed: resolve+ connect+ write+ after- the receiver refused the message, status 500");
  EXPECT_EQ(verdict([](const RelpFrame& f) { return Peer::rsp(f, "500 no"); }),
            "failed: resolve+ connect+ write- the receiver refuses the RELP session, status 500");
  EXPECT_EQ(verdict([](const RelpFrame&) { return "HTTP/1.1 400 Bad Request\r\n\r\n"; }),
            "failed: resolve+ connect+ write- the receiver does not speak RELP: expected a number");
  EXPECT_EQ(verdict([](const RelpFrame& f) { return f.command == "open" ? Peer::good(f) : "bye"; }),
            "closed: resolve+ connect+ write+ after- closed by the receiver");
  EXPECT_EQ(verdict([](const RelpFrame&) { return ""; }),
            "failed: resolve+ connect+ write- the receiver did not answer the RELP open within 3 s");
}

}  // namespace
}  // namespace wafd::forward
