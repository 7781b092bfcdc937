// Evidence and its place -> rule, sensitivity and sentence.
#include "detect/judge/judge.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace wafd::detect {
namespace {

enum class SampleEvidence : std::uint8_t { kQuery, kComment };

// Finds "select" (certain in upper case, else likely) and "--" (possible).
class TestMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "test"; }
  std::span<const std::string_view> evidence() const noexcept override {
    static constexpr std::array<std::string_view, 2> kNames{"query", "comment"};
    return kNames;
  }
  Needs needs() const override { return {{any_word({"select"})}, {any_literal({"--"})}}; }
  void find(std::string_view text, const FieldContext&, EvidenceList& out) const override {
    if (const std::size_t at = text.find("SELECT"); at != text.npos)
      out.add(SampleEvidence::kQuery, Certainty::kCertain, at, at + 6, "SELECT");
    if (const std::size_t at = text.find("select"); at != text.npos)
      out.add(SampleEvidence::kQuery, Certainty::kLikely, at, at + 6, "select\n");
    if (const std::size_t at = text.find("--"); at != text.npos)
      out.add(SampleEvidence::kComment, Certainty::kPossible, at, at + 2);
  }
};

constexpr JudgedRule kRules[] = {{9000, "query", AttackType::kSqli, Risk::kHigh, "A query"},
                                 {9001, "odd", AttackType::kSqli, Risk::kLow, "Odd"}};
constexpr Judgement kJudgements[] = {
    {"*", Certainty::kPossible, Where::kQuoted, Denial::kNever, "odd", "Quotes {}"},
    {"query", Certainty::kCertain, Where::kAnywhere, Denial::kLow, "query", "Holds {} of SQL"},
    {"query", Certainty::kLikely, Where::kSecret, Denial::kIgnore, "", ""},
    {"query", Certainty::kLikely, Where::kHeader | Where::kCookie, Denial::kStrict, "query",
     "{} in a header"},
    {"query", Certainty::kLikely, Where::kMounts, Denial::kStrict, "query", "Mounts {}"},
    {"query", Certainty::kLikely, Where::kScript, Denial::kNever, "query", "Runs {}"},
    {"query", Certainty::kLikely, Where::kCommands, Denial::kNever, "query", "Keeps {}"},
    {"query", Certainty::kLikely, Where::kAnywhere, Denial::kBalanced, "query", "Perhaps {}"},
    {"comment", Certainty::kPossible, Where::kAnywhere, Denial::kNever, "odd", "A comment"},
};

class JudgeTest : public testing::Test {
 protected:
  std::string judge(std::string_view text, Location location = Location::kQuery, std::string_view name = "p",
                    bool in_name = false) {
    FieldContext context;
    context.location = location;
    context.name = name;
    context.in_name = in_name;
    std::vector<Hit> hits;
    analyzer_->analyze(text, context, hits);
    std::string out;
    for (const Hit& hit : hits) {
      out += out.empty() ? "" : "; ";
      out += analyzer_->rules()[hit.rule].name + "/" +
             (hit.denies_from ? to_string(*hit.denies_from) : "never") + "/" + hit.reason;
    }
    return out;
  }
  std::unique_ptr<Analyzer> analyzer_ = judged(std::make_unique<TestMatcher>(), kJudgements, kRules);
};

TEST_F(JudgeTest, TheFirstRowThatAppliesDecides) {
  EXPECT_EQ(judge("SELECT"), "A query/low/Holds SELECT of SQL");
  EXPECT_EQ(judge("select"), "A query/balanced/Perhaps select ");
  EXPECT_EQ(judge("select", Location::kHeader), "A query/strict/select  in a header");
  EXPECT_EQ(judge("SELECT", Location::kHeader), "A query/low/Holds SELECT of SQL");
  EXPECT_EQ(judge("x -- "), "Odd/never/A comment");
  EXPECT_EQ(judge("SELECT --"), "A query/low/Holds SELECT of SQL; Odd/never/A comment");
  EXPECT_EQ(judge("x"), "");
}

TEST_F(JudgeTest, SecretsHoldAnyBytes) {
  EXPECT_EQ(judge("select", Location::kBody, "user[Pass-Word]"), "");
  EXPECT_EQ(judge("select", Location::kBody, "access_token"), "");
  EXPECT_EQ(judge("SELECT", Location::kBody, "password"), "A query/low/Holds SELECT of SQL");
  EXPECT_EQ(judge("select", Location::kBody, "password", true), "A query/balanced/Perhaps select ");
}

