// Evidence and verdicts of code of Python, Ruby, Perl and Lua.
#include <gtest/gtest.h>

#include "detect/analyze/code/code_matcher.h"
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
                                    "_G['os']['execute']('id')",
                                    "os['execute']('id')",
                                    "io.popen(\"id\")",
                                    "package.loadlib('a','b')"};

constexpr const char* kOrdinary[] = {"The os (operating system) and io, see files",
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
                                     "Kernel: open source",
                                     "process (spawn, exec)",
                                     "getattr is a function",
                                     "commands: run (twice)",
                                     "code.interact",
                                     "platform (os), version",
                                     "import os",
                                     "object.send('message')"};

TEST(Interpreter, WhatServersRun) {
  for (const char* text : kAttacks)
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

}  // namespace
}  // namespace wafd::detect
