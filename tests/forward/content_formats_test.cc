#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "detect/core/record_json.h"
#include "forward/format/cef.h"
#include "forward/format/ecs.h"
#include "forward/format/leef.h"
#include "forward/format/sample_event.h"
#include "tests/support/format_property.h"

namespace wafd::forward {
namespace {

using test::Format;

constexpr std::int64_t kNow = 1'769'861'109'123'456;  // 2026-01-31T12:05:09.123456Z

template <class Escape>
std::string escaped(Escape escape, std::string_view text) {
  std::string out;
  escape(text, out);
  return out;
}

TEST(ContentFormats, EscapingTable) {
  struct Row {
    std::string_view text, cef, cef_header, leef;
  };
  using namespace std::string_view_literals;
  const Row rows[] = {
      {"", "", "", ""},
      {"plain", "plain", "plain", "plain"},
      {"a=b", "a\\=b", "a=b", "a=b"},
      {"a|b", "a|b", "a\\|b", "a|b"},
      {"a\\b", "a\\\\b", "a\\\\b", "a\\b"},
      {"\\=", "\\\\\\=", "\\\\=", "\\="},
      {"a\nb\r", "a\\nb\\r", "a b ", "a\\nb\\r"},
      {"a\tb", "a\\\\u0009b", "a\\\\u0009b", "a\\tb"},
      {"\x01\x7f\0"sv, "\\\\u0001\\\\u007f\\\\u0000", "\\\\u0001\\\\u007f\\\\u0000", "\\u0001\\u007f\\u0000"},
      {"\xc3\xa9\xf0\x9f\x90\xb1", "\xc3\xa9\xf0\x9f\x90\xb1", "\xc3\xa9\xf0\x9f\x90\xb1",
       "\xc3\xa9\xf0\x9f\x90\xb1"},
      {"\xc2\x85\xe2\x80\xa8", "\\\\u0085\\\\u2028", "\\\\u0085\\\\u2028", "\\u0085\\u2028"},
      {"\xff\xc3", "\\\\xff\\\\xc3", "\\\\xff\\\\xc3", "\\xff\\xc3"},
      {"x src=6.6.6.6", "x src\\=6.6.6.6", "x src=6.6.6.6", "x src=6.6.6.6"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(escaped(escape_cef, row.text), row.cef);
    EXPECT_EQ(escaped(escape_cef_header, row.text), row.cef_header);
    EXPECT_EQ(escaped(escape_leef, row.text), row.leef);
  }
}

std::string made(Content content, std::string_view json, std::size_t max = 65536,
                 std::string_view zone = "UTC", std::uint16_t response_status = 0) {
  std::string out;
  make_content_format(content, ZoneTime::of(zone).value(), 3)
      ->append(kNow / 1000, json, response_status, max, out);
  return out;
}

std::string sample() {
  ZoneTime utc;
  return sample_event(*EventId::parse("0123456789abcdef0123456789abcdef"), "node-1", kNow, utc).json;
}

TEST(ContentFormats, CefOfTheSample) {
  EXPECT_EQ(
      made(Content::kCef, sample()),
      "CEF:0|wafd|wafd|" WAFD_VERSION
      "|m_sqli/00000000000000000000000000000000|SQL injection|9|rt=1769861109123 "
      "externalId=0123456789abcdef0123456789abcdef act=deny cat=sqli src=192.0.2.7 spt=49152 "
      "dst=198.51.100.20 "
      "dpt=443 app=https dhost=shop.example requestMethod=GET "
      "request=https://shop.example/products?id\\=1%27%20OR%20%271%27\\=%271 "
      "requestClientApplication=wafd-sample/1 reason=Sample event: no such request was made dvchost=node-1 "
      "start=1769861109123 end=1769861109123 cs1Label=payload cs1=1' OR '1'\\='1 cs2Label=location cs2=query "
      "cs3Label=decodePath cs3=percent cs4Label=riskLevel cs4=high cs5Label=siteUuid cs5=0 "
      "cn1Label=detectTimeUs "
      "cn1=42 wafdSocketIp=192.0.2.7 wafdUpstreamAddr=198.51.100.20 wafdSiteUrl=https://shop.example/ "
      "wafdProxyName=sample wafdRuleModule=m_sqli wafdReqBodyTruncated=0 wafdRspBodyTruncated=0 "
      "wafdBodyAbandoned=0 wafdTimestampHuman=2026-01-31 12:05:09 wafdBlockReason=web wafdFormat=1 "
      "wafdRequestHeader=GET /products?id\\=1%27%20OR%20%271%27\\=%271 HTTP/1.1\\r\\nHost: shop.example\\r\\n"
      "User-Agent: wafd-sample/1\\r\\n\\r\\n");
}

TEST(ContentFormats, StatusOfTheResponse) {
  for (const auto& [content, key] : {std::pair{Content::kCef, " cn2Label=responseStatus cn2=404 "},
                                     std::pair{Content::kLeef, "\trspStatus=404\t"},
                                     std::pair{Content::kEcs, R"("response":{"status_code":404}})"}}) {
    EXPECT_NE(made(content, sample(), 65536, "UTC", 404).find(key), std::string::npos) << key;
    EXPECT_EQ(made(content, sample(), 65536, "UTC", 0).find(key), std::string::npos) << key;
  }
  EXPECT_EQ(made(Content::kJson, sample(), 65536, "UTC", 404), sample()) << "the record is closed";
}

TEST(ContentFormats, LeefOfTheSample) {
  std::string text = made(Content::kLeef, sample(), 65536, "Asia/Kolkata");
  std::replace(text.begin(), text.end(), '\t', '~');
  EXPECT_EQ(
      text,
      "LEEF:2.0|wafd|wafd|" WAFD_VERSION
      "|sqli|x09|devTime=2026-01-31T17:35:09.123+0530~devTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSZ~sev=9~cat="
      "deny~"
      "eventId=0123456789abcdef0123456789abcdef~src=192.0.2.7~srcPort=49152~dst=198.51.100.20~dstPort=443~"
      "policy=m_sqli/00000000000000000000000000000000~scheme=https~host=shop.example~method=GET~"
      "url=https://shop.example/products?id=1%27%20OR%20%271%27=%271~userAgent=wafd-sample/1~"
      "reason=Sample event: no such request was made~node=node-1~riskLevel=high~location=query~"
      "payload=1' OR '1'='1~decodePath=percent~siteUuid=0~siteUrl=https://shop.example/~"
      "reqStartTime=1769861109123~reqEndTime=1769861109123~detectTimeUs=42~socketIp=192.0.2.7~"
      "upstreamAddr=198.51.100.20~proxyName=sample~ruleModule=m_sqli~reqBodyTruncated=0~rspBodyTruncated=0~"
      "bodyAbandoned=0~timestampHuman=2026-01-31 12:05:09~blockReason=web~wafdFormat=1~"
      "requestHeader=GET /products?id=1%27%20OR%20%271%27=%271 HTTP/1.1\\r\\nHost: shop.example\\r\\n"
      "User-Agent: wafd-sample/1\\r\\n\\r\\n");
}

TEST(ContentFormats, EcsOfTheSample) {
  EXPECT_EQ(
      made(Content::kEcs, sample()),
      R"({"@timestamp":"2026-01-31T12:05:09.123+00:00","ecs":{"version":"8.11.0"},"message":"SQL injection",)"
      R"("event":{"kind":"alert","category":["web","intrusion_detection"],"type":["access","denied"],)"
      R"("action":"deny","id":"0123456789abcdef0123456789abcdef","module":"wafd","dataset":"wafd.event",)"
      R"("severity":9,"reason":"Sample event: no such request was made",)"
      R"("start":"2026-01-31T12:05:09.123+00:00","end":"2026-01-31T12:05:09.123+00:00"},)"
      R"("source":{"address":"192.0.2.7","ip":"192.0.2.7","port":49152},)"
      R"("destination":{"address":"198.51.100.20","ip":"198.51.100.20","port":443},)"
      R"("url":{"scheme":"https","domain":"shop.example","path":"/products",)"
      R"("query":"id=1%27%20OR%20%271%27=%271"},"http":{"request":{"method":"GET"}},)"
      R"("user_agent":{"original":"wafd-sample/1"},)"
      R"("rule":{"id":"m_sqli/00000000000000000000000000000000","ruleset":"m_sqli","category":"sqli",)"
      R"("name":"SQL injection"},"observer":{"name":"node-1","type":"waf","vendor":"wafd","product":"wafd",)"
      R"("version":")" WAFD_VERSION R"("},"host":{"name":"node-1"},)"
      R"("wafd":{"format":"1","socket_ip":"192.0.2.7","upstream_addr":"198.51.100.20","site_uuid":"0",)"
      R"("site_url":"https://shop.example/","req_detect_time":42,"proxy_name":"sample","location":"query",)"
      R"("payload":"1' OR '1'='1","decode_path":"percent","req_http_body_is_truncate":0,)"
      R"("rsp_http_body_is_truncate":0,"http_body_is_abandoned":0,"timestamp_human":"2026-01-31 12:05:09",)"
      R"("risk_level":"high","req_block_reason":"web",)"
      R"("req_header_raw":"GET /products?id=1%27%20OR%20%271%27=%271 HTTP/1.1\u000d\u000aHost: shop.example\u000d\u000a)"
      R"(User-Agent: wafd-sample/1\u000d\u000a\u000d\u000a"}})");
}

