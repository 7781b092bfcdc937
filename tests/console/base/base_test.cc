// Targets, JSON objects, secrets, differences.
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "console/base/json_text.h"
#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "console/base/strict_json.h"
#include "console/base/target.h"
#include "json/object_reader.h"
#include "tests/support/temp_folder.h"

namespace wafd::console {
namespace {

std::string dump(const Result<Target>& target) {
  if (!target) return "refused at " + std::to_string(target.error().offset);
  std::string out = target->path;
  for (const auto& [name, value] : target->parameters) out += " " + name + "=" + value;
  return out + (target->repeated ? " again at " + std::to_string(*target->repeated) : "");
}

TEST(Target, Table) {
  struct Row {
    const char* text;
    const char* dump;
  };
  constexpr Row kRows[] = {
      {"/", "/"},
      {"/a/b", "/a/b"},
      {"/a?x=1&y=a+b%26c", "/a x=1 y=a b&c"},
      {"/a?", "/a"},
      {"/a?&&x", "/a x="},
      {"/%61", "/a"},
      {"/a%20b", "/a b"},
      {"/%c3%a4", "/\xc3\xa4"},
      {"", "refused at 0"},
      {"a", "refused at 0"},
      {"/a/", "refused at 3"},
      {"//", "refused at 1"},
      {"/a//b", "refused at 3"},
      {"/./a", "refused at 1"},
      {"/a/..", "refused at 3"},
      {"/%2e", "refused at 1"},
      {"/a%2Fb", "refused at 2"},
      {"/a%00", "refused at 2"},
      {"/a%5c", "refused at 2"},
      {"/a\\b", "refused at 2"},
      {"/a%2", "refused at 2"},
      {"/%ff", "refused at 1"},
      {"/a?x=%00", "refused at 5"},
      {"/a?x=1&x=2&x=3", "/a x=1 x=2 x=3 again at 7"},
      {"/a#b", "refused at 2"},
      {"/a b", "refused at 2"},
      {"/\x80", "refused at 1"},
  };
  for (const Row& row : kRows) EXPECT_EQ(dump(Target::parse(row.text)), row.dump) << row.text;
}

TEST(ObjectReader, ErrorsNameMemberExpectationAndValue) {
  struct Row {
    const char* json;
    const char* error;
  };
  constexpr Row kRows[] = {
      {R"({"t":"abc","n":3,"b":true,"l":["x"]})", ""},
      {R"({})", "t: expected a value (it is required), got nothing"},
      {R"({"t":null})", "t: expected a value (it is required), got null"},
      {R"({"t":1})", "t: expected text of 1 to 5 bytes, got 1"},
      {R"({"t":"abcdef"})", "t: expected text of 1 to 5 bytes, got 6"},
      {R"({"t":"a","n":11})", "n: expected a whole number from 0 to 10, got 11"},
      {R"({"t":"a","n":1.5})", "n: expected a whole number from 0 to 10, got a number"},
      {R"({"t":"a","b":"yes"})", "b: expected true or false, got \"yes\""},
      {R"({"t":"a","l":["x",[]]})", "l[1]: expected text of 1 to 5 bytes, got a list"},
      {R"({"t":"a","l":["1","2","3","4"]})", "l: expected a list of at most 3 items, got a list"},
      {R"({"t":"a","c":"two"})", ""},
      {R"({"t":"a","c":"three"})", "c: expected one or two, got \"three\""},
      {R"({"t":"a","c":5})", "c: expected one or two, got 5"},
      {R"({"t":"a","c":null})", "c: expected one or two, got null"},
      {R"({"t":"a","other":1})", "other: expected no such member"},
  };
  for (const Row& row : kRows) {
    const auto value = boost::json::parse(row.json);
    ObjectReader reader(value.get_object());
    std::string text;
    std::int64_t number = 0;
    bool flag = false;
    std::vector<std::string> list;
    int chosen = 0;
    reader.require("t")
        .text("t", text, 1, 5)
        .integer("n", number, 0, 10)
        .boolean("b", flag)
        .texts("l", list, 3, 1, 5)
        .choice(
            "c", chosen,
            [](std::string_view word) {
              return word == "one" ? std::optional(1) : word == "two" ? std::optional(2) : std::nullopt;
            },
            "one or two");
    const auto done = reader.finish();
    EXPECT_EQ(done ? "" : done.error().what, row.error) << row.json;
    if (!done) {
      EXPECT_FALSE(blamed_member(done.error().what).empty()) << row.json;
    }
  }
}

TEST(Secrets, Base64) {
  struct Row {
    const char* text;
    const char* bytes;  // nullptr: refused
  };
  constexpr Row kRows[] = {{"", ""},          {"QQ==", "A"},     {"QUI=", "AB"},    {"QUJD", "ABC"},
                           {"QQ", nullptr},   {"Q===", nullptr}, {"QQ=A", nullptr}, {"Q Q=", nullptr},
                           {"QU-_", nullptr}, {"====", nullptr}};
  for (const Row& row : kRows) {
    std::string out;
    EXPECT_EQ(decode_base64(row.text, out), row.bytes != nullptr) << row.text;
    if (row.bytes != nullptr) {
      EXPECT_EQ(out, row.bytes);
    }
  }
}

TEST(StrictJson, MembersGivenTwiceAreNamed) {
  struct Row {
    const char* text;
    const char* member;  // null: none stands twice
  };
  constexpr Row kRows[] = {
      {R"({"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]})", nullptr},
      {R"({"a":1,"a":1})", "a"},
      {R"({"a":1,"\u0061":1})", "a"},
      {R"({"a":{"b":1,"c":2,"b":3}})", "a.b"},
      {R"({"sites":[{"mode":"off"},7,{"mode":"off","x":[],"mode":"block"}]})", "sites[2].mode"},
      {R"([[{"k":null,"k":true}]])", "[0][0].k"},
      {"{\"\\n:\":1,\"\\n:\":1}", "??"},
      {R"({"a":1,"a")", "a"},
      {R"({"a":)", nullptr},
      {"", nullptr},
      {"{}", nullptr},
  };
  for (const Row& row : kRows) {
    const auto twice = member_given_twice(row.text);
    ASSERT_EQ(twice.has_value(), row.member != nullptr) << row.text;
    if (twice) {
      EXPECT_EQ(twice->what, std::string(row.member) + ": expected once, it is given twice") << row.text;
    }
  }
  // Deeper than any reader of ours goes, and long names: no recursion, no more than a refusal.
  EXPECT_FALSE(member_given_twice(std::string(100'000, '[')));
  const std::string name(100'000, 'n');
  EXPECT_TRUE(member_given_twice("{\"" + name + "\":1,\"" + name + "\":2}"));
}

TEST(JsonText, NumbersAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(
      json_line({{"a", 514.5}, {"b", 0.0}, {"c", 1e-9}, {"d", {1.25, -2.0, 1e20, true, nullptr, "x\n", 7}}}),
      R"({"a":514.5,"b":0,"c":0,"d":[1.25,-2,100000000000000000000,true,null,"x\n",7]})");
  EXPECT_EQ(json_line(boost::json::object{}), "{}");
}

TEST(JsonText, DifferencesAreLines) {
  const auto a = indented_json(boost::json::parse(R"({"a":1,"b":[1,2],"c":{}})"));
  EXPECT_EQ(a, "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ],\n  \"c\": {}\n}\n");
  const auto b = indented_json(boost::json::parse(R"({"a":1,"b":[1,3,2],"c":{}})"));
  EXPECT_EQ(differing_lines(a, b), "+     3,\n");
  EXPECT_EQ(differing_lines(a, a), "");
}

}  // namespace
}  // namespace wafd::console
