// Tables as bodies: every cell that may mean something, named by the cell above it.
#include "detect/extract/csv_reader.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/detect/extract/read_fields.h"

namespace wafd::detect {
namespace {

class Csv : public Fields {
 protected:
  std::string of(const std::string& text, const std::string& type = "text/csv") {
    return body_alone(type, text);
  }
};

TEST_F(Csv, Cells) {
  const struct {
    const char* text;
    const char* fields;
  } kRows[] = {
      {"id,note\r\n1,a b\r\n2,\"c, d\"\r\n", "body note=a b {csv}\nbody note=c, d {csv}\n"},
      {"id,note\n1,\"say \"\"x\"\" twice\"\n", "body note=say \\\"x\\\" twice {csv}\n"},
      {"id,note\n1,\"two\nlines\"\n2,x y", "body note=two\\u000alines {csv}\nbody note=x y {csv}\n"},
      {"a b,c d\n", "body =a b {csv}\nbody =c d {csv}\n"},
      {"id,note\n1,\"a\" b\n", "body note=a b {csv}\n"},
      {"id,note\n1,a\"b\n", "body note=a\\\"b {csv}\n"},
      {"id,note\n1,x y,more than named\n", "body note=x y {csv}\nbody =more than named {csv}\n"},
      {"id;note\n1;a, b\n", "body note=a, b {csv}\n"},
      {"id\tnote\n1\ta;b\n", "body note=a;b {csv}\n"},
      {"note,x;y\n1;id,2\n", "body =x;y {csv}\nbody note=1;id {csv}\n"},
      {"note\none two\n\nthree four\n", "body note=one two {csv}\nbody note=three four {csv}\n"},
  };
  for (const auto& row : kRows) EXPECT_EQ(of(row.text), row.fields) << row.text;
}

TEST_F(Csv, NumbersAndWordsAreNoFields) {
  EXPECT_EQ(of("id,when,what\n1,2026-11-23,-3.5\nactive,x1,a b\n"), "body what=a b {csv}\n");
}

TEST_F(Csv, OpenQuotesAreJudgedAsTheyStand) {
  EXPECT_EQ(of("id,note\n1,\"a b\n2,c\n"), "body =id,note\\u000a1,\\\"a b\\u000a2,c\\u000a\n");
  EXPECT_EQ(of("id,a b\n", "text/plain"), "body =id,a b\\u000a\n");
}

// Whoever reads forms does not always ask for the type.
TEST_F(Csv, AFormIsReadAsOneToo) {
  for (const char* type : {"text/csv", "application/yaml"})
    EXPECT_NE(of("a=1&b=x+y", type).find("body b=x+y\n"), std::string::npos) << type;
}

TEST_F(Csv, TooManyCellsAreOneRest) {
  std::string text;
  for (std::size_t i = 0; i < kMaxFields; ++i) text += "a b,";
  of(text);
  EXPECT_FALSE(fields_.limit_reached) << "nothing was left out";
  EXPECT_LE(fields_.size(), kMaxFields);
  EXPECT_NE(fields_[fields_.size() - 1].raw.find("a b,a b"), std::string::npos);
  EXPECT_TRUE(fields_[fields_.size() - 1].name.empty());
}

}  // namespace
}  // namespace wafd::detect
