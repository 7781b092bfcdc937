// Answers of the readers of settings: every member of every settings object with each of a set of values, as
// recorded in answers.txt. Scripts and the page rely on these texts, so they stay.
#include <functional>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "console/api/schemas/schemas.h"
#include "console/base/json_text.h"
#include "console/settings/policy_json.h"
#include "console/settings/store.h"
#include "console/settings/system_settings.h"
#include "forward/target/target_settings.h"
#include "tests/console/settings/recorded_file.h"

namespace wafd::console {
namespace {

namespace json = boost::json;

using Read = std::function<Result<json::object>(const json::object&)>;

struct Object {
  const char* name;
  const char* good;  // all members, each unlike its default where it can be
  Read read;
};

// Null, both truths, whole numbers of every size, a fraction, texts, lists and objects.
std::vector<std::string> odd_values() {
  return {"null",
          "true",
          "false",
          "0",
          "-1",
          "3",
          "3.0",
          "0.5",
          "400",
          "70000",
          "9007199254740993",
          "18446744073709551615",
          R"("")",
          R"("off")",
          R"("10.0.0.1")",
          R"("/A b")",
          R"("a\nb\u202e")",
          R"("b\u00fccher.example:80")",
          '"' + std::string(70, 'x') + '"',
          '"' + std::string(70'000, 'y') + '"',
          "[]",
          "[1]",
          R"([""])",
          R"(["Shop.Example","[::1]"])",
          R"(["event","event"])",
          "{}",
          R"({"z\n":1})"};
}

// `object` with the member at `path` set to `value`, or without it.
void set_member(json::value& root, const std::vector<std::string>& path, const json::value* value) {
  json::object* at = &root.as_object();
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    json::value& next = at->at(path[i]);
    at = next.is_array() ? &next.as_array().at(0).as_object() : &next.as_object();
  }
  if (value != nullptr) {
    (*at)[path.back()] = *value;
  } else {
    at->erase(path.back());
  }
}

// Every member, and those of objects inside and of a list's first object.
void paths_of(const json::object& object, const std::vector<std::string>& before,
              std::vector<std::vector<std::string>>& out) {
  for (const auto& member : object) {
    std::vector<std::string> path = before;
    path.emplace_back(member.key());
    out.push_back(path);
    if (const auto* inner = member.value().if_object()) paths_of(*inner, path, out);
    if (const auto* list = member.value().if_array(); list != nullptr && !list->empty())
      if (const auto* first = list->front().if_object()) paths_of(*first, path, out);
  }
  std::vector<std::string> unknown = before;
  unknown.emplace_back("no such\tmember");
  out.push_back(std::move(unknown));
}

std::string cut(const std::string& text) { return text.size() > 48 ? text.substr(0, 45) + "..." : text; }

std::string answer(const Read& read, const json::value& object, const std::string& before) {
  const auto taken = read(object.as_object());
  if (!taken) return taken.error().what;
  const std::string now = json::serialize(*taken);
  if (now == before) return "taken, nothing changed";
  // From the first difference on.
  std::size_t at = 0;
  while (at < now.size() && at < before.size() && now[at] == before[at]) ++at;
  const std::size_t member = now.rfind('"', at > 0 ? at - 1 : 0);
  return "taken: " + cut(now.substr(member == std::string::npos ? 0 : member));
}

std::string answers_of(const Object& object) {
  const json::value good = json::parse(object.good);
  const auto taken = object.read(good.as_object());
  if (!taken) return std::string(object.name) + ": " + taken.error().what + "\n";
  const std::string before = json::serialize(*taken);
  std::string out = std::string("== ") + object.name + "\n" + before + "\n";
  std::vector<std::vector<std::string>> paths;
  paths_of(good.as_object(), {}, paths);
  for (const auto& path : paths) {
    std::string name;
    for (const std::string& part : path) name += (name.empty() ? "" : ".") + part;
    // Values that are answered alike stand in one line.
    std::vector<std::pair<std::string, std::string>> lines;
    const auto add = [&](const std::string& value, const json::value& object_now) {
      const std::string text = answer(object.read, object_now, before);
      for (auto& [known, values] : lines)
        if (known == text) {
          values += " | " + value;
          return;
        }
      lines.emplace_back(text, value);
    };
    json::value without = good;
    set_member(without, path, nullptr);
    add("absent", without);
    for (const std::string& text : odd_values()) {
      const json::value odd = json::parse(text);
      json::value changed = good;
      set_member(changed, path, &odd);
      add(text.substr(0, 24), changed);
    }
    out += name + "\n";
    for (const auto& [text, values] : lines) out += "  " + values + "\n    " + text + "\n";
  }
  // Two mistakes: the first in the reader's order is told.
  for (const auto& first : paths) {
    if (first.size() > 1) continue;
    json::value two = good;
    for (const auto& path : paths)
      if (path.size() == 1 && path.back() >= first.back()) {
        const json::value odd = json::array{json::array{}};
        set_member(two, path, &odd);
      }
    out += "from " + first.back() + " on, lists: " + answer(object.read, two, before) + "\n";
  }
  return out + "empty: " + answer(object.read, json::parse("{}"), before) + "\n";
}

template <class T>
Result<json::object> shown(const Result<T>& read) {
  if (!read) return tl::unexpected(read.error());
  return to_json(*read);
}

Result<json::object> target_shown(const json::object& object) {
  const auto read = forward::parse_target(object);
  if (!read) return tl::unexpected(read.error());
  return forward::to_json(*read, true);
}

const char kSite[] = R"({"uuid":"7","name":"Shop","url":"https://shop.example","hosts":["shop.example","*.a"],
  "mode":"monitor","sensitivity":"low","sensitivity_by_type":{"xss":"strict","scanner":"off"},
  "on_oversize":"block","on_limit":"monitor","document_fields":["text*"],"session_cookie":"sid",
  "block_status":451,"block_body":"no","mask":{"headers":["X-Key"],"cookies":["c"],"parameters":["pw"],
  "card_numbers":false},"days":[],"etag":"x"})";
