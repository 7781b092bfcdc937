// Triage, pins and saved views: through the API, over a restart, and as terms of a query.
#include "console/events/triage.h"

#include <fstream>

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "tests/support/console_api.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

std::string id_text(int number) { return "0000000" + std::to_string(number) + std::string(24, '0'); }

// Events 1 to 4; their ids differ in the bytes that the heads hold.
void add_events(ConsoleUnderTest& console) {
  for (int i = 1; i <= 4; ++i) {
    EventRecord record = test::make_event(1, console.clock.unix_us() / 1000);
    record.id = EventId::parse(id_text(i)).value();
    record.json.replace(record.json.find("00000000000000000000000000000001"), 32, id_text(i));
    ASSERT_TRUE(console.ring->append(record));
  }
}

std::string listed(ConsoleUnderTest& console, const std::string& query) {
  const auto answer = console.as_admin("GET", "/api/v1/events?q=" + query);
  if (answer.status != 200) return json_of(answer).at("detail").as_string().c_str();
  const auto value = json_of(answer);
  std::string out;
  for (const auto& event : value.at("events").as_array())
    out += event.at("record").at("event_id").as_string()[7];
  return out;
}

TEST(TriageStore, TriageIsATermOfTheQuery) {
  ConsoleUnderTest console;
  console.set_up();
  add_events(console);
  const auto set = [&](const std::string& body) {
    return console.as_admin("POST", "/api/v1/triage", body).status;
  };
  EXPECT_EQ(set(R"({"events":[")" + id_text(1) + R"(",")" + id_text(2) + R"("],"state":"closed"})"), 200);
  EXPECT_EQ(set(R"({"events":[")" + id_text(2) + R"("],"label":"false_positive","note":"ours"})"), 200);
  EXPECT_EQ(console.as_admin("PUT", "/api/v1/pins/" + id_text(4)).status, 200);
  const std::pair<const char*, const char*> rows[] = {
      {"", "4321"},
      {"is:open", "43"},
      {"-is:open", "21"},
      {"IS:closed", "21"},
      {"-is:closed%20is:pinned", "4"},
      {"is:false_positive", "2"},
      {"is:closed%20-is:false_positive%20type:sqli", "1"},
      {"is:closed%20host:shop.example", "21"},
      {"is:true_positive", ""},
      {"host:%22is:open%22", ""},
      {"is:odd", "q: at character 4: expected one of open, closed, true_positive, false_positive, pinned"},
      {"type:sqli%20or%20is:open",
       "q: at character 14: expected is: beside the other terms, not under or and not in parentheses"},
      {"(is:open)",
       "q: at character 2: expected is: beside the other terms, not under or and not in parentheses"},
      {"is:open%20type:", "q: at character 14: expected a value behind the colon"},
  };
  for (const auto& [query, expected] : rows) EXPECT_EQ(listed(console, query), expected) << query;
  const auto counts = json_of(console.as_admin("GET", "/api/v1/events/histogram?q=is:closed"));
  EXPECT_EQ(counts.at("total"), 2);
  // Marks stay where a change does not name them, and survive a restart.
  const TriageStore again = TriageStore::open(console.folder.path);
  const Triage* two = again.triage_of(EventId::parse(id_text(2)).value());
  ASSERT_NE(two, nullptr);
  EXPECT_TRUE(two->closed);
  EXPECT_EQ(two->note, "ours");
  EXPECT_EQ(two->by, "admin");
  EXPECT_EQ(again.pins().size(), 1u);
}

