// Targets, sites, exceptions and lists over the API: validation, conflicts, what takes effect.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "console/api/api.h"
#include "console/api/routing/etag.h"
#include "files/small_file.h"
#include "tests/support/console_api.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

struct Refused {
  const char* path;
  const char* body;
  int status;
  const char* member;
};

TEST(SettingsApi, RefusalsNameTheMember) {
  ConsoleUnderTest console;
  console.set_up();
  constexpr Refused kRows[] = {
      {"/syslog/targets", R"({"transport":"udp","host":"h"})", 422, "name"},
      {"/syslog/targets", R"({"name":"a","transport":"smoke","host":"h"})", 422, "transport"},
      {"/syslog/targets", R"({"name":"a","transport":"udp","host":"h","facility":24})", 422, "facility"},
      {"/syslog/targets", R"({"name":"a","transport":"udp","host":"h","filter":"nofield:x("})", 422,
       "filter"},
      {"/syslog/targets", R"({"name":"a","transport":"udp","host":"169.254.169.254"})", 422, "host"},
      {"/syslog/targets", R"({"name":"a","transport":"tls","host":"h","tls":{"ca":"file:/refused"}})", 422,
       "tls.ca"},
      {"/syslog/targets", R"({"name":"a","transport":"udp","host":"224.0.0.1"})", 422, "host"},
      {"/syslog/targets", R"({"name":"a","transport":"tcp","host":"127.0.0.1","port":8700})", 422, "host"},
      {"/syslog/targets",
       R"({"name":"a","transport":"udp","host":"h","backups":[{"host":"0.0.0.0","port":514}]})", 422,
       "backups[0].host"},
      {"/syslog/test", R"({"transport":"udp","host":"h","send":"everything"})", 422, "send"},
      {"/syslog/test", R"({"transport":"udp","host":"255.255.255.255"})", 422, "host"},
      {"/syslog/test", R"({"id":"no-such-target"})", 422, "id"},
      {"/sites", R"({"name":"a"})", 422, "hosts"},
      {"/sites", R"({"hosts":["a.example"]})", 422, "name"},
      {"/sites", R"({"name":"a","hosts":["http://a.example/"]})", 422, "hosts[0]"},
      {"/sites", R"({"name":"a","hosts":["a.example:8080"]})", 422, "hosts[0]"},
      {"/sites", R"({"name":"a","hosts":["b.example","*.a.example."]})", 422, "hosts[1]"},
      {"/sites", R"({"name":"a","hosts":["[2001:db8::1]:443"]})", 422, "hosts[0]"},
      {"/sites", R"({"name":"a","hosts":["*.2001:db8::1"]})", 422, "hosts[0]"},
      {"/sites", R"({"name":"a","hosts":["a..example"]})", 422, "hosts[0]"},
      {"/sites", R"({"name":"a","hosts":["b\u00fccher.example"]})", 422, "hosts[0]"},
      {"/sites", R"({"name":"a","hosts":["*.*.example"]})", 422, "hosts[0]"},
      {"/sites", R"({"name":"a","hosts":["a.example"],"mode":"on"})", 422, "mode"},
      {"/sites", R"({"name":"a","hosts":["a.example"],"sensitivity_by_type":{"sqli":"loud"}})", 422,
       "sensitivity_by_type.sqli"},
      {"/sites", R"({"name":"a","hosts":["a.example"],"mask":{"headers":[1]}})", 422, "mask.headers[0]"},
      {"/sites", R"({"name":"a","hosts":["a.example"],"on_limit":"deny"})", 422, "on_limit"},
      {"/sites", R"({"name":"a","hosts":["a.example"],"on_oversize":"deny"})", 422, "on_oversize"},
      {"/sites", R"({"name":"a","hosts":["a.example"],"on_limit":"block_unless_file"})", 422, "on_limit"},
      {"/sites", R"({"name":"a","hosts":["a.example"],"document_fields":[""]})", 422, "document_fields[0]"},
      {"/sites", R"({"name":"a","hosts":["a.example"],"surprise":1})", 422, "surprise"},
      {"/exceptions", R"({"comment":"everything"})", 422, "path"},
      {"/exceptions", R"({"host":"a.example:443"})", 422, "host"},
      {"/exceptions", R"({"host":"[2001:db8::1"})", 422, "host"},
      {"/exceptions", R"({"path":"x/y"})", 422, "path"},
      {"/exceptions", R"({"path":"/x","expires_s":5})", 422, "expires_s"},
      {"/exceptions", R"({"path":"/x","location":"moon"})", 422, "location"},
      {"/exceptions", R"({"path":"/x","attack_type":"magic"})", 422, "attack_type"},
      {"/lists", R"({"kind":"deny","cidr":"10.0.0.0/33"})", 422, "cidr"},
      {"/lists", R"({"kind":"maybe","cidr":"10.0.0.0/8"})", 422, "kind"},
      {"/lists", R"({"kind":"deny","cidr":"10.0.0.0/8","expires_s":-1})", 422, "expires_s"},
      {"/lists", R"({"kind":"deny","cidr":"10.0.0.0/8","expires_s":5})", 422, "expires_s"},
      {"/views", R"({"name":"a","query":"q=src%3Anotip"})", 422, "query"},
      {"/views", R"({"name":"a","query":"q=(&range=1h"})", 422, "query"},
      {"/views", R"({"name":"a","query":"q=is%3Abroken"})", 422, "query"},
      {"/views", R"({"name":"a","query":"q=%zz"})", 422, "query"},
      {"/views", R"({"name":"a","query":"?q=a"})", 422, "query"},
      {"/views", R"({"name":"a","query":"q=a&q=b"})", 422, "query"},
      {"/inspect", R"({"request":"x","encoding":"rot13"})", 422, "encoding"},
      {"/users", R"({"username":"a b","role":"viewer","password":"violet-otter-41"})", 422, "username"},
  };
  for (const Refused& row : kRows) {
    const HttpResponse answer = console.as_admin("POST", std::string("/api/v1") + row.path, row.body);
    EXPECT_EQ(answer.status, row.status) << row.body << "\n" << answer.body;
    const auto problem = json_of(answer);
    ASSERT_TRUE(problem.is_object()) << row.body;
    const auto* member = problem.get_object().if_contains("member");
    EXPECT_TRUE(member != nullptr && member->as_string() == row.member) << row.body << "\n" << answer.body;
  }
  EXPECT_EQ(console.settings.current().version, 0u) << "nothing was saved";
}

TEST(SettingsApi, AHostOfAnotherSiteIsSaidAtItsMember) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string body = R"({"name":"Shop","hosts":["shop.example"]})";
  ASSERT_EQ(console.as_admin("POST", "/api/v1/sites", body).status, 201);
  const auto answer = console.as_admin("POST", "/api/v1/sites", body);
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(json_of(answer).at("member"), "hosts");
  EXPECT_EQ(json_of(answer).at("detail"), "hosts: the host shop.example belongs to another site");
  const auto twice =
      console.as_admin("POST", "/api/v1/sites", R"({"name":"Two","hosts":["two.example","TWO.example"]})");
  EXPECT_EQ(json_of(twice).at("detail"), "hosts: the host two.example is named twice");
}

// One address has many spellings; a request's host is compared as one of them.
TEST(SettingsApi, AnAddressIsAHostInEverySpelling) {
  ConsoleUnderTest console;
  console.set_up();
  const auto made =
      console.as_admin("POST", "/api/v1/sites", R"({"name":"Six","hosts":["[2001:DB8:0::1]","192.0.2.7"]})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(json_of(made).at("hosts").at(0), "2001:db8::1");
  for (const char* same : {"2001:db8::1", "[2001:db8:0:0::1]"}) {
    const auto again = console.as_admin("POST", "/api/v1/sites",
                                        R"({"name":"Again","hosts":[")" + std::string(same) + R"("]})");
    EXPECT_EQ(again.status, 409) << same << again.body;
  }
  const auto policy = test::must(detect::Policy::build(console.applied_policy));
  for (const char* host : {"[2001:db8::1]:443", "[2001:DB8:0:0::1]", "2001:db8::1", "192.0.2.7:80"})
    EXPECT_EQ(policy.site_of(host).name, "Six") << host;
  EXPECT_EQ(policy.site_of("[2001:db8::2]").uuid, "0");
  EXPECT_EQ(json_of(console.as_admin("POST", "/api/v1/exceptions", R"({"host":"[::1]"})")).at("host"), "::1");
}

TEST(SettingsApi, TheSameListEntryIsNotAddedTwice) {
  ConsoleUnderTest console;
  console.set_up();
  const auto first = console.as_admin("POST", "/api/v1/lists", R"({"kind":"deny","cidr":"10.1.2.3/8"})");
  ASSERT_EQ(first.status, 201);
  const auto twice = console.as_admin("POST", "/api/v1/lists", R"({"kind":"deny","cidr":"10.0.0.0/8"})");
  EXPECT_EQ(twice.status, 409) << twice.body;
  EXPECT_EQ(json_of(twice).at("member"), "cidr");
  EXPECT_EQ(json_of(twice).at("detail"), "cidr: 10.0.0.0/8 is on the deny list already: change that entry");
  EXPECT_EQ(json_of(twice).at("id"), json_of(first).at("id"));
  // Another list, and a network inside of it, are other entries.
  EXPECT_EQ(console.as_admin("POST", "/api/v1/lists", R"({"kind":"allow","cidr":"10.0.0.0/8"})").status, 201);
  const auto inside = console.as_admin("POST", "/api/v1/lists", R"({"kind":"deny","cidr":"10.0.0.1"})");
  ASSERT_EQ(inside.status, 201);
  auto entry = json_of(inside).as_object();
  const std::string path = "/api/v1/lists/" + std::string(entry.at("id").as_string());
  entry["comment"] = "kept";
  EXPECT_EQ(console.as_admin("PUT", path, boost::json::serialize(entry)).status, 200);
  entry["cidr"] = "10.0.0.0/8";
  EXPECT_EQ(console.as_admin("PUT", path, boost::json::serialize(entry)).status, 409);
  const auto file = parse_settings(
      R"({"format":1,"lists":[{"id":"a","kind":"deny","cidr":"10.0.0.0/8"},{"id":"b","kind":"deny","cidr":"10.0.0.9/8"}]})");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().what,
            "lists[1].cidr: expected entries that differ, lists[0] has 10.0.0.0/8 on the deny list too");
}

// Nobody is shown the secret, and nobody may guess at it, but who changes it has changed the target.
TEST(SettingsApi, ListsAreImportedWholeOrNotAtAllAndExported) {
  ConsoleUnderTest console;
  console.set_up();
  const auto import = [&](const std::string& body) {
    return console.as_admin("POST", "/api/v1/lists/import", body);
  };
  const auto wrong = import(R"({"text":"192.0.2.1\nhere\n"})");
  EXPECT_EQ(wrong.status, 422) << wrong.body;
  EXPECT_EQ(json_of(wrong).at("member").as_string(), "text");
  EXPECT_NE(wrong.body.find("line 2"), std::string::npos) << wrong.body;
  EXPECT_TRUE(console.settings.current().policy.lists.empty());
  const auto tried = import(R"({"text":"192.0.2.1\n","check":true})");
  EXPECT_EQ(json_of(tried).at("added"), 1);
  EXPECT_TRUE(console.settings.current().policy.lists.empty()) << "asked, not done";
  EXPECT_EQ(import(R"({"text":"192.0.2.1\n10.0.0.0/8 , ours","kind":"allow","comment":"all"})").status, 200);
  ASSERT_EQ(console.applied_policy.lists.size(), 2u) << "in force at once";
  EXPECT_EQ(import(R"({"text":"","expires_s":-1})").status, 422);
  EXPECT_EQ(import(R"({"text":5})").status, 422);
  EXPECT_EQ(import(R"({"text":"","colour":"red"})").status, 422);
  const auto csv = console.as_admin("GET", "/api/v1/lists/export");
  EXPECT_EQ(csv.body,
            "kind,cidr,expires_s,comment\r\nallow,192.0.2.1/32,0,all\r\nallow,10.0.0.0/8,0,ours\r\n");
  const auto audit = console.as_admin("GET", "/api/v1/audit").body;
  EXPECT_NE(audit.find("list.import"), std::string::npos);
}

TEST(SettingsApi, ASourceSaysWhereItIsAndWhichListsHoldIt) {
  ConsoleUnderTest console;
  console.set_up();
  console.services.source_facts = [](std::string_view address) -> SourceFacts {
    if (address != "192.0.2.7") return {};
    return {"DE", "Saxony", "Leipzig", 64500, "Example Net"};
  };
  console.as_admin("POST", "/api/v1/lists",
                   R"({"kind":"deny","cidr":"192.0.2.0/24","expires_s":4000000000})");
  const auto source = json_of(console.as_admin("GET", "/api/v1/sources/192.0.2.7"));
  EXPECT_EQ(source.at("country").as_string(), "DE");
  EXPECT_EQ(source.at("as_number"), 64500);
  EXPECT_EQ(source.at("as_name").as_string(), "Example Net");
  ASSERT_EQ(source.at("lists").as_array().size(), 1u);
  EXPECT_EQ(source.at("lists").at(0).at("expires_s"), 4'000'000'000);
  const auto other = json_of(console.as_admin("GET", "/api/v1/sources/2001:DB8::0:7"));
  EXPECT_EQ(other.at("address").as_string(), "2001:db8::7");
  EXPECT_TRUE(other.at("lists").as_array().empty());
  EXPECT_EQ(console.as_admin("GET", "/api/v1/sources/shop.example").status, 400);
}

TEST(SettingsApi, ANewSecretIsANewStateOfTheTarget) {
  ConsoleUnderTest console;
  console.services.etag_key = "key-1";
  console.set_up();
  const auto body = [](const std::string& password) {
    return R"({"name":"bus","transport":"kafka","host":"h.example","kafka":{"topic":"waf","sasl":{"mechanism":"PLAIN","username":"u")" +
           std::string(password.empty() ? "" : R"(,"password":")" + password + '"') + "}}}";
  };
  const HttpResponse made = console.as_admin("POST", "/api/v1/syslog/targets", body("first"));
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string path = "/api/v1/syslog/targets/" + std::string(json_of(made).at("id").as_string());
  const std::string tag(made.header("ETag"));
  const HttpResponse same = console.as_admin("PUT", path, body(""), {{"If-Match", tag}});
  EXPECT_EQ(same.status, 200) << same.body;
  EXPECT_EQ(same.header("ETag"), tag) << "the secret stayed";
  const HttpResponse changed = console.as_admin("PUT", path, body("second"), {{"If-Match", tag}});
  EXPECT_EQ(changed.status, 200);
  EXPECT_NE(changed.header("ETag"), tag);
  EXPECT_EQ(console.as_admin("GET", path).header("ETag"), changed.header("ETag"));
  EXPECT_EQ(console.as_admin("PUT", path, body("third"), {{"If-Match", tag}}).status, 412);
  EXPECT_EQ(console.as_admin("DELETE", path, "", {{"If-Match", tag}}).status, 412);
  // Without the key the tag cannot be made from a guess.
  console.services.etag_key = "key-2";
  EXPECT_NE(console.as_admin("GET", path).header("ETag"), changed.header("ETag"));
  const std::string kept = etag_key_of(console.folder.path, console.random);
  EXPECT_EQ(kept.size(), 43u);
  EXPECT_EQ(etag_key_of(console.folder.path, console.random), kept) << "tags outlive a restart";
}

// A list entry that expired while stored can still be changed; one that expires before it is stored is
// refused.
TEST(SettingsApi, AnEndThatPassedMeanwhileIsKept) {
  ConsoleUnderTest console;
  console.set_up();
  const std::int64_t soon = console.clock.unix_us() / 1'000'000 + 60;
  auto entry = json_of(
      console.as_admin("POST", "/api/v1/lists",
                       R"({"kind":"deny","cidr":"10.0.0.0/8","expires_s":)" + std::to_string(soon) + "}"));
  const std::string path = "/api/v1/lists/" + std::string(entry.at("id").as_string());
  console.clock.advance_ms(65'000);
  entry.as_object()["comment"] = "over";
  EXPECT_EQ(console.as_admin("PUT", path, boost::json::serialize(entry)).status, 200);
  entry.as_object()["expires_s"] = soon + 1;
  EXPECT_EQ(console.as_admin("PUT", path, boost::json::serialize(entry)).status, 422);
}

TEST(SettingsApi, MetricsAndStatusTellOfEveryTarget) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse made = console.as_admin("POST", "/api/v1/syslog/targets",
                                             R"({"name":"a\"b\\","transport":"udp","host":"siem.example"})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string metrics = console.as_admin("GET", "/metrics").body;
  for (const char* name : {"sent_total", "acknowledged_total", "resent_total", "truncated_total",
                           "filtered_total", "bytes_total", "lost_total", "put_aside_total",
                           "audit_lost_total", "errors_total", "reconnects_total", "lag_events",
                           "lag_seconds", "last_sent_timestamp_seconds", "last_error_timestamp_seconds"})
    EXPECT_NE(metrics.find("\nwafd_target_" + std::string(name) + R"({target="a\"b\\"} 0)"),
              std::string::npos)
        << name << metrics;
  EXPECT_NE(metrics.find(R"(wafd_target_state{target="a\"b\\",state="up"} 1)"), std::string::npos) << metrics;
  const auto list = json_of(console.as_admin("GET", "/api/v1/syslog/targets")).as_object();
  const auto& status = list.at("targets").as_array().at(0).at("status").as_object();
  for (const char* member : {"state", "connected_to", "lost_ranges", "last_error", "last_error_ms", "lag_ms"})
    EXPECT_TRUE(status.contains(member)) << member;
}

TEST(SettingsApi, SettingsOfATargetThatDoNothingAreTold) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse made = console.as_admin("POST", "/api/v1/syslog/targets",
                                             R"({"name":"a","transport":"udp","host":"h","framing":"lf"})");
  ASSERT_EQ(made.status, 201) << made.body;
  auto object = json_of(made).as_object();
  ASSERT_EQ(object.at("warnings").as_array().size(), 1u) << made.body;
  EXPECT_TRUE(object.at("warnings").at(0).as_string().starts_with("framing: lf has no effect over udp"));
  object["transport"] = "tcp";  // the object as it came, warnings and all
  const std::string path = "/api/v1/syslog/targets/" + std::string(object.at("id").as_string());
  const HttpResponse changed = console.as_admin("PUT", path, boost::json::serialize(object));
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_TRUE(json_of(changed).at("warnings").as_array().empty()) << changed.body;
}

TEST(SettingsApi, TargetsTakeEffectAndKeepTheirKey) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string pem = "-----BEGIN PRIVATE KEY-----\\nMA==\\n-----END PRIVATE KEY-----\\n";
  const HttpResponse made = console.as_admin(
      "POST", "/api/v1/syslog/targets",
      R"({"name":"siem","transport":"tcp","host":"siem.example","tls":{"certificate":"file:/c.pem","key":")" +
          pem + R"("}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.body.find("PRIVATE KEY"), std::string::npos) << "the key is write-only";
  auto object = json_of(made).as_object();
  EXPECT_EQ(object.at("tls").at("key_set"), true);
  ASSERT_EQ(console.delivery.applied.size(), 1u);
  const std::string key = console.delivery.applied[0].tls.key;
  object["port"] = 6515;
  const std::string path = "/api/v1/syslog/targets/" + std::string(object.at("id").as_string());
  const HttpResponse changed = console.as_admin("PUT", path, boost::json::serialize(object));
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(console.delivery.applied[0].port, 6515);
  EXPECT_EQ(console.delivery.applied[0].tls.key, key);
  EXPECT_EQ(
      console.as_admin("POST", "/api/v1/syslog/targets", R"({"name":"siem","transport":"udp","host":"h"})")
          .status,
      409);
  const HttpResponse tested = console.as_admin(
      "POST", "/api/v1/syslog/test", R"({"id":")" + std::string(object.at("id").as_string()) + R"("})");
  ASSERT_EQ(tested.status, 200) << tested.body;
  EXPECT_EQ(console.delivery.tested.at(0).tls.key, key);
  EXPECT_EQ(console.as_admin("DELETE", path).status, 204);
  EXPECT_TRUE(console.delivery.applied.empty());
  for (const std::string& entry : console.delivery.audited)
    EXPECT_EQ(entry.find("PRIVATE KEY"), std::string::npos);
}

