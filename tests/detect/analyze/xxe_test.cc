// The evidence of documents that make their reader act, and those that do not.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/xml/xxe_matcher.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

TEST(XxeMatcher, Evidence) {
  const auto matcher = make_xxe_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("<!DOCTYPE a [<!ENTITY b SYSTEM \"c\">]>"), "external_entity(certain) [<!ENTITY b SYSTEM]");
  EXPECT_EQ(found("<!ENTITY b 'c&#100;'>"), "hidden_entity(certain) [<!ENTITY b 'c&#100;']");
  EXPECT_EQ(found("<!ENTITY b 'c&#x41;d'>"), "hidden_entity(certain) [<!ENTITY b 'c&#x41;d']");
  EXPECT_EQ(found("<!ENTITY b 'c&#38;&#xe9;'>"), "entity(certain) [<!ENTITY b 'c&#38;&#xe9;']");
  EXPECT_EQ(found("<!entity % b 'c'>"), "parameter_entity(certain) [<!entity % b 'c']");
  EXPECT_EQ(found("'<!ENTITY &#x25; b PUBLIC \"c\""), "external_entity(certain) [<!ENTITY &#x25; b PUBLIC]");
  EXPECT_EQ(found("<!ENTITY a \"unclosed <!ENTITY b SYSTEM 'c'>"),
            "entity(certain) [<!ENTITY a \"unclosed <!ENTITY b SYSTEM 'c'>]; external_entity(certain) "
            "[<!ENTITY b SYSTEM]");
  EXPECT_EQ(found("<!DOCTYPE a SYSTEM \"//b/c\">"), "foreign_dtd(certain) [<!DOCTYPE a SYSTEM \"//b/c\"]");
  EXPECT_EQ(found("<xs:import schemaLocation='file:///a'/>"),
            "inner_schema(certain) [<xs:import schemaLocation='file:///a'/]");
  EXPECT_EQ(found("<a xmlns:x='http://www.w3.org/2001/XInclude'>"),
            "include(certain) [http://www.w3.org/2001/XInclude']");
  EXPECT_EQ(found("a < b and c <d"), "");
}

TEST(Xxe, Documents) {
  struct Row {
    std::string_view text;
    const char* verdict;
  };
  const Row rows[] = {
      {"<xsl:value-of select=\"document('a')\"/>", "balanced"},
      {"<xsl:stylesheet xmlns:r='http://xml.apache.org/xalan/java/java.lang.Runtime'>", "balanced"},
      {"<xsl:result-document href='a.jsp'/>", "balanced"},
      {"<a xsi:schemaLocation=\"http://a.example/n http://evil.example/n.xsd\"/>", "balanced"},
      {"<a xsi:schemaLocation=\"http://a.example/n http://www.a.example/n.xsd\"/>", "strict"},
      {"<xs:include schemaLocation='http://10.0.0.1/a.xsd'/>", "balanced"},
      {"<xs:include schemaLocation='parts.xsd'/>", "-"},
      {"<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
       "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">",
       "strict"},
      {"<!DOCTYPE html>", "-"},
      {"<!DOCTYPE a SYSTEM \"a.dtd\">", "-"},
      {"<!DOCTYPE a SYSTEM \"/uploads/a.dtd\">", "balanced"},
      {"<!DOCTYPE a SYSTEM \"../a.dtd\">", "balanced"},
      {"<!DOCTYPE html SYSTEM \"about:legacy-compat\">", "-"},
      {"<!DOCTYPE a PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://evil.example/a.dtd\">", "balanced"},
      {"<!DOCTYPE a PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/a.dtd\">", "-"},
      {"<image xlink:href=\"file:///a\"/>", "balanced"},
      {"<svg:image href='text:/a'/>", "balanced"},
      {"<?xml-stylesheet href=\"file:///a\"?>", "balanced"},
      {"<a xsi:noNamespaceSchemaLocation=\"file:///a\"/>", "balanced"},
      {"<image xlink:href=\"a.png\"/><a href=\"file:///C:/a.doc\">a</a>", "-"},
      {"<image xlink:href=\"data:image/png;base64,AAAA\"/>", "-"},
      {"<?xml-stylesheet type=\"text/css\" href=\"http://a.example/a.css\"?>", "-"},
      {"<xsl:template match=\"a\"><b/></xsl:template>", "-"},
      {"<msxsl:script language='C#'>a</msxsl:script>", "balanced"},
      {"<exsl:document href='/tmp/a'>", "balanced"},
      {"]]></a><b>1</b><a><![CDATA[", "balanced"},
      {"--><role>admin</role>", "balanced"},
      {"x</name><role>admin</role><name>", "balanced"},
      {"x</password><!--", "balanced"},
      {"</div>", "strict"},
      {"</script>", "strict"},
      {"what does </style> end", "strict"},
      {"</3 <3 Anna u there? <- </3 <3", "-"},
      {"a --> b, c < d", "-"},
      {"if (a < b) { } // -->", "-"},
      {"document('ready')", "-"},
      {"an entity relation, <!-- ENTITY a -->", "-"},
  };
  for (const Row& row : rows) EXPECT_EQ(verdict_of(analyzer_named("xxe"), row.text), row.verdict) << row.text;

  for (const std::string_view text : {"</script>", " </title>\"'", "</textarea>x", "</div>", "x</script",
                                      "the </title> tag", "-->", " --> x"})
    EXPECT_EQ(verdict_of(analyzer_named("xxe"), text, Location::kQuery, false, "v"), "strict") << text;

  // A long entity again and again; once it is a document's own.
  const std::string declared = "<!ENTITY a \"" + std::string(2000, 'x') + "\">";
  std::string often = declared;
  for (int i = 0; i < 100; ++i) often += "&a;";
  EXPECT_EQ(verdict_of(analyzer_named("xxe"), often), "low");
  EXPECT_EQ(verdict_of(analyzer_named("xxe"), declared + "&a;&a;"), "strict");
}

}  // namespace
}  // namespace wafd::detect
