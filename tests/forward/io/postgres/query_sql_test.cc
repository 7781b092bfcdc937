// Every query is asked of a ring and of a database that hold the same events: the answers are the same.
#include "forward/query_sql/query_sql.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "detect/core/record_json.h"
#include "forward/io/postgres/copy_row.h"
#include "forward/io/postgres/fleet_events.h"
#include "forward/io/postgres/session.h"
#include "forward/ring/record_reader.h"
#include "tests/forward/ring_support.h"
#include "tests/support/real_postgres.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kTimeMs = 1'760'000'000'000;

// The members in which the events differ.
struct Shape {
  std::string src = "10.1.2.3", host = "shop.example", path = "/login", payload = "1' OR 1=1", param = "id";
  AttackType type = AttackType::kSqli;
  Risk risk = Risk::kHigh;
  Action action = Action::kDeny;
  std::vector<std::uint32_t> rules = {7};
  std::string agent = "sqlmap/1.7", body = {}, node = "node-a";
  int status = -1;  // -1: no report
  std::uint64_t size = 0;
};

std::vector<Shape> shapes() {
  std::vector<Shape> out;
  out.push_back({});
  out.push_back({.src = "10.200.0.1",
                 .host = "SHOP.Example",
                 .path = "/Login",
                 .payload = "<script>",
                 .param = "ID",
                 .type = AttackType::kXss,
                 .risk = Risk::kMedium,
                 .action = Action::kMonitor,
                 .rules = {7, 70, 700}});
  out.push_back({.src = "2001:db8::1",
                 .host = "",
                 .path = "/100%_off",
                 .payload = "100%",
                 .rules = {},
                 .status = 503,
                 .size = 1000});
  out.push_back({.src = "::ffff:192.0.2.9", .path = "/100x-off", .payload = "a_b", .status = 200, .size = 0});
  out.push_back({.src = "", .path = "/back\\slash", .payload = "C:\\windows\\%", .status = 0, .size = 5});
  out.push_back(
      {.src = "not an address", .path = "/nul", .payload = std::string("nul\0here", 8), .param = "a\"b"});
  out.push_back({.src = "fe80::1",
                 .host = "bücher.example",
                 .path = "/ÄÖ/äö",
                 .payload = "Straße \xff raw",
                 .param = "grün",
                 .agent = "Ω agent"});
  out.push_back({.src = "192.0.2.10",
                 .path = "/'; DROP TABLE wafd_events; --",
                 .payload = "$1 || $2 :: '",
                 .param = "x'); --",
                 .agent = "line\nend\ttab\r",
                 .body = "quote \" and * star",
                 .node = "Node-B"});
  out.push_back({.src = "255.255.255.255",
                 .host = "a.b.c",
                 .path = "/aXbXc",
                 .payload = "aaa",
                 .rules = {70},
                 .status = 404,
                 .size = 999'999'999'999});
  return out;
}

const std::vector<std::string>& queries() {
  static const std::vector<std::string> all{
      "", "login", "LOGIN", "type:sqli", "type:xss,sqli", "type:*ss*", "-type:sqli", "risk:high", "risk:low",
      "-risk:low", "action:deny,monitor", "-(action:deny or risk:medium)",
      // addresses
      "src:10.1.2.3", "src:10.0.0.0/8", "src:10.200.0.0/9", "src:10.1.2.3/31", "src:2001:db8::/32",
      "src:::/0", "src:0.0.0.0/0", "src:192.0.2.9", "src:::ffff:192.0.2.9", "src:192.0.2.0/24",
      "-src:10.0.0.0/8", "src:10.*", "src:*:*", "src:\"\"", "-src:\"\"", "src:255.255.255.255/32,fe80::/10",
      // whole members, their case, their stars
      "host:shop.example", "host:SHOP.EXAMPLE", "host:*.example", "host:\"*.example\"", "host:\"\"",
      "-host:\"\"", "host:bücher.example", "host:BÜCHER.example", "host:b*.example", "path:/login",
      "path:/Log*n", "path:/ä*", "path:/ÄÖ/äö", "path:/Äö/ÄÖ", "path:a*b", "path:/a*b*c", "path:*x*x*",
      "path:/a*a*", "path:*", "path:**",
      // what LIKE and escapes would make something of
      "path:/100%_off", "path:/100*off", "path:/100_*", "path:/100%*", "path:%", "path:_login",
      "path:/login%", "payload:100%", "payload:%", "payload:_", "payload:a_b", "path:\\*", "path:*\\*",
      "payload:\"C:\\\\windows\"", "path:/back\\slash", "path:/back*", "payload:\"a*a\"", "payload:a*a",
      std::string("payload:nul\0here", 16), "payload:nul*here", "payload:\\xff", "payload:straße",
      "payload:STRASSE", "payload:\"STRAßE\"",
      // that would be statements if they were no parameters
      "payload:\"' OR ''='\"", "payload:\"$1\"", "payload:\"$1 || $2 :: '\"", "payload:\"'\"",
      "path:\"/'; DROP TABLE wafd_events; --\"", "param:\"x'); --\"", "\"'; SELECT pg_sleep(9); --\"",
      "\"--\"", "host:\"') OR true --\"", "node:\"' OR 1=1\"", "rule:\"' OR 1=1\"", "session:\"\\\\'\"",
      // parameters, rules, nodes
      "param:id", "param:ID", "param:other", "param:none", "param:\"a\\\"b\"", "param:gr*n", "-param:id",
      "rule:7", "rule:70", "rule:07", "rule:0", "rule:99999999999999999999999999", "-rule:7", "rule:m_sqli/*",
      "rule:m_xss/00", "rule:M_SQLI/00", "rule:m_nothing", "module:m_sqli,m_xss", "node:node-a",
      "node:node-b", "-node:NODE-A", "method:get", "method:POST", "location:query", "location:body*",
      "country:de", "city:leipzig", "province:\"new york\"", "session:sess-1", "site:0", "site:1", "site:*",
      "referer:ref.example", "ua:sqlmap", "ua:\"line\"", "ua:Ω", "ua:ω",
      // numbers and what is missing
      "status:503", "status:5*", "status:*", "-status:*", "-status:5*", "status:503,404", "status:0",
      "response_size:0", "response_size:>0", "response_size:<1000", "response_size:>999999999998",
      "response_size:999999999999999999", "-response_size:>0", "-response_size:<100000000000000000",
      "id:00000000000000000000000000000002", "id:" + id_of(2).text(), "id:*2", "id:0*2", "-id:*2", "id:*-*",
      // free text, and all of it together
      "\"quote \\\"\"", "star", "\"* star\"", "q=1", "example", "sqlmap 1", "sqlmap -shop", "-sqlmap -script",
      "type:sqli (src:10.0.0.0/8 or status:5*) -path:/nul", "-(-(-login))", "(login or (drop table)) -xss",
      "type:sqli risk:high action:deny host:shop.example rule:7 src:10.1.2.3 login",
      // signatures of rows: words with and without one, escapes, bytes that are no ASCII
      "zanzibar", "lo", "log", "(lo or zanzibar)", "(zanzibar or login)", "-(lo or zanzibar)", "lo zanzibar",
      "login (zanzibar or (lo host:*))", "BÜCHER", "bücher", "äö", "ÄÖ/", "\"end\ttab\"", "\"line\nend\"",
      "\"quote \\\" and\"", "\"C:\\\\win\"", "windows", "\\xff", "wind*", "*ndows*", "\"***\"", "1' OR*",
      "payload:1*1=1", "ua:sql*1.7", "ua:sqlmup", "referer:REF.example/3", "path:/login,/zanzibar",
      "(ua:sqlmap or payload:*) -host:zanzibar", "https", "ref.exampleq=1"};
  return all;
}

class QuerySqlTest : public ::testing::Test {
 protected:
  QuerySqlTest() {
    RingOptions options;
    options.path = folder.path + "/ring";
    options.size_bytes = 4 << 20;
    ring = std::move(Ring::open(options).value());
    PgLogin login;
    login.database = "postgres";
    login.user = test::RealPostgres::kOwner;
    login.password = "secret";
    login.encrypted = false;
    session.emplace(
        std::move(PgConnection::open(login, {"127.0.0.1", "127.0.0.1", server.port}, stop).value()));
    EXPECT_TRUE(session->begin());
    EXPECT_TRUE(session->migrate());
    std::uint64_t number = 0;
    for (const Shape& shape : shapes()) append(shape, number++);
    RingReader reader(*ring);
    std::uint64_t overtaken = 0;
    std::vector<PgRow> rows;
    for (const RecordView& record : reader.read(1000, 1 << 22, overtaken)) {
      PgRow row;
      append_event_row(record, reader.merged_json(record), true, "as the target is called", row.text);
      row.day = day_of(record.time_ms);
      rows.push_back(std::move(row));
    }
    const auto written = session->write(rows);
    EXPECT_TRUE(written) << written.error().what;
  }
  void append(const Shape& shape, std::uint64_t number) {
    AttackEvent e;
    e.event_id = id_of(number);
    e.attack_type = shape.type;
    e.risk = shape.risk;
    e.action = shape.action;
    e.src_ip = shape.src;
    e.host = shape.host;
    e.urlpath = shape.path;
    e.payload = shape.payload;
    e.user_agent = shape.agent;
    e.method = number % 2 == 0 ? "GET" : "POST";
    e.location = number % 2 == 0 ? "query" : "body_name";
    e.rule_module = std::string("m_") + to_string(shape.type);
    e.rule_id = e.rule_module + "/00";
    e.rule_numbers = shape.rules;
    e.site_uuid = std::to_string(number % 2);
    e.country = number % 2 == 0 ? "DE" : "US";
    e.province = number % 2 == 0 ? "Saxony" : "New York";
    e.city = "Leipzig";
    e.referer = "https://ref.example/" + std::to_string(number);
    e.session = "sess-" + std::to_string(number);
    e.node = shape.node;
    e.query_string = "q=" + std::to_string(number);
    e.body = shape.body;
    EventRecord r;
    r.time_ms = kTimeMs + static_cast<std::int64_t>(number);
    r.id = e.event_id;
    r.attack_type = shape.type;
    r.risk = shape.risk;
    r.action = shape.action;
    r.src_ip = e.src_ip;
    r.site_uuid = e.site_uuid;
    r.rule_id = e.rule_id;
    r.report_expected = true;
    r.offsets = append_record_json(e, r.json);
    r.detail = R"({"version":1,"site":{"uuid":"0","name":"none"},"findings":[{"rule_name":"zz","name":")";
    append_json_text(shape.param, r.detail);
    r.detail += R"("},{"rule_name":"zz","name":"other"}]})";
    ASSERT_TRUE(ring->append(r));
    if (shape.status < 0) return;
    ResponseReport report;
    report.id = e.event_id;
    report.time_ms = r.time_ms + 1;
    report.status = static_cast<std::uint16_t>(shape.status);
    report.size = shape.size;
    ASSERT_TRUE(ring->amend(report));
  }
  std::string from_ring(const EventQuery& query) {
    RingReader reader(*ring);
    std::uint64_t overtaken = 0;
    std::string out;
    for (const RecordView& record : reader.read(1000, 1 << 22, overtaken))
      if (query.matches(record)) out += std::to_string(record.time_ms - kTimeMs) + " ";
    return out;
  }
  std::string from_database(const EventQuery& query) {
    const QuerySql sql = sql_of(query);
    const auto answer =
        session->connection().run("SELECT extract(epoch FROM time) * 1000 - 1760000000000 FROM " +
                                      with_members("wafd_events", sql.members) + " WHERE (" + sql.text +
                                      ") IS TRUE AND (" + sql.text + ") IS NOT NULL ORDER BY time",
                                  sql.parameters);
    if (!answer) return answer.error().what + " of " + sql.text;
    std::string out;
    for (int row = 0; row < PQntuples(answer->get()); ++row)
      out += std::to_string(std::atoi(PQgetvalue(answer->get(), row, 0))) + " ";
    return out;
  }

  test::TempFolder folder;
  test::RealPostgres server;
  StopSignal stop;
  std::unique_ptr<Ring> ring;
  std::optional<PgSession> session;
};

