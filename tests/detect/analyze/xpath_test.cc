// Operands of XPath, the evidence of values that leave their predicate, and verdicts beside look-alikes.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/xml/xpath_matcher.h"
#include "detect/analyze/xml/xpath_reader.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

std::string operand(std::string_view text) {
  static constexpr std::string_view kNames[] = {"none", "ambiguous", "nodes"};
  const xml::OperandEnd end = xml::read_operand(text, 0);
  return std::string(kNames[static_cast<std::size_t>(end.kind)]) + " [" +
         std::string(text.substr(0, end.end)) + "]";
}

TEST(XpathReader, Operands) {
  EXPECT_EQ(operand("//user/name = 'a'"), "nodes [//user/name]");
  EXPECT_EQ(operand("/*[1]/a or"), "nodes [/*[1]/a]");
  EXPECT_EQ(operand("/a/b"), "ambiguous [/a/b]");
  EXPECT_EQ(operand("/a/b='c'"), "nodes [/a/b]");
  EXPECT_EQ(operand("../docs/b"), "ambiguous [../docs/b]");
  EXPECT_EQ(operand("or 4"), "none []");
  EXPECT_EQ(operand("/or 4"), "none []");
  EXPECT_EQ(operand("child::node() | a"), "nodes [child::node()]");
  EXPECT_EQ(operand("//a[@b='c' and d=\"]\"]/text()"), "nodes [//a[@b='c' and d=\"]\"]/text()]");
  EXPECT_EQ(operand("count(/*)=1"), "nodes [count(/*)]");
  EXPECT_EQ(operand("count(/host/key,1h)>2"), "none []");
  EXPECT_EQ(operand("last(/host/key)<>0"), "none []");
  EXPECT_EQ(operand("last() or"), "ambiguous [last()]");
  EXPECT_EQ(operand("contains(a,'b') or"), "ambiguous [contains(a,'b')]");
  EXPECT_EQ(operand("contains(a)"), "none []");
  EXPECT_EQ(operand("substring(name(/*[1]),1,1)='a'"), "nodes [substring(name(/*[1]),1,1)]");
  EXPECT_EQ(operand("contains(../a,'"), "nodes [contains(../a,']");
  EXPECT_EQ(operand("a[0] == b"), "ambiguous [a[0]]");
  EXPECT_EQ(operand("a/b[1]"), "nodes [a/b[1]]");
  EXPECT_EQ(operand("f(/a)"), "none []");
}

TEST(XpathMatcher, Evidence) {
  const auto matcher = make_xpath_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("x'] | //user"), "node_union(certain) ['] | //user]");
  EXPECT_EQ(found("user/pass|//user"), "node_union(likely) [user/pass|//user]");
  EXPECT_EQ(found(".//a | x | //b"), "node_union(likely) [.//a | x | //b]");
  EXPECT_EQ(found("doc('//a/b')"), "document(certain) [doc('//]");
  EXPECT_EQ(found("a | //b is a comment"), "");
  EXPECT_EQ(found("x | y | /z"), "");
  EXPECT_EQ(found("x' or count(/*)=1 or 'a'='b"), "condition(certain) [' or count(/*)]");
  EXPECT_EQ(found("it's x' or //a[1] or '"), "condition(certain) [' or //a[1]]");
  EXPECT_EQ(found("'or normalize-space(/)or'"), "condition(certain) ['or normalize-space(/)]");
  EXPECT_EQ(found("1 or true()"), "condition(likely) [1 or true()]");
  EXPECT_EQ(found("/a/child::node()"), "whole(certain) [/a/child::node()]; axis(certain) [child::node()]");
  EXPECT_EQ(found("//a[@b='c' or @d='e']"), "whole(certain) [//a[@b='c' or @d='e']]");
  EXPECT_EQ(found("doc( 'file:///a')"), "document(certain) [doc( 'file:]");
  EXPECT_EQ(found("count(//a[@b='c' or @d='e']) = 3"), "whole(certain) [count(//a[@b='c' or @d='e']) = 3]");
}

TEST(Xpath, LookAlikes) {
  struct Row {
    const char* text;
    const char* verdict;
  };
  const Row rows[] = {
      {"'] | //user[@a='b' or @c='d", "balanced"},
      {"a' or @type='b", "balanced"},
      {"') and contains(../password,'c", "balanced"},
      {"') and not(starts-with(name(),'a')) and ('", "balanced"},
      {"x\") or count(//user) > 0 or (\"", "balanced"},
      {"' or following-sibling::user and '", "balanced"},
      {"section 3 and/or 4", "-"},
      {"3 and/or section 4", "-"},
      {"either 'this' and/or 'that'", "-"},
      {"(see 2) (or they) come", "-"},
      {"1 and last(/web0/key)<>0 and count(/web0/key,1h)>5", "-"},
      {"(a) or /usr/local", "-"},
      {"it's 'x' or /etc/hosts", "-"},
      {"the 'a' and count(b) of it", "-"},
      {"return self::DEBUG . (self::x())", "-"},
      {"if (x[0] and not(y)) or max(1, 2)", "-"},
      {"count(//item[@type='a' or @type='b']) = 3", "strict"},
      {"//user[name='x']", "strict"},
      {"//*", "strict"},
      {"/*/*", "strict"},
      {"string-length(name(/*[1]))", "strict"},
      {"ancestor::*", "strict"},
      {"//cdn.example/a/b.js", "-"},
      {"/a/b/c", "-"},
      {"/npm/@scope/name", "-"},
      {"/* a comment */", "-"},
      {"concat(a, b)", "-"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(verdict_of(analyzer_named("xpath"), row.text), row.verdict) << row.text;
  // Tools that read documents take it as a parameter; nothing has it in a cookie.
  for (const std::string_view text : {"//user[name='x']", "//*", "string-length(name(/*[1]))"})
    EXPECT_EQ(verdict_of(analyzer_named("xpath"), text, Location::kCookie, false, "v"), "strict") << text;
}

}  // namespace
}  // namespace wafd::detect
