#include "forward/target/destination.h"

#include <gtest/gtest.h>

namespace wafd::forward {
namespace {

std::string judge(const char* address, std::uint16_t port, Transport transport,
                  std::vector<Endpoint> own = {}) {
  const auto r = check_destination(*IpAddress::parse(address), port, transport, own);
  return r ? "ok" : r.error().what;
}

TEST(Destination, Table) {
  struct Row {
    const char* address;
    bool allowed;
  };
  const Row rows[] = {
      {"127.0.0.1", true},
      {"10.1.2.3", true},
      {"192.168.0.9", true},
      {"172.16.5.5", true},
      {"203.0.113.9", true},
      {"::1", true},
      {"fd12:3456::1", true},
      {"2001:db8::1", true},
      {"64:ff9b::a00:1", true},
      {"169.254.169.254", false},
      {"169.254.0.1", false},
      {"224.0.0.1", false},
      {"239.255.255.255", false},
      {"255.255.255.255", false},
      {"240.0.0.1", false},
      {"0.0.0.0", false},
      {"0.1.2.3", false},
      {"::", false},
      {"ff02::1", false},
      {"fe80::1", false},
      {"febf::1", false},
      {"fd00:ec2::254", false},
      {"fd20:ce::254", false},
      {"fd20:ce::253", true},
      {"100.100.100.200", false},
      {"100.100.100.201", true},
      {"192.0.0.192", false},
      {"64:ff9b::6464:64c8", false},
      {"::ffff:169.254.1.1", false},
      {"64:ff9b::a9fe:a9fe", false},
      {"2002:a9fe:a9fe::1", false},
      {"::169.254.169.254", false},
      {"fec0::1", true},
  };
  for (const Row& row : rows)
    for (const Transport t : {Transport::kUdp, Transport::kTcp})
      EXPECT_EQ(judge(row.address, 514, t) == "ok", row.allowed) << row.address;
}

TEST(Destination, OwnListenersAreNoReceivers) {
  const std::vector<Endpoint> own = {*Endpoint::parse("127.0.0.1:8700"), *Endpoint::parse("0.0.0.0:8701")};
  EXPECT_EQ(judge("127.0.0.1", 8700, Transport::kTcp, own),
            "127.0.0.1 port 8700 is one of wafd's own listeners");
  EXPECT_EQ(judge("::ffff:127.0.0.1", 8700, Transport::kTcp, own),
            "127.0.0.1 port 8700 is one of wafd's own listeners");
  EXPECT_EQ(judge("127.0.0.2", 8701, Transport::kTcp, own),
            "127.0.0.2 port 8701 is one of wafd's own listeners");
  EXPECT_EQ(judge("127.0.0.1", 8700, Transport::kUdp, own), "ok");
  EXPECT_EQ(judge("127.0.0.1", 8702, Transport::kTcp, own), "ok");
  EXPECT_EQ(judge("127.0.0.2", 8700, Transport::kTcp, own), "ok");
}

// A listener on a wildcard is met on every address of the machine.
TEST(Destination, OwnListenersOnAWildcardAreMetOnEveryAddress) {
  const std::vector<Endpoint> own = {*Endpoint::parse("0.0.0.0:8701"), *Endpoint::parse("127.0.0.1:8700")};
  const std::vector<IpAddress> local = {*IpAddress::parse("127.0.0.1"), *IpAddress::parse("192.0.2.17"),
                                        *IpAddress::parse("2001:db8::17")};
  const auto judged = [&](const char* address, std::uint16_t port) {
    return check_destination(*IpAddress::parse(address), port, Transport::kTcp, own, local).has_value();
  };
  EXPECT_FALSE(judged("192.0.2.17", 8701));
  EXPECT_FALSE(judged("2001:db8::17", 8701));
  EXPECT_FALSE(judged("::ffff:192.0.2.17", 8701));
  EXPECT_TRUE(judged("192.0.2.18", 8701)) << "another machine";
  EXPECT_TRUE(judged("192.0.2.17", 8700)) << "that listener is on loopback alone";
}

}  // namespace
}  // namespace wafd::forward
