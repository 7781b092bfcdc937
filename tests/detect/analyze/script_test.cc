// JavaScript: its tokens, what a text does as a program, and what of Node is denied.
#include <string>

#include <gtest/gtest.h>

#include "detect/analyze/script/js_lexer.h"
#include "detect/analyze/script/js_places.h"
#include "detect/analyze/script/node_matcher.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

struct Row {
  const char* text;
  const char* expected;
};

// Kinds in one letter each: name, #private, number, string, template, regex, sign, unknown; ! where escapes
// hide letters, $ behind a template that goes on.
std::string tokens_of(std::string_view text) {
  js::Lexer lexer(text, 0);
  std::string out;
  bool operand = true;
  for (js::Token token = lexer.next(operand); token.kind != js::TokenKind::kEnd;
       token = lexer.next(operand)) {
    out += " ?n#dstr.u"[static_cast<std::size_t>(token.kind) + 1];
    if (token.escaped) out += '!';
    if (token.substitution) out += '$';
    operand = token.kind == js::TokenKind::kSign && token.sign != js::Sign::kCloseParen;
    if (token.open) break;
  }
  return out;
}

constexpr Row kTokens[] = {
    {"a.b", "n.n"},
    {"a /*x*/ + // y\n b", "n.n"},
    {"<!-- x\na", "n"},
    {"--> x\n1_000n", "d"},
    {"0x1F .5 1e-3", "ddd"},
    {"5m", "u"},
    {"'a\\'b' \"c\"", "ss"},
    {"'\\x61l'", "s!"},
    {"\\u0061lert(1)", "n!.d."},
    {"'a\nb", "un"},
    {"`a` `b${", "tt$"},
    {"/a[/]b/gi", "r"},
    {"(a)/b/c", ".n..n.n"},
    {"a?\?=b?.c", "n.n.n"},
    {"#x in y", "#nn"},
    {"a\xc2\xa0(1)", "n.d."},
    {"a\xe2\x80\xa8"
     "b",
     "nn"},
};

TEST(JsLexer, Tokens) {
  for (const Row& row : kTokens) EXPECT_EQ(tokens_of(row.text), row.expected) << row.text;
}

// "valid " if it is a program, and its most telling act.
std::string reading_of(std::string_view text) {
  const js::Reading reading =
      js::read_script(text, 0, js::Start::kProgram, '\0', *std::pmr::new_delete_resource());
  std::string out = reading.valid ? "valid: " : reading.cut ? "cut: " : "-: ";
  js::Act act{};
  if (!reading.strongest(js::Act::kCall, js::Act::kExports, act)) return out + "nothing";
  return out + std::string(js::to_words(act));
}

constexpr Row kReadings[] = {
    {"alert(1)", "valid: calls what runs or shows script"},
    {"a=1", "valid: calls or assigns something"},
    {"x.y(z)", "valid: calls or assigns something"},
    {"let {alert:z}=self; z(1)", "valid: looks up a function by a name that is put together"},
    {"self['al'+'ert'](1)", "valid: looks up a function by a name that is put together"},
    {"self[`al${'ert'}`](1)", "valid: looks up a function by a name that is put together"},
    {"self['trela'.split('').reverse().join('')](1)",
     "valid: looks up a function by a name that is put together"},
    {"Reflect.get(self,'al'+'ert')(1)", "valid: looks up a function by a name that is put together"},
    {"addEventListener('load',alert)", "valid: hands on what runs or shows script"},
    {"for(f of[alert])f(1)", "valid: hands on what runs or shows script"},
    {"try{throw alert}catch(f){f(1)}", "valid: hands on what runs or shows script"},
    {"class x{static y=alert(1)}", "valid: calls what runs or shows script"},
    {"({toString:alert})+''", "valid: hands on what runs or shows script"},
    {"''.constructor.constructor('x')()", "valid: makes a function of text"},
    {"location=`java${''}script:x()`", "valid: takes the page elsewhere"},
    {"navigation.navigate('/x')", "valid: loads, sends or listens"},
    {"Reflect.set(location,'href','//x')", "valid: takes the page elsewhere"},
    {"document.cookie", "valid: reads or changes the document"},
    {"window.location", "valid: names what leads to the page"},
    {"document.body.innerHTML=x", "valid: makes markup of text"},
    {"[][(![]+[])[+[]]]", "valid: is written with signs alone"},
    {"async function f(){await fetch('/x')}f()", "valid: loads, sends or listens"},
    {"while(!0);", "valid: has a loop without an end"},
    {"while(i<n);", "valid: nothing"},
    {"process['env']", "valid: uses the process"},
    {"require('node:fs').readdirSync('.')", "valid: loads a module that reaches the system"},
    {"let{getBuiltinModule:g}=process;g('fs')", "valid: uses the process"},
    {"import x from 'child_process'", "valid: loads a module that reaches the system"},
    {"module.exports=require('x')", "valid: replaces what a module gives out"},
    {"$.getScript('//x')", "valid: calls what runs or shows script"},
    {"eval('x", "cut: calls what runs or shows script"},
    {"Please alert (all) the staff", "-: calls what runs or shows script"},
    {"location=Berlin", "valid: calls or assigns something"},
    {"new URL(window.location.href)", "valid: names what leads to the page"},
    {"I'm here; you are (there)", "-: nothing"},
};

