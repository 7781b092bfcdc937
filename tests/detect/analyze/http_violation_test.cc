// HTTP violations: each irregular request with the rules that tell of it, and what gateways and clients
// really send.
#include "detect/analyze/http/http_violation.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "detect/analyze/http/chunk_reader.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

struct Row {
  std::string request;
  std::string dump;  // "6200@header:Name=piece", in order, with the sensitivity that denies
};

Request split(std::string_view bytes) {
  Request request;
  const std::size_t end = bytes.find("\r\n\r\n");
  const std::size_t lf = bytes.find("\n\n");
  const std::size_t at = end != std::string_view::npos  ? end + 4
                         : lf != std::string_view::npos ? lf + 2
                                                        : bytes.size();
  request.head = bytes.substr(0, at);
  request.body = bytes.substr(at);
  return request;
}

std::string dump(const std::string& bytes) {
  static const auto analyzer = make_http_violation_analyzer();
  const Request request = split(bytes);
  RequestHead head;
  head.parse(request.head);
  std::vector<RequestHit> hits;
  analyzer->analyze(request, head, hits);
  std::string out;
  for (const RequestHit& hit : hits) {
    const Rule& rule = analyzer->rules()[hit.rule];
    EXPECT_FALSE(hit.reason.empty());
    const auto inside = [&](std::string_view whole) {
      return hit.piece.data() >= whole.data() &&
             hit.piece.data() + hit.piece.size() <= whole.data() + whole.size();
    };
    EXPECT_TRUE(inside(request.head) || inside(request.body)) << bytes;
    if (!out.empty()) out += ' ';
    out += std::to_string(rule.number) + "@" + to_string(hit.location, false) + ":" + std::string(hit.name) +
           "(" + to_string(*rule.denies_from) + ")";
  }
  return out;
}

std::string post(const std::string& headers, const std::string& body = "") {
  return "POST /a HTTP/1.1\r\nHost: shop.example\r\n" + headers + "\r\n" + body;
}
std::string get(const std::string& headers) {
  return "GET /a HTTP/1.1\r\nHost: shop.example\r\n" + headers + "\r\n";
}

