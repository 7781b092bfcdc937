// The rows of the settings objects give the types of the page and the documentation: both files are as the
// rows say.
#include <string>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "console/base/json_text.h"
#include "console/settings/describe.h"
#include "tests/console/settings/recorded_file.h"

namespace wafd::console {
namespace {

namespace json = boost::json;

std::string words_of(const json::array& values, std::string_view between) {
  std::string out;
  for (const json::value& value : values) {
    std::string word = json::serialize(value);
    if (value.is_string()) word = "'" + std::string(value.get_string()) + "'";
    out += (out.empty() ? "" : std::string(between)) + word;
  }
  return out;
}

// The TypeScript type of what a schema describes.
std::string type_of(const json::value& schema) {
  if (const auto* name = schema.if_string()) {
    if (*name == "@AttackType") return "string";
    return std::string(name->subview(1));
  }
  const json::object& object = schema.as_object();
  if (const auto* any = object.if_contains("anyOf")) {
    std::string out;
    for (const json::value& one : any->as_array()) out += (out.empty() ? "" : " | ") + type_of(one);
    return out;
  }
  if (const auto* same = object.if_contains("const")) return words_of({*same}, "");
  if (const auto* words = object.if_contains("enum")) return words_of(words->as_array(), " | ");
  const json::value& type = object.at("type");
  const bool nullable = type.is_array();
  const std::string name(nullable ? type.as_array().at(0).as_string() : type.as_string());
  std::string out = name;
  if (name == "integer") out = "number";
  if (name == "array") {
    const std::string item = type_of(object.at("items"));
    out = item.find(' ') == std::string::npos ? item + "[]" : "(" + item + ")[]";
  }
  if (name == "object") out = "Record<string, " + type_of(object.at("additionalProperties")) + ">";
  return out + (nullable ? " | null" : "");
}

std::string typescript() {
  std::string out =
      "// The rows of the settings objects as types: what is stored. tests/console/settings/rows_test.cc has "
      "the "
      "two equal.\n";
  for (const std::string_view name : described_settings()) {
    const auto described = describe_settings(name);
    // enabled is there over some transports alone, key is never answered.
    const bool inner =
        name == "Mask" || name == "TlsSettings" || name == "PostgresqlSettings" || name == "HostPort";
    out += fmt::format("\nexport interface {}{} {{\n", name, inner ? "" : "Settings");
    for (const ObjectMember& member : described->members) {
      if (member.made_by == MadeBy::kServer) continue;
      out += fmt::format(
          "  {}{}: {};  // {}\n", member.name,
          name == "TlsSettings" || name == "PostgresqlSettings" ? "?" : "",
          member.schema == R"("@KafkaSettings")" ? "Record<string, unknown>" : type_of(schema_of(member)),
          member.help.text);
    }
    out += "}\n";
  }
  return out;
}

std::string value_in_words(const ObjectMember& member) {
  const std::string null = member.nullable ? " or null" : "";
  switch (member.type) {
    case ValueType::kText:
      return (member.least > 0 ? fmt::format("text of {} to {} bytes", member.least, member.most)
                               : fmt::format("text of at most {} bytes", member.most)) +
             null;
    case ValueType::kInteger:
      return fmt::format("{} to {}", member.least, member.most);
    case ValueType::kBoolean:
      return "true or false";
    case ValueType::kTexts:
      return fmt::format("at most {} texts of {} to {} bytes", member.max_items, member.least, member.most) +
             null;
    case ValueType::kWord:
      return fmt::format("{}", fmt::join(member.words, ", "));
    case ValueType::kOther:
      break;
  }
  std::string out = type_of(schema_of(member));
  for (std::size_t at = 0; (at = out.find('|', at)) != std::string::npos; at += 2) out.insert(at, 1, '\\');
  return "`" + out + "`";
}

std::string markdown() {
  std::string out =
      "# Settings objects\n\n"
      "The objects of the API and of settings.json, made of their rows (json/object_rows.h; "
      "tests/console/settings/rows_test.cc\n"
      "has this file equal to them). Members that only wafd writes are marked; they may be sent back and are "
      "passed over.\n";
  for (const std::string_view name : described_settings()) {
    const auto described = describe_settings(name);
    out += fmt::format("\n## {}\n\n| member | value | default | meaning |\n|---|---|---|---|\n", name);
    for (const ObjectMember& member : described->members) {
      const json::value* value = described->defaults.if_contains(member.name);
      const bool ours = member.made_by != MadeBy::kClient;
      const bool plain = value != nullptr && !ours && !value->is_object();
      out += fmt::format("| `{}` | {} | {} | {} |\n", member.name, ours ? "by wafd" : value_in_words(member),
                         plain ? "`" + json::serialize(*value) + "`" : "", member.help.text);
    }
  }
  return out;
}

TEST(SettingsRows, ThePagesTypesAreTheRows) {
  test::expect_recorded("console/web/src/api/settings_types.ts", typescript());
}

TEST(SettingsRows, TheDocumentationIsTheRows) {
  test::expect_recorded("console/settings/SETTINGS.md", markdown());
}

TEST(SettingsRows, EveryMemberSaysWhatItIs) {
  std::size_t members = 0;
  for (const std::string_view name : described_settings()) {
    const auto described = describe_settings(name);
    ASSERT_TRUE(described) << name;
    for (const ObjectMember& member : described->members) {
      EXPECT_TRUE(member.help.text.ends_with('.')) << name << "." << member.name;
      ++members;
    }
  }
  EXPECT_GT(members, 70u);
  EXPECT_FALSE(describe_settings("Unknown"));
}

}  // namespace
}  // namespace wafd::console