// Nobody can have a stored password sent to a host of their own: neither the test nor a change takes it
// there.
TEST(SettingsApi, AStoredPasswordGoesNowhereElse) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse made = console.as_admin(
      "POST", "/api/v1/syslog/targets",
      R"({"name":"bus","transport":"kafka","host":"bus.example","kafka":{"topic":"waf","sasl":{"mechanism":"PLAIN","username":"u","password":"stored-one"}}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string id(json_of(made).at("id").as_string());
  auto elsewhere = json_of(made).as_object();
  elsewhere["host"] = "203.0.113.7";
  const std::string body = boost::json::serialize(elsewhere);
  for (const HttpResponse& answer : {console.as_admin("PUT", "/api/v1/syslog/targets/" + id, body),
                                     console.as_admin("POST", "/api/v1/syslog/test", body)}) {
    EXPECT_EQ(answer.status, 422) << answer.body;
    EXPECT_EQ(json_of(answer).at("member"), "kafka.sasl.password") << answer.body;
  }
  EXPECT_TRUE(console.delivery.tested.empty());
  EXPECT_EQ(console.delivery.applied.at(0).host, "bus.example");
  // A whole settings document, as `wafd settings apply` brings it, cannot either.
  const auto document = boost::json::serialize(boost::json::object{{"format", 1}, {"targets", {elsewhere}}});
  auto applied = parse_settings(document, &console.settings.current());
  ASSERT_FALSE(applied);
  EXPECT_NE(applied.error().what.find("kafka.sasl.password: expected again"), std::string::npos)
      << applied.error().what;
  EXPECT_EQ(console.as_admin("POST", "/api/v1/syslog/preview", body).status, 200) << "nothing is sent";
  elsewhere["kafka"].as_object()["sasl"].as_object()["password"] = "another-one";
  EXPECT_EQ(console.as_admin("POST", "/api/v1/syslog/test", boost::json::serialize(elsewhere)).status, 200);
  EXPECT_EQ(console.delivery.tested.at(0).kafka.at("sasl").at("password"), "another-one");
}