// Every member has a value of its own, so that one under a wrong key shows.
AttackEvent full_event() {
  AttackEvent e;
  e.scheme = "https";
  e.src_ip = "192.0.2.1";
  e.src_port = 1001;
  e.socket_ip = "192.0.2.2";
  e.upstream_addr = "upstream:81";
  e.req_start_time_ms = 1'700'000'000'001;
  e.rsp_start_time_ms = 1'700'000'000'002;
  e.req_end_time_ms = 1'700'000'000'003;
  e.rsp_end_time_ms = 1'700'000'000'004;
  e.host = "host.example";
  e.method = "PATCH";
  e.query_string = "a=b&c";
  e.event_id = *EventId::parse("00112233445566778899aabbccddeeff");
  e.session = "session value";
  e.site_uuid = "4711";
  e.site_url = "https://site.example/";
  e.detect_time_us = 77;
  e.proxy_name = "proxy";
  e.rule_id = "m_xss/11111111111111111111111111111111";
  e.location = "body_name";
  e.payload = "<script>";
  e.decode_path = "percent|json";
  e.rule_module = "m_xss";
  e.req_body_truncated = true;
  e.rsp_body_truncated = false;
  e.rule_numbers = {5, 6, 5};
  e.body_abandoned = true;
  e.country = "PT";
  e.province = "Lisboa";
  e.city = "Lisboa city";
  e.timestamp_s = 1'700'000'000;
  e.timestamp_human = "2023-11-14 22:13:20";
  e.cookie = "k=v; l=w";
  e.user_agent = "agent/1";
  e.referer = "https://referer.example/";
  e.resp_reason_phrase = "Not Found";
  e.reason = "because = of | this";
  e.node = "the-node";
  e.dest_port = 8443;
  e.dest_ip = "192.0.2.3";
  e.urlpath = "/p/a t\th";
  e.attack_type = AttackType::kXss;
  e.risk = Risk::kMedium;
  e.action = Action::kMonitor;
  e.header_raw = "PATCH /p HTTP/1.1\r\nX: y\r\n\r\n";
  e.body = "{\"b\":\"\xc3\xbc\"}";
  e.block_reason = "acl";
  return e;
}

