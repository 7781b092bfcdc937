#include "detect/policy/policy.h"

#include <gtest/gtest.h>

#include "detect/core/rule_id.h"
#include "detect/policy/glob.h"

namespace wafd::detect {
namespace {

TEST(Glob, Table) {
  const struct {
    const char* pattern;
    const char* text;
    bool matches;
  } rows[] = {
      {"/user/*/edit", "/user/7/edit", true},
      {"/user/*/edit", "/user/7/8/edit", false},
      {"/user/**/edit", "/user/7/8/edit", true},
      {"/user/**", "/user/", true},
      {"*", "", true},
      {"*", "a/b", false},
      {"**", "a/b", true},
      {"", "", true},
      {"", "a", false},
      {"a*b*c", "axxbyyc", true},
      {"a*b*c", "axxbyy", false},
      {"**/x*y", "a/b/xzzy", true},
      {"**/x*y", "a/xq/xzzy", true},
      {"/a", "/a/", false},
  };
  for (const auto& row : rows)
    EXPECT_EQ(glob_match(row.pattern, row.text, '/'), row.matches) << row.pattern << " on " << row.text;
  EXPECT_TRUE(host_match("*.example", "shop.EXAMPLE"));
  EXPECT_FALSE(host_match("*.example", "example"));
  EXPECT_FALSE(host_match("*.example", "badexample"));
}

class Decide : public testing::Test {
 protected:
  Decide() {
    certain_.id = "m_sqli/1";
    certain_.module = "m_sqli";
    certain_.attack_type = AttackType::kSqli;
    certain_.risk = Risk::kHigh;
    certain_.denies_from = Sensitivity::kLow;
    suspicious_ = certain_;
    suspicious_.id = "m_xss/2";
    suspicious_.module = "m_xss";
    suspicious_.attack_type = AttackType::kXss;
    suspicious_.risk = Risk::kMedium;
    suspicious_.denies_from = Sensitivity::kStrict;
    head_.parse("GET /user/7/edit?id=1 HTTP/1.1\r\nHost: shop.example:8080\r\n\r\n");
    request_.connection.src_ip = "203.0.113.7";
  }

  void found(const Rule& rule, Location location, const char* name) {
    Finding finding;
    finding.rule = &rule;
    finding.denies_from = rule.denies_from;
    finding.location = location;
    finding.name = name;
    finding.reason = "Because of " + rule.id;
    verdict_.findings.push_back(finding);
  }

  // "action record rule_id reason"
  std::string decide(Enforcement enforcement = Enforcement::kInline) {
    const auto policy = Policy::build(settings_);
    if (!policy) return policy.error().what;
    const Decision d = policy->decide(request_, head_, verdict_, enforcement, 1000);
    uninspected_ = d.uninspected;
    return std::string(to_string(d.action)) + (d.record ? " recorded " : " - ") + d.rule_id +
           (d.reason.empty() ? "" : ": ") + d.reason;
  }

