#include "ingest/io/kit/resolver.h"

#include <atomic>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/ingest/io/kit/kit_support.h"

namespace wafd::kit {
namespace {

// A name server on loopback that answers by the first label: "ok" with addresses, "no" NXDOMAIN, "empty"
// without data, "fail" SERVFAIL, "silent" not at all. Real datagrams, RFC 1035 section 4.
class NameServer {
 public:
  NameServer() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    where = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    EXPECT_EQ(::pipe(wake_), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~NameServer() {
    ::close(wake_[1]);
    thread_.join();
    ::close(wake_[0]);
    ::close(fd_);
  }
  std::string where;

 private:
  void serve() {
    while (true) {
      pollfd wait[2] = {{fd_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
      ::poll(wait, 2, -1);
      if (wait[1].revents != 0) return;
      char q[512];
      sockaddr_storage from{};
      socklen_t size = sizeof from;
      const auto n = ::recvfrom(fd_, q, sizeof q, 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (n < 17) continue;
      std::size_t end = 12;
      const std::string label(q + 13, static_cast<std::size_t>(q[12]));
      while (q[end] != 0) end += static_cast<std::size_t>(q[end]) + 1;
      end += 5;
      const bool aaaa = q[end - 3] == 28;
      std::string a(q, end);
      a[2] = static_cast<char>(0x81);
      a[3] = static_cast<char>(0x80);
      a[10] = a[11] = 0;  // no EDNS back
      if (label == "silent") continue;
      if (label == "no") a[3] = static_cast<char>(0x83);
      if (label == "fail") a[3] = static_cast<char>(0x82);
      if (label == "ok") {
        a[7] = 1;
        a += std::string("\xc0\x0c\x00", 3) + (aaaa ? '\x1c' : '\x01') +
             std::string("\x00\x01\x00\x00\x00\x3c\x00", 7);
        a += aaaa ? std::string("\x10\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x07", 17)
                  : std::string("\x04\xc0\x00\x02\x07", 5);
      }
      ::sendto(fd_, a.data(), a.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
    }
  }
  int fd_;
  int wake_[2] = {-1, -1};
  std::thread thread_;
};

std::string resolve(Loop& loop, const std::string& name, const std::string& servers) {
  ResolveOptions options;
  options.servers = servers;
  options.timeout_ms = 50;
  options.tries = 1;
  std::string said;
  bool inside = true;
  ResolveQuery query(loop, name, options, [&](ResolveResult r) {
    EXPECT_FALSE(inside);
    if (!r) {
      said = std::to_string(static_cast<int>(r.error().failure)) + " " + r.error().what;
      return;
    }
    for (const auto& address : *r) said += address.text() + " ";
  });
  inside = false;
  EXPECT_TRUE(run_until(loop, [&] { return !said.empty(); }));
  return said;
}

TEST(ResolveQuery, TellsFailuresApart) {
  Loop loop;
  const NameServer server;
  EXPECT_EQ(resolve(loop, "no.example", server.where), "0 resolve no.example: no such name");
  EXPECT_EQ(resolve(loop, "empty.example", server.where), "0 resolve empty.example: the name has no address");
  EXPECT_EQ(resolve(loop, "silent.example", server.where),
            "1 resolve silent.example: no name server answered in time");
  EXPECT_EQ(resolve(loop, "fail.example", server.where),
            "2 resolve fail.example: the name servers failed or could not be reached");
  EXPECT_EQ(resolve(loop, "", server.where), "3 resolve : expected a host name or address");
  const auto found = resolve(loop, "ok.example", server.where);
  EXPECT_TRUE(found == "192.0.2.7 2001:db8::7 " || found == "2001:db8::7 192.0.2.7 ") << found;
}

TEST(ResolveQuery, LiteralsAndLocalhostNeedNoServer) {
  Loop loop;
  EXPECT_EQ(resolve(loop, "192.0.2.1", "127.0.0.1:1"), "192.0.2.1 ");
  EXPECT_EQ(resolve(loop, "2001:db8::1", "127.0.0.1:1"), "2001:db8::1 ");
  for (const char* name : {"localhost", "localhost.", "LocalHost."})
    EXPECT_NE(resolve(loop, name, "127.0.0.1:1").find("127.0.0.1"), std::string::npos) << name;
}

TEST(ResolveQuery, GivenUpIsSilent) {
  Loop loop;
  const NameServer server;
  bool called = false;
  ResolveOptions options;
  options.servers = server.where;
  {
    ResolveQuery query(loop, "silent.example", options, [&](ResolveResult) { called = true; });
  }
  for (int i = 0; i < 10; ++i) loop.run_once();
  EXPECT_FALSE(called);
}

TEST(ResolveQuery, MayBeDestroyedInItsCallback) {
  Loop loop;
  const NameServer server;
  ResolveOptions options;
  options.servers = server.where;
  std::unique_ptr<ResolveQuery> query;
  query = std::make_unique<ResolveQuery>(loop, "no.example", options, [&](ResolveResult) { query.reset(); });
  EXPECT_TRUE(run_until(loop, [&] { return query == nullptr; }));
}

}  // namespace
}  // namespace wafd::kit
