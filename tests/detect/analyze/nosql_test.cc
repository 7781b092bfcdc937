// Evidence of queries for other stores than those of SQL, and the verdicts of names, values and look-alikes.
#include <string_view>

#include <gtest/gtest.h>

#include "detect/analyze/nosql/nosql_matcher.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

TEST(NosqlMatcher, Evidence) {
  const auto matcher = make_nosql_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found(R"({"a":{"$gt" : ""}})"), R"(operator_document(certain) [{"$gt" :])");
  EXPECT_EQ(found("{$func: 'system'}"), "server_script(certain) [{$func:]");
  EXPECT_EQ(found("a[$ne]=1&b"), "operator_name(certain) [[$ne]]");
  EXPECT_EQ(found("x' && this.a=='b"), "string_break(certain) [' && this.a=='b]");
  EXPECT_EQ(found("'a' 1\n' || '1'=='1"), "string_break(likely) [' || '1'=='1]");
  EXPECT_EQ(found("return a['b'] || this.c; // don't\nd['e'] && this.f"), "");
  EXPECT_EQ(found("$where: '1 == 1'"), "server_script(certain) [$where:]");
  EXPECT_EQ(found("$gt: 5"), "");
  EXPECT_EQ(found("1; return true"), "stored_script(certain) [1; return true]");
  EXPECT_EQ(found("x || this.a.match(/b/)"), "stored_script(likely) [this.a.match(/]");
  EXPECT_EQ(found("db.a.drop()"), "statement(certain) [db.a.drop(]");
  EXPECT_EQ(found("see db.a.drop() in it"), "statement(possible) [db.a.drop(]");
  FieldContext name;
  name.in_name = true;
  EXPECT_EQ(evidence_of(*matcher, "a.$regex", name), "operator_key(certain) [$regex]");
  EXPECT_EQ(evidence_of(*matcher, "filters[price][$gt]", name), "operator_name(possible) [[$gt]]");
  EXPECT_EQ(evidence_of(*matcher, "filters[$gt]", name), "operator_name(certain) [[$gt]]");
  EXPECT_EQ(evidence_of(*matcher, "filters[password][$gt]", name), "operator_name(certain) [[$gt]]");
  EXPECT_EQ(evidence_of(*matcher, "user[price][$gt]", name), "operator_name(certain) [[$gt]]");
  EXPECT_EQ(evidence_of(*matcher, "filters[price][$ne]", name), "operator_name(certain) [[$ne]]");
  EXPECT_EQ(evidence_of(*matcher, "a__password__lt", name), "lookup(certain) [a__password__lt]");
  EXPECT_EQ(evidence_of(*matcher, "a__name__startswith", name), "lookup(possible) [a__name__startswith]");
  EXPECT_EQ(evidence_of(*matcher, "user__pin__gt", name), "lookup(possible) [user__pin__gt]");
  for (const char* filter : {"since__gte", "tags__id__exact", "tags__isnull"})
    EXPECT_EQ(evidence_of(*matcher, filter, name), "") << filter;
}

std::string key_verdict(std::string_view key, std::string_view parent, std::string_view outermost = {}) {
  FieldContext context;
  context.location = Location::kBody;
  context.in_name = true;
  context.parent = parent;
  context.outermost = outermost;
  return verdict_in(analyzer_named("nosql"), key, context);
}

// {"password": {"$gt": ""}}
TEST(Nosql, KeysByTheirPath) {
  for (const char* key : {"$ne", "$nin", "$regex", "$nor", "$lookup", "$unionWith"}) {
    EXPECT_EQ(key_verdict(key, "price"), "balanced") << key;
    EXPECT_EQ(verdict_of(analyzer_named("nosql"), std::string("user[") + key + "]", Location::kQuery, true),
              "balanced");
  }
  for (const char* key : {"$where", "$function", "$accumulator", "$func"})
    EXPECT_EQ(key_verdict(key, "a"), "low") << key;
  for (const char* key : {"$gt", "$gte", "$lt", "$lte", "$GT"}) {
    for (const char* owner : {"password", "pwd", "user[token]", "username", "email"})
      EXPECT_EQ(key_verdict(key, owner), "balanced") << owner << key;
    EXPECT_EQ(key_verdict(key, "price"), "strict") << key;
  }
  EXPECT_EQ(key_verdict("$exists", "password"), "balanced");
  EXPECT_EQ(key_verdict("$in", "email"), "strict");
  for (const char* key : {"$exists", "$type", "$not", "$mod", "$size", "$elemMatch"}) {
    EXPECT_EQ(key_verdict(key, "email"), "balanced") << key;
    EXPECT_EQ(key_verdict(key, "price"), "strict") << key;
  }
  for (const char* key : {"$ref", "$schema", "$id", "$filter", "$top", "$orderby", "$", "$$a", "gt", "len"})
    EXPECT_EQ(key_verdict(key, "password"), "-") << key;
}

