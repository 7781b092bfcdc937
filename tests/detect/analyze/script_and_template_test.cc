// Template expressions and scripts of servers: what engines and languages run, re-written by programs, and
// what only looks like it.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/script/js_places.h"
#include "detect/analyze/script/js_reader.h"
#include "detect/analyze/script/script_calls.h"
#include "detect/analyze/script/script_code.h"
#include "detect/analyze/template/ssti.h"
#include "detect/analyze/template/ssti_expression.h"
#include "detect/analyze/xss/script_url.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

struct Row {
  const char* text;
  const char* verdict;
};

constexpr Row kTemplates[] = {
    // Jinja2, Tornado, Django
    {"{{ ''['__cla'+'ss__'] }}", "low"},
    {"{{ lipsum.__globals__ }}", "low"},
    {"{{ cycler.x }}", "low"},
    {"{{ request.environ }}", "low"},
    {"{{ settings.SECRET_KEY }}", "low"},
    {"{% import os %}{{ os.popen('id') }}", "low"},
    {"{% if True %}49{% endif %}", "balanced"},
    {"{{ config }}", "strict"},
    // Twig, Smarty
    {"{{ ['id']|map('system')|join }}", "low"},
    {"{{ _self.env.setCache('x') }}", "low"},
    {"{system('id')}", "balanced"},
    {"{{$smarty.version}}", "low"},
    {"{$smarty.version}", "low"},
    {"a{*note*}b{$smarty.template_object}", "low"},
    {"{if system('id')}{/if}", "balanced"},
    {"{if phpinfo()}{/if}", "balanced"},
    {"{Smarty_Internal_Write_File::writeFile($a,\"b\",1)}", "low"},
    {"{{dump(app)}}", "low"},
    {"{{app.request.server.all|join(',')}}", "low"},
    // Go
    {"{{printf \"%s\" .}}", "balanced"},
    {"{{- print 1 2 -}}", "balanced"},
    {"{{html \"x\"}}", "balanced"},
    {"{{call .F}}", "balanced"},
    {"{{ . }}", "strict"},
    // Razor
    {"@(System.Diagnostics.Process.Start(\"cmd\"))", "low"},
    {"@{System.IO.File.ReadAllText(\"a\")}", "low"},
    // Freemarker, Velocity, Pebble, Thymeleaf
    {"${'freemarker.template.utility.Execute'?new()('id')}", "low"},
    {"${product.getClass().getProtectionDomain()}", "low"},
    {"[#assign x=1]", "low"},
    {"*{7*7}", "balanced"},
    {"[[7*7]]", "balanced"},
    {"[=7*7]", "balanced"},
    {"@(7*7)", "balanced"},
    // Ruby, JavaScript
    {"<%= File.read('/etc/passwd') %>", "low"},
    {"#{File.open('/etc/passwd').read}", "low"},
    {"<% if True %>49<% endif %>", "balanced"},
    {"#{global.process.mainModule}", "low"},
    {"{{#with constructor.x}}", "low"},
};

constexpr Row kTemplateProse[] = {
    {"Hello {{ user.first_name }}, welcome to {{ site.title }}.", "-"},
    {"Total: ${total} for #{count} items", "-"},
    {"{{ configuration.name }} and {{ requested }}", "-"},
    {"body{margin:0} *{box-sizing:border-box} a{color:#fff}", "-"},
    {"[[1,2],[3,4]] and [= not closed", "-"},
    {"mail @{someone} or @(someone)", "-"},
    {"{\"a\":{\"b\":[1,2]},\"system\":\"linux\",\"include\":\"x\"}", "-"},
    {"import os is the first line of many programs", "-"},
    {"2023-07-03 {10:20}", "-"},
    {"{{ .Values.host }}:{{ .Values.port | default 80 }}", "-"},
    {"{{ include \"chart.labels\" . | nindent 4 }}", "-"},
    {"{{ printf \"%s-%s\" .Release.Name .Chart.Name }}", "-"},
    {"{{ printf }} and {{ call me }}", "-"},
    {"{$smarty.now|date_format} {$price}", "-"},
    {"function f(){if (a.b(c)) {d=1}}", "-"},
    {"{if (require('x')) y=1}", "-"},
    {"Start the process (now)", "-"},
    {"price {5%} off", "-"},
    {"the __init__ file and the __main__ module", "-"},
};

