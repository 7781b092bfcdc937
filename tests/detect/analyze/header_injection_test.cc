// Header injection: response headers, messages and mail headers behind a line end, in every spelling of one.
#include "detect/analyze/header_injection.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

TEST(HeaderInjection, HeadersBehindEveryLineEnd) {
  const auto analyzer = make_header_injection_analyzer();
  for (const std::string end :
       {"\r\n", "\n", "\r", "\r\n ", "\n\t", "\xe5\x98\x8d\xe5\x98\x8a", "\xe5\x98\x8a", "\r\n\r\n"}) {
    for (const char* header :
         {"Set-Cookie: a=b", "set-cookie:a=b", "Location: http://a.example/", "Content-Type: text/html",
          "Access-Control-Allow-Credentials: true", "X-Accel-Redirect: /a", "Refresh: 0"}) {
      EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, "en" + end + header))) << end << header;
      EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, end + header, Location::kUrlPath)))
          << end << header;
    }
    EXPECT_EQ(verdict_of(*analyzer, "en" + end + "HTTP/1.1 200 OK"), "low") << end;
    EXPECT_EQ(verdict_of(*analyzer, "en" + end + "GET /admin HTTP/1.1"), "balanced") << end;
    for (const char* header :
         {"Bcc: c@d.example", "cc:c@d.example", "To: c@d.example", "Return-Receipt-To: c@d.example"}) {
      EXPECT_EQ(verdict_of(*analyzer, "a@b.example" + end + header, Location::kBody), "balanced")
          << end << header;
    }
  }
}

TEST(HeaderInjection, NotLinesOfText) {
  const auto analyzer = make_header_injection_analyzer();
  for (const char* text : {"first line\nsecond line", "Dear all,\nthe location: see below\nbest",
                           "a: b\nlocation: Vienna\nstatus: ok", "Notes\n- to do\n- to buy", "key\nvalue",
                           "\xe5\x98\x8b\xe5\x98\x8c Set-Cookie: a", "Set-Cookie: a=b", "GET /admin HTTP/1.1",
                           "\xe5\x98\x8a", "\xe5", "\xe5\x98", "line\nfrom: Vienna"}) {
    EXPECT_FALSE(denied_at_balanced(verdict_of(*analyzer, text, Location::kBody))) << text;
  }
  const std::string log = "2024-01-01 GET / HTTP/1.1\n";
  std::string many;
  while (many.size() < 8192) many += log;
  EXPECT_EQ(verdict_of(*analyzer, many, Location::kBody), "-");
}

}  // namespace
}  // namespace wafd::detect