const char kException[] =
    R"({"id":"e","enabled":false,"comment":"two\nlines","author":"ann","host":"a.example",
  "path":"/a/**","location":"query","name":"q","rule_id":"m_sql/1","attack_type":"xss","expires_s":5,
  "hits":{},"etag":"x"})";
const char kEntry[] =
    R"({"id":"l","kind":"allow","cidr":"192.0.2.0/24","comment":"ours","expires_s":9,"hits":{},"etag":"x"})";
const char kSystem[] = R"({"trusted_proxies":["10.0.0.0/8"],"time_zone":"Europe/Lisbon",
  "geoip_database":"/x.mmdb","configured":{},"warnings":[],"etag":"x"})";
const char kTarget[] =
    R"({"id":"abcdefgh","name":"siem","enabled":false,"transport":"tls","host":"siem.example",
  "port":6515,"backups":[{"host":"b.example","port":1}],"header":"rfc3164","content":"cef",
  "framing":"octet_counting","facility":16,"severity":4,"app_name":"waf","hostname":"h","filter":"action:deny",
  "streams":["event","audit"],"request_detail":"none","max_message_bytes":9000,"time_precision":6,"bom":true,
  "sequence_id":true,"rate_limit":5,"wait_for_report_ms":7,"source_address":"192.0.2.1",
  "tls":{"enabled":true,"verify":false,"ca":"file:/ca","server_name":"s.example","fingerprint_sha256":"",
  "min_version":"1.3","certificate":"file:/c","key":"file:/k","key_set":true},"kafka":{},"status":null})";
const char kKafka[] = R"({"name":"k","transport":"kafka","host":"k.example","tls":{"enabled":true},
  "kafka":{"topic":"waf","compression":"gzip","sasl":{"mechanism":"PLAIN","username":"u","password":"p",
  "password_set":true}}})";
const char kUdp[] = R"({"name":"u","transport":"udp","host":"192.0.2.5"})";
const char kSettings[] = R"({"format":1,"version":3,"saved_ms":4,"author":"ann",
  "sites":[{"uuid":"0","name":"Default"}],"exceptions":[{"id":"e","path":"/x","author":"bob"}],
  "lists":[{"id":"l","kind":"deny","cidr":"192.0.2.1"}],
  "targets":[{"id":"abcdefgh","name":"u","transport":"udp","host":"192.0.2.5"}],
  "rules":[{"id":"one","enabled":false,"name":"One","attack_type":"custom","risk":"low","location":"urlpath",
  "expression":"^/x"}],"system":{"time_zone":"UTC"}})";

TEST(SettingsAnswers, StayAsRecorded) {
  detect::SiteSettings old_site;
  old_site.name = "old";
  const Object kObjects[] = {
      {"new site", kSite, [](const json::object& o) { return shown(parse_site(o, {})); }},
      {"site", kSite, [&](const json::object& o) { return shown(parse_site(o, old_site)); }},
      {"exception", kException, [](const json::object& o) { return shown(parse_exception(o, {})); }},
      {"list entry", kEntry, [](const json::object& o) { return shown(parse_list_entry(o, {})); }},
      {"system", kSystem, [](const json::object& o) { return shown(parse_system(o)); }},
      {"target", kTarget, target_shown},
      {"target over kafka", kKafka, target_shown},
      {"target over udp", kUdp, target_shown},
      {"settings", kSettings,
       [](const json::object& o) -> Result<json::object> {
         const auto read = parse_settings(json::serialize(o));
         if (!read) return tl::unexpected(read.error());
         return to_json(*read, true);
       }},
  };
  std::string now;
  for (const Object& object : kObjects) now += answers_of(object);
  test::expect_recorded("tests/console/settings/answers.txt", now);
}

TEST(SettingsAnswers, SchemasStayAsRecorded) {
  json::object now;
  for (const char* name :
       {"HostPort", "TlsSettings", "KafkaSettings", "PostgresqlSettings", "Target", "Mask", "Site",
        "Exception", "ListEntry", "System", "OwnRule", "TargetRequest", "SiteRequest", "ExceptionRequest",
        "ListRequest", "SystemRequest", "PreviewRequest", "TestRequest"})
    now[name] = schemas().at(name);
  test::expect_recorded("tests/console/settings/schema.json", indented_json(now));
}

}  // namespace
}  // namespace wafd::console
