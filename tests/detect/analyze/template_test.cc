// Tokens, pairs of delimiters, evidence and verdicts of template injection.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/template/expression_lexer.h"
#include "detect/analyze/template/pair_reader.h"
#include "detect/analyze/template/template_matcher.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

using namespace templates;

std::string tokens(std::string_view text) {
  static constexpr std::string_view kNames[] = {"end",   "name", "number", "string", "open",
                                                "close", "dot",  "sign",   "group"};
  ExpressionLexer lexer(text, 0, text.size(), {});
  std::string out;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    out += out.empty() ? "" : " ";
    out += std::string(kNames[static_cast<std::size_t>(token.kind)]) + "[" +
           std::string(text.substr(token.begin, token.end - token.begin)) + "]";
  }
  return out;
}

TEST(ExpressionLexer, Table) {
  EXPECT_EQ(tokens(""), "");
  EXPECT_EQ(tokens("7*'7'"), "number[7] sign[*] string['7']");
  EXPECT_EQ(tokens("a.b?.c->d::e"), "name[a] dot[.] name[b] dot[?.] name[c] dot[->] name[d] dot[::] name[e]");
  EXPECT_EQ(tokens("f('a\\'b')[0]"), "name[f] open[(] string['a\\'b'] close[)] open[[] number[0] close[]]");
  EXPECT_EQ(tokens("1.5e3 0x1f 1..2"), "number[1.5e3] number[0x1f] number[1] dot[.] dot[.] number[2]");
  EXPECT_EQ(tokens("a|b ~ 'c"), "name[a] sign[|] name[b] sign[~] string['c]");
}

std::string pairs(std::string_view text) {
  PairReader reader(text, std::pmr::new_delete_resource());
  std::string out;
  for (Between pair; reader.next(pair);) {
    out += out.empty() ? "" : " | ";
    out += std::string(text.substr(pair.begin, pair.end - pair.begin));
  }
  return out;
}

TEST(PairReader, Table) {
  EXPECT_EQ(pairs("a {{b}} c"), "{{b}}");
  EXPECT_EQ(pairs("{{ {'a':1} }}"), "{'a':1} | {{ {'a':1} }}");
  EXPECT_EQ(pairs("{{ '}}' }}"), "{{ '}}' }}");
  EXPECT_EQ(pairs("{ {{ ${ never closed {{a}}"), "{{a}}");
  EXPECT_EQ(pairs("@(a(b))"), "(b) | @(a(b))");
  EXPECT_EQ(pairs("${{ a }} $!{b} ${c}"), "${{ a }} | $!{b} | ${c}");
  EXPECT_EQ(pairs("\\{a\\} don't {b}"), "{b}");
}