TEST_F(QuerySqlTest, EveryQueryHasTheSameAnswerFromRingAndDatabase) {
  std::size_t some = 0;
  for (const std::string& text : queries()) {
    const auto query = EventQuery::parse(text);
    ASSERT_TRUE(query) << text << ": " << query.error().what;
    const std::string want = from_ring(*query);
    EXPECT_EQ(from_database(*query), want) << text << "\n" << sql_of(*query).text;
    some += !want.empty();
    // Its opposite too, in which what is missing must not be nothing.
    if (text.empty()) continue;
    const auto opposite = EventQuery::parse("-(" + text + ")");
    ASSERT_TRUE(opposite) << text;
    EXPECT_EQ(from_database(*opposite), from_ring(*opposite)) << "-(" << text << ")";
  }
  EXPECT_EQ(from_ring(*EventQuery::parse("")), "0 1 2 3 4 5 6 7 8 ");
  // A row has the text \x00 in the place of a NUL.
  for (const char* text : {"payload:\\x00", "x00here", "nul\\x00"}) {
    const auto shown = EventQuery::parse(text);
    EXPECT_EQ(from_ring(*shown) + "/" + from_database(*shown), "/5 ") << text;
  }
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events WHERE trigrams IS NOT NULL"), "9");
  EXPECT_GT(some, queries().size() / 2) << "queries that find nothing compare little";
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events"), "9") << "nothing was dropped";
}

