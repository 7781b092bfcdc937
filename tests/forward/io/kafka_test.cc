// Kafka: delivery over real sockets to librdkafka's mock cluster, with brokers that go, refuse and are
// forbidden; TLS to the handshake. SASL is not tested: the mock cluster knows none.
#include <fstream>
#include <future>

#include <gtest/gtest.h>

#include "forward/io/producers/kafka_conf.h"
#include "forward/io/producers/kafka_producer.h"
#include "ingest/io/kit/listen.h"
#include "tests/forward/io/delivery_help.h"
#include "tests/forward/io/loop_help.h"
#include "tests/forward/io/mock_kafka.h"
#include "tests/support/record_contract.h"
#include "tests/support/strict_syslog.h"
#include "tests/support/temp_folder.h"

namespace wafd::forward {
namespace {

using test::DeliveryRig;
using test::KafkaRecord;
using test::MockKafka;
using test::wait_until;

constexpr const char* kId = "kafka-target";

TargetSettings target_at(const Endpoint& at) {
  TargetSettings t = DeliveryRig::target(kId, Transport::kKafka, at);
  t.kafka = {{"topic", MockKafka::kTopic}, {"compression", "zstd"}};
  return t;
}

std::map<std::string, int> ids_of(const std::vector<KafkaRecord>& records) {
  std::map<std::string, int> out;
  for (const auto& r : records) ++out[test::event_id(r.value)];
  return out;
}

class Kafka : public ::testing::Test {
 protected:
  std::string append(const std::string& site = "7") {
    ZoneTime utc;
    EventRecord record = sample_event(EventId::make(rig.random), "node-1", rig.clock.unix_us(), utc);
    record.site_uuid = site;
    ids.push_back(record.id.text());
    EXPECT_TRUE(rig.ring->append(record));
    return ids.back();
  }
  bool all_acknowledged(std::int64_t deadline_ms = 30'000) {
    return wait_until([&] { return rig.status(kId).acknowledged == ids.size(); }, deadline_ms);
  }