TEST(SettingsApi, APreviewIsWhatTheTargetWouldGet) {
  ConsoleUnderTest console;
  console.set_up();
  const auto preview = [&](const std::string& body) {
    return console.as_admin("POST", "/api/v1/syslog/preview", body);
  };
  auto invented = json_of(preview(R"({"transport":"udp","host":"h"})"));
  EXPECT_EQ(invented.at("source"), "invented");
  EXPECT_TRUE(
      invented.at("message").as_string().starts_with("<26>1 2023-11-14T22:13:20.000+00:00 node-1 wafd 1 "
                                                     "waf_event - {\"scheme\":\"https\""));
  for (std::uint64_t i = 1; i <= 2; ++i)
    ASSERT_TRUE(console.ring->append(test::make_event(i, console.clock.unix_us() / 1000)));
  struct Row {
    const char* members;
    const char* begins;
  };
  constexpr Row kRows[] = {
      {R"("transport":"udp")", "<26>1 "},
      {R"("transport":"udp","severity":6,"facility":16)", "<134>1 "},
      {R"("transport":"udp","time_precision":6,"hostname":"edge","sequence_id":true)",
       "<26>1 2023-11-14T22:13:20.000000+00:00 edge wafd 1 waf_event [meta sequenceId=\"1\"] {"},
      {R"("transport":"udp","header":"rfc3164")", "<26>Nov 14 22:13:20 node-1 wafd"},
      {R"("transport":"relp","content":"cef","header":"rfc3164")",
       "<26>Nov 14 22:13:20 node-1 wafd[1]: CEF:0|"},
      {R"("transport":"tcp","framing":"lf","content":"leef")", "<26>1 "},
  };
  for (const Row& row : kRows) {
    const HttpResponse answer = preview(std::string("{") + row.members + R"(,"host":"h"})");
    ASSERT_EQ(answer.status, 200) << answer.body;
    const auto object = json_of(answer);
    EXPECT_TRUE(object.at("message").as_string().starts_with(row.begins)) << object.at("message");
    EXPECT_EQ(object.at("source"), "latest");
    EXPECT_EQ(object.at("event_id"), "00000000000000000000000000000002");
  }
  const auto counted = json_of(preview(R"({"transport":"tls","host":"h"})"));
  const std::string frame = std::to_string(counted.at("octets").as_int64()) + " ";
  EXPECT_TRUE(counted.at("message").as_string().starts_with(frame + "<26>1 "));
  EXPECT_EQ(counted.at("message").as_string().size(),
            frame.size() + static_cast<std::size_t>(counted.at("octets").as_int64()));
  EXPECT_EQ(json_of(preview(R"({"transport":"udp","host":"h","max_message_bytes":2048})")).at("truncated"),
            false);
  EXPECT_EQ(json_of(preview(R"({"transport":"udp","host":"h","content":"leef","max_message_bytes":480})"))
                .at("truncated"),
            true);
  const auto wanted =
      json_of(preview(R"({"transport":"udp","host":"h","event_id":"00000000000000000000000000000001"})"));
  EXPECT_EQ(wanted.at("source"), "wanted");
  EXPECT_EQ(wanted.at("event_id"), "00000000000000000000000000000001");
  EXPECT_EQ(preview(R"({"transport":"udp","host":"h","event_id":"0000000000000000000000000000000f"})").status,
            404);
  EXPECT_EQ(preview(R"({"transport":"udp","host":"h","event_id":7})").status, 422);
  EXPECT_EQ(json_of(preview(R"({"transport":"udp","host":"h","port":0})")).at("member"), "port");
  EXPECT_TRUE(console.delivery.tested.empty()) << "nothing is sent";
}

