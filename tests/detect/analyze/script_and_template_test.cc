// Scripts of servers: what languages run, re-written by programs, and what only looks like it.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/script/script_calls.h"
#include "detect/analyze/script/script_code.h"
<<<<<<< HEAD
#include "detect/analyze/template/ssti.h"
#include "detect/analyze/template/ssti_expression.h"
=======
#include "detect/analyze/xss/script_url.h"
>>>>>>> code
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

struct Row {
  const char* text;
  const char* verdict;
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
