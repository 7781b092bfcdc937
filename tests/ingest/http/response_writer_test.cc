#include "ingest/http/response_writer.h"

#include <gtest/gtest.h>

namespace wafd::http {
namespace {

TEST(ResponseWriter, Whole) {
  const struct {
    Response response;
    WriteOptions options;
    const char* bytes;
  } rows[] = {
      {{200, {{"Content-Type", "text/plain"}}, "hi"},
       {},
       "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi"},
      {{200, {}, "hi"}, {true, true, 11, 0}, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"},
      {{204, {}, ""}, {}, "HTTP/1.1 204 No Content\r\n\r\n"},
      {{404, {}, ""},
       {false, false, 11, 0},
       "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"},
      {{200, {}, ""},
       {true, false, 10, 0},
       "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"},
      {{200, {}, ""},
       {true, false, 11, 784111777},
       "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n"},
      {{200, {{"X-A", "a\r\nSet-Cookie: b\x7f"}}, ""},
       {},
       "HTTP/1.1 200 OK\r\nX-A: a  Set-Cookie: b \r\nContent-Length: 0\r\n\r\n"},
  };
  for (const auto& row : rows) EXPECT_EQ(write(row.response, row.options), row.bytes);
}

TEST(ResponseWriter, Chunked) {
  const ChunkedWriter writer({});
  EXPECT_EQ(writer.head({200, {{"A", "b"}}, "ignored"}),
            "HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(writer.chunk(std::string(17, 'x')), "11\r\nxxxxxxxxxxxxxxxxx\r\n");
  EXPECT_EQ(writer.chunk(""), "");
  EXPECT_EQ(writer.end(), "0\r\n\r\n");
  const ChunkedWriter old({false, false, 10, 0});
  EXPECT_EQ(old.head({}), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(old.chunk("abc") + old.end(), "abc");
  const ChunkedWriter head({true, true, 11, 0});
  EXPECT_EQ(head.chunk("abc") + head.end(), "");
}

}  // namespace
}  // namespace wafd::http