TEST(SettingsApi, TwoEditorsDoNotOverwriteEachOther) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse site = console.as_admin("GET", "/api/v1/sites/0");
  const std::string tag(site.header("ETag"));
  auto object = json_of(site).as_object();
  object["mode"] = "monitor";
  EXPECT_EQ(
      console.as_admin("PUT", "/api/v1/sites/0", boost::json::serialize(object), {{"If-Match", tag}}).status,
      200);
  EXPECT_EQ(console.applied_policy.sites.at(0).mode, detect::Mode::kMonitor);
  object["mode"] = "off";
  EXPECT_EQ(
      console.as_admin("PUT", "/api/v1/sites/0", boost::json::serialize(object), {{"If-Match", tag}}).status,
      412);
  EXPECT_EQ(console.as_admin("DELETE", "/api/v1/sites/0").status, 409) << "the default site stays";
}

TEST(SettingsApi, EveryObjectKnowsWhetherItChangedMeanwhile) {
  ConsoleUnderTest console;
  console.set_up();
  struct Row {
    const char* all;
    const char* made;  // body of the first POST
    const char* member;
    const char* value;  // what someone else changes meanwhile
    const char* id;
  };
  constexpr Row kRows[] = {
      {"/api/v1/sites", R"({"name":"Shop","hosts":["shop.example"]})", "mode", "monitor", "uuid"},
      {"/api/v1/exceptions", R"({"path":"/x"})", "comment", "other", "id"},
      {"/api/v1/lists", R"({"kind":"deny","cidr":"192.0.2.1"})", "comment", "other", "id"},
      {"/api/v1/syslog/targets", R"({"name":"siem","transport":"udp","host":"192.0.2.5"})", "name", "other",
       "id"},
  };
  for (const Row& row : kRows) {
    const HttpResponse made = console.as_admin("POST", row.all, row.made);
    ASSERT_EQ(made.status, 201) << made.body;
    auto object = json_of(made).as_object();
    const std::string one = std::string(row.all) + "/" + std::string(object.at(row.id).as_string());
    const std::string tag(made.header("ETag"));
    EXPECT_EQ(tag, console.as_admin("GET", one).header("ETag")) << one;
    object[row.member] = row.value;
    const std::string body = boost::json::serialize(object);
    EXPECT_EQ(console.as_admin("PUT", one, body, {{"If-Match", tag}}).status, 200) << one;
    EXPECT_EQ(console.as_admin("PUT", one, body, {{"If-Match", tag}}).status, 412) << one;
    EXPECT_EQ(console.as_admin("DELETE", one, "", {{"If-Match", tag}}).status, 412) << one;
    EXPECT_EQ(console.as_admin("DELETE", one, "", {{"If-Match", "\"else\", *"}}).status, 204) << one;
  }
}