TEST(JsReading, OfWholeTexts) {
  for (const Row& row : kReadings) EXPECT_EQ(reading_of(row.text), row.expected) << row.text;
}

TEST(JsReading, EndsOfDeepAndOpenTexts) {
  for (const char* unit :
       {"(", "[", "{", "`${", "a=>", "class a{", "function(){", "({a:", "a?", "'+", "/*", "import "}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += unit;
    EXPECT_FALSE(js::read_script(text, 0, js::Start::kProgram, '\0', *std::pmr::new_delete_resource()).valid)
        << unit;
  }
}

// Put behind each quote and bracket, a call is a break-out whatever it is called.
TEST(JsReading, BehindQuotes) {
  const Analyzer& xss = analyzer_named("xss");
  std::size_t made = 0;
  for (const char* code :
       {"x()", "z(1)", "a.b(c)", "x`1`", "x=1", "Reflect.get(self,'al'+'ert')(1)", "fetch('/x')",
        "import('//x')", "new Audio('/x')", "top[8680439..toString(30)](1)"}) {
    for (const char quote : {'\'', '"'}) {
      const std::string q(1, quote);
      const bool assigns = std::string_view(code) == "x=1";
      for (const std::string& text :
           {q + ";" + code + ";//", q + ");" + code + ";//", q + "}]);" + code + "//",
            "x" + q + ";" + code + ";" + q, q + "-" + (assigns ? "(x=1)" : code) + "-" + q,
            q + "\n" + code + "\n//", q + "||" + (assigns ? "(x=1)" : code) + "||" + q}) {
        EXPECT_TRUE(denied_at_balanced(verdict_of(xss, text))) << text;
        ++made;
      }
    }
  }
  EXPECT_EQ(made, 140u);
  for (const char* ordinary : {"O'Brien (Jr.) and D'Angelo", "it's f(x)=2x, isn't it", "5\" x (7\")",
                               "'a' + 'b'", "rock 'n' roll (live)", "'quoted' (see below)", "x='1'&y='2'"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(xss, ordinary, Location::kBody))) << ordinary;
}

