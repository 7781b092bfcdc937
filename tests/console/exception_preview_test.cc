// The preview of an exception: which stored events it would have let through.
#include "console/events/exception_preview.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "tests/support/console_parts.h"
#include "tests/support/temp_folder.h"

namespace wafd::console {
namespace {

std::string finding(const std::string& rule, const std::string& type, const std::string& name,
                    const std::string& denies_from) {
  return R"({"rule_id":")" + rule + R"(","attack_type":")" + type + R"(","location":"query","name":")" +
         name + R"(","denies_from":)" + (denies_from.empty() ? "null" : '"' + denies_from + '"') + "}";
}

std::string detail(const std::string& findings, const std::string& more = {}) {
  return R"({"site":{"uuid":"0","sensitivity":"balanced"},"excepted":[])" + more + R"(,"findings":[)" +
         findings + "]}";
}

class ExceptionPreview : public ::testing::Test {
 protected:
  ExceptionPreview() {
    forward::RingOptions options;
    options.path = folder_.path + "/ring";
    options.size_bytes = 4u << 20;
    options.sync_interval_ms = 0;
    ring_ = std::move(forward::Ring::open(options).value());
  }
  EventId add(std::uint64_t number, const std::string& src, const std::string& block,
              const std::string& path = "/item", Action action = Action::kDeny) {
    EventRecord record = test::make_event(number, 1000 + static_cast<std::int64_t>(number), src,
                                          AttackType::kSqli, action, path);
    record.detail = block;
    EXPECT_TRUE(ring_->append(record));
    return record.id;
  }
  std::string outcome(const detect::ExceptionSettings& exception, const EventId& id,
                      const std::vector<detect::SiteSettings>& sites = {}) {
    forward::RingReader reader(*ring_);
    const auto* record = reader.find(id);
    return record == nullptr ? "gone" : to_string(preview_outcome(exception, sites, *record));
  }

  test::TempFolder folder_;
  std::unique_ptr<forward::Ring> ring_;
};

TEST_F(ExceptionPreview, OutcomesOfOneEvent) {
  const auto one = finding("r/1", "sqli", "id", "low");
  const auto two = one + "," + finding("r/2", "xss", "q", "balanced");
  const auto strict = one + "," + finding("r/2", "xss", "q", "strict");
  const auto recorded = finding("r/1", "sqli", "id", "");
  detect::ExceptionSettings by_rule;
  by_rule.rule_id = "r/1";
  detect::ExceptionSettings by_name;
  by_name.name = "items[*].id";
  detect::ExceptionSettings by_path = by_rule;
  by_path.path = "/item/*";
  detect::ExceptionSettings by_host = by_rule;
  by_host.host = "*.example";
  detect::SiteSettings site;
  site.uuid = "0";
  site.sensitivity = Sensitivity::kStrict;
  struct Row {
    const char* what;
    detect::ExceptionSettings exception;
    std::string block;
    std::string path;
    bool strict_site;
    const char* outcome;
  };
  const Row rows[] = {
      {"its only finding", by_rule, detail(one), "/item", false, "passes"},
      {"another denies", by_rule, detail(two), "/item", false, "denied"},
      {"another would deny at strict", by_rule, detail(strict), "/item", false, "passes"},
      {"the site is strict now", by_rule, detail(strict), "/item", true, "denied"},
      {"recorded alone", by_rule, detail(recorded), "/item", false, "untouched"},
      {"another rule", by_rule, detail(finding("r/9", "sqli", "id", "low")), "/item", false, "untouched"},
      {"a name pattern", by_name, detail(finding("r/1", "sqli", "items[3].id", "low")), "/item", false,
       "passes"},
      {"another name", by_name, detail(one), "/item", false, "untouched"},
      {"the path", by_path, detail(one), "/item/7", false, "passes"},
      {"another path", by_path, detail(one), "/item/7/8", false, "untouched"},
      {"a cut path", by_path, detail(one), "/item/7\xe2\x80\xa6[cut 12]", false, "unknown"},
      {"the host", by_host, detail(one), "/item", false, "passes"},
      {"findings left out", by_rule, detail(one, R"(,"findings_left_out":3)"), "/item", false, "unknown"},
      {"no findings: a list", by_rule, detail(""), "/item", false, "untouched"},
      {"no JSON", by_rule, "r/1 {", "/item", false, "untouched"},
  };
  std::uint64_t number = 0;
  for (const Row& row : rows) {
    const EventId id = add(++number, "192.0.2.1", row.block, row.path);
    EXPECT_EQ(
        outcome(row.exception, id, row.strict_site ? std::vector{site} : std::vector<detect::SiteSettings>{}),
        row.outcome)
        << row.what;
  }
}

TEST_F(ExceptionPreview, CountsThreeWaysAndPutsAttackersFirst) {
  const auto one = detail(finding("r/1", "sqli", "id", "low"));
  const auto both = detail(finding("r/1", "sqli", "id", "low") + "," + finding("r/2", "xss", "q", "low"));
  const EventId own = add(1, "192.0.2.1", one);
  add(2, "192.0.2.1", one);
  add(3, "192.0.2.2", one);
  add(4, "192.0.2.2", one);
  add(5, "192.0.2.3", one);
  add(6, "192.0.2.3", detail(finding("r/7", "cmd_injection", "x", "low")));
  add(7, "192.0.2.3", both);
  add(8, "192.0.2.4", detail(finding("r/1", "sqli", "id", "low"), R"(,"findings_left_out":1)"));
  add(9, "192.0.2.5", one, "/item", Action::kAllow);
  add(10, "192.0.2.6", one, "/item", Action::kMonitor);
  detect::ExceptionSettings exception;
  exception.rule_id = "r/1";
  const auto answer = preview_exception(*ring_, exception, {}, &own);
  EXPECT_EQ(answer.at("event").as_string(), "passes");
  EXPECT_EQ(answer.at("would_pass"), 6);
  EXPECT_EQ(answer.at("still_denied"), 1);
  EXPECT_EQ(answer.at("unknown"), 1);
  EXPECT_EQ(answer.at("untouched"), 1);
  EXPECT_EQ(answer.at("looked_at"), 9);
  EXPECT_EQ(answer.at("complete"), true);
  EXPECT_EQ(answer.at("other_sources"), 3);
  EXPECT_EQ(answer.at("attacking_sources"), 1);
  std::string order;
  for (const auto& source : answer.at("sources").as_array()) {
    order += std::string(source.at("src").as_string()) + ":" +
             boost::json::serialize(source.at("would_pass")) + ":" +
             boost::json::serialize(source.at("other_events")) + " ";
  }
  EXPECT_EQ(order, "192.0.2.3:1:2 192.0.2.2:2:0 192.0.2.6:1:0 ");
}

}  // namespace
}  // namespace wafd::console
