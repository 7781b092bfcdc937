// Literals that a text must contain for an expression to match it.
#include "detect/signatures/required_literals.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"
#include "detect/prefilter/expression_set.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

std::string dump(std::string_view expression) {
  std::string out;
  for (const std::string& literal : required_literals(expression)) out += (out.empty() ? "" : " ") + literal;
  return out;
}

TEST(RequiredLiterals, Table) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"/goform/setUsbUnload", "/goform/setusbunload"},
      {"\\$\\{jndi:", "${jndi:"},
      {"^/cgi-bin/(a|b)\\.cgi$", "/cgi-bin/a.cgi /cgi-bin/b.cgi"},
      {"foo(bar)?\\.php", "foo.php foobar.php"},
      {"(connect|express)[.-]?sid", "connect-sid connect.sid connectsid express-sid express.sid expresssid"},
      {"x(\\.ini|\\.ini~)$", "x.ini"},
      // How each of them begins, with what stands before it.
      {"\\.(php\\d?|pl)(~|\\.bak)", ".php .pl"},
      {"/(conf\\d|app[^/]*/etc)\\.ini", "/app /conf"},
      {"/(a?|bc.*)x", ""},
      {"a.*<script", "<script"},
      {"x{3}yz", "xxxyz"},
      {"(?i)wp-admin", "wp-admin"},
      {"union\\s+select", "select"},
      {"(cmd|exec)=.*(whoami|passwd)", "passwd whoami"},
      {"[ab]c=", "ac= bc="},
      {"\\x2fetc\\/", "/etc/"},
      {"ab+c[^d]e*;;", ";;"},
      {"(one|two|.)", ""},
      {"a|b", ""},
      {".", ""},
      {"\\d{4}", ""},
      {"(?=a)bcd", ""},
      {"(abc", ""},
      {"", ""},
  };
  for (const auto& [expression, literals] : rows) EXPECT_EQ(dump(expression), literals) << expression;
}

// Too many to look for are cut to what they begin with.
TEST(RequiredLiterals, OfManyAlternativesAreTheirBeginnings) {
  std::string expression = "^(";
  for (int i = 100; i < 400; ++i) expression += "session" + std::to_string(i) + "(a|b)|";
  EXPECT_EQ(dump(expression + "other)$"), "other sessio");
}

// Random expressions on random texts: what matches holds one of the literals.
TEST(RequiredLiterals, StandInEveryTextThatMatches) {
  Dice dice(11);
  const std::string_view atoms[] = {"a",  "b",      "c",       "ab",   "[bc]", ".", "a?",  "b+",
                                    "c*", "(ab|c)", "(a|bc)+", "b{2}", "^",    "$", "\\s", "(?:ca)?"};
  std::size_t matched = 0;
  for (int round = 0; round < 400; ++round) {
    std::string expression;
    for (std::uint64_t n = 1 + dice.roll(5); n > 0; --n) expression += atoms[dice.roll(std::size(atoms))];
    if (dice.roll(4) == 0) expression += "|" + std::string(atoms[dice.roll(std::size(atoms))]) + "a";
    const std::string_view text_of_it = expression;
    const auto set = ExpressionSet::build(std::span(&text_of_it, 1));
    if (!set) continue;  // it matches an empty text
    HsScratch scratch;
    ASSERT_TRUE(set->allocate(scratch));
    const std::vector<std::string> literals = required_literals(expression);
    if (literals.empty()) continue;
    for (int t = 0; t < 200; ++t) {
      std::string text;
      for (std::uint64_t n = dice.roll(12); n > 0; --n) text += "abcABC \n"[dice.roll(8)];
      bool matches = false;
      set->scan(
          text, scratch.get(),
          [](void* context, std::uint32_t, std::size_t) { *static_cast<bool*>(context) = true; }, &matches);
      if (!matches) continue;
      ++matched;
      EXPECT_TRUE(std::any_of(
          literals.begin(), literals.end(),
          [&](const std::string& literal) { return ifind(text, literal) != std::string_view::npos; }))
          << expression << " on " << testing::PrintToString(text);
    }
  }
  EXPECT_GT(matched, 2000u);
}

}  // namespace
}  // namespace wafd::detect
