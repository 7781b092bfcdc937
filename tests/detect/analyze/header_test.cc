// Lines of messages, and the evidence and verdicts of values that end their line and add some.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/http/header_matcher.h"
#include "detect/analyze/http/message_lines.h"
#include "detect/decode/base/decode_flags.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

std::string lines(std::string_view text) {
  static constexpr std::string_view kNames[] = {"end",     "text",   "field",  "misfit",
                                                "unknown", "status", "request"};
  http::MessageLines reader(text);
  std::string out;
  for (http::Line line = reader.next(); line.kind != http::LineKind::kEnd; line = reader.next()) {
    out += (out.empty() ? "" : " ") + std::string(kNames[static_cast<std::size_t>(line.kind)]) + "[" +
           std::string(text.substr(line.begin, line.end - line.begin)) + "]";
  }
  return out;
}

TEST(MessageLines, Table) {
  EXPECT_EQ(lines(""), "");
  EXPECT_EQ(lines("\r\n\r\n"), "");
  EXPECT_EQ(lines("en\r\nSet-Cookie: a=b"), "text[] field[Set-Cookie:]");
  EXPECT_EQ(lines("Location: Vienna\nlocation:/a"), "misfit[Location:] field[location:]");
  EXPECT_EQ(lines("\n\tHTTP/1.1 200\rGET / HTTP/1.1"), "status[HTTP/1] request[GET]");
  EXPECT_EQ(lines("a\xe5\x98\x8a\xe5\x98\x8d"
                  "Refresh: 0"),
            "text[] field[Refresh:]");
  EXPECT_EQ(lines("a\xc4\x8d\xc4\x8aX-A:1"), "text[] unknown[X-A:]");
  EXPECT_EQ(lines("\xc4\x8dte\xe5"), "text[]");
  EXPECT_EQ(lines("1%\r0d%\n0aSet-Cookie: a=b"), "text[] text[] field[Set-Cookie:]");
  EXPECT_EQ(lines("GET it done\nTo: a@b.example\nTo: do"), "text[] field[To:] misfit[To:]");
}

TEST(HeaderMatcher, Evidence) {
  const auto matcher = make_header_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("en\r\nSet-Cookie: a=b"), "field(certain) [\r\nSet-Cookie:]");
  EXPECT_EQ(found("\nLocation: /a"), "ambiguous_field(certain) [\nLocation:]");
  EXPECT_EQ(found("two words\nVary-By: a\nServer-Timing: b"), "field(likely) [\nServer-Timing:]");
  EXPECT_EQ(found("db\nhost: a.example\nport: 5"),
            "unknown_field(likely) [\nport:]; ambiguous_field(possible) [\nhost:]");
  EXPECT_EQ(found("From: a@b.example\nContent-Type: text/plain"), "field(possible) [\nContent-Type:]");
  EXPECT_EQ(found("x\nBcc: a@b.example"), "mail_field(certain) [\nBcc:]");
  EXPECT_EQ(found("x\n\nHTTP/1.1 200 OK"), "answer(certain) [\n\nHTTP/1]");
  FieldContext body;
  body.location = Location::kBody;
  EXPECT_EQ(evidence_of(*matcher, "en\r\nSet-Cookie: a=b", body), "field(possible) [\r\nSet-Cookie:]");
  body.decode_flags = kEncodedLineEnd;
  EXPECT_EQ(evidence_of(*matcher, "en\r\nSet-Cookie: a=b", body), "field(certain) [\r\nSet-Cookie:]");
}

std::string in_form(std::string_view text, std::uint32_t flags = kEncodedLineEnd) {
  FieldContext context;
  context.location = Location::kBody;
  context.name = "name";
  context.decode_flags = flags;
  return verdict_in(analyzer_named("crlf"), text, context);
}

TEST(Header, BehindEveryLineEnd) {
  const Analyzer& analyzer = analyzer_named("crlf");
  for (const std::string end : {"\r\n", "\n", "\r", "\r\n ", "\n\t", "\xe5\x98\x8d\xe5\x98\x8a",
                                "\xe5\x98\x8a", "\r\n\r\n", "\xe2\x80\xa8"}) {
    for (const char* header :
         {"Set-Cookie: a=b", "set-cookie:a=b", "Location: http://a.example/", "Refresh: 0",
          "Access-Control-Allow-Credentials: true", "X-Accel-Redirect: /a", "X-Any: 1"}) {
      EXPECT_EQ(verdict_of(analyzer, "en" + end + header), "balanced") << end << header;
      EXPECT_EQ(verdict_of(analyzer, end + header, Location::kUrlPath), "balanced") << end << header;
      EXPECT_EQ(in_form("en" + end + header), "balanced") << end << header;
    }
    EXPECT_EQ(verdict_of(analyzer, "en" + end + "HTTP/1.1 200 OK"), "low") << end;
    EXPECT_EQ(verdict_of(analyzer, "en" + end + "GET /admin HTTP/1.1"), "balanced") << end;
    for (const char* header :
         {"Bcc: c@d.example", "cc:c@d.example", "To: c@d.example", "Return-Receipt-To: c@d.example"})
      EXPECT_EQ(in_form("a@b.example" + end + header), "balanced") << end << header;
  }
}

