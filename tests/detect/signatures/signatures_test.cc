// Rule files: what they may say, and the exact word about what they may not.
#include "detect/signatures/signatures.h"

#include <string>

#include <gtest/gtest.h>

#include "detect/engine.h"
#include "detect/offline.h"

namespace wafd::detect {
namespace {

std::string one(const std::string& members) { return "{\"rules\": [\n{" + members + "}\n]}"; }

const std::string kGood = R"("id":"a","name":"A","attack_type":"custom","risk":"low","expression":"abc")";

TEST(Signatures, RefusedWithFileLineRuleAndReason) {
  struct Row {
    std::string text;
    std::string error;
  };
  const Row rows[] = {
      {"", "f.json:1: not JSON: incomplete JSON"},
      {"{\"rules\": [\n\n{]}", "f.json:3: not JSON: syntax error"},
      {"[]", "f.json:1: expected an object with one member, the list \"rules\""},
      {"{\"rules\": [], \"more\": 1}", "f.json:1: expected an object with one member, the list \"rules\""},
      {"{\"rules\": [1]}", "f.json:1: element 0 of \"rules\" is no object"},
      {one(R"("name":"A","attack_type":"custom","risk":"low","expression":"abc")"),
       "f.json:2: \"id\" is missing"},
      {one(R"("id":"A b","name":"A","attack_type":"custom","risk":"low","expression":"x")"),
       "f.json:2: rule \"A b\": \"id\": expected at most 64 lower-case letters, digits and dashes"},
      {one(R"("id":"a","name":"A","attack_type":"evil","risk":"low","expression":"x")"),
       "f.json:2: rule \"a\": \"attack_type\": expected a type of the attack log, such as backdoor or "
       "custom"},
      {one(R"("id":"a","name":"A","attack_type":"custom","risk":"huge","expression":"x")"),
       "f.json:2: rule \"a\": \"risk\": expected low, medium or high"},
      {one(kGood + R"(,"denies_from":"always")"),
       "f.json:2: rule \"a\": \"denies_from\": expected low, balanced, strict or never"},
      {one(kGood + R"(,"location":"uri")"),
       "f.json:2: rule \"a\": \"location\": expected urlpath, query, header, cookie, body, file, one of them "
       "with _name, parameter or any"},
      {one(kGood + R"(,"number":7)"), "f.json:2: rule \"a\": \"number\": expected 10000 to 999999"},
      {one(kGood + R"(,"colour":"red")"), "f.json:2: rule \"a\": unknown key \"colour\""},
      {one(kGood + R"(,"through":"rot13")"),
       "f.json:2: rule \"a\": \"through\": there is no transformation \"rot13\""},
      {one(kGood + R"(,"decodings":["rot13"])"),
       "f.json:2: rule \"a\": \"decodings\": there is no transformation \"rot13\""},
      {one(kGood + R"(,"and":[{"location":"query"}])"), "f.json:2: rule \"a\": \"expression\" is missing"},
      {"{\"rules\": [\n{" + kGood + "},\n// another\n{" + kGood + "}]}",
       "f.json:4: rule \"a\": there is a rule of that id already"},
      {"{\"rules\": [{" + kGood +
           "},\n{\"id\":\"b\",\"name\":\"B\",\"attack_type\":\"custom\",\"risk\":\"low\",\"expression\":\"("
           "\"}]}",
       "f.json:2: rule \"b\": \"expression\" (: Missing close parenthesis for group started at index 0."},
      {one(R"("id":"a","name":"A","attack_type":"custom","risk":"low","expression":".*")"),
       "f.json:2: rule \"a\": \"expression\" .*: it matches a value of no bytes, so it says nothing"},
      {"\xff\xfe{\"rules\": []}", "f.json:1: not JSON: syntax error"},
      {one(kGood + R"(,"and":3)"), "f.json:2: rule \"a\": \"and\": expected a list of conditions"},
      {one(R"("id":"a","name":"A","attack_type":"custom","risk":"low","expression":"x\\Z")"),
       "f.json:2: rule \"a\": \"expression\" x\\Z: \\A, \\z, \\Z and \\G cannot be used here; ^ and $ mean "
       "the ends of a value"},
  };
  for (const Row& row : rows) {
    std::vector<Signature> signatures;
    const auto mistakes = check_signatures("f.json", row.text, signatures);
    ASSERT_EQ(mistakes.size(), 1u) << row.text;
    EXPECT_EQ(mistakes.front().what, row.error);
  }
}

TEST(Signatures, EveryMistakeOfAFileIsNamedInItsOrder) {
  const std::string text = R"({"rules": [
  {"id": "a", "name": "A", "attack_type": "custom", "risk": "low", "expression": "abc"},
  {"id": "B!",
   "name": 7,
   "risk": "huge",
   "expression": "(",
   "location": ["query", "moon", 3],
   "r\u0069sk": "low",
   "and": [{"expression": "x\\z", "name": "y"}, 4],
  },
  "c", // no object
  {"id": "a", "name": "A", "attack_type": "custom", "risk": "low", "expression": "abc", /* } */
   "id": "d", "number": 10000.0},
  {"id": "a", "name": "A", "attack_type": "custom", "risk": "low", "expression": "abc"},
  {"id": "e\u001b", "name": "E", "attack_type": "custom", "risk": "low", "expression": "abc"},
  {"id": "f", "name": "F", "attack_type": "custom", "risk": "low", "expression": "abc"}
]})";
  std::vector<Signature> signatures;
  std::string said;
  for (const Error& mistake : check_signatures("f", text, signatures)) said += mistake.what + "\n";
  EXPECT_EQ(said, R"(f:3: rule "B!": "attack_type" is missing
f:3: rule "B!": "id": expected at most 64 lower-case letters, digits and dashes
f:4: rule "B!": "name": expected a string
f:5: rule "B!": "risk": expected low, medium or high
f:6: rule "B!": "expression" (: Missing close parenthesis for group started at index 0.
f:7: rule "B!": "location": expected urlpath, query, header, cookie, body, file, one of them with _name, parameter or any
f:7: rule "B!": "location": expected strings
f:8: rule "B!": "risk" is given twice
f:9: rule "B!": "expression" x\z: \A, \z, \Z and \G cannot be used here; ^ and $ mean the ends of a value
f:9: rule "B!": unknown key "name"
f:9: rule "B!": "and": expected objects
f:11: element 2 of "rules" is no object
f:13: rule "a": "id" is given twice
f:13: rule "a": "number": expected 10000 to 999999
f:14: rule "a": there is a rule of that id already
f:15: rule "e\u001b": "id": expected at most 64 lower-case letters, digits and dashes
)");
  ASSERT_EQ(signatures.size(), 2u);
  EXPECT_EQ(signatures[1].rule.name, "F");
}

