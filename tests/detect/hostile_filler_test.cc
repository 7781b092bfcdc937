// A plain injection behind text that is made to cost much, in requests of each kind: found, or denied because
// not everything was read. Which requests those are: tests/detect/steps/hostile_requests.h.
#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/core/cost_budget.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "detect/policy/policy.h"
#include "tests/detect/full_engine.h"
#include "tests/detect/steps/hostile_requests.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kFillerBytes = 16u << 10;
constexpr std::string_view kAttack = "1' union select password from users-- -";

// Where a value stands last in a body of that type: what comes before it, between it and the end, and the
// end.
struct Ending {
  const char* type;
  const char* before;
  const char* behind;
  const char* end;
};
constexpr Ending kEndings[] = {
    {"urlencoded", "&last=", "", ""},
    {"json", ",\"last\":\"", "\"}", "}"},
    {"multipart", "--x\r\nContent-Disposition: form-data; name=\"last\"\r\n\r\n", "\r\n--x--\r\n",
     "--x--\r\n"},
    {"application/xml", "<last>", "</last></a>", "</a>"},
    {"csv", "last,", "\r\n", ""},
    {"yaml", "last: \"", "\"\n", ""},
    {"graphql", "(last:\"", "\"){c}}", "}"},
    {"text/plain", "\n", "", ""},
};

// With the attack as the last value of the body, or of the request's last header.
std::string with_attack_behind(std::string request) {
  const std::string head = request.substr(0, request.find("\r\n\r\n"));
  for (const Ending& ending : kEndings) {
    if (head.find(ending.type) == std::string::npos) continue;
    const std::string_view end = ending.end;
    // An attribute list and an object that the filler did not leave open.
    if (request.ends_with(end)) request.resize(request.size() - end.size());
    return request.append(ending.before).append(kAttack).append(ending.behind);
  }
  const std::size_t blank = request.find("\r\n\r\n");
  return request.insert(blank, "\r\nCookie: last=" + std::string(kAttack));
}

std::string with_attack_in_query(std::string request) {
  const std::size_t target_end = request.find(" HTTP/1.1");
  const bool query = request.find('?') < target_end;
  std::string attack(kAttack);
  std::replace(attack.begin(), attack.end(), ' ', '+');
  return request.insert(target_end, (query ? "&last=" : "?last=") + attack);
}

TEST(HostileFiller, HidesNoAttackAtDefaultSettings) {
  const auto policy = Policy::build({});
  ASSERT_TRUE(policy);
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  std::size_t found = 0;
  std::size_t all = 0;
  for (const HostileRequest& kind : kHostileRequests) {
    for (const char* unit : {"\"$(", ";cat \""}) {
      const std::string filler = kind.make(unit, kFillerBytes);
      for (const std::string& bytes : {with_attack_behind(filler), with_attack_in_query(filler)}) {
        const Request request = split_request(bytes);
        full_engine().inspect(request, *scratch, verdict);
        const bool known =
            std::any_of(verdict.findings.begin(), verdict.findings.end(), [](const Finding& f) {
              return f.rule->module == "m_sqli" && f.payload.find("password") != std::string::npos;
            });
        EXPECT_TRUE(known || verdict.limit_reached) << kind.name << ' ' << unit;
        const Decision decision = policy->decide(request, scratch->head(), verdict, Enforcement::kInline, 0);
        EXPECT_EQ(decision.action, Action::kDeny) << kind.name << ' ' << unit;
        found += known ? 1 : 0;
        ++all;
      }
    }
  }
  // In a query it is read before any body; behind a body, unless the limit came first.
  EXPECT_GE(found, all * 9 / 10) << "of " << all;
  RecordProperty("found", static_cast<int>(found));
}

// Words between a tag or a delimiter and what makes it an attack: each piece knows what it begins inside of.
TEST(HostileFiller, OfWordsHidesNothingInTagsAndDelimiters) {
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  std::string words;
  for (int i = 0; words.size() < 9000; ++i) words += " word" + std::to_string(i * 7919);
  const std::string more = words + words;
  for (const std::string& value :
       {"<img" + words + " src=x" + words + " onerror=alert(1)>", "<svg" + more + " onload=alert(1)>",
        "<script" + more + " src=//evil.example>", "{{'" + more + "'and 7*7}}", "${'" + more + "'+7*7}"}) {
    const std::string body = "{\"v\":\"" + value + "\"}";
    const std::string bytes =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body;
    full_engine().inspect(split_request(bytes), *scratch, verdict);
    EXPECT_TRUE(std::any_of(verdict.findings.begin(), verdict.findings.end(), [](const Finding& f) {
      return f.denies_from && *f.denies_from <= Sensitivity::kBalanced;
    })) << value.substr(0, 8);
  }
}

// A text that is long for nothing but blanks, a byte over and over or a comment is no document.
TEST(HostileFiller, MakesNoDocumentOfAnAttack) {
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  const std::string blanks(1500, '+');  // of a form
  for (const std::string_view attack : {"1;system('id');", "{php}system('id');{/php}", "vbscript:msgbox(1)",
                                        "1+or+id*1", "phpinfo()", "'-0-'"}) {
    for (const std::string& value : {std::string(attack) + blanks, blanks + std::string(attack)}) {
      const std::string body = "v=" + value;
      const std::string bytes =
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
          "Content-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body;
      full_engine().inspect(split_request(bytes), *scratch, verdict);
      EXPECT_TRUE(std::any_of(verdict.findings.begin(), verdict.findings.end(), [](const Finding& f) {
        return f.denies_from && *f.denies_from <= Sensitivity::kBalanced;
      })) << value;
    }
  }
}

// Words of one attack, each in another piece of a long text. Databases pass over what stands between them.
TEST(HostileFiller, BetweenTheWordsOfAnAttackTearsNothingApart) {
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  std::string mixed;
  while (mixed.size() < 9000) mixed += "\t\n \r";
  const std::string filler[] = {std::string(9000, ' '), mixed, "/*" + std::string(9000, 'A') + "*/",
                                "-- " + std::string(9000, 'A') + "\n"};
  for (const std::string& between : filler) {
    for (const std::string_view words :
         {"1~union~select~password~from~users", "1~and~sleep(5)", "1~or~1=1"}) {
      std::string value = std::string(17000, '0');
      for (const char c : words) value += c == '~' ? between : std::string(1, c);
      std::string body = "{\"v\":\"";
      for (const char c : value) {
        const std::string_view escaped = c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\t' ? "\\t" : "";
        body += escaped.empty() ? std::string(1, c) : std::string(escaped);
      }
      body += "\"}";
      const std::string bytes =
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body;
      const Request request = split_request(bytes);
      full_engine().inspect(request, *scratch, verdict);
      EXPECT_TRUE(std::any_of(verdict.findings.begin(), verdict.findings.end(), [](const Finding& f) {
        return f.rule->module == "m_sqli" && f.denies_from && *f.denies_from <= Sensitivity::kBalanced;
      })) << words;
    }
  }
}

}  // namespace
}  // namespace wafd::detect