// Rows of before have none, and whoever reads everything is answered without them.
TEST_F(QuerySqlTest, SignaturesOnlyKeepRecordsFromBeingRead) {
  server.sql("UPDATE wafd_events SET trigrams = NULL WHERE seq % 2 = 0");
  for (const std::string& text : queries()) {
    const auto query = EventQuery::parse(text);
    EXPECT_EQ(from_database(*query), from_ring(*query)) << text;
  }
  // A signature that lies shows who asks it.
  server.sql("UPDATE wafd_events SET trigrams = 0::bit(1024)");
  for (const char* text :
       {"sqlmap", "ua:sqlmap", "host:shop.example", "path:/log*", "payload:script", "referer:ref.example"})
    EXPECT_EQ(from_database(*EventQuery::parse(text)), "") << text;
  for (const char* text :
       {"sq", "method:get", "node:node-a", "session:sess-1", "-zanzibar", "(sqlmap or 1)", "-(-sqlmap)"})
    EXPECT_EQ(from_database(*EventQuery::parse(text)), from_ring(*EventQuery::parse(text))) << text;
  // How long an answer takes must not tell viewers what is masked.
  FleetEvents events(session->connection());
  ASSERT_TRUE(events.begin());
  EXPECT_EQ(events.list({.query = *EventQuery::parse("sqlmap"), .mask = Mask::kViewer}, 100)->size(), 7u);
  EXPECT_EQ(sql_of(*EventQuery::parse("sqlmap"), 1, Mask::kViewer).text.find("trigrams"), std::string::npos);
}