TEST(HttpViolation, EachByItsRule) {
  const std::string nul(1, '\0');
  const Row rows[] = {
      // Two lengths of one body.
      {post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\nG"),
       "6201@header:Transfer-Encoding(strict) 6200@header:Content-Length(balanced)"},
      {post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "a=1&b=2"),
       "6201@header:Transfer-Encoding(strict) 6200@header:Content-Length(balanced)"},
      {post("Content-Length: 7\r\nTransfer-Encoding: chunked\r\n", "a=1&b=2"),
       "6201@header:Transfer-Encoding(strict)"},
      {post("Content-Length: 5\r\nContent-Length: 6\r\n", "abcde"), "6202@header:Content-Length(balanced)"},
      {post("Content-Length: 5, 7\r\n", "abcde"), "6202@header:Content-Length(balanced)"},
      {post("Content-Length: 5\r\ncontent-length: 5\r\n", "abcde"), "6204@header:content-length(strict)"},
      {post("Content-Length: +5\r\n", "abcde"), "6203@header:Content-Length(balanced)"},
      {post("Content-Length: 0x5\r\n", "abcde"), "6203@header:Content-Length(balanced)"},
      {post("Content-Length: -1\r\n"), "6203@header:Content-Length(balanced)"},
      {post("Content-Length: 5 6\r\n", "abcde"), "6203@header:Content-Length(balanced)"},
      // Transfer-Encoding in disguise.
      {post("Transfer-Encoding: xchunked\r\n"),
       "6205@header:Transfer-Encoding(balanced) 6206@header:Transfer-Encoding(strict)"},
      {post("Transfer-Encoding: \"chunked\"\r\n"),
       "6205@header:Transfer-Encoding(balanced) 6206@header:Transfer-Encoding(strict)"},
      {post("Transfer-Encoding: chunked;q=1\r\n"),
       "6205@header:Transfer-Encoding(balanced) 6206@header:Transfer-Encoding(strict)"},
      {post("Transfer-Encoding: \x0b"
            "chunked\r\n"),
       "6205@header:Transfer-Encoding(balanced) 6206@header:Transfer-Encoding(strict) "
       "6212@header:Transfer-Encoding(strict)"},
      {post("Transfer-Encoding: cow\r\n"), "6206@header:Transfer-Encoding(strict)"},
      {post("Transfer-Encoding: gzip\r\n"), "6206@header:Transfer-Encoding(strict)"},
      {post("Transfer-Encoding:\r\n"), "6206@header:Transfer-Encoding(strict)"},
      {post("Transfer-Encoding: chunked, identity\r\n"), "6207@header:Transfer-Encoding(balanced)"},
      {post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
       "6207@header:Transfer-Encoding(balanced)"},
      {post("Transfer-Encoding: chunked, chunked\r\n"), "6207@header:Transfer-Encoding(balanced)"},
      {post("Transfer-Encoding : chunked\r\n"),
       "6208@header:Transfer-Encoding(balanced) 6209@header:Transfer-Encoding(strict)"},
      {post("Transfer-Encoding\t: chunked\r\n"),
       "6208@header:Transfer-Encoding(balanced) 6209@header:Transfer-Encoding(strict)"},
      {post("Transfer_Encoding: chunked\r\n"), "6208@header:Transfer_Encoding(balanced)"},
      {post("Content_Length: 5\r\n"), "6208@header:Content_Length(balanced)"},
      {post("Transfer-Encoding\x01: chunked\r\n"),
       "6212@header:Transfer-Encoding\x01(strict) 6208@header:Transfer-Encoding\x01(balanced) "
       "6213@header:Transfer-Encoding\x01(strict)"},
      {post("Transfer-Encoding:\r\n chunked\r\n"),
       "6206@header:Transfer-Encoding(strict) 6208@header:Transfer-Encoding(balanced) "
       "6210@header:Transfer-Encoding(strict)"},
      {post("Transfer-Encoding: identity, chunked\r\n"), "6205@header:Transfer-Encoding(balanced)"},
      {post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n"),
       "6205@header:Transfer-Encoding(balanced)"},
      {post("Content-Length: 18446744073709551621\r\n", "abcde"), "6203@header:Content-Length(balanced)"},
      // Values that have a grammar of their own.
      {"GET / HTTP/1.1\r\nHost: shop.example/a\r\n\r\n", "6226@header:Host(balanced)"},
      {"GET / HTTP/1.1\r\nHost: a@shop.example\r\n\r\n", "6226@header:Host(balanced)"},
      {"GET / HTTP/1.1\r\nHost: shop.example other\r\n\r\n", "6226@header:Host(balanced)"},
      {"GET / HTTP/1.1\r\nHost: shop.example:80@b\r\n\r\n", "6226@header:Host(balanced)"},
      {"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", "6226@header:Host(balanced)"},
      {"GET / HTTP/1.1\r\nHost: a'b.example\r\n\r\n", "6226@header:Host(balanced)"},
      {"GET / HTTP/1.1\r\nHost: []\r\n\r\n", "6226@header:Host(balanced)"},
      {"GET / HTTP/1.1\r\nHost: [%%%%]:1\r\n\r\n", "6226@header:Host(balanced)"},
      {"GET / HTTP/1.1\r\nHost: a%0d%0aX\r\n\r\n", "6226@header:Host(balanced)"},
      {get("Range: bytes=100-1\r\n"), "6227@header:Range(strict)"},
      {get("Range: bytes=a-b\r\n"), "6227@header:Range(strict)"},
      {get("Range: bytes\r\n"), "6227@header:Range(strict)"},
      {get("Range: bytes=0-,0-,0-,0-\r\n"), "6227@header:Range(strict)"},
      {get("Range: bytes=-5,-5,-5,-5\r\n"), "6227@header:Range(strict)"},
      {get("Range: bytes=0-18446744073709551616\r\n"), "6227@header:Range(strict)"},
      {get("Expect: <b>\r\n"), "6228@header:Expect(strict)"},
      {get("Connection: close, X-Forwarded-For\r\n"), "6229@header:Connection(balanced)"},
      {get("Connection: keep-alive, X-Tenant-Token\r\n"), "6229@header:Connection(balanced)"},
      {get("Connection: close, Transfer-Encoding\r\n"), "6229@header:Connection(balanced)"},
      {get("Connection: cookie\r\n"), "6229@header:Connection(balanced)"},
      {post("Content-Type: text/plain\r\nContent-Type: application/json\r\n", "{}"),
       "6230@header:Content-Type(strict)"},
      {post("Content-Type: application/x-www-form-urlencoded; charset=ibm037\r\n"),
       "6231@header:Content-Type(strict)"},
      {post("Content-Type: text/xml; charset=\"UTF-7\"\r\n"), "6231@header:Content-Type(strict)"},
      {post("Content-Type: text/xml; x-charset=utf-8; charset = cp875\r\n"),
       "6231@header:Content-Type(strict)"},
      {post("Content-Type: text/xml; charset=unicode-1-1-utf-7\r\n"), "6231@header:Content-Type(strict)"},
      {get("Proxy: http://a.example:80\r\n"), "6232@header:Proxy(balanced)"},
      {"GET /a%zz HTTP/1.1\r\nHost: a\r\n\r\n", "6234@urlpath:(strict)"},
      {"GET /a% HTTP/1.1\r\nHost: a\r\n\r\n", "6234@urlpath:(strict)"},
      {"GET /%u0041 HTTP/1.1\r\nHost: a\r\n\r\n", "6234@urlpath:(strict)"},
      {"GET /a%00.json HTTP/1.1\r\nHost: a\r\n\r\n", "6235@urlpath:(balanced)"},
      {"GET a HTTP/1.1\r\nHost: a\r\n\r\n", "6233@urlpath:(strict)"},
      {"GET @a.example/ HTTP/1.1\r\nHost: a\r\n\r\n", "6233@urlpath:(strict)"},
      {"GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", "6233@urlpath:(strict)"},
      // The head.
      {get("X-A : b\r\n"), "6209@header:X-A(strict)"},
      {get("X-A: b\r\n c\r\n"), "6210@header:X-A(strict)"},
      {get("X-A: b" + nul + "c\r\n"), "6211@header:X-A(balanced)"},
      {get("X-A: b\rX-B: c\r\n"), "6211@header:X-A(balanced)"},
      {get("X-A: b\x08\r\n"), "6212@header:X-A(strict)"},
      {"GET /a" + nul + " HTTP/1.1\r\nHost: a\r\n\r\n", "6211@urlpath:(balanced)"},
      {get("X A: b\r\n"), "6213@header:X A(strict)"},
      {get(": b\r\n"), "6213@header:(strict)"},
      {get("nothing\r\n"), "6213@header:(strict)"},
      {get("Host: other.example\r\n"), "6214@header:Host(balanced)"},
      {get("host: SHOP.example\r\n"), "6215@header:host(strict)"},
      {"GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n", "6216@urlpath:(strict)"},
      {"GET http://b.example@a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n", "6216@urlpath:(strict)"},
      {"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "6217@urlpath:(strict)"},
      {"GET /\r\nHost: a\r\n\r\n", "6217@urlpath:(strict)"},
      {"GET / HTTP/1.2\r\nHost: a\r\n\r\n", "6218@urlpath:(strict)"},
      {"G[T / HTTP/1.1\r\nHost: a\r\n\r\n", "6219@urlpath:(strict)"},
      {"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", "6220@urlpath:(strict)"},
      {"DEBUG /a.aspx HTTP/1.1\r\nHost: a\r\n\r\n", "6220@urlpath:(strict)"},
      {get("X-HTTP-Method-Override: DELETE\r\n"), "6221@header:X-HTTP-Method-Override(strict)"},
      {post("X-HTTP-Method: TRACE\r\n"), "6221@header:X-HTTP-Method(strict)"},
      {post("X-Method-Override: PUT /b\r\n"), "6221@header:X-Method-Override(strict)"},
      // Bodies that are still in chunks.
      {post("Transfer-Encoding: chunked\r\n",
            "5\r\na=123\r\n0\r\n\r\nGET /admin HTTP/1.1\r\nHost: a\r\n\r\n"),
       "6223@body:(balanced)"},
      {post("Content-Length: 30\r\n", "0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n"), "6223@body:(balanced)"},
      {post("Transfer-Encoding: chunked\r\n", "5;a=b\r\na=123\r\n0\r\n\r\n"), "6224@body:(strict)"},
  };
  for (const Row& row : rows) EXPECT_EQ(dump(row.request), row.dump) << row.request;

  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 200; ++i) ranges += ",5-" + std::to_string(i + 5);
  EXPECT_EQ(dump(get(ranges + "\r\n")), "6225@header:Range(balanced)");
  std::string many;
  for (int i = 0; i < 300; ++i) many += "X-" + std::to_string(i) + ": a\r\n";
  EXPECT_EQ(dump(get(many)), "");
  for (int i = 300; i < 5000; ++i) many += "X-" + std::to_string(i) + ": a\r\n";
  EXPECT_EQ(dump(get(many)), "6222@header:X-4094(strict)");
}