constexpr Row kCode[] = {
    {"require('node:child_process').spawn('id')", "low"},
    {"global.process.mainModule.require('child_process')", "low"},
    {"process['env']", "balanced"},
    {"process.binding('spawn_sync')", "balanced"},
    {"x=\"child_process\";f(x)", "balanced"},
    {"vm.runInNewContext('1')", "balanced"},
    {"fs.readFileSync('/etc/passwd')", "balanced"},
    {"console[\"info\"](1)", "balanced"},
    {"Deno.readTextFile('/etc/passwd')", "balanced"},
    {"Kernel.exec('id')", "balanced"},
    {"Open3.capture2e('id')", "balanced"},
    {"File.read('/etc/passwd')", "balanced"},
    {"subprocess.check_output(['id'])", "balanced"},
    {"pickle.loads(x)", "balanced"},
    {"importlib.import_module('os')", "balanced"},
    {"io.popen('id')", "balanced"},
    {"os.execute('id')", "balanced"},
    {"while(!false)", "balanced"},
    {"while(new Date);", "balanced"},
    {"while((true))", "balanced"},
    {"for(;;){}", "balanced"},
    {"while(i < 10)", "strict"},
    {"constructor[prototype][polluted]", "balanced"},
    {"$1:__proto__:then", "low"},
};

constexpr Row kCodeProse[] = {
    {"the process, the module (and the file.read permission)", "-"},
    {"process of elimination; the open file. System (2) is on.", "-"},
    {"while (as they say) it rains, for (nearly) all", "-"},
    {"com.example.os.system.Service", "-"},
    {"https://example.org/js/module/console.log.js", "-"},
    {"CI.Info CI.Load CI.BoxModel", "-"},
    {"a prototype of the constructor", "-"},
    {"class A { constructor(x) { this.x = x; } }", "-"},
    {"Costs $5: cheap", "-"},
    {"require a signature (required)", "-"},
};

TEST(Templates, WhatEnginesRun) {
  const auto analyzer = make_ssti_analyzer();
  for (const Row& row : kTemplates) EXPECT_EQ(verdict_of(*analyzer, row.text), row.verdict) << row.text;
}

TEST(Templates, WhatOnlyLooksLikeIt) {
  const auto analyzer = make_ssti_analyzer();
  for (const Row& row : kTemplateProse) EXPECT_EQ(verdict_of(*analyzer, row.text), row.verdict) << row.text;
}

// An expression stays one among other text, spaced otherwise, twice.
TEST(Templates, VariationsStayDenied) {
  const auto analyzer = make_ssti_analyzer();
  std::size_t made = 0;
  for (const Row& row : kTemplates) {
    const std::string base = row.text;
    // Smarty's single braces count in short values alone.
    const bool single = base.starts_with("{system");
    if (std::string_view(row.verdict) == "strict" || single) continue;
    for (const std::string& text : {"Dear " + base, base + " and so on", "\n" + base + "\n", base + base,
                                    "<p>" + base + "</p>", "{\"name\":\"" + base + "\"}"}) {
      EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, text))) << "text: " << text;
      ++made;
    }
  }
  EXPECT_GT(made, 90u);
}

TEST(TemplateExpression, ComputesOnlyWithOperatorsBetweenNumbers) {
  for (const char* text : {"7*7", " 7*'7' ", "(1+1)*3", "=7*7", "9%4"})
    EXPECT_TRUE(read_template_expression(text).computes) << text;
  for (const char* text : {"*7*7", "2023-07-03", "1/2", "77", "a*7", "", "7*b", "5%"})
    EXPECT_FALSE(read_template_expression(text).computes) << text;
}

TEST(ScriptCode, WhatServersRun) {
  const auto analyzer = make_script_code_analyzer();
  for (const Row& row : kCode) EXPECT_EQ(verdict_of(*analyzer, row.text), row.verdict) << row.text;
}

TEST(ScriptCode, WhatOnlyLooksLikeIt) {
  const auto analyzer = make_script_code_analyzer();
  for (const Row& row : kCodeProse) EXPECT_EQ(verdict_of(*analyzer, row.text), row.verdict) << row.text;
}

