// Long, repeated and hostile requests: no attack is lost where a text is cut, no verdict depends on the
// requests before, every cost has a limit.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "detect/engine.h"
#include "detect/offline.h"
#include "tests/detect/full_engine.h"

namespace wafd::detect {
namespace {

std::string dump(const Verdict& verdict) {
  std::string out = std::to_string(verdict.inspected_bytes) + (verdict.limit_reached ? " limit\n" : "\n");
  for (const Finding& finding : verdict.findings) {
    out += std::to_string(finding.rule->number) + " " + to_string(finding.location, finding.in_name) + " " +
           finding.name + " [" + finding.decode_path + "] " + finding.payload + "\n";
  }
  return out;
}

TEST(EngineLimits, AnAttackIsFoundAnywhereInALongText) {
  std::string prose;
  while (prose.size() < 100u << 10) prose += "The quick brown fox jumps over the lazy dog and sleeps. ";
  const std::string attack = "<script>alert(document.cookie)</script>";
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < prose.size(); at += 4001) places.push_back(at);
  for (std::size_t cut = 14u << 10; cut + 2100 < prose.size(); cut += 14u << 10) {
    for (std::size_t near = cut - 40; near < cut + 2100; near += 97) places.push_back(near);
  }
  // Pieces from the end overlap too, wherever they begin behind a space.
  for (std::size_t at = 0; at < prose.size(); at += 397) places.push_back(at);
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  for (const std::size_t at : places) {
    std::string body = prose;
    body.insert(at, attack);
    const std::string bytes = "POST / HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n" + body;
    const Request request = split_request(bytes);
    full_engine().inspect(request, *scratch, verdict);
    bool found = false;
    for (const Finding& finding : verdict.findings) {
      if (finding.rule->module != "m_xss") continue;
      found = true;
      EXPECT_GE(finding.raw_end, at) << "at " << at;
      EXPECT_LE(finding.raw_begin, at + attack.size()) << "at " << at;
    }
    EXPECT_TRUE(found) << "at " << at;
  }
  EXPECT_GT(places.size(), 100u);
}

// Text that begins as many prefilter patterns do, over and over, takes the prefilter little more than other
// text does.
TEST(EngineLimits, BeginningsOfPatternsDoNotUseUpWhatAnAttackBehindThemNeeds) {
  const char* const fillers[] = {"http://a/", "https://a.example/", "//a/", "%22", "a=b/", "a: "};
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  for (const std::string filler : fillers) {
    std::string bytes = "POST /a HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nx=";
    while (bytes.size() < 1u << 20) bytes += filler;
    bytes += "+1%27+union+all+select+null,version()--+-";
    full_engine().inspect(split_request(bytes), *scratch, verdict);
    const auto is_sqli = [](const Finding& finding) { return finding.rule->module == "m_sqli"; };
    EXPECT_TRUE(std::any_of(verdict.findings.begin(), verdict.findings.end(), is_sqli)) << filler;
  }
}

// Whoever has no more time ends the judging; what was found stands, and nothing is remembered of the rest.
TEST(EngineLimits, JudgingEndsWhenItIsEnough) {
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  std::string body;
  while (body.size() < 1u << 20) body += "%2525253c%25252527%3c!--(select";
  const std::string in_head =
      "POST /?a=1%27+union+select+password+from+users-- HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n";
  const std::string bytes = in_head + body;
  full_engine().inspect(split_request(bytes), *scratch, verdict);
  const std::uint64_t whole = scratch->work_units();
  const std::string expected = dump(verdict);
  EXPECT_FALSE(verdict.interrupted);

  std::uint64_t asked = 0;
  Engine::Effort effort;
  effort.enough = [&] { return ++asked, false; };
  full_engine().inspect(split_request(bytes), effort, *scratch, verdict);
  EXPECT_EQ(dump(verdict), expected);
  EXPECT_GE(asked, 10u);
  EXPECT_LE(asked, whole / 1'000'000);

  for (const std::uint64_t last : {std::uint64_t{1}, asked / 2}) {
    std::uint64_t so_far = 0;
    effort.enough = [&] { return ++so_far == last; };
    full_engine().inspect(split_request(bytes), effort, *scratch, verdict);
    EXPECT_EQ(so_far, last) << "it is asked no more";
    EXPECT_TRUE(verdict.interrupted);
    EXPECT_TRUE(verdict.limit_reached);
    EXPECT_LT(scratch->work_units(), whole);
    const auto is_sqli = [](const Finding& finding) {
      return finding.rule->module == "m_sqli" && !finding.in_body;
    };
    EXPECT_TRUE(std::any_of(verdict.findings.begin(), verdict.findings.end(), is_sqli));
  }
  // Afterwards everything is as before.
  full_engine().inspect(split_request(bytes), *scratch, verdict);
  EXPECT_EQ(dump(verdict), expected);

  // Without its body.
  effort = {};
  effort.head_only = true;
  full_engine().inspect(split_request(bytes), effort, *scratch, verdict);
  EXPECT_TRUE(verdict.by_head);
  EXPECT_EQ(verdict.inspected_bytes, in_head.size());
  EXPECT_LT(scratch->work_units(), 1'000'000u);
  EXPECT_FALSE(verdict.findings.empty());
  full_engine().inspect(split_request(in_head), effort, *scratch, verdict);
  EXPECT_FALSE(verdict.by_head) << "nothing was left out";
}

// One scratch that has seen everything, against a new one for each request.
TEST(EngineLimits, AVerdictDoesNotDependOnTheRequestsBefore) {
  const char* const values[] = {"blue shoes",
                                "1' or 1=1--",
                                "4f1c2a9be07d",
                                "O'Brien",
                                "<script>alert(1)</script>",
                                "a%252e%252e%252fb",
                                "eyJhIjoiYiJ9",
                                "{\"a\":\"b\"}",
                                "/etc/passwd",
                                "dark",
                                "select a size from the list",
                                "%7B%22x%22%3A%22%27%20or%201%3D1--%22%7D",
                                "../../x"};
  const char* const names[] = {"q", "id", "sort", "file", "cmd", "url"};
  const auto kept = full_engine().make_scratch();
  std::mt19937 random(5);
  Verdict verdict;
  Verdict fresh_verdict;
  std::size_t found = 0;
  for (int round = 0; round < 400; ++round) {
    const auto pick = [&] { return std::string(values[random() % std::size(values)]); };
    const auto name = [&] { return std::string(names[random() % std::size(names)]); };
    std::string bytes = "POST /a/b?" + name() + "=" + pick() + "&" + name() + "=" + pick() +
                        " HTTP/1.1\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nCookie: k=" + pick() +
                        "\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n" + name() + "=" + pick();
    if (round % 50 == 0) {
      for (int i = 0; i < 4000; ++i)
        bytes += "&" + name() + "=%25252527" + std::to_string(random() % 50) + pick();
    }
    full_engine().inspect(split_request(bytes), *kept, verdict);
    const auto fresh = full_engine().make_scratch();
    full_engine().inspect(split_request(bytes), *fresh, fresh_verdict);
    ASSERT_EQ(dump(verdict), dump(fresh_verdict)) << bytes.substr(0, 400);
    found += verdict.findings.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 100u);
}

TEST(EngineLimits, PaddingBeforeOrBehindAnAttackHidesNothing) {
  const std::string attack = "1' union select password from users-- -";
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  for (const std::string piece : {"ftp://a:", "<a>", "select "}) {
    std::string padding;
    while (padding.size() < 1u << 20) padding += piece;
    for (const std::string& value : {attack + padding, padding + attack}) {
      const std::string bytes =
          "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nx=" + value;
      full_engine().inspect(split_request(bytes), *scratch, verdict);
      const bool found = std::any_of(verdict.findings.begin(), verdict.findings.end(),
                                     [](const Finding& f) { return f.rule->module == "m_sqli"; });
      EXPECT_TRUE(found) << piece << (value.starts_with(attack) ? " behind" : " before");
    }
  }
}

// Each field's own value is judged by everybody, whatever the fields before it cost.
TEST(EngineLimits, FieldsThatCostMuchHideNoOther) {
  const std::string dear = "' or 1=1--;cat /etc/passwd <a onx=b(1)>{{7*7}}${a}<?php a(1)?>../%2527";
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  const auto finds_sqli = [&](const std::string& bytes, std::string_view name) {
    full_engine().inspect(split_request(bytes), *scratch, verdict);
    return std::any_of(verdict.findings.begin(), verdict.findings.end(),
                       [name](const Finding& f) { return f.rule->module == "m_sqli" && f.name == name; });
  };
  const std::string attack = "1' union select password from users-- -";
  for (const int fields : {300, 3000, 15000}) {
    std::string form = "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n";
    std::string json = "POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{";
    for (int i = 0; i < fields; ++i) {
      form += "f" + std::to_string(i) + "=x%25" + std::to_string(i) + "+%2527+%26%2360%3B&";
      json += "\"f" + std::to_string(i) + "\":\"x" + std::to_string(i) + " %2527 &#60; ${a ;ls +ADw-\",";
    }
    EXPECT_TRUE(finds_sqli(form + "last=" + attack, "last")) << fields;
    EXPECT_TRUE(finds_sqli(json + "\"last\":\"" + attack + "\"}", "last")) << fields;
  }
  std::string cookies = "GET / HTTP/1.1\r\nCookie: ";
  while (cookies.size() < 35u << 10)
    cookies += "c" + std::to_string(cookies.size()) + "=" + dear.substr(0, 9) + "; ";
  EXPECT_TRUE(finds_sqli(cookies + "last=" + attack + "\r\n\r\n", "last"));
  std::string words = "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nx=";
  while (words.size() < 900u << 10) words += dear;
  EXPECT_TRUE(finds_sqli(words + "&last=" + attack, "last"));
}

TEST(EngineLimits, HeaderLinesBeforeACookieHideNothing) {
  std::string bytes = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 300; ++i) bytes += "X-" + std::to_string(i) + ": a\r\n";
  bytes += "Cookie: id=1' union select password from users-- -\r\n\r\n";
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  full_engine().inspect(split_request(bytes), *scratch, verdict);
  EXPECT_TRUE(std::any_of(verdict.findings.begin(), verdict.findings.end(), [](const Finding& finding) {
    return finding.rule->module == "m_sqli" && finding.location == Location::kCookie;
  }));
  EXPECT_FALSE(verdict.limit_reached);
}

}  // namespace
}  // namespace wafd::detect