TEST(Signatures, MistakesAreBounded) {
  std::string text = "{\"rules\": [";
  for (int i = 0; i < 300; ++i) text += "\n1,";
  std::vector<Signature> signatures;
  const auto mistakes = check_signatures("f", text + "]}", signatures);
  ASSERT_EQ(mistakes.size(), kMaxMistakes);
  EXPECT_EQ(mistakes.back().what, "f:101: element 99 of \"rules\" is no object");
}

TEST(Signatures, AnOperatorsMistakeStopsTheBuildWithItsPlace) {
  const std::string text = one(R"("id":"a","name":"A","attack_type":"custom","risk":"low","expression":"(")");
  const RuleFile file{"mine.json", text};
  const auto engine = Engine::build({}, std::span(&file, 1), Engine::Options{false, true});
  ASSERT_FALSE(engine);
  EXPECT_TRUE(engine.error().what.starts_with("mine.json:2: rule \"a\": \"expression\""))
      << engine.error().what;
}

// Compiled sets of the built-in signatures are used again whatever rules are added: an operator's rule costs
// the compilation of that rule alone.
TEST(Signatures, ThoseOfAnOperatorAreCompiledApartFromTheBuiltInOnes) {
  CompiledSets builtin;
  Engine::Options options;
  options.sets.made = &builtin;
  ASSERT_TRUE(Engine::build({}, options));
  // One that has a marker, one that has none.
  const std::string text = R"({"rules": [
{"id":"a","name":"A","attack_type":"custom","risk":"low","expression":"staging_area"},
{"id":"b","name":"B","attack_type":"custom","risk":"low","expression":"[^a-z]{4}[^0-9]"}]})";
  const RuleFile file{"mine.json", text};
  options.sets.made = nullptr;
  options.sets.known = &builtin;
  options.sets.compile = false;
  const auto unknown = Engine::build(std::span(&file, 1), options);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kUnknown);
  CompiledSets own;
  Engine::Options alone{false, true};
  alone.sets.made = &own;
  ASSERT_TRUE(Engine::build({}, std::span(&file, 1), alone));
  EXPECT_EQ(own.size(), 2u);
  for (const std::string_view expression : {"staging_area", "[^a-z]{4}[^0-9]"}) {
    const std::string key = CompiledSets::key_of(std::span(&expression, 1));
    ASSERT_NE(own.find(key), nullptr) << expression;
    builtin.keep(key, *own.find(key));
  }
  const auto both = Engine::build(std::span(&file, 1), options);
  EXPECT_TRUE(both) << both.error().what;
}

