// Messages of ext_authz: what a CheckRequest becomes, and what an answer says.
#include <string>

#include <gtest/gtest.h>

#include "ingest/envoy/check_message.h"
#include "tests/ingest/envoy_support.h"

namespace wafd::ingest::envoy {
namespace {

using test::bytes;
using test::check;
using test::header;
using test::number;

std::string dump(std::string_view message, bool cut = false, const IngestLimits& limits = {}) {
  const auto read = read_check(message, cut, limits);
  if (!read) return "refused";
  const OwnedRequest& r = read->request;
  std::string out = r.head.substr(0, r.head.find("\r\n\r\n")) + "|" + r.body + "|";
  if (r.body_truncated) out += " truncated";
  if (r.body_abandoned) out += " abandoned";
  if (read->head_cut) out += " head_cut";
  if (read->body_cut) out += " body_cut";
  return out;
}

const std::string kLine = bytes(2, "POST") + bytes(4, "/a?b=1");

TEST(CheckMessage, TheHeadIsThatOfTheRequest) {
  EXPECT_EQ(dump(check(kLine + bytes(10, "HTTP/2") + bytes(5, "shop.test") + header(":path", "/other") +
                       header("x", "1"))),
            "POST /a?b=1 HTTP/2\r\nHost: shop.test\r\nx: 1||");
  EXPECT_EQ(dump(check("")), "GET / HTTP/1.1||");
  EXPECT_EQ(dump(check(kLine + header("host", "one") + bytes(5, "two"))),
            "POST /a?b=1 HTTP/1.1\r\nhost: one||");
  EXPECT_EQ(dump(check(kLine + bytes(13, bytes(1, bytes(1, "x") + bytes(3, "\xff"))))),
            "POST /a?b=1 HTTP/1.1\r\nx: \xff||")
      << "a list of raw headers";
}

TEST(CheckMessage, TheRequestsIdIsEnvoys) {
  const auto id = [](const std::string& headers) {
    return read_check(check(kLine + headers), false, {})->request.request_id;
  };
  EXPECT_EQ(id(header("x-request-id", "5f-2")), "5f-2");
  EXPECT_EQ(id(header("x-request-id", "5f-2") + header("X-Request-Id", "other")), "");
  EXPECT_EQ(id(""), "");
}

TEST(CheckMessage, NoValueEndsTheHead) {
  EXPECT_EQ(dump(check(kLine + header("x", "1\r\n\r\nq") + header("y\n", "2"))),
            "POST /a?b=1 HTTP/1.1\r\nx: 1    q\r\ny : 2||");
}

TEST(CheckMessage, Bodies) {
  const std::string head = "POST /a?b=1 HTTP/1.1";
  EXPECT_EQ(dump(check(kLine + bytes(11, "\xff text"))), head + "|\xff text|") << "not UTF-8";
  EXPECT_EQ(dump(check(kLine + bytes(12, "raw"))), head + "|raw|");
  EXPECT_EQ(dump(check(kLine + header("content-length", "9") + bytes(11, "part"))),
            head + "\r\ncontent-length: 9|part| truncated");
  EXPECT_EQ(dump(check(kLine + header("content-length", "9"))), head + "\r\ncontent-length: 9|| abandoned");
  EXPECT_EQ(dump(check(kLine + number(9, 5))), head + "|| abandoned") << "bytes that Envoy received";
  EXPECT_EQ(dump(check(kLine + number(9, ~0ull))), head + "||") << "-1: not known";
  EXPECT_EQ(dump(check(kLine + header("x-envoy-auth-partial-body", "true") + bytes(11, "part"))),
            head + "\r\nx-envoy-auth-partial-body: true|part| truncated");
  IngestLimits limits;
  limits.max_body_bytes = 3;
  EXPECT_EQ(dump(check(kLine + bytes(11, "four")), false, limits), head + "|fou| truncated body_cut");
}

TEST(CheckMessage, AMessageThatIsCutSaysWhatIsThere) {
  const std::string whole = check(kLine + bytes(11, "some body"));
  EXPECT_EQ(dump(whole.substr(0, whole.size() - 4), true), "POST /a?b=1 HTTP/1.1|some | truncated body_cut");
  EXPECT_EQ(dump(whole.substr(0, whole.size() - 4), false), "refused");
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_NO_THROW(dump(whole.substr(0, size), true));
}

TEST(CheckMessage, WhatIsRefused) {
  EXPECT_EQ(dump(""), "refused") << "no request";
  EXPECT_EQ(dump(bytes(1, "")), "refused");
  EXPECT_EQ(dump(bytes(1, bytes(4, ""))), "refused") << "no http";
  EXPECT_EQ(dump("\x0b"), "refused") << "a group";
  EXPECT_EQ(dump(std::string(11, '\xff')), "refused") << "a number without end";
  EXPECT_EQ(dump(bytes(1, "\x0a\x05x")), "refused") << "longer than what holds it";
  EXPECT_EQ(dump(check(kLine) + number(99, 1) + bytes(98, "later versions")), "POST /a?b=1 HTTP/1.1||")
      << "unknown fields";
}

TEST(CheckMessage, Addresses) {
  const auto peer = [](std::uint64_t field, std::string_view ip, std::uint64_t port) {
    return bytes(field, bytes(1, bytes(1, bytes(2, ip) + number(3, port))));
  };
  const auto read = read_check(
      bytes(1, peer(1, "::ffff:192.0.2.1", 4000) + peer(2, "198.51.100.1", 70000) +
                   bytes(4, bytes(1, number(1, 10) + number(2, 5'000)) + bytes(2, bytes(6, "HTTPS"))) +
                   bytes(10, bytes(1, "proxy_name") + bytes(2, "edge")) + bytes(12, bytes(1, "sni.test"))),
      false, {});
  ASSERT_TRUE(read);
  const OwnedRequest& r = read->request;
  EXPECT_EQ(r.src_ip, "192.0.2.1");
  EXPECT_EQ(r.src_port, 4000);
  EXPECT_EQ(r.dest_ip, "198.51.100.1");
  EXPECT_EQ(r.dest_port, 0) << "no port";
  EXPECT_EQ(r.proxy_name, "edge");
  EXPECT_EQ(r.scheme, "https");
  EXPECT_EQ(r.start_time_us, 10'000'005);
  EXPECT_NE(r.head.find("Host: sni.test"), std::string::npos) << "the name of TLS, where there is no host";
}

TEST(CheckMessage, Answers) {
  const auto option = [](std::string_view name, std::string_view value) {
    return bytes(2, bytes(1, bytes(1, name) + bytes(2, value)) + number(3, 2));
  };
  Answer answer;
  answer.action = Action::kAllow;
  answer.detect_us = 7;
  EXPECT_EQ(check_response(answer),
            bytes(1, "") + bytes(3, option("x-waf-action", "allow") + option("x-waf-time-us", "7") +
                                        bytes(5, "x-waf-event-id")));
  answer.action = Action::kDeny;
  answer.block_status = 418;
  answer.block_body = "<p>{event_id}";
  const std::string id = answer.event_id.text();
  EXPECT_EQ(
      check_response(answer),
      bytes(1, number(1, 7)) +
          bytes(2, bytes(1, number(1, 418)) + option("x-waf-action", "deny") + option("x-waf-event-id", id) +
                       option("content-type", block_page(answer).type) + bytes(3, "<p>" + id)));
}

}  // namespace
}  // namespace wafd::ingest::envoy
