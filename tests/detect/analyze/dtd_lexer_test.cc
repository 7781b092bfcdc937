// Words of declarations of XML.
#include "detect/analyze/xml/dtd_lexer.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace wafd::detect::xml {
namespace {

// The words, with bars between them.
std::string dump(std::string_view text) {
  std::string out;
  DtdLexer lexer(text, 0);
  for (std::string_view word = lexer.next(); !word.empty(); word = lexer.next()) {
    out += out.empty() ? "" : "|";
    out += word;
    EXPECT_LE(lexer.at(), text.size()) << text;
  }
  return out;
}

struct Row {
  const char* text;
  const char* dump;
};

constexpr Row kRows[] = {
    {"", ""},
    {" >x", ""},
    {" x \"y\">", "x|\"y\""},
    {"% x SYSTEM 'file:///a b'>", "%|x|SYSTEM|'file:///a b'"},
    {"\n x\tPUBLIC \"-//A\" \"u\" >", "x|PUBLIC|\"-//A\"|\"u\""},
    {"a [ b", "a|[|b"},
    {"a'b'[c", "a|'b'|[|c"},
    {"a ]<", "a|]|<"},
    {" % a SYSTEM \"b c\" >d", "%|a|SYSTEM|\"b c\""},
    {"a \"b", "a|\"b"},
    {"\"", "\""},
    {"x 'it is \"quoted\"'>", "x|'it is \"quoted\"'"},
};

TEST(DtdLexer, Table) {
  for (const Row& row : kRows) EXPECT_EQ(dump(row.text), row.dump) << row.text;
}

TEST(DtdLexer, LiteralsHaveTheirTextBetweenQuotes) {
  EXPECT_TRUE(is_literal("'a'"));
  EXPECT_TRUE(is_literal("\"\""));
  EXPECT_FALSE(is_literal("a"));
  EXPECT_FALSE(is_literal(""));
  EXPECT_EQ(literal_text("'a b'"), "a b");
  EXPECT_EQ(literal_text("\"\""), "");
}

// A literal that nothing closes is cut, and the walk still ends.
TEST(DtdLexer, AnOpenLiteralIsCut) {
  const std::string text = "x '" + std::string(3 * DtdLexer::kMaxLiteralBytes, 'a');
  DtdLexer lexer(text, 0);
  EXPECT_EQ(lexer.next(), "x");
  const std::string_view literal = lexer.next();
  EXPECT_FALSE(literal.empty());
  EXPECT_LE(literal.size(), DtdLexer::kMaxLiteralBytes + 2);
}

}  // namespace
}  // namespace wafd::detect::xml
