#include "forward/target/target_settings.h"

#include <functional>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace wafd::forward {
namespace {

namespace json = boost::json;

std::string dump(std::string_view text) {
  const auto r = parse_target(json::parse(json::string_view(text.data(), text.size())).as_object());
  return r ? json::serialize(to_json(*r, true)) : r.error().what;
}

TEST(TargetSettings, EveryMemberHasItsDefault) {
  EXPECT_EQ(
      dump(R"({"name":"siem","transport":"udp","host":"log.example"})"),
      R"({"id":"","name":"siem","enabled":true,"transport":"udp","host":"log.example","port":514,"backups":[],)"
      R"("header":"rfc5424","content":"json","framing":"octet_counting","facility":3,"severity":"by_risk",)"
      R"("app_name":"wafd","hostname":"","filter":"action:deny,monitor","streams":["event"],)"
      R"("request_detail":"full","max_message_bytes":8192,"time_precision":3,"bom":false,"sequence_id":false,)"
      R"("rate_limit":0,"wait_for_report_ms":0,"source_address":"","tls":{"verify":true,"ca":"","server_name":"",)"
      R"("fingerprint_sha256":"","min_version":"1.2","certificate":"","key":""},"kafka":{},"postgresql":{}})");
}

TEST(TargetSettings, TcpHasItsOwnPortAndSize) {
  const auto t = parse_target(json::parse(R"({"name":"n","transport":"tcp","host":"::1"})").as_object());
  ASSERT_TRUE(t) << t.error().what;
  EXPECT_EQ(t->port, 601);
  EXPECT_EQ(t->max_message_bytes, 65536u);
}

struct Row {
  const char* members;  // beside name, transport udp and host, which they may override
  const char* what;     // "" accepted
};

TEST(TargetSettings, Table) {
  const Row rows[] = {
      {R"("port":1)", ""},
      {R"("port":99999)", "port: expected an integer from 1 to 65535, got 99999"},
      {R"("port":0)", "port: expected an integer from 1 to 65535, got 0"},
      {R"("port":"514")", "port: expected an integer from 1 to 65535, got \"514\""},
      {R"("port":5.5)", "port: expected an integer from 1 to 65535, got 5.5E0"},
      {R"("name":"")", "name: expected a string of 1 to 64 characters, got \"\""},
      {R"("name":"a\u0007b")",
       "name: expected text without control characters and without such that change its direction, got "
       "\"a\\u0007b\""},
      {R"("transport":"smoke")",
       "transport: expected one of \"udp\", \"tcp\", \"tls\", \"relp\", \"kafka\", \"postgresql\", got "
       "\"smoke\""},
      {R"("transport":"relp")", ""},
      {R"("transport":"relp","max_message_bytes":131072,"tls":{"enabled":true})", ""},
      {R"("transport":"relp","max_message_bytes":131073)",
       "max_message_bytes: expected an integer from 2048 to 131072 for json content over relp, got 131073"},
      {R"("tls":{"enabled":true})",
       "tls.enabled: expected false, transport \"udp\" is never encrypted; \"tls\" is"},
      {R"("transport":"tcp","tls":{"enabled":true})",
       "tls.enabled: expected false, transport \"tcp\" is never encrypted; \"tls\" is"},
      {R"("transport":"tls","tls":{"enabled":false})",
       "tls.enabled: expected true, transport \"tls\" is always encrypted"},
      {R"("transport":"tls","tls":{"enabled":true})", ""},
      {R"("transport":"postgresql","postgresql":{"database":"waf","user":"n"})", ""},
      {R"("transport":"postgresql")", "postgresql.database: required"},
      {R"("transport":"postgresql","postgresql":{"database":"waf"})", "postgresql.user: required"},
      {R"("transport":"postgresql","postgresql":{"database":"waf","user":"n","schema":"x"})",
       "postgresql.schema: no such member"},
      {R"("transport":"postgresql","postgresql":{"database":"waf","user":"n","keep_gib":-1})",
       "postgresql.keep_gib: expected an integer from 0 to 1048576, got -1"},
      {R"("transport":"postgresql","postgresql":{"database":"waf","user":"n","keep_days":-1})",
       "postgresql.keep_days: expected an integer from 0 to 36500, got -1"},
      {R"("transport":"postgresql","postgresql":{"database":"waf","user":"n"},"tls":{"fingerprint_sha256":")"
       R"(0000000000000000000000000000000000000000000000000000000000000000"})",
       "tls.fingerprint_sha256: expected nothing over postgresql, whose library cannot look at it before it "
       "logs in; a "
       "self-signed certificate may be tls.ca"},
      {R"("transport":"postgresql","postgresql":{"database":"waf","user":"n"},"source_address":"192.0.2.1")",
       "source_address: expected nothing over postgresql, whose library chooses it by itself"},
      {R"("transport":"kafka","kafka":{"topic":"waf"})", ""},
      {R"("transport":"kafka")", "kafka.topic: required"},
      {R"("transport":"kafka","kafka":{})", "kafka.topic: required"},
      {R"("transport":"kafka","kafka":{"compression":"lz4"})", "kafka.topic: required"},
      {R"("transport":"kafka","kafka":{"topic":"waf","compression":"rar"})",
       "kafka.compression: expected one of \"none\", \"gzip\", \"snappy\", \"lz4\", \"zstd\", got \"rar\""},
      {R"("transport":"kafka","kafka":{"topic":"waf","sasl":{"mechanism":"PLAIN","username":"u","password":"p"}})",
       ""},
      {R"("transport":"kafka","kafka":{"topic":"waf","sasl":{"mechanism":"PLAIN","username":"u"}})",
       "kafka.sasl.password: required"},
      {R"("transport":"kafka","kafka":{"topic":"waf","sasl":{"mechanism":"GSSAPI","username":"u"}})",
       "kafka.sasl.mechanism: expected one of \"PLAIN\", \"SCRAM-SHA-256\", \"SCRAM-SHA-512\", got "
       "\"GSSAPI\""},
      {R"("transport":"kafka","kafka":{"topic":"waf"},"max_message_bytes":1000001)",
       "max_message_bytes: expected an integer from 2048 to 1000000 for json content over kafka, got "
       "1000001"},
      {R"("transport":"kafka","kafka":{"topic":"waf"},"tls":{"enabled":true,"server_name":"x"})",
       "tls.server_name: expected nothing over kafka, every broker is verified by its own name"},
      {R"("transport":"kafka","kafka":{"topic":"waf"},"tls":{"enabled":true,"min_version":"1.3"})",
       "tls.min_version: expected \"1.2\" over kafka, got \"1.3\""},
      {R"("content":"cef")", ""},
      {R"("content":"leef")", ""},
      {R"("content":"ecs")", ""},
      {R"("content":"xml")", "content: expected one of \"json\", \"cef\", \"leef\", \"ecs\", got \"xml\""},
      {R"("content":"cef","max_message_bytes":480)", ""},
      {R"("content":"leef","max_message_bytes":479)",
       "max_message_bytes: expected an integer from 480 to 65507 for leef content over udp, got 479"},
      {R"("content":"ecs","max_message_bytes":480)",
       "max_message_bytes: expected an integer from 2048 to 65507 for ecs content over udp, got 480"},
      {R"("host":"[2001:db8::1]")", ""},
      {R"("host":"log_1.example.")", ""},
      {R"("host":"-bad")", "host: expected a host name, an IPv4 address or an IPv6 address, got \"-bad\""},
      {R"("host":"10.0.0.256")",
       "host: expected a host name, an IPv4 address or an IPv6 address, got \"10.0.0.256\""},
      {R"("host":"a b")", "host: expected a host name, an IPv4 address or an IPv6 address, got \"a b\""},
      {R"("host":"a..b")", "host: expected a host name, an IPv4 address or an IPv6 address, got \"a..b\""},
      {R"("host":7)", "host: expected a string, got 7"},
      {R"("backups":[{"host":"b.example","port":5140}])", ""},
      {R"("backups":[{"port":5140}])", "backups[0].host: required"},
      {R"("backups":[{"host":"x y"}])",
       "backups[0].host: expected a host name, an IPv4 address or an IPv6 address, got \"x y\""},
      {R"("backups":[7])", "backups[0]: expected an object {\"host\", \"port\"}, got 7"},
      {R"("header":"rfc3164")", ""},
      {R"("header":"bsd")", "header: expected one of \"rfc5424\", \"rfc3164\", got \"bsd\""},
      {R"("framing":"nul")", "framing: expected one of \"octet_counting\", \"lf\", got \"nul\""},
      {R"("facility":24)", "facility: expected an integer from 0 to 23, got 24"},
      {R"("severity":7)", ""},
      {R"("severity":8)", "severity: expected \"by_risk\" or an integer from 0 to 7, got 8"},
      {R"("severity":"high")", "severity: expected \"by_risk\" or an integer from 0 to 7, got \"high\""},
      {R"("app_name":"a b")",
       "app_name: expected 1 to 48 printable ASCII characters without spaces, got \"a b\""},
      {R"("hostname":"waf-1.example")", ""},
      {R"("hostname":"waf 1")",
       "hostname: expected at most 255 printable ASCII characters without spaces, got \"waf 1\""},
      {R"("streams":["event","health"])", ""},
      {R"("streams":[])", "streams: expected at least one of \"event\", \"audit\", \"health\", got []"},
      {R"("streams":["all"])", "streams: expected a list of \"event\", \"audit\", \"health\", got \"all\""},
      {R"("request_detail":"headers")", ""},
      {R"("filter":"type:sqli risk:high -src:10.0.0.0/8")", ""},
      {R"("max_message_bytes":2047)",
       "max_message_bytes: expected an integer from 2048 to 65507 for json content over udp, got 2047"},
      {R"("max_message_bytes":2048)", ""},
      {R"("max_message_bytes":65507)", ""},
      {R"("max_message_bytes":65508)",
       "max_message_bytes: expected an integer from 2048 to 65507 for json content over udp, got 65508"},
      {R"("transport":"tcp","max_message_bytes":65508)", ""},
      {R"("time_precision":4)", "time_precision: expected 3 or 6, got 4"},
      {R"("bom":1)", "bom: expected true or false, got 1"},
      {R"("rate_limit":-1)", "rate_limit: expected an integer from 0 to 1000000, got -1"},
      {R"("wait_for_report_ms":-1)", "wait_for_report_ms: expected an integer from 0 to 60000, got -1"},
      {R"("wait_for_report_ms":60001)", "wait_for_report_ms: expected an integer from 0 to 60000, got 60001"},
      {R"("wait_for_report_ms":"1s")",
       R"(wait_for_report_ms: expected an integer from 0 to 60000, got "1s")"},
      {R"("source_address":"10.0.0.1")", ""},
      {R"("source_address":"::1")", "source_address: expected an IPv4 address like host 127.0.0.1, got ::1"},
      {R"("source_address":"::1","host":"siem.example")", ""},
      {R"("source_address":"::1","host":"::2","backups":[{"host":"::3"},{"host":"10.0.0.9"}])",
       "source_address: expected an IPv4 address like backups[1].host 10.0.0.9, got ::1"},
      {R"("source_address":"eth0")",
       "source_address: expected an IPv4 or IPv6 address of this machine, got \"eth0\""},
      {R"("tls":{"ca":"/etc/ca.pem"})", "tls.ca: expected PEM text (-----BEGIN ...) or file:/PATH"},
      {R"("tls":{"min_version":"1.1"})", "tls.min_version: expected \"1.2\" or \"1.3\", got \"1.1\""},
      {R"("tls":{"fingerprint_sha256":"12:34"})",
       "tls.fingerprint_sha256: expected 64 hex digits (SHA-256), colons allowed, got \"12:34\""},
      {R"("tls":{"certificate":"file:/c.pem"})",
       "tls.certificate: expected certificate and key together, got only one of them"},
      {R"("tls":{"nope":1})", "tls.nope: no such member"},
      {R"("kafka":{"topic":"a b"})",
       "kafka.topic: expected letters, digits, '.', '_', '-', and not \".\" or \"..\", got \"a b\""},
      {R"("kafka":{"topic":".."})",
       "kafka.topic: expected letters, digits, '.', '_', '-', and not \".\" or \"..\", got \"..\""},
      {R"("status":{"state":"up"})", ""},
      {R"("prot":1)", "prot: no such member"},
      {R"("id":"short")", "id: expected 8 to 64 of a-z, 0-9 and '-', got \"short\""},
  };
  for (const Row& row : rows) {
    json::object o{{"name", "n"}, {"transport", "udp"}, {"host", "127.0.0.1"}};
    const json::value given = json::parse("{" + std::string(row.members) + "}");
    for (const auto& m : given.as_object()) o[m.key()] = m.value();
    const auto r = parse_target(o);
    EXPECT_EQ(r ? "" : r.error().what, row.what) << row.members;
  }
}

