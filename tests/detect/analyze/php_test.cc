// Evidence and verdicts of PHP.
#include <gtest/gtest.h>

#include "detect/analyze/php/open_tags.h"
#include "detect/analyze/php/php_matcher.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;

TEST(PhpTags, WhatOpensCode) {
  const std::pair<const char*, php::Tag> kRows[] = {
      {"<?php echo 1;", php::Tag::kFull},
      {"<?PHP", php::Tag::kFull},
      {"<? php", php::Tag::kFull},
      {"<?= $x ?>", php::Tag::kShort},
      {"<?=1?>", php::Tag::kShort},
      {"<? echo 1; ?>", php::Tag::kShort},
      {"<?$x", php::Tag::kShort},
      {"<?xml :echo 1;", php::Tag::kShort},
      {"<?xml version='1.0'?>", php::Tag::kNone},
      {"<?phpx", php::Tag::kNone},
      {"<?=\x01\x02", php::Tag::kNone},
      {"{php}", php::Tag::kEngine},
      {"<script language=\"php\">", php::Tag::kEngine},
      {"<script>", php::Tag::kNone},
  };
  for (const auto& [text, tag] : kRows) EXPECT_EQ(php::tag_at(text, 0), tag) << text;
}

TEST(PhpMatcher, Evidence) {
  const auto matcher = make_php_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("phpinfo()"), "calls(certain) [phpinfo()]");
  EXPECT_EQ(found("';system('id');//"), "calls(certain) [system('id')]");
  EXPECT_EQ(found("see mysql_query() there"), "");
  EXPECT_EQ(found("$_GET['c']"), "request_variable(certain) [$_GET[]; whole_variable(certain) [$_GET['c']]");
  EXPECT_EQ(found("('sys'.'tem')('id')"), "made_call(certain) [('sys'.'tem')(]");
  EXPECT_EQ(found("(\"\\x73ys\".\"tem\")('id')"), "made_call(certain) [(\"\\x73ys\".\"tem\")(]");
  EXPECT_EQ(found("$a='x';$a('id');"), "variable_call(likely) [$a(]");
  EXPECT_EQ(found("auto_prepend_file=x"), "sets(likely) [auto_prepend_file=]");
  EXPECT_EQ(found("new ReflectionFunction('x')"), "uses_class(certain) [new ReflectionFunction(]");
}

struct Row {
  std::string_view text;
  const char* verdict;
};

constexpr Row kRows[] = {
    {"<?php echo 1;", "low"},
    {"<?= $x ?>", "balanced"},
    {"print(md5(31337));", "balanced"},
    {";print(md5(31337));", "balanced"},
    {";echo md5(31337);", "balanced"},
    {"';echo md5('a');'", "balanced"},
    {"a;exit(md5('x'));//", "balanced"},
    {";die(1);#", "balanced"},
    {"x);echo(1);//", "balanced"},
    {"print(md5(31337));//", "balanced"},
    {"a{${sleep(12)}}", "balanced"},
    {"{${phpinfo()}}", "balanced"},
    {"${phpinfo()}", "balanced"},
    {"{${count} of ${all}}", "-"},
    {"die(@md5(1));", "balanced"},
    {"print (md5 of the file)", "strict"},
    {"sleep(ing) bags", "-"},
    {"sleep(ing)+exec(x)", "strict"},
    {"<? echo 1; ?>", "balanced"},
    {"system($_GET['c'])", "low"},
    {"eval(base64_decode('eA=='))", "low"},
    {"@assert($_POST[1])", "low"},
    {"phpinfo()", "balanced"},
    {"';phpinfo();//", "balanced"},
    {"if(1)phpinfo();", "balanced"},
    {"while (f(1)) phpinfo();", "balanced"},
    {"foreach($_GET as $a)phpinfo();", "balanced"},
    {"namespace\\phpinfo()", "balanced"},
    {"\xad"
     "d allow_url_include=1",
     "balanced"},
    {"\".system('id').\"", "balanced"},
    {"'.print(1).'", "balanced"},
    {"file_put_contents('a.php','x')", "balanced"},
    {"system('id')", "balanced"},
    {"(string)system('id');", "balanced"},
    {"return (int)system('id');", "balanced"},
    {"1>system('id');", "balanced"},
    {"'.(string)system('id').'", "balanced"},
    {"1;system(command:'id');", "balanced"},
    {"print system(command:'id');", "balanced"},
    {"echo system(...['id']);", "balanced"},
    {"echo system(['id'][0]);", "balanced"},
    {"echo system((string)'id');", "balanced"},
    {"include'uploads/x.jpg';", "balanced"},
    {"1;require 'uploads/x.jpg';", "balanced"},
    {"a->b(1) <b>system('x')", "-"},
    {"the file system (see below)", "-"},
    {"please include \"x.jpg\" in the mail", "-"},
    {"match(1){1=>system('id')};", "balanced"},
    {"{${system/**/('id')}}", "balanced"},
    {"(fn()=>system('id'))();", "balanced"},
    {"1?system('id'):0;", "balanced"},
    {"case 1 =>system('id')", "-"},
    {"\\system('id')", "balanced"},
    {"('sys'.'tem')('id')", "balanced"},
    {"('sys'/**/.'tem')('id')", "balanced"},
    {"(system)('id')", "balanced"},
    {"[system][0]('id')", "balanced"},
    {"\"\\x73ystem\"('id')", "-"},
    {"'system'('id')", "balanced"},
    {"$f['x']('id')", "balanced"},
    {"$a='sys'.'tem';$a('id');", "balanced"},
    {"$_=[];$__=$_.'';", "balanced"},
    {"${'a'}('id')", "balanced"},
    {"$_SERVER", "balanced"},
    {"-d allow_url_include=1 -d auto_prepend_file=php://input", "balanced"},
    {"sy/**/stem('id')", "-"},
    {"(~\x8c\x86\x8c\x8b\x9a\x92)(~\x96\x9b);", "balanced"},
    {"(\"!\"^\"R\")(\"a\");", "balanced"},
    {"('a'^'b'^'c')()", "balanced"},
    {"(\"\x13\x19\"|\"``\")();", "balanced"},
    {"(~'\x8c')('x')", "balanced"},
    {"php $_GET undefined index", "strict"},
    {"$_GET", "balanced"},
    {"$_SERVER['x'];", "low"},
    {"krsort()", "strict"},
    {"datefmt_create($x)", "balanced"},
    {"we call krsort() here", "-"},
    {"print $_GET and more", "balanced"},
    {"In PHP this line is an error: $_POST['total']", "low"},
    {"What is the meaning of @ in @fopen($file)?", "strict"},
    {"@fopen($file)?1:2", "balanced"},
    {"Warning: mysqli_connect(): (HY000/1045): Access denied", "strict"},
    {"x ? mysqli_connect('a'): (1)", "balanced"},
    {"include $_GET['f'];", "low"},
    {"include 'http://h7.example/x'", "balanced"},
    {"require_once('php://input')", "balanced"},
};

