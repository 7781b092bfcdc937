// packaging/receivers, as users copy it: only paths and ports are changed, then the daemon is started with
// it.
#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/forward/io/delivery_help.h"
#include "tests/support/real_receiver.h"
#include "tests/support/record_contract.h"

namespace wafd::forward {
namespace {

using test::DeliveryRig;
using test::RealReceiver;
using test::wait_until;

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size(), ++n)
    text.replace(at, from.size(), to);
  EXPECT_GT(n, 0u) << from;
  return text;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> out;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) out.push_back(std::move(line));
  return out;
}

void run(RealReceiver::Kind kind) {
  const bool rsyslog = kind == RealReceiver::Kind::kRsyslog;
  test::TempFolder folder;
  RealReceiver receiver(kind, folder.path);
  std::ifstream file(std::string(WAFD_SOURCE_DIR) + "/packaging/receivers/" +
                     (rsyslog ? "rsyslog.conf" : "syslog-ng.conf"));
  std::string conf(std::istreambuf_iterator<char>(file), {});
  conf = replaced(conf, "/var/log/wafd", folder.path);
  conf = replaced(conf, rsyslog ? "port=\"514\"" : "port(514)",
                  fmt::format(fmt::runtime(rsyslog ? "port=\"{}\"" : "port({})"), receiver.udp));
  conf = replaced(conf, rsyslog ? "port=\"601\"" : "port(601)",
                  fmt::format(fmt::runtime(rsyslog ? "port=\"{}\"" : "port({})"), receiver.tcp));
  std::ofstream(folder.path + "/receiver.conf") << (rsyslog ? "" : "@version: 3.38\n") << conf;
  receiver.tcp_lf = receiver.tcp;
  receiver.start();

  DeliveryRig rig;
  TargetSettings udp =
      rig.target("snippet-udp", Transport::kUdp, {*IpAddress::parse("127.0.0.1"), receiver.udp});
  TargetSettings tcp =
      rig.target("snippet-tcp", Transport::kTcp, {*IpAddress::parse("127.0.0.1"), receiver.tcp});
  rig.delivery->apply({udp, tcp});
  ASSERT_TRUE(rig.up("snippet-udp") && rig.up("snippet-tcp"));
  const std::string id = rig.append();
  std::promise<TestResult> tested;
  rig.delivery->test(tcp, TestKind::kConnectivity, [&](TestResult r) { tested.set_value(std::move(r)); });
  EXPECT_EQ(tested.get_future().get().verdict, "accepted");

  EXPECT_TRUE(wait_until([&] {
    return lines_of(folder.path + "/events.json").size() >= 2 &&
           lines_of(folder.path + "/events.log").size() >= 2 &&
           (!rsyslog || !lines_of(folder.path + "/other.log").empty());
  }));
  for (const auto& line : lines_of(folder.path + "/events.json"))
    EXPECT_EQ(test::check_record(line), "") << line;
  for (const auto& line : lines_of(folder.path + "/events.log"))
    EXPECT_NE(line.find(" deny sqli high 192.0.2.7 shop.example/products " + id), std::string::npos) << line;
  const auto other = lines_of(folder.path + "/other.log");
  ASSERT_EQ(other.size(), 1u);
  EXPECT_NE(other[0].find("Connectivity test requested."), std::string::npos) << other[0];
}

TEST(ReceiverSnippets, Rsyslog) { run(RealReceiver::Kind::kRsyslog); }
TEST(ReceiverSnippets, SyslogNg) { run(RealReceiver::Kind::kSyslogNg); }

}  // namespace
}  // namespace wafd::forward
