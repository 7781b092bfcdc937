#include "detect/core/record_json.h"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detect/core/bytes.h"
#include "detect/core/record_cut.h"

namespace wafd {
namespace {

namespace json = boost::json;

AttackEvent ordinary() {
  AttackEvent e;
  e.scheme = "http";
  e.src_ip = "203.0.113.7";
  e.src_port = 51234;
  e.socket_ip = "203.0.113.7";
  e.upstream_addr = "10.0.0.8";
  e.req_start_time_ms = 1760000000123;
  e.req_end_time_ms = 1760000000125;
  e.host = "shop.example";
  e.method = "GET";
  e.query_string = "id=1%27%20or%201=1";
  e.event_id = *EventId::parse("00112233445566778899aabbccddeeff");
  e.site_uuid = "0";
  e.site_url = "https://shop.example";
  e.detect_time_us = 87;
  e.proxy_name = "kong";
  e.rule_id = "m_sqli/0123456789abcdef0123456789abcdef";
  e.location = "query";
  e.payload = "1' or 1=1";
  e.decode_path = "percent";
  e.rule_module = "m_sqli";
  e.rule_numbers = {11, 12, 11};
  e.timestamp_s = 1760000000;
  e.timestamp_human = "2025-10-09 08:53:20";
  e.user_agent = "curl/8";
  e.node = "waf-1";
  e.dest_port = 80;
  e.dest_ip = "10.0.0.8";
  e.urlpath = "/item";
  e.attack_type = AttackType::kSqli;
  e.risk = Risk::kHigh;
  e.action = Action::kDeny;
  e.header_raw = "GET /item?id=1%27%20or%201=1 HTTP/1.1\r\nHost: shop.example\r\n\r\n";
  e.block_reason = "web";
  return e;
}

// Every string of the event, so that a test can put the same bytes into each.
std::vector<std::string AttackEvent::*> all_strings() {
  using E = AttackEvent;
  return {&E::scheme,     &E::src_ip,     &E::socket_ip,    &E::upstream_addr,
          &E::host,       &E::method,     &E::query_string, &E::session,
          &E::site_uuid,  &E::site_url,   &E::proxy_name,   &E::rule_id,
          &E::location,   &E::payload,    &E::decode_path,  &E::rule_module,
          &E::country,    &E::province,   &E::city,         &E::timestamp_human,
          &E::cookie,     &E::user_agent, &E::referer,      &E::resp_reason_phrase,
          &E::reason,     &E::node,       &E::dest_ip,      &E::urlpath,
          &E::header_raw, &E::body,       &E::block_reason};
}

AttackEvent filled(std::string_view bytes) {
  AttackEvent e = ordinary();
  for (const auto member : all_strings()) e.*member = std::string(bytes);
  return e;
}

// An independent reading: a strict JSON parser for the values, the raw text for the order of the keys.
json::object check(const std::string& text) {
  json::parse_options options;
  options.max_depth = 2;
  json::error_code error;
  const json::value value = json::parse(text, error, {}, options);
  EXPECT_FALSE(error) << error.message() << "\n" << text;
  EXPECT_TRUE(value.is_object());
  if (!value.is_object()) return {};
  const json::object& object = value.as_object();
  EXPECT_EQ(object.size(), kRecordMembers);
  std::size_t i = 0;
  for (const auto& [key, member] : object) {  // Boost.JSON keeps the order of insertion
    if (i >= kRecordMembers) break;
    EXPECT_EQ(std::string_view(key), kMembers[i].name) << "member " << i + 1;
    switch (kMembers[i].type) {
      case MemberType::kString:
        EXPECT_TRUE(member.is_string()) << key;
        break;
      case MemberType::kInteger:
        EXPECT_TRUE(member.is_int64()) << key;
        break;
      case MemberType::kIntegerOrNull:
        EXPECT_TRUE(member.is_int64() || member.is_null()) << key;
        break;
      case MemberType::kIntegerList:
        EXPECT_TRUE(member.is_array()) << key;
        for (const auto& number : member.as_array()) EXPECT_TRUE(number.is_int64());
        break;
    }
    ++i;
  }
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t code_point = 0;
    const std::size_t length = utf8_sequence(text, at, code_point);
    EXPECT_NE(length, 0u) << "no UTF-8 at " << at;
    EXPECT_FALSE(code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) || code_point == 0x2028 ||
                 code_point == 0x2029)
        << "raw control character " << code_point << " at " << at;
    at += length == 0 ? 1 : length;
  }
  return object;
}

