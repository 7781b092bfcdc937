#include "detect/event_maker.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "detect/core/record_cut.h"
#include "detect/detail.h"

namespace wafd::detect {
namespace {

namespace json = boost::json;

Rule rule(std::uint32_t number, const char* module, AttackType type, std::optional<Sensitivity> from) {
  Rule r;
  r.number = number;
  r.id = std::string(module) + "/0123456789abcdef0123456789abcdef";
  r.module = module;
  r.name = "A rule";
  r.attack_type = type;
  r.risk = Risk::kHigh;
  r.denies_from = from;
  return r;
}

// A request with two findings, judged on a site with a session cookie.
struct Case {
  Rule sqli = rule(7, "m_sqli", AttackType::kSqli, Sensitivity::kBalanced);
  Rule xss = rule(9, "m_xss", AttackType::kXss, std::nullopt);
  SiteSettings site;
  std::string head =
      "POST /a%2Fb?id=1%27&password=pw HTTP/1.1\r\nHost: shop.example:8080\r\nUser-Agent: ua\r\n"
      "Referer: http://r/?pwd=x\r\nCookie: a=1; sess=S1\r\nContent-Type: "
      "application/x-www-form-urlencoded\r\n"
      "Authorization: Basic c2VjcmV0\r\n\r\n";
  std::string body = "q=<script>&password=' or 1=1--";
  Request request;
  RequestHead parsed;
  Verdict verdict;
  Decision decision;
  EventContext context;

  Case() {
    site.uuid = "12";
    site.name = "Shop";
    site.url = "https://shop.example";
    site.session_cookie = "sess";
    request.head = head;
    request.body = body;
    request.connection.scheme = "https";
    request.connection.src_ip = "203.0.113.7";
    request.connection.src_port = 4711;
    request.connection.dest_ip = "10.0.0.1";
    request.connection.dest_port = 443;
    request.connection.proxy_name = "gw";
    request.end_time_us = 1'760'000'000'125'900;
    parsed.parse(head);
    Finding one;
    one.rule = &sqli;
    one.denies_from = sqli.denies_from;
    one.location = Location::kBody;
    one.name = "password";
    one.payload = "' or 1=1--";
    one.decode_path = "plus|percent";
    one.excerpt = "hunter2' or 1=1--";
    one.in_body = true;
    one.raw_begin = static_cast<std::uint32_t>(body.find("' or"));
    one.raw_end = static_cast<std::uint32_t>(body.size());
    Finding two;
    two.rule = &xss;
    two.denies_from = xss.denies_from;
    two.location = Location::kBody;
    two.name = "q";
    two.payload = "<script>";
    two.excerpt = "<script>";
    two.in_body = true;
    two.raw_begin = 2;
    two.raw_end = 10;
    verdict.findings = {one, two};
    verdict.inspected_bytes = verdict.total_bytes = head.size() + body.size();
    decision.action = Action::kDeny;
    decision.record = true;
    decision.weightiest = 0;
    decision.site = &site;
    decision.attack_type = AttackType::kSqli;
    decision.risk = Risk::kHigh;
    decision.rule_id = sqli.id;
    decision.rule_module = "m_sqli";
    decision.block_reason = "web";
    decision.reason = "A tautology";
    context.id = *EventId::parse("00112233445566778899aabbccddeeff");
    context.node = "n1";
    context.now_us = 1'760'000'000'126'000;
    context.detect_us = 55;
    context.timestamp_human = "2025-10-09 08:53:20";
    context.place = {"DE", "Hessen", "Frankfurt"};
  }

