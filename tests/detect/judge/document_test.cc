// Which texts are documents all through, and what they quote as code.
#include "detect/judge/document.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

const std::string kProse =
    "The importer reads a file of customers and writes one row for each of them. Whoever wrote it did not "
    "think of "
    "names with an apostrophe, so that O'Brien stops it. I have read the source again and think that this is "
    "where "
    "it happens; a colleague saw the same last week.\n";

// "document" or "-", and whether MARK is quoted.
std::string read(const std::string& text) {
  const Document document(text);
  const std::size_t at = text.find("MARK");
  EXPECT_NE(at, std::string::npos) << text;
  return std::string(document.is_document() ? "document" : "-") +
         (document.quotes(at, at + 4) ? " quoted" : " plain");
}

TEST(Document, QuotedCode) {
  EXPECT_EQ(read(kProse + "\n```sh\nMARK x\n```\n\nThanks!\n"), "document quoted");
  EXPECT_EQ(read(kProse + "\n~~~~\nMARK x\n~~~\nMARK\n~~~~\n"), "document quoted");
  EXPECT_EQ(read(kProse + "\n    x\n    MARK x\n\nThat is all.\n"), "document quoted");
  EXPECT_EQ(read(kProse + "It says `MARK x` then.\n"), "document quoted");
  EXPECT_EQ(read(kProse + "It says ``a ` MARK`` then.\n"), "document quoted");
  EXPECT_EQ(read("<p>" + kProse + "</p><pre>MARK</pre><p>Thanks.</p>"), "document quoted");
  EXPECT_EQ(read("<p>" + kProse + "</p><pre><code class=\"x\">a\nMARK</code></pre>"), "document quoted");
  EXPECT_EQ(read("====== Import ======\n\n" + kProse + "\n<code php>\nMARK\n</code>\n"), "document quoted");
  EXPECT_EQ(read(kProse + "<syntaxhighlight lang=\"python\">\nMARK\n</syntaxhighlight>\n"),
            "document quoted");
  EXPECT_EQ(read(kProse + "[code]\nMARK\n[/code]\n"), "document quoted");
}

// A shell runs a substitution in the marks of a code span as without them.
TEST(Document, ASpanOfOnePipeline) {
  EXPECT_EQ(read(kProse + "It says `$(MARK h/x|sh)` then.\n"), "document plain");
  EXPECT_EQ(read(kProse + "It says `$(MARK;b)` then.\n"), "document plain");
  EXPECT_EQ(read(kProse + "It says `$(MARK)` then.\n"), "document quoted");
  EXPECT_EQ(read(kProse + "It says `docker run -v $(MARK):/a | b` then.\n"), "document quoted");
}

TEST(PythonModule, Table) {
  const std::string functions =
      "def main(path):\n    out = subprocess.check_output(['git', 'status'])\n    for name in "
      "os.listdir(path):\n"
      "        print(name)\n    return out\n\n\nif __name__ == '__main__':\n    main('.')\n";
  const std::string source =
      "\"\"\"Says; what it does.\n\nIn words.\n\"\"\"\nimport os\nimport subprocess\n\n"
      "LIMIT = 5\n# a remark\n" +
      functions;
  EXPECT_TRUE(is_python_module(source));
  EXPECT_TRUE(is_python_module("#!/usr/bin/env python3\nfrom os import path\n@cached\n" + functions +
                               "x = [\n    1\n]\n"));
  EXPECT_FALSE(is_python_module("import os\nimport sys\n")) << "short";
  EXPECT_FALSE(is_python_module(source + "and some words of prose\n"));
  EXPECT_FALSE(is_python_module(source + ";cat /etc/passwd\n"));
  EXPECT_FALSE(is_python_module(source + std::string(3, '"') + "\n")) << "a string that never ends";
  EXPECT_FALSE(is_python_module("os.system('id')\n" + std::string(300, '\n'))) << "no definition";
  EXPECT_FALSE(is_python_module(kProse + kProse));
}

TEST(Document, BesideQuotedCode) {
  EXPECT_EQ(read(kProse + "\n```\nx\n```\nMARK\n"), "document plain");
  EXPECT_EQ(read(kProse + "MARK `x`\n"), "document plain");
  EXPECT_EQ(read(kProse + "`x` MARK `y`\n"), "document plain");
  EXPECT_EQ(read("<p>" + kProse + "</p><pre>x</pre>MARK"), "document plain");
  EXPECT_EQ(read(kProse + "a\n    MARK goes on with a paragraph\n"), "document plain");
}

TEST(Document, WhatIsNone) {
  EXPECT_EQ(read("see the docs `MARK` for it"), "- plain");
  EXPECT_EQ(read("# Title\n\ntext here\n\n    MARK\n"), "- plain");
  EXPECT_EQ(read("some text here\n```\nMARK\n```\n"), "- plain");
  EXPECT_EQ(read(std::string(400, 'a') + "\n```\nMARK\n```\n"), "- quoted") << "one word is no prose";
  std::string source;
  for (int i = 0; i < 20; ++i) source += "x" + std::to_string(i) + " = f(a, b);\n";
  EXPECT_EQ(read(source + "`MARK`\n"), "- quoted") << "a program";
  EXPECT_EQ(read(kProse + "```\nMARK\n"), "- plain") << "a block that never ends";
  EXPECT_EQ(read(kProse + "<pre>MARK\n"), "document plain") << "an element that never ends";
}

}  // namespace
}  // namespace wafd::detect
