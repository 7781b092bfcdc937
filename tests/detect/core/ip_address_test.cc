#include "detect/core/ip_address.h"

#include <gtest/gtest.h>

namespace wafd {
namespace {

TEST(IpAddress, ParsesAndWrites) {
  const struct {
    const char* text;
    const char* written;  // "-": refused
  } rows[] = {
      {"203.0.113.7", "203.0.113.7"},
      {"0.0.0.0", "0.0.0.0"},
      {"255.255.255.255", "255.255.255.255"},
      {"::", "::"},
      {"::1", "::1"},
      {"2001:DB8::1", "2001:db8::1"},
      {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
      {"1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"},
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      {"fe80::", "fe80::"},
      {"::ffff:10.0.0.5", "10.0.0.5"},
      {"::ffff:a00:5", "10.0.0.5"},
      {"64:ff9b::192.0.2.33", "64:ff9b::c000:221"},
      {"1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:c000:201"},
      {"", "-"},
      {"1.2.3", "-"},
      {"1.2.3.4.5", "-"},
      {"1.2.3.256", "-"},
      {"01.2.3.4", "-"},
      {"1.2.3.4 ", "-"},
      {"1..3.4", "-"},
      {"0x7f.0.0.1", "-"},
      {"localhost", "-"},
      {":", "-"},
      {":::", "-"},
      {"1::2::3", "-"},
      {"1:2:3:4:5:6:7", "-"},
      {"1:2:3:4:5:6:7:8:9", "-"},
      {"1:2:3:4::5:6:7:8", "-"},
      {"12345::", "-"},
      {"::g", "-"},
      {"1.2.3.4::", "-"},
      {"::1.2.3.4:5", "-"},
      {"fe80::1%eth0", "-"},
      {"[::1]", "-"},
      {"1:", "-"},
  };
  for (const auto& row : rows) {
    const auto address = IpAddress::parse(row.text);
    EXPECT_EQ(address ? address->text() : "-", row.written) << row.text;
    if (address) {
      EXPECT_EQ(IpAddress::parse(address->text()), address) << row.text;
    }
  }
}

TEST(IpAddress, NulByteIsRefused) { EXPECT_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0", 8))); }

TEST(IpAddress, Kinds) {
  EXPECT_TRUE(IpAddress::parse("127.8.9.1")->is_loopback());
  EXPECT_TRUE(IpAddress::parse("::1")->is_loopback());
  EXPECT_FALSE(IpAddress::parse("::2")->is_loopback());
  EXPECT_FALSE(IpAddress::parse("10.0.0.1")->is_loopback());
  EXPECT_TRUE(IpAddress::parse("0.0.0.0")->is_unspecified());
  EXPECT_TRUE(IpAddress::parse("::")->is_unspecified());
  EXPECT_FALSE(IpAddress::parse("::1")->is_unspecified());
}

TEST(Cidr, Contains) {
  const struct {
    const char* cidr;
    const char* address;
    bool in;
  } rows[] = {
      {"10.0.0.0/8", "10.255.1.2", true},
      {"10.0.0.0/8", "11.0.0.0", false},
      {"10.0.0.0/8", "::ffff:10.1.1.1", true},
      {"10.1.2.3/8", "10.9.9.9", true},
      {"192.0.2.128/25", "192.0.2.128", true},
      {"192.0.2.128/25", "192.0.2.127", false},
      {"0.0.0.0/0", "1.2.3.4", true},
      {"0.0.0.0/0", "::1", false},
      {"::/0", "::1", true},
      {"::/0", "1.2.3.4", false},
      {"::ffff:0:0/96", "1.2.3.4", true},
      {"::ffff:10.0.0.0/104", "10.2.3.4", true},
      {"2001:db8::/33", "2001:db8:7fff::", true},
      {"2001:db8::/33", "2001:db8:8000::", false},
      {"127.0.0.1", "127.0.0.1", true},
      {"127.0.0.1", "127.0.0.2", false},
      {"::1/128", "::1", true},
  };
  for (const auto& row : rows) {
    const auto cidr = Cidr::parse(row.cidr);
    ASSERT_TRUE(cidr) << row.cidr;
    EXPECT_EQ(cidr->contains(*IpAddress::parse(row.address)), row.in) << row.cidr << " " << row.address;
    EXPECT_EQ(*Cidr::parse(cidr->text()), *cidr) << cidr->text();
  }
}

TEST(Cidr, RefusedWithOffset) {
  const struct {
    const char* text;
    std::size_t offset;
  } rows[] = {{"", 0},          {"10.0.0.0/33", 9},  {"10.0.0.0/", 9},  {"::/129", 3},
              {"example/8", 0}, {"10.0.0.0/8/8", 9}, {"10.0.0.0/-1", 9}};
  for (const auto& row : rows) {
    const auto cidr = Cidr::parse(row.text);
    ASSERT_FALSE(cidr) << row.text;
    EXPECT_EQ(cidr.error().code, ErrorCode::kInvalid);
    EXPECT_EQ(cidr.error().offset, row.offset) << row.text;
  }
}

TEST(Endpoint, ParsesAndWrites) {
  for (const char* text : {"127.0.0.1:8700", "[::1]:443", "0.0.0.0:0", "[2001:db8::1]:65535"}) {
    const auto endpoint = Endpoint::parse(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(endpoint->text(), text);
  }
  for (const char* text : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[::1]", "[::1]80",
                           "[1.2.3.4]:80", "localhost:80", ":80", "127.0.0.1:80x"}) {
    EXPECT_FALSE(Endpoint::parse(text)) << text;
  }
}

}  // namespace
}  // namespace wafd
