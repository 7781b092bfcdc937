// Code that a text shows, and code beside it: Markdown, pages of text editors, programs that somebody shares.
#include "detect/analyze/base/writing.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "detect/analyze/java/java_expression.h"
#include "detect/analyze/php/php_injection.h"
#include "detect/analyze/script/script_code.h"
<<<<<<< HEAD
#include "detect/analyze/template/ssti.h"
=======
#include "detect/analyze/shell/cmd_injection.h"
#include "detect/analyze/xss/xss.h"
#include "detect/decode/decode_flags.h"
>>>>>>> code
#include "tests/detect/analyze/analyze_support.h"
#include "tests/detect/analyze/judged_matchers.h"

namespace wafd::detect {
namespace {

// Whether one of the analysers of code denies the value of a body's field at balanced.
bool denied(std::string_view text, Location location = Location::kBody, std::uint32_t flags = 0) {
  static const std::vector<std::unique_ptr<Analyzer>> kAnalyzers = [] {
    std::vector<std::unique_ptr<Analyzer>> out;
    out.push_back(make_xss_analyzer());
    out.push_back(make_php_injection_analyzer());
    out.push_back(make_java_expression_analyzer());
    out.push_back(make_ssti_analyzer());
    out.push_back(make_script_code_analyzer());
    return out;
  }();
  FieldContext context;
  context.location = location;
  context.name = "comment";
  context.decode_flags = flags;
  for (const auto& analyzer : kAnalyzers) {
    if (denied_at_balanced(verdict_in(*analyzer, text, context))) return true;
  }
  return false;
}

// Put into a value by itself, each is denied; of the first kCodeOfPages also behind words and backticks.
constexpr std::size_t kCodeOfPages = 3;
constexpr const char* kCode[] = {
    "<script>alert(1)</script>",    "<img src=x onerror=alert(1)>",
    "<?php system($_GET['c']); ?>", "Runtime.getRuntime().exec(\"id\")",
    "{{ ''.__class__.__mro__ }}",   "require('child_process').exec('id')",
    "eval(atob('YWxlcnQoMSk='))",
};

// Documents that show it, and documents beside which it stands: $ is its place.
constexpr const char* kShown[] = {
    "Have a look at this example:\n\n```\n$\n```\n\nIt does not work for me.",
    "## What I tried\n\n~~~ text\nfirst\n$\n~~~\n\nThe server says that it is wrong.",
    "In the old version we had `$` in the footer of the page.",
};
constexpr const char* kBeside[] = {
    "$",
    "```\n$\n```",
    "Have a look at this example:\n\n```\nnothing\n```\n\n$",
    "In the old version `x` was here. And now\n$",
    "a `b` $",
};

std::string placed(std::string_view frame, std::string_view code) {
  const std::size_t at = frame.find('$');
  return std::string(frame.substr(0, at)) + std::string(code) + std::string(frame.substr(at + 1));
}

TEST(Writing, CodeThatMarkdownShowsPasses) {
  for (const char* frame : kShown) {
    for (const char* code : kCode) {
      // An engine that makes a page of the text runs its expressions wherever they stand.
      const bool runs_there = std::string_view(code).starts_with("{{");
      EXPECT_EQ(denied(placed(frame, code)), runs_there) << placed(frame, code);
    }
  }
}

TEST(Writing, CodeBesideItIsDenied) {
  for (const char* frame : kBeside) {
    for (const char* code : std::span(kCode).first(kCodeOfPages))
      EXPECT_TRUE(denied(placed(frame, code))) << placed(frame, code);
  }
  for (const char* code : kCode) EXPECT_TRUE(denied(code)) << code;
}

// Servers run it in whatever text it stands.
constexpr const char* kServerCode[] = {
    "<!--#exec cmd=\"id\" -->",   "<?php system($_GET['c']); ?>",      "<?php echo 1; ?>",
    "{{ ''.__class__.__mro__ }}", "Runtime.getRuntime().exec(\"id\")",
};

TEST(Writing, ElementsHideNoCodeOfServers) {
  for (const char* code : kServerCode)
    EXPECT_TRUE(denied(placed("<p>In the old version we had this:</p>\n<pre>$</pre>", code))) << code;
}

TEST(Writing, OnlyFieldsOfBodiesAreMarkdownToServers) {
  for (const char* frame : kShown) {
    for (const char* code : kServerCode)
      EXPECT_TRUE(denied(placed(frame, code), Location::kQuery)) << placed(frame, code);
  }
}

TEST(Writing, MarkdownHidesNoLookups) {
  for (const char* frame : kShown) EXPECT_TRUE(denied(placed(frame, "${jndi:ldap://h7.example/a}"))) << frame;
}

constexpr const char* kPrograms[] = {
    "const { exec } = require('child_process');\nexec('ls -la', (err, out) => {\n  console.log(out);\n});",
    "import os\nimport sys\n\ndef main():\n    os.system('clear')\n    print(sys.argv)\n\nif __name__ == "
    "'__main__':\n    main()",
    "public class Main {\n  public static void main(String[] a) throws Exception {\n    "
    "Runtime.getRuntime().exec(\"ls\");\n  }\n}",
    "<?php\nrequire 'vendor/autoload.php';\n$name = htmlspecialchars($_GET['name']);\necho \"Hello "
    "$name\";\n",
    "class A:\n    def __init__(self, x):\n        self.x = x\n    def __getitem__(self, i):\n        return "
    "self.x[i]",
    "--- a/app.js\n+++ b/app.js\n@@ -1,2 +1,2 @@\n-const x = eval(s);\n+const x = JSON.parse(s);",
    "java.io.IOException: x\n\tat java.base/java.lang.ProcessBuilder.start(ProcessBuilder.java:1128)\n\tat "
    "java.base/java.lang.Runtime.exec(Runtime.java:592)",
};

TEST(Writing, WholeProgramsPassInABody) {
  for (const char* program : kPrograms) EXPECT_FALSE(denied(program)) << program;
}

// What such a program does with what it is sent, markup, and secrets are no less for the lines around them.
constexpr const char* kHostilePrograms[] = {
    "<?php\n$a = 1;\n$b = 2;\nif (isset($_POST['c'])) {\n  system($_POST['c']);\n}\n?>",
    "a();\nb();\nc();\nd();\n<script>alert(1)</script>",
    "a();\nb();\nc();\nd();\n<img src=x onerror=alert(1)>",
};

TEST(Writing, LinesOfAProgramHideNoAttack) {
  for (const char* program : kHostilePrograms) EXPECT_TRUE(denied(program)) << program;
}

TEST(Writing, ManySpansTakeLinearTime) {
  std::string text = "Words that are prose: ";
  for (int i = 0; i < 100000; ++i) text += "`<script>` and ";
  FieldContext context;
  context.location = Location::kBody;
  context.name = "q";
  Writing writing(text, context);
  std::size_t shown = 0;
  for (std::size_t at = 0; at < text.size(); at += 64) shown += writing.shows(at) ? 1 : 0;
  EXPECT_GT(shown, 0u);
  EXPECT_FALSE(writing.is_program());
}

}  // namespace
}  // namespace wafd::detect