class Matching : public testing::Test {
 protected:
  // Numbers of rules found in the request, in order.
  std::string found(const std::string& rules, const std::string& bytes) {
    const std::string text = "{\"rules\": [" + rules + "]}";
    const RuleFile file{"f.json", text};
    auto engine = Engine::build({}, std::span(&file, 1), Engine::Options{false, true});
    EXPECT_TRUE(engine) << engine.error().what;
    if (!engine) return "error";
    const auto scratch = (*engine)->make_scratch();
    Verdict verdict;
    (*engine)->inspect(split_request(bytes), *scratch, verdict);
    std::string out;
    for (const Finding& finding : verdict.findings) {
      out += std::to_string(finding.rule->number) + ":" + finding.payload + " ";
    }
    return out;
  }
  static std::string rule(int number, const std::string& members) {
    return "{\"id\":\"r" + std::to_string(number) + "\",\"number\":" + std::to_string(number) +
           ",\"name\":\"R\",\"attack_type\":\"custom\",\"risk\":\"low\"," + members + "}";
  }
};

TEST_F(Matching, LocationNameAndDecodings) {
  const std::string get = "GET /path?a=abc&b=%61%62%63&abc=1 HTTP/1.1\r\nX-Y: abc\r\nCookie: c=abc\r\n\r\n";
  EXPECT_EQ(found(rule(10001, R"("expression":"abc","location":"query")"), get), "10001:abc 10001:abc ");
  EXPECT_EQ(found(rule(10001, R"("expression":"abc","location":"query","parameter":"B")"), get),
            "10001:abc ");
  EXPECT_EQ(found(rule(10001, R"("expression":"abc","location":"query","decodings":[])"), get), "10001:abc ");
  EXPECT_EQ(found(rule(10001, R"("expression":"^abc$","location":"query_name")"), get), "10001:abc ");
  EXPECT_EQ(found(rule(10001, R"("expression":"abc","location":["header","cookie"])"), get),
            "10001:abc 10001:abc ");
  EXPECT_EQ(found(rule(10001, R"("expression":"abc","location":"urlpath")"), get), "");
  EXPECT_EQ(found(rule(10001, R"("expression":"A.C")"), get), "10001:abc 10001:abc 10001:abc 10001:abc ");
}

TEST_F(Matching, AllConditionsAnywhereInTheRequest) {
  const std::string two = rule(
      10001,
      R"("location":"urlpath","expression":"^/x$","and":[{"location":"query","expression":"."},{"location":"header","parameter":"k","expression":"v"}])");
  EXPECT_EQ(found(two, "GET /x?a=1 HTTP/1.1\r\nK: v\r\n\r\n"), "10001:/x ");
  EXPECT_EQ(found(two, "GET /x?a=1 HTTP/1.1\r\nK: w\r\n\r\n"), "");
  EXPECT_EQ(found(two, "GET /x HTTP/1.1\r\nK: v\r\n\r\n"), "");
  EXPECT_EQ(found(two, "GET /y?a=1 HTTP/1.1\r\nK: v\r\n\r\n"), "");
}

TEST_F(Matching, AMatchAcrossTwoValuesIsNone) {
  EXPECT_EQ(found(rule(10001, R"("expression":"abc\\s+def")"), "GET /?a=abc&b=def HTTP/1.1\r\n\r\n"), "");
  EXPECT_EQ(found(rule(10001, R"("expression":"abc\\s+def")"), "GET /?a=abc+def HTTP/1.1\r\n\r\n"),
            "10001:abc def ");
}

}  // namespace
}  // namespace wafd::detect
