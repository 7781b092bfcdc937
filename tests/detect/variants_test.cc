// What a field may mean, and the way that led there.
#include "detect/variants.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "detect/core/record_json.h"

namespace wafd::detect {
namespace {

class Variants : public testing::Test {
 protected:
  // "{path} text" of every variant, containers' members included; containers themselves end in "(container)".
  std::multiset<std::string> expand(std::string_view raw, Coding coding, std::uint64_t work = 0) {
    text_ = raw;
    fields_.clear();
    variants_.clear();
    Field field;
    field.name = "p";
    field.coding = coding;
    field.raw = text_;
    fields_.add(field);
    work_.begin();
    work_.add(work);
    for (std::uint32_t i = 0; i < fields_.size(); ++i) maker_.expand(fields_, i, reader_, work_, variants_);
    std::multiset<std::string> out;
    for (const Variant& variant : variants_) {
      std::string line = "{" + std::string(variant.decode_path) + "} ";
      append_json_text(variant.text, line);
      out.insert(line + (variant.container ? " (container)" : ""));
    }
    return out;
  }
  bool has(std::string_view raw, Coding coding, const std::string& line) {
    const auto all = expand(raw, coding);
    return all.count(line) != 0;
  }

  std::string text_;
  FieldList fields_;
  BodyReader reader_;
  VariantMaker maker_;
  Work work_;
  std::vector<Variant> variants_;
};

using Lines = std::multiset<std::string>;

TEST_F(Variants, ThePlacesOwnDecoding) {
  EXPECT_EQ(expand("plain", Coding::kForm), (Lines{"{} plain"}));
  EXPECT_EQ(expand("a%20b", Coding::kForm), (Lines{"{percent} a b"}));
  EXPECT_EQ(expand("a+b", Coding::kForm), (Lines{"{plus} a b", "{} a+b"}));
  EXPECT_EQ(expand("a+b%21", Coding::kForm), (Lines{"{plus|percent} a b!"}));
  EXPECT_EQ(expand("a+b%28", Coding::kForm), (Lines{"{plus|percent} a b(", "{percent} a+b("}));
  EXPECT_EQ(expand("a+b%21", Coding::kPercent), (Lines{"{percent} a+b!"}));
  EXPECT_EQ(expand("a+b", Coding::kNone), (Lines{"{} a+b"}));
}

TEST_F(Variants, Wrappings) {
  EXPECT_TRUE(has("%2527x", Coding::kForm, "{percent|percent} 'x"));
  EXPECT_TRUE(has("%26lt%3Bb%26gt%3B", Coding::kForm, "{percent|html} <b>"));
  EXPECT_TRUE(has("JyBvciAxPTEgLS0g", Coding::kForm, "{base64} ' or 1=1 -- "));
  EXPECT_TRUE(has("%4a%79%42%76%63%69%41%78%50%54%45%67%4c%53%30%67", Coding::kForm,
                  "{percent|base64} ' or 1=1 -- "));
  EXPECT_TRUE(has("\\u003cb\\x3e", Coding::kNone, "{js} <b>"));
  EXPECT_TRUE(has(R"({"a":"%27"})", Coding::kNone, "{json|percent} '"));
  EXPECT_TRUE(has(R"({"a":"JyBvciAxPTEgLS0g"})", Coding::kNone, "{json|base64} ' or 1=1 -- "));
  EXPECT_TRUE(has("eyJpZCI6IjEgYW5kIDE9MSJ9", Coding::kForm, "{base64|json} 1 and 1=1"));
  EXPECT_TRUE(has(R"(a:1:{i:0;s:5:"hello";})", Coding::kNone, "{php} hello"));
}

TEST_F(Variants, AWholeContainerIsNotJudgedItself) {
  EXPECT_EQ(expand(R"({"k":"v"})", Coding::kNone),
            (Lines{"{} {\\\"k\\\":\\\"v\\\"} (container)", "{json} k", "{json} v"}));
  // Broken: the text stays a text.
  EXPECT_TRUE(has(R"({"k":"v"' or 1=1})", Coding::kNone, "{} {\\\"k\\\":\\\"v\\\"' or 1=1}"));
}

TEST_F(Variants, MembersKeepTheNameOfTheWay) {
  expand(R"({"user":{"tags":["a","b"]}})", Coding::kNone);
  std::string names;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i].in_name) names += fields_.full_name(fields_[i]) + " ";
  }
  EXPECT_EQ(names, "p p.user.tags[0] p.user.tags[1] ");
}

TEST_F(Variants, Limits) {
  // More layers than are taken off: what was reached is there, and the limit is said.
  std::string deep = "<";
  for (int i = 0; i < 12; ++i) deep = i == 0 ? "%3c" : "%25" + deep.substr(1);
  expand(deep, Coding::kForm);
  EXPECT_LE(variants_.size(), kMaxVariants);
  EXPECT_TRUE(fields_.limit_reached);
  expand("%2527", Coding::kForm);
  EXPECT_FALSE(fields_.limit_reached);
  // Containers in containers end at the depth of fields.
  std::string nested = "\"x\"";
  for (int i = 0; i < 8; ++i) {
    std::string quoted = "[\"";
    for (const char c : nested) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    nested = quoted + "\"]";
  }
  expand(nested, Coding::kNone);
  for (std::size_t i = 0; i < fields_.size(); ++i) EXPECT_LE(fields_[i].depth, kMaxFieldDepth);
}

TEST_F(Variants, GraphqlStringsAreFields) {
  const auto all =
      expand("query Q($a: Int) { user(name: \"O'B\\\"x\", note: \"\"\"a\n\"b\"\"\") { id } # \"no\"\n }",
             Coding::kNone);
  std::string fields;
  for (std::size_t i = 1; i < fields_.size(); ++i)
    fields += std::string(fields_[i].name) + "=" + std::string(fields_[i].raw) + "\n";
  EXPECT_EQ(fields, "name=O'B\\\"x\nnote=a\n\"b\n");
  EXPECT_TRUE(all.count("{graphql|js} O'B\\\"x") > 0);
  expand("{ user(id: \"1\") { id } }", Coding::kForm);
  ASSERT_EQ(fields_.size(), 2u);
  EXPECT_EQ(fields_[1].raw, "1");
  for (const char* none : {"{\"query\": 1}", "{ a }", "query", "queryx { a(b:\"c\") }", "{ a(b:\"c\")"}) {
    expand(none, Coding::kNone);
    for (std::size_t i = 0; i < fields_.size(); ++i)
      EXPECT_EQ(fields_[i].decode_path.find("graphql"), std::string_view::npos) << none;
  }
}

TEST_F(Variants, EveryVariantLivesAndDiffers) {
  const auto all = expand("%26%2339%3B+or+%5Cx31%3D1+/**/+%2527", Coding::kForm);
  std::set<std::string> texts;
  for (const Variant& variant : variants_) texts.insert(std::string(variant.text));
  EXPECT_EQ(texts.size(), variants_.size());
  EXPECT_GE(all.size(), 5u);
}

}  // namespace
}  // namespace wafd::detect