TEST(SettingsApi, ATestAnswersFourMembersAndASampleSaysWhatToSearchFor) {
  ConsoleUnderTest console;
  console.set_up();
  for (const bool sample : {false, true}) {
    boost::json::object body{{"transport", "udp"}, {"host", "127.0.0.1"}};
    if (sample) body["send"] = "sample";
    const auto answer =
        json_of(console.as_admin("POST", "/api/v1/syslog/test", boost::json::serialize(body))).as_object();
    std::vector<std::string> names;
    for (const auto& member : answer) names.emplace_back(member.key());
    EXPECT_EQ(names, (std::vector<std::string>{"verdict", "text", "message", "stages"}));
    const auto& write = answer.at("stages").as_array().back();
    ASSERT_EQ(write.at("name"), "write");
    EXPECT_EQ(write.at("detail").as_object().contains("event_id"), sample);
  }
}

TEST(SettingsApi, TestsAreLimited) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string body = R"({"transport":"udp","host":"127.0.0.1"})";
  const std::string operator_token = "Bearer " + console.token(Role::kOperator);
  EXPECT_EQ(console.call("POST", "/api/v1/syslog/test", body, {{"Authorization", operator_token}}).status,
            403);
  console.delivery.hold_tests = true;
  console.as_admin("POST", "/api/v1/syslog/test", body);
  EXPECT_EQ(console.as_admin("POST", "/api/v1/syslog/test", body).status, 429) << "one at a time";
  console.delivery.held(forward::TestResult{"failed", "", "", "", {}});
  console.delivery.hold_tests = false;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(console.as_admin("POST", "/api/v1/syslog/test", body).status, 200) << i;
  const HttpResponse limited = console.as_admin("POST", "/api/v1/syslog/test", body);
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.header("Retry-After"), "60");
  console.clock.advance_ms(60'000);
  EXPECT_EQ(console.as_admin("POST", "/api/v1/syslog/test", body).status, 200);
}

TEST(SettingsApi, SettingsOutliveARestartAndADamagedFile) {
  ConsoleUnderTest console;
  console.set_up();
  ASSERT_EQ(console.as_admin("POST", "/api/v1/lists", R"({"kind":"deny","cidr":"192.0.2.1"})").status, 201);
  ASSERT_EQ(console.as_admin("POST", "/api/v1/lists", R"({"kind":"deny","cidr":"192.0.2.2"})").status, 201);
  const std::string path = console.folder.path + "/settings.json";
  EXPECT_EQ(test::must(SettingsStore::open(console.folder.path, {})).current().policy.lists.size(), 2u);
  struct Row {
    const char* name;
    std::function<std::string(std::string)> damage;
  };
  const Row rows[] = {
      {"cut in half", [](std::string text) { return text.substr(0, text.size() / 2); }},
      {"empty", [](std::string) { return std::string(); }},
      {"zeros", [](std::string text) { return std::string(text.size(), '\0'); }},
      {"wrong member",
       [](std::string) {
         return std::string(R"({"format":1,"sites":[{"uuid":"0","name":"x","mode":"maybe"}]})");
       }},
  };
  for (const Row& row : rows) {
    const std::string good = test::must(read_file(path, 1u << 20));
    std::ofstream(path, std::ios::trunc) << row.damage(good);
    const auto store = test::must(SettingsStore::open(console.folder.path, {}));
    EXPECT_EQ(store.current().policy.lists.size(), 2u) << row.name;
    EXPECT_NE(store.notice().find("version 2 of the settings is in use"), std::string::npos)
        << row.name << ": " << store.notice();
    EXPECT_EQ(test::must(read_file(path, 1u << 20)), good) << row.name << ": put right again";
  }
}