  EventRecord make() const { return make_event_record(request, parsed, verdict, decision, context); }
};

json::object object(const std::string& text) { return json::parse(text).as_object(); }

TEST(EventMaker, EveryMember) {
  const Case c;
  const EventRecord record = c.make();
  EXPECT_EQ(
      record.json,
      R"({"scheme":"https","src_ip":"203.0.113.7","src_port":4711,"socket_ip":"203.0.113.7","upstream_addr":"10.0.0.1",)"
      R"("req_start_time":1760000000125,"rsp_start_time":null,"req_end_time":1760000000125,"rsp_end_time":null,)"
      R"("host":"shop.example","method":"POST","query_string":"id=1%27&password=***",)"
      R"("event_id":"00112233445566778899aabbccddeeff","session":"S1","site_uuid":"12",)"
      R"("site_url":"https://shop.example","req_detector_name":"n1","req_detect_time":55,"req_proxy_name":"gw",)"
      R"("req_rule_id":"m_sqli/0123456789abcdef0123456789abcdef","req_location":"body","req_payload":"' or 1=1--",)"
      R"("req_decode_path":"plus|percent","req_rule_module":"m_sqli","req_http_body_is_truncate":0,)"
      R"("rsp_http_body_is_truncate":0,"req_skynet_rule_id_list":[7,9],"http_body_is_abandoned":0,"country":"DE",)"
      R"("province":"Hessen","city":"Frankfurt","timestamp":1760000000,"payload":"' or 1=1--","location":"body",)"
      R"("rule_id":"m_sqli/0123456789abcdef0123456789abcdef","decode_path":"plus|percent","cookie":"a=1; sess=S1",)"
      R"("user_agent":"ua","referer":"http://r/?pwd=***","timestamp_human":"2025-10-09 08:53:20",)"
      R"("resp_reason_phrase":"","module":"m_sqli","reason":"A tautology","proxy_name":"gw","node":"n1",)"
      R"("dest_port":443,"dest_ip":"10.0.0.1","urlpath":"/a/b","protocol":"https","attack_type":"sqli",)"
      R"("risk_level":"high","action":"deny","req_header_raw":"POST /a%2Fb?id=1%27&password=*** HTTP/1.1\u000d\u000a)"
      R"(Host: shop.example:8080\u000d\u000aUser-Agent: ua\u000d\u000aReferer: http://r/?pwd=***\u000d\u000a)"
      R"(Cookie: a=1; sess=S1\u000d\u000aContent-Type: application/x-www-form-urlencoded\u000d\u000a)"
      R"(Authorization: ***\u000d\u000a\u000d\u000a","body":"q=<script>&password=***","req_block_reason":"web",)"
      R"("req_attack_type":"sqli","req_risk_level":"high","req_action":"deny"})");
  EXPECT_EQ(record.time_ms, 1760000000126);
  EXPECT_EQ(record.src_ip, "203.0.113.7");
  EXPECT_EQ(record.site_uuid, "12");
  EXPECT_EQ(record.rule_id, c.sqli.id);
  EXPECT_EQ(record.action, Action::kDeny);
  EXPECT_EQ(record.json.substr(record.offsets.resp_reason_phrase, 2), "\"\"");
}

TEST(EventMaker, DetailBlock) {
  const Case c;
  const json::object detail = object(c.make().detail);
  EXPECT_EQ(detail.at("version"), 1);
  EXPECT_EQ(detail.at("enforcement"), "inline");
  EXPECT_EQ(detail.at("site").at("mode"), "block");
  EXPECT_EQ(detail.at("site").at("name"), "Shop");
  EXPECT_EQ(detail.at("reason"), "A tautology");
  EXPECT_EQ(detail.at("weightiest"), 0);
  EXPECT_EQ(detail.at("masked"), true);
  EXPECT_EQ(detail.at("inspection").at("limit_reached"), false);
  EXPECT_EQ(detail.at("inspection").at("body_octets"), c.body.size());
  ASSERT_EQ(detail.at("findings").as_array().size(), 2u);
  const json::object one = detail.at("findings").at(0).as_object();
  EXPECT_EQ(one.at("rule_number"), 7);
  EXPECT_EQ(one.at("rule_name"), "A rule");
  EXPECT_EQ(one.at("attack_type"), "sqli");
  EXPECT_EQ(one.at("risk_level"), "high");
  EXPECT_EQ(one.at("location"), "body");
  EXPECT_EQ(one.at("name"), "password");
  EXPECT_EQ(one.at("denies_from"), "balanced");
  EXPECT_EQ(one.at("payload"), "' or 1=1--");  // the evidence stays
  EXPECT_EQ(one.at("excerpt"), "' or 1=1--");  // what is around it does not
  EXPECT_EQ(one.at("masked"), true);
  EXPECT_EQ(detail.at("findings").at(1).at("denies_from"), nullptr);
  EXPECT_EQ(detail.at("findings").at(1).at("masked"), false);
}

// A span points into the member of the record, whatever masks and line ends changed before it.
TEST(EventMaker, SpansPointIntoTheRecord) {
  Case c;
  c.head = "GET /?password=longer-than-the-mask&\xff=1 HTTP/1.1\nX: <svg>\n\n";
  c.request.head = c.head;
  c.parsed.parse(c.head);
  c.verdict.findings[0].in_body = false;
  c.verdict.findings[0].raw_begin = static_cast<std::uint32_t>(c.head.find("<svg>"));
  c.verdict.findings[0].raw_end = c.verdict.findings[0].raw_begin + 5;
  const EventRecord record = c.make();
  const json::object members = object(record.json);
  const json::object detail = object(record.detail);
  const auto cut = [&](const json::value& finding, const char* member) {
    const auto begin = finding.at("span").at("begin").to_number<std::size_t>();
    const auto end = finding.at("span").at("end").to_number<std::size_t>();
    return std::string(members.at(member).as_string()).substr(begin, end - begin);
  };
  EXPECT_EQ(detail.at("findings").at(0).at("span").at("part"), "head");
  EXPECT_EQ(cut(detail.at("findings").at(0), "req_header_raw"), "<svg>");
  EXPECT_EQ(cut(detail.at("findings").at(1), "body"), "<script>");
  const Case masked;
  const EventRecord other = masked.make();
  const json::object other_members = object(other.json);
  const json::value span = object(other.detail).at("findings").at(0).at("span");
  EXPECT_EQ(std::string(other_members.at("body").as_string())
                .substr(span.at("begin").to_number<std::size_t>(),
                        span.at("end").to_number<std::size_t>() - span.at("begin").to_number<std::size_t>()),
            "***");
}