TEST(ContentFormats, EveryMemberStandsWhereTheTableSays) {
  EXPECT_EQ(test::check_formats(full_event(), {}, 65536), "");
  std::string record;
  append_record_json(full_event(), record);
  const auto cef = test::judge_format(Format::kCef, record, made(Content::kCef, record), false);
  EXPECT_EQ(cef.error, "");
  EXPECT_EQ(cef.header, (std::vector<std::string>{"wafd", "wafd", WAFD_VERSION, full_event().rule_id,
                                                  "Cross-site scripting", "6"}));
  EXPECT_EQ(cef.keys.at("rt"), std::to_string(kNow / 1000));
  const auto leef = test::judge_format(Format::kLeef, record, made(Content::kLeef, record), false);
  EXPECT_EQ(leef.error, "");
  EXPECT_EQ(leef.header, (std::vector<std::string>{"wafd", "wafd", WAFD_VERSION, "xss", "x09"}));
  EXPECT_EQ(leef.keys.at("sev"), "6");
  const auto ecs = test::judge_format(Format::kEcs, record, made(Content::kEcs, record), false);
  EXPECT_EQ(ecs.error, "");
  EXPECT_EQ(ecs.keys.at("event.start"), "2023-11-14T22:13:20.001+00:00");
  EXPECT_EQ(ecs.keys.at("event.end"), "2023-11-14T22:13:20.003+00:00");
  EXPECT_EQ(ecs.keys.at("event.type"), "\"access\",\"allowed\"");
  EXPECT_EQ(ecs.keys.at("event.severity"), "6");
}