// {"selector": {"price": {"$ne": 5}}}: the interface asks for a query, but not for one that guesses a secret.
// A secret's word may be the last of a name.
TEST(Nosql, SecretsByTheirLastWord) {
  for (const char* owner :
       {"resetToken", "new_password", "verificationCode", "user_otp", "accessToken", "passwordHash"})
    EXPECT_EQ(key_verdict("$gt", owner), "balanced") << owner;
  for (const char* owner : {"zipCode", "countryCode", "code", "spin", "tokens", "fileHash",
                            "continuationToken", "passwordUpdated", "secretary"})
    EXPECT_EQ(key_verdict("$gt", owner), "strict") << owner;
}

// Prisma, Sequelize and LoopBack compare by operators that have no sign of their own.
TEST(Nosql, OperatorsOfMappersOnSecrets) {
  const Analyzer& analyzer = analyzer_named("nosql");
  for (const char* name :
       {"password[startsWith]", "password[not]", "reset_token[in]", "filter[where][password][like]"})
    EXPECT_EQ(verdict_of(analyzer, name, Location::kQuery, true), "balanced") << name;
  for (const char* name : {"name[contains]", "price[gt]", "password[first]", "[not]", "not]", "token[in]",
                           "filter[tx_hash][in]", "filter[is_admin][in]", "validation[password][regex]"})
    EXPECT_EQ(verdict_of(analyzer, name, Location::kQuery, true), "-") << name;
  for (const char* key : {"startsWith", "endsWith", "notIn"}) {
    EXPECT_EQ(key_verdict(key, "password"), "balanced") << key;
    EXPECT_EQ(key_verdict(key, "name"), "-") << key;
  }
}

TEST(Nosql, KeysInQueries) {
  for (const char* outermost : {"selector", "filter", "where"}) {
    for (const char* key : {"$ne", "$nin", "$regex", "$gt"}) {
      EXPECT_EQ(key_verdict(key, "price", outermost), "strict") << outermost << key;
      EXPECT_EQ(key_verdict(key, "email", outermost), "strict") << outermost << key;
      EXPECT_EQ(key_verdict(key, "password", outermost), "balanced") << outermost << key;
    }
    EXPECT_EQ(key_verdict("$where", "price", outermost), "low") << outermost;
  }
  for (const char* outermost : {"user", "login", "data"})
    EXPECT_EQ(key_verdict("$ne", "price", outermost), "balanced") << outermost;
  FieldContext query;
  query.name = "where";
  const Analyzer& analyzer = analyzer_named("nosql");
  EXPECT_EQ(verdict_in(analyzer, R"({"age":{"$gt":18}})", query), "strict");
  EXPECT_EQ(verdict_in(analyzer, R"({"password": {"$gt":""}})", query), "balanced");
  EXPECT_EQ(verdict_in(analyzer, R"({"age":{"$where":"1"}})", query), "low");
  query.name = "user";
  EXPECT_EQ(verdict_in(analyzer, R"({"age":{"$gt":18}})", query), "balanced");
}

// Variables of GraphQL are called as operators are; an operator has a value.
TEST(Nosql, VariablesOfGraphql) {
  const auto matcher = make_nosql_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("mutation C($post: ID!, $text: String!) { comment(post: $post, text: $text) { id } }"), "");
  EXPECT_EQ(found("query($n: Int = 20, $in: [ID!]!, $where: Where, $size: Int @a) { b }"), "");
  EXPECT_EQ(found("query A($a: X, $text: S) { b(c: [1]) } query B($d: [X], $search: S, $not: T) { e }"), "");
  EXPECT_EQ(found("{a: 1, $text: String, b: 1}"), "operator_document(certain) [, $text:]");
  EXPECT_EQ(found("f({a: 1, $where: this, b: 1})"), "server_script(certain) [, $where:]");
  EXPECT_EQ(found("(a, $where: '1')"), "server_script(certain) [, $where:]");
  EXPECT_EQ(found("(a), $ne: x, "), "operator_document(certain) [, $ne:]");
  EXPECT_EQ(found("(a, $gt: 1)"), "operator_document(certain) [, $gt:]");
}

TEST(Nosql, ProgramsAreFiles) {
  const Analyzer& analyzer = analyzer_named("nosql");
  for (const char* text : {"const a = db.users.find({age: {$gt: 5}})\nrun(a)", "a = [\"b\"] || this.c\n",
                           "find({\"a\": 1, $or: [1]})\nprint(1)"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kBody, false, ""))) << text;
}

}  // namespace
}  // namespace wafd::detect
