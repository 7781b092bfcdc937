// Template expressions and scripts of servers: what engines and languages run, re-written by programs, and
// what only looks like it.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/script/script_calls.h"
#include "detect/analyze/script/script_code.h"
#include "detect/analyze/template/ssti.h"
#include "detect/analyze/template/ssti_expression.h"
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
    {"Kernel.exec('id')", "balanced"},
    {"Open3.capture2e('id')", "balanced"},
    {"File.read('/etc/passwd')", "balanced"},
    {"subprocess.check_output(['id'])", "balanced"},
    {"pickle.loads(x)", "balanced"},
    {"importlib.import_module('os')", "balanced"},
    {"io.popen('id')", "balanced"},
    {"os.execute('id')", "balanced"},
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
  EXPECT_GT(made, 25u);
}

TEST(ScriptCalls, WithCaseAndWholeNames) {
  EXPECT_TRUE(script_call_runs("File", "read"));
  EXPECT_FALSE(script_call_runs("file", "read"));
  EXPECT_FALSE(script_call_runs("File", "rea"));
  EXPECT_TRUE(script_call_runs("os", "popen"));
  EXPECT_FALSE(script_call_runs("os", ""));
}

}  // namespace
}  // namespace wafd::detect
