// Searches over a real ring, export, live tail, the flat JSON walker.
#include <set>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "console/base/csv.h"
#include "console/events/flat_json.h"
#include "console/events/groups.h"
#include "console/events/search.h"
#include "console/events/streams.h"
#include "tests/support/console_parts.h"
#include "tests/support/temp_folder.h"

namespace wafd::console {
namespace {

std::string walk(std::string_view text) {
  FlatJson json(text);
  std::string out;
  std::string_view name;
  std::string_view value;
  while (json.next(name, value)) out += std::string(name) + "=" + std::string(value) + ";";
  return out + (json.sound() ? "" : "!");
}

TEST(FlatJson, Table) {
  struct Row {
    const char* text;
    const char* dump;
  };
  constexpr Row kRows[] = {
      {"{}", ""},
      {R"({"a":"x","b":1,"c":null,"d":[1,2],"e":""})", R"(a="x";b=1;c=null;d=[1,2];e="";)"},
      {R"({ "a" : "}\"," , "b" : [ "]" ] })", R"(a="}\",";b=[ "]" ];)"},
      {R"({"a":"x")", R"(a="x";!)"},
      {R"({"a":"x)", "!"},
      {R"({"a":{"b":1}})", "!"},
      {R"({"a":[[1]]})", "!"},
      {R"({"a":1 "b":2})", "a=1;!"},
      {"[1]", "!"},
      {"", "!"},
      {R"({"a":"\)", "!"},
  };
  for (const Row& row : kRows) EXPECT_EQ(walk(row.text), row.dump) << row.text;
  EXPECT_EQ(plain_text(R"("a\n\"\\\u00e4\ud83d\ude00\ud800")"),
            "a\n\"\\\xc3\xa4\xf0\x9f\x98\x80\xef\xbf\xbd");
  EXPECT_EQ(plain_text("17"), "17");
}

TEST(Csv, CellsAreQuotedAndDefused) {
  struct Row {
    const char* text;
    const char* cell;
  };
  constexpr Row kRows[] = {{"", ""},
                           {"a", "a"},
                           {"a,b", "\"a,b\""},
                           {"a\"b", "\"a\"\"b\""},
                           {"a\r\nb", "\"a\r\nb\""},
                           {"=1+1", "'=1+1"},
                           {"+1", "'+1"},
                           {"-1", "'-1"},
                           {"@x", "'@x"},
                           {"\tx", "'\tx"},
                           {"=a,b", "\"'=a,b\""}};
  for (const Row& row : kRows) {
    std::string out;
    append_csv_cell(row.text, out);
    EXPECT_EQ(out, row.cell) << row.text;
  }
}

class EventsTest : public ::testing::Test {
 protected:
  EventsTest() {
    forward::RingOptions options;
    options.path = folder_.path + "/ring";
    options.size_bytes = 4u << 20;
    options.sync_interval_ms = 0;
    ring_ = std::move(forward::Ring::open(options).value());
  }
  void add(std::uint64_t number, std::int64_t time_ms, const std::string& src = "192.0.2.1",
           AttackType type = AttackType::kSqli, Action action = Action::kDeny,
           const std::string& path = "/login") {
    ASSERT_TRUE(ring_->append(test::make_event(number, time_ms, src, type, action, path)));
  }
  static EventFilter filter(std::string_view query, std::int64_t from = 0, std::int64_t to = INT64_MAX) {
    return {forward::EventQuery::parse(query).value(), from, to};
  }
  // Numbers of the events of a page, and what `before` says.
  std::string page(std::string_view query, std::size_t limit, std::optional<std::uint64_t> before = {},
                   std::int64_t from = 0, std::int64_t to = INT64_MAX) {
    const auto value = boost::json::parse(list_events(*ring_, filter(query, from, to), limit, before));
    std::string out;
    for (const auto& event : value.at("events").as_array()) {
      const std::string id(event.at("record").at("event_id").as_string());
      out += std::to_string(std::stoull(id.substr(16), nullptr, 16)) + " ";
    }
    return out + (value.at("before").is_null() ? "end" : "more");
  }