TEST_F(JudgeTest, RulesHaveIdsThatNeverChangeAndTheirGravestSensitivity) {
  ASSERT_EQ(analyzer_->rules().size(), 2u);
  EXPECT_EQ(analyzer_->rules()[0].number, 9000u);
  EXPECT_EQ(analyzer_->rules()[0].module, "m_test");
  EXPECT_EQ(analyzer_->rules()[0].denies_from, Sensitivity::kLow);
  EXPECT_FALSE(analyzer_->rules()[1].denies_from);
}

TEST_F(JudgeTest, QuotedInADocument) {
  const std::string prose =
      "Our reports are made by one statement, which the team has kept for years without a change. It reads "
      "the "
      "orders of the month, and nobody remembers why the second column is there at all. See below.\n\n";
  const std::string fenced = prose + "```\nselect 1\n```\n\nPlease tell me if somebody needs it still.\n";
  EXPECT_EQ(judge(fenced, Location::kBody, "content"), "Odd/never/Quotes select ");
  EXPECT_EQ(judge(fenced, Location::kBody, ""), "A query/balanced/Perhaps select ")
      << "a body without fields";
  EXPECT_EQ(judge(fenced, Location::kQuery, "content"), "A query/balanced/Perhaps select ");
  EXPECT_EQ(judge(fenced, Location::kCookie, "content"), "A query/strict/select  in a header");
  EXPECT_EQ(judge(fenced, Location::kBody, "content", true), "A query/balanced/Perhaps select ");
  EXPECT_EQ(judge(prose + "select 1\n", Location::kBody, "content"), "A query/balanced/Perhaps select ");
  EXPECT_EQ(judge("see `select`", Location::kBody, "content"), "A query/balanced/Perhaps select ");
}

// The decoded text of a part of a document has the place of that part.
TEST_F(JudgeTest, QuotedBeforeADecoding) {
  const std::string prose =
      "Our reports are made by one statement, which the team has kept for years without a change. It reads "
      "the orders of the month, and nobody remembers why the second column is there at all. See below.\n\n";
  const std::string page =
      prose + "```\nfirst of all comes select 1, then the others\n```\n\nPlease tell me.\n";
  const auto judge_part = [&](std::string_view part, std::string_view uncut) {
    FieldContext context;
    context.location = Location::kBody;
    context.name = "content";
    context.whole = part;
    context.uncut = uncut;
    std::vector<Hit> hits;
    analyzer_->analyze(part, context, hits);
    return hits.empty() ? "" : analyzer_->rules()[hits[0].rule].name;
  };
  EXPECT_EQ(judge_part("```\nfirst of all comes select 1, then the others\n```", page), "Odd");
  EXPECT_EQ(judge_part("outside of it comes select 1, then the others\n", page), "A query");
  EXPECT_EQ(judge_part("comes select 1, then", prose + prose), "A query");
  // The same text stands outside of it, too: from which of the two the part came is not known.
  EXPECT_EQ(judge_part("first of all comes select 1, then the others",
                       page + "\nfirst of all comes select 1, then the others\n"),
            "A query");
  // The evidence itself was decoded: what stands around it tells where it is.
  std::string coded = page;
  coded.replace(coded.find("select"), 1, "\\x73");
  EXPECT_EQ(judge_part("```\nfirst of all comes select 1, then the others\n```", coded), "Odd");
}