// Values that an earlier version accepted and this one refuses are corrected with a note, not thrown away.
TEST(SettingsApi, SettingsOfAnEarlierVersionAreBroughtUpToDate) {
  ConsoleUnderTest console;
  const std::string path = console.folder.path + "/settings.json";
  std::ofstream(path) << R"({"format":1,"version":7,"saved_ms":5,"author":"admin",
    "sites":[{"uuid":"0","name":"Default site"},
      {"uuid":"1","name":"Shop","hosts":["shop.example:8443","*.shop.example.","SHOP.example","a b","[::1]:80"]},
      {"uuid":"2","name":"Other","hosts":["other.example."]}],
    "exceptions":[{"id":"e1","host":"shop.example:8443","path":"/x"},{"id":"e2","host":"a b","path":"/y"}],
    "lists":[{"id":"a","kind":"deny","cidr":"10.0.0.0/8"},{"id":"b","kind":"deny","cidr":"10.0.0.9/8"}],
    "targets":[{"id":"target-1","name":"siem","transport":"udp","host":"192.0.2.5","filter":"src:notip"}]})";
  auto store = test::must(SettingsStore::open(console.folder.path, console.hooks()));
  const auto& now = store.current();
  EXPECT_EQ(now.version, 7u);
  EXPECT_EQ(now.policy.sites.at(1).hosts,
            (std::vector<std::string>{"shop.example", "*.shop.example", "::1"}));
  EXPECT_EQ(now.policy.sites.at(2).hosts, (std::vector<std::string>{"other.example"}));
  ASSERT_EQ(now.policy.exceptions.size(), 1u);
  EXPECT_EQ(now.policy.exceptions[0].host, "shop.example");
  EXPECT_EQ(now.policy.lists.size(), 1u);
  ASSERT_EQ(now.targets.size(), 1u);
  EXPECT_FALSE(now.targets[0].enabled);
  EXPECT_TRUE(detect::Policy::build(now.policy));
  for (const char* part :
       {R"(sites[1].hosts[0]: "shop.example:8443" is now shop.example)",
        R"(sites[1].hosts[2]: "SHOP.example" is left out: a site has it already)",
        R"(sites[1].hosts[3]: "a b" is left out: no request has such a host)",
        R"(exceptions[0].host: "shop.example:8443" is now shop.example)",
        "on_oversize of 3 sites is pass, as before", "on_limit of 3 sites is pass, as before", "and "})
    EXPECT_NE(store.notice().find(part), std::string::npos) << part << "\n" << store.notice();
  Settings next = now;
  ASSERT_TRUE(store.commit(std::move(next), "admin", 6));
  EXPECT_EQ(store.notice(), "");
  const auto again = test::must(SettingsStore::open(console.folder.path, {}));
  EXPECT_EQ(again.current().version, 8u);
  EXPECT_EQ(again.notice(), "");
  EXPECT_TRUE(parse_settings(test::must(read_file(path, 1u << 20)))) << "saved as it is taken today";
}

TEST(SettingsApi, WhatASiteDoesAtALimit) {
  const auto limits = [](const detect::SiteSettings& site) {
    return std::string(to_string(site.on_oversize)) + " " + to_string(site.on_limit);
  };
  // Of a new installation, and of new sites by their sensitivity.
  ConsoleUnderTest console;
  console.set_up();
  const struct {
    const char* members;
    const char* expected;
  } rows[] = {
      {"", "block block"},
      {R"(,"sensitivity":"strict")", "block block"},
      {R"(,"sensitivity":"low")", "pass pass"},
      {R"(,"on_oversize":"pass")", "pass block"},
      {R"(,"on_oversize":"block_unless_file")", "block_unless_file block"},
      {R"(,"sensitivity":"low","on_limit":"monitor")", "pass monitor"},
  };
  for (const auto& row : rows) {
    const auto made =
        console.as_admin("POST", "/api/v1/sites",
                         fmt::format(R"({{"name":"a","hosts":["{}.example"]{}}})", &row - rows, row.members));
    ASSERT_EQ(made.status, 201) << made.body;
    const auto site = json_of(made).as_object();
    EXPECT_EQ(fmt::format("{} {}", std::string(site.at("on_oversize").as_string()),
                          std::string(site.at("on_limit").as_string())),
              row.expected)
        << row.members;
  }
  const auto fallback = json_of(console.as_admin("GET", "/api/v1/sites/0")).as_object();
  EXPECT_EQ(fallback.at("on_oversize"), "block");
  EXPECT_EQ(fallback.at("on_limit"), "block");
  EXPECT_EQ(fallback.at("document_fields"), boost::json::array());

  // Of what an earlier version stored: what it did then, whatever the sensitivity.
  std::vector<std::string> notes;
  const auto old = test::must(parse_stored_settings(
      R"({"format":1,"version":3,"saved_ms":5,"author":"admin","sites":[
        {"uuid":"0","name":"Default site","sensitivity":"strict","on_oversize":"pass"},
        {"uuid":"1","name":"Shop","hosts":["shop.example"],"on_oversize":"block"},
        {"uuid":"2","name":"Old","hosts":["old.example"]},
        {"uuid":"3","name":"New","hosts":["new.example"],"on_oversize":"monitor","on_limit":"block"}]})",
      notes));
  ASSERT_EQ(old.policy.sites.size(), 4u);
  EXPECT_EQ(limits(old.policy.sites[0]), "pass pass");
  EXPECT_EQ(limits(old.policy.sites[1]), "block pass");
  EXPECT_EQ(limits(old.policy.sites[2]), "pass pass");
  EXPECT_EQ(limits(old.policy.sites[3]), "monitor block");
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0],
            "on_oversize of 1 sites is pass, as before: what did not come whole is not blocked; new sites "
            "block it");
  EXPECT_EQ(
      notes[1],
      "on_limit of 3 sites is pass, as before: what reaches a limit is not blocked; new sites block it");
}

TEST(SettingsApi, EveryChangeCanBeUndone) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string pem = "-----BEGIN PRIVATE KEY-----\\nMA==\\n-----END PRIVATE KEY-----\\n";
  const HttpResponse made = console.as_admin(
      "POST", "/api/v1/syslog/targets",
      R"({"name":"siem","transport":"tls","host":"siem.example","tls":{"certificate":"file:/c.pem","key":")" +
          pem + R"("}})");
  ASSERT_EQ(made.status, 201) << made.body;
  auto target = json_of(made).as_object();
  const std::string path = "/api/v1/syslog/targets/" + std::string(target.at("id").as_string());
  target["port"] = 7000;
  target.at("tls").as_object()["key"] = "-----BEGIN PRIVATE KEY-----\nMQ==\n-----END PRIVATE KEY-----\n";
  ASSERT_EQ(console.as_admin("PUT", path, boost::json::serialize(target)).status, 200);
  ASSERT_EQ(console.as_admin("DELETE", path).status, 204);

  const auto versions = json_of(console.as_admin("GET", "/api/v1/settings/versions")).at("versions");
  ASSERT_EQ(versions.as_array().size(), 4u) << "three changes and what was before them";
  const auto change_of = [&](std::size_t i) { return versions.at(i).at("changes").at(0); };
  EXPECT_EQ(versions.at(0).at("current"), true);
  EXPECT_EQ(versions.at(0).at("author"), "admin");
  EXPECT_EQ(change_of(0).at("change"), "removed");
  EXPECT_EQ(change_of(0).at("name"), "siem");
  EXPECT_EQ(change_of(1).at("change"), "changed");
  EXPECT_EQ(
      boost::json::serialize(change_of(1).at("members")),
      R"([{"member":"port","before":6514,"after":7000},{"member":"tls","before":"***","after":"***"}])");
  EXPECT_EQ(change_of(2).at("change"), "added");
  EXPECT_TRUE(versions.at(3).at("changes").is_null());

  const HttpResponse second = console.as_admin("GET", "/api/v1/settings/versions/2");
  EXPECT_EQ(second.body.find("PRIVATE KEY"), std::string::npos);
  EXPECT_EQ(json_of(second).at("undo").at(0).at("change"), "added");
  const auto restore = [&](const std::string& body) {
    return console.as_admin("POST", "/api/v1/settings/restore", body).status;
  };
  EXPECT_EQ(restore(R"({"version":2,"present":2})"), 412) << "version 3 is in use";
  EXPECT_EQ(restore(R"({"version":17})"), 404);
  EXPECT_EQ(restore(R"({"version":"2"})"), 422);
  console.background.nobody_waits = true;
  (void)restore(R"({"version":2})");
  console.background.nobody_waits = false;
  EXPECT_EQ(console.settings.current().version, 3u) << "who went before the version was read changes nothing";
  EXPECT_EQ(restore(R"({"version":2,"present":3})"), 200);
  EXPECT_EQ(console.settings.current().version, 4u);
  ASSERT_EQ(console.delivery.applied.size(), 1u);
  EXPECT_EQ(console.delivery.applied[0].port, 7000);
  EXPECT_NE(console.delivery.applied[0].tls.key.find("MQ=="), std::string::npos) << "secrets come back too";
  EXPECT_EQ(boost::json::parse(console.delivery.audited.back()).at("action"), "settings.restore");
  EXPECT_EQ(restore(R"({"version":0})"), 200);
  EXPECT_TRUE(console.delivery.applied.empty());
  const std::string operator_token = "Bearer " + console.token(Role::kOperator);
  EXPECT_EQ(
      console
          .call("POST", "/api/v1/settings/restore", R"({"version":2})", {{"Authorization", operator_token}})
          .status,
      403);
}