TEST(Header, Table) {
  struct Row {
    std::string_view text;
    const char* in_query;
    const char* in_form;
  };
  const Row rows[] = {
      // one value, continued
      {"en\r\nX-Injected: 1", "balanced", "balanced"},
      {"1%\r0d%\n0aSet-Cookie: a=b", "balanced", "balanced"},
      {"1\xc4\x8d\xc4\x8aSet-Cookie: a=b", "balanced", "balanced"},
      {"\r\nMIME-Version: 1.0", "balanced", "balanced"},
      {"en\r\nX-A: 1\r\nSet-Cookie: a=b", "balanced", "balanced"},
      {"/en\nLocation: //a.example/", "balanced", "balanced"},
      {"en\nStatus: 302", "balanced", "balanced"},
      {"John Doe\nBcc:a@b.example", "balanced", "balanced"},
      {"x\nTo:a@b.example", "balanced", "balanced"},
      {"a@b.example\nSubject: x\nTo: c@d.example", "balanced", "balanced"},
      {"a@b.example\nSubject:spam\n\nHello", "balanced", "balanced"},
      {"x\r\nDATA\r\nFrom:a@b.example", "balanced", "balanced"},
      {"en\xc2\x85Set-Cookie:a=b", "balanced", "balanced"},
      {"en\r\nMy-Own: 1", "balanced", "-"},
      {"/ HTTP/1.1\r\nHost: a.example\r\n\r\nGET /b", "balanced", "recorded"},
      {"en\r\nSet-Cookie \t: a=b", "balanced", "balanced"},
      {"\r\n\r\nGET /b HTTP/1.1", "balanced", "balanced"},
      {"\r\n\r\nHTTP/1.1 200 OK", "low", "low"},
      {"a red apple\r\nContent-Length: 0", "balanced", "balanced"},
      // messages, documents and prose
      {"From: a@b.example\nTo: c@d.example\nContent-Type: text/plain\n\nHi", "strict", "recorded"},
      {"HTTP/1.1 200 OK\nContent-Type: text/html\nSet-Cookie: a=b\n\n<p>", "strict", "recorded"},
      {"GET /a?b=c HTTP/1.1\nHost: a.example\nAccept: */*", "strict", "-"},
      {"BEGIN:VCALENDAR\nX-WR-CALNAME: a\nDTSTART;TZID=\n x:1\nLOCATION:https://a.example/b", "strict",
       "recorded"},
      {"server:\n  host: \"{{ .Values.host }}\"\n  port: 8080", "-", "-"},
      {"kind: Service\nmetadata:\n  content-type: text/html", "strict", "recorded"},
      {"```\nHTTP/1.1 200 OK\nSet-Cookie: a=b\n```", "strict", "recorded"},
      {"---\ncontent-type: page\n---", "strict", "recorded"},
      {"How do I set the\nContent-Type: application/json\nin a script?", "strict", "recorded"},
      {"Team offsite\nLocation: https://a.example/map\nTime: 9:00", "strict", "-"},
      {"db\nhost: db.example.org\nport: 5432", "strict", "-"},
      {"Hi Bob,\n-----Original Message-----\nFrom: A <a@b.example>\nSent: Monday\nTo: b@c.example", "strict",
       "-"},
      {"Example request\nGET /api HTTP/1.1", "balanced", "strict"},
      {"graph:\nx-axis: 5", "strict", "recorded"},
      // nothing at all
      {"a few words\nX-Ray: no", "-", "-"},
      {"Je\xc5\x99\xc3\xa1\x62 \xc4\x8dte\nlocation of it", "-", "-"},
      {"a b\nSubject: x", "-", "-"},
      {"12:30\nlunch", "-", "-"},
      {"note\nsubject: milk", "-", "-"},
      {"shopping\nto: buy milk", "-", "-"},
      {"Ort\nStatus: offen", "-", "-"},
      {"line\nlocation without a sign", "-", "-"},
      {"line\nfrom: Vienna", "-", "-"},
      {"Dear all,\nthe location: see below\nbest", "-", "-"},
      {"Set-Cookie: a=b", "-", "-"},
      {"GET /admin HTTP/1.1", "-", "-"},
      {"\xe5\x98\x8a", "-", "-"},
      {"\xe5\x98", "-", "-"},
  };
  const Analyzer& analyzer = analyzer_named("crlf");
  for (const Row& row : rows) {
    EXPECT_EQ(verdict_of(analyzer, row.text), row.in_query) << row.text;
    EXPECT_EQ(in_form(row.text), row.in_form) << row.text;
    // Lines that no decoding made: of parts of a form, calendars, mails.
    // An address before them is one of a form that sends mail.
    const bool addressed = std::string_view(row.text).starts_with("a@b.example");
    EXPECT_EQ(denied_at_balanced(in_form(row.text, 0)), addressed) << row.text;
    EXPECT_EQ(verdict_of(analyzer, row.text, Location::kBody, false, ""), "-") << row.text;
  }
}

}  // namespace
}  // namespace wafd::detect