TEST(ContentFormats, SourcesThatAreNoIpV4Address) {
  AttackEvent e = full_event();
  e.src_ip = "2001:db8::1";
  std::string record;
  append_record_json(e, record);
  auto cef = test::parse_cef(made(Content::kCef, record)).keys;
  EXPECT_EQ(cef.at("src"), "2001:db8::1");
  EXPECT_EQ(cef.at("c6a2"), "2001:db8::1");
  EXPECT_EQ(cef.at("c6a2Label"), "Source IPv6 Address");
  e.src_ip = "unix:";
  record.clear();
  append_record_json(e, record);
  cef = test::parse_cef(made(Content::kCef, record)).keys;
  EXPECT_FALSE(cef.contains("src"));
  EXPECT_EQ(cef.at("shost"), "unix:");
  EXPECT_EQ(test::parse_leef(made(Content::kLeef, record)).keys.at("srcName"), "unix:");
  const std::string ecs = made(Content::kEcs, record);
  EXPECT_NE(ecs.find(R"("source":{"address":"unix:","port":1001,)"), std::string::npos) << ecs;
}

TEST(ContentFormats, CutInTheOrderOfTheRecord) {
  AttackEvent e = full_event();
  e.body = std::string(3000, 'b');
  e.req_body_truncated = false;
  e.query_string = std::string(600, 'q');
  e.cookie.clear();
  std::string record;
  append_record_json(e, record);
  for (const auto& [content, format] : {std::pair{Content::kCef, Format::kCef},
                                        {Content::kLeef, Format::kLeef},
                                        {Content::kEcs, Format::kEcs}}) {
    const std::string whole = made(content, record);
    // The body alone is shortened, and says so; then the query, the path untouched.
    auto v = test::judge_format(format, record, made(content, record, whole.size() - 1000), true);
    EXPECT_EQ(v.error, "");
    const bool ecs = format == Format::kEcs;
    const auto body = ecs                      ? "http.request.body.content"
                      : format == Format::kCef ? "wafdRequestBody"
                                               : "requestBody";
    const auto cut = ecs                      ? "wafd.req_http_body_is_truncate"
                     : format == Format::kCef ? "wafdReqBodyTruncated"
                                              : "reqBodyTruncated";
    const auto url = ecs ? "url.query" : format == Format::kCef ? "request" : "url";
    EXPECT_NE(v.keys.at(body).find("\u2026[cut "), std::string::npos);
    EXPECT_EQ(v.keys.at(cut), "1");
    EXPECT_EQ(v.keys.at(url).find("\u2026[cut "), std::string::npos);
    v = test::judge_format(format, record, made(content, record, whole.size() - 3200), true);
    EXPECT_EQ(v.error, "");
    EXPECT_NE(v.keys.at(url).find("\u2026[cut "), std::string::npos);
    if (ecs) continue;
    EXPECT_NE(v.keys.at(url).find("/p/a t"), std::string::npos);
  }
}