TEST(EventMaker, WhatTheGatewaySaidAndDidNotSay) {
  struct Row {
    const char* connection_host;
    const char* head;
    const char* server_name;
    const char* expected;
  };
  const Row rows[] = {
      {"", "GET / HTTP/1.1\r\nHost: a.example:81\r\n\r\n", "", "a.example"},
      {"b.example:444", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "", "b.example"},
      {"[::1]:80", "GET / HTTP/1.1\r\n\r\n", "", "[::1]"},
      {"::1", "GET / HTTP/1.1\r\n\r\n", "", "::1"},
      {"", "GET / HTTP/1.0\r\n\r\n", "vhost.example", "vhost.example"},
      {"", "GET / HTTP/1.0\r\n\r\n", "_", ""},
      {"", "", "", ""},
  };
  for (const auto& row : rows) {
    Case c;
    c.head = row.head;
    c.request.head = c.head;
    c.parsed.parse(c.head);
    c.request.connection.host = row.connection_host;
    c.request.connection.server_name = row.server_name;
    EXPECT_EQ(object(c.make().json).at("host"), row.expected) << row.head;
  }
  Case c;
  c.request.connection = {};
  c.request.end_time_us = 0;
  c.request.body_truncated = true;
  c.verdict.body_abandoned = true;
  c.request.connection.upstream_addr = "10.9.9.9:80";
  c.request.connection.socket_ip = "10.8.8.8";
  c.request.connection.scheme = "gopher";  // anything may be claimed, the record has http or https
  const json::object o = object(c.make().json);
  EXPECT_EQ(o.at("scheme"), "http");
  EXPECT_EQ(o.at("upstream_addr"), "10.9.9.9:80");
  EXPECT_EQ(o.at("socket_ip"), "10.8.8.8");
  EXPECT_EQ(o.at("req_end_time"), 1760000000126);
  EXPECT_EQ(o.at("req_http_body_is_truncate"), 1);
  EXPECT_EQ(o.at("http_body_is_abandoned"), 1);
}

TEST(EventMaker, ListDecisionHasNoFinding) {
  Case c;
  c.verdict.findings.clear();
  c.decision.weightiest = -1;
  c.decision.rule_id = "m_acl/0";
  c.decision.rule_module = "m_acl";
  c.decision.attack_type = AttackType::kAcl;
  c.decision.block_reason = "acl";
  const EventRecord record = c.make();
  const json::object o = object(record.json);
  EXPECT_EQ(o.at("req_location"), "");
  EXPECT_EQ(o.at("req_payload"), "");
  EXPECT_EQ(o.at("attack_type"), "acl");
  EXPECT_EQ(o.at("req_block_reason"), "acl");
  EXPECT_TRUE(o.at("req_skynet_rule_id_list").as_array().empty());
  EXPECT_EQ(object(record.detail).at("weightiest"), nullptr);
}

TEST(EventMaker, HostileBytesEverywhere) {
  std::string every;
  for (int i = 255; i >= 0; --i) every += static_cast<char>(i);
  Case c;
  c.head = every + " " + every + "?" + every + " HTTP/1.1\r\n" + every + ": " + every +
           "\r\nCookie: " + every + "\r\n\r\n";
  c.body = every;
  c.request.head = c.head;
  c.request.body = c.body;
  c.parsed.parse(c.head);
  c.request.connection.src_ip = every;
  c.request.connection.host = every;
  c.request.connection.proxy_name = every;
  c.site.name = every;
  for (auto& finding : c.verdict.findings) {
    finding.name = finding.payload = finding.excerpt = finding.reason = every;
    finding.raw_end = 4'000'000;
  }
  const EventRecord record = c.make();
  RecordValues values;
  EXPECT_TRUE(scan_record(record.json, values));
  object(record.json);
  object(record.detail);

  for (std::size_t i = 0; i < 300; ++i) c.verdict.findings.push_back(c.verdict.findings[0]);
  c.head = std::string(1 << 20, '\n');
  c.body = std::string(1 << 20, '"');
  c.request.head = c.head;
  c.request.body = c.body;
  c.parsed.parse(c.head);
  const EventRecord big = c.make();
  EXPECT_TRUE(scan_record(big.json, values));
  EXPECT_EQ(object(big.detail).at("findings").as_array().size(), 64u);
  EXPECT_EQ(object(big.detail).at("findings_left_out"), 238);
}