TEST_F(QuerySqlTest, ListsDetailsAndCountsAreThoseOfTheRing) {
  FleetEvents events(session->connection());
  ASSERT_TRUE(events.begin());
  RingReader reader(*ring);
  std::uint64_t overtaken = 0;
  std::vector<std::string> records;
  std::vector<EventId> ids;
  for (const RecordView& record : reader.read(1000, 1 << 22, overtaken)) {
    records.push_back(reader.merged_json(record));
    ids.push_back(record.id);
  }
  // Newest first, in pages of two.
  std::vector<std::string> listed;
  std::optional<FleetPlace> before;
  for (;;) {
    const auto page = events.list({}, 2, before);
    ASSERT_TRUE(page) << page.error().what;
    if (page->empty()) break;
    for (const FleetEvent& event : *page) listed.push_back(event.record);
    before = page->back().place;
  }
  ASSERT_EQ(listed.size(), records.size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const RecordReader want(records[records.size() - 1 - i]), got(listed[i]);
    ASSERT_TRUE(got.valid()) << listed[i];
    for (std::size_t member = 1; member <= kMembers.size(); ++member)
      if (want.text(member).find('\0') == std::string::npos) {
        EXPECT_EQ(got.text(member), want.text(member)) << member;
      }
  }
  const auto middle = events.list({.from_ms = kTimeMs + 2, .to_ms = kTimeMs + 4}, 100);
  ASSERT_TRUE(middle && middle->size() == 2);
  EXPECT_EQ((*middle)[1].status, 503);
  EXPECT_EQ((*middle)[1].response_size, 1000u);
  EXPECT_FALSE((*middle)[0].detail.size());
  const auto one = events.find(ids[7]);
  ASSERT_TRUE(one && *one);
  EXPECT_EQ((*one)->node, "as the target is called");
  EXPECT_NE((*one)->detail.find("x'); --"), std::string::npos);
  EXPECT_FALSE(*events.find(EventId()));
  // Buckets with events and empty ones; values of every field, as they are counted over the ring.
  FleetFilter some{*EventQuery::parse("-type:nosql*"), kTimeMs, kTimeMs + 100};
  std::vector<std::string> fields;
  for (const std::string_view field : FleetEvents::fields()) fields.emplace_back(field);
  const auto counts = events.count(some, 4, fields, 2);
  ASSERT_TRUE(counts) << counts.error().what;
  std::string text;
  for (const FleetBucket& b : counts->buckets)
    text += fmt::format("{}:{}/{}/{} ", b.from_ms - kTimeMs, b.deny, b.monitor, b.allow);
  EXPECT_EQ(text, "0:3/1/0 4:4/0/0 8:1/0/0 ");
  EXPECT_EQ(counts->total, 9u);
  ASSERT_EQ(counts->tops.size(), fields.size());
  const auto top_of = [&](std::string_view name) -> const FleetTop& {
    return counts
        ->tops[static_cast<std::size_t>(std::find(fields.begin(), fields.end(), name) - fields.begin())];
  };
  EXPECT_EQ(top_of("host").distinct, 5u);
  EXPECT_EQ(top_of("host").values[0], (FleetValue{"shop.example", 5, 0, 0, kTimeMs + 7}));
  EXPECT_EQ(top_of("action").values[1], (FleetValue{"monitor", 0, 1, 0, kTimeMs + 1}));
  EXPECT_EQ(top_of("src").distinct, 9u);
  EXPECT_EQ(top_of("referer").distinct, 9u);
  // One field alone is counted in another way, free text reads members of the record as columns.
  some.query = *EventQuery::parse("-type:nosql* -zanzibar");
  for (const std::string& field : fields) {
    const auto alone = events.count(some, INT64_MAX, {field}, 2);
    ASSERT_TRUE(alone) << alone.error().what;
    EXPECT_EQ(alone->total, 9u) << field;
    ASSERT_EQ(alone->buckets.size(), 1u) << field;
    EXPECT_EQ(alone->buckets[0].deny + alone->buckets[0].monitor, 9u) << field;
    EXPECT_EQ(alone->tops[0].distinct, top_of(field).distinct) << field;
    EXPECT_EQ(alone->tops[0].values, top_of(field).values) << field;
  }
  const auto nothing = events.count({*EventQuery::parse("zanzibar")}, INT64_MAX, {"ua"}, 2);
  ASSERT_TRUE(nothing) << nothing.error().what;
  EXPECT_EQ(nothing->total + nothing->buckets.size() + nothing->tops[0].values.size(), 0u);
  some.mask = Mask::kViewer;
  const auto masked = events.count(some, 4, {"referer", "ua"}, 2);
  ASSERT_TRUE(masked);
  EXPECT_EQ(masked->tops[0].values[0].value, "***");
  EXPECT_GT(masked->tops[1].distinct, 1u);
  EXPECT_EQ(events.count({}, 1, {"host; DROP TABLE wafd_events"}, 1).error().what.substr(0, 19),
            "expected a field of");
  EXPECT_EQ(*events.oldest_ms(), kTimeMs);
  EXPECT_FALSE(session->connection().run("DELETE FROM wafd_events")) << "a reader writes nothing";
  ASSERT_TRUE(events.begin(1));
  const auto late = session->connection().run("SELECT pg_sleep(60)");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().hint,
            "it took too long: a search needs a shorter time, or fields instead of free text");
}