constexpr Row kNode[] = {
    {"require('child_process').execSync('id')", "low"},
    {"require('node:child_process').spawn('id')", "low"},
    {"global.process.mainModule.require('child_process')", "low"},
    {"process.mainModule.require('fs')", "low"},
    {"r=require;r('fs')", "low"},
    {"process.getBuiltinModule('fs')", "low"},
    {"let{getBuiltinModule:g}=process;g('fs').readdirSync('.')+''", "balanced"},
    {"process['env']", "balanced"},
    {"= process.env", "balanced"},
    {"!= require('fs').readdirSync('.')", "low"},
    {"- var a=process.env.x\n= a", "balanced"},
    {"{{=process.env}}", "balanced"},
    {"a #{(()=>process.env.x)()} b", "balanced"},
    {"{{?process.env}}x{{?}}", "balanced"},
    {"== process.env", "recorded"},
    {"process.env", "balanced"},
    {"process.binding('spawn_sync')", "balanced"},
    {"process.exit()", "balanced"},
    // Attributes of telemetry
    {"process.pid", "-"},
    {"process.title", "-"},
    {"process.runtime.engine.version", "-"},
    {"process.pid+process.env.x", "balanced"},
    {"process.pid.constructor", "balanced"},
    {"process[req.query.a]", "balanced"},
    {"Reflect.get(process,'env')", "balanced"},
    {"Object.keys(process)", "balanced"},
    {"module.require('fs')", "low"},
    {"require.main.require('fs').readdirSync('.')", "low"},
    {"Object.keys(require.cache)", "balanced"},
    {"Object.keys(process_list)", "-"},
    {"(p=>p.env.x)(process)", "balanced"},
    {"new Proxy(process,{}).env.x", "balanced"},
    {"['fs'].map(require)[0].readFileSync('x')", "balanced"},
    {"(r=>r('fs'))(require)", "balanced"},
    {"kill(process)", "-"},
    {"see start(process) and (require)", "-"},
    {"x=\"child_process\";f(x)", "low"},
    {"vm.runInNewContext('1')", "balanced"},
    {"fs.readFileSync('/etc/passwd')", "balanced"},
    {"execSync('id')", "balanced"},
    {"console[\"info\"](1)", "strict"},
    {"Deno.readTextFile('/etc/passwd')", "balanced"},
    {"while(!false)", "balanced"},
    {"while(new Date);", "balanced"},
    {"while((true)))", "balanced"},
    {"for(;;){}", "balanced"},
    {"';while(1);//", "balanced"},
    {"'});while(!0);//", "balanced"},
    {"constructor[prototype][polluted]", "balanced"},
    {"constructor.prototype.admin", "balanced"},
    {"__proto__[admin]", "balanced"},
    {"{\"__proto__\": {\"a\": 1}}", "balanced"},
    {"/__proto__/admin", "balanced"},
    {"see /__proto__/ there", "strict"},
    {"Object.prototype.isAdmin=true", "balanced"},
    {"Object.prototype['admin'] = 1", "balanced"},
    {"Object['prototype'].admin=1", "balanced"},
    {"Object[\"prototype\"]['a']=1", "balanced"},
    {"Object.defineProperty(Object.prototype,'a',{value:1})", "balanced"},
    {"Object.assign(Object.prototype,{a:1})", "balanced"},
    {"Object.prototype.toString.call(x) == '[object Array]'", "-"},
    {"what Object.prototype has", "-"},
    {"$1:__proto__:then", "low"},
    {"$1:constructor:constructor", "low"},
    {"_$$ND_FUNC$$_function(){}()", "balanced"},
    {"module.exports = require('x')", "balanced"},
    {"module.exports = { entry: './src/index.js' };", "-"},
    {"while(i < 10)", "-"},
    {"at execSync (node:child_process:970:11)", "recorded"},
    {"What does require() do?", "-"},
    {"the process (and its environment) is simple", "-"},
    {"e.prototype.constructor=e", "-"},
};

TEST(NodeMatcher, InternalsOfPythonAsNames) {
  const Analyzer& analyzer = analyzer_named("code");
  for (const std::string_view name : {"user.__init__.__globals__.secret", "a[__globals__]"})
    EXPECT_EQ(verdict_of(analyzer, name, Location::kBody, true, ""), "balanced") << name;
  for (const std::string_view name :
       {"__init__", "Foo.__init__", "__init__.py", "src/__init__.py", "my__init__x", "__class__"})
    EXPECT_EQ(verdict_of(analyzer, name, Location::kBody, true, ""), "-") << name;
  EXPECT_EQ(verdict_of(analyzer, "__globals__", Location::kFile, true, ""), "-");
}

TEST(NodeMatcher, Verdicts) {
  for (const Row& row : kNode)
    EXPECT_EQ(verdict_of(analyzer_named("code"), row.text), row.expected) << row.text;
}

constexpr Row kNodeEvidence[] = {
    {"require('fs')", "module(certain) [require('fs')]"},
    {"see require('fs') there", "module(possible) [require('fs')]"},
    {"for(;;);", "loop(certain) [for(;;)]"},
    {"a.__proto__.b", "prototype(likely) [__proto__]"},
};

TEST(NodeMatcher, Evidence) {
  const auto matcher = make_node_matcher();
  std::pmr::monotonic_buffer_resource memory;
  FieldContext context;
  context.memory = &memory;
  for (const Row& row : kNodeEvidence)
    EXPECT_EQ(evidence_of(*matcher, row.text, context), row.expected) << row.text;
}

}  // namespace
}  // namespace wafd::detect