std::string text_of(std::string_view bytes) {
  std::string out;
  append_json_text(bytes, out);
  return out;
}

TEST(JsonText, Table) {
  struct Row {
    std::string_view in;
    std::string_view out;
  };
  using namespace std::string_view_literals;
  const Row rows[] = {
      {""sv, ""sv},
      {"plain ~"sv, "plain ~"sv},
      {"\"\\/"sv, "\\\"\\\\/"sv},
      {"\0\t\n\r\x1f"sv, "\\u0000\\u0009\\u000a\\u000d\\u001f"sv},
      {"\x7f"sv, "\\u007f"sv},
      {"\xc2\x80\xc2\x85\xc2\x9f\xc2\xa0"sv, "\\u0080\\u0085\\u009f\xc2\xa0"sv},
      {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa"sv, "\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa"sv},
      {"gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80"sv,
       "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80"sv},
      {"\x80"sv, "\\\\x80"sv},
      {"\xff\xfe"sv, "\\\\xff\\\\xfe"sv},
      {"\xc0\xaf"sv, "\\\\xc0\\\\xaf"sv},                        // overlong
      {"\xed\xa0\x80"sv, "\\\\xed\\\\xa0\\\\x80"sv},             // surrogate
      {"\xf4\x90\x80\x80"sv, "\\\\xf4\\\\x90\\\\x80\\\\x80"sv},  // beyond U+10FFFF
      {"\xe6\x97"sv, "\\\\xe6\\\\x97"sv},                        // ends early
      {"\xe6\x97x"sv, "\\\\xe6\\\\x97x"sv},
      {"\xef\xbf\xbe\xef\xbb\xbf"sv, "\xef\xbf\xbe\xef\xbb\xbf"sv},
  };
  for (const auto& row : rows) EXPECT_EQ(text_of(row.in), row.out);
}

TEST(JsonText, CapNeverSplitsACharacter) {
  struct Row {
    std::string_view in;
    std::size_t cap;
    std::string_view out;
  };
  const Row rows[] = {
      {"abcd", 4, "abcd"},
      {"abcd", 3, "abc\u2026[cut 1]"},
      {"abcd", 0, "\u2026[cut 4]"},
      {"ab\u65e5", 4, "ab\u2026[cut 3]"},
      {"ab\u65e5", 3, "ab\u2026[cut 3]"},
      {"ab\u65e5x", 5, "ab\u65e5\u2026[cut 1]"},
      {"\U0001f600", 3, "\u2026[cut 4]"},
      {"a\xff\xffz", 2, "a\\\\xff\u2026[cut 2]"},
  };
  for (const auto& row : rows) {
    std::string out;
    EXPECT_EQ(append_json_text_capped(row.in, row.cap, out), row.in.size() > row.cap);
    EXPECT_EQ(out, row.out);
  }
}

TEST(RecordJson, OrdinaryEventWhole) {
  std::string text = "before";
  const AmendableOffsets offsets = append_record_json(ordinary(), text);
  text.erase(0, 6);
  EXPECT_EQ(
      text,
      R"({"scheme":"http","src_ip":"203.0.113.7","src_port":51234,"socket_ip":"203.0.113.7","upstream_addr":"10.0.0.8",)"
      R"("req_start_time":1760000000123,"rsp_start_time":null,"req_end_time":1760000000125,"rsp_end_time":null,)"
      R"("host":"shop.example","method":"GET","query_string":"id=1%27%20or%201=1",)"
      R"("event_id":"00112233445566778899aabbccddeeff","session":"","site_uuid":"0","site_url":"https://shop.example",)"
      R"("req_detector_name":"waf-1","req_detect_time":87,"req_proxy_name":"kong",)"
      R"("req_rule_id":"m_sqli/0123456789abcdef0123456789abcdef","req_location":"query","req_payload":"1' or 1=1",)"
      R"("req_decode_path":"percent","req_rule_module":"m_sqli","req_http_body_is_truncate":0,)"
      R"("rsp_http_body_is_truncate":0,"req_skynet_rule_id_list":[11,12,11],"http_body_is_abandoned":0,"country":"",)"
      R"("province":"","city":"","timestamp":1760000000,"payload":"1' or 1=1","location":"query",)"
      R"("rule_id":"m_sqli/0123456789abcdef0123456789abcdef","decode_path":"percent","cookie":"","user_agent":"curl/8",)"
      R"("referer":"","timestamp_human":"2025-10-09 08:53:20","resp_reason_phrase":"","module":"m_sqli","reason":"",)"
      R"("proxy_name":"kong","node":"waf-1","dest_port":80,"dest_ip":"10.0.0.8","urlpath":"/item","protocol":"http",)"
      R"("attack_type":"sqli","risk_level":"high","action":"deny",)"
      R"("req_header_raw":"GET /item?id=1%27%20or%201=1 HTTP/1.1\u000d\u000aHost: shop.example\u000d\u000a\u000d\u000a",)"
      R"("body":"","req_block_reason":"web","req_attack_type":"sqli","req_risk_level":"high","req_action":"deny"})");
  check(text);
  EXPECT_EQ(text.substr(offsets.rsp_start_time, 5), "null,");
  EXPECT_EQ(text.substr(offsets.rsp_end_time, 5), "null,");
  EXPECT_EQ(text.substr(offsets.resp_reason_phrase, 3), "\"\",");
  EXPECT_EQ(text.substr(offsets.rsp_start_time - 17, 17), "\"rsp_start_time\":");
  EXPECT_EQ(text.substr(offsets.rsp_end_time - 15, 15), "\"rsp_end_time\":");
  EXPECT_EQ(text.substr(offsets.resp_reason_phrase - 21, 21), "\"resp_reason_phrase\":");
}

TEST(RecordJson, HostileBytesInEveryMember) {
  std::string every;
  for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
  const std::string rows[] = {
      every,
      "\xe2\x80\xa8\xe2\x80\xa9\"}],\\",
      "]\"}\r\n<30>1 - - - - - -",
      std::string(3, '\\'),
      "\",\"action\":\"allow",
      std::string("\0\0", 2),
      "\xed\xa0\x80\xf8\x88\x80\x80\x80",
  };
  for (const auto& bytes : rows) {
    for (const auto member : all_strings()) {
      AttackEvent e = ordinary();
      e.*member = bytes;
      std::string text;
      append_record_json(e, text);
      check(text);
    }
    std::string text;
    append_record_json(filled(bytes), text);
    const json::object object = check(text);
    EXPECT_EQ(object.at("host"), object.at("body"));
    EXPECT_EQ(object.at("payload"), object.at("req_payload"));
  }
}

TEST(RecordJson, CapsOfEveryMember) {
  const std::string big(20000, 'a');
  AttackEvent e = filled(big);
  e.rule_numbers.assign(500, 4294967295u);
  std::string text;
  append_record_json(e, text);
  const json::object object = check(text);
  for (const auto& member : kMembers) {
    if (member.type != MemberType::kString) continue;
    const std::string_view value = object.at(member.name).as_string();
    if (value.size() < 100) continue;  // made here: event id, type, risk, action
    EXPECT_EQ(value, std::string(member.cap, 'a') + "\u2026[cut " + std::to_string(20000 - member.cap) + "]")
        << member.name;
  }
  EXPECT_EQ(object.at("req_header_raw").as_string().size(), 8192u + 14u);
  EXPECT_EQ(object.at("body").as_string().size(), 4096u + 14u);
  EXPECT_EQ(object.at("req_skynet_rule_id_list").as_array().size(), 128u);
  EXPECT_EQ(object.at("req_http_body_is_truncate").as_int64(), 1);
  EXPECT_LT(text.size(), 64u * 1024);
}

TEST(RecordJson, NumbersAtTheirLimits) {
  AttackEvent e = ordinary();
  e.req_start_time_ms = INT64_MIN;
  e.rsp_start_time_ms = INT64_MAX;
  e.rsp_end_time_ms = -1;
  e.src_port = 65535;
  e.body_abandoned = e.rsp_body_truncated = e.req_body_truncated = true;
  e.rule_numbers = {};
  std::string text;
  const AmendableOffsets offsets = append_record_json(e, text);
  const json::object object = check(text);
  EXPECT_EQ(object.at("req_start_time").as_int64(), INT64_MIN);
  EXPECT_EQ(object.at("rsp_start_time").as_int64(), INT64_MAX);
  EXPECT_EQ(text.substr(offsets.rsp_end_time, 3), "-1,");
  EXPECT_EQ(object.at("http_body_is_abandoned").as_int64(), 1);
  EXPECT_EQ(object.at("rsp_http_body_is_truncate").as_int64(), 1);
  EXPECT_TRUE(object.at("req_skynet_rule_id_list").as_array().empty());
}

// --- cutting
// ---------------------------------------------------------------------------------------------------

std::string record(const AttackEvent& event) {
  std::string text;
  append_record_json(event, text);
  return text;
}

TEST(RecordScan, ReadsWhatIsWrittenAndNothingElse) {
  const std::string text = record(filled("a\"\\\\\"\xff"));
  RecordValues values;
  ASSERT_TRUE(scan_record(text, values));
  EXPECT_EQ(values[member_number("req_action") - 1], "\"deny\"");
  EXPECT_EQ(values[member_number("req_skynet_rule_id_list") - 1], "[11,12,11]");
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(scan_record(std::string_view(text).substr(0, length), values)) << length;
  }
  EXPECT_FALSE(scan_record(text + " ", values));
  EXPECT_FALSE(scan_record("{\"src_ip\"" + text.substr(9), values));
}

