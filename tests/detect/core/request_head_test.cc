#include "detect/core/request_head.h"

#include <string>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"

namespace wafd {
namespace {

std::string flag_names(std::uint32_t flags) {
  static constexpr const char* kNames[] = {"bad-line", "bare-lf",  "control",      "bad-name",
                                           "no-colon", "obs-fold", "unterminated", "too-many"};
  std::string out;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if ((flags & (1u << i)) != 0) out += (out.empty() ? "" : ",") + std::string(kNames[i]);
  }
  return out.empty() ? "-" : out;
}

// METHOD|PATH|QUERY or - |VERSION|name=value;...|flags
std::string dump(const RequestHead& head) {
  std::string out = std::string(head.method) + "|" + std::string(head.path) + "|" +
                    (head.has_query ? "?" + std::string(head.query) : "-") + "|" + std::string(head.version) +
                    "|";
  for (const HeaderField& field : head.fields)
    out += std::string(field.name) + "=" + std::string(field.value) + ";";
  return out + "|" + flag_names(head.flags);
}

struct Row {
  std::string head;
  std::string expected;
  std::string host;
};

TEST(RequestHead, Table) {
  using namespace std::string_literals;
  const Row rows[] = {
      {"GET / HTTP/1.1\r\n\r\n", "GET|/|-|HTTP/1.1||-", ""},
      {"GET /a?b=c&d HTTP/1.1\r\nHost: shop.example:81\r\nX:\ty z \t\r\n\r\n",
       "GET|/a|?b=c&d|HTTP/1.1|Host=shop.example:81;X=y z;|-", "shop.example"},
      {"GET /a? HTTP/1.1\r\n\r\n", "GET|/a|?|HTTP/1.1||-", ""},
      {"GET /a?b?c#d HTTP/2.0\r\n\r\n", "GET|/a|?b?c#d|HTTP/2.0||-", ""},
      {"GET http://u:p@a.example:80/x?y HTTP/1.1\r\nHost: b\r\n\r\n", "GET|/x|?y|HTTP/1.1|Host=b;|-",
       "a.example"},
      {"GET http://a.example?y HTTP/1.1\r\n\r\n", "GET||?y|HTTP/1.1||-", "a.example"},
      {"GET //a.example/http://x HTTP/1.1\r\nhOST: [::1]:8\r\n\r\n",
       "GET|//a.example/http://x|-|HTTP/1.1|hOST=[::1]:8;|-", "[::1]"},
      {"CONNECT a.example:443 HTTP/1.1\r\n\r\n", "CONNECT|a.example:443|-|HTTP/1.1||-", ""},
      {"OPTIONS * HTTP/1.1\r\n\r\n", "OPTIONS|*|-|HTTP/1.1||-", ""},
      // Line ends.
      {"GET / HTTP/1.1\nA: b\n\n", "GET|/|-|HTTP/1.1|A=b;|bare-lf", ""},
      {"\r\nGET / HTTP/1.1\r\n\r\n", "GET|/|-|HTTP/1.1||-", ""},
      {"GET / HTTP/1.1\r\nA: b\r\n", "GET|/|-|HTTP/1.1|A=b;|unterminated", ""},
      {"GET / HTTP/1.1", "GET|/|-|HTTP/1.1||unterminated", ""},
      {"GET / HTTP/1.1\r\n\r\nnot: read\r\n", "GET|/|-|HTTP/1.1||-", ""},
      // Request lines.
      {"GET\t/a?b\tHTTP/1.1\r\n\r\n", "GET|/a|?b|HTTP/1.1||bad-line", ""},
      {"GET\v/a?b\vHTTP/1.1\r\n\r\n", "GET|/a|?b|HTTP/1.1||bad-line,control", ""},
      {"GET\f/a?b HTTP/1.1\r\n\r\n", "GET|/a|?b|HTTP/1.1||bad-line,control", ""},
      {"GET\r/a?b\rHTTP/1.1\r\n\r\n", "GET|/a|?b|HTTP/1.1||bad-line,control", ""},
      {"GET\x1c/a?b\x1cHTTP/1.1\r\n\r\n", "GET\x1c|/a|?b\x1cHTTP/1.1|||bad-line,control", ""},
      {"GET\xa0/a?b\r\n\r\n", "GET\xa0|/a|?b|||bad-line", ""},
      {"", "||-|||bad-line,unterminated", ""},
      {"\r\n\r\n", "||-|||bad-line,unterminated", ""},
      {"GET\r\n\r\n", "GET||-|||bad-line", ""},
      {"GET /\r\n\r\n", "GET|/|-|||bad-line", ""},
      {"GET /?q=a or b HTTP/1.1\r\n\r\n", "GET|/|?q=a or b|HTTP/1.1||bad-line", ""},
      {"GET /?q=a or b\r\n\r\n", "GET|/|?q=a or b|||bad-line", ""},
      {" / HTTP/1.1\r\n\r\n", "|/|-|HTTP/1.1||bad-line", ""},
      {"G{T / HTTP/1.1\r\n\r\n", "G{T|/|-|HTTP/1.1||bad-line", ""},
      {"GET  HTTP/1.1\r\n\r\n", "GET||-|HTTP/1.1||bad-line", ""},
      // Fields.
      {"GET / HTTP/1.1\r\nA:\r\nA: 2\r\n\r\n", "GET|/|-|HTTP/1.1|A=;A=2;|-", ""},
      {"GET / HTTP/1.1\r\nA : b\r\n\r\n", "GET|/|-|HTTP/1.1|A=b;|bad-name", ""},
      {"GET / HTTP/1.1\r\n: b\r\n\r\n", "GET|/|-|HTTP/1.1|=b;|bad-name", ""},
      {"GET / HTTP/1.1\r\nodd\r\n\r\n", "GET|/|-|HTTP/1.1|=odd;|no-colon", ""},
      {"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET|/|-|HTTP/1.1|A=b;=c;|obs-fold", ""},
      {"GET / HTTP/1.1\r\nA: b\0c\r\n\r\n"s, "GET|/|-|HTTP/1.1|A=b\0c;|control"s, ""},
      {"GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", "GET|/|-|HTTP/1.1|A=b\rc;|control", ""},
      {"GET /\x7f HTTP/1.1\r\n\r\n", "GET|/\x7f|-|HTTP/1.1||control", ""},
      {"GET /\xff HTTP/1.1\r\n\xe4: b\r\n\r\n", "GET|/\xff|-|HTTP/1.1|\xe4=b;|bad-name", ""},
  };
  RequestHead head;  // reused on purpose: nothing of the row before may remain
  for (const Row& row : rows) {
    head.parse(row.head);
    EXPECT_EQ(dump(head), row.expected);
    EXPECT_EQ(head.host(), row.host) << row.head;
  }
}

TEST(RequestHead, FieldsBeyondTheLimitAreLeftOutAndSaid) {
  std::string text = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i < kMaxHeaderFields; ++i) text += "A: b\r\n";
  RequestHead head;
  head.parse(text + "\r\n");
  EXPECT_EQ(head.fields.size(), kMaxHeaderFields);
  EXPECT_EQ(flag_names(head.flags), "-");
  head.parse(text + "C: d\r\n\r\n");
  EXPECT_EQ(head.fields.size(), kMaxHeaderFields);
  EXPECT_EQ(flag_names(head.flags), "too-many");
  text += "C: d\r\ncookie: e\r\nF: g\r\nX-Forwarded-For: h\r\n\r\n";
  head.parse(text);  // which it points into
  ASSERT_EQ(head.fields.size(), kMaxHeaderFields + 2);
  EXPECT_EQ(head.value("Cookie"), "e");
  EXPECT_EQ(head.value("X-Forwarded-For"), "h");
}

TEST(RequestHead, FirstValueOfANameWithoutCase) {
  RequestHead head;
  head.parse("GET / HTTP/1.1\r\ncookie: a\r\nCookie: b\r\n\r\n");
  EXPECT_EQ(head.value("COOKIE"), "a");
  EXPECT_EQ(head.value("Cook"), "");
}

}  // namespace
}  // namespace wafd