TEST(TargetSettings, RelpSaysWhetherItIsEncrypted) {
  for (const bool encrypted : {false, true}) {
    json::object o{{"name", "n"}, {"transport", "relp"}, {"host", "h.example"}};
    o["tls"] = json::object{{"enabled", encrypted}};
    const auto t = parse_target(o);
    ASSERT_TRUE(t) << t.error().what;
    EXPECT_EQ(t->port, 2514);
    EXPECT_EQ(t->max_message_bytes, 65536u);
    EXPECT_EQ(uses_tls(*t), encrypted);
    EXPECT_EQ(to_json(*t, false).at("tls").at("enabled").as_bool(), encrypted);
  }
}

TEST(TargetSettings, RequiredMembers) {
  EXPECT_EQ(dump(R"({})"), "transport: required");
  EXPECT_EQ(dump(R"({"transport":"udp"})"), "host: required");
  EXPECT_EQ(dump(R"({"transport":"udp","host":"h.example"})"), "name: required");
}

TEST(TargetSettings, SecretsAreKeptAndNeverReturned) {
  TargetSettings t;
  t.name = "n";
  t.host = "127.0.0.1";
  t.tls.certificate = "file:/c.pem";
  t.tls.key = "file:/k.pem";
  const json::object shown = to_json(t, false);
  EXPECT_EQ(json::serialize(shown).find("k.pem"), std::string::npos);
  EXPECT_TRUE(shown.at("tls").at("key_set").as_bool());
  const auto again = parse_target(shown, &t);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->tls.key, "file:/k.pem");
  EXPECT_EQ(json::serialize(to_json(*again, true)), json::serialize(to_json(t, true)));

  // A key goes with its certificate: who cannot see it could not take it back otherwise.
  json::object without = shown;
  without["tls"].as_object()["certificate"] = "";
  for (const json::object& object :
       {without, json::object{{"name", "n"}, {"transport", "tls"}, {"host", "h"}}}) {
    const auto gone = parse_target(object, &t);
    ASSERT_TRUE(gone) << gone.error().what;
    EXPECT_EQ(gone->tls.certificate + gone->tls.key, "");
  }
}

