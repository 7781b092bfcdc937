// Evidence and verdicts of code of Python, Ruby, Perl and Lua.
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "detect/analyze/code/code_matcher.h"
#include "detect/analyze/code/expression.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

TEST(CodeMatcher, Evidence) {
  const auto matcher = make_code_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("os.popen('id').read()"), "runs(certain) [os.popen(']");
  EXPECT_EQ(found("see os.popen() there"), "runs(possible) [os.popen()]");
  EXPECT_EQ(found("threading._os.popen('id')"), "runs(certain) [_os.popen(']");
  EXPECT_EQ(found("globals()['os']"), "looks_up(certain) [globals()[]");
  EXPECT_EQ(found("getattr(x,'y')"), "looks_up(certain) [getattr(x,']");
  EXPECT_EQ(found("dir()"), "lists(likely) [dir()]");
  EXPECT_EQ(found("%x(id)"), "command(certain) [%x(id)]");
}

// The kinds of names that an expression uses: internal, function, scope, module, query; "-": none of them;
// "no": it is no expression.
std::string uses(std::string_view text) {
  const code::PythonUse use = code::read_python_expression(text);
  if (!use.sound) return "no";
  std::string out;
  for (const auto& [is, letter] :
       {std::pair{use.internal, 'i'}, std::pair{use.function, 'f'}, std::pair{use.scope, 's'},
        std::pair{use.module, 'm'}, std::pair{use.query, 'q'}})
    if (is) out += letter;
  return out.empty() ? "-" : out;
}

TEST(PythonExpression, Table) {
  EXPECT_EQ(uses("open('a').read()"), "f");
  EXPECT_EQ(uses("[open][0]('a')"), "f");
  EXPECT_EQ(uses("(lambda o:o.popen('id').read())(os)"), "m");
  EXPECT_EQ(uses("[o.x() for o in [os]]"), "m");
  EXPECT_EQ(uses("os.environ['A']"), "m");
  EXPECT_EQ(uses("json.codecs.open('a')"), "m");
  EXPECT_EQ(uses("[*map(open,['a'])]"), "f");
  EXPECT_EQ(uses("dir(os)"), "s");
  EXPECT_EQ(uses("[*map(eval,['1'])]"), "f");
  EXPECT_EQ(uses("','.join(dir())"), "s");
  EXPECT_EQ(uses("f.__globals__"), "i");
  EXPECT_EQ(uses("(x for x in[1]).gi_frame.f_back"), "i");
  EXPECT_EQ(uses("'{0.__class__}'.format(1)"), "i");
  EXPECT_EQ(uses("f\"{open('a').read()}\""), "f");
  EXPECT_EQ(uses("db.execute('select a from b')"), "q");
  EXPECT_EQ(uses("f(*['a', 'SELECT 1'])"), "q");
  EXPECT_EQ(uses("1 if os.getpid() else 2"), "m");
  EXPECT_EQ(uses("a(b, c)[1:2] not in [d]"), "-");
  for (const char* text :
       {"", "os", "os.name", "a b", "open (the) door", "it is open('now') here", "x.open(", "open('a')]",
        "the os.system() call", "dir() lists names", "a = open('b')", "select a from b", "foo('x' 1)",
        "{a: b} c", "a, b and c d", "what is x.__class__?", "pkg/__init__.py", "'open' and shut case",
        "os.path.join, os.walk"})
    EXPECT_EQ(uses(text), "no") << text;
}

