#include "forward/query/event_query.h"

#include <gtest/gtest.h>

#include "detect/core/bytes.h"
#include "forward/query/event_search.h"
#include "forward/query/text_pattern.h"
#include "forward/ring/record_reader.h"
#include "tests/forward/ring_support.h"

namespace wafd::forward {
namespace {

// Five events that differ in everything a query can ask for.
std::vector<EventRecord> sample() {
  std::vector<EventRecord> records;
  const auto add = [&records](std::uint64_t number, AttackType type, Risk risk, Action action,
                              const char* src, const char* host, const char* path, const char* payload,
                              const char* param, const char* user_agent) {
    AttackEvent e;
    e.event_id = id_of(number);
    e.attack_type = type;
    e.risk = risk;
    e.action = action;
    e.src_ip = src;
    e.host = host;
    e.urlpath = path;
    e.payload = payload;
    e.user_agent = user_agent;
    e.method = number % 2 == 0 ? "GET" : "POST";
    e.location = number % 2 == 0 ? "query" : "body_name";
    e.rule_module = std::string("m_") + to_string(type);
    e.rule_id = e.rule_module + "/0123456789abcdef0123456789abcde" + std::to_string(number);
    e.rule_numbers = {static_cast<std::uint32_t>(100 + number), 7};
    e.site_uuid = std::to_string(number % 2);
    e.country = number % 2 == 0 ? "DE" : "US";
    e.province = number % 2 == 0 ? "Saxony" : "New York";
    e.city = number == 3 ? "New York" : "Leipzig";
    e.referer = "https://ref.example/" + std::to_string(number);
    e.session = "sess-" + std::to_string(number);
    e.node = "node-a";
    e.query_string = "q=" + std::to_string(number);
    e.body = number == 3 ? std::string("body with \"quotes\" and \xff\n") : "";
    EventRecord r;
    r.time_ms = 1000 + static_cast<std::int64_t>(number);
    r.id = e.event_id;
    r.attack_type = type;
    r.risk = risk;
    r.action = action;
    r.src_ip = e.src_ip;
    r.site_uuid = e.site_uuid;
    r.rule_id = e.rule_id;
    r.offsets = append_record_json(e, r.json);
    r.detail =
        std::string(R"({"version":1,"site":{"uuid":"0","name":"x"},"findings":[{"rule_name":"zz","name":")") +
        param + R"("},{"rule_name":"zz","name":"other"}]})";
    records.push_back(r);
  };
  add(0, AttackType::kSqli, Risk::kHigh, Action::kDeny, "10.1.2.3", "shop.example", "/login.php", "1' OR 1=1",
      "id", "sqlmap/1.7");
  add(1, AttackType::kXss, Risk::kMedium, Action::kMonitor, "10.2.0.1", "Shop.Example", "/search",
      "<script>alert(1)", "q", "Mozilla/5.0");
  add(2, AttackType::kSqli, Risk::kLow, Action::kAllow, "2001:db8::1", "api.example", "/v1/items",
      "union select", "filter[a]", "curl/8");
  add(3, AttackType::kCmdInjection, Risk::kHigh, Action::kDeny, "192.0.2.9", "api.example", "/run",
      "; cat /etc/passwd", "cmd", "curl/8");
  add(4, AttackType::kXss, Risk::kHigh, Action::kDeny, "not an address",
      "b\xc3\xbc"
      "cher.example",
      "/a b", "x", "p", "say \\\"hi\\\"");
  return records;
}

// The numbers of the events that match, as text.
std::string matching(const Ring& ring, const EventQuery& query) {
  RingReader reader(ring);
  std::string out;
  std::uint64_t overtaken = 0;
  std::vector<HeadMatch> heads;
  reader.visit_heads(0, UINT64_MAX, [&](const RecordHead& head) {
    heads.push_back(query.judge(head));
    return true;
  });
  reader.seek(1);
  for (const RecordView& view : reader.read(100, 1 << 20, overtaken)) {
    const bool yes = query.matches(view);
    // The head never contradicts the whole record.
    const HeadMatch head = heads[static_cast<std::size_t>(view.seq - 1)];
    EXPECT_TRUE(head == HeadMatch::kMaybe || (head == HeadMatch::kYes) == yes) << view.seq;
    if (query.head_only()) {
      EXPECT_NE(head, HeadMatch::kMaybe);
    }
    if (yes) out += std::to_string(view.seq - 1);
  }
  return out;
}

class EventQueryTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Ring::open({folder_.file("ring"), 1 << 20, 1000, 1});
    ASSERT_TRUE(opened);
    ring_ = std::move(*opened);
    for (const auto& record : sample()) ASSERT_TRUE(ring_->append(record));
    ResponseReport report;
    report.id = id_of(3);
    report.status = 503;
    report.size = 4711;
    ASSERT_TRUE(ring_->amend(report));
  }
  TempFolder folder_;
  std::unique_ptr<Ring> ring_;
};

TEST_F(EventQueryTest, Table) {
  struct Row {
    std::string query;
    const char* expected;
  };
  const Row rows[] = {
      {"", "01234"},
      {"   ", "01234"},
      {"type:sqli", "02"},
      {"TYPE:SQLi", "02"},
      {"type:sqli,xss", "0124"},
      {"type:*_injection", "3"},
      {"-type:sqli", "134"},
      {"--type:sqli", "02"},
      {"risk:high action:deny", "034"},
      {"risk:high -type:xss", "03"},
      {"src:10.0.0.0/8", "01"},
      {"src:10.1.2.3", "0"},
      {"src:10.1.2.3,192.0.2.0/24", "03"},
      {"-src:10.0.0.0/8", "234"},
      {"src:2001:db8::/32", "2"},
      {"src:2001:db8:0:0::1", "2"},
      {"src:10.*", "01"},
      {"src:not*", "4"},
      {"src:\"\"", ""},
      {"host:shop.example", "01"},
      {"host:*.example", "01234"},
      {"host:b\xc3\xbc"
       "cher.example",
       "4"},
      {"host:shop", ""},
      {"path:/login*", "0"},
      {"path:/login", ""},
      {"path:\"/a b\"", "4"},
      {"path:*/items", "2"},
      {"path:/v1/*,/run", "23"},
      {"method:get", "024"},
      {"param:id", "0"},
      {"param:filter[*]", "2"},
      {"param:other", "01234"},
      {"param:zz", ""},
      {"param:x", ""},
      {"location:query", "024"},
      {"location:body_name", "13"},
      {"payload:union", "2"},
      {"payload:\"or 1=1\"", "0"},
      {"payload:<script*alert", "1"},
      {"rule:m_sqli/0123456789abcdef0123456789abcde0", "0"},
      {"rule:M_SQLI/0123456789ABCDEF0123456789ABCDE0", "0"},
      {"rule:m_sqli/*", "02"},
      {"rule:7", "01234"},
      {"rule:103", "3"},
      {"rule:10", ""},
      {"module:m_xss", "14"},
      {"site:0", "024"},
      {"country:de", "024"},
      {"province:saxony", "024"},
      {"province:\"new york\"", "13"},
      {"city:leipzig", "0124"},
      {"city:new*", "3"},
      {"-city:leipzig province:\"New York\"", "3"},
      {"ua:SQLMAP", "0"},
      {"ua:curl", "23"},
      {"ua:\"say \\\\\\\"hi\"", "4"},
      {"referer:ref.example/1", "1"},
      {"session:sess-2", "2"},
      {"node:node-a", "01234"},
      {"status:503", "3"},
      {"status:5*", "3"},
      {"-status:5*", "0124"},
      {"response_size:4711", "3"},
      {"response_size:>4710", "3"},
      {"response_size:<4712,0", "3"},
      {"response_size:>4711,<4711", ""},
      {"-response_size:<999999999999999999", "0124"},
      {"id:" + id_of(2).text(), "2"},
      {"id:" + id_of(2).text().substr(0, 8) + "*", "2"},
      {"id:" + id_of(9).text(), ""},
      {"curl", "23"},
      {"-curl", "014"},
      {"\"cat /etc\"", "3"},
      {"passwd", "3"},
      {"\"with \\\"quotes\\\"\"", "3"},
      {"\\xff", "3"},
      {"q=4", "4"},
      {"cat*passwd", "3"},
      {"type:sqli or type:cmd_injection", "023"},
      {"type:sqli OR type:cmd_injection risk:low", "02"},
      {"(type:sqli or type:xss) action:deny", "04"},
      {"-(type:sqli or type:xss)", "3"},
      {"(type:sqli)(risk:high)", "0"},
      {"((((curl))))", "23"},
      {"orange", ""},
      {"'or", ""},
  };
  for (const auto& row : rows) {
    const auto query = EventQuery::parse(row.query);
    ASSERT_TRUE(query) << row.query << ": " << query.error().what;
    EXPECT_EQ(matching(*ring_, *query), row.expected) << row.query;
  }
}

