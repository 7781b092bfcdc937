#include "ingest/spop/spop.h"

#include <gtest/gtest.h>

#include "ingest/spop/spop_request.h"
#include "tests/ingest/spop_support.h"

namespace wafd::ingest::spop {
namespace {

using namespace std::literals;

TEST(Spop, NumbersAreReadAndWritten) {
  for (const std::uint64_t n : {0ull, 1ull, 239ull, 240ull, 241ull, 2287ull, 2288ull, 16383ull, 264431ull,
                                264432ull, 0xffffffffull, 0x7fffffffffffffffull, 0xffffffffffffffffull}) {
    std::string out;
    append_number(n, out);
    EXPECT_EQ(out, test::number(n)) << n;
    PayloadReader in(out);
    EXPECT_EQ(in.number(), n);
    EXPECT_TRUE(in.empty());
    for (std::size_t cut = 0; cut < out.size(); ++cut)
      EXPECT_EQ(PayloadReader(std::string_view(out).substr(0, cut)).number(), std::nullopt);
  }
  for (const std::string_view broken :
       {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"sv})
    EXPECT_EQ(PayloadReader(broken).number(), std::nullopt);
}

TEST(Spop, Values) {
  const auto read = [](std::string_view bytes) { return PayloadReader(bytes).value(); };
  EXPECT_TRUE(std::holds_alternative<Null>(read("\x00"sv).value()));
  EXPECT_EQ(std::get<bool>(read("\x11"sv).value()), true);
  EXPECT_EQ(std::get<bool>(read("\x01"sv).value()), false);
  EXPECT_EQ(std::get<std::int64_t>(read("\x02\x05"sv).value()), 5);
  EXPECT_EQ(std::get<std::int64_t>(read("\x04" + test::number(~0ull)).value()), -1);
  EXPECT_EQ(std::get<std::uint64_t>(read("\x05\x05"sv).value()), 5u);
  EXPECT_EQ(std::get<IpAddress>(read("\x06\x01\x02\x03\x04"sv).value()).text(), "1.2.3.4");
  EXPECT_EQ(std::get<IpAddress>(read("\x07"s + std::string(15, '\0') + "\x01").value()).text(), "::1");
  EXPECT_EQ(std::get<std::string_view>(read("\x08\x02hi"sv).value()), "hi");
  EXPECT_EQ(std::get<std::string_view>(read("\x09\x01\x00"sv).value()), "\0"sv);
  for (const auto broken :
       {""sv, "\x06\x01\x02\x03"sv, "\x07zz"sv, "\x08\x03hi"sv, "\x0a"sv, "\x0f"sv, "\x02"sv})
    EXPECT_FALSE(read(broken)) << broken;
  // Of what was cut, what is there.
  PayloadReader cut("\x08\x63hi"sv);
  EXPECT_EQ(std::get<std::string_view>(cut.value(true).value()), "hi");
}

TEST(Spop, WhatANotifyDescribes) {
  IngestLimits limits;
  const auto read = [&](const std::string& payload, bool cut = false) {
    return read_notify(payload, cut, 16380, limits);
  };
  auto plain = read(test::request("q=1"));
  ASSERT_TRUE(plain && plain->has_request);
  EXPECT_EQ(plain->request.head, "GET /a?q=1 HTTP/1.1\r\nhost: a\r\n\r\n");
  EXPECT_EQ(plain->request.src_ip, "203.0.113.7");
  EXPECT_EQ(plain->request.src_port, 51000);
  EXPECT_EQ(plain->request.dest_ip, "10.0.0.5");
  EXPECT_EQ(plain->request.dest_port, 443);
  EXPECT_EQ(plain->request.proxy_name, "shop");
  EXPECT_EQ(plain->request.scheme, "");
  EXPECT_EQ(plain->id, "7F000001:1");
  EXPECT_FALSE(plain->request.body_truncated || plain->request.body_abandoned);

  const struct {
    const char* name;
    std::string headers, body;
    bool truncated, abandoned;
  } rows[] = {
      {"whole", "content-length: 3\r\n\r\n", "abc", false, false},
      {"more than HAProxy buffers", "content-length: 4\r\n\r\n", "abc", true, false},
      {"HAProxy does not buffer", "content-length: 4\r\n\r\n", "", false, true},
      {"chunked", "transfer-encoding: chunked\r\n\r\n", "abc", false, false},
      {"chunked, the buffer is full", "transfer-encoding: chunked\r\n\r\n", std::string(15'000, 'x'), true,
       false},
      {"HTTP/2 without a length, the buffer is full", "\r\n", std::string(15'000, 'x'), true, false},
      {"a length, the buffer is full", "content-length: 15000\r\n\r\n", std::string(15'000, 'x'), false,
       false},
  };
  for (const auto& row : rows) {
    const auto got = read(test::request("", row.headers, row.body, "POST"));
    ASSERT_TRUE(got && got->has_request) << row.name;
    EXPECT_EQ(got->request.body, row.body) << row.name;
    EXPECT_EQ(got->request.body_truncated, row.truncated) << row.name;
    EXPECT_EQ(got->request.body_abandoned, row.abandoned) << row.name;
  }

  // Bare arguments, and those of ours.
  const auto bare = read(test::message("m", {{"path", test::kNull},
                                             {"ssl", test::boolean(true)},
                                             {"socket-ip", test::typed("::ffff:10.0.0.9")},
                                             {"src-ip", test::typed("nonsense")},
                                             {"src-port", test::uint32(70000)},
                                             {"unknown", test::typed("x")},
                                             {"headers", test::typed("a: b")}}));
  ASSERT_TRUE(bare && bare->has_request);
  EXPECT_EQ(bare->request.head, "GET / HTTP/1.1\r\na: b\r\n\r\n");
  EXPECT_EQ(bare->request.scheme, "https");
  EXPECT_EQ(bare->request.socket_ip, "10.0.0.9");
  EXPECT_EQ(bare->request.src_ip, "");
  EXPECT_EQ(bare->request.src_port, 0);

  const auto several = read(test::message("coraza-res", {{"status", test::int32(200)}}) +
                            test::request("q=1") + test::request("q=2"));
  ASSERT_TRUE(several && several->has_request);
  EXPECT_EQ(several->others, 2u);
  EXPECT_NE(several->request.head.find("q=1"), std::string::npos);
  EXPECT_FALSE(read("").value().has_request);

  limits.max_body_bytes = 4;
  limits.max_head_bytes = 20;
  const auto cut = read(test::request("q=1", "host: a\r\n\r\n", "123456"));
  EXPECT_EQ(cut->request.body, "1234");
  EXPECT_EQ(cut->request.head.size(), 20u);
  EXPECT_TRUE(cut->head_cut && cut->body_cut && cut->request.body_truncated);
}

TEST(Spop, AListThatEndsTooEarlyIsBrokenUnlessItWasCut) {
  const IngestLimits limits;
  const std::string whole = test::request("q=1", "host: a\r\n\r\n", "the body");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const auto part = std::string_view(whole).substr(0, size);
    EXPECT_FALSE(read_notify(part, false, 16380, limits)) << size;
    const auto cut = read_notify(part, true, 16380, limits);
    ASSERT_TRUE(cut) << size;
    if (cut->has_request) {
      EXPECT_TRUE(cut->request.body_truncated) << size;
      EXPECT_TRUE(std::string_view("the body").starts_with(cut->request.body)) << size;
    }
  }
}

}  // namespace
}  // namespace wafd::ingest::spop