TEST(TemplateMatcher, Evidence) {
  const auto matcher = make_template_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("{{7*7}}"), "computes(certain) [{{7*7}}]");
  EXPECT_EQ(found("{{ 2023-07-03 }}"), "computes(possible) [{{ 2023-07-03 }}]");
  EXPECT_EQ(found("x {{'a'.upper()}}"),
            "constant_call(certain) [{{'a'.upper()}}]; calls(likely) [{{'a'.upper()}}]");
  EXPECT_EQ(found("{{ user.name }}, {{ x|e }}, ${y}, {% else %}"), "statement(likely) [{% else %}]");
  EXPECT_EQ(found("$x.getClass()"), "reaches(certain) [$x.getClass]");
  EXPECT_EQ(found("\\input{/etc/passwd}"), "tex_file(certain) [\\input{/]");
}

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
    {"{{config~''}}", "balanced"},
    {"{% set x=7*7 %}{{x}}", "balanced"},
    {"{% set x = items %}{% set y = 'a' %}", "strict"},
    {"{{[x|first]|map(x|last)|join}}", "low"},
    {"{{ items|map(v => v.name)|join }} {{ items|map(attribute='x') }}", "strict"},
    {"<%= _.VERSION %>", "balanced"},
    {"{{= _.templateSettings.evaluate }}", "low"},
    {"{{ _('Save') }}", "strict"},
    {"{{config|string}}", "balanced"},
    {"{{config or 1}}", "balanced"},
    {"{{(config).SECRET}}", "balanced"},
    {"{{config\n.SECRET}}", "balanced"},
    {"{{config.values()|list}}", "balanced"},
    {"{%print(config.SECRET)%}", "balanced"},
    {"{%set x=config%}{{x}}", "balanced"},
    {"{%for k in config%}{{k}}{%endfor%}", "balanced"},
    {"{{ namespace.__init__ }}", "low"},
    // The engine's objects as values of expressions
    {"{{[config]}}", "balanced"},
    {"{{(config,)}}", "balanced"},
    {"{{1,config}}", "balanced"},
    {"{{''~config}}", "balanced"},
    {"{{'%s'%config}}", "balanced"},
    {"{{0 or config}}", "balanced"},
    {"{{x and config}}", "balanced"},
    {"{{config if 1}}", "balanced"},
    {"{{1 if 0 else config}}", "balanced"},
    {"{{config['SECRET']}}", "balanced"},
    {"{{config['SEC''RET']}}", "balanced"},
    {"{{config['SEC'~'RET']}}", "balanced"},
    {"{{[config]|first}}", "balanced"},
    {"{{handler.settings}}", "balanced"},
    {"{%print config%}", "balanced"},
    // Members of a constant, and of results of an engine's own functions
    {"{{''[request.args.c]}}", "balanced"},
    {"{{'abc'[0]}}", "balanced"},
    {"{{[1,2]|join}}", "balanced"},
    {"{{lipsum()}}", "balanced"},
    {"{{cycler('a')}}", "balanced"},
    {"{{dict(a=1)}}", "balanced"},
    {"{{range(9)|list}}", "balanced"},
    {"{{#with \"s\" as |x|}}{{x}}{{/with}}", "balanced"},
    {"{{len \"aaa\"}}", "balanced"},
    // Statements that show all, take in what the request names, or hold code
    {"{% debug %}", "balanced"},
    {"{% extends request.args.x %}", "low"},
    {"{% load log %}{% get_admin_log 10 as l %}", "low"},
    {"[% PERL %]print 1[% END %]", "balanced"},
    {"[% INSERT /etc/passwd %]", "balanced"},
    {"${.data_model?keys}", "low"},
    {"${.version}", "low"},
    {"#foreach($i in $x)$i#end", "balanced"},
    {"{math equation='7*7'}", "balanced"},
    {"{eval var='x'}", "balanced"},
    {"!{global.process.env}", "low"},
    {"@(System.Environment.MachineName)", "low"},
    {"x.__class__\n  .__mro__", "low"},
    {"{{ x.__class__ }}\n{{ x.__mro__ }}", "low"},
    {"{{ x|attr('a') }}", "low"},
    {"{{ ().__class__ }}", "low"},
    {"{{ {}.__class__ }}", "low"},
    {"{{ '}}'.__class__ }}", "low"},
    {"{{ open('/etc/passwd').read() }}", "balanced"},
    {"{% include '/etc/passwd' %}", "balanced"},
    {"{% set r = subprocess.check_output('id') %}", "low"},
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
    // Razor
    {"@System.IO.File.ReadAllText(\"x\")", "balanced"},
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
    {"$x.class.forName('a')", "low"},
    {"#set($x=7*7)$x", "low"},
    {"#include('/etc/passwd')", "balanced"},
    {"#evaluate($x)", "balanced"},
    {"${{7*7}}", "balanced"},
    {"#{1+1}", "balanced"},
    {"[% 7*7 %]", "balanced"},
    {"${x=new String();for(i in [1,2]){x+=i};x.execute().text}", "balanced"},
    {"${a?freemarker.template.x}", "low"},
    // Wikis, build engines, TeX
    {"{{groovy}}x{{/groovy}}", "balanced"},
    {"{{velocity wiki=\"false\"}}x{{/velocity}}", "balanced"},
    {"<g:evaluate>x</g:evaluate>", "balanced"},
    {"\\immediate\\write18{id}", "balanced"},
    {"\\input{|id}", "balanced"},
    {"\\input|id", "balanced"},
    {"\\lstinputlisting{/etc/passwd}", "balanced"},
    {"\\openin5=/etc/passwd", "balanced"},
    {"\\openout\\f=a.tex", "balanced"},
    {"\\newwrite\\f\\immediate\\openout\\f=page.php\\write\\f{x}", "balanced"},
    {"\\openout15=a.aux", "balanced"},
    // Exim
    {"${run{/bin/id}}", "low"},
    {"${readfile{/etc/passwd}{}}", "low"},
    {"${lookup{x}lsearch{/etc/passwd}}", "low"},
    {"a@b.example -be ${perl{f}{x}}", "low"},
    // Ruby, JavaScript
    {"<%= File.read('/etc/passwd') %>", "low"},
    {"#{File.open('/etc/passwd').read}", "low"},
    {"<% if True %>49<% endif %>", "balanced"},
    {"<%~ f(x) %>", "balanced"},
    {"<%_ f(x) _%>", "balanced"},
    {"{include file='file:/etc/passwd'}", "balanced"},
    {"#{global.process.mainModule}", "low"},
    {"{{#with constructor.x}}", "low"},
};

