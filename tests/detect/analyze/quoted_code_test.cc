// Values that land inside of strings: what of them would be code, and that PHP and scripts are read there.
#include "detect/analyze/base/quoted_code.h"

#include <string>

#include <gtest/gtest.h>

#include "detect/analyze/php/php_injection.h"
#include "detect/analyze/script/script_code.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

// quote, joint, '~' if the string is taken up again, the code; a reading a piece.
std::string dump(std::string_view value) {
  std::string out;
  QuotedReadings readings(value);
  for (QuotedCode reading; readings.next(reading);) {
    if (!out.empty()) out += " | ";
    out += reading.quote;
    out += reading.joint == 0 ? '0' : reading.joint == '\n' ? 'n' : reading.joint;
    if (reading.rejoins) out += '~';
    out += ' ';
    out += reading.code;
  }
  return out;
}

struct Row {
  const char* value;
  const char* readings;
};

constexpr Row kReadings[] = {
    {"'.f(1).'", "'.~ f(1)"},
    {"\"+f(1)+\"", "\"+~ f(1)"},
    {"`+f(1)+`", "`+~ f(1)"},
    {"';f();//", "'; f();//"},
    {"x'; import os; f() #", "'; import os; f() #"},
    {"');f('x');//", "') f('x');//"},
    {"']);f();('", "']~ f()"},
    {"1' or f() or '", "'o~ f() or"},
    {"'\nf()\n'", "'n~ f()"},
    {"'.f('a').'", "'.~ f('a')"},
    {"';f('a')+'b'", "'; f('a')+'b'"},
    {"\"f('a')\"", "\"0 f('a')"},
    {" 'f(\"a\")' ", "'0 f(\"a\")"},
    {"\\\\'.f().'", "'.~ f()"},
    {"\".a.'.b.\"", "'. b.\" | \".~ a.'.b"},
    // The quotes of prose and of markup.
    {"don't f()", ""},
    {"a 'quoted' word and \"another\" (f())", ""},
    {"<a b=\"c\">", ""},
    {"O'Brien", ""},
    {"\\'.f().", ""},
    {"''", ""},
    {"'", ""},
    {"", ""},
    {"'........................................f()", ""},
};

TEST(QuotedReadings, Table) {
  for (const Row& row : kReadings) EXPECT_EQ(dump(row.value), row.readings) << row.value;
}

// A reading is a part of the value, and its quote stands in it.
TEST(QuotedReadings, AnyOctets) {
  constexpr std::string_view kOctets = "'\"`\\.;+) \nfa(0";
  Dice dice(11);
  std::size_t found = 0;
  for (int made = 0; made < 20000; ++made) {
    std::string value;
    for (std::uint64_t size = dice.roll(24); value.size() < size;)
      value += kOctets[dice.roll(kOctets.size())];
    QuotedReadings readings(value);
    for (QuotedCode reading; readings.next(reading); ++found) {
      ASSERT_FALSE(reading.code.empty());
      ASSERT_GE(reading.code.data(), value.data());
      ASSERT_LE(reading.code.data() + reading.code.size(), value.data() + value.size());
      ASSERT_NE(value.find(reading.quote), std::string::npos);
    }
  }
  EXPECT_GT(found, 5000u);
}

// Ways into a string and out of it; %s is the code.
std::vector<std::string> landed(const std::string& code, char quote, const std::string& join) {
  const std::string q(1, quote);
  return {q + join + code + join + q, q + ";" + code + ";" + q,     q + ";" + code + ";//",
          q + ");" + code + ";//",    q + "]);" + code + ";#",      "x" + q + "; " + code + "; " + q,
          q + ";\n" + code + ";\n//", "x" + q + join + code + " #", q + " or " + code + " or " + q};
}

TEST(QuotedCode, PhpIsReadBehindEveryQuote) {
  const auto analyzer = make_php_injection_analyzer();
  std::size_t made = 0;
  for (const char* code : {"system('id')", "system(\"id\")", "passthru('id')", "phpinfo()", "assert($x)",
                           "file_get_contents('/etc/passwd')", "call_user_func('a',1)", "print(md5(1))",
                           "new ReflectionFunction('system')"}) {
    for (const char quote : {'\'', '"'}) {
      for (const std::string& value : landed(code, quote, ".")) {
        if (value.find('\n') != std::string::npos || value.find(" or ") != std::string::npos) continue;
        EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, value))) << value;
        ++made;
      }
    }
  }
  EXPECT_GE(made, 120u);
}