TEST(TriageStore, APinOutlivesTheRing) {
  ConsoleUnderTest console;
  console.set_up();
  add_events(console);
  const std::string path = "/api/v1/events/" + id_text(1);
  const auto before = console.as_admin("GET", path);
  ASSERT_EQ(before.status, 200);
  ASSERT_EQ(console.as_admin("PUT", "/api/v1/pins/" + id_text(1)).status, 200);
  for (std::uint64_t i = 0; console.ring->oldest() <= 2 && i < 20'000; ++i)
    ASSERT_TRUE(console.ring->append(test::make_event(i + 100, console.clock.unix_us() / 1000)));
  EXPECT_EQ(console.as_admin("GET", "/api/v1/events/" + id_text(2)).status, 404);
  const auto after = console.as_admin("GET", path);
  EXPECT_EQ(after.status, 200);
  EXPECT_EQ(after.body, before.body);
  EXPECT_EQ(console.as_admin("PUT", "/api/v1/pins/" + id_text(1)).status, 200) << "again, without the ring";
  EXPECT_EQ(console.as_admin("PUT", "/api/v1/pins/" + id_text(2)).status, 404);
  EXPECT_EQ(console.as_admin("DELETE", "/api/v1/pins/" + id_text(1)).status, 204);
  EXPECT_EQ(console.as_admin("GET", path).status, 404);
}

TEST(TriageStore, ViewsAreOnesOwnUnlessShared) {
  ConsoleUnderTest console;
  console.set_up();
  const auto viewer = "Bearer " + console.token(Role::kViewer);
  const auto as_viewer = [&](const std::string& method, const std::string& target,
                             const std::string& body = {}) {
    return console.call(method, target, body, {{"Authorization", viewer}});
  };
  const auto own = json_of(as_viewer("POST", "/api/v1/views", R"({"name":"mine","query":"q=a"})"));
  EXPECT_EQ(as_viewer("POST", "/api/v1/views", R"({"name":"mine","shared":true})").status, 403);
  const auto shared = json_of(console.as_admin("POST", "/api/v1/views", R"({"name":"all","shared":true})"));
  EXPECT_EQ(json_of(as_viewer("GET", "/api/v1/views")).at("views").as_array().size(), 2u);
  EXPECT_EQ(json_of(console.as_admin("GET", "/api/v1/views")).at("views").as_array().size(), 1u);
  const auto path = [](const boost::json::value& view) {
    return "/api/v1/views/" + std::string(view.at("id").as_string());
  };
  EXPECT_EQ(as_viewer("DELETE", path(shared)).status, 403);
  EXPECT_EQ(console.as_admin("DELETE", path(own)).status, 404)
      << "what is not shared is nobody else's to see";
  EXPECT_EQ(as_viewer("DELETE", path(own)).status, 204);
  EXPECT_EQ(console.as_admin("DELETE", path(shared)).status, 204);
  EXPECT_EQ(as_viewer("POST", "/api/v1/triage", R"({"events":[],"state":"open"})").status, 403);
}

TEST(TriageStore, ADamagedFileIsPutAsideAndSaid) {
  test::TempFolder folder;
  std::ofstream(folder.path + "/pins.json") << "{\"pins\": [";
  const TriageStore book = TriageStore::open(folder.path);
  EXPECT_NE(book.notice().find("pins.json.damaged"), std::string::npos);
  EXPECT_TRUE(std::ifstream(folder.path + "/pins.json.damaged").good());
}

TEST(TriageStore, WhatIsTooMuchIsForgottenAndCounted) {
  test::TempFolder folder;
  TriageStore book = TriageStore::open(folder.path);
  std::vector<std::pair<EventId, Triage>> changes;
  for (std::size_t i = 0; i < kMaxTriaged + 5; ++i) {
    EventId id;
    for (std::size_t b = 0; b < 4; ++b) id.bytes[b] = static_cast<std::uint8_t>(i >> (8 * b));
    changes.emplace_back(id, Triage{true, Label::kNone, "", "admin", static_cast<std::int64_t>(i + 1)});
  }
  ASSERT_TRUE(book.set_triage(changes));
  EXPECT_EQ(book.forgotten(), 5u);
  EXPECT_EQ(book.triage_of(changes[4].first), nullptr);
  EXPECT_NE(book.triage_of(changes[5].first), nullptr);
}

}  // namespace
}  // namespace wafd::console