TEST(RecordCut, FixedOrder) {
  AttackEvent e = ordinary();
  e.body = std::string(400, 'b');
  e.header_raw = std::string(400, 'h');
  e.cookie = std::string(400, 'c');
  e.query_string = std::string(400, 'q');
  e.referer = std::string(400, 'r');
  e.user_agent = std::string(400, 'u');
  e.payload = std::string(400, 'p');
  e.reason = std::string(400, 'n');
  const std::string text = record(e);
  const char* order[] = {"body",    "req_header_raw", "cookie", "query_string",
                         "referer", "user_agent",     "reason"};
  const auto cut_members = [&](std::size_t max) {
    std::string out;
    EXPECT_EQ(cut_record_json(text, max, out), max < text.size());
    EXPECT_LE(out.size(), max);
    const json::object object = check(out);
    std::string names;
    for (const char* name : {"body", "req_header_raw", "cookie", "query_string", "referer", "user_agent",
                             "reason", "req_payload", "payload"}) {
      if (object.at(name).as_string().size() < 400) names += std::string(names.empty() ? "" : " ") + name;
    }
    EXPECT_EQ(object.at("req_http_body_is_truncate").as_int64(), names.empty() ? 0 : 1);
    return names;
  };
  EXPECT_EQ(cut_members(text.size()), "");
  std::string expected;
  std::size_t max = text.size() - 10;
  for (const char* name : order) {
    expected += std::string(expected.empty() ? "" : " ") + name;
    EXPECT_EQ(cut_members(max), expected);
    max -= 388;
  }
  EXPECT_EQ(cut_members(1900), expected + " req_payload");
}