  test::TempFolder folder_;
  std::unique_ptr<forward::Ring> ring_;
};

TEST_F(EventsTest, PagesAreStableUnderNewEvents) {
  EXPECT_EQ(page("", 2), "end");
  for (std::uint64_t i = 1; i <= 5; ++i) add(i, 1000 + static_cast<std::int64_t>(i));
  EXPECT_EQ(page("", 2), "5 4 more");
  const auto first = boost::json::parse(list_events(*ring_, filter(""), 2, {}));
  const auto before = static_cast<std::uint64_t>(first.at("before").as_int64());
  add(6, 1006);
  EXPECT_EQ(page("", 2, before), "3 2 more");
  EXPECT_EQ(page("", 10, before), "3 2 1 end");
  EXPECT_EQ(page("", 10, {}, 1002, 1005), "4 3 2 end");
  EXPECT_EQ(page("type:xss", 10), "end");
}

TEST_F(EventsTest, CountsByTimeAndValue) {
  add(1, 1'000'000, "192.0.2.1", AttackType::kSqli, Action::kDeny, "/a");
  add(2, 1'000'900, "192.0.2.2", AttackType::kXss, Action::kMonitor, "/b");
  add(3, 1'001'000, "192.0.2.1", AttackType::kSqli, Action::kAllow, "/a");
  EXPECT_EQ(
      histogram(*ring_, filter("", 1'000'000, 1'002'000), 2),
      R"({"from":1000000,"to":1002000,"bucket_ms":1000,"buckets":[{"t":1000000,"deny":1,"monitor":1,"allow":0},)"
      R"({"t":1001000,"deny":0,"monitor":0,"allow":1}],"total":3})");
  EXPECT_EQ(
      top_values(*ring_, filter(""), "src", 1).value(),
      R"({"field":"src","total":3,"distinct":2,"values":[{"value":"192.0.2.1","count":2,"last_ms":1001000,"deny":1,"monitor":0,"allow":1}]})");
  const auto paths = boost::json::parse(top_values(*ring_, filter("type:sqli"), "path", 5).value());
  EXPECT_EQ(paths.at("values").at(0).at("value").as_string(), "/a");
  EXPECT_FALSE(top_values(*ring_, filter(""), "body", 5));
  for (const std::string_view field : top_fields())
    EXPECT_TRUE(top_values(*ring_, filter(""), field, 5)) << field;
}

// Counting by the heads of records must give what counting by whole records gives.
TEST_F(EventsTest, HeadsAndRecordsGiveTheSame) {
  for (std::uint64_t i = 1; i <= 400; ++i) {
    const auto type = static_cast<AttackType>(i * 7 % kAttackTypes);
    add(i, 1'000'000 + static_cast<std::int64_t>(i * 100), "192.0.2." + std::to_string(i * i % 23), type,
        static_cast<Action>(i % 3), "/p" + std::to_string(i % 5));
  }
  // The second of each pair says the same, but heads cannot decide it.
  const std::pair<const char*, const char*> rows[] = {
      {"", "host:shop.example"},
      {"type:sqli,xss", "type:sqli,xss host:shop.example"},
      {"-action:deny", "-action:deny host:shop.example"},
      {"src:192.0.2.0/29 action:deny", "src:192.0.2.0/29 action:deny host:shop.example"},
  };
  for (const auto& [heads, records] : rows) {
    const auto fast = filter(heads, 1'002'000, 1'030'000);
    const auto slow = filter(records, 1'002'000, 1'030'000);
    ASSERT_TRUE(fast.head_only()) << heads;
    ASSERT_FALSE(slow.head_only()) << records;
    EXPECT_EQ(histogram(*ring_, fast, 7), histogram(*ring_, slow, 7)) << heads;
    EXPECT_EQ(list_events(*ring_, fast, 1000, {}), list_events(*ring_, slow, 1000, {})) << heads;
    EXPECT_EQ(list_events(*ring_, fast, 10, 200), list_events(*ring_, slow, 10, 200)) << heads;
    for (const std::string_view field : {"type", "risk", "action", "src", "site", "rule"}) {
      const auto one = boost::json::parse(top_values(*ring_, fast, field, 100).value());
      const auto other = boost::json::parse(top_values(*ring_, slow, field, 100).value());
      EXPECT_EQ(one.at("total"), other.at("total")) << heads << field;
      EXPECT_EQ(one.at("distinct"), other.at("distinct")) << heads << field;
      const auto rows_of = [](const boost::json::value& value) {
        std::set<std::string> out;
        for (const auto& row : value.at("values").as_array()) out.insert(boost::json::serialize(row));
        return out;
      };
      EXPECT_EQ(rows_of(one), rows_of(other)) << heads << field;
    }
  }
}