  DeliveryRig rig;
  std::vector<std::string> ids;
};

TEST_F(Kafka, EveryEventIsAcknowledgedKeyedBySiteAndInOrder) {
  MockKafka kafka;
  rig.delivery->apply({target_at(kafka.broker())});
  ASSERT_TRUE(rig.up(kId)) << rig.status(kId).last_error;
  EXPECT_EQ(rig.status(kId).connected_to, kafka.broker().text());
  std::map<std::string, std::vector<std::string>> by_site;
  for (int i = 0; i < 3000; ++i) {
    const std::string site = std::to_string(i % 5);
    by_site[site].push_back(append(site));
  }
  ASSERT_TRUE(all_acknowledged()) << rig.status(kId).acknowledged << " " << rig.status(kId).last_error;
  const TargetStatus s = rig.status(kId);
  EXPECT_EQ(s.cursor, rig.ring->end());
  EXPECT_EQ(s.sent, ids.size());
  EXPECT_EQ(s.resent + s.rejected + s.errors + s.reconnects, 0u);
  const auto records = kafka.records(ids.size());
  ASSERT_EQ(records.size(), ids.size());
  std::map<std::string, std::vector<std::string>> got;
  std::map<std::string, std::set<int>> partitions;
  for (const auto& r : records) {
    got[r.key].push_back(test::event_id(r.value));
    partitions[r.key].insert(r.partition);
    EXPECT_GT(r.time_ms, 1'500'000'000'000);
  }
  EXPECT_EQ(got, by_site);
  for (const auto& [key, set] : partitions) EXPECT_EQ(set.size(), 1u) << key;
  const auto m = test::StrictParser::parse(records[0].value);
  EXPECT_EQ(m.error, "");
  EXPECT_EQ(test::check_record(m.msg), "");
}

TEST_F(Kafka, BrokersThatGoAndComeLoseAndRepeatNothing) {
  MockKafka kafka(2);
  rig.delivery->apply({target_at(kafka.broker())});
  ASSERT_TRUE(rig.up(kId)) << rig.status(kId).last_error;
  for (int i = 0; i < 500; ++i) append(std::to_string(i % 5));
  for (const int broker : {1, 2}) ASSERT_EQ(rd_kafka_mock_broker_set_down(kafka.cluster(), broker), 0);
  for (int i = 0; i < 500; ++i) append(std::to_string(i % 5));
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).state != "up"; }));
  EXPECT_FALSE(rig.status(kId).last_error.empty());
  for (const int broker : {1, 2}) ASSERT_EQ(rd_kafka_mock_broker_set_up(kafka.cluster(), broker), 0);
  ASSERT_TRUE(all_acknowledged(60'000)) << rig.status(kId).acknowledged << " " << rig.status(kId).last_error;
  const auto got = ids_of(kafka.records(ids.size()));
  EXPECT_EQ(got.size(), ids.size());
  for (const auto& id : ids) EXPECT_TRUE(got.count(id));
  EXPECT_EQ(rig.status(kId).lost, 0u);
}

TEST_F(Kafka, ErrorsThatPassAreTriedAgainByTheProducerItself) {
  MockKafka kafka;
  rig.delivery->apply({target_at(kafka.broker())});
  ASSERT_TRUE(rig.up(kId));
  rd_kafka_mock_push_request_errors(
      kafka.cluster(), MockKafka::kProduce, 3, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
      RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION);
  for (int i = 0; i < 300; ++i) append();
  ASSERT_TRUE(all_acknowledged()) << rig.status(kId).acknowledged << " " << rig.status(kId).last_error;
  const TargetStatus s = rig.status(kId);
  EXPECT_EQ(s.resent + s.rejected + s.errors, 0u);
  EXPECT_EQ(ids_of(kafka.records(ids.size())).size(), ids.size());
}

TEST_F(Kafka, ARefusedBatchGoesOnOneByOneAndPoisonAloneIsPutAside) {
  MockKafka kafka;
  rig.delivery->apply({target_at(kafka.broker())});
  ASSERT_TRUE(rig.up(kId));
  // The whole batch, then of the single messages the first.
  rd_kafka_mock_push_request_errors(kafka.cluster(), MockKafka::kProduce, 2,
                                    RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
                                    RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  for (int i = 0; i < 200; ++i) append();
  ASSERT_TRUE(wait_until(
      [&] { return rig.status(kId).acknowledged + rig.status(kId).rejected == ids.size(); }, 30'000))
      << rig.status(kId).acknowledged << " " << rig.status(kId).last_error;
  const TargetStatus s = rig.status(kId);
  EXPECT_EQ(s.rejected, 1u);
  EXPECT_EQ(s.cursor, rig.ring->end());
  const auto got = ids_of(kafka.records(ids.size() - 1));
  EXPECT_EQ(got.size(), ids.size() - 1);
}

TEST_F(Kafka, ATopicThatMayNotBeWrittenIsTriedForEver) {
  MockKafka kafka;
  rd_kafka_mock_topic_set_error(kafka.cluster(), MockKafka::kTopic,
                                RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  const std::uint64_t start = rig.ring->end();
  rig.delivery->apply({target_at(kafka.broker())});
  for (int i = 0; i < 20; ++i) append();
  ASSERT_TRUE(wait_until([&] { return !rig.status(kId).last_error.empty(); }));
  EXPECT_EQ(rig.status(kId).last_error,
            "Kafka topic waf: nothing acknowledged for 5 s: is it there, and may it be written?");
  EXPECT_EQ(rig.status(kId).cursor, start);
  EXPECT_EQ(rig.status(kId).rejected, 0u);
  rd_kafka_mock_topic_set_error(kafka.cluster(), MockKafka::kTopic, RD_KAFKA_RESP_ERR_NO_ERROR);
  ASSERT_TRUE(all_acknowledged()) << rig.status(kId).last_error;
}

TEST_F(Kafka, WhatWaitsIsBounded) {
  MockKafka kafka;
  rig.delivery->apply({target_at(kafka.broker())});
  ASSERT_TRUE(rig.up(kId));
  rd_kafka_mock_broker_set_down(kafka.cluster(), 1);
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).state == "connecting"; }));
  for (int i = 0; i < 9000; ++i) append();  // some 20 MB
  std::uint64_t bytes = 0;
  ASSERT_TRUE(wait_until([&] {
    const std::uint64_t before = std::exchange(bytes, rig.status(kId).bytes);
    return bytes > (4u << 20) && before == bytes;
  }));
  EXPECT_LE(bytes, kKafkaQueueKib * 1024);
  EXPECT_EQ(rig.status(kId).acknowledged, 0u);
  rd_kafka_mock_broker_set_up(kafka.cluster(), 1);
  ASSERT_TRUE(all_acknowledged(60'000)) << rig.status(kId).acknowledged;
}

TEST_F(Kafka, CleanRestartOfTheSender) {
  MockKafka kafka;
  rig.delivery->apply({target_at(kafka.broker())});
  ASSERT_TRUE(rig.up(kId));
  for (int i = 0; i < 500; ++i) append();
  rig.close();  // flushes
  rig.open();
  for (int i = 0; i < 500; ++i) append();
  rig.delivery->apply({target_at(kafka.broker())});
  ASSERT_TRUE(wait_until([&] { return rig.status(kId).acknowledged == 500; }));
  const auto got = ids_of(kafka.records(ids.size()));
  EXPECT_EQ(got.size(), ids.size());
  for (const auto& [id, count] : got) EXPECT_EQ(count, 1) << id;
}

TEST_F(Kafka, TheTestButton) {
  const auto tested = [&](const TargetSettings& t) {
    std::promise<TestResult> promise;
    rig.delivery->test(t, TestKind::kConnectivity, [&](TestResult r) { promise.set_value(std::move(r)); });
    const TestResult r = promise.get_future().get();
    std::string out = r.verdict + ":";
    for (const auto& s : r.stages) out += " " + s.name + (s.ok ? "+" : "-");
    return out + (r.stages.back().error.empty() ? "" : " " + r.stages.back().error);
  };
  MockKafka kafka;
  EXPECT_EQ(tested(target_at(kafka.broker())), "acknowledged: resolve+ connect+ write+ after+");
  const auto records = kafka.records(1);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_FALSE(records[0].has_key);
  EXPECT_TRUE(records[0].value.ends_with(" node-1 wafd 1 waf_event - Connectivity test requested."))
      << records[0].value;
  rd_kafka_mock_topic_set_error(kafka.cluster(), MockKafka::kTopic,
                                RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  const std::string refused = tested(target_at(kafka.broker()));
  EXPECT_TRUE(refused.starts_with("failed: resolve+ connect+ write+ after- Kafka topic waf: ")) << refused;
  rd_kafka_mock_broker_set_down(kafka.cluster(), 1);
  EXPECT_TRUE(tested(target_at(kafka.broker())).starts_with("failed: resolve+ connect")) << "no broker there";
}

// A producer alone, on a loop of the test.
class Producer : public ::testing::Test {
 protected:
  // The error, or "up".
  std::string outcome(const TargetSettings& t, std::vector<Endpoint> own = {}) {
    std::string out;
    auto made =
        KafkaProducer::create(loop, nullptr, t, std::move(own), {},
                              {[&] { out = "up"; }, [] {}, [&](const std::string& why) { out = why; }});
    if (!made) return made.error().what;
    EXPECT_TRUE(test::run_until(
        loop, [&] { return !out.empty(); }, 20'000));
    return out;
  }
  kit::Loop loop;
};

TEST_F(Producer, OutboundRulesHoldForEveryConnection) {
  MockKafka kafka(2);
  EXPECT_EQ(outcome(target_at(kafka.broker())), "up");
  const std::string own = outcome(target_at(kafka.broker()), {kafka.broker()});
  EXPECT_NE(own.find("one of wafd's own listeners"), std::string::npos) << own;
  TargetSettings t = target_at(kafka.broker());
  t.host = "169.254.169.254";
  EXPECT_NE(outcome(t).find("169.254.169.254 may not be connected to"), std::string::npos) << outcome(t);
  t = target_at(kafka.broker());
  t.source_address = "127.0.0.1";
  EXPECT_EQ(outcome(t), "up");
  t.source_address = "::1";
  EXPECT_NE(outcome(t).find("source_address: ::1 cannot reach 127.0.0.1"), std::string::npos) << outcome(t);

  // The first broker is allowed, but it names another as the one that has the partition.
  for (int p = 0; p < 4; ++p) rd_kafka_mock_partition_set_leader(kafka.cluster(), MockKafka::kTopic, p, 2);
  std::string failed;
  bool up = false;
  auto made =
      KafkaProducer::create(loop, nullptr, target_at(kafka.broker()), {kafka.broker(1)}, {},
                            {[&] { up = true; }, [] {}, [&](const std::string& why) { failed = why; }});
  ASSERT_TRUE(made) << made.error().what;
  ASSERT_TRUE(test::run_until(loop, [&] { return up; }));
  ASSERT_EQ((*made)->produce({.content = "secret"}), KafkaProducer::Taken::kYes);
  ASSERT_TRUE(test::run_until(
      loop, [&] { return (*made)->last_error().find("one of wafd's own listeners") != std::string::npos; },
      20'000))
      << (*made)->last_error();
  EXPECT_EQ((*made)->window().waiting(), 1u);
  made->reset();
  EXPECT_TRUE(kafka.records(0).empty());
}

// Takes connections over TLS and keeps the first bytes after the handshake.
class TlsBroker {
 public:
  TlsBroker()
      : certificate(
            kit::make_self_signed({"127.0.0.1"}, kit::SystemClock().unix_us() / 1'000'000, 30).value()) {
    context_ =
        kit::TlsContext::server({certificate.certificate_pem, certificate.key_pem, "1.2", {}, ""}).value();
    auto sockets = std::move(*kit::ListenSockets::tcp(test::kAnyPort, 1));
    at = sockets.local();
    listener_ = std::make_unique<kit::Listener>(
        loop_, sockets.take(0), false, [this](std::unique_ptr<kit::Stream> s) {
          connections_.push_back(
              std::make_unique<Connection>(*this, kit::make_tls_server(std::move(s), context_)));
        });
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~TlsBroker() {
    loop_.stop();
    thread_.join();
    connections_.clear();
  }
  std::string first() const {
    const std::scoped_lock lock(mutex_);
    return first_;
  }
  kit::SelfSigned certificate;
  Endpoint at;

 private:
  struct Connection : kit::StreamHandler {
    Connection(TlsBroker& b, std::unique_ptr<kit::Stream> s) : broker(b), stream(std::move(s)) {
      stream->start(*this);
    }
    void on_data(std::string_view bytes) noexcept override {
      const std::scoped_lock lock(broker.mutex_);
      broker.first_.append(bytes.substr(0, 64));
    }
    void on_end(const kit::StreamEnd&) noexcept override { stream.reset(); }
    TlsBroker& broker;
    std::unique_ptr<kit::Stream> stream;
  };
  kit::Loop loop_;
  std::shared_ptr<const kit::TlsContext> context_;
  std::unique_ptr<kit::Listener> listener_;
  std::vector<std::unique_ptr<Connection>> connections_;
  mutable std::mutex mutex_;
  std::string first_;
  std::thread thread_;
};

TEST_F(Producer, TlsToTheHandshake) {
  TlsBroker broker;
  TargetSettings t = target_at(broker.at);
  t.tls.enabled = true;
  // Nobody knows this authority.
  const std::string unknown = outcome(t);
  EXPECT_NE(unknown.find("certificate verify failed"), std::string::npos) << unknown;
  EXPECT_EQ(broker.first(), "");
  t.tls.verify = false;
  t.tls.fingerprint_sha256 = std::string(64, '0');
  const std::string other = outcome(t);
  EXPECT_NE(other.find("fingerprint"), std::string::npos) << other;
  EXPECT_EQ(broker.first(), "");

  const auto shakes_hands = [&](const TargetSettings& settings) {
    const std::size_t before = broker.first().size();
    auto made =
        KafkaProducer::create(loop, nullptr, settings, {}, {}, {[] {}, [] {}, [](const std::string&) {}});
    EXPECT_TRUE(made);
    return test::run_until(
        loop, [&] { return broker.first().size() >= before + 8; }, 10'000);
  };
  TlsSettings tls;
  tls.enabled = true;
  tls.ca = broker.certificate.certificate_pem;
  t.tls = tls;
  ASSERT_TRUE(shakes_hands(t));
  // The first request of every client: its length, then ApiVersions (18).
  EXPECT_EQ(broker.first().substr(4, 2), std::string("\0\x12", 2));
  t.tls = {};
  t.tls.enabled = true;
  t.tls.verify = false;
  EXPECT_TRUE(shakes_hands(t));

  t.tls.ca = "-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n";
  EXPECT_TRUE(outcome(t).starts_with("kafka: ")) << outcome(t);
  t.tls.ca = "file:/no/such/ca.pem";
  EXPECT_EQ(outcome(t), "tls.ca: /no/such/ca.pem cannot be read: No such file or directory");
}

TEST(KafkaConf, SaysWhatTheSettingsSay) {
  TargetSettings t = target_at(*Endpoint::parse("[2001:db8::1]:9092"));
  t.backups = {{"b.example", 9093}};
  t.tls.enabled = true;
  t.kafka["sasl"] = {{"mechanism", "SCRAM-SHA-512"}, {"username", "u"}, {"password", "p"}};
  const auto conf = kafka_conf(t, 0, false).value();
  const auto value = [&](const char* name) {
    char text[256] = {};
    std::size_t size = sizeof text;
    EXPECT_EQ(rd_kafka_conf_get(conf.get(), name, text, &size), RD_KAFKA_CONF_OK) << name;
    return std::string(text);
  };
  EXPECT_EQ(value("bootstrap.servers"), "[2001:db8::1]:9092,b.example:9093");
  EXPECT_EQ(value("acks"), "-1");
  EXPECT_EQ(value("enable.idempotence"), "true");
  EXPECT_EQ(value("compression.type"), "zstd");
  EXPECT_EQ(value("queue.buffering.max.kbytes"), "8192");
  EXPECT_EQ(value("message.timeout.ms"), "0");
  EXPECT_EQ(value("security.protocol"), "sasl_ssl");
  EXPECT_EQ(value("sasl.mechanisms"), "SCRAM-SHA-512");
  EXPECT_EQ(value("sasl.username"), "u");
  EXPECT_EQ(value("enable.ssl.certificate.verification"), "true");
  EXPECT_EQ(value("ssl.endpoint.identification.algorithm"), "https");
}

TEST(KafkaConf, APasswordMayLieInAFile) {
  TargetSettings t = target_at(*Endpoint::parse("127.0.0.1:9092"));
  test::TempFolder folder;
  const std::string path = folder.path + "/password";
  t.kafka["sasl"] = {{"mechanism", "PLAIN"}, {"username", "u"}, {"password", "file:" + path}};
  const auto missing = kafka_conf(t, 0, false);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what,
            "kafka.sasl.password: " + path + " cannot be read: No such file or directory");
  std::ofstream(path) << "a quiet broker\n";
  EXPECT_TRUE(kafka_conf(t, 0, false));
}

// Who ends the program knows whether a producer is still going on, and waits no second time for it.
TEST(ProducerReaper, SaysWhatDidNotEndInTime) {
  std::promise<void> go;
  std::promise<void> ended;
  {
    ProducerReaper reaper;
    EXPECT_TRUE(reaper.wait(0));
    reaper.take([&go, &ended] {
      go.get_future().wait();
      ended.set_value();
    });
    EXPECT_FALSE(reaper.wait(20));
  }
  go.set_value();
  ended.get_future().wait();
  ProducerReaper another;
  another.take([] {});
  EXPECT_TRUE(another.wait(20'000));
}

}  // namespace
}  // namespace wafd::forward