TEST(SettingsApi, SettingsOfAFileAreReadOnlyAndFollowIt) {
  test::TempFolder state;
  std::vector<std::string> applied;
  SettingsHooks hooks;
  hooks.apply_policy = [&](const detect::PolicySettings& policy) {
    applied.push_back(policy.lists.empty() ? "none" : policy.lists[0].cidr);
  };
  auto store = test::must(SettingsStore::open(state.path, hooks));
  const std::string path = state.path + "/given.json";
  const auto write = [&](const std::string& text) {
    const std::string fresh = path + ".new";
    std::ofstream(fresh, std::ios::trunc) << text;
    ASSERT_EQ(std::rename(fresh.c_str(), path.c_str()), 0);
  };
  const auto missing = store.follow_file(path, 1);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().what.find("given.json"), std::string::npos) << missing.error().what;
  write(R"({"format":1,"lists":[{"id":"a","kind":"deny","cidr":"192.0.2.1"}]})");
  EXPECT_TRUE(store.refresh_file(2));
  EXPECT_EQ(applied, (std::vector<std::string>{"192.0.2.1/32"}));
  EXPECT_EQ(store.current().author, "file");
  EXPECT_EQ(store.notice(), "");
  EXPECT_FALSE(store.refresh_file(3)) << "the same file";
  const auto refused = store.commit(store.current(), "admin", 4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_EQ(refused.error().what, "Settings come from the file " + path + ": change them there.");
  for (const char* broken :
       {R"({"format":1,"lists":[{"id":"a","kind":"maybe","cidr":"192.0.2.1"}]})", R"({"for)", ""}) {
    write(broken);
    EXPECT_FALSE(store.refresh_file(5)) << broken;
    EXPECT_NE(store.notice().find("version 1 of the settings stays in use"), std::string::npos)
        << store.notice();
    EXPECT_EQ(store.current().policy.lists.size(), 1u);
  }
  write(R"({"format":1,"lists":[{"id":"a","kind":"deny","cidr":"192.0.2.2"}]})");
  EXPECT_TRUE(store.refresh_file(6));
  EXPECT_EQ(store.notice(), "");
  EXPECT_EQ(store.current().version, 2u);
  EXPECT_EQ(applied.back(), "192.0.2.2/32");
}

TEST(SettingsApi, DamagedCredentialsAreNotOverwritten) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string path = console.folder.path + "/credentials.json";
  std::ofstream(path, std::ios::trunc) << R"({"format":1,"users":[{)";
  const auto store = CredentialStore::open(console.folder.path);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().what.find("credentials.json is damaged"), std::string::npos);
}

// The daemon goes on; who could log in before cannot, and nobody else can either without the token.
TEST(SettingsApi, DamagedCredentialsArePutAside) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string path = console.folder.path + "/credentials.json";
  const std::string sound = test::must(read_file(path, 1u << 20));
  EXPECT_EQ(test::must(CredentialStore::open_or_replace(console.folder.path)).notice(), "");
  for (const std::string& damaged :
       {std::string(), sound.substr(0, sound.size() / 2), std::string("\0\0", 2)}) {
    std::ofstream(path, std::ios::trunc | std::ios::binary) << damaged;
    const auto store = test::must(CredentialStore::open_or_replace(console.folder.path));
    EXPECT_NE(store.notice().find("put aside as " + path + ".damaged"), std::string::npos) << store.notice();
    EXPECT_TRUE(store.empty());
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(test::must(read_file(path + ".damaged", 1u << 20)), damaged) << "nothing of it is lost";
  }
}