TEST_F(EventsTest, GroupsOfAttackersAndForTuning) {
  const auto add_with = [&](std::uint64_t number, std::int64_t time_ms, const std::string& src,
                            const std::string& block) {
    EventRecord record = test::make_event(number, time_ms, src);
    record.detail = block;
    ASSERT_TRUE(ring_->append(record));
  };
  const std::string here = R"({"rule_id":"m_sqli/0123456789abcdef0123456789abcdef","name":"id"})";
  const std::string there = R"({"rule_id":"m_xss/1","name":"q\"uoted"})";
  constexpr std::int64_t kDay = 86'400'000;
  add_with(1, 1000, "192.0.2.1", R"({"weightiest":0,"findings":[)" + here + "]}");
  add_with(2, 2000, "192.0.2.1", R"({"weightiest":1,"findings":[)" + there + "," + here + "]}");
  add_with(3, kDay + 1, "192.0.2.2", R"({"weightiest":0,"findings":[)" + here + "," + there + "]}");
  add_with(4, kDay + 2, "192.0.2.2", R"({"weightiest":0,"findings":[)" + there + "]}");
  add_with(5, kDay + 3, "192.0.2.3", R"({"weightiest":null,"findings":[]})");
  const auto tuning = boost::json::parse(group_events(*ring_, filter(""), GroupBy::kTuning, 10));
  EXPECT_EQ(tuning.at("total"), 5);
  EXPECT_EQ(tuning.at("distinct"), 3);
  const auto& first = tuning.at("groups").at(0);
  EXPECT_EQ(first.at("name").as_string(), "id");
  EXPECT_EQ(first.at("path").as_string(), "/login");
  EXPECT_EQ(first.at("count"), 3);
  EXPECT_EQ(first.at("sources"), 2);
  EXPECT_EQ(first.at("days"), 2);
  EXPECT_EQ(first.at("other_rules"), 1);
  EXPECT_EQ(first.at("event_id").as_string(), "00000000000000000000000000000003");
  EXPECT_EQ(tuning.at("groups").at(1).at("name").as_string(), "");
  EXPECT_EQ(tuning.at("groups").at(2).at("name").as_string(), "q\"uoted");
  const auto attackers = boost::json::parse(group_events(*ring_, filter(""), GroupBy::kAttackers, 2));
  EXPECT_EQ(attackers.at("distinct"), 3);
  EXPECT_EQ(attackers.at("groups").as_array().size(), 2u);
  EXPECT_EQ(attackers.at("groups").at(0).at("src").as_string(), "192.0.2.2")
      << "of equal size: the newest first";
  EXPECT_EQ(attackers.at("groups").at(0).at("count"), 2);
  const auto sources = boost::json::parse(group_events(*ring_, filter(""), GroupBy::kSources, 10));
  EXPECT_EQ(sources.at("by").as_string(), "sources");
  EXPECT_EQ(sources.at("distinct"), 3);
  const auto& newest = sources.at("groups").at(0);
  EXPECT_EQ(newest.at("src").as_string(), "192.0.2.2") << "of equal size: the newest first";
  EXPECT_EQ(newest.at("count"), 2);
  EXPECT_EQ(newest.at("sources"), 1);
  EXPECT_EQ(newest.at("attacks"), 1);
  EXPECT_EQ(newest.at("country").as_string(), "");
  EXPECT_EQ(deciding_name("{}"), "");
  EXPECT_EQ(deciding_name(R"({"weightiest":7,"findings":[{"rule_id":"a","name":"b"}]})"), "");
}

