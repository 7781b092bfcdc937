// packaging/receivers, as users copy it: only paths and ports are changed, then the daemon is started with
// it.
#include <csignal>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "forward/target/presets.h"
#include "tests/forward/io/delivery_help.h"
#include "tests/support/real_receiver.h"
#include "tests/support/record_contract.h"
#include "tests/support/strict_keys.h"
#include "tests/support/strict_syslog.h"

namespace wafd::forward {
namespace {

using test::DeliveryRig;
using test::RealReceiver;
using test::ReceiverKind;
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

// The snippet with its paths and ports changed becomes the receiver's configuration.
void use_snippet(ReceiverKind kind, RealReceiver& receiver, const std::string& folder) {
  const bool rsyslog = kind == ReceiverKind::kRsyslog;
  std::ifstream file(std::string(WAFD_SOURCE_DIR) + "/packaging/receivers/" +
                     (rsyslog ? "rsyslog.conf" : "syslog-ng.conf"));
  std::string conf(std::istreambuf_iterator<char>(file), {});
  conf = replaced(conf, "/var/log/wafd", folder);
  const auto port = [&](int from, std::uint16_t to) {
    const auto text = [&](int number) {
      return fmt::format(fmt::runtime(rsyslog ? "port=\"{}\"" : "port({})"), number);
    };
    conf = replaced(conf, text(from), text(to));
  };
  port(514, receiver.udp);
  port(601, receiver.tcp);
  if (rsyslog) port(2514, receiver.relp);
  std::ofstream(folder + "/receiver.conf") << (rsyslog ? "" : "@version: 3.38\n") << conf;
  receiver.tcp_lf = receiver.tcp;
}

// The TLS snippet beside it, with files of a certificate; `mutual` as its comment says: wafd's certificate
// alone.
void add_tls_snippet(ReceiverKind kind, RealReceiver& receiver, const std::string& folder,
                     const kit::SelfSigned& server, bool mutual) {
  const bool rsyslog = kind == ReceiverKind::kRsyslog;
  std::ifstream file(std::string(WAFD_SOURCE_DIR) + "/packaging/receivers/" +
                     (rsyslog ? "rsyslog-tls.conf" : "syslog-ng-tls.conf"));
  std::string conf(std::istreambuf_iterator<char>(file), {});
  conf = conf.substr(conf.find(rsyslog ? "\ninput(" : "\nsource "));  // the comment has the same words
  conf = replaced(conf, "/etc/wafd-receiver", folder);
  std::ofstream(folder + "/server.crt") << server.certificate_pem;
  std::ofstream(folder + "/server.key") << server.key_pem;
  receiver.tls = test::free_port();
  conf = replaced(conf, rsyslog ? "port=\"6514\"" : "port(6514)",
                  fmt::format(fmt::runtime(rsyslog ? "port=\"{}\"" : "port({})"), receiver.tls));
  if (mutual && rsyslog)
    conf = replaced(conf, "authMode=\"anon\"", "authMode=\"x509/name\" permittedPeer=[\"wafd.example\"]");
  if (mutual && !rsyslog)
    conf = replaced(conf, "peer-verify(optional-untrusted)", "peer-verify(required-trusted)");
  receiver.append_conf(conf);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// ca.crt, and client.crt of it with client.key, by OpenSSL's own program.
void make_client(const std::string& folder) {
  const std::string made =
      "cd " + folder +
      " && exec >openssl.log 2>&1 && K='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'"
      " && openssl req -x509 $K -keyout ca.key -out ca.crt -subj /CN=authority -days 30"
      " -addext keyUsage=critical,keyCertSign"
      " && openssl req $K -keyout client.key -out client.csr -subj /CN=wafd.example"
      " && printf 'extendedKeyUsage=clientAuth\\nsubjectAltName=DNS:wafd.example\\n' >client.ext"
      " && openssl x509 -req -in client.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30"
      " -extfile client.ext -out client.crt";
  if (std::system(made.c_str()) != 0)
    throw std::runtime_error("openssl: " + text_of(folder + "/openssl.log"));
}

void run_tls(ReceiverKind kind, bool mutual) {
  test::TempFolder folder;
  RealReceiver receiver(kind, folder.path);
  use_snippet(kind, receiver, folder.path);
  DeliveryRig rig;
  const std::int64_t now_s = rig.clock.unix_us() / 1'000'000;
  const auto server = kit::make_self_signed({"127.0.0.1"}, now_s, 30).value();
  make_client(folder.path);
  add_tls_snippet(kind, receiver, folder.path, server, mutual);
  receiver.start();
  TargetSettings t =
      rig.target("snippet-tls", Transport::kTls, {*IpAddress::parse("127.0.0.1"), receiver.tls});
  t.tls.ca = server.certificate_pem;
  TargetSettings stranger = t;
  stranger.id = stranger.name = "without-certificate";
  if (mutual) {
    t.tls.certificate = text_of(folder.path + "/client.crt");
    t.tls.key = text_of(folder.path + "/client.key");
  }
  ASSERT_TRUE(rig.delivery->check(t)) << rig.delivery->check(t).error().what;
  rig.delivery->apply(mutual ? std::vector{t, stranger} : std::vector{t});
  ASSERT_TRUE(rig.up(t.id)) << rig.status(t.id).last_error;
  const std::string id = rig.append();
  ASSERT_TRUE(wait_until([&] { return !lines_of(folder.path + "/events.log").empty(); }))
      << rig.status(t.id).last_error;
  if (mutual) {
    ASSERT_TRUE(wait_until([&] { return rig.status(stranger.id).errors > 0; }));
  }
  const auto lines = lines_of(folder.path + "/events.log");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find(" deny sqli high 192.0.2.7 shop.example/products " + id), std::string::npos);
}

TEST(ReceiverSnippets, RsyslogOverTls) { run_tls(ReceiverKind::kRsyslog, false); }
TEST(ReceiverSnippets, SyslogNgOverTls) { run_tls(ReceiverKind::kSyslogNg, false); }
TEST(ReceiverSnippets, RsyslogOverTlsFromWafdAlone) { run_tls(ReceiverKind::kRsyslog, true); }
TEST(ReceiverSnippets, SyslogNgOverTlsFromWafdAlone) { run_tls(ReceiverKind::kSyslogNg, true); }

void run(ReceiverKind kind) {
  const bool rsyslog = kind == ReceiverKind::kRsyslog;
  test::TempFolder folder;
  RealReceiver receiver(kind, folder.path);
  use_snippet(kind, receiver, folder.path);
  receiver.start();

  DeliveryRig rig;
  const IpAddress local = *IpAddress::parse("127.0.0.1");
  const TargetSettings tcp = rig.target("snippet-tcp", Transport::kTcp, {local, receiver.tcp});
  std::vector<TargetSettings> targets{tcp, rig.target("snippet-udp", Transport::kUdp, {local, receiver.udp})};
  if (rsyslog) targets.push_back(rig.target("snippet-relp", Transport::kRelp, {local, receiver.relp}));
  rig.delivery->apply(targets);
  for (const TargetSettings& t : targets) ASSERT_TRUE(rig.up(t.id)) << t.id;
  const std::string id = rig.append();
  std::promise<TestResult> tested;
  rig.delivery->test(tcp, TestKind::kConnectivity, [&](TestResult r) { tested.set_value(std::move(r)); });
  EXPECT_EQ(tested.get_future().get().verdict, "accepted");

  EXPECT_TRUE(wait_until([&] {
    return lines_of(folder.path + "/events.json").size() >= targets.size() &&
           lines_of(folder.path + "/events.log").size() >= targets.size() &&
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

// The stand-in for the machine of an Azure Monitor Agent, with the preset as the target: the line that the
// agent would get holds the whole CEF.
TEST(ReceiverSnippets, RsyslogOfSentinel) {
  test::TempFolder folder;
  RealReceiver receiver(ReceiverKind::kRsyslog, folder.path);
  std::ifstream file(std::string(WAFD_SOURCE_DIR) + "/packaging/receivers/rsyslog-sentinel.conf");
  std::string conf(std::istreambuf_iterator<char>(file), {});
  conf = replaced(conf, "/var/log/wafd", folder.path);
  conf = replaced(conf, "port=\"514\"", fmt::format("port=\"{}\"", receiver.tcp));
  std::ofstream(folder.path + "/receiver.conf") << conf;
  receiver.tcp_lf = receiver.tcp;
  receiver.relp = 0;
  receiver.start();

  DeliveryRig rig;
  auto preset = with_preset("sentinel", {{"id", "sentinel-1"}, {"name", "s"}, {"host", "127.0.0.1"}});
  ASSERT_TRUE(preset);
  (*preset)["port"] = receiver.tcp;
  auto target = parse_target(*preset);
  ASSERT_TRUE(target) << target.error().what;
  rig.delivery->apply({*target});
  ASSERT_TRUE(rig.up("sentinel-1"));
  const std::string id = rig.append();
  ASSERT_TRUE(wait_until([&] { return !lines_of(folder.path + "/cef.log").empty(); }));
  const std::string line = lines_of(folder.path + "/cef.log")[0];
  const std::size_t at = line.find("wafd[1]: CEF:0|");
  ASSERT_NE(at, std::string::npos) << line;
  const auto cef = test::parse_cef(std::string_view(line).substr(at + 9));
  EXPECT_EQ(cef.error, "") << line;
  EXPECT_EQ(cef.keys.at("externalId"), id);
  EXPECT_EQ(cef.keys.at("cs1"), "1' OR '1'='1");
}

// Every content over every framing, as it arrives: parsed by the judge that shares nothing with the writers.
void every_content(ReceiverKind kind) {
  test::TempFolder folder;
  RealReceiver receiver(kind, folder.path);
  receiver.start();
  DeliveryRig rig;
  std::vector<TargetSettings> targets;
  for (const Content content : {Content::kCef, Content::kLeef, Content::kEcs})
    for (const Framing framing : {Framing::kOctetCounting, Framing::kLf}) {
      TargetSettings t = rig.target(
          fmt::format("content-{}-{}", static_cast<int>(content), static_cast<int>(framing)), Transport::kTcp,
          {*IpAddress::parse("127.0.0.1"), framing == Framing::kLf ? receiver.tcp_lf : receiver.tcp});
      t.content = content;
      t.framing = framing;
      t.app_name = framing == Framing::kLf ? "lines" : "counted";
      targets.push_back(t);
    }
  rig.delivery->apply(targets);
  for (const auto& t : targets) ASSERT_TRUE(rig.up(t.id));
  const std::string id = rig.append();
  ASSERT_TRUE(wait_until([&] { return receiver.lines().size() >= targets.size(); }));
  std::map<std::string, int> seen;
  for (const std::string& line : receiver.lines()) {
    const auto m = test::StrictParser::parse(line);
    EXPECT_EQ(m.error, "") << line;
    EXPECT_NE(m.msg.find(id), std::string::npos) << line;
    const bool cef = m.msg.starts_with("CEF:0|"), leef = m.msg.starts_with("LEEF:2.0|");
    if (cef) {
      EXPECT_EQ(test::parse_cef(m.msg).error, "") << line;
    } else if (leef) {
      EXPECT_EQ(test::parse_leef(m.msg).error, "") << line;
    } else {
      EXPECT_TRUE(m.msg.starts_with("{\"@timestamp\":")) << line;
    }
    ++seen[m.app_name + (cef ? " cef" : leef ? " leef" : " ecs")];
  }
  EXPECT_EQ(seen, (std::map<std::string, int>{{"counted cef", 1},
                                              {"counted ecs", 1},
                                              {"counted leef", 1},
                                              {"lines cef", 1},
                                              {"lines ecs", 1},
                                              {"lines leef", 1}}));
}

TEST(ReceiverSnippets, EveryContentAtRsyslog) { every_content(ReceiverKind::kRsyslog); }
TEST(ReceiverSnippets, EveryContentAtSyslogNg) { every_content(ReceiverKind::kSyslogNg); }

TEST(ReceiverSnippets, Rsyslog) { run(ReceiverKind::kRsyslog); }
TEST(ReceiverSnippets, SyslogNg) { run(ReceiverKind::kSyslogNg); }

TEST(ReceiverSnippets, WhatRsyslogAcknowledgedOverRelpIsWritten) {
  test::TempFolder folder;
  RealReceiver receiver(ReceiverKind::kRsyslog, folder.path);
  use_snippet(ReceiverKind::kRsyslog, receiver, folder.path);
  receiver.start();
  DeliveryRig rig;
  rig.delivery->apply(
      {rig.target("snippet-relp", Transport::kRelp, {*IpAddress::parse("127.0.0.1"), receiver.relp})});
  ASSERT_TRUE(rig.up("snippet-relp"));
  for (int i = 0; i < 2000; ++i) rig.append();
  ASSERT_TRUE(wait_until([&] { return rig.status("snippet-relp").acknowledged >= 500; }));
  receiver.stop(SIGKILL);  // in the middle
  ASSERT_TRUE(wait_until([&] { return rig.status("snippet-relp").state != "up"; }));
  EXPECT_GE(lines_of(folder.path + "/events.json").size(), rig.status("snippet-relp").acknowledged);
}

}  // namespace
}  // namespace wafd::forward