// White space and comments where the languages allow them, other quotes, an escaped letter.
TEST(ScriptCode, VariationsStayDenied) {
  const auto analyzer = make_script_code_analyzer();
  std::size_t made = 0;
  for (const Row& row : kCode) {
    if (std::string_view(row.verdict) == "strict") continue;
    const std::string base = row.text;
    std::string spaced;
    std::string quoted;
    for (const char c : base) {
      if (c == '(') spaced += " ";
      spaced.push_back(c);
      quoted.push_back(c == '\'' ? '"' : c);
    }
    for (const std::string& text : {spaced, quoted, base + ";", " " + base}) {
      EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, text))) << "text: " << text;
      ++made;
    }
  }
  EXPECT_GT(made, 80u);
}

TEST(ScriptCalls, WithCaseAndWholeNames) {
  EXPECT_EQ(script_call("File", "read"), ScriptCall::kRuns);
  EXPECT_EQ(script_call("file", "read"), ScriptCall::kNone);
  EXPECT_EQ(script_call("File", "rea"), ScriptCall::kNone);
  EXPECT_EQ(script_call("os", "popen"), ScriptCall::kRuns);
  EXPECT_EQ(script_call("console", "log"), ScriptCall::kPrints);
  EXPECT_EQ(script_call("os", ""), ScriptCall::kNone);
  EXPECT_TRUE(node_module("node:fs"));
  EXPECT_FALSE(node_module("fsx"));
}

TEST(ScriptUrl, SchemesAsBrowsersReadThem) {
  const auto kind = [](std::string_view text) { return find_script_url(text).kind; };
  for (const char* text :
       {"javascript:alert(1)", " \t\x01javascript:x()", "jav\tascr\nipt:x()", "a;vbscript:x()",
        "see javascript:x()", "url(livescript:x())", "javascript:\\u0020"})
    EXPECT_EQ(kind(text), ScriptUrlKind::kScript) << text;
  for (const char* text :
       {"javascript:void(0)", "javascript:;", "javascript: void 0 ;", "javascript:\\\"\\\""})
    EXPECT_EQ(kind(text), ScriptUrlKind::kIdleScript) << text;
  for (const char* text : {"myjavascript:x()", "typescript:x()", "java script:x()",
                           "data:image/png;base64,AA", "metadata: html", "javascript"})
    EXPECT_EQ(kind(text), ScriptUrlKind::kNone) << text;
  for (const char* text : {"data:text/html,x", "d\na\nta:image/svg+xml,x", "x=data:application/xml,x"})
    EXPECT_EQ(kind(text), ScriptUrlKind::kData) << text;
}

// The cheap walk never passes over what the reader finds: attacks cut and joined with noise.
TEST(JsPlaces, CoverWhatTheReaderFinds) {
  constexpr const char* kCodes[] = {"alert(1)",
                                    "x['al'+'ert'](1)",
                                    "\\u0061lert(1)",
                                    "document.cookie=1",
                                    "(document)['cookie']",
                                    "location=name",
                                    "a=eval;a(1)",
                                    "[1].map(alert)",
                                    "x.innerHTML=y",
                                    "''.constructor('alert(1)')()",
                                    "f`x`.call`y`",
                                    "this['ev'+'al'](1)"};
  for (const char* code : kCodes) {
    for (const char* prefix : {"", "'; ", "1,2;\n", "/* c */", "\xc2\xa0", "\xe2\x80\xa8"}) {
      const std::string text = std::string(prefix) + code;
      JsPlaces places(text);
      std::size_t place = 0;
      EXPECT_TRUE(places.next(place)) << text;
      EXPECT_LT(place, text.size());
      EXPECT_NE(read_js_value(text, *std::pmr::new_delete_resource()).strength, JsStrength::kNone) << text;
    }
  }
  JsPlaces none("Please see the document (page 3), the location and the top of it: a[0], b[i], c[\"\"");
  std::size_t place = 0;
  while (none.next(place)) EXPECT_GT(place, 60u);  // only the open bracket
}

// Of a long text what is around a place is read, wherever the place is.
TEST(JsReader, FindsInLongTexts) {
  for (const std::size_t before : {0u, 100u, 3000u, 15000u}) {
    const std::string text =
        std::string(before, 'x') + " \n;window['al'+'ert'](1);\n " + std::string(5000, 'y');
    const JsFinding found = read_js_value(text, *std::pmr::new_delete_resource());
    EXPECT_EQ(found.act, JsAct::kComputed) << before;
    EXPECT_GE(found.begin, before);
    EXPECT_LE(found.end, before + 40);
  }
}

}  // namespace
}  // namespace wafd::detect