TEST_F(EventsTest, GroupsAreCountedInStepsAndTheSameAsByReadingAll) {
  for (std::uint64_t n = 1; n <= 40; ++n)
    add(n, 1'000'000 + static_cast<std::int64_t>(n) * 1000, "192.0.2." + std::to_string(n % 5));
  GroupIndex index(7);
  const auto next = [&](const EventFilter& which, GroupBy by) {
    return boost::json::parse(index.groups(*ring_, which, by, 50));
  };
  const auto first = next(filter(""), GroupBy::kAttackers);
  EXPECT_EQ(first.at("total"), 7) << "the newest at once";
  EXPECT_EQ(first.at("unread"), 33);
  for (int turn = 0; turn < 5; ++turn) next(filter(""), GroupBy::kAttackers);
  for (const GroupBy by : {GroupBy::kSources, GroupBy::kAttackers, GroupBy::kTuning}) {
    for (const std::string_view query : {"", "src:192.0.2.1"}) {
      const auto counted = next(filter(query, 1'003'000, 1'030'000), by);
      EXPECT_EQ(counted.at("unread"), 0);
      EXPECT_EQ(counted,
                boost::json::parse(group_events(*ring_, filter(query, 1'003'000, 1'030'000), by, 50)));
    }
  }
  add(41, 1'050'000, "192.0.2.77");
  EXPECT_EQ(next(filter("src:192.0.2.77"), GroupBy::kAttackers).at("total"), 1) << "what comes is counted";
  EXPECT_EQ(next(filter("host:shop.example"), GroupBy::kTuning),
            boost::json::parse(group_events(*ring_, filter("host:shop.example"), GroupBy::kTuning, 50)))
      << "what heads do not decide is read";
}

TEST_F(EventsTest, AGroupIndexLetsGoOfWhatTheRingOvertook) {
  GroupIndex index(1000);
  std::uint64_t number = 0;
  const auto more = [&] {
    ++number;
    add(number, 1'000'000 + static_cast<std::int64_t>(number) * 10, "192.0.2.9");
  };
  while (ring_->oldest() <= 50) more();
  index.groups(*ring_, filter(""), GroupBy::kAttackers, 5);
  const std::uint64_t then = ring_->oldest();
  while (ring_->oldest() < then + 200) more();
  auto counted = boost::json::parse(index.groups(*ring_, filter(""), GroupBy::kAttackers, 5));
  for (int turn = 0; turn < 1000 && counted.at("unread") != 0; ++turn)
    counted = boost::json::parse(index.groups(*ring_, filter(""), GroupBy::kAttackers, 5));
  EXPECT_EQ(counted.at("unread"), 0);
  EXPECT_EQ(counted.at("total"), ring_->end() - ring_->oldest());
}

TEST_F(EventsTest, AmendmentsAreMerged) {
  add(1, 1000);
  ResponseReport report;
  report.id = test::make_event(1, 1000).id;
  report.rsp_start_time_ms = 1234;
  report.reason_phrase = "Fine";
  ASSERT_TRUE(ring_->amend(report));
  const auto value = boost::json::parse(event_detail(*ring_, report.id).value());
  EXPECT_EQ(value.at("record").at("rsp_start_time"), 1234);
  EXPECT_EQ(value.at("record").at("resp_reason_phrase").as_string(), "Fine");
  EXPECT_EQ(value.at("detail").at("why").as_string(), "test");
  EXPECT_TRUE(value.at("detail").at("response").at("status").is_null());
}