TEST(ContentFormats, TheSmallestMaximumKeepsWhatFindsTheEvent) {
  AttackEvent e = full_event();
  e.body = e.header_raw = e.cookie = e.query_string = std::string(2000, '\xe4');
  std::string record;
  append_record_json(e, record);
  const auto cef = test::judge_format(Format::kCef, record, made(Content::kCef, record, 400), true);
  EXPECT_EQ(cef.error, "");
  EXPECT_EQ(cef.keys.at("externalId"), e.event_id.text());
  EXPECT_EQ(cef.keys.at("src"), "192.0.2.1");
  EXPECT_EQ(cef.keys.at("act"), "monitor");
  const auto leef = test::judge_format(Format::kLeef, record, made(Content::kLeef, record, 400), true);
  EXPECT_EQ(leef.error, "");
  EXPECT_EQ(leef.keys.at("eventId"), e.event_id.text());
  EXPECT_EQ(leef.keys.at("cat"), "monitor");
  for (std::size_t max = 320; max < 3000; max += 13) {
    EXPECT_LE(made(Content::kCef, record, max).size(), max);
    EXPECT_LE(made(Content::kLeef, record, max).size(), max);
    if (max < 1100) continue;
    EXPECT_LE(made(Content::kEcs, record, max).size(), max);
  }
}

// The properties of the fuzz target, on a fixed set of texts that broke other formatters, at many maxima.
TEST(ContentFormats, HostileBytesAtEveryMaximum) {
  std::vector<std::string> texts = {
      "",
      std::string(5000, '\\'),
      std::string(3000, '='),
      "a=b c=d \\ \\\\ | || \t\t \n \r\n act=allow src=6.6.6.6\tsrc=6.6.6.6 externalId=x \"}{,:[]",
      "\xff\xfe\x80 \xc3\x28 \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\xaf",
      "\xe2\x80\xa6[cut 17] \xe2\x80\xa6[cut 99999999999] \xe2\x80\xa6[cut 0]",
      "x\xe2\x80\xa6[cut 17]",
      "\\x41\\xzz\\u0041",
  };
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  texts.push_back(all);
  std::string wide;
  for (int i = 0; i < 900; ++i) wide += i % 3 ? "\xe2\x82\xac" : "\xf0\x9f\x90\xb1";
  texts.push_back(wide);
  std::mt19937 random(20260131);
  for (int i = 0; i < 40; ++i) {
    std::string text;
    const std::size_t size = random() % 4000;
    while (text.size() < size)
      text += random() % 4 ? texts[3][random() % texts[3].size()] : static_cast<char>(random() % 256);
    texts.push_back(std::move(text));
  }
  std::size_t ran = 0;
  for (const std::string& text : texts)
    for (const std::size_t max : {640u, 700u, 1024u, 2048u, 2049u, 2500u, 4096u, 8192u, 65507u}) {
      TargetSettings t;
      t.bom = ran % 3 == 0;
      t.sequence_id = ran % 2 == 0;
      const auto seed = static_cast<std::uint32_t>(random());
      ASSERT_EQ(test::check_formats(test::hostile_event(text, seed), t, max), "") << ran << " max " << max;
      ++ran;
    }
  EXPECT_EQ(ran, 450u);
}

TEST(ContentFormats, TheJudgeRefusesWhatIsWrong) {
  std::string record;
  append_record_json(full_event(), record);
  std::string cef = made(Content::kCef, record);
  EXPECT_NE(test::judge_format(Format::kCef, record, cef.substr(0, cef.size() - 3), false).error, "");
  cef.insert(cef.find(" spt="), " spt=1");
  EXPECT_EQ(test::parse_cef(cef).error, "twice: spt");
  EXPECT_NE(test::parse_cef("CEF:0|a|b|c|d|e|f|k=a=b").error, "");
  EXPECT_NE(test::parse_cef("CEF:0|a|b|c|d|e|f|k=a\\tb").error, "");
  EXPECT_NE(test::parse_cef("CEF:0|a|b|c|d|e|f|k=a\nb").error, "");
  EXPECT_NE(test::parse_leef("LEEF:2.0|a|b|c|d|x09|k=a\tb").error, "");
  EXPECT_NE(test::parse_leef("LEEF:2.0|a|b|c|d|x09|k=a\tk=b").error, "");
  EXPECT_NE(test::check_utf8("\xc0\x80"), "");
  EXPECT_NE(test::compare_value(Format::kCef, "abcdef", "abc\u2026[cut 4]", true), "");
  EXPECT_EQ(test::compare_value(Format::kCef, "abcdef", "abc\u2026[cut 3]", true), "");
}

}  // namespace
}  // namespace wafd::forward
