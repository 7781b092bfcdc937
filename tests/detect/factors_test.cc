// What must stand in a text for an expression to match.
#include "detect/factors.h"

#include <string>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

// "abc" with letters in lower case, "[abc]" for several octets, "[n]" for more than eight, "|" for an edge.
std::string dump(const Factors& factors) {
  std::string out;
  for (const Factor& factor : factors.any) {
    if (!out.empty()) out += ' ';
    for (const OctetSet& set : factor.octets) {
      std::string members;
      for (int c = 0; c < 256; ++c) {
        if (!set.has(static_cast<unsigned char>(c)) || (c >= 'A' && c <= 'Z')) continue;
        members += c == '\n' ? std::string("\\n") : std::string(1, static_cast<char>(c));
      }
      if (set.edge) members += '|';
      out += members.size() == 1 ? members : members.size() > 8 ? "[n]" : "[" + members + "]";
    }
  }
  return out + (factors.exact ? " exact" : "");
}

TEST(Factors, OfExpressions) {
  struct Row {
    const char* expression;
    const char* factors;
  };
  const Row rows[] = {
      {"select", "select exact"},
      {"SELECT", "select exact"},
      {"a|bc", "a bc exact"},
      {"(un|ju)ion", "union juion exact"},
      {"colou?r", "colour color exact"},
      {"ab{3}c", "abbbc exact"},
      {"union.*select", "select"},
      {"[0-9]+union", "[n]union"},
      {"x[yz]\\s*passwd", "passwd"},
      {"\\{\\{", "{{ exact"},
      {"<[\\x00/]*[a-z]", "<"},
      {"^abc$", "[\\n|]abc[\\n|] exact"},
      {"(^|[;,])id", "[\\n|]id [,;]id exact"},
      {"q(^|x)id", "qid qxid"},
      {"\\bword\\b", "word"},
      {"a(b|c+)d", "ab ac"},
      {"(a|b)*", ""},
      {".*", ""},
      {"(?i)abc", ""},
      {"[[:alpha:]]x", ""},
      {"a\\1", ""},
      {"((((x))))y", "xy exact"},
      {"x{2,}y", "xxy"},
      {"[;|]{2,4}$", "[;|][;|][\\n|]"},
      {"^[ab]*(<|>)", "< >"},
      {"die[ \\v\\h]*\\(", "("},
      {"ab|.*", ""},
  };
  for (const Row& row : rows)
    EXPECT_EQ(dump(required_factors(row.expression)), row.factors) << row.expression;
}

TEST(Factors, AnyExpressionGivesAnAnswer) {
  for (const char* wrong :
       {"(", ")", "[", "[a", "\\", "a{", "a{2", "*a", "a**", "[z-a]", "\\x", "(?", "(?:", "a|", "|"})
    required_factors(wrong);
  EXPECT_EQ(dump(required_factors(std::string(10000, '('))), "");
  EXPECT_EQ(dump(required_factors("a|")), "");
  EXPECT_LE(required_factors("[ab][ab][ab][ab][ab][ab][ab]{9}.{1000}(a|b|c|d){16}").any.size(), 2048u);
}

}  // namespace
}  // namespace wafd::detect