TEST_F(EventsTest, DetailTellsWhatTheGatewayReportedOfTheResponse) {
  add(1, 1000);
  EventRecord second = test::make_event(2, 1001);
  second.id.bytes[0] = 2;  // reports find events by the first bytes
  ASSERT_TRUE(ring_->append(second));
  ResponseReport report;
  report.id = test::make_event(1, 1000).id;
  report.status = 503;
  report.size = 12345678901;
  ASSERT_TRUE(ring_->amend(report));
  const auto value = boost::json::parse(event_detail(*ring_, report.id).value());
  EXPECT_EQ(boost::json::serialize(value.at("detail").at("response")),
            R"({"status":503,"size":12345678901})");
  const auto other = boost::json::parse(event_detail(*ring_, second.id).value());
  EXPECT_TRUE(other.at("detail").at("response").is_null());
  const auto found = boost::json::parse(list_events(*ring_, filter("status:5*,404"), 10, {}));
  ASSERT_EQ(found.at("events").as_array().size(), 1u);
  EXPECT_EQ(found.at("events").at(0).at("seq"), value.at("seq"));
}

TEST_F(EventsTest, TailGivesAnEventAgainWhenItsReportCame) {
  TailOptions options;
  options.filter = filter("status:5* or host:shop.example");
  const auto tail = tail_events(*ring_, std::move(options));
  std::string out;
  tail->pull(out, 1 << 20, 1000);
  std::vector<EventId> ids;
  for (int i = 1; i <= 3; ++i) {
    EventRecord record = test::make_event(static_cast<unsigned>(i), 1000 + i);
    record.id.bytes[0] = static_cast<std::uint8_t>(i);  // reports find events by the first bytes
    record.report_expected = i != 3;
    ids.push_back(record.id);
    ASSERT_TRUE(ring_->append(record));
  }
  out.clear();
  tail->pull(out, 1 << 20, 1001);
  EXPECT_EQ(out.find("event: amended"), std::string::npos);
  for (const EventId& id : ids) {
    ResponseReport report;
    report.id = id;
    report.status = 500;
    report.rsp_start_time_ms = 4321;
    ASSERT_TRUE(ring_->amend(report));
  }
  out.clear();
  tail->pull(out, 1 << 20, 1002);
  std::size_t told = 0;
  for (std::size_t at = out.find("event: amended\ndata: {\"seq\":"); at != std::string::npos;
       at = out.find("event: amended\ndata: {\"seq\":", at + 1))
    ++told;
  EXPECT_EQ(told, 2u) << out;  // the third had announced none
  EXPECT_NE(out.find("\"rsp_start_time\":4321,"), std::string::npos);
  EXPECT_EQ(out.find("id: "), std::string::npos);
  out.clear();
  tail->pull(out, 1 << 20, 1003);
  EXPECT_EQ(out, "");
}

TEST_F(EventsTest, TailSkipsRatherThanQueues) {
  TailOptions options;
  options.filter = filter("");
  options.after = 0;
  for (std::uint64_t i = 1; i <= 1500; ++i) add(i, 1000);
  auto tail = tail_events(*ring_, std::move(options));
  std::string out;
  while (tail->pull(out, 1u << 16, 5000) == BodySource::Next::kMore) {
  }
  EXPECT_NE(out.find("event: skipped\ndata: {\"count\":500,\"unknown\":0}"), std::string::npos)
      << out.substr(0, 200);
  std::size_t events = 0;
  for (std::size_t at = 0; (at = out.find("event: event\n", at)) != std::string::npos; ++at) ++events;
  EXPECT_EQ(events, kMaxReplayRecords);
  out.clear();
  EXPECT_EQ(tail->pull(out, 1000, 5000 + kCommentMs), BodySource::Next::kWait);
  EXPECT_EQ(out, "id: 1500\nevent: position\ndata: {\"after\":1500}\n\n");
}