constexpr Row kTemplateProse[] = {
    {"${env:HOME} ${run} ${perl} ${lookup}", "-"},
    {"\\openout is a primitive, \\openout\\f too", "-"},
    {"Hello {{ user.first_name }}, welcome to {{ site.title }}.", "-"},
    {"Total: ${total} for #{count} items", "-"},
    {"{{ configuration.name }} and {{ requested }}", "-"},
    {"body{margin:0} *{box-sizing:border-box} a{color:#fff}", "-"},
    {"[[1,2],[3,4]] and [= not closed", "-"},
    {"mail @{someone} or @(someone)", "-"},
    {"{\"a\":{\"b\":[1,2]},\"system\":\"linux\",\"include\":\"x\"}", "-"},
    {"import os is the first line of many programs", "-"},
    {"node -e \"try{require('./postinstall')}catch(e){}\"", "-"},
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
    {"super().__init__(response)\n\n    self.__class__.count += 1", "-"},
    {"<a href=\"__WebPath__/ticket?id=__id__\">__id__</a>', '__NEWLINE__', '__NBSP__', '__Subject__", "-"},
    {"'__newline__', '__id__', \"__title__\"", "-"},
    {"getattr(x, '__class__').__mro__", "low"},
    {"x['__init__']['__globals__']", "low"},
    {"[[\"id\", \"in\", Eval(\"parties\", [])], [\"user\", \"=\", Eval('user', {}).get('id', -1)]]", "-"},
    {"[[ eval('id') ]]", "low"},
    {"[[ eval('id()', {}) ]]", "low"},
    {"{$MACRO} {HOST.NAME} {#FSNAME} {{HOST.NAME}.regsub(a, b)}", "-"},
    {"token: ${{ secrets.GITHUB_TOKEN }}", "-"},
    {"echo ${HOME} ${x:-y} ${#a[@]}", "-"},
    {"{{ 'PAGE.TITLE' | translate }}", "-"},
    {"{{ \"now\" | date: \"%Y\" }}", "-"},
    {"{{#each items}}{{this.name}}{{/each}}", "-"},
    {"{{ $labels.instance }} is down for {{ $value | humanize }}", "-"},
    {"{{ user.vip && config.title }}", "-"},
    {"$\\{1,2\\}$ and $x^{n+1}$", "-"},
    {"{{ a &lt; f(b) &amp;&amp; c }}", "strict"},
    {"mail @john.doe@host and @{x}", "-"},
    {"{{ config.title }} {{ config['title'] }} {{ format(config) }} {{ t(a, config) }}", "strict"},
    {"{{ config ? a : b }} {{ config && config.x }}", "-"},
    {"{% if config %}a{% else %}b{% endif %}", "strict"},
    {"{% debug = 1 %}", "strict"},
    {"{{#each items as |x|}}{{x}}{{/each}} {{#with author}}{{name}}{{/with}}", "-"},
    {"{{ rows[index] }} {{ range }} {{ dict }}", "-"},
    {"${version} $.version {{ .version }} {{ .main }}", "-"},
    {"!{x} and !{see below} !{0RarC!n &)K;TCho&o PY]pa4>o((J ]l(me,H}", "-"},
    {"{math} is fun, {eval}", "-"},
    {"a[(len == 1)] @(len > 2)", "-"},
    {"@(System administrators) and @(the System.)", "-"},
    {"[% perl %] of the people", "strict"},
    {"\\section{Input} \\input{chapters/one}", "-"},
    {"john@System.IO.example", "-"},
    {"@System and @john.doe wrote", "-"},
    {"@System.Text.Json", "-"},
    {"use @Html.Raw(Model.Body)", "-"},
    {"@System.Object.ToString", "-"},
};

TEST(Templates, WhatEnginesRun) {
  for (const Row& row : kTemplates)
    EXPECT_EQ(verdict_of(analyzer_named("ssti"), row.text), row.verdict) << row.text;
}

TEST(Templates, WhatOnlyLooksLikeIt) {
  for (const Row& row : kTemplateProse)
    EXPECT_EQ(verdict_of(analyzer_named("ssti"), row.text), row.verdict) << row.text;
}