TEST(HttpViolation, NotWhatClientsAndGatewaysSend) {
  const std::string requests[] = {
      get("User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nAccept: */*\r\nCookie: a=b; c=d\r\n"),
      "GET /a HTTP/2.0\r\nHost: shop.example\r\n\r\n",
      "GET /a HTTP/2\r\nHost: shop.example\r\n\r\n",
      "GET /a HTTP/3\r\nhost: shop.example\r\n\r\n",
      "GET /a HTTP/1.0\r\n\r\n",
      "GET /a HTTP/1.1\nHost: shop.example\nX-A: b\n\n",
      post("Content-Length: 5\r\n", "abcde"),
      // Cut short, or not handed over: nothing says that the length is wrong.
      post("Content-Length: 50\r\n", "abcde"),
      post("Content-Length: 50\r\n"),
      post("Content-Length:\r\n"),
      // A gateway has unchunked the body.
      post("Transfer-Encoding: chunked\r\n", "{\"a\": 1}"),
      post("Transfer-Encoding: Chunked\r\n"),
      post("Transfer-Encoding: gzip, chunked\r\n"),
      // Recorded with its chunks.
      post("Transfer-Encoding: chunked\r\n", "5\r\na=123\r\n0\r\n\r\n"),
      post("Transfer-Encoding: chunked\r\n", "add 5 to 6"),
      post("Content-Type: text/plain\r\n", "0\r\n\r\nis what the program prints"),
      get("Range: bytes=0-1023,2048-4095\r\n"),
      get("Range: bytes=0-,-5\r\n"),
      "GET /100%25?a=100%&b=%00 HTTP/1.1\r\nHost: a\r\n\r\n",
      get("Range: bytes=-500\r\n"),
      get("Range: bytes=0-99, 90-199, 190-\r\n"),
      get("Range: items=x-y\r\n"),
      get("Range: bytes=0-99,, 200-299,\r\n"),
      "GET / HTTP/1.1\r\nHost: 2001:db8::1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: shop.example:8080:8080\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: shop.example, shop.example\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: [fe80::1%25eth0_1]\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: outbound|80||shop.default.svc\r\n\r\n",
      post("Content-Type: text/plain; charset=iso-8859-7\r\n"),
      post("Content-Type: text/plain; charset=ibm866\r\n"),
      "GET / HTTP/1.1\r\nHost: [2001:db8::1%25eth0]:8080\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: my_host-1.example.:8443\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: b\xc3\xbc"
      "cher.example\r\n\r\n",
      "GET / HTTP/1.1\r\nHost:\r\n\r\n",
      "CONNECTION /a HTTP/1.1\r\nHost: a\r\n\r\n",
      get("Connection: keep-alive, Upgrade, HTTP2-Settings, TE\r\n"),
      get("Expect: 100-Continue\r\n"),
      get("Proxy-Connection: keep-alive\r\n"),
      post("Content-Type: text/plain; charset=Shift_JIS\r\nContent-Type: text/plain; charset=shift_jis\r\n"),
      post("X-HTTP-Method-Override: PATCH\r\n"),
      post("X-HTTP-Method: MERGE\r\n"),
      "GET http://shop.example/a HTTP/1.1\r\nHost: shop.example\r\n\r\n",
      "GET http://shop.example:80/a HTTP/1.1\r\nHost: Shop.Example\r\n\r\n",
      "GET http://[2001:db8::1]:80/a HTTP/1.1\r\nHost: [2001:db8::1]\r\n\r\n",
      "GET /go?to=http://other.example/ HTTP/1.1\r\nHost: shop.example\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: shop.example\r\nX-Name: J\xc3\xbcrgen\r\nX-Tab: a\tb\r\nX_Under: 1\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost: shop.example\r\n\r\n",
      "PROPFIND /dav HTTP/1.1\r\nHost: shop.example\r\nDepth: 1\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: shop.example",
  };
  for (const std::string& request : requests) EXPECT_EQ(dump(request), "") << request;
}

