// Answers to third-party T1K clients, read as each of them reads an answer.
#include "tests/ingest/t1k_clients.h"

#include <map>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/ingest/t1k_support.h"

namespace wafd::ingest::t1k {
namespace {

using Sections = std::map<unsigned, std::string>;

// The framing that all of them share: the first section has 0x40, the last 0x80, and nothing follows it
// (lua-resty-t1k would not pool the connection, t1k-go would read the rest as the next answer). lua-resty-t1k
// and t1k-go keep the last of repeated tags.
std::optional<Sections> sections_of(std::string_view answer) {
  Sections out;
  for (bool first = true;; first = false) {
    if (answer.size() < 5) return std::nullopt;
    const auto flags = static_cast<unsigned char>(answer[0]);
    std::size_t length = 0;
    for (std::size_t i = 4; i > 0; --i) length = length << 8 | static_cast<unsigned char>(answer[i]);
    if (((flags & 0x40) != 0) != first || answer.size() - 5 < length) return std::nullopt;
    out[flags & 0x3fU] = answer.substr(5, length);
    answer.remove_prefix(5 + length);
    if ((flags & 0x80) != 0) return answer.empty() ? std::optional(out) : std::nullopt;
  }
}

struct Decision {
  std::string what;  // "pass", "block", or the client's error
  std::string status;
  std::string event_id;
  bool operator==(const Decision&) const = default;
};

// `<!-- event_id: ([A-Za-z0-9]+) -->` with single blanks, which both patterns in use accept.
std::string event_id_of(const Sections& sections) {
  const auto found = sections.find(0x24);
  if (found == sections.end()) return {};
  const std::string_view text = found->second, before = "<!-- event_id: ", after = " -->";
  if (!text.starts_with(before) || !text.ends_with(after)) return {};
  return std::string(text.substr(before.size(), text.size() - before.size() - after.size()));
}

std::string text_of(const Sections& sections, unsigned tag) {
  const auto found = sections.find(tag);
  return found == sections.end() ? std::string() : found->second;
}

// lua-resty-t1k, handler.lua: `.` passes, `?` blocks with the status beside it.
Decision by_lua(const Sections& sections) {
  const auto head = text_of(sections, 0x01);
  if (head == ".") return {"pass", "", ""};
  if (head == "?") return {"block", text_of(sections, 0x02), event_id_of(sections)};
  return {"unknown action", "", ""};
}
// kong-safeline 1.0.7, handler.lua: blocks when there is a status too.
Decision by_kong(const Sections& sections) {
  return sections.contains(0x02) ? by_lua(sections) : Decision{"pass", "", ""};
}
// chaitin-waf, do_access: goes by status and event id alone, the verdict is not looked at.
Decision by_apisix(const Sections& sections) {
  const auto status = text_of(sections, 0x02), id = event_id_of(sections);
  if (!status.empty() && status != "200" && !id.empty()) return {"block", status, id};
  return {"pass", "", ""};
}
// t1k-go, detect.go: a HEAD of another length than 1 is an error; everything but `.` blocks.
Decision by_go(const Sections& sections) {
  const auto head = sections.find(0x01);
  if (head != sections.end() && head->second.size() != 1) return {"len(T1K_HEADER) != 1", "", ""};
  if (head == sections.end()) return {"no verdict", "", ""};
  if (head->second == ".") return {"pass", "", ""};
  return {"block", text_of(sections, 0x02), event_id_of(sections)};
}

TEST(Clients, EachIsAnsweredAsItExpects) {
  const struct {
    const char* name;
    const std::string& message;
    Decision (*decide)(const Sections&);
    const char* what;
    const char* path;
  } rows[] = {
      {"lua-resty-t1k 1.1.6, pass", kLua11Pass, by_lua, "pass", ""},
      {"lua-resty-t1k 1.1.6, block", kLua11Block, by_lua, "block", "/login"},
      {"lua-resty-t1k 1.1.5 over HTTP/2, block", kLua115Http2, by_lua, "block", "/cart"},
      {"lua-resty-t1k 1.2.1, pass", kLua12Pass, by_lua, "pass", ""},
      {"lua-resty-t1k 1.2.1, block", kLua12Block, by_lua, "block", "/login"},
      {"t1k-go, pass", kGoPass, by_go, "pass", ""},
      {"t1k-go, block", kGoBlock, by_go, "block", "/login"},
      {"kong-safeline, pass", kLua11Pass, by_kong, "pass", ""},
      {"kong-safeline, block", kLua11Block, by_kong, "block", "/login"},
      {"kong-safeline, a body that it cut", kKongCut, by_kong, "block", "/api"},
      {"chaitin-waf, pass", kLua11Pass, by_apisix, "pass", ""},
      {"chaitin-waf, block", kApisixBlock, by_apisix, "block", "/anything"},
  };
  for (const auto& row : rows) {
    // lua-resty-t1k sends each section by itself, t1k-go header and data apart.
    for (const std::size_t piece : {1u, 5u, 100000u}) {
      Bench bench;
      const auto sections = sections_of(bench.feed(row.message, piece));
      ASSERT_TRUE(sections) << row.name;
      const Decision got = row.decide(*sections);
      EXPECT_EQ(got.what, row.what) << row.name;
      if (got.what == "pass") {
        EXPECT_TRUE(bench.sink.records.empty()) << row.name;
        EXPECT_FALSE(sections->contains(0x02)) << row.name << ": APISIX up to 3.11 blocks by it alone";
        continue;
      }
      ASSERT_EQ(bench.sink.records.size(), 1u) << row.name;
      const auto& record = bench.sink.records[0];
      EXPECT_EQ(got, (Decision{"block", "403", record.id.text()})) << row.name;
      EXPECT_EQ(record.src_ip, "203.0.113.7") << row.name;
      const auto has = [&](std::string_view text) { return record.json.find(text) != std::string::npos; };
      EXPECT_TRUE(has(R"("src_port":51234)")) << row.name << record.json;
      EXPECT_TRUE(has(fmt::format(R"("urlpath":"{}")", row.path))) << row.name << record.json;
      EXPECT_EQ(record.action, Action::kDeny) << row.name;
    }
  }
}

TEST(Clients, ABodyThatTheClientCutIsSaidToBeCut) {
  Bench bench;
  bench.feed(kKongCut);
  ASSERT_EQ(bench.sink.records.size(), 1u);
  EXPECT_NE(bench.sink.records[0].json.find(R"("req_http_body_is_truncate":1)"), std::string::npos);
}

// t1k-go: a new connection, one heartbeat, its answer read to the end, close; every second. Its reader takes
// any message whose HEAD, if there is one, has one byte.
TEST(Clients, HeartbeatAndHealthCheckOfT1kGo) {
  Bench bench;
  const auto sections = sections_of(bench.feed(kGoHeartbeat));
  ASSERT_TRUE(sections);
  EXPECT_EQ(by_go(*sections).what, "no verdict");
  EXPECT_EQ(text_of(*sections, 0), "");
  EXPECT_EQ(by_go(*sections_of(bench.feed(kGoBlock))).what, "block") << "the connection goes on";
  EXPECT_TRUE(sections_of(bench.feed(kGoHeartbeat)));
  EXPECT_EQ(bench.counters.heartbeats, 2u);
  EXPECT_EQ(bench.counters.requests, 1u);
}

// Reports: lua-resty-t1k reads the answer and looks at nothing but its framing, t1k-go takes it for a
// verdict; both wait for it.
TEST(Clients, ResponseReportsAreAnsweredAndFindTheirEvent) {
  const struct {
    const char* name;
    std::string request;
    const std::string& report;
    unsigned status;
    std::uint64_t bytes;
  } rows[] = {
      {"lua-resty-t1k 1.2.1", kLua12Block, kLua12Report, 404, 9},
      {"t1k-go", kGoBlock, kGoReport, 200, 9},
  };
  for (const auto& row : rows) {
    // The engine watches only: the request is recorded, passed, and reported by the client's UUID.
    IngestLimits limits;
    limits.enforcing = false;
    Bench bench(limits);
    const auto passed = sections_of(bench.feed(row.request));
    ASSERT_TRUE(passed) << row.name;
    EXPECT_EQ(by_go(*passed).what, "pass") << row.name;
    ASSERT_EQ(bench.sink.records.size(), 1u) << row.name;
    EXPECT_EQ(text_of(*passed, 0x25), bench.sink.records[0].id.text()) << row.name;
    const auto sections = sections_of(bench.feed(row.report));
    ASSERT_TRUE(sections) << row.name;
    EXPECT_EQ(by_go(*sections).what, "pass") << row.name;
    ASSERT_EQ(bench.sink.reports.size(), 1u) << row.name;
    const auto& report = bench.sink.reports[0];
    EXPECT_EQ(report.id, bench.sink.records[0].id) << row.name;
    EXPECT_EQ(report.status, row.status) << row.name;
    EXPECT_EQ(report.size, row.bytes) << row.name;
    EXPECT_EQ(report.rsp_start_time_ms, 1'766'000'000'123) << row.name;
  }
}

}  // namespace
}  // namespace wafd::ingest::t1k