TEST(SettingsApi, WhatHoldsForTheWholeNode) {
  ConsoleUnderTest console;
  console.services.configured = {{"10.0.0.0/8"}, "Europe/Lisbon", ""};
  console.set_up();
  const auto read = [&] { return json_of(console.as_admin("GET", "/api/v1/system")).as_object(); };
  const auto fresh = read();
  for (const char* member : {"trusted_proxies", "time_zone", "geoip_database"})
    EXPECT_TRUE(fresh.at(member).is_null()) << member;
  EXPECT_EQ(fresh.at("configured").at("time_zone"), "Europe/Lisbon");
  EXPECT_EQ(fresh.at("configured").at("trusted_proxies").as_array().size(), 1u);

  constexpr std::pair<const char*, const char*> kWrong[] = {
      {R"({"time_zone":"Mars/Olympus"})", "time_zone"},
      {R"({"time_zone":"../../etc/passwd"})", "time_zone"},
      {R"({"time_zone":7})", "time_zone"},
      {R"({"trusted_proxies":["10.0.0.0/8","10.0.0.0/33"]})", "trusted_proxies[1]"},
      {R"({"trusted_proxies":"10.0.0.0/8"})", "trusted_proxies"},
      {R"({"geoip_database":"city.mmdb"})", "geoip_database"},
      {R"({"geoip_database":"/refused"})", "geoip_database"},
      {R"({"surprise":1})", "surprise"}};
  for (const auto& [body, member] : kWrong) {
    const HttpResponse answer = console.as_admin("PUT", "/api/v1/system", body);
    EXPECT_EQ(answer.status, 422) << body << answer.body;
    EXPECT_EQ(json_of(answer).at("member"), member) << answer.body;
  }
  EXPECT_EQ(console.settings.current().version, 0u) << "nothing was saved";
  EXPECT_EQ(console.applied_systems.size(), 0u);

  EXPECT_TRUE(fresh.at("warnings").as_array().empty());
  console.services.configured.trusted_proxies = {"10.0.0.0/8", "0.0.0.0/0", "::/1", "2001:db8::/32",
                                                 "64.0.0.0/7"};
  const auto warned = read().at("warnings").as_array();
  ASSERT_EQ(warned.size(), 3u);
  for (const auto& text : warned) EXPECT_TRUE(text.as_string().starts_with("trusted_proxies: ")) << text;
  EXPECT_TRUE(warned[0].as_string().starts_with("trusted_proxies: 0.0.0.0/0 holds all IPv4 addresses"));
  EXPECT_TRUE(warned[1].as_string().starts_with("trusted_proxies: ::/1 holds a large part of all IPv6"));
  console.services.configured.trusted_proxies = {"10.0.0.0/8"};

  const std::string tag = "\"" + std::string(fresh.at("etag").as_string()) + "\"";
  const HttpResponse set = console.as_admin(
      "PUT", "/api/v1/system", R"({"trusted_proxies":["192.0.2.1","2001:db8::/32"],"time_zone":"UTC"})",
      {{"If-Match", tag}});
  ASSERT_EQ(set.status, 200) << set.body;
  EXPECT_TRUE(json_of(set).at("geoip_database").is_null());
  ASSERT_EQ(console.applied_systems.size(), 1u);
  EXPECT_EQ(console.applied_systems[0].trusted_proxies->size(), 2u);
  EXPECT_EQ(console.as_admin("PUT", "/api/v1/system", "{}", {{"If-Match", tag}}).status, 412);
  EXPECT_EQ(console.as_admin("PUT", "/api/v1/lists", "{}").status, 405);
  // Files of members that a change does not touch are not checked again: a database of source locations that
  // is gone by now stops no other change.
  console.refuse_system = true;
  EXPECT_EQ(console.as_admin("POST", "/api/v1/lists", R"({"kind":"deny","cidr":"192.0.2.0/24"})").status,
            201);
  console.refuse_system = false;

  const auto last = json_of(console.as_admin("GET", "/api/v1/audit")).at("entries").as_array();
  EXPECT_EQ(last.at(1).at("action"), "system.change");
  EXPECT_EQ(last.at(1).at("detail").at("after").at("time_zone"), "UTC");
  const auto versions =
      json_of(console.as_admin("GET", "/api/v1/settings/versions")).at("versions").as_array();
  EXPECT_EQ(versions.at(1).at("changes").at(0).at("collection"), "system");
  EXPECT_EQ(versions.at(1).at("changes").at(0).at("members").as_array().size(), 2u);
  ASSERT_EQ(console.as_admin("POST", "/api/v1/settings/restore", R"({"version":0})").status, 200);
  EXPECT_TRUE(read().at("time_zone").is_null());
  EXPECT_EQ(console.applied_systems.size(), 2u);

  const std::string body = R"({"time_zone":"UTC"})";
  for (const Role role : {Role::kViewer, Role::kOperator, Role::kAdmin}) {
    const std::vector<Header> token{{"Authorization", "Bearer " + console.token(role)}};
    EXPECT_EQ(console.call("PUT", "/api/v1/system", body, token).status, role == Role::kAdmin ? 200 : 403);
    EXPECT_EQ(console.call("GET", "/api/v1/system", "", token).status, 200);
  }
  EXPECT_EQ(console.call("GET", "/api/v1/system").status, 401);
}

// Names and comments are shown to other people: no control or direction character may be in them.
TEST(SettingsApi, TextsOfPeopleArePlain) {
  ConsoleUnderTest console;
  console.set_up();
  for (const char* bad : {"a\\u0007b", "a\\u001b[31mb", "a\\u007fb", "a\\u0085b", "a\\u202eb", "a\\u2066b",
                          "a\\u200fb", "a\\u061cb", "a\\u2028b"}) {
    const std::pair<const char*, std::string> rows[] = {
        {"/tokens", fmt::format(R"({{"name":"{}","scope":"read"}})", bad)},
        {"/sites", fmt::format(R"({{"name":"{}","hosts":["a.example"]}})", bad)},
        {"/exceptions", fmt::format(R"({{"path":"/x","comment":"{}"}})", bad)},
        {"/lists", fmt::format(R"({{"kind":"deny","cidr":"10.0.0.0/8","comment":"{}"}})", bad)},
        {"/views", fmt::format(R"({{"name":"{}","query":"q=a"}})", bad)},
        {"/syslog/targets", fmt::format(R"({{"name":"{}","transport":"udp","host":"h"}})", bad)}};
    for (const auto& [path, body] : rows) {
      const HttpResponse answer = console.as_admin("POST", std::string("/api/v1") + path, body);
      EXPECT_EQ(answer.status, 422) << path << " " << body << "\n" << answer.body;
      EXPECT_TRUE(json_of(answer).at("member") == "name" || json_of(answer).at("member") == "comment")
          << answer.body;
    }
  }
  EXPECT_EQ(
      console.as_admin("POST", "/api/v1/sites", R"({"name":"Übersicht שלום 日本","hosts":["a.example"]})")
          .status,
      201);
  EXPECT_EQ(console.as_admin("POST", "/api/v1/exceptions", R"({"path":"/x","comment":"two\nlines"})").status,
            201);
  // Such texts of an earlier version are corrected, with a note.
  std::vector<std::string> notes;
  const auto old = parse_stored_settings(
      R"({"format":1,"sites":[{"uuid":"7","name":"a\u202eb","hosts":["b.example"]}],)"
      R"("exceptions":[{"id":"e","path":"/x","comment":"\u0007"}],)"
      R"("targets":[{"id":"01234567","name":"\u2066","transport":"udp","host":"h"}],)"
      R"("rules":[{"id":"slow","name":"N","attack_type":"custom","risk":"low","expression":"a.{1,8000}b.{1,8000}c"}]})",
      notes);
  ASSERT_TRUE(old) << old.error().what;
  EXPECT_TRUE(std::any_of(old->policy.sites.begin(), old->policy.sites.end(),
                          [](const auto& site) { return site.uuid == "7" && site.name == "ab"; }));
  EXPECT_EQ(old->policy.exceptions.at(0).comment, "");
  EXPECT_EQ(old->targets.at(0).name, "targets 0");
  EXPECT_FALSE(old->rules.at(0).enabled) << "an expression that takes too long to compile";
  EXPECT_GE(notes.size(), 4u);
}

}  // namespace
}  // namespace wafd::console
