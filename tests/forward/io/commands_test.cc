// The sub-commands as the shell calls them, in this process: what they print, send and answer.
#include <filesystem>
#include <fstream>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "forward/io/receive/receive_command.h"
#include "forward/io/send_test_command.h"
#include "tests/forward/io/delivery_help.h"
#include "tests/forward/io/mock_kafka.h"
#include "tests/support/real_receiver.h"
#include "tests/support/strict_syslog.h"

namespace wafd::forward {
namespace {

using test::wait_until;

// The exit status of `wafd ARGUMENTS...`, where the configuration says what `setup` does.
int run(const std::vector<std::string>& arguments, const Result<SendTestSetup>& setup,
        std::string* asked_for = nullptr) {
  CLI::App app{"wafd", "wafd"};
  int status = 0;
  add_send_test_command(app, status, [&](const std::string& file) {
    if (asked_for) *asked_for = file;
    return setup;
  });
  add_receive_command(app, status);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  app.parse(reversed);
  return status;
}

TEST(SendTestCommand, ATargetsMessageHasItsHostNameAndTheConfiguredZone) {
  const test::TempFolder folder;
  test::Receivers receivers;
  TargetSettings named = test::DeliveryRig::target("target-1", Transport::kTcp, receivers.tcp);
  named.name = "siem one";
  named.hostname = "edge-7";
  named.facility = 16;
  TargetSettings plain = test::DeliveryRig::target("target-2", Transport::kUdp, receivers.udp);
  boost::json::object broken = to_json(plain, true);
  broken["name"] = "broken", broken["id"] = "target-3", broken["facility"] = 99;
  boost::json::object settings{
      {"targets", boost::json::array{to_json(named, true), to_json(plain, true), broken}}};
  std::ofstream(folder.path + "/settings.json") << boost::json::serialize(settings);
  const SendTestSetup setup{"node-9", "Asia/Kolkata", folder.path};

  EXPECT_EQ(run({"send-test", "--target", "siem one"}, setup), 0);
  ASSERT_TRUE(wait_until([&] { return receivers.count() == 1; }));
  auto m = test::StrictParser::parse(receivers.messages()[0]);
  EXPECT_EQ(m.error, "");
  EXPECT_EQ(m.hostname, "edge-7");
  EXPECT_TRUE(m.timestamp.ends_with("+05:30")) << m.timestamp;
  EXPECT_TRUE(receivers.messages()[0].starts_with("<134>1 ")) << receivers.messages()[0];

  EXPECT_EQ(run({"send-test", "--target", "target-2", "--time-zone", "America/St_Johns"}, setup), 0);
  ASSERT_TRUE(wait_until([&] { return receivers.count() == 2; }));
  m = test::StrictParser::parse(receivers.messages()[1]);
  EXPECT_EQ(m.hostname, "node-9");
  EXPECT_TRUE(m.timestamp.ends_with("-03:30") || m.timestamp.ends_with("-02:30")) << m.timestamp;

  EXPECT_EQ(run({"send-test", "--to", "tcp://" + receivers.tcp.text()}, setup), 0);
  ASSERT_TRUE(wait_until([&] { return receivers.count() == 3; }));
  EXPECT_NE(receivers.messages()[2].find("+05:30 node-9 wafd 1 waf_event - "), std::string::npos)
      << receivers.messages()[2];

  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run({"send-test", "--target", "broken"}, setup), 2);
  EXPECT_EQ(run({"send-test", "--target", "nobody"}, setup), 2);
  EXPECT_EQ(run({"send-test", "--target", "target-2", "--time-zone", "Mars/Olympus"}, setup), 2);
  EXPECT_EQ(run({"send-test"}, setup), 2);
  std::string asked;
  EXPECT_EQ(run({"send-test", "--target", "target-2", "--config", "/etc/other.json"},
                fail(ErrorCode::kMissing, "/etc/other.json: cannot be opened"), &asked),
            2);
  EXPECT_EQ(asked, "/etc/other.json");
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("target \"broken\": facility: expected"), std::string::npos) << said;
  EXPECT_NE(said.find("no target named \"nobody\""), std::string::npos) << said;
  EXPECT_NE(said.find("no such zone \"Mars/Olympus\""), std::string::npos) << said;
  EXPECT_EQ(receivers.count(), 3u);
}