// A stored secret goes only where it was saved for: who changes the destination or its protection gives it
// again.
TEST(TargetSettings, AStoredSecretStaysWithItsDestination) {
  const std::string bus =
      R"({"id":"0123456789ab","name":"bus","transport":"kafka","host":"bus.example","port":9093,)"
      R"("backups":[{"host":"spare.example","port":9093}],"tls":{"enabled":true,"certificate":"file:/c.pem","key":"file:/k.pem"},)"
      R"("kafka":{"topic":"waf","sasl":{"mechanism":"SCRAM-SHA-256","username":"u","password":"p"}}})";
  const auto stored = parse_target(json::parse(bus).as_object());
  ASSERT_TRUE(stored) << stored.error().what;
  struct Change {
    const char* change;   // merged into what the API showed of the stored target
    const char* changed;  // as the error names it; empty: the secrets stay
  };
  constexpr Change kChanges[] = {
      {R"({})", ""},
      {R"({"name":"other","facility":16,"kafka":{"topic":"waf2","sasl":{"username":"v"}}})", ""},
      {R"({"backups":[]})", ""},
      {R"({"host":"spare.example","backups":[{"host":"bus.example","port":9093}]})", ""},
      {R"({"host":"BUS.example.evil"})", "host"},
      {R"({"port":9092})", "port"},
      {R"({"backups":[{"host":"evil.example","port":9093}]})", "backups[0]"},
      {R"({"backups":[{"host":"spare.example","port":9093},{"host":"bus.example","port":1}]})", "backups[1]"},
      {R"({"tls":{"enabled":false}})", "tls.enabled"},
      {R"({"tls":{"verify":false}})", "tls.verify"},
      {R"({"tls":{"ca":"file:/evil.pem"}})", "tls.ca"},
      {R"({"tls":{"fingerprint_sha256":"0000000000000000000000000000000000000000000000000000000000000000"}})",
       "tls.fingerprint_sha256"},
      {R"({"kafka":{"sasl":{"mechanism":"PLAIN"}}})", "kafka.sasl.mechanism"},
      // The password is not used there, and is asked for when Kafka comes back; the key is.
      {R"({"transport":"tcp","host":"evil.example","tls":{"enabled":false}})", ""},
      {R"({"transport":"tls","host":"evil.example"})", "transport"},
  };
  const std::function<void(json::object&, const json::object&)> merge = [&](json::object& into,
                                                                            const json::object& from) {
    for (const auto& member : from) {
      json::value* there = into.if_contains(member.key());
      if (there != nullptr && there->is_object() && member.value().is_object())
        merge(there->as_object(), member.value().as_object());
      else
        into[member.key()] = member.value();
    }
  };
  for (const Change& row : kChanges) {
    json::object object = to_json(*stored, false);
    merge(object, json::parse(row.change).as_object());
    const auto changed = parse_target(object, &*stored);
    EXPECT_TRUE(parse_target(object, &*stored, SecretUse::kShowsOnly)) << row.change;
    if (*row.changed == '\0') {
      ASSERT_TRUE(changed) << row.change << ": " << changed.error().what;
      EXPECT_EQ(changed->tls.key, "file:/k.pem") << row.change;
      continue;
    }
    ASSERT_FALSE(changed) << row.change;
    const std::string& what = changed.error().what;
    EXPECT_TRUE(what.starts_with("kafka.sasl.password: expected again") ||
                what.starts_with("tls.key: expected again"))
        << row.change << ": " << what;
    EXPECT_NE(what.find(std::string("because ") + row.changed + " is not"), std::string::npos)
        << row.change << ": " << what;
    // Given again, it goes there.
    object["tls"].as_object()["key"] = "file:/k.pem";
    object["kafka"].as_object()["sasl"].as_object()["password"] = "again";
    const auto given = parse_target(object, &*stored);
    EXPECT_TRUE(given) << row.change << ": " << given.error().what;
  }
  // Back from a transport that had no use for it: the password is asked for, wherever it would go.
  TargetSettings plain = *stored;
  plain.transport = Transport::kTcp;
  plain.tls.enabled = false;
  plain.host = "evil.example";
  json::object back = to_json(plain, false);
  back["transport"] = "kafka";
  EXPECT_FALSE(parse_target(back, &plain));
}

