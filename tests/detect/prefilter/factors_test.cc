// What must stand in a text for an expression to match.
#include "detect/prefilter/factors.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

// "abc" with letters in lower case, "[abc]" for several octets, "[n]" for more than eight, "|" for an edge.
std::string dump(const char* expression) {
  std::string out;
  const std::optional<Expression> parsed = parse_expression(expression);
  if (!parsed) return out;
  for (const Factor& factor : required_factors(*parsed)) {
    if (!out.empty()) out += ' ';
    for (const FactorPlace& place : factor.places) {
      const OctetSet& set = place.set;
      std::string members;
      for (int c = 0; c < 256; ++c) {
        if (!set.has(static_cast<unsigned char>(c)) || (c >= 'A' && c <= 'Z')) continue;
        members += c == '\n' ? std::string("\\n") : std::string(1, static_cast<char>(c));
      }
      if (set.edge) members += '|';
      out += members.size() == 1 ? members : members.size() > 8 ? "[n]" : "[" + members + "]";
    }
  }
  return out;
}

TEST(Factors, OfExpressions) {
  struct Row {
    const char* expression;
    const char* factors;
  };
  const Row rows[] = {
      {"select", "select"},
      {"SELECT", "select"},
      {"a|bc", "a bc"},
      {"(un|ju)ion", "union juion"},
      {"colou?r", "colour color"},
      {"ab{3}c", "abbbc"},
      {"union.*select", "select"},
      {"[0-9]+union", "[n]union"},
      {"x[yz]\\s*passwd", "passwd"},
      {"\\{\\{", "{{"},
      {"<[\\x00/]*[a-z]", "<"},
      {"^abc$", "[\\n|]abc[\\n|]"},
      {"(^|[;,])id", "[\\n|]id [,;]id"},
      {"q(^|x)id", "qid qxid"},
      {"\\bword\\b", "word"},
      {"a(b|c+)d", "ab ac"},
      {"(a|b)*", ""},
      {".*", ""},
      {"(?i)abc", ""},
      {"[[:alpha:]]x", ""},
      {"a\\1", ""},
      {"((((x))))y", "xy"},
      {"x{2,}y", "xx"},
      {"[;|]{2,4}$", "[;|][;|]"},
      {"^[ab]*(<|>)", "< >"},
      {"die[ \\v\\h]*\\(", "("},
      {"ab|.*", ""},
  };
  for (const Row& row : rows) EXPECT_EQ(dump(row.expression), row.factors) << row.expression;
}

TEST(Factors, AnyExpressionGivesAnAnswer) {
  for (const char* wrong :
       {"(", ")", "[", "[a", "\\", "a{", "a{2", "*a", "a**", "[z-a]", "\\x", "(?", "(?:", "a|", "|"})
    dump(wrong);
  EXPECT_EQ(dump(std::string(10000, '(').c_str()), "");
  EXPECT_EQ(dump("a|"), "");
  const auto many = parse_expression("[ab][ab][ab][ab][ab][ab][ab]{9}.{1000}(a|b|c|d){16}");
  ASSERT_TRUE(many);
  EXPECT_LE(required_factors(*many).size(), 2048u);
}

TEST(Factors, OctetsThatAreNeededBeside) {
  struct Row {
    const char* expression;
    const char* needed;
  };
  const Row rows[] = {
      {"select", ""},
      {"https?:[^ ]*@", "@"},
      {"union[^(]*\\(", "("},
      {"passwd.*[{(]", "({"},
      {"passwd.*([{]a|[(]b)", "({"},
      {"passwd.*([{]|x*)", ""},  // one way without
      {"passwd.*[{]?", ""},      // perhaps not there
      {"passwd.*[{]*", ""},
      {"passwd.*[{]{0,3}", ""},
      {"passwd.*[{]+", "{"},
      {"passwd.*[{(\\[@<]", ""},  // too many
      {"passwd.*[0-9]", ""},
      {"passwd.*e", ""},  // too likely
      {"passwd.*e.*[(]", "("},
      {"passwd.*$", ""},
      {"passwd.*\\n", "\\n"},
  };
  for (const Row& row : rows) {
    const std::optional<Expression> parsed = parse_expression(row.expression);
    ASSERT_TRUE(parsed) << row.expression;
    const NeededOctets needed = needed_octets(*parsed, required_factors(*parsed));
    std::string out;
    for (std::size_t i = 0; i < needed.count; ++i)
      out +=
          needed.octets[i] == '\n' ? std::string("\\n") : std::string(1, static_cast<char>(needed.octets[i]));
    EXPECT_EQ(out, row.needed) << row.expression;
  }
}

}  // namespace
}  // namespace wafd::detect