TEST(Interpreter, WholeExpressionsInAddresses) {
  const Analyzer& analyzer = analyzer_named("interpreter");
  const auto verdict = [&](const char* text, Location location, const char* name) {
    return verdict_of(analyzer, text, location, false, name);
  };
  for (const char* text :
       {"open('s.txt').read()", "[*open('s.txt')]", "next(open('s.txt'))", "(p:=os.popen)('id').read()",
        "os.environ['PATH']", "str(sys.modules)", "sorted(globals())", "(lambda:0).__globals__", "str.mro()",
        "{}.__class__.__base__", "sql('a','select pass from users')", "[getattr(os,x) for x in dir(os)]",
        "print.__self__.open('s').read()", "sys._getframe().f_globals", "compile('1','','eval')",
        // lines of Mako
        "% if open('s.txt').read():\nx\n% endif", "% for a in [1 and globals()['x']]:\n${a}\n% endfor"}) {
    EXPECT_TRUE(denied_at_balanced(verdict(text, Location::kQuery, "v"))) << text;
    EXPECT_FALSE(denied_at_balanced(verdict(text, Location::kQuery, "q")) && uses(text).size() == 1) << text;
  }
  for (const char* text : {"os.name",
                           "os.environ",
                           "sys.path",
                           "open",
                           "open()",
                           "f(x)",
                           "user.open",
                           "a.b.c(d)",
                           "dir/file",
                           "import/export",
                           "size(10)",
                           "rgb(1,2,3)",
                           "min(10, max(2, x))",
                           "name__icontains",
                           "[1,2,3]",
                           "date(2020,1,1)",
                           "concat('a','b')",
                           "label('Select a size')",
                           "t('values')",
                           "open=true",
                           "is_open(1)",
                           "eq(status,open)",
                           "version(os, arch)",
                           "f(os)",
                           "open('door')",
                           "in(state,open,closed)",
                           "index.__init__.py",
                           "open(today)?",
                           "door: open (now)"})
    EXPECT_FALSE(denied_at_balanced(verdict(text, Location::kQuery, "v"))) << text;
  // In a field, too; people look for functions.
  for (const char* text : {"open('a').read()", "os.getcwd()", "object.__subclasses__()", "str(globals())",
                           "print.__self__.eval('1')", "license._Printer__setup()", "{0.__class__}",
                           "type('X',(),{'__getattr__':lambda s,n:n})().x"}) {
    EXPECT_TRUE(denied_at_balanced(verdict(text, Location::kBody, "v"))) << text;
    EXPECT_TRUE(denied_at_balanced(verdict(text, Location::kUrlPath, ""))) << text;
    EXPECT_FALSE(denied_at_balanced(verdict(text, Location::kBody, "q")) && uses(text).size() == 1) << text;
  }
  for (const char* text : {"os.path.join(a, b)", "self.__class__.__name__", "exec(3)", "int(input())",
                           "x = 5", "len(x)", "open(2)"}) {
    EXPECT_FALSE(denied_at_balanced(verdict(text, Location::kBody, "v"))) << text;
    EXPECT_FALSE(denied_at_balanced(verdict(text, Location::kUrlPath, ""))) << text;
  }
  // Names of what modules hold, and of loaders, are for strict.
  for (const char* text : {"os.environ", "sys.modules", "__builtins__", "__loader__"}) {
    EXPECT_EQ(verdict(text, Location::kBody, "v"), "strict") << text;
    EXPECT_EQ(verdict(text, Location::kBody, "q"), "recorded") << text;
    EXPECT_EQ(verdict_of(analyzer, text, Location::kBody, true, text), "recorded") << text;
  }
}

// Statements: what all of them together use; "no": it is no program, or nothing but expressions.
std::string program_uses(std::string_view text) {
  const code::PythonUse use = code::read_python_program(text);
  if (!use.sound) return "no";
  std::string out;
  for (const auto& [is, letter] :
       {std::pair{use.internal, 'i'}, std::pair{use.function, 'f'}, std::pair{use.scope, 's'},
        std::pair{use.module, 'm'}, std::pair{use.query, 'q'}})
    if (is) out += letter;
  return out.empty() ? "-" : out;
}

TEST(PythonProgram, Table) {
  EXPECT_EQ(program_uses("with open('a') as f:print(f.read())"), "f");
  EXPECT_EQ(program_uses("for l in open('a'):print(l)"), "f");
  EXPECT_EQ(program_uses("f=open('a');print(f.read())"), "f");
  EXPECT_EQ(program_uses("x=os.environ['A'];print(x)"), "m");
  EXPECT_EQ(program_uses("try:\n  x=f.__globals__\nexcept Error as e:\n  pass"), "i");
  EXPECT_EQ(program_uses("if 1:x=sorted(vars())"), "s");
  EXPECT_EQ(program_uses("assert eval('1')"), "f");
  EXPECT_EQ(program_uses("import os;x=[1]"), "-");
  for (const char* text :
       {"", "a", "f(x)", "with care", "return policy: 30 days", "for sale: a bike", "try: it out, please",
        "a = b c", "if you open('it')", "x=(", "note: open('door')"})
    EXPECT_EQ(program_uses(text), "no") << text;
}

constexpr const char* kAttacks[] = {"getattr(os,'popen')('id').read()",
                                    "getattr(os, \"po\"+\"pen\")('id')",
                                    "globals()['os'].popen('id').read()",
                                    "locals().get('os').system('id')",
                                    "vars()['os']",
                                    "sys.modules['os'].popen('id').read()",
                                    "sys.modules.get('os')",
                                    "threading._os.popen('id').read()",
                                    "os.__dict__['system']('id')",
                                    "__builtins__['eval']('1')",
                                    "dir()",
                                    "globals()",
                                    "__import__('os').popen('id').read()",
                                    "importlib.import_module('o'+'s')",
                                    "import os;os.system('id')",
                                    "'+os.popen('id').read()+'",
                                    "[x for x in os.listdir('.')]",
                                    "subprocess . run (['id'])",
                                    "Kernel.exec('id')",
                                    "Kernel.send(:system, 'id')",
                                    "Object.const_get(:Kernel).send('exec', 'id')",
                                    "IO::popen('id')",
                                    "%x(id)",
                                    "x=%x{cat /etc/passwd}",
                                    "qx(id)",
                                    "print(qx/id/)",
                                    "print qx(id)",
                                    "1;say qx{id}",
                                    "Zm9vYmFy+qx/whoami/",
                                    "open(my $f,'-|','id');print <$f>",
                                    "open F, \"-|\", \"id\"",
                                    "open F,'a';print <F>",
                                    "open(my $f,\"a\");print while <$f>",
                                    "instance_eval('`id`')",
                                    "binding.eval('`id`')",
                                    "_G['os']['execute']('id')",
                                    "os['execute']('id')",
                                    "io.popen(\"id\")",
                                    "system 'id'",
                                    "exec \"id\"",
                                    "spawn 'id', x; system 'id'",
                                    "Kernel.exec \"id\"",
                                    "\"\".method(:system).call('id')",
                                    "x.send(:`,'id')",
                                    "open('|id').read",
                                    "open(\"| id\")",
                                    "open \"|id\"",
                                    "open(F,'id|')",
                                    "open($f,\"cat x |\")",
                                    "a=getattr;b=a(os,'popen');b('id')",
                                    "e=eval;e('1')",
                                    "i=__import__;i('o'+'s')",
                                    "package.loadlib('a','b')",
                                    "print %ENV",
                                    "print join ' ',%ENV",
                                    "';print(%ENV);'",
                                    "cp.spawn('sh',['-c','id'])",
                                    "x.spawn(\"id\", [])"};

