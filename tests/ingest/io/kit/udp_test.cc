#include "ingest/io/kit/udp.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/ingest/io/kit/kit_support.h"

namespace wafd::kit {
namespace {

struct Receiver {
  Receiver() : fd(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
    at = Endpoint{*IpAddress::parse("127.0.0.1"), ntohs(address.sin_port)};
  }
  ~Receiver() { ::close(fd); }
  bool receive(std::string& out) const {
    char room[65536];
    const auto n = ::recv(fd, room, sizeof room, 0);
    if (n < 0) return false;
    out.assign(room, static_cast<std::size_t>(n));
    return true;
  }
  int fd;
  Endpoint at;
};

TEST(UdpSocket, SendsDatagrams) {
  Loop loop;
  const Receiver receiver;
  auto socket = UdpSocket::connect(loop, receiver.at, IpAddress::parse("127.0.0.5"), [](const Error&) {});
  ASSERT_TRUE(socket);
  std::string got;
  for (const std::string& sent : {std::string("hello"), std::string(), std::string(65507, 'x')}) {
    ASSERT_TRUE((*socket)->send(sent));
    EXPECT_TRUE(run_until(loop, [&] { return receiver.receive(got); }));
    EXPECT_EQ(got, sent);
  }
  EXPECT_EQ((*socket)->local()->address.text(), "127.0.0.5");
  const auto refused = (*socket)->send(std::string(65508, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
}

TEST(UdpSocket, PortUnreachableIsTold) {
  Loop loop;
  Endpoint nobody;
  { nobody = Receiver().at; }
  std::string said;
  std::unique_ptr<UdpSocket> socket;
  socket = UdpSocket::connect(loop, nobody, std::nullopt, [&](const Error& e) {
             said = e.what;
             socket.reset();  // allowed here
           }).value();
  ASSERT_TRUE(socket->send("x"));
  EXPECT_TRUE(run_until(loop, [&] { return !said.empty(); }));
  EXPECT_EQ(said, "send to " + nobody.text() + ": connection refused");
}

TEST(UdpSocket, ForeignSourceIsAnError) {
  Loop loop;
  const Receiver receiver;
  const auto socket =
      UdpSocket::connect(loop, receiver.at, IpAddress::parse("192.0.2.1"), [](const Error&) {});
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().what, "bind to 192.0.2.1: address not available");
}

}  // namespace
}  // namespace wafd::kit
