// The prefilter at every length and position: the vector code of a matcher has edges (16, 32, 64 bytes) at
// which a wrong build loses matches. An attack stays found however many ordinary bytes stand before it.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "detect/core/verdict.h"
#include "detect/engine.h"
#include "detect/offline.h"

namespace wafd::detect {
namespace {

TEST(PrefilterPositions, NoLengthLosesAnAttack) {
  struct Row {
    std::string_view module;
    std::string_view text;
  };
  constexpr Row kRows[] = {
      {"m_sqli", "' or 1=1-- "},
      {"m_sqli", "'-- "},
      {"m_sqli", "' union select 1,2-- "},
      {"m_sqli", "') order by 5#"},
      {"m_sqli", "'; drop table t-- "},
      {"m_sqli", "' and sleep(5)-- "},
      {"m_ldap", "*)(uid=*"},
      {"m_ldap", ")(&)"},
      {"m_nosql", "' || '1'=='1"},
      {"m_nosql", "{\"$ne\":1}"},
      {"m_xpath", "'] | //user/*"},
      {"m_xpath", "' or count(/*)=1 or '"},
  };
  const auto engine = Engine::build({});
  ASSERT_TRUE(engine.has_value()) << engine.error().what;
  const auto scratch = (*engine)->make_scratch();
  Verdict verdict;
  std::size_t judged = 0;
  for (const Row& row : kRows) {
    for (std::size_t pad = 0; pad < 140; ++pad) {
      const std::string text = std::string(pad, 'k') + std::string(row.text);
      std::string request = "GET /?q=";
      for (const char c : text) {
        constexpr char kHex[] = "0123456789abcdef";
        request += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[static_cast<unsigned char>(c) & 15]};
      }
      request += " HTTP/1.1\r\nHost: a.example\r\n\r\n";
      (*engine)->inspect(split_request(request), *scratch, verdict);
      bool found = false;
      for (const Finding& finding : verdict.findings) found = found || finding.rule->module == row.module;
      EXPECT_TRUE(found) << row.text << " behind " << pad << " bytes";
      ++judged;
    }
  }
  EXPECT_EQ(judged, std::size(kRows) * 140);
}

}  // namespace
}  // namespace wafd::detect