// For viewers a query compares what they see: `***` where something stands.
TEST_F(QuerySqlTest, WhatViewersDoNotSeeNoQueryTells) {
  FleetEvents events(session->connection());
  ASSERT_TRUE(events.begin());
  const auto found = [&](const std::string& query, Mask mask) {
    const auto list = events.list({.query = *EventQuery::parse(query), .mask = mask}, 100);
    return list ? std::to_string(list->size()) : list.error().what;
  };
  struct {
    const char* query;
    const char* all;
    const char* viewers;
  } const rows[] = {{"payload:script", "1", "0"},
                    {"-payload:script", "8", "9"},
                    {"payload:\"***\"", "0", "9"},
                    {"referer:ref.example", "9", "0"},
                    {"session:sess-1", "1", "0"},
                    {"q=1", "1", "0"},
                    {"star", "1", "0"},
                    {"sqlmap", "7", "7"},
                    {"host:a.b.c", "1", "1"}};
  for (const auto& row : rows) {
    EXPECT_EQ(found(row.query, Mask::kNone), row.all) << row.query;
    EXPECT_EQ(found(row.query, Mask::kViewer), row.viewers) << row.query;
  }
}

// A record of another version may lack a member: the opposite of a query is its opposite all the same.
TEST_F(QuerySqlTest, AMissingMemberIsNothingAndNotUnknown) {
  server.sql(
      "UPDATE wafd_events SET record = record - 'user_agent' - 'src_ip' - 'method' - "
      "'req_skynet_rule_id_list' - 'node', detail = NULL, src_ip = NULL");
  for (const char* text : {"ua:foo", "method:GET", "src:10.*", "rule:7", "node:x", "param:id", "zzz"}) {
    const auto query = EventQuery::parse(text), opposite = EventQuery::parse("-" + std::string(text));
    ASSERT_TRUE(query && opposite) << text;
    EXPECT_EQ(from_database(*query), "") << text;
    EXPECT_EQ(from_database(*opposite), "0 1 2 3 4 5 6 7 8 ") << text;
  }
}

