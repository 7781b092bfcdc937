// Serialized objects: evidence and verdicts.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/serialized/php_object.h"
#include "detect/analyze/serialized/pickle.h"
#include "detect/analyze/serialized/serialized_matcher.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;

TEST(SerializedMatcher, Evidence) {
  const auto matcher = make_serialized_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("O:3:\"Foo\":0:{}"), "php_object(certain) [O:3:\"Foo\":0:{}]");
  EXPECT_EQ(found("rO0ABXNy"), "java_stream(certain) [rO0AB]");
  EXPECT_EQ(found("cos\nsystem\n(S'id'\ntR."), "pickle_call(certain) [cos\nsystem\n(S'id'\ntR.]");
}

struct Row {
  std::string_view text;
  const char* verdict;
};

constexpr Row kRows[] = {
    // O:3:"Foo":1:{s:6:"<NUL>Foo<NUL>a";i:1;} as base64: a private member
    {"TzozOiJGb28iOjE6e3M6NjoiAEZvbwBhIjtpOjE7fQ==", "balanced"},
    {"YToxOntpOjA7TzozOiJGb28iOjE6e3M6NjoiAEZvbwBhIjtpOjE7fX0=", "balanced"},
    {"{\"as x\":{\"class\":\"A\",\"__construct()\":[1]}}", "balanced"},
    {"{\"__class\":\"GuzzleHttp\\\\Psr7\\\\FnStream\"}", "balanced"},
    {"{\"py/object\": \"subprocess.Popen\"}", "balanced"},
    {"{\"py/reduce\":[{\"py/type\":\"os.system\"}]}", "balanced"},
    {"{\"json_class\":\"Gem::Installer\"}", "balanced"},
    {"{\"^o\":\"Gem::Requirement\"}", "balanced"},
    {"--- !ruby/object:Gem::Installer\ni: x", "balanced"},
    {"\x04\bo:\x15Gem::Requirement\x06"sv, "balanced"},
    {"\x04\bo:\x0bObject\x06"sv, "strict"},
    {"!!javax.script.ScriptEngineManager []", "balanced"},
    {"{\"__class__\":\"Item\",\"@type\":\"Product\"}", "-"},
    {"{\"py/object\":\"shop.Item\"}", "-"},
    {"O: 5 (see C:2)", "-"},
    {"Tzo is a name", "-"},
    {"BAh7BkkiD3Nlc3Npb25faWQGOgZFVEkiBXg=--0a1b", "-"},
    {"a:1:{s:1:\"a\";i:1;}", "-"},
    {"unicode\nsystem\n", "-"},
    {"Wow!! great", "-"},
    {"format: !!python/name:superfences.format", "-"},
    {"!!python/object/apply:os.system [id]", "balanced"},
    {"!!python/object/new:tuple [!!python/name:eval]", "balanced"},
};

// A body of JSON gives names and values apart.
TEST(Serialized, NamesOfMembers) {
  const auto verdict = [](std::string_view name) {
    return verdict_of(analyzer_named("deserial"), name, Location::kBody, true);
  };
  for (const char* name : {"py/object", "a[0].py/reduce", "py/type", "x.py/newobj"})
    EXPECT_EQ(verdict(name), "balanced") << name;
  for (const char* name : {"copy/object", "py/objects", "py", "jpy/type", "py/object.name"})
    EXPECT_EQ(verdict(name), "-") << name;
}

TEST(Serialized, ValuesOfMembersThatNameAClass) {
  const auto verdict = [](std::string_view value, std::string_view name) {
    return verdict_of(analyzer_named("deserial"), value, Location::kBody, false, name);
  };
  EXPECT_EQ(verdict("Gem::Installer", "json_class"), "balanced");
  EXPECT_EQ(verdict("Gem::Requirement", "a.^o"), "balanced");
  EXPECT_EQ(verdict("Gem::Installer", "topic"), "-");
  EXPECT_EQ(verdict("std::vector", "json_class"), "-");
}

TEST(Serialized, WhatMakesObjects) {
  for (const Row& row : kRows)
    EXPECT_EQ(verdict_of(analyzer_named("deserial"), row.text), row.verdict) << row.text;
}

// Pickles of every protocol and writing; lists of words are none.
TEST(Serialized, Pickles) {
  const Analyzer& analyzer = analyzer_named("deserial");
  for (const std::string_view text :
       {"Y3Bvc2l4CnN5c3RlbQpxAChYAgAAAGlkcQF0cQJScQMu",
        "8004951d000000000000008c05706f736978948c0673797374656d9493948c02696494859452942e",
        "63706f7369780a73797374656d0a7100285802000000696471017471025271032e", "cos\nsystem\n(S'id'\ntR."})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "balanced") << text;
  for (const std::string_view text : {"sin\ncos\ntan\npi", "sin\ncos\ntan\npow\n", "63706f7369780a", "8004"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kBody, false, "v"), "-") << text;
  const std::string_view file(
      "\200\002\143\160\157\163\151\170\012\163\171\163\164\145\155\012\161\000\130\002\000\000\000\151\144"
      "\161\001\205\161\002\122\161\003\056",
      34);
  EXPECT_EQ(verdict_of(analyzer, file, Location::kFile, false, "v"), "balanced");
  const std::string_view model("\200\002ccollections\nOrderedDict\nq\000)Rq\001.", 34);
  EXPECT_EQ(verdict_of(analyzer, model, Location::kFile, false, "v"), "-");
}

TEST(Serialized, TagsOfYaml) {
  const Analyzer& analyzer = analyzer_named("deserial");
  for (const std::string_view text :
       {"%TAG ! tag:yaml.org,2002:python/\n---\n!object/apply:os.system [id]",
        "%TAG !a! tag:yaml.org,2002:\n---\n!a!python/object/apply:os.system [id]",
        "!!js/function 'function(){}'"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kBody, false, "v"), "balanced") << text;
  EXPECT_EQ(verdict_of(analyzer, "%YAML 1.2\n---\na: b", Location::kBody, false, "v"), "-");
  EXPECT_EQ(verdict_of(analyzer, "a: !!python/object/apply:os.system [id]", Location::kFile, false, "v"),
            "balanced");
  EXPECT_EQ(
      verdict_of(analyzer, "a: !!python/name:material.extensions.emoji.twemoji", Location::kFile, false, "v"),
      "-");
}

}  // namespace
}  // namespace wafd::detect
