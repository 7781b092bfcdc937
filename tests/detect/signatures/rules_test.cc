// Every built-in signature with requests that it must match and near ones that it must not
// (tests/detect/signatures/rules/*.txt).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"
#include "detect/core/rule_id.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "detect/signatures/builtin_rules.h"
#include "detect/signatures/required_literals.h"
#include "detect/signatures/signatures.h"

namespace wafd::detect {
namespace {

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (two == "\\r" || two == "\\n") {
      out += two == "\\r" ? '\r' : '\n';
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

// "METHOD target | Header: value || body" -> a request.
std::string request_of(std::string text) {
  std::string body;
  if (const std::size_t at = text.find(" || "); at != std::string::npos) {
    body = text.substr(at + 4);
    // Only bodies of several parts need line ends; elsewhere a backslash is a backslash.
    if (body.starts_with("--")) body = unescaped(body);
    text.resize(at);
  }
  std::string headers;
  std::size_t bar = text.find(" | ");
  std::string line = text.substr(0, bar);
  while (bar != std::string::npos) {
    const std::size_t next = text.find(" | ", bar + 3);
    headers += text.substr(bar + 3, next == std::string::npos ? next : next - bar - 3) + "\r\n";
    bar = next;
  }
  return line + " HTTP/1.1\r\nHost: shop.example\r\n" + headers + "\r\n" + body;
}

// CVE-YYYY-NNNN, four digits or more.
bool is_cve(std::string_view text) {
  if (!text.starts_with("CVE-") || text.size() < 13 || text[8] != '-') return false;
  const std::string_view year = text.substr(4, 4);
  const std::string_view number = text.substr(9);
  return std::all_of(year.begin(), year.end(), is_digit) &&
         std::all_of(number.begin(), number.end(), is_digit) && year >= "1999" && year <= "2099";
}

TEST(Rules, EachMatchesItsRequestsAndNotTheNearOnes) {
  Engine::Options options;
  const auto engine = Engine::build({}, {}, options);
  ASSERT_TRUE(engine) << engine.error().what;
  const auto scratch = (*engine)->make_scratch();
  std::map<std::string, std::pair<int, int>> seen;  // by rule id: matches, near misses
  Verdict verdict;
  int cases = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(WAFD_SOURCE_DIR "/tests/detect/signatures/rules")) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      const std::size_t space = line.find(' ');
      ASSERT_TRUE(space != std::string::npos && line.size() > space + 3) << line;
      const std::string id = rule_id("m_rule", line.substr(0, space));
      const bool must = line[space + 1] == '+';
      const std::string bytes = request_of(line.substr(space + 3));
      (*engine)->inspect(split_request(bytes), *scratch, verdict);
      bool found = false;
      for (const Finding& finding : verdict.findings) found = found || finding.rule->id == id;
      EXPECT_EQ(found, must) << line;
      ++(must ? seen[id].first : seen[id].second);
      ++cases;
    }
  }
  std::vector<Signature> signatures;
  for (const RuleFile& file : builtin_rules()) ASSERT_TRUE(load_signatures(file.name, file.json, signatures));
  std::size_t path_alone = 0;
  std::size_t cve_path_alone = 0;
  std::set<std::string> cves;
  for (const Signature& signature : signatures) {
    const Rule& rule = signature.rule;
    EXPECT_GT(seen[rule.id].first, 0) << rule.name << " has no request that must match";
    EXPECT_GT(seen[rule.id].second, 0) << rule.name << " has no near miss";
    const bool path = std::all_of(
        signature.conditions.begin(), signature.conditions.end(),
        [](const Condition& c) { return c.locations == location_bit(Location::kUrlPath, false); });
    path_alone += path ? 1 : 0;
    if (rule.cve.empty()) continue;
    cve_path_alone += path ? 1 : 0;
    EXPECT_TRUE(is_cve(rule.cve)) << rule.cve;
    EXPECT_TRUE(cves.insert(rule.cve).second) << rule.cve << " has two rules";
  }
  EXPECT_EQ(seen.size(), signatures.size());
  EXPECT_GE(cases, 2 * static_cast<int>(signatures.size()));
  EXPECT_GE(cves.size(), 100u);
  EXPECT_LE(path_alone * 3, signatures.size());
  EXPECT_LE(cve_path_alone * 3, cves.size());
}

// A first condition without a required literal is scanned for in every text of its places: few may be.
TEST(Rules, FirstConditionsHaveALiteral) {
  std::vector<Signature> signatures;
  for (const RuleFile& file : builtin_rules()) ASSERT_TRUE(load_signatures(file.name, file.json, signatures));
  std::vector<std::string> without;
  for (const Signature& signature : signatures) {
    if (required_literals(signature.conditions.front().expression).empty())
      without.push_back(signature.rule.name);
  }
  EXPECT_LE(without.size(), 5u) << testing::PrintToString(without);
}

TEST(Rules, TheSampleCaseIsABackdoorInThePath) {
  const auto engine = Engine::build({});
  ASSERT_TRUE(engine) << engine.error().what;
  const auto scratch = (*engine)->make_scratch();
  Verdict verdict;
  (*engine)->inspect(split_request("GET /webshell.php HTTP/1.1\r\nHost: a\r\n\r\n"), *scratch, verdict);
  const int deciding = deciding_finding(verdict, Sensitivity::kBalanced);
  ASSERT_GE(deciding, 0);
  const Finding& finding = verdict.findings[static_cast<std::size_t>(deciding)];
  EXPECT_EQ(finding.rule->attack_type, AttackType::kBackdoor);
  EXPECT_EQ(finding.rule->risk, Risk::kHigh);
  EXPECT_STREQ(to_string(finding.location, finding.in_name), "urlpath");
  EXPECT_EQ(finding.payload, "/webshell.php");
  EXPECT_EQ(finding.raw_begin, 4u);
  EXPECT_EQ(finding.raw_end, 17u);
}

}  // namespace
}  // namespace wafd::detect
