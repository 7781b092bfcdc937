// Tokens of filters, and the evidence of text that leaves its item.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/ldap/filter_lexer.h"
#include "detect/analyze/ldap/ldap_matcher.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

std::string tokens(std::string_view text) {
  static constexpr std::string_view kNames[] = {"end",       "open",  "close", "operator",
                                                "attribute", "value", "nul"};
  ldap::FilterLexer lexer(text);
  std::string out;
  for (ldap::Token token = lexer.next(); token.kind != ldap::TokenKind::kEnd; token = lexer.next()) {
    out += out.empty() ? "" : " ";
    out += kNames[static_cast<std::size_t>(token.kind)];
    if (token.kind >= ldap::TokenKind::kOperator && token.kind != ldap::TokenKind::kNul)
      out += "[" + std::string(text.substr(token.begin, token.end - token.begin)) + "]";
    out += token.known ? "!" : token.wildcard ? "*" : "";
  }
  return out;
}

TEST(FilterLexer, Table) {
  EXPECT_EQ(tokens(""), "");
  EXPECT_EQ(tokens("(uid=a*b)"), "open attribute[uid=]! value[a*b]* close");
  EXPECT_EQ(tokens("(&(mail>=x)( ! (z~=1)))"),
            "open operator[&] open attribute[mail>=]! value[x] close open operator[!] open attribute[z~=] "
            "value[1] close "
            "close close");
  EXPECT_EQ(tokens("(cn:dn:2.5.13.2:=x"), "open attribute[cn:dn:2.5.13.2:=]! value[x]");
  EXPECT_EQ(tokens("a)(|uid=b"), "value[a] close open operator[|] attribute[uid=]! value[b]");
  EXPECT_EQ(tokens("a|b & c = d"), "value[a|b & c = d]");
  EXPECT_EQ(tokens(std::string_view("a)\0b", 4)), "value[a] close nul value[b]");
  EXPECT_EQ(tokens("(=a)"), "open value[=a] close");
}

TEST(LdapMatcher, Evidence) {
  const auto matcher = make_ldap_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("x)(uid=*"), "added_item(certain) [)(uid=]");
  EXPECT_EQ(found("x)(shoe=*"), "added_item(certain) [)(shoe=]");
  EXPECT_EQ(found("x)(shoe=1"), "added_item(possible) [)(shoe=]");
  EXPECT_EQ(found("x)(|(shoe=1"), "added_set(certain) [)(|]; added_item(certain) [)(|(shoe=]");
  EXPECT_EQ(found("x))(|(shoe=1"), "added_set(certain) [))(|]; added_item(certain) [))(|(shoe=]");
  EXPECT_EQ(found("x*(|(mail=a"), "added_set(certain) [|]");
  EXPECT_EQ(found(std::string_view("x)\0", 3)), std::string("early_end(certain) [)\0]", 23));
  EXPECT_EQ(found("(&(uid=a)(cn=b))"), "whole_filter(certain) [(&(uid=a)(cn=b))]");
  EXPECT_EQ(found("(uid=*)"), "whole_filter(possible) [(uid=*)]");
  EXPECT_EQ(found("(shoe=*)"), "");
  EXPECT_EQ(found("(&(uid=a)(userPassword=b*))"), "secret_filter(certain) [(&(uid=a)(userPassword=b*))]");
  EXPECT_EQ(found("(&(sn=a)(password=*)) : OK"), "secret_filter(certain) [(&(sn=a)(password=*)) : OK]");
  EXPECT_EQ(found("text before it x)(uid=* and prose behind it"), "added_item(certain) [)(uid=]");
  for (const std::string_view text : {"(a) and (b)", "f(x)(y)", ":) (see x)", "a) b) c)", "(&)", "2*(3+4)",
                                      "fn(a=1)", "char *p = f(!(x));", "a * (|(x))"})
    EXPECT_EQ(found(text), "") << text;
}

}  // namespace
}  // namespace wafd::detect