TEST(Php, Verdicts) {
  for (const Row& row : kRows)
    EXPECT_EQ(verdict_of(analyzer_named("php"), row.text), row.verdict) << row.text;
}

constexpr const char* kOrdinary[] = {
    "Madr\xc3\xad"
    "d include_path=1",
    "Madr\xc3\xad"
    "d allow_url_include=1",
    "The system (new) works, include (all) files",
    "function f(a) { return a + 1; }",
    "items.map(x => x.id)",
    "Please copy (the) file and exit (now)",
    "array(1)",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a/>",
    "I use Java, Python and PHP",
    "price is $5 (five)",
    "$scope.$apply()",
    "$t",
    "jQuery $(document).ready",
    "while we wait (a bit)",
    "[system](/docs/system)",
    "see [exec](https://docs.example/exec) and [eval](#eval)",
    "He said \"don't use exec() here\", and left.",
    "It's a test: don't (really) do it",
    "'quoted' text, \"double\" text; and 'more' (see below)",
    "\"Print (A4)\", 'Copy (2)', \"Date (UTC)\"",
    "name=\"time (min)\"; value='copy (x)'",
    "'; drop it, he said (twice)",
    "Use open(\"file.txt\") to read",
    "new Date(); new Reflection of light",
    "(\"yes\"|\"no\") (x)",
    "('a'|'b')('c')",
    "(a ^ b)(c)",
    "see (~5 min)(max)",
    "(x)(y)",
    "PHP Warning:  file_get_contents(): failed to open stream in /var/www/x.php on line 3",
    "Call to undefined function mysql_query() in /var/www/html/index.php:14",
    "eval(code)",
    "phpinfo is a function of PHP",
    "call exit(1); // then nothing runs",
    "see print(x); # and the rest",
    "Costs $5 (five), or about $six",
};

TEST(Php, OrdinaryTextPassesAtBalanced) {
  for (const char* text : kOrdinary) {
    for (const Location location : {Location::kQuery, Location::kBody})
      EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer_named("php"), text, location))) << text;
  }
}

// Code inside of a string of PHP that is evaluated: the text closes the quote, and "." joins what follows.
TEST(Php, IsReadBehindEveryQuote) {
  for (const std::string code : {"system('id')", "system(\"id\")", "passthru('id')", "phpinfo()",
                                 "assert($x)", "file_get_contents('/etc/passwd')", "call_user_func('a',1)",
                                 "print(md5(1))", "new ReflectionFunction('system')"}) {
    for (const std::string quote : {"'", "\""}) {
      for (const std::string& value :
           {quote + "." + code + "." + quote, quote + ";" + code + ";//", quote + ");" + code + ";#",
            "x" + quote + " . " + code + "; /*", quote + ".@" + code + "." + quote})
        EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer_named("php"), value))) << value;
    }
  }
}

TEST(Php, RunsInAFileByItsTagAlone) {
  const Analyzer& php = analyzer_named("php");
  EXPECT_EQ(verdict_of(php, "GIF89a\n<?php system('id');", Location::kFile), "low");
  EXPECT_EQ(verdict_of(php, "phpinfo() is a function", Location::kFile), "-");
  EXPECT_EQ(verdict_of(php, "\x01<?=ab\x02", Location::kFile), "-");
}

TEST(Php, VariablesOfRequestsInPosts) {
  const Analyzer& php = analyzer_named("php");
  EXPECT_EQ(
      verdict_of(php, "In PHP this is wrong:\n$total = $_POST['total'] + $row['sum'];", Location::kBody),
      "strict");
  EXPECT_EQ(verdict_of(php, "In PHP this is wrong:\nsystem($_POST['total']);", Location::kBody), "low");
}

}  // namespace
}  // namespace wafd::detect