// Records that do not match the filter are not counted as lost when they are passed over.
TEST_F(EventsTest, TailThatResumesFarBackCountsMatchesAlone) {
  const auto needle = [&](std::uint64_t number) {
    add(number, 1000, "198.51.100.9", AttackType::kXss, Action::kDeny, "/needle");
  };
  add(1, 1000);
  needle(2);
  for (std::uint64_t i = 3; i <= 1600; ++i) add(i, 1000);
  needle(1601);
  add(1602, 1000);
  for (const std::string_view query : {"src:198.51.100.9", "needle"}) {
    TailOptions options;
    options.filter = filter(query);
    options.after = 0;
    const auto tail = tail_events(*ring_, std::move(options));
    std::string out;
    while (tail->pull(out, 1u << 16, 5000) == BodySource::Next::kMore) {
    }
    EXPECT_EQ(out.find("event: skipped"), std::string::npos) << out.substr(0, 300);
    const std::size_t first = out.find("id: 2\nevent: event\n");
    const std::size_t second = out.find("id: 1601\nevent: event\n");
    EXPECT_NE(first, std::string::npos) << out.substr(0, 300);
    EXPECT_NE(second, std::string::npos) << out.substr(0, 300);
    EXPECT_LT(first, second);
  }
}

// Together they say what each says alone, whether heads decide or records are read.
TEST_F(EventsTest, CountsTogetherAreCountsApart) {
  for (std::uint64_t i = 1; i <= 40; ++i) {
    add(i, 1000 + static_cast<std::int64_t>(i) * 50, i % 3 == 0 ? "198.51.100.9" : "192.0.2.1",
        i % 4 == 0 ? AttackType::kXss : AttackType::kSqli, i % 5 == 0 ? Action::kMonitor : Action::kDeny,
        i % 2 == 0 ? "/even" : "/odd");
  }
  for (const std::string_view query : {"", "type:xss", "even", "nowhere-to-be-found"}) {
    EventFilter wanted = filter(query, 1000, 4000);
    CountOptions options;
    options.buckets = 7;
    options.fields = {"type", "path", "src", "host"};
    options.values = 3;
    const auto together = boost::json::parse(count_events(*ring_, wanted, options).value());
    EXPECT_EQ(boost::json::serialize(together.at("histogram")),
              boost::json::serialize(boost::json::parse(histogram(*ring_, wanted, 7))))
        << query;
    for (std::size_t i = 0; i < options.fields.size(); ++i)
      EXPECT_EQ(boost::json::serialize(together.at("top").at(i)),
                top_values(*ring_, wanted, options.fields[i], 3).value())
          << query;
  }
  const auto begin_of = [&](std::int64_t from, std::int64_t to) {
    return boost::json::parse(count_events(*ring_, filter("", from, to), {}).value())
        .at("histogram")
        .at("from")
        .as_int64();
  };
  EXPECT_EQ(begin_of(500, 1'000'000), 1050) << "where the ring begins, not where nothing is known";
  EXPECT_EQ(begin_of(1500, 1'000'000), 1500);
  EXPECT_EQ(begin_of(500, 61'000), 1000) << "a minute at least";
  CountOptions wrong;
  wrong.fields = {"type", "nonsense"};
  EXPECT_FALSE(count_events(*ring_, filter("", 1000, 4000), wrong));
}

TEST_F(EventsTest, ScansThatNobodyWaitsForEnd) {
  for (std::uint64_t i = 1; i <= 1000; ++i) add(i, 1000);
  EventFilter abandoned = filter("login", 0, 2000);
  abandoned.stop = [] { return true; };
  const auto counts = boost::json::parse(count_events(*ring_, abandoned, {}).value());
  EXPECT_LT(counts.at("histogram").at("total").as_int64(), 300) << "the first turn and no more";
}

TEST_F(EventsTest, ListSaysUpToWhereItLooked) {
  for (std::uint64_t i = 1; i <= 30; ++i) add(i, 1000);
  EXPECT_EQ(boost::json::parse(list_events(*ring_, filter("host:nobody.example"), 10, {})).at("end"), 31);
}

}  // namespace
}  // namespace wafd::console