TEST(RecordCut, KeepsAsMuchAsFitsAndCountsWhatIsGone) {
  AttackEvent e = ordinary();
  e.body = std::string(1000, 'b');
  const std::string text = record(e);
  std::string out;
  ASSERT_TRUE(cut_record_json(text, text.size() - 100, out));
  EXPECT_EQ(out.size(), text.size() - 101);  // one digit of the count was reserved in vain
  EXPECT_EQ(check(out).at("body").as_string(), std::string(887, 'b') + "\u2026[cut 113]");

  e.body = std::string(5000, 'b');  // capped already: the earlier loss is counted too
  std::string capped = record(e);
  out.clear();
  ASSERT_TRUE(cut_record_json(capped, capped.size() - 100, out));
  EXPECT_EQ(check(out).at("body").as_string(), std::string(3995, 'b') + "\u2026[cut 1005]");
}

TEST(RecordCut, NeverInsideCharacterOrEscape) {
  const std::string fillings[] = {"\u65e5",     "\xff",   std::string(1, '\0'), "\"", "\\",
                                  "\U0001f600", "\u2028", "a\xffz\u00fc\n"};
  for (const auto& filling : fillings) {
    AttackEvent e = ordinary();
    for (int i = 0; i < 60; ++i) e.body += filling;
    const std::string text = record(e);
    for (std::size_t less = 1; less < 60; ++less) {
      std::string out;
      ASSERT_TRUE(cut_record_json(text, text.size() - less, out));
      EXPECT_LE(out.size(), text.size() - less);
      const json::object object = check(out);
      const std::string_view body = object.at("body").as_string();
      const std::size_t mark = body.find("\u2026[cut ");
      ASSERT_NE(mark, std::string_view::npos);
      // N bytes of the value are gone, and what is left is whole repetitions' prefix.
      const std::string whole(check(text).at("body").as_string());
      EXPECT_EQ(body.substr(0, mark), whole.substr(0, mark));
      EXPECT_EQ(body.substr(mark), "\u2026[cut " + std::to_string(whole.size() - mark) + "]");
    }
  }
}