  bool uninspected_ = false;  // of the last decision
  Rule certain_;
  Rule suspicious_;
  RequestHead head_;
  Request request_;
  Verdict verdict_;
  PolicySettings settings_;
};

TEST_F(Decide, ActionTellsWhatHappened) {
  EXPECT_EQ(decide(), "allow - ");
  found(certain_, Location::kQuery, "id");
  EXPECT_EQ(decide(), "deny recorded m_sqli/1: Because of m_sqli/1");
  EXPECT_EQ(decide(Enforcement::kMirror),
            "monitor recorded m_sqli/1: Because of m_sqli/1; the traffic is mirrored");
  EXPECT_EQ(decide(Enforcement::kPluginMonitor),
            "monitor recorded m_sqli/1: Because of m_sqli/1; the gateway only watches");
  EXPECT_EQ(decide(Enforcement::kNotEnforcing),
            "monitor recorded m_sqli/1: Because of m_sqli/1; the listener does not enforce");
  settings_.sites = {{.uuid = "7", .hosts = {"shop.example"}, .mode = Mode::kMonitor}};
  EXPECT_EQ(decide(), "monitor recorded m_sqli/1: Because of m_sqli/1; the site is in monitor mode");
  settings_.sites[0].mode = Mode::kOff;
  EXPECT_EQ(decide(), "allow - ");
}

TEST_F(Decide, SensitivityByTypeAndTheWeightiest) {
  found(suspicious_, Location::kQuery, "q");
  EXPECT_EQ(decide(), "allow recorded m_xss/2: Because of m_xss/2; not sure enough for sensitivity balanced");
  settings_.sites = {{.uuid = "7", .hosts = {"*.example"}, .sensitivity = Sensitivity::kStrict}};
  EXPECT_EQ(decide(), "deny recorded m_xss/2: Because of m_xss/2");
  found(certain_, Location::kQuery, "id");
  EXPECT_EQ(decide(), "deny recorded m_sqli/1: Because of m_sqli/1");
  settings_.sites[0].sensitivity_by_type = {{AttackType::kSqli, std::nullopt}};
  EXPECT_EQ(decide(), "deny recorded m_xss/2: Because of m_xss/2");
  settings_.sites[0].sensitivity_by_type.emplace_back(AttackType::kXss, Sensitivity::kLow);
  EXPECT_EQ(decide(), "allow recorded m_xss/2: Because of m_xss/2; not sure enough for sensitivity low");
}

TEST_F(Decide, ExceptionsAcceptWhatTheyName) {
  found(certain_, Location::kQuery, "id");
  settings_.exceptions = {
      {.id = "e", .host = "shop.example", .path = "/user/*/edit", .location = "query", .name = "id"}};
  EXPECT_EQ(decide(), "allow - ");
  settings_.exceptions[0].expires_s = 1000;
  EXPECT_EQ(decide(), "deny recorded m_sqli/1: Because of m_sqli/1");
  settings_.exceptions[0].expires_s = 1001;
  EXPECT_EQ(decide(), "allow - ");
  settings_.exceptions[0].name = "other";
  EXPECT_EQ(decide(), "deny recorded m_sqli/1: Because of m_sqli/1");
  settings_.exceptions[0] = {.id = "e", .rule_id = "m_sqli/1"};
  found(suspicious_, Location::kQuery, "q");
  EXPECT_EQ(decide(), "allow recorded m_xss/2: Because of m_xss/2; not sure enough for sensitivity balanced");
}

TEST_F(Decide, ListsSpeakFirst) {
  found(certain_, Location::kQuery, "id");
  settings_.lists = {{.id = "a", .kind = ListKind::kAllow, .cidr = "203.0.113.0/24"}};
  EXPECT_EQ(decide(), "allow - ");
  verdict_.clear();
  settings_.lists[0].kind = ListKind::kDeny;
  EXPECT_NE(decide().find("deny recorded m_acl/"), std::string::npos);
  settings_.lists[0].expires_s = 5;
  EXPECT_EQ(decide(), "allow - ");
}

TEST_F(Decide, AllowWinsOverDenyAndExpiryIsTheClocks) {
  settings_.lists = {{.id = "d", .kind = ListKind::kDeny, .cidr = "203.0.113.7"},
                     {.id = "a", .kind = ListKind::kAllow, .cidr = "203.0.0.0/16", .expires_s = 1001},
                     {.id = "w", .kind = ListKind::kDeny, .cidr = "0.0.0.0/0"}};
  EXPECT_EQ(decide(), "allow - ");
  settings_.lists[1].expires_s = 1000;
  EXPECT_NE(decide().find("deny list (203.0.113.7/32)"), std::string::npos);
  settings_.lists[0].expires_s = 999;
  EXPECT_NE(decide().find("deny list (0.0.0.0/0)"), std::string::npos);
  request_.connection.src_ip = "no address";
  EXPECT_EQ(decide(), "allow - ");
}

TEST_F(Decide, SiteOfAHost) {
  settings_.sites = {{.uuid = "1", .hosts = {"shop.example", "[::1]"}},
                     {.uuid = "2", .hosts = {"*.example"}},
                     {.uuid = "3", .hosts = {"*.shop.example"}}};
  const auto policy = Policy::build(settings_).value();
  const struct {
    const char* host;
    const char* site;
  } rows[] = {
      {"shop.example", "1"},
      {"SHOP.example.:443", "1"},
      {"www.example", "2"},
      {"a.b.example", "2"},
      {"a.shop.example", "3"},
      {"a.b.shop.example", "3"},
      {"example", "0"},
      {".example", "0"},
      {"badexample", "0"},
      {"[::1]:8080", "1"},
      {"", "0"},
      {"..example", "2"},
  };
  for (const auto& row : rows) EXPECT_EQ(policy.site_of(row.host).uuid, row.site) << row.host;
  EXPECT_EQ(policy.site_of(std::string(500, 'a') + ".example").uuid, "0");
}

TEST_F(Decide, WhatTheCountersGet) {
  found(suspicious_, Location::kQuery, "q");
  settings_.exceptions = {{.id = "off", .rule_id = "m_xss/2", .enabled = false},
                          {.id = "e", .rule_id = "m_xss/2"}};
  auto policy = Policy::build(settings_).value();
  Decision d = policy.decide(request_, head_, verdict_, Enforcement::kInline, 1000);
  ASSERT_EQ(d.excepted.size(), 1u);
  EXPECT_EQ(d.excepted[0].by->id, "e");
  EXPECT_EQ(d.would_deny, (std::array<bool, 3>{}));
  EXPECT_EQ(d.host, "shop.example");
  settings_.exceptions.clear();
  policy = Policy::build(settings_).value();
  d = policy.decide(request_, head_, verdict_, Enforcement::kInline, 1000);
  EXPECT_EQ(d.would_deny, (std::array<bool, 3>{false, false, true}));
  found(certain_, Location::kQuery, "id");
  d = policy.decide(request_, head_, verdict_, Enforcement::kInline, 1000);
  EXPECT_EQ(d.would_deny, (std::array<bool, 3>{true, true, true}));
}

TEST_F(Decide, AVeryLongPathIsAcceptedByNoPattern) {
  found(certain_, Location::kQuery, "id");
  settings_.exceptions = {{.id = "e", .path = "/**"}};
  const std::string head = "GET /" + std::string(kMaxExceptionPathBytes, 'a') + " HTTP/1.1\r\n\r\n";
  EXPECT_EQ(decide(), "allow - ");
  head_.parse(head);
  EXPECT_EQ(decide(), "deny recorded m_sqli/1: Because of m_sqli/1");
}

TEST_F(Decide, OversizeIsPolicy) {
  verdict_.body_truncated = true;
  EXPECT_NE(decide().find("deny recorded m_http_violation/"), std::string::npos)
      << "unless the site says otherwise";
  settings_.sites = {{.uuid = "0", .on_oversize = OnOversize::kPass}};
  EXPECT_EQ(decide(), "allow - ");
  settings_.sites[0].on_oversize = OnOversize::kMonitor;
  EXPECT_NE(decide().find("monitor recorded m_http_violation/"), std::string::npos);
  settings_.sites[0].on_oversize = OnOversize::kBlock;
  EXPECT_NE(decide(Enforcement::kMirror).find("monitor recorded"), std::string::npos);
  // A finding counts for more than a part that was not judged.
  found(certain_, Location::kQuery, "id");
  EXPECT_EQ(decide(), "deny recorded m_sqli/1: Because of m_sqli/1");
  verdict_.clear();
  EXPECT_EQ(decide(), "allow - ");
  EXPECT_EQ(default_on_oversize(Sensitivity::kLow), OnOversize::kPass);
  EXPECT_EQ(default_on_oversize(Sensitivity::kBalanced), OnOversize::kBlock);
  EXPECT_EQ(default_on_oversize(Sensitivity::kStrict), OnOversize::kBlock);
}

// A body that the gateway never hands over is no property of the request: it is counted, never denied.
TEST_F(Decide, ABodyThatNobodyHandsOverIsNotOversize) {
  for (const OnOversize on :
       {OnOversize::kPass, OnOversize::kMonitor, OnOversize::kBlockUnlessFile, OnOversize::kBlock}) {
    settings_.sites = {{.uuid = "0", .on_oversize = on}};
    verdict_.body_abandoned = true;
    EXPECT_EQ(decide(), "allow - ") << to_string(on);
    EXPECT_TRUE(uninspected_) << to_string(on);
  }
}

TEST_F(Decide, WhereABodyWasCut) {
  verdict_.body_truncated = true;
  const struct {
    OnOversize on;
    const char* actions[3];  // by CutIn
  } rows[] = {
      {OnOversize::kPass, {"allow", "allow", "allow"}},
      {OnOversize::kMonitor, {"monitor", "monitor", "allow"}},
      {OnOversize::kBlockUnlessFile, {"deny", "allow", "allow"}},
      {OnOversize::kBlock, {"deny", "deny", "allow"}},
  };
  for (const auto& row : rows) {
    settings_.sites = {{.uuid = "0", .on_oversize = row.on}};
    for (std::size_t cut = 0; cut < 3; ++cut) {
      verdict_.cut_in = static_cast<CutIn>(cut);
      EXPECT_TRUE(decide().starts_with(row.actions[cut]))
          << to_string(row.on) << " " << cut << " " << decide();
      EXPECT_TRUE(uninspected_);
    }
  }
}

// Requests that a limit of judging cut short have a setting apart from those that did not come whole.
TEST_F(Decide, LimitsArePolicy) {
  const std::string oversize = rule_id("m_http_violation", "oversize");
  const std::string limit = rule_id("m_http_violation", "limit");
  verdict_.limit_reached = true;
  EXPECT_EQ(decide(),
            "deny recorded " + limit + ": A limit was reached before the request was judged in every way");
  settings_.sites = {{.uuid = "0", .on_limit = OnLimit::kMonitor}};
  EXPECT_NE(decide().find("monitor recorded " + limit), std::string::npos);
  verdict_.body_truncated = true;
  settings_.sites[0].on_oversize = OnOversize::kBlock;
  EXPECT_NE(decide().find("deny recorded " + oversize), std::string::npos);
  settings_.sites = {{.uuid = "0", .on_oversize = OnOversize::kPass, .on_limit = OnLimit::kBlock}};
  EXPECT_NE(decide().find("deny recorded " + limit), std::string::npos);
  settings_.sites[0].on_limit = OnLimit::kPass;
  EXPECT_EQ(decide(), "allow - ");
  verdict_.clear();
  verdict_.unknown_coding = true;
  EXPECT_EQ(decide(), "allow - ");
  settings_.sites[0].on_limit = OnLimit::kBlock;
  EXPECT_NE(decide().find(": The body is in a coding or a character set that is not known"),
            std::string::npos);
  verdict_.clear();
  std::string many = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i <= kMaxHeaderFields; ++i) many += "A: b\r\n";
  many += "\r\n";
  head_.parse(many);  // which it points into
  EXPECT_NE(decide().find(": Header lines beyond the limit were not looked at"), std::string::npos);
  EXPECT_EQ(default_on_limit(Sensitivity::kLow), OnLimit::kPass);
  EXPECT_EQ(default_on_limit(Sensitivity::kBalanced), OnLimit::kBlock);
  EXPECT_EQ(default_on_limit(Sensitivity::kStrict), OnLimit::kBlock);
}

TEST_F(Decide, FieldsThatHoldDocuments) {
  settings_.sites = {{.uuid = "0", .document_fields = {"text", "items[*].body"}}};
  const auto at = [&](Location location, const char* name) {
    verdict_.clear();
    found(certain_, location, name);
    return decide();
  };
  const std::string recorded = "allow recorded m_sqli/1: Because of m_sqli/1; the field holds documents";
  EXPECT_EQ(at(Location::kBody, "text"), recorded);
  EXPECT_EQ(at(Location::kBody, "items[3].body"), recorded);
  // Other places, other names.
  for (const std::string& denied : {at(Location::kQuery, "text"), at(Location::kFile, "text"),
                                    at(Location::kBody, "title"), at(Location::kBody, "a.text")})
    EXPECT_EQ(denied, "deny recorded m_sqli/1: Because of m_sqli/1");
  // A signature counts wherever it stands; and what is in the field excuses nothing beside it.
  Rule signature = certain_;
  signature.module = "m_rule";
  verdict_.clear();
  found(signature, Location::kBody, "text");
  EXPECT_EQ(decide().substr(0, 4), "deny");
  at(Location::kBody, "text");
  found(certain_, Location::kQuery, "id");
  EXPECT_EQ(decide().substr(0, 4), "deny");
  verdict_.clear();
  found(certain_, Location::kBody, "text");
  const auto policy = Policy::build(settings_).value();
  const Decision d = policy.decide(request_, head_, verdict_, Enforcement::kInline, 1000);
  EXPECT_EQ(d.documents, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(d.would_deny, (std::array<bool, 3>{}));
}

TEST_F(Decide, BadSettingsAreNamed) {
  settings_.sites = {{.uuid = "x"}};
  EXPECT_EQ(decide(), "sites[x].uuid: expected a string of digits");
  settings_.sites = {{.uuid = "1", .hosts = {"a.b"}}, {.uuid = "2", .hosts = {"A.b"}}};
  EXPECT_EQ(decide(), "sites[2].hosts: the host a.b belongs to another site");
  settings_.sites = {{.uuid = "1", .hosts = {"a b"}}};
  EXPECT_EQ(decide(), "sites[1].hosts: expected a host such as shop.example or *.example");
  settings_.sites.clear();
  settings_.exceptions = {{.id = "e"}};
  EXPECT_EQ(decide(), "exceptions[e]: expected at least one condition, else it would accept everything");
  settings_.exceptions.clear();
  settings_.lists = {{.id = "l", .cidr = "nope"}};
  EXPECT_EQ(decide(), "lists[l].cidr: expected an address or CIDR such as 203.0.113.0/24, got \"nope\"");
}

// Patterns that are made to take long: all of them together have a bounded number of steps, and ordinary ones
// need few.
TEST(Glob, StepsAreBounded) {
  std::string path = "/";
  path.append(4000, 'a');
  std::size_t steps = 100'000;
  EXPECT_FALSE(glob_match("/**a*a*a*a*b*a", path, '/', steps));
  EXPECT_EQ(steps, 0u) << "ended by its bound";
  EXPECT_FALSE(glob_match("/**", path, '/', steps)) << "nothing matches any more";
  steps = kMaxGlobSteps;
  for (int i = 0; i < 10'000; ++i)
    EXPECT_FALSE(glob_match("/area" + std::to_string(i) + "/*/x", "/shop/login", '/', steps));
  EXPECT_FALSE(glob_match("/api/**", "/shop/login", '/', steps));
  EXPECT_TRUE(glob_match("/shop/*", "/shop/login", '/', steps));
  EXPECT_GT(steps, kMaxGlobSteps * 9 / 10);
}

}  // namespace
}  // namespace wafd::detect
