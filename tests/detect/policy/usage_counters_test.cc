#include "detect/policy/usage_counters.h"

#include <gtest/gtest.h>

#include "detect/policy/address_table.h"
#include "detect/policy/glob.h"

namespace wafd::detect {
namespace {

TEST(HostKey, Table) {
  const struct {
    const char* host;
    const char* key;
  } rows[] = {
      {"Shop.Example", "shop.example"},
      {"shop.example:8080", "shop.example"},
      {"shop.example.", "shop.example"},
      {"[::1]:80", "::1"},
      {"[2001:DB8:0::1]", "2001:db8::1"},
      {"[]", "[]"},
      {"[a", "[a"},
      {"a:b:c", "a:b:c"},
      {"::1", "::1"},
      {"", ""},
      {"a b", "a b"},
      {":80", ""},
      {"[::1", "[::1"},
  };
  for (const auto& row : rows) EXPECT_EQ(HostKey(row.host).text(), row.key) << row.host;
  EXPECT_EQ(HostKey(std::string(253, 'a')).text().size(), 253u);
  EXPECT_EQ(HostKey(std::string(254, 'a')).text(), "");
}

TEST(AddressTable, FindsEveryPrefixLongestFirst) {
  AddressTable table;
  const char* prefixes[] = {"0.0.0.0/0", "10.0.0.0/8",    "10.1.2.3",   "10.1.2.3",
                            "::/0",      "2001:db8::/33", "10.1.0.0/17"};
  for (std::uint32_t i = 0; i < std::size(prefixes); ++i) table.add(Cidr::parse(prefixes[i]).value(), i);
  table.sort();
  const auto found = [&](const char* address) {
    std::vector<std::uint32_t> values;
    table.find(IpAddress::parse(address).value(), [&](std::uint32_t value) { values.push_back(value); });
    return values;
  };
  EXPECT_EQ(found("10.1.2.3"), (std::vector<std::uint32_t>{2, 3, 6, 1, 0}));
  EXPECT_EQ(found("10.1.128.1"), (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(found("192.0.2.1"), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(found("2001:db8:7fff::1"), (std::vector<std::uint32_t>{5, 4}));
  EXPECT_EQ(found("2001:db8:8000::1"), (std::vector<std::uint32_t>{4}));
}

// The table gives the same result as a search through all prefixes.
TEST(AddressTable, AgreesWithLookingAtEach) {
  std::vector<Cidr> cidrs;
  std::uint32_t state = 7;
  const auto next = [&] { return state = state * 1664525u + 1013904223u; };
  AddressTable table;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const auto text = "10." + std::to_string(next() >> 30) + "." + std::to_string(next() >> 24) + ".0/" +
                      std::to_string(8 + (next() >> 24) % 25);
    cidrs.push_back(Cidr::parse(text).value());
    table.add(cidrs.back(), i);
  }
  table.sort();
  std::size_t total = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto address = IpAddress::from_v4({10, static_cast<std::uint8_t>(next() >> 30),
                                             static_cast<std::uint8_t>(next() >> 24),
                                             static_cast<std::uint8_t>(next() >> 24)});
    std::vector<std::uint32_t> expected;
    for (std::uint32_t c = 0; c < cidrs.size(); ++c) {
      if (cidrs[c].contains(address)) expected.push_back(c);
    }
    std::vector<std::uint32_t> found;
    table.find(address, [&](std::uint32_t value) { found.push_back(value); });
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected) << address.text();
    total += found.size();
  }
  EXPECT_GT(total, 1000u);
}

TEST(SiteHits, KeepsItsLastDays) {
  SiteHits hits;
  for (std::int64_t day = 20'000; day < 20'030; ++day)
    hits.on(day).requests = static_cast<std::uint64_t>(day);
  EXPECT_EQ(hits.find(20'029)->requests, 20'029u);
  EXPECT_EQ(hits.find(20'016)->requests, 20'016u);
  EXPECT_EQ(hits.find(20'015), nullptr);
  hits.on(20'015).requests = 5;  // a clock that was set back takes nothing from the days kept
  EXPECT_EQ(hits.find(20'015), nullptr);
  EXPECT_EQ(hits.find(20'029)->requests, 20'029u);
  EXPECT_EQ(hits.find(-1), nullptr);
  SiteHits other;
  other.on(20'029).requests = 1;
  other.on(20'031).requests = 2;
  hits.add(other);
  EXPECT_EQ(hits.find(20'029)->requests, 20'030u);
  EXPECT_EQ(hits.find(20'031)->requests, 2u);
}

TEST(UnknownHosts, KeepsThoseSeenLast) {
  UnknownHosts hosts;
  hosts.see("First.Example:8080", 1);
  for (std::size_t i = 1; i < kMaxUnknownHosts; ++i) hosts.see("h" + std::to_string(i), 2);
  hosts.see("first.example", 3);
  hosts.see("one-more.example", 4);  // h1 was seen longest ago
  EXPECT_EQ(hosts.hosts().size(), kMaxUnknownHosts);
  EXPECT_EQ(hosts.forgotten, 1u);
  EXPECT_EQ(hosts.hosts().front().name, "one-more.example");
  const auto& first = *std::next(hosts.hosts().begin());
  EXPECT_EQ(first.name, "first.example");
  EXPECT_EQ(first.count, 2u);
  EXPECT_EQ(first.first_s, 1);
  EXPECT_EQ(first.last_s, 3);
  EXPECT_EQ(hosts.hosts().back().name, "h2");
}

TEST(UnknownHosts, WhatNoSiteCouldHaveIsOnlyCounted) {
  UnknownHosts hosts;
  const std::string odd[] = {
      "", "a b", "<script>", "*.example", std::string(300, 'a'), std::string("a\0b", 3), "\xff"};
  for (const std::string& host : odd) hosts.see(host, 1);
  EXPECT_TRUE(hosts.hosts().empty());
  EXPECT_EQ(hosts.other, std::size(odd));
}

TEST(UsageCounters, OfARequest) {
  Rule one;
  one.id = "m_sqli/1";
  one.denies_from = Sensitivity::kStrict;
  Rule two = one;
  two.id = "m_xss/2";
  Verdict verdict;
  for (const Rule* rule : {&one, &two, &one}) {
    verdict.findings.emplace_back();
    verdict.findings.back().rule = rule;
    verdict.findings.back().denies_from = rule->denies_from;
  }
  verdict.body_truncated = true;
  verdict.cut_in = CutIn::kFile;  // counted, and nothing else
  RequestHead head;
  head.parse("GET / HTTP/1.1\r\nHost: unknown.example:81\r\n\r\n");
  Request request;
  request.connection.src_ip = "192.0.2.1";
  PolicySettings settings;
  settings.sites = {{.uuid = "3", .hosts = {"shop.example"}}};
  settings.exceptions = {{.id = "e1", .rule_id = "m_sqli/1"}, {.id = "e2", .rule_id = "m_sqli/1"}};
  const auto policy = Policy::build(settings).value();
  UsageCounters hits;
  constexpr std::int64_t kNow = 20'000 * 86'400 + 5;
  hits.count(request, verdict, policy.decide(request, head, verdict, Enforcement::kInline, kNow), kNow);
  EXPECT_EQ(hits.rules.at("m_sqli/1").count, 1u);
  EXPECT_EQ(hits.rules.at("m_xss/2").last_s, kNow);
  EXPECT_EQ(hits.exceptions.at("e1").count, 1u);
  EXPECT_FALSE(hits.exceptions.contains("e2"));  // the first one has done it
  const SiteDay* day = hits.sites.at("0").find(20'000);
  ASSERT_NE(day, nullptr);
  EXPECT_EQ(day->requests, 1u);
  EXPECT_EQ(day->denied, 0u);
  EXPECT_EQ(day->uninspected, 1u);
  EXPECT_EQ(day->would_deny, (std::array<std::uint64_t, 3>{0, 0, 1}));
  EXPECT_EQ(day->bodies_seen + day->bodies_missing, 0u);
  EXPECT_EQ(hits.unknown.hosts().front().name, "unknown.example");

  request.body = "a=1";
  settings.sites[0].hosts = {"*.example"};
  settings.lists = {{.id = "l", .kind = ListKind::kDeny, .cidr = "192.0.2.0/24"}};
  const auto other = Policy::build(settings).value();
  UsageCounters second;
  second.count(request, verdict, other.decide(request, head, verdict, Enforcement::kInline, kNow), kNow);
  hits.add(second);
  EXPECT_EQ(hits.lists.at("l").count, 1u);
  EXPECT_EQ(hits.sites.at("3").find(20'000)->denied, 1u);
  EXPECT_EQ(hits.sites.at("3").find(20'000)->bodies_seen, 1u);
  EXPECT_EQ(hits.rules.at("m_sqli/1").count, 2u);
  EXPECT_EQ(hits.unknown.hosts().front().count, 1u);

  request.body = {};
  request.body_abandoned = true;
  UsageCounters third;
  third.count(request, verdict, other.decide(request, head, verdict, Enforcement::kInline, kNow), kNow);
  EXPECT_EQ(third.sites.at("3").find(20'000)->bodies_seen, 0u);
  EXPECT_EQ(third.sites.at("3").find(20'000)->bodies_missing, 1u);
}

}  // namespace
}  // namespace wafd::detect