TEST(RecordCut, SmallestRecordStaysWhole) {
  for (const auto byte : {'a', '\0', '\xff', '"'}) {
    AttackEvent e = filled(std::string(9000, byte));
    e.rule_numbers.assign(500, 4294967295u);
    const std::string text = record(e);
    for (const std::size_t max : {60000u, 20000u, 8192u, 4096u, 2048u}) {
      std::string out = "x";
      EXPECT_EQ(cut_record_json(text, max, out), text.size() > max);
      check(out.substr(1));
      EXPECT_LE(out.size() - 1, max);
    }
    std::string out;
    EXPECT_TRUE(cut_record_json(text, 0, out));
    check(out);
    RecordProperty("smallest", static_cast<int>(out.size()));
    EXPECT_LE(out.size(), 1700u);  // a header of 348 bytes still fits before it in 2048
  }
}

TEST(RecordCut, OrdinaryRecordFitsIn2048) {
  AttackEvent e = ordinary();
  EXPECT_LT(record(e).size(), 1800u);
  e.header_raw.clear();
  EXPECT_LT(record(e).size(), 1700u);
}

TEST(RecordText, EmptiedNeverDropped) {
  AttackEvent e = filled("text");
  const std::string text = record(e);
  const auto with = [&](RequestText keep) {
    std::string out;
    append_with_request_text(text, keep, out);
    return check(out);
  };
  EXPECT_EQ(with(RequestText::kFull), check(text));
  const json::object headers = with(RequestText::kHeaders);
  EXPECT_EQ(headers.at("body"), "");
  EXPECT_EQ(headers.at("req_http_body_is_truncate"), 1);
  EXPECT_EQ(headers.at("req_header_raw"), "text");
  const json::object none = with(RequestText::kNone);
  for (const char* name : {"body", "req_header_raw", "cookie", "query_string", "referer", "session"}) {
    EXPECT_EQ(none.at(name), "") << name;
  }
  EXPECT_EQ(none.at("payload"), "text");
  EXPECT_EQ(none.at("urlpath"), "text");
}

}  // namespace
}  // namespace wafd
