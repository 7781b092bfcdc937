// YAML bodies: every key and every scalar, as a parser hands it on.
#include "detect/extract/yaml_reader.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/detect/extract/read_fields.h"

namespace wafd::detect {
namespace {

class Yaml : public Fields {
 protected:
  // Values as name=value, names as ?name, each on a line.
  std::string of(const std::string& text, const std::string& type = "application/yaml") {
    body_alone(type, text);
    std::string out;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const Field& field = fields_[i];
      if (field.location != Location::kBody) continue;
      if (field.decode_path != "yaml") {
        out += "RAW\n";
        continue;
      }
      out += field.in_name ? "?" : std::string(field.name) + "=";
      append_json_text(field.raw, out);
      out += "\n";
    }
    return out;
  }
};

TEST_F(Yaml, Scalars) {
  const struct {
    const char* text;
    const char* fields;
  } kRows[] = {
      {"a: one two\nb: 12\nc: -1.5e3\n", "?a\na=one two\n?b\n?c\n"},
      {"# comment\n%YAML 1.2\n---\na: x # comment\nb: x#y\n...\n", "?a\na=x\n?b\nb=x#y\n"},
      {"a: 'it''s'\nb: \"it's \\\"x\\\"\"\n", "?a\na=it's\n?b\nb=it's \\\"x\\\"\n"},
      {"a: \"\\x27\\u0041\\U00000042\\t\\/\\_\"\n", "?a\na='AB\\u0009/\xc2\xa0\n"},
      {"a: \"one\n  two\n\n  three\"\nb: 'one\n two'\n", "?a\na=one two\\u000athree\n?b\nb=one two\n"},
      {"a: \"one\\\n  two\"\n", "?a\na=onetwo\n"},
      {"a: one\n  two\n\n  three\nb: x\n", "?a\na=one two\\u000athree\n?b\nb=x\n"},
      {"a: |\n  one\n   two\n\n  three\nb: x\n", "?a\na=one\\u000a two\\u000a\\u000athree\n?b\nb=x\n"},
      {"a: >-\n  one\n  two\n\n  three\nb: x\n", "?a\na=one two\\u000athree\n?b\nb=x\n"},
      {"a: |2-\n   one\n  two\nb: x\n", "?a\na= one\\u000atwo\n?b\nb=x\n"},
      {"a: |\n  # no comment\n  k: v\n", "?a\na=# no comment\\u000ak: v\n"},
      {"one\ntwo\n", "=one two\n"},
      {"a: x\n  one\n  b: y\n", "?a\na=x one\n?b\nb=y\n"},
      {"a: http://x/?y:z\nb: a:b\n", "?a\na=http://x/?y:z\n?b\nb=a:b\n"},
      {"a: &x one\nb: *x\n", "?a\na=one\n?b\n"},
      {"a: one\r\nb: |\r\n  two\r\n  three\r\n", "?a\na=one\n?b\nb=two\\u000athree\n"},
  };
  for (const auto& row : kRows) EXPECT_EQ(of(row.text), row.fields) << row.text;
}

TEST_F(Yaml, Collections) {
  const struct {
    const char* text;
    const char* fields;
  } kRows[] = {
      {"- one\n- - two\n  - three\n-\n  four\n", "=one\n=two\n=three\n=four\n"},
      {"a:\n- one\n- b: two\n  c: three\nd: four\n", "?a\na=one\n?b\nb=two\n?c\nc=three\n?d\nd=four\n"},
      {"a:\n  b: one\n  c:\n    two\n", "?a\n?b\nb=one\n?c\nc=two\n"},
      {"? a key\n: a value\n", "=a key\n=a value\n"},
      {"{a: one, 'b': \"two\", \"c\":three, d: [x, 'y;z', 5]}",
       "?a\na=one\n?b\nb=two\n?c\nc=three\n?d\nd=x\nd=y;z\n"},
      {"a: [one,\n  two # comment\n  , three\n  four]\nb: x\n", "?a\na=one\na=two\na=three four\n?b\nb=x\n"},
      {"a: {}\nb: []\nc: x\n", "?a\n?b\n?c\nc=x\n"},
      {"--- one\n--- \"two\"\n---\nthree\n", "=one\n=two\n=three\n"},
  };
  for (const auto& row : kRows) EXPECT_EQ(of(row.text), row.fields) << row.text;
  of("a:\n  b: one\n");
  EXPECT_EQ(fields_[fields_.size() - 1].parent, "a");
}

// Documents that are broken or construct objects are judged as raw text, too.
TEST_F(Yaml, AndTheWholeText) {
  EXPECT_EQ(of("a: one\nb: \"two\n"), "?a\na=one\n?b\nRAW\n");
  EXPECT_EQ(of("a: \"\\q\"\n"), "?a\nRAW\n");
  EXPECT_EQ(of("a: [one, two\n"), "?a\na=one\na=two\nRAW\n");
  EXPECT_EQ(of("a: @x\n"), "?a\nRAW\n");
  EXPECT_EQ(of("a: \"x\" y\n"), "?a\na=x\nRAW\n");
  // Behind a line end that only some parsers know, what is a comment here is none.
  EXPECT_EQ(of("a: x # y\rb: z\n"), "?a\na=x\nRAW\n");
  EXPECT_EQ(of("a: \"\\\rx\" #\n\"\n"), "?a\nRAW\n");
  for (const std::string end : {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"})
    EXPECT_EQ(of("a: x # y" + end + "b: z\n"), "?a\na=x\nRAW\n");
  EXPECT_EQ(of("!!python/object/apply:os.system [\"ls\"]\n"), "=ls\nRAW\n");
}

TEST_F(Yaml, Types) {
  for (const std::string type : {"application/yaml", "text/yaml; charset=utf-8", "application/x-yaml",
                                 "text/x-yaml", "text/vnd.yaml", "application/openapi+yaml"})
    EXPECT_EQ(of("a: b c\n", type), "?a\na=b c\n") << type;
  EXPECT_EQ(of("a: b c\n", "text/plain"), "RAW\n");
}

TEST_F(Yaml, TooManyScalarsAreOneRest) {
  std::string text;
  for (std::size_t i = 0; i < kMaxFields + 9; ++i) text += "- x\n";
  of(text);
  EXPECT_TRUE(fields_.limit_reached);
  EXPECT_LE(fields_.size(), kMaxFields + 1);
  EXPECT_NE(fields_[fields_.size() - 1].raw.find("- x\n- x\n"), std::string::npos);
}

}  // namespace
}  // namespace wafd::detect