TEST(EventQueryErrors, Table) {
  struct Row {
    std::string query;
    std::size_t offset;
    const char* part;
  };
  const Row rows[] = {
      {"type:sql", 5, "one of sqli, xss"},
      {"risk:high type:sqli,nope", 20, "found nope"},
      {"action:drop", 7, "one of allow, monitor, deny"},
      {"colour:red", 0, "a field (id, type, risk"},
      {"a http://x", 2, "text with a colon in quotes, found http"},
      {"type:", 5, "a value behind the colon"},
      {"type:sqli,", 10, "a value behind the colon"},
      {"host:a,,b", 7, "a value behind the colon"},
      {"src:10.0.0.0/40", 4, "an address, a prefix like 10.0.0.0/8 or a part with *, found 10.0.0.0/40"},
      {"src:notip", 4, "found notip"},
      {"risk:high -src:10.0.0.1,10.0.0.256", 24, "found 10.0.0.256"},
      {"src:\"not an address\"", 4, "found not an address"},
      {"src:[2001:db8::1]", 4, "found [2001:db8::1]"},
      {"id:123", 3, "32 hex digits"},
      {"status:x", 7, "a status like 503"},
      {"response_size:1k", 14, "a number of bytes like 512, >1000000 or <100, found 1k"},
      {"response_size:>", 14, "a number of bytes"},
      {"response_size:1234567890123456789", 14, "a number of bytes"},
      {"(type:sqli", 0, "a closing parenthesis"},
      {"type:sqli)", 9, "a closing parenthesis too many"},
      {"()", 1, "a term"},
      {"a or", 4, "a term"},
      {"or a", 0, "a term"},
      {"\"open", 0, "a closing quote"},
      {"\"a\"b", 3, "a space behind the closing quote"},
      {std::string(33, '(') + "a" + std::string(33, ')'), 32, "less nesting"},
      {std::string(5000, 'a'), 4096, "at most 4096 bytes"},
  };
  for (const auto& row : rows) {
    const auto query = EventQuery::parse(row.query);
    ASSERT_FALSE(query) << row.query;
    EXPECT_EQ(query.error().offset, row.offset) << row.query;
    EXPECT_NE(query.error().what.find(row.part), std::string::npos) << query.error().what;
    for (const char c : query.error().what) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  }
  std::string many;
  for (int i = 0; i < 300; ++i) many += "a ";
  EXPECT_FALSE(EventQuery::parse(many));
  const auto hostile = EventQuery::parse("type:\x01\xff\n");
  ASSERT_FALSE(hostile);
  EXPECT_NE(hostile.error().what.find("found ??"), std::string::npos) << hostile.error().what;
}

TEST(EventQueryFields, AllAreDescribedAndParse) {
  EXPECT_EQ(query_fields().size(), 23u);
  for (const auto& field : query_fields()) {
    EXPECT_FALSE(field.help.empty()) << field.name;
    for (const auto value : field.values) {
      EXPECT_TRUE(EventQuery::parse(std::string(field.name) + ":" + std::string(value))) << field.name;
    }
  }
  for (std::size_t i = 0; i < kAttackTypes; ++i) {
    EXPECT_EQ(query_fields()[1].values[i], to_string(static_cast<AttackType>(i)));
  }
}

TEST_F(EventQueryTest, SearchPagesNewestFirst) {
  RingReader reader(*ring_);
  const auto query = EventQuery::parse("-type:cmd_injection");
  std::string got;
  SearchRange range;
  range.limit = 2;
  int calls = 0;
  do {
    const SearchEnd end = search_newest_first(reader, *query, range, [&got](const RecordView& view) {
      got += std::to_string(view.seq - 1);
      return true;
    });
    range.before = end.before;
    got += '|';
  } while (range.before != 0 && ++calls < 10);
  EXPECT_EQ(got, "42|10||");

  range = {};
  range.from_ms = 1001;
  range.to_ms = 1004;
  got.clear();
  const auto keep = [&got](const RecordView& view) {
    got += std::to_string(view.seq - 1);
    return true;
  };
  EXPECT_EQ(search_newest_first(reader, *EventQuery::parse(""), range, keep).before, 0u);
  EXPECT_EQ(got, "321");

  // Little work at a time: the same events.
  range = {};
  range.max_heads = 1;
  got.clear();
  for (calls = 0; range.before != 0 && calls < 20; ++calls) {
    range.before = search_newest_first(reader, *query, range, keep).before;
  }
  EXPECT_EQ(got, "4210");
}

