// Header injection: response headers, messages and mail headers behind a line end, in every spelling of one.
#include "detect/analyze/http/header_injection.h"

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

TEST(HeaderInjection, Table) {
  struct Row {
    std::string_view text;
    const char* verdict;  // in a query
    const char* in_body;
  };
  const Row rows[] = {
      // one value, continued
      {"en\r\nX-Injected: 1", "balanced", "balanced"},
      {"1%\r0d%\n0aSet-Cookie: a=b", "balanced", "balanced"},
      {"1\xc4\x8d\xc4\x8aSet-Cookie: a=b", "balanced", "balanced"},
      {"\r\nMIME-Version: 1.0", "balanced", "-"},
      {"Je\xc5\x99\xc3\xa1\x62 \xc4\x8dte\nlocation of it", "-", "-"},
      {"graph:\nx-axis: 5", "strict", "-"},
      {"a few words\nX-Ray: no", "-", "-"},
      {"en\r\nX-A: 1\r\nSet-Cookie: a=b", "balanced", "balanced"},
      {"/en\nLocation: //a.example/", "balanced", "balanced"},
      {"en\nStatus: 302", "balanced", "balanced"},
      {"x\nBcc:a@b.example", "balanced", "balanced"},
      {"x\nTo:a@b.example", "balanced", "balanced"},
      {"a@b.example\nSubject: x\nTo: c@d.example", "balanced", "balanced"},
      {"a@b.example\nSubject:spam\n\nHello", "balanced", "balanced"},
      {"a b\nSubject: x", "-", "-"},
      {"x\r\nDATA\r\nFrom:a@b.example", "balanced", "balanced"},
      {"en\xe2\x80\xa8Set-Cookie:a=b", "balanced", "balanced"},
      {"en\xc2\x85Set-Cookie:a=b", "balanced", "balanced"},
      {"/ HTTP/1.1\r\nHost: a.example\r\n\r\nGET /b", "balanced", "balanced"},
      {"\r\n\r\nGET /b HTTP/1.1", "balanced", "balanced"},
      {"\r\n\r\nHTTP/1.1 200 OK", "low", "low"},
      // messages, documents and prose
      {"From: a@b.example\nTo: c@d.example\nContent-Type: text/plain\n\nHi", "strict", "-"},
      {"HTTP/1.1 200 OK\nContent-Type: text/html\nSet-Cookie: a=b\n\n<p>", "strict", "-"},
      {"GET /a?b=c HTTP/1.1\nHost: a.example\nAccept: */*", "strict", "-"},
      {"server:\n  host: \"{{ .Values.host }}\"\n  port: 8080", "strict", "-"},
      {"kind: Service\nmetadata:\n  content-type: text/html", "strict", "-"},
      {"# answer\nContent-Type: text/html", "balanced", "-"},
      {"```\nHTTP/1.1 200 OK\nSet-Cookie: a=b\n```", "low", "-"},
      {"How do I set the\nContent-Type: application/json\nin a script?", "strict", "-"},
      {"Team offsite\nLocation: Berlin\nTime: 9:00", "-", "-"},
      {"Team offsite\nLocation: https://a.example/map\nTime: 9:00", "strict", "-"},
      {"db\nhost: db.example.org\nport: 5432", "strict", "-"},
      {"Hi Bob,\n-----Original Message-----\nFrom: A <a@b.example>\nSent: Monday\nTo: b@c.example", "strict",
       "-"},
      {"Example request\nGET /api HTTP/1.1", "balanced", "-"},
      {"Ort\nStatus: offen", "strict", "-"},
      {"shopping\nto: buy milk", "strict", "-"},
      // nothing at all
      {"12:30\nlunch", "-", "-"},
      {"note\nsubject: milk", "-", "-"},
      {"line\nlocation without a sign", "-", "-"},
  };
  const auto analyzer = make_header_injection_analyzer();
  for (const Row& row : rows) {
    EXPECT_EQ(verdict_of(*analyzer, row.text), row.verdict) << row.text;
    EXPECT_EQ(verdict_of(*analyzer, row.text, Location::kBody), row.in_body) << row.text;
    EXPECT_EQ(verdict_of(*analyzer, row.text, Location::kFile), "-") << row.text;
  }
}

TEST(HeaderInjection, HintsAreMadeOfItsTables) {
  const auto analyzer = make_header_injection_analyzer();
  const std::string first = analyzer->hints()[0];
  for (const char* name : {"(set-cookie|", "|x-priority)", "|bcc|"})
    EXPECT_NE(first.find(name), first.npos) << name;
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
