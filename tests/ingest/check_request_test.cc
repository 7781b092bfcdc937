#include "ingest/check_request.h"

#include <gtest/gtest.h>

#include "ingest/http/request_reader.h"

namespace wafd::ingest {
namespace {

http::Request read(std::string_view text) {
  http::RequestReader reader({});
  const auto step = reader.next(text);
  EXPECT_TRUE(step && *step == http::Step::kHead) << text;
  return reader.request();
}

const std::vector<std::string> kKeys = {"secret-1", "secret-2"};
const PeerTrust kLocal{IpAddress::parse("127.0.0.1"), {}};

std::string dialect(CheckDialect which, const std::string& head, const PeerTrust& trust = kLocal) {
  const auto out = request_of_dialect(read(head), which, kKeys, trust);
  if (!out) return std::to_string(out.error().status) + " " + out.error().what;
  return out->head + out->src_ip + (out->scheme.empty() ? "" : " " + out->scheme) +
         (out->body_abandoned ? " abandoned" : "");
}

TEST(CheckDialects, BecomeTheRequestTheyDescribe) {
  const struct {
    const char* name;
    CheckDialect dialect;
    std::string head;
    std::string out;
  } rows[] = {
      {"Traefik", CheckDialect::kForwarded,
       "GET /check HTTP/1.1\r\nHost: waf\r\nX-Forwarded-Method: PUT\r\nX-Forwarded-Uri: "
       "/a?b=%27\r\nX-Forwarded-Host: shop.example\r\n"
       "X-Forwarded-Proto: https\r\nX-Forwarded-For: 203.0.113.9\r\nAccept: x\r\nConnection: close\r\n\r\n",
       "PUT /a?b=%27 HTTP/1.1\r\nHost: shop.example\r\nX-Forwarded-For: 203.0.113.9\r\nAccept: "
       "x\r\n\r\n203.0.113.9 https abandoned"},
      {"forwarded without Host", CheckDialect::kForwarded,
       "GET /check HTTP/1.1\r\nHost: waf\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Uri: /\r\n\r\n",
       "GET / HTTP/1.1\r\nHost: waf\r\n\r\n127.0.0.1"},
      {"forwarded, missing", CheckDialect::kForwarded,
       "GET /check HTTP/1.1\r\nHost: w\r\nX-Forwarded-Method: GET\r\n\r\n",
       "400 X-Forwarded-Uri: expected one, it is missing"},
      {"forwarded, doubled", CheckDialect::kForwarded,
       "GET /check HTTP/1.1\r\nHost: w\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Uri: /\r\nx-forwarded-uri: "
       "/clean\r\n\r\n",
       "400 X-Forwarded-Uri: expected one, it is doubled"},
      {"nginx", CheckDialect::kOriginal,
       "GET /check HTTP/1.0\r\nHost: shop.example\r\nX-Original-URI: /x\r\nX-Original-Method: "
       "DELETE\r\nX-Real-IP: 203.0.113.9\r\n\r\n",
       "DELETE /x HTTP/1.1\r\nHost: shop.example\r\nX-Real-IP: 203.0.113.9\r\n\r\n203.0.113.9"},
      {"other dialects' headers are data", CheckDialect::kOriginal,
       "GET /check HTTP/1.1\r\nHost: a\r\nX-Original-URI: /x\r\nX-Original-Method: GET\r\nX-Forwarded-Uri: "
       "/clean\r\n\r\n",
       "GET /x HTTP/1.1\r\nHost: a\r\nX-Forwarded-Uri: /clean\r\n\r\n127.0.0.1"},
      {"CrowdSec", CheckDialect::kCrowdsec,
       "POST /check HTTP/1.1\r\nHost: w\r\nUser-Agent: bouncer\r\nX-Crowdsec-Appsec-Ip: "
       "203.0.113.9\r\nX-Crowdsec-Appsec-Uri: /a\r\n"
       "X-Crowdsec-Appsec-Host: shop.example\r\nX-Crowdsec-Appsec-Verb: POST\r\nX-Crowdsec-Appsec-Api-Key: "
       "secret-2\r\n"
       "X-Crowdsec-Appsec-User-Agent: curl\r\nX-Crowdsec-Appsec-Http-Version: 11\r\nContent-Length: "
       "3\r\n\r\n",
       "POST /a HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: curl\r\n\r\n203.0.113.9"},
      {"CrowdSec, wrong key", CheckDialect::kCrowdsec,
       "GET /check HTTP/1.1\r\nHost: w\r\nX-Crowdsec-Appsec-Api-Key: secret-\r\n\r\n",
       "401 X-Crowdsec-Appsec-Api-Key: expected a configured key"},
      {"CrowdSec, no key", CheckDialect::kCrowdsec, "GET /check HTTP/1.1\r\nHost: w\r\n\r\n",
       "401 X-Crowdsec-Appsec-Api-Key: expected a configured key"},
      {"CrowdSec, no address", CheckDialect::kCrowdsec,
       "GET /check HTTP/1.1\r\nHost: w\r\nX-Crowdsec-Appsec-Api-Key: secret-1\r\nX-Crowdsec-Appsec-Uri: /\r\n"
       "X-Crowdsec-Appsec-Host: a\r\nX-Crowdsec-Appsec-Verb: GET\r\n\r\n",
       "400 X-Crowdsec-Appsec-Ip: expected one, it is missing"},
      {"CrowdSec, bad address", CheckDialect::kCrowdsec,
       "GET /check HTTP/1.1\r\nHost: w\r\nX-Crowdsec-Appsec-Api-Key: secret-1\r\nX-Crowdsec-Appsec-Uri: /\r\n"
       "X-Crowdsec-Appsec-Host: a\r\nX-Crowdsec-Appsec-Verb: GET\r\nX-Crowdsec-Appsec-Ip: me\r\n\r\n",
       "400 X-Crowdsec-Appsec-Ip: expected an IP address"},
  };
  for (const auto& row : rows) EXPECT_EQ(dialect(row.dialect, row.head), row.out) << row.name;
}

TEST(BehindPrefix, IsTheRequestItself) {
  const auto request = read(
      "PURGE /check/a//b?X=%00 HTTP/1.1\r\nhOST:  x \r\nX-Original-URI: /clean\r\nX-Forwarded-Uri: /clean\r\n"
      "X-Envoy-Auth-Partial-Body: true\r\n\r\n");
  const auto out = request_behind_prefix(request, 6, kLocal);
  EXPECT_EQ(out.head,
            "PURGE /a//b?X=%00 HTTP/1.1\r\nhOST:  x \r\nX-Original-URI: /clean\r\nX-Forwarded-Uri: /clean\r\n"
            "X-Envoy-Auth-Partial-Body: true\r\n\r\n");
  EXPECT_TRUE(out.body_truncated);
  const std::string refused = "GET /mirror/a\x01 HTTP/9\r\nA: b\n";
  EXPECT_EQ(target_of_refused(refused), "/mirror/a\x01");
  EXPECT_EQ(request_of_refused(refused, 7, kLocal).head, "GET /a\x01 HTTP/9\r\nA: b\n");
  EXPECT_EQ(request_of_refused("garbage", 7, kLocal).head, "garbage");
}

TEST(ClientAddress, RightmostThatIsNoProxy) {
  const std::vector<Cidr> proxies = {*Cidr::parse("10.0.0.0/8")};
  const struct {
    const char* peer;
    bool list;
    http::Fields fields;
    const char* out;
  } rows[] = {
      {"127.0.0.1", false, {}, "127.0.0.1"},
      {"127.0.0.1", false, {{"X-Forwarded-For", "1.1.1.1, 203.0.113.9"}}, "203.0.113.9"},
      {"127.0.0.1",
       false,
       {{"x-forwarded-for", "1.1.1.1"}, {"X-Forwarded-For", "203.0.113.9"}},
       "203.0.113.9"},
      {"127.0.0.1", false, {{"X-Forwarded-For", "203.0.113.9, 127.0.0.1"}}, "203.0.113.9"},
      {"127.0.0.1", true, {{"X-Forwarded-For", "203.0.113.9"}}, "127.0.0.1"},
      {"10.1.1.1", true, {{"X-Forwarded-For", "6.6.6.6, 203.0.113.9:55, 10.2.2.2"}}, "203.0.113.9"},
      {"10.1.1.1", true, {{"X-Forwarded-For", "10.3.3.3, 10.2.2.2"}}, "10.3.3.3"},
      {"10.1.1.1", true, {{"X-Forwarded-For", "6.6.6.6, nonsense, 10.2.2.2"}}, "10.2.2.2"},
      {"10.1.1.1", true, {{"X-Forwarded-For", "nonsense"}, {"X-Real-IP", "203.0.113.9"}}, "203.0.113.9"},
      {"10.1.1.1", true, {{"X-Real-IP", "nonsense"}}, "10.1.1.1"},
      {"192.0.2.1", true, {{"X-Real-IP", "203.0.113.9"}}, "192.0.2.1"},
  };
  for (const auto& row : rows) {
    PeerTrust trust{IpAddress::parse(row.peer), {}};
    if (row.list) trust.trusted_proxies = proxies;
    EXPECT_EQ(client_address(row.fields, trust), row.out)
        << row.peer << " " << (row.fields.empty() ? "" : row.fields[0].second);
  }
}

TEST(RequestId, IsTheGatewaysOrNone) {
  const std::string head =
      "GET /check HTTP/1.1\r\nHost: a\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Uri: /\r\n"
      "X-Original-Method: GET\r\nX-Original-URI: /\r\nX-Crowdsec-Appsec-Verb: GET\r\n"
      "X-Crowdsec-Appsec-Uri: /\r\nX-Crowdsec-Appsec-Host: a\r\nX-Crowdsec-Appsec-Ip: 203.0.113.9\r\n"
      "X-Crowdsec-Appsec-Api-Key: secret-1\r\n";
  const std::string once = "X-Request-Id: 5f-2\r\n", twice = once + "x-request-id: other\r\n";
  const PeerTrust stranger{IpAddress::parse("198.51.100.1"), {}};
  const struct {
    CheckDialect dialect;
    std::string fields;
    const PeerTrust& trust;
    const char* id;
  } rows[] = {
      {CheckDialect::kForwarded, once, kLocal, "5f-2"}, {CheckDialect::kOriginal, once, kLocal, "5f-2"},
      {CheckDialect::kForwarded, "", kLocal, ""},       {CheckDialect::kForwarded, twice, kLocal, ""},
      {CheckDialect::kForwarded, once, stranger, ""},   {CheckDialect::kCrowdsec, once, kLocal, ""},
  };
  for (const auto& row : rows) {
    const auto out = request_of_dialect(read(head + row.fields + "\r\n"), row.dialect, kKeys, row.trust);
    ASSERT_TRUE(out);
    EXPECT_EQ(out->request_id, row.id) << to_string(row.dialect) << " " << row.fields;
  }
  const http::Request prefixed = read("GET /check/a HTTP/1.1\r\nHost: a\r\n" + once + "\r\n");
  EXPECT_EQ(request_behind_prefix(prefixed, 6, kLocal).request_id, "5f-2");
  EXPECT_EQ(request_behind_prefix(prefixed, 6, stranger).request_id, "");
}

TEST(RouteOf, Targets) {
  const std::pair<const char*, Route> rows[] = {{"/check", Route::kCheckDialect},
                                                {"/check?a", Route::kCheckDialect},
                                                {"/check/", Route::kCheckTarget},
                                                {"/check/healthz", Route::kCheckTarget},
                                                {"/checks", Route::kNone},
                                                {"/mirror/", Route::kMirror},
                                                {"/mirror/check", Route::kMirror},
                                                {"/mirrorhttp://a/b", Route::kMirror},
                                                {"/mirrors", Route::kNone},
                                                {"/v1/records", Route::kRecords},
                                                {"/healthz", Route::kHealth},
                                                {"/readyz", Route::kReady},
                                                {"/stat?x", Route::kStat},
                                                {"/", Route::kNone},
                                                {"", Route::kNone},
                                                {"*", Route::kNone}};
  for (const auto& [target, route] : rows) EXPECT_EQ(route_of(target).route, route) << target;
}

}  // namespace
}  // namespace wafd::ingest
