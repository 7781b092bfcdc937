#include "ingest/http/request_reader.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"

namespace wafd::http {
namespace {

// Everything a reader says of `input`, fed in pieces of `piece` bytes.
std::string dump(std::string_view input, std::size_t piece, ReaderLimits limits = {}, bool stream = false) {
  RequestReader reader(limits);
  std::string out, streamed;
  while (!input.empty()) {
    auto part = input.substr(0, piece);
    input.remove_prefix(part.size());
    while (true) {
      const auto step = reader.next(part);
      if (!step) {
        return out + "refused " + std::to_string(step.error().status) + " " +
               to_string(step.error().error.code);
      }
      if (*step == Step::kNeedMore) break;
      const auto& r = reader.request();
      if (*step == Step::kHead) {
        if (stream) reader.stream_body();
        if (reader.expects_continue()) out += "(100)";
      } else if (*step == Step::kBody) {
        streamed += reader.chunk();
      } else {
        out += r.method + " " + r.target + " " + std::to_string(r.version);
        for (const auto& [name, value] : r.fields) out += " " + name + "=" + value;
        if (!r.body.empty()) out += " body=" + r.body;
        if (!streamed.empty()) out += " streamed=" + std::exchange(streamed, {});
        out += r.keep_alive ? "|" : " close|";
      }
    }
    EXPECT_TRUE(part.empty());
  }
  return out + (reader.in_message() ? "..." : "");
}

struct Row {
  const char* name;
  std::string input;
  std::string dump;
};

const Row kRows[] = {
    {"simple", "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a?b 11 Host=x|"},
    {"empty lines before", "\r\n\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / 11 Host=x|"},
    {"1.0", "GET / HTTP/1.0\r\n\r\n", "GET / 10 close|"},
    {"1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET / 10 Connection=keep-alive|"},
    {"close", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
     "GET / 11 Host=x Connection=close close|"},
    {"body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
     "POST / 11 Host=x Content-Length=3 body=abc|"},
    {"pipelined",
     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /2 HTTP/1.1\r\nHost: y\r\n\r\nGET /3 "
     "HTTP/1.1\r\nH",
     "POST / 11 Host=x Content-Length=3 body=abc|GET /2 11 Host=y|..."},
    {"chunked",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
     "chunked\r\n\r\n3;a=b\r\nabc\r\n0A\r\n0123456789\r\n0\r\nT: "
     "v\r\n\r\nGET / HTTP/1.1\r\nHost: y\r\n\r\n",
     "POST / 11 Host=x Transfer-Encoding=chunked body=abc0123456789|GET / 11 Host=y|"},
    {"one-byte chunks",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
     "chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n",
     "POST / 11 Host=x Transfer-Encoding=chunked body=abc|"},
    {"expect", "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\nz",
     "(100)POST / 11 Host=x Expect=100-Continue Content-Length=1 body=z|"},
    {"any method", "QUERY * HTTP/1.1\r\nHost: x\r\n\r\n", "QUERY * 11 Host=x|"},
    {"incomplete body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nab", "..."},
    {"bare LF", "GET / HTTP/1.1\nHost: x\n\n", "refused 400 invalid"},
    {"no version", "GET /\r\n\r\n", "refused 400 invalid"},
    {"version 2", "GET / HTTP/2.0\r\n\r\n", "refused 505 invalid"},
    {"TLS", "\x16\x03\x01\x02", "refused 400 invalid"},
    {"space before colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "refused 400 invalid"},
    {"NUL in value", std::string("GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n", 29), "refused 400 invalid"},
    {"no Host", "GET / HTTP/1.1\r\n\r\n", "refused 400 invalid"},
    {"two Hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "refused 400 invalid"},
    {"length and chunked",
     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
     "refused 400 invalid"},
    {"chunked and length",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
     "refused 400 invalid"},
    {"two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
     "refused 400 invalid"},
    {"negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "refused 400 invalid"},
    {"other coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n",
     "refused 501 invalid"},
    {"two codings", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
     "refused 501 invalid"},
    {"chunked in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "refused 501 invalid"},
    {"bad chunk size", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
     "refused 400 invalid"},
    {"chunk without CRLF",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
     "refused 400 invalid"},
};

TEST(RequestReader, SaysTheSameInAnyFragmentation) {
  for (const auto& row : kRows) {
    for (const std::size_t piece : {1u, 2u, 3u, 7u, 100000u}) {
      EXPECT_EQ(dump(row.input, piece), row.dump) << row.name << " in pieces of " << piece;
    }
  }
}

TEST(RequestReader, StreamsBodies) {
  const std::string input =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n1\r\ne\r\n0\r\n\r\n"
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nwxyz";
  ReaderLimits limits;
  limits.max_body_bytes = 1;  // off when streamed
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 1000u}) {
    EXPECT_EQ(dump(input, piece, limits, true),
              "POST / 11 Host=x Transfer-Encoding=chunked streamed=abcde|POST / 11 Host=x Content-Length=4 "
              "streamed=wxyz|");
  }
}

TEST(RequestReader, Limits) {
  ReaderLimits limits{100, 10, 20};
  const std::string host = "Host: x\r\n";
  const auto all = [&](const std::string& input) {
    const auto whole = dump(input, 100000, limits);
    for (const std::size_t piece : {1u, 2u, 3u, 7u}) EXPECT_EQ(dump(input, piece, limits), whole) << input;
    return whole;
  };
  EXPECT_EQ(all("GET /" + std::string(200, 'a')), "refused 431 too_large");
  const std::string fits = "GET /" + std::string(100 - 5 - 11 - 9 - 2, 'a') + " HTTP/1.1\r\n" + host + "\r\n";
  ASSERT_EQ(fits.size(), 100u);
  EXPECT_EQ(all(fits).substr(0, 5), "GET /");
  EXPECT_EQ(all("GET /a" + fits.substr(5)), "refused 431 too_large");
  EXPECT_EQ(all("POST / HTTP/1.1\r\n" + host + "Content-Length: 11\r\n\r\n0"), "refused 413 too_large");
  EXPECT_EQ(all("POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999999\r\n\r\n"),
            "refused 400 invalid");
  EXPECT_EQ(all("POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n6\r\n012345\r\n5\r\n67890"),
            "refused 413 too_large");
  EXPECT_EQ(all("POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(30, 'e')),
            "refused 400 too_large");
  EXPECT_EQ(
      all("POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\nT: " + std::string(30, 'e')),
      "refused 400 too_large");
}

TEST(RequestReader, KeepsTheRawHead) {
  RequestReader reader({});
  std::string_view input = "GET /%41 HTTP/1.1\r\nhOsT:  x \r\n\r\nrest";
  ASSERT_EQ(reader.next(input).value(), Step::kHead);
  EXPECT_EQ(reader.raw_head(), "GET /%41 HTTP/1.1\r\nhOsT:  x \r\n\r\n");
  EXPECT_EQ(reader.request().value("HOST"), "x");
  ASSERT_EQ(reader.next(input).value(), Step::kMessage);
  EXPECT_EQ(input, "rest");

  RequestReader refused({});
  input = "GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_FALSE(refused.next(input));
  EXPECT_EQ(refused.raw_head(), "GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_FALSE(refused.next(input)) << "a refused connection stays refused";
}

}  // namespace
}  // namespace wafd::http