TEST(HttpViolation, EveryDisguiseOfTransferEncoding) {
  // Each byte at each place of the name and around the value: whatever is not the plain header is told of,
  // and what is told of at `balanced` is never the plain header.
  const std::string plain = "Transfer-Encoding: chunked";
  std::size_t told = 0;
  for (std::size_t at = 0; at <= plain.size(); ++at) {
    for (unsigned c = 0; c < 256; ++c) {
      std::string line = plain;
      line.insert(at, 1, static_cast<char>(c));
      const std::string out = dump(post(line + "\r\n"));
      const bool balanced = out.find("(balanced)") != std::string::npos;
      told += balanced ? 1 : 0;
      if (c == 0) {
        EXPECT_TRUE(balanced) << at;
      } else if (at > 19 && at < plain.size() && c != ' ' && c != '\t' && c != '\n' && c != ',' &&
                 c != 0x0d) {
        EXPECT_NE(out, "") << line;
      } else if (at == plain.size() && (c == ' ' || c == '\t')) {
        EXPECT_EQ(out, "") << line;
      }
    }
  }
  EXPECT_GT(told, 500u);
}

TEST(Chunks, ReadAsFarAsTheyAreWellFormed) {
  struct Case {
    const char* body;
    const char* dump;
  };
  const Case cases[] = {
      {"", "-"},
      {"0", "-"},
      {"0\r\n\r\n", "begun ended ''"},
      {"0\n\nX", "begun ended 'X'"},
      {"3\r\nabc\r\n0\r\n\r\nrest", "begun ended 'rest'"},
      {"3 \r\nabc\r\n0\r\nTrailer: a\r\n\r\nrest", "begun ended 'rest'"},
      {"3;x=\"y\"\r\nabc\r\n", "begun extension ''"},
      {"3\r\nabcd\r\n0\r\n\r\n", "begun ''"},
      {"ffffffffffffffff\r\nabc", "begun ''"},
      {"a=1", "-"},
      {"add\r\n", "begun ''"},
      {"5 apples\r\n", "-"},
  };
  for (const Case& row : cases) {
    const Chunks chunks = read_chunks(row.body);
    std::string out = chunks.begun ? "begun " : "-";
    if (chunks.ended) out += "ended ";
    if (chunks.extension) out += "extension ";
    if (chunks.begun) out += "'" + std::string(chunks.rest) + "'";
    EXPECT_EQ(out, row.dump) << row.body;
  }
}

}  // namespace
}  // namespace wafd::detect