TEST(QuotedCode, ScriptsAreReadBehindEveryQuote) {
  const auto analyzer = make_script_code_analyzer();
  std::size_t made = 0;
  for (const char* code :
       {"os.system('id')", "subprocess.check_output(['id'])", "__import__('os').popen('id')", "IO.popen('id')",
        "os.execute(\"id\")", "open(\"|id\")", "open('/etc/passwd').read()"}) {
    for (const char quote : {'\'', '"', '`'}) {
      for (const char* join : {"+", "-", ",", ".."}) {
        for (const std::string& value : landed(code, quote, join)) {
          EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, value))) << value;
          ++made;
        }
      }
      const std::string whole = std::string(1, quote) + code + quote;
      EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, whole))) << whole;
    }
  }
  EXPECT_GT(made, 500u);
}

constexpr const char* kOrdinaryQuotes[] = {
    "He said \"don't use exec() here\", and left.",
    "It's a test: don't (really) do it",
    "'quoted' text, \"double\" text; and 'more' (see below)",
    "the '.NET system' (new) and \"Java runtime\" (old)",
    "O'Brien's process.env file is missing",
    "Tom & Jerry's \"Great\" (adventure); part 2",
    "\"Print (A4)\", 'Copy (2)', \"Date (UTC)\"",
    "name=\"time (min)\"; value='copy (x)'",
    "\"while (we wait)\" is a song; 'for (ever)' too",
    "{\"process\":\"a\",\"module\":\"b (c)\",\"open\":\"d\"}",
    "'; drop it, he said (twice)",
    "Use open(\"file.txt\") to read",
    "f = open('a.txt', 'r')",
    "window.open('https://example.org/a|b')",
    "new Date(); new Reflection of light",
    "(\"yes\"|\"no\") (x)",
    "('a'|'b')('c')",
    "import { exec } from 'child_process'; // how to promisify?",
    "Traceback (most recent call last):\n  File \"/app/main.py\", line 12, in run\n    return "
    "subprocess.run(args, check=True)\nTypeError: x",
    "PHP Warning:  file_get_contents(): failed to open stream in /var/www/x.php on line 3",
    "Call to undefined function mysql_query() in /var/www/html/index.php:14",
    "eval(code)",
    "使用process.env变量和os.system('id')执行",
};

TEST(QuotedCode, OrdinaryQuotesPassAtBalanced) {
  const auto php = make_php_injection_analyzer();
  const auto scripts = make_script_code_analyzer();
  for (const char* text : kOrdinaryQuotes) {
    EXPECT_FALSE(denied_at_balanced(verdict_of(*php, text))) << text;
    EXPECT_FALSE(denied_at_balanced(verdict_of(*scripts, text))) << text;
  }
}

// The line of a traceback is excused, a call that breaks out below one is not.
TEST(QuotedCode, TracebacksExcuseTheirOwnLineAlone) {
  const auto analyzer = make_script_code_analyzer();
  const std::string above = "  File \"/app/a.py\", line 1, in run\n";
  EXPECT_EQ(verdict_of(*analyzer, above + "    os.system('id')\n"), "-");
  for (const char* line : {"'''+os.system('id')", "x #\nos.system('id')", "\";os.system('id')#"})
    EXPECT_EQ(verdict_of(*analyzer, above + line), "balanced") << line;
  EXPECT_EQ(verdict_of(*analyzer, "#  File \"/app/a.py\", line 1, in run\nos.system('id')\n"), "balanced");
}

TEST(QuotedCode, PhpStringsCombinedOctetByOctet) {
  const auto analyzer = make_php_injection_analyzer();
  for (const char* text : {"(~\x8c\x86\x8c\x8b\x9a\x92)(~\x96\x9b);", "(\"!\"^\"R\")(\"a\");",
                           "('a'^'b'^'c')()", "(\"\x13\x19\"|\"``\")();", "(~'\x8c')('x')"})
    EXPECT_EQ(verdict_of(*analyzer, text), "balanced") << text;
  for (const char* text : {"('a'|'b')('c')", "(a ^ b)(c)", "see (~5 min)(max)", "(x)(y)"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(*analyzer, text))) << text;
}

}  // namespace
}  // namespace wafd::detect