// Whoever may write rows may write such: they hide none of the others.
TEST_F(QuerySqlTest, ARecordThatIsNoObjectHasNoMembers) {
  server.sql(
      "UPDATE wafd_events SET record = (ARRAY['[]', '\"x\"', 'null', '7', 'true', "
      "'[{\"user_agent\":\"zanzibar\"}]']::jsonb[])[seq] WHERE seq BETWEEN 1 AND 6");
  ASSERT_EQ(server.one("SELECT count(*) FROM wafd_events WHERE jsonb_typeof(record) <> 'object'"), "6");
  EXPECT_EQ(from_database(*EventQuery::parse("zanzibar")), "");
  EXPECT_EQ(from_database(*EventQuery::parse("-zanzibar")), "0 1 2 3 4 5 6 7 8 ");
  EXPECT_EQ(from_database(*EventQuery::parse("ua:zanzibar or rule:700 or method:x")), "");
  EXPECT_EQ(from_database(*EventQuery::parse("\"line\"")), "7 ");
  FleetEvents events(session->connection());
  ASSERT_TRUE(events.begin());
  for (const std::string_view field : FleetEvents::fields()) {
    const auto top = events.count({*EventQuery::parse("-zanzibar")}, INT64_MAX, {std::string(field)}, 20);
    ASSERT_TRUE(top) << field << ": " << top.error().what;
    EXPECT_EQ(top->total, 9u) << field;
  }
  const auto agents = events.count({}, INT64_MAX, {"ua"}, 20);
  ASSERT_TRUE(agents) << agents.error().what;
  EXPECT_EQ(agents->tops[0].values[0].deny + agents->tops[0].values[0].monitor, 6u) << "without one";
  const auto list = events.list({*EventQuery::parse("-zanzibar")}, 100);
  ASSERT_TRUE(list) << list.error().what;
  EXPECT_EQ(list->size(), 9u);
}

TEST(FleetPlace, IsReadAsItIsWritten) {
  const FleetPlace place{kTimeMs, id_of(7)};
  EXPECT_EQ(FleetPlace::parse(place.text()), place);
  for (const char* bad :
       {"", "-", "7", "7-", "x-00000000000000000000000000000001", "7-0001",
        "-7-00000000000000000000000000000001", "99999999999999999999-00000000000000000000000000000001"})
    EXPECT_FALSE(FleetPlace::parse(bad)) << bad;
}

TEST(QuerySql, NothingThatAUserWroteStandsInTheText) {
  for (const char* text :
       {"payload:Zq9", "Zq9", "host:Zq9", "param:Zq9*", "rule:Zq9", "node:Zq9", "-ua:\"Zq9'\""}) {
    const QuerySql sql = sql_of(*EventQuery::parse(text), 5);
    EXPECT_EQ(sql.text.find("q9"), std::string::npos) << sql.text;
    ASSERT_FALSE(sql.parameters.empty());
    // Each is asked for: the server takes none that stands nowhere.
    for (std::size_t i = 0; i < sql.parameters.size(); ++i)
      EXPECT_NE(sql.text.find(fmt::format("${}", 5 + i)), std::string::npos) << sql.text;
    EXPECT_EQ(sql.text.find(fmt::format("${}", 5 + sql.parameters.size())), std::string::npos) << sql.text;
  }
  EXPECT_EQ(sql_of(*EventQuery::parse("type:xss -risk:low")).text,
            "(attack_type IN ('xss') AND NOT (risk IN ('low')))");
}

}  // namespace
}  // namespace wafd::forward