// Addresses have no placeholders.
TEST(Templates, AnObjectOfTheEngineAlone) {
  const Analyzer& analyzer = analyzer_named("ssti");
  for (const char* text :
       {"{{config}}", "{{ config }}", "{#x#}{{config}}", "{%filter upper%}{{config}}{%endfilter%}"}) {
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "balanced") << text;
    EXPECT_EQ(verdict_of(analyzer, text, Location::kBody, false, "v"), "strict") << text;
  }
  EXPECT_EQ(verdict_of(analyzer, "Hello {{config}}", Location::kQuery, false, "v"), "strict");
  EXPECT_EQ(verdict_of(analyzer, "{{this}}", Location::kQuery, false, "v"), "strict");
}

// Addresses have no templates; pages that are edited have.
TEST(Templates, WhatAddressesDoNotHave) {
  const Analyzer& analyzer = analyzer_named("ssti");
  for (const char* text :
       {"{{'a'|upper}}", "{{ 'a' | append: 'b' }}", "{{(1,2)|sum}}", "{% for x in y %}{{x}}{% endfor %}",
        "{% include 'x' %}", "{%with a=1%}", "{{range .}}{{.}}{{end}}", "{{define \"x\"}}y{{end}}",
        "{{$x := 1}}{{$x}}", "{{#each this}}{{@key}}{{/each}}", "{{request.args}}", "{{app.session}}",
        "{{this|dump}}", "{{this.constructor}}", "{{path('a')}}", "${chr(65)}", "<%= self %>",
        "{{lipsum}}"}) {
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, Location::kQuery, false, "v"))) << text;
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kBody, false, "v"))) << text;
  }
  for (const char* text : {"{{name}}", "{{campaign.name}}", "{{app.name}}", "{{request.id}}", "{{this.name}}",
                           "{{cite web|url=x|title=y}}", "{{#if: x | y }}", "{{date|short}}", "${user.name}",
                           "100% {% of %} people", "{{env}}", "{{t \"welcome\"}}"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kQuery, false, "v"))) << text;
}

// Expressions that reach the rendering process, or compute, are found in a field, too.
TEST(Templates, ProcessesThatRender) {
  const Analyzer& analyzer = analyzer_named("ssti");
  for (const char* text : {"<%= process.env %>",
                           "<%= ENV %>",
                           "<%= Dir.pwd %>",
                           "<%= RUBY_VERSION %>",
                           "#{process.env}",
                           "#{`id`}",
                           "{{env \"PATH\"}}",
                           "{{.Exec \"id\"}}",
                           "{{1 in [1]}}",
                           "{{7 matches '/7/'}}",
                           "{{7*7|string}}",
                           "{{1 if 1 else 2}}",
                           "{{''.class}}",
                           "${6?lower_abc}",
                           "${.now}",
                           "[=\"a\"?new()(\"id\")]",
                           "<#list .data_model?keys as k>${k}</#list>",
                           "{$x|@system}",
                           "{['id']|array_map:'system'}",
                           "{= system('id')}",
                           "{var $x = system('id')}",
                           "{foreach from=$smarty.server item=x}{$x}{/foreach}",
                           "<%namespace name=\"o\" module=\"os\"/>"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, Location::kBody, false, "v"))) << text;
  for (const char* text :
       {"<%= user.name %>", "`{{` begins a name, x = 7*7, and `}}` ends it", "`{%` and 7*7 `%}`",
        "{{environment}}", "<%= environment %>", "#{name}", "{{key}}", "[=a]"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kBody, false, "v"))) << text;
}

// An expression stays one among other text, spaced otherwise, twice.
TEST(Templates, VariationsStayDenied) {
  std::size_t made = 0;
  for (const Row& row : kTemplates) {
    const std::string base = row.text;
    if (std::string_view(row.verdict) == "strict") continue;
    for (const std::string& text : {"Dear " + base, base + " and so on", "\n" + base + "\n", base + base,
                                    "<p>" + base + "</p>", "{\"name\":\"" + base + "\"}"}) {
      EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer_named("ssti"), text))) << "text: " << text;
      ++made;
    }
  }
  EXPECT_GT(made, 90u);
}

// Delimiters that are opened and never closed hide nothing behind them.
TEST(Templates, NothingHidesBehindFiller) {
  for (const std::string piece : {"{{", "${", "{{x}}", "{ ", "@(", "[[", "{{'", "<%", "$x.a.b "}) {
    std::string text;
    while (text.size() < 200000) text += piece;
    text += " {{ ''.__class__.__mro__ }}";
    EXPECT_EQ(verdict_of(analyzer_named("ssti"), text), "low") << piece;
  }
}

}  // namespace
}  // namespace wafd::detect