TEST(TargetSettings, ADatabasesPasswordStaysWithItToo) {
  const auto stored = parse_target(
      json::parse(R"({"id":"0123456789ab","name":"db","transport":"postgresql","host":"db.example",)"
                  R"("postgresql":{"database":"waf","user":"n","password":"p","keep_days":9}})")
          .as_object());
  ASSERT_TRUE(stored) << stored.error().what;
  EXPECT_EQ(stored->port, 5432);
  EXPECT_TRUE(uses_tls(*stored)) << "unless somebody says otherwise";
  EXPECT_EQ(stored->max_message_bytes, 1u << 20);
  json::object shown = to_json(*stored, false);
  EXPECT_EQ(shown.at("postgresql"),
            json::parse(R"({"database":"waf","user":"n","keep_days":9,"keep_gib":0,"password_set":true})"));
  shown["name"] = "other";
  const auto renamed = parse_target(shown, &*stored);
  ASSERT_TRUE(renamed) << renamed.error().what;
  EXPECT_EQ(renamed->postgresql.password, "p");
  for (const char* change : {R"("host")", R"("port")", R"("tls")"}) {
    json::object elsewhere = shown;
    const std::string member = json::parse(change).as_string().c_str();
    if (member == "host") elsewhere["host"] = "evil.example";
    if (member == "port") elsewhere["port"] = 5433;
    if (member == "tls") elsewhere["tls"] = json::object{{"enabled", false}};
    const auto changed = parse_target(elsewhere, &*stored);
    ASSERT_FALSE(changed) << change;
    EXPECT_TRUE(changed.error().what.starts_with("postgresql.password: expected again"))
        << changed.error().what;
    elsewhere["postgresql"].as_object()["password"] = "again";
    EXPECT_TRUE(parse_target(elsewhere, &*stored));
  }
  shown["postgresql"].as_object()["password"] = "";
  EXPECT_EQ(parse_target(shown, &*stored)->postgresql.password, "") << "none";
}

TEST(TargetSettings, WhatIsWrittenIsReadBack) {
  const std::string text =
      R"({"id":"0123456789ab","name":"n","enabled":false,"transport":"tcp","host":"::1","port":6000,)"
      R"("backups":[{"host":"b.example","port":601}],"header":"rfc3164","content":"json","framing":"lf","facility":16,)"
      R"("severity":3,"app_name":"app","hostname":"h","filter":"","streams":["health","audit"],"request_detail":"none",)"
      R"("max_message_bytes":4096,"time_precision":6,"bom":true,"sequence_id":true,"rate_limit":100,"wait_for_report_ms":2500,)"
      R"("source_address":"::1","tls":{"verify":false,"ca":"file:/ca","server_name":"s.example",)"
      R"("fingerprint_sha256":"","min_version":"1.3","certificate":"","key":""},"kafka":{},"postgresql":{}})";
  EXPECT_EQ(dump(text), text);
}

}  // namespace
}  // namespace wafd::forward