// Where settings name files and commands of the machine that they are for, by the names of members.
TEST_F(JudgeTest, MembersOfSettings) {
  const auto judge_member = [&](std::string_view parent, std::string_view name, std::string_view decode_path,
                                Location location = Location::kBody, std::string_view text = "select") {
    FieldContext context;
    context.location = location;
    context.parent = parent;
    context.name = name;
    context.decode_path = decode_path;
    std::vector<Hit> hits;
    analyzer_->analyze(text, context, hits);
    return hits.empty() ? "" : hits[0].reason.substr(0, hits[0].reason.find(' '));
  };
  EXPECT_EQ(judge_member("", "mountPath", "json"), "Mounts");
  EXPECT_EQ(judge_member("HostConfig", "Binds", "percent|json"), "Mounts");
  EXPECT_EQ(judge_member("volumes", "source", "yaml"), "Mounts");
  EXPECT_EQ(judge_member("copy", "src", "yaml"), "Mounts");
  EXPECT_EQ(judge_member("job", "run", "yaml"), "Runs");
  // A job begins with a command. What begins with a separator is put behind somebody else's.
  for (const std::string_view text : {"make -j; select", "/bin/x; select", "$DIR/x.sh select", "a && select"})
    EXPECT_EQ(judge_member("job", "args", "yaml", Location::kBody, text), "Runs") << text;
  for (const std::string_view text : {";select", "| select", "x;select", "`select`", "$(select)",
                                      "';select;'", "' select", "&&select", "x| select", ")select"})
    EXPECT_EQ(judge_member("job", "args", "yaml", Location::kBody, text), "Perhaps") << text;
  // Attributes of telemetry: what a process was started with
  EXPECT_EQ(judge_member("process.command_line", "stringValue", "json"), "Keeps");
  EXPECT_EQ(judge_member("process.command_args", "", "protobuf"), "Keeps");
  EXPECT_EQ(judge_member("", "process.args", "json"), "Keeps");
  EXPECT_EQ(judge_member("message", "_CMDLINE", "json"), "Keeps");
  EXPECT_EQ(judge_member("process.command_line", "text", "json"), "Perhaps");
  EXPECT_EQ(judge_member("process.command_line", "", "percent"), "Perhaps");
  EXPECT_EQ(judge_member("process.command_line", "stringValue", "json", Location::kQuery), "Perhaps");
  // Plays and jobs are no JSON, and a parameter is no member.
  EXPECT_EQ(judge_member("file", "path", "json"), "Perhaps");
  EXPECT_EQ(judge_member("template", "src", "json"), "Perhaps");
  EXPECT_EQ(judge_member("job", "run", "json"), "Perhaps");
  EXPECT_EQ(judge_member("", "mountPath", "percent"), "Perhaps");
  EXPECT_EQ(judge_member("", "mountPath", "json", Location::kQuery), "Perhaps");
}

TEST(JudgeBuild, MistakesAreNamed) {
  const TestMatcher matcher;
  const auto mistake = [&](std::span<const Judgement> judgements) {
    const auto made = EvidenceJudge::build(matcher, judgements, kRules);
    return made ? std::string("taken") : made.error().what;
  };
  const Judgement good[] = {{"*", Certainty::kPossible, Where::kAnywhere, Denial::kLow, "odd", ""}};
  EXPECT_EQ(mistake(good), "taken");
  const Judgement no_rule[] = {{"*", Certainty::kPossible, Where::kAnywhere, Denial::kLow, "od", ""}};
  EXPECT_EQ(mistake(no_rule), "test: no rule \"od\"");
  const Judgement no_kind[] = {{"quer", Certainty::kPossible, Where::kAnywhere, Denial::kLow, "odd", ""}};
  EXPECT_EQ(mistake(no_kind), "test: no evidence \"quer\"");
  const Judgement too_few[] = {{"query", Certainty::kPossible, Where::kAnywhere, Denial::kLow, "odd", ""}};
  EXPECT_EQ(mistake(too_few), "test: no judgement of \"comment\"");
}

TEST(EvidenceListTest, KeepsTheMostCertainOfEachKind) {
  EvidenceList list;
  for (std::size_t i = 0; i < 6; ++i)
    list.add(SampleEvidence::kQuery, Certainty::kPossible, 10 * i, 10 * i + 5);
  EXPECT_EQ(list.items().size(), EvidenceList::kMaxOfKind);
  EXPECT_FALSE(list.wants(0, Certainty::kPossible));
  EXPECT_TRUE(list.wants(0, Certainty::kLikely));
  list.add(SampleEvidence::kQuery, Certainty::kCertain, 100, 105);
  list.add(SampleEvidence::kQuery, Certainty::kLikely, 2, 4);
  EXPECT_EQ(list.items().size(), EvidenceList::kMaxOfKind);
  std::size_t certain = 0;
  std::size_t likely = 0;
  for (const Evidence& item : list.items()) {
    certain += item.certainty == Certainty::kCertain ? 1 : 0;
    likely += item.certainty == Certainty::kLikely ? 1 : 0;
  }
  EXPECT_EQ(certain, 1u);
  EXPECT_LE(likely, 1u);
}

}  // namespace
}  // namespace wafd::detect