constexpr const char* kOrdinary[] = {"print %ENV%",
                                     "rx.exec('abc',[0])",
                                     "redis.eval('return 1', [k])",
                                     "a list, %ENVIRONMENT",
                                     "set ${ENV} or $ENV{x} there",
                                     "child.spawn('egg', 3)",
                                     "The os (operating system) and io, see files",
                                     "import of goods; export of services",
                                     "from os to cloud",
                                     "look at os.path.join(a, b)",
                                     "dir() lists names, vars() too",
                                     "globals and locals",
                                     "the modules [see there] of sys",
                                     "send (system) mail to operator",
                                     "printf(\"%x(%d)\", 1)",
                                     "100%x (new)",
                                     "class File, open (yes)",
                                     "file.open (see below)",
                                     "qx 50 Lexus",
                                     "Zm9vYmFy+qx/qKwxsUSbgPW6Tc509Dpc2jDOFz9WeDyGYnmJO/bGx4Zm9v",
                                     "open(my files, '-', 'x')",
                                     "spawn('worker') is called",
                                     "Kernel: open source",
                                     "process (spawn, exec)",
                                     "getattr is a function",
                                     "commands: run (twice)",
                                     "code.interact",
                                     "platform (os), version",
                                     "import os",
                                     "the system 'x' is down",
                                     "system \"A\"; system \"B\" compared",
                                     "our system \"Alpha\"; see there",
                                     "exec 'Smith' in charge",
                                     "shipping method: file or process",
                                     "open 'a|b'",
                                     "open | closed, 'x'",
                                     "mode=eval; see below",
                                     "import x as y; z",
                                     "they spawn \"often\"",
                                     "object.send('message')"};

TEST(Interpreter, WhatServersRun) {
  for (const char* text : kAttacks)
    EXPECT_TRUE(
        denied_at_balanced(verdict_of(analyzer_named("interpreter"), text, Location::kQuery, false, "id")))
        << text;
}

TEST(Interpreter, ModulesByOtherNames) {
  for (const char* text : {"import subprocess as s;s.run('id')", "import os as o ; o.system('id')",
                           "1\nimport os as o;o.system('id')"})
    EXPECT_TRUE(
        denied_at_balanced(verdict_of(analyzer_named("interpreter"), text, Location::kQuery, false, "id")))
        << text;
}

TEST(Interpreter, WhatOnlyLooksLikeIt) {
  for (const char* text : kOrdinary)
    EXPECT_FALSE(
        denied_at_balanced(verdict_of(analyzer_named("interpreter"), text, Location::kQuery, false, "id")))
        << text;
}

// The code acts wherever it stands in what is evaluated.
TEST(Interpreter, VariationsStayDenied) {
  for (const char* text : kAttacks) {
    const std::string base = text;
    if (base == "dir()" || base == "globals()") continue;
    for (const std::string& made :
         {"1+" + base, "x = " + base, "'+" + base + "+'", base + " # and more", "1\n" + base + "\n"})
      EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer_named("interpreter"), made))) << made;
  }
}

// All of a value, it shows whether somebody's program runs it.
TEST(CodeMatcher, Probes) {
  const Analyzer& analyzer = analyzer_named("interpreter");
  for (const std::string_view text :
       {"time.sleep(5)", "socket.socket()", "res.end('x')", "ENV['SECRET_KEY_BASE']", "Response.Write(1)",
        "Rails.application.secrets.secret_key_base", "load('x')()", "Process.Start(\"cmd\");",
        "Eval Request(\"x\")"})
    for (const Location location : {Location::kQuery, Location::kBody})
      EXPECT_EQ(verdict_of(analyzer, text, location, false, "v"), "balanced") << text;
  for (const std::string_view text :
       {"time.sleep", "ENV", "use time.sleep(5) here", "res.end()", "res.send(user)", "time.sleep(seconds)",
        "load('model.h5')", "Rails.application.routes", "ENV[\"RAILS_ENV\"]", "process.start()", "env['a']",
        "res.end", "load('x", "Rails.application.config is where it is", "time.sleep(5)\ntime.sleep(6)"})
    EXPECT_EQ(verdict_of(analyzer, text, Location::kQuery, false, "v"), "-") << text;
}

}  // namespace
}  // namespace wafd::detect