TEST(TextPattern, Table) {
  struct Row {
    const char* pattern;
    PatternKind kind;
    const char* text;
    bool expected;
  };
  constexpr auto kWhole = PatternKind::kWhole;
  constexpr auto kPart = PatternKind::kPart;
  const Row rows[] = {
      {"abc", kWhole, "ABC", true},
      {"abc", kWhole, "abcd", false},
      {"abc", kPart, "xxAbCxx", true},
      {"abc", kPart, "ab", false},
      {"", kPart, "anything", true},
      {"", kWhole, "", true},
      {"*", kWhole, "", true},
      {"*", kWhole, "x", true},
      {"a*", kWhole, "A", true},
      {"a*b", kWhole, "ab", true},
      {"a*b", kWhole, "a", false},
      {"ab*ba", kWhole, "aba", false},
      {"ab*ba", kWhole, "abba", true},
      {"*a*b*", kWhole, "xxaxxbxx", true},
      {"*a*b*", kWhole, "xxbxxaxx", false},
      {"a**b", kWhole, "axb", true},
      {"*aab", kWhole, "aaab", true},
      {"a*a*a", kWhole, "aa", false},
      {"aab", kPart, "aaaab", true},
      {"[Z`", kPart, "x[z`x", true},
      {"\xff\xfe", kPart, "a\xff\xfe", true},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(TextPattern(row.pattern, row.kind, true).matches(row.text), row.expected)
        << row.pattern << " on " << row.text;
  }
  // The fast search and the plain one agree.
  std::uint32_t state = 1;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    std::string needle;
    for (auto* out : {&text, &needle}) {
      state = state * 1664525 + 1013904223;
      // Also texts of several groups of sixteen bytes, and needles longer than one.
      const std::size_t length = (state >> 16) % (out == &text ? 140 : round % 4 == 0 ? 40 : 5);
      for (std::size_t i = 0; i < length; ++i) {
        state = state * 1664525 + 1013904223;
        *out += "abAB"[state >> 30];
      }
    }
    ASSERT_EQ(Needle(needle).find_in(text), ifind(text, needle)) << needle << " in " << text;
  }
}

// Records are refused by a look at their JSON as it stands: that must never lose what their members hold.
TEST_F(EventQueryTest, EveryPieceOfEveryMemberIsFound) {
  std::string every;
  for (int i = 1; i < 256; ++i) every += static_cast<char>(i);
  AttackEvent event;
  event.event_id = id_of(77);
  event.payload = every;
  event.query_string = "a=\"1\\\\2\"&b=\t*\xff\xfe<\xc3\xbc\xe2\x80\xa8>\\x41";
  event.body = every + every;
  EventRecord stored;
  stored.time_ms = 5000;
  stored.id = event.event_id;
  stored.offsets = append_record_json(event, stored.json);
  ASSERT_TRUE(ring_->append(stored));
  RingReader reader(*ring_);
  const RecordView* view = reader.find(event.event_id);
  ASSERT_NE(view, nullptr);
  const RecordReader members(view->json);
  std::size_t asked = 0;
  for (const char* name : {"payload", "query_string", "body"}) {
    const std::string text = members.text(std::string_view(name) == "payload" ? "req_payload" : name);
    for (std::size_t length = 1; length <= 7; ++length) {
      for (std::size_t at = 0; at + length <= text.size(); ++at) {
        const std::string piece = text.substr(at, length);
        std::string quoted = "\"";
        for (const char c : piece) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
        const auto query = EventQuery::parse(quoted + "\"");
        ASSERT_TRUE(query) << quoted;
        EXPECT_TRUE(query->matches(*view)) << quoted << " of " << name;
        ++asked;
      }
    }
  }
  EXPECT_GT(asked, 5000u);
  EXPECT_EQ(TextPattern("ab*cde*f", PatternKind::kWhole, true).sure_part(), "cde");
  EXPECT_EQ(TextPattern("a*b", PatternKind::kPart, false).sure_part(), "a*b");
  EXPECT_EQ(TextPattern("x\"yy\\z\n", PatternKind::kPart, false).sure_part(), "yy");
}

TEST(RecordReader, TextRoundTrips) {
  std::string every;
  for (int i = 1; i < 128; ++i) every += static_cast<char>(i);
  every += "\xc3\xbc\xe2\x80\xa8\xf0\x9f\x98\x80";
  AttackEvent e;
  e.host = every;
  e.src_port = 80;
  std::string json;
  append_record_json(e, json);
  const RecordReader reader(json);
  ASSERT_TRUE(reader.valid());
  EXPECT_EQ(reader.text("host"), every);
  EXPECT_EQ(reader.text("src_port"), "80");
  EXPECT_EQ(reader.text("rsp_start_time"), "null");
  EXPECT_EQ(reader.text("no such"), "");
  EXPECT_EQ(unescape_json("\\ud83d\\ude00\\n\\/\\ud800x\\u12"), "\xf0\x9f\x98\x80\n/\xef\xbf\xbdx12");
  EXPECT_EQ(RecordReader("{}").text("host"), "");
}

}  // namespace
}  // namespace wafd::forward