// Wherever a request carries a secret, neither record nor detail block shows it, whatever else is found
// there.
TEST(EventMaker, NoSecretGetsOut) {
  const std::string secret = "Zq7-hunter";
  struct Place {
    const char* target;
    const char* headers;
    const char* body;
  };
  const Place places[] = {
      {"/?password=@", "", ""},
      {"/?user%5Bpwd%5D=@", "", ""},
      {"/a;password=@/b", "", ""},
      {"/?next=%2Fx%3Faccess_token%3D@", "", ""},
      {"/?j={\"client_secret\":\"@\"}", "", ""},
      {"http://u:@@h/", "", ""},
      {"/", "Authorization: Bearer @\r\n", ""},
      {"/", "Proxy-Authorization: @\r\n", ""},
      {"/", "Cookie: a=1; passwd=@; b=2\r\n", ""},
      {"/", "Cookie: j=%7B%22password%22%3A%22@%22%7D\r\n", ""},
      {"/", "Referer: https://h/x?api_key=@&b=1\r\n", ""},
      {"/", "Referer: https://h/#id_token=@\r\n", ""},
      {"/", "X-Rewrite-URL: /a?secret=@\r\n", ""},
      {"/", "User-Agent: x password=@ y\r\n", ""},
      {"/", "Content-Type: application/x-www-form-urlencoded\r\n", "q=1&password=@&r=2"},
      {"/", "Content-Type: application/json\r\n", "{\"a\":[{\"password\":\"@\"}]}"},
      {"/", "Content-Type: application/json\r\n", "{\"a\":\"{\\\"password\\\":\\\"@\\\"}\"}"},
      {"/", "Content-Type: application/json\r\n", "{\"query\":\"{ login(password: \\\"@\\\") }\"}"},
      {"/", "Content-Type: application/json\r\n", "{\"query\":\"q\",\"variables\":{\"in\":{\"pwd\":\"@\"}}}"},
      {"/", "Content-Type: text/xml\r\n", "<?xml version='1.0'?><a><password>@</password></a>"},
      {"/", "Content-Type: text/xml\r\n", "<a password=\"@\"/>"},
      {"/", "Content-Type: text/xml\r\n", "<m><name>password</name><value>@</value></m>"},
      {"/", "Content-Type: multipart/form-data; boundary=B\r\n",
       "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n@\r\n--B--\r\n"},
      {"/", "Content-Type: text/plain\r\n", "password=@"},
      {"/", "", "log: password=@ end"},
  };
  const auto filled = [&](std::string text) {
    for (std::size_t at = text.rfind('@'); at != std::string::npos;
         at = at == 0 ? at : text.rfind('@', at - 1)) {
      if (text.substr(at, 2) == "@h") continue;
      text.replace(at, 1, secret);
      break;
    }
    return text;
  };
  for (const auto& place : places) {
    Case c;
    c.head =
        filled(std::string("POST ") + place.target + " HTTP/1.1\r\n" + place.headers) + "X: <svg>\r\n\r\n";
    if (std::string(place.headers).find('@') == std::string::npos) c.body = filled(place.body);
    if (c.head.find(secret) == std::string::npos && c.body.find(secret) == std::string::npos) {
      ADD_FAILURE() << "no secret in the case " << place.target;
      continue;
    }
    c.request.head = c.head;
    c.request.body = c.body;
    c.parsed.parse(c.head);
    c.verdict.findings.clear();
    // A finding whose excerpt shows what stands around it, of every window over the request.
    const std::string whole = c.head + c.body;
    for (std::size_t begin = 0; begin < whole.size() && c.verdict.findings.size() < kMaxDetailFindings;
         begin += 5) {
      Finding finding;
      finding.rule = &c.sqli;
      finding.denies_from = c.sqli.denies_from;
      finding.name = "q";
      finding.payload = "<svg>";
      finding.excerpt = whole.substr(begin, 64);
      finding.raw_begin = static_cast<std::uint32_t>(c.head.find("<svg>"));
      finding.raw_end = finding.raw_begin + 5;
      c.verdict.findings.push_back(std::move(finding));
    }
    const EventRecord record = c.make();
    const std::string shown = record.json + record.detail;
    // Not its end either, of which too little is left to be told from chance.
    EXPECT_EQ(shown.find(secret), std::string::npos) << whole << "\n" << shown;
    EXPECT_EQ(shown.find(secret.substr(4)), std::string::npos) << whole << "\n" << shown;
    EXPECT_NE(shown.find("***"), std::string::npos) << whole;
    RecordValues values;
    EXPECT_TRUE(scan_record(record.json, values));
  }
}

}  // namespace
}  // namespace wafd::detect
