// Receivers that come back, move, renew their certificates or vanish without a word.
#include <fstream>

#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "tests/forward/io/delivery_help.h"
#include "tests/support/real_receiver.h"

namespace wafd::forward {
namespace {

using test::DeliveryRig;
using test::ReceiverAt;
using test::wait_until;

Endpoint at_port(const std::string& address, std::uint16_t port) {
  return {*IpAddress::parse(address), port};
}

TEST(ReceiversChange, BackToTheFirstReceiverOnceItIsThereAndNothingTwice) {
  DeliveryRig rig;
  rig.close();
  rig.adjust = [](DeliveryParts& p) {
    p.machine.return_base_us = 50'000;
    p.machine.return_max_us = 200'000;
  };
  rig.open();
  const Endpoint first = at_port("127.0.0.1", test::free_port());
  ReceiverAt backup(Transport::kTcp, test::kAnyPort);
  TargetSettings t = rig.target("two-receivers", Transport::kTcp, first);
  t.backups = {{"127.0.0.1", backup.local.port}};
  rig.delivery->apply({t});
  std::vector<std::string> ids;
  for (int i = 0; i < 500; ++i) ids.push_back(rig.append());
  ASSERT_TRUE(wait_until([&] { return backup.ids().size() == 500; }));
  EXPECT_EQ(rig.status("two-receivers").connected_to, backup.local.text());
  ASSERT_TRUE(wait_until([&] { return rig.status("two-receivers").errors >= 4; }));  // it asks for the first
  EXPECT_EQ(rig.status("two-receivers").state, "up");
  EXPECT_EQ(rig.status("two-receivers").reconnects, 0u);

  std::atomic<bool> stop{false};
  std::thread load([&] {  // the change happens under load
    while (!stop) {
      ids.push_back(rig.append());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  ReceiverAt back(Transport::kTcp, first);
  EXPECT_TRUE(wait_until([&] { return back.ids().size() > 200; }));
  stop = true;
  load.join();
  EXPECT_EQ(rig.status("two-receivers").connected_to, first.text());
  ASSERT_TRUE(wait_until([&] { return backup.ids().size() + back.ids().size() >= ids.size(); }));
  rig.close();
  std::vector<std::string> got = backup.ids();
  for (const auto& id : back.ids()) got.push_back(id);
  EXPECT_EQ(got, ids);  // in order, none missing, none twice
}

TEST(ReceiversChange, AFirstReceiverThatOnlyAcceptsIsLeftForTheBackup) {
  kit::Loop loop;
  auto sockets = kit::ListenSockets::tcp(test::kAnyPort, 1).value();
  const Endpoint first = sockets.local();
  kit::Listener listener(loop, sockets.take(0), false,
                         [](std::unique_ptr<kit::Stream>) {});  // closed at once
  std::thread thread([&] { loop.run(); });
  {
    DeliveryRig rig;
    ReceiverAt backup(Transport::kTcp, test::kAnyPort);
    TargetSettings t = rig.target("two-receivers", Transport::kTcp, first);
    t.backups = {{"127.0.0.1", backup.local.port}};
    rig.delivery->apply({t});
    std::vector<std::string> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(rig.append());
    ASSERT_TRUE(wait_until([&] { return backup.ids().size() >= ids.size(); }));
    EXPECT_EQ(backup.ids(), ids);
  }
  loop.stop();
  thread.join();
}

// Answers every question for an IPv4 address with the one of the moment (RFC 1035 section 4).
class MovingName {
 public:
  MovingName() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    where = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    const timeval wait{0, 50'000};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    thread_ = std::thread([this] {
      while (!stop_) answer();
    });
  }
  ~MovingName() {
    stop_ = true;
    thread_.join();
    ::close(fd_);
  }
  std::string where;
  std::atomic<unsigned> last_byte{1};  // of 127.0.0.x
  std::atomic<int> asked{0};

 private:
  void answer() {
    char q[512];
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    const auto n = ::recvfrom(fd_, q, sizeof q, 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (n < 17) return;
    const auto bytes = static_cast<std::size_t>(n);
    std::size_t end = 12;
    while (end < bytes && q[end] != 0) end += static_cast<unsigned char>(q[end]) + std::size_t{1};
    end += 5;
    if (end > bytes) return;
    std::string a(q, end);
    a[2] = static_cast<char>(0x81), a[3] = static_cast<char>(0x80);
    a[10] = a[11] = 0;
    if (q[end - 3] == 1) {
      a[7] = 1;
      a += std::string("\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x01\x00\x04\x7f\x00\x00", 15);
      a += static_cast<char>(last_byte.load());
      ++asked;
    }
    ::sendto(fd_, a.data(), a.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
  }
  int fd_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(ReceiversChange, ANameThatLeadsElsewhereIsFollowed) {
  MovingName names;
  DeliveryRig rig;
  rig.close();
  rig.adjust = [&](DeliveryParts& p) {
    p.resolve.servers = names.where;
    p.machine.name_check_us = 50'000;
  };
  rig.open();
  ReceiverAt one(Transport::kTcp, test::kAnyPort);
  ReceiverAt two(Transport::kTcp, at_port("127.0.0.2", one.local.port));
  TargetSettings t = rig.target("moving", Transport::kTcp, one.local);
  t.host = "siem.example";
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up("moving"));
  std::vector<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.push_back(rig.append());
  ASSERT_TRUE(wait_until([&] { return one.ids().size() == 100 && names.asked > 5; }));
  EXPECT_EQ(rig.status("moving").reconnects, 0u);  // asked again and again, and it stays
  names.last_byte = 2;
  ASSERT_TRUE(wait_until([&] { return rig.status("moving").connected_to == two.local.text(); }));
  for (int i = 0; i < 100; ++i) ids.push_back(rig.append());
  ASSERT_TRUE(wait_until([&] { return two.ids().size() >= 100; }));
  EXPECT_EQ(rig.status("moving").errors, 0u);
  rig.close();
  std::vector<std::string> got = one.ids();
  for (const auto& id : two.ids()) got.push_back(id);
  EXPECT_EQ(got, ids);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path + ".new") << text;
  ASSERT_EQ(std::rename((path + ".new").c_str(), path.c_str()), 0);
}

TEST(ReceiversChange, CertificatesAreReadAgainWhenTheirFilesChange) {
  DeliveryRig rig;
  rig.close();
  rig.adjust = [](DeliveryParts& p) { p.file_look_ms = 50; };
  rig.open();
  const std::int64_t now_s = kit::SystemClock().unix_us() / 1'000'000;
  const auto good = kit::make_self_signed({"127.0.0.1"}, now_s, 30).value();
  const auto other = kit::make_self_signed({"another.example"}, now_s, 30).value();
  ReceiverAt receiver(Transport::kTls, test::kAnyPort, &good);
  const std::string file = rig.folder.path + "/ca.pem";
  write_file(file, good.certificate_pem);
  TargetSettings t = rig.target("tls-files", Transport::kTls, receiver.local);
  t.tls.ca = "file:" + file;
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up("tls-files"));
  std::vector<std::string> ids;
  const auto append = [&](int n) {
    for (int i = 0; i < n; ++i) ids.push_back(rig.append());
    return wait_until([&] { return receiver.ids().size() >= ids.size(); });
  };
  ASSERT_TRUE(append(100));

  write_file(file, "no certificate");  // wrong: the old ones stay in use
  ASSERT_TRUE(wait_until([&] { return rig.status("tls-files").errors == 1; }));
  EXPECT_NE(rig.status("tls-files").last_error.find("tls.ca: expected PEM certificates"), std::string::npos)
      << rig.status("tls-files").last_error;
  ASSERT_TRUE(append(100));

  write_file(file, other.certificate_pem);  // good, but it does not vouch for this receiver: tried beside
  ASSERT_TRUE(wait_until([&] { return rig.status("tls-files").errors == 2; }));
  EXPECT_NE(rig.status("tls-files").last_error.find("TLS: "), std::string::npos)
      << rig.status("tls-files").last_error;
  EXPECT_EQ(rig.status("tls-files").state, "up");
  ASSERT_TRUE(append(100));
  EXPECT_EQ(rig.status("tls-files").reconnects, 0u);

  write_file(file, other.certificate_pem + good.certificate_pem);
  ASSERT_TRUE(wait_until([&] { return rig.status("tls-files").reconnects == 1; }))
      << rig.status("tls-files").last_error << rig.status("tls-files").errors;
  EXPECT_EQ(rig.status("tls-files").state, "up");
  ASSERT_TRUE(append(100));
  rig.close();
  EXPECT_EQ(receiver.ids(), ids);
}

void set_loopback(bool up) {
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::snprintf(request.ifr_name, sizeof request.ifr_name, "lo");
  ::ioctl(fd, SIOCGIFFLAGS, &request);
  if (up)
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  else
    request.ifr_flags = static_cast<short>(request.ifr_flags & ~IFF_UP);
  ::ioctl(fd, SIOCSIFFLAGS, &request);
  ::close(fd);
}

// In a network of its own, whose loopback goes down: the peer's kernel answers nothing more, and says
// nothing.
int vanish() {
  if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
    std::fprintf(stderr, "no network namespace can be made here: %s\n", std::strerror(errno));
    return 2;
  }
  set_loopback(true);
  DeliveryRig rig;
  rig.close();
  rig.adjust = [](DeliveryParts& p) { p.silent_ms = 1000; };
  rig.open();
  ReceiverAt receiver(Transport::kTcp, test::kAnyPort);
  rig.delivery->apply({rig.target("vanishing", Transport::kTcp, receiver.local)});
  if (!rig.up("vanishing")) return 3;
  std::vector<std::string> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(rig.append());
  if (!wait_until([&] { return receiver.ids().size() == 10; })) return 4;
  set_loopback(false);
  for (int i = 0; i < 10; ++i) ids.push_back(rig.append());
  if (!wait_until([&] { return rig.status("vanishing").errors > 0; })) return 5;
  const std::string why = rig.status("vanishing").last_error;
  set_loopback(true);
  const auto all_there = [&] {
    const auto got = receiver.ids();
    return std::set<std::string>(got.begin(), got.end()).size() == ids.size();
  };
  if (!wait_until(all_there)) return 6;
  std::fprintf(stderr, "%s\n", why.c_str());
  return 0;
}

TEST(ReceiversChange, APeerThatVanishesWithBytesOnTheirWayIsNoticed) {
  EXPECT_EXIT(std::_Exit(vanish()), ::testing::ExitedWithCode(0), "no answer for|unreachable");
}

TEST(ReceiversChange, SilenceIsNeitherTimeNorAZeroWindow) {
  EXPECT_FALSE(peer_silent({.since_ack_ms = 1'000'000}, 60'000));                 // idle
  EXPECT_FALSE(peer_silent({.unanswered = 1, .since_ack_ms = 119'000}, 60'000));  // a window probe on its way
  EXPECT_FALSE(peer_silent({.unanswered = 8, .since_ack_ms = 59'999}, 60'000));
  EXPECT_TRUE(peer_silent({.unanswered = 8, .since_ack_ms = 60'000}, 60'000));
}

}  // namespace
}  // namespace wafd::forward