// The exit status and what it printed.
std::pair<int, std::string> said(const std::vector<std::string>& arguments) {
  ::testing::internal::CaptureStdout();
  const int status = run(arguments, SendTestSetup{"node-9", "UTC", "/nonexistent"});
  std::fflush(stdout);
  return {status, ::testing::internal::GetCapturedStdout()};
}

TEST(SendTestCommand, OverRelpRsyslogAcknowledges) {
  const test::TempFolder folder;
  test::RealReceiver receiver(test::ReceiverKind::kRsyslog, folder.path);
  receiver.start();
  const std::string to = fmt::format("relp://127.0.0.1:{}", receiver.relp);
  auto [status, text] = said({"send-test", "--to", to, "--preset", "rsyslog"});
  EXPECT_EQ(status, 0) << text;
  EXPECT_NE(text.find("verdict  acknowledged: "), std::string::npos) << text;
  std::tie(status, text) = said({"send-test", "--to", to, "--sample"});
  EXPECT_EQ(status, 0) << text;
  ASSERT_EQ(receiver.lines().size(), 2u);  // acknowledged is written
  EXPECT_TRUE(receiver.lines()[0].ends_with(" node-9 wafd 1 waf_event - Connectivity test requested."))
      << receiver.lines()[0];
  const std::string id = test::event_id(receiver.lines()[1]);
  EXPECT_EQ(id.size(), 32u);
  EXPECT_NE(text.find("event_id " + id), std::string::npos) << text;
  std::tie(status, text) = said({"send-test", "--to", fmt::format("relp://127.0.0.1:{}", receiver.tcp)});
  EXPECT_EQ(status, 1) << text;  // somebody is there who speaks no RELP
  EXPECT_EQ(text.find("acknowledged"), std::string::npos) << text;
}

TEST(SendTestCommand, OverKafkaTheClusterAcknowledges) {
  test::MockKafka kafka;
  const std::string broker = "kafka://" + kafka.broker().text();
  auto [status, text] = said({"send-test", "--to", broker + "/" + test::MockKafka::kTopic, "--sample"});
  EXPECT_EQ(status, 0) << text;
  EXPECT_NE(text.find("verdict  acknowledged: "), std::string::npos) << text;
  const auto records = kafka.records(1);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_NE(text.find("event_id " + test::event_id(records[0].value)), std::string::npos) << text;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(said({"send-test", "--to", broker}).first, 2);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("kafka.topic: required"), std::string::npos);
}

TEST(ReceiveCommand, HelpSaysWhatEachOptionTakes) {
  CLI::App app{"wafd", "wafd"};
  int status = 0;
  add_receive_command(app, status);
  const std::string help = app.get_subcommand("receive")->help();
  for (const char* part : {"--udp ADDR:PORT", "--tcp ADDR:PORT", "--tls ADDR:PORT", "--cert FILE",
                           "--key FILE", "At least one of --udp, --tcp, --tls"})
    EXPECT_NE(help.find(part), std::string::npos) << part << "\n" << help;
}

TEST(DeliveryLog, UpIsInformationAndDownIsNot) {
  test::DeliveryRig rig;
  rig.close();
  std::mutex mutex;
  std::vector<std::string> warned, informed;
  rig.adjust = [&](DeliveryParts& p) {
    p.log = [&](const std::string& line) {
      const std::scoped_lock lock(mutex);
      warned.push_back(line);
    };
    p.inform = [&](const std::string& line) {
      const std::scoped_lock lock(mutex);
      informed.push_back(line);
    };
  };
  rig.open();
  test::Receivers receivers;
  rig.delivery->apply({rig.target("well-target", Transport::kTcp, receivers.tcp),
                       rig.target("dead-target", Transport::kTcp, *Endpoint::parse("127.0.0.1:1"))});
  EXPECT_TRUE(wait_until([&] {
    const std::scoped_lock lock(mutex);
    return !warned.empty() && !informed.empty();
  }));
  rig.close();
  EXPECT_EQ(informed.at(0), "syslog target \"well-target\": up, " + receivers.tcp.text());
  EXPECT_NE(warned.at(0).find("\"dead-target\": down, connect to 127.0.0.1:1: connection refused"),
            std::string::npos)
      << warned.at(0);
}

}  // namespace
}  // namespace wafd::forward
