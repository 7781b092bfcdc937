// The schemas of the status document: what they promised stays promised.
#include <algorithm>
#include <fstream>
#include <iterator>

#include <boost/json/parse.hpp>
#include <boost/json/value_from.hpp>
#include <gtest/gtest.h>

#include "console/api/schemas/schemas.h"
#include "console/base/json_text.h"
#include "console/base/status_tables.h"

namespace wafd::console {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(std::string(WAFD_SOURCE_DIR) + "/" + path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Without prose, and with what has no order in a schema sorted.
boost::json::value bare(const boost::json::value& schema) {
  if (const auto* list = schema.if_array()) {
    boost::json::array out;
    for (const auto& item : *list) out.push_back(bare(item));
    return out;
  }
  const auto* object = schema.if_object();
  if (object == nullptr) return schema;
  std::vector<std::string> names;
  for (const auto& member : *object) {
    const bool prose =
        (member.key() == "description" || member.key() == "x-unit") && !member.value().is_object();
    if (!prose) names.emplace_back(member.key());
  }
  std::sort(names.begin(), names.end());
  boost::json::object out;
  for (const std::string& name : names) {
    out[name] = bare(object->at(name));
    if (name != "required") continue;
    std::vector<std::string> required;
    for (const auto& item : object->at(name).as_array()) required.emplace_back(item.as_string());
    std::sort(required.begin(), required.end());
    out[name] = boost::json::value_from(required);
  }
  return out;
}

TEST(StatusSchema, MembersAndTypesStay) {
  boost::json::object now;
  for (const char* name : {"SiteDay", "Status", "TargetStatus"}) now[name] = schemas().at(name);
  EXPECT_EQ(differing_lines(content_of("tests/console/status_schema.json"), indented_json(bare(now))), "");
}

// The expected types of the page.
std::string typescript() {
  constexpr std::pair<const char*, const char*> kTypes[] = {
      {"EngineStatus", "engine"},    {"RingStatus", "ring"},     {"ListenerStatus", "listener"},
      {"SiteDayCounts", "site_day"}, {"TargetCounts", "target"}, {"ConsoleStatus", "console"},
  };
  std::string out =
      "// The rows of console/base/status_tables.cc as types; tests/console/status_schema_test.cc has the "
      "two equal.\n";
  for (const auto& [name, table] : kTypes) {
    out += std::string("\nexport interface ") + name + " {\n";
    for (const StatusField& field : status_fields(table)) {
      out += "  " + std::string(field.member) + ": ";
      switch (field.kind) {
        case MemberKind::kInteger:
          out += "number";
          break;
        case MemberKind::kIntegerOrNull:
          out += "number | null";
          break;
        case MemberKind::kText:
          out += "string";
          break;
        case MemberKind::kBoolean:
          out += "boolean";
          break;
        case MemberKind::kCounts:
          out += "Record<string, number>";
          break;
        case MemberKind::kRanges:
          out += "[number, number][]";
          break;
      }
      const std::string unit(to_string(field.unit));
      out += ";  // " + std::string(field.help) + (unit.empty() ? "" : " [" + unit + "]") + "\n";
    }
    out += "}\n";
  }
  return out;
}

// After a change of the table the lines with a plus are what the file of types lacks.
TEST(StatusSchema, ThePagesTypesAreTheTable) {
  EXPECT_EQ(differing_lines(content_of("console/web/src/api/status_types.ts"), typescript()), "");
}

TEST(StatusSchema, EveryMetricHasItsPlaceAndSaysItsUnit) {
  for (const char* table : {"engine", "ring", "listener", "site_day", "target", "console"}) {
    const std::vector<StatusField> fields = status_fields(table);
    EXPECT_FALSE(fields.empty()) << table;
    std::vector<int> places;
    for (const StatusField& field : fields) {
      EXPECT_TRUE(field.help.ends_with('.')) << field.member;
      if (field.metric.name.empty()) continue;
      places.push_back(field.metric.place);
      EXPECT_EQ(field.metric.name.ends_with("_total"), field.metric.type == "counter") << field.metric.name;
      // In base units, whatever the unit of the JSON is.
      const bool is_moment = field.unit == Unit::kUnixMs;
      const bool is_time =
          is_moment || field.unit == Unit::kMicroseconds || field.unit == Unit::kMilliseconds;
      EXPECT_EQ(field.metric.name.find("bytes") != std::string_view::npos, field.unit == Unit::kBytes)
          << field.metric.name;
      EXPECT_EQ(field.metric.name.find("seconds") != std::string_view::npos, is_time) << field.metric.name;
      EXPECT_EQ(field.metric.name.ends_with("_timestamp_seconds"), is_moment) << field.metric.name;
      EXPECT_EQ(per_metric_unit(field.unit) != 1, is_time) << field.metric.name;
    }
    std::sort(places.begin(), places.end());
    for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(places[i], static_cast<int>(i) + 1) << table;
  }
  EXPECT_TRUE(status_fields("unknown").empty());
}

}  // namespace
}  // namespace wafd::console
