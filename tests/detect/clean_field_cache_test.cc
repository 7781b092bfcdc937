// The fields that the cache may claim to know: the very field, and nothing like it.
#include "detect/clean_field_cache.h"

#include <charconv>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "detect/core/work_counter.h"
#include "detect/engine.h"
#include "detect/offline.h"

namespace wafd::detect {
namespace {

Field field_of(std::string_view raw, std::string_view name = "p") {
  Field field;
  field.name = name;
  field.raw = raw;
  return field;
}

constexpr PrefilterOutcome kBoth[] = {PrefilterOutcome::kNoMatcher, PrefilterOutcome::kSomeMatcher};

TEST(CleanFieldCache, KnowsWhatItKept) {
  for (const PrefilterOutcome asked : kBoth) {
    for (const std::string_view raw : {"", "1", "some value", "some longer value than that"}) {
      CleanFieldCache memo;
      const Field field = field_of(raw);
      EXPECT_FALSE(memo.find(field).known);
      memo.keep(memo.key_of(field), field, {3, 77}, asked);
      const CleanFieldCache::Answer answer = memo.find(field);
      EXPECT_TRUE(answer.known) << raw;
      EXPECT_EQ(answer.cost, (CleanFieldCache::Cost{3, 77}));
    }
  }
}

// The name and the way only where somebody was asked, who is told both.
TEST(CleanFieldCache, EveryPartOfAFieldCounts) {
  for (const PrefilterOutcome asked : kBoth) {
    for (const std::string raw : {"some value of a parameter", "a value"}) {
      Field field = field_of(raw);
      field.decode_path = "json";
      CleanFieldCache memo;
      memo.keep(memo.key_of(field), field, {0, 1}, asked);
      ASSERT_TRUE(memo.find(field).known);
      const auto known = [&](auto&& change) {
        Field other = field;
        change(other);
        return memo.find(other).known;
      };
      std::string changed = raw;
      ++changed.back();
      EXPECT_FALSE(known([&](Field& f) { f.raw = changed; }));
      EXPECT_FALSE(known([](Field& f) { f.raw.remove_suffix(1); }));
      EXPECT_FALSE(known([](Field& f) { f.location = Location::kHeader; }));
      EXPECT_FALSE(known([](Field& f) { f.in_name = true; }));
      EXPECT_FALSE(known([](Field& f) { f.binary = true; }));
      EXPECT_FALSE(known([](Field& f) { f.media = true; }));
      EXPECT_FALSE(known([](Field& f) { f.coding = Coding::kForm; }));
      EXPECT_FALSE(known([](Field& f) { f.depth = kMaxFieldDepth; }));
      EXPECT_TRUE(known([](Field&) {}));
      const bool nobody = asked == PrefilterOutcome::kNoMatcher;
      EXPECT_EQ(known([](Field& f) { f.name = "q"; }), nobody);
      EXPECT_EQ(known([](Field& f) { f.decode_path = "xml"; }), nobody);
      EXPECT_EQ(known([](Field& f) { f.parent = "q"; }), nobody);
      EXPECT_EQ(known([](Field& f) { f.outermost = "q"; }), nobody);
      // The same bytes, parted elsewhere.
      EXPECT_FALSE(known([&](Field& f) {
        f.raw = std::string_view(raw).substr(0, raw.size() - 1);
        f.name = "rp";
      }));
    }
  }
}

TEST(CleanFieldCache, TwoNamesOfAValueAreKeptBesideEachOther) {
  CleanFieldCache memo;
  const Field first = field_of("cat", "a");
  const Field second = field_of("cat", "b");
  memo.keep(memo.key_of(first), first, {0, 1}, PrefilterOutcome::kSomeMatcher);
  EXPECT_FALSE(memo.find(second).known);
  memo.keep(memo.key_of(second), second, {0, 2}, PrefilterOutcome::kSomeMatcher);
  EXPECT_EQ(memo.find(first).cost.deep, 1u);
  EXPECT_EQ(memo.find(second).cost.deep, 2u);
  EXPECT_TRUE(memo.find(first).known && memo.find(second).known);
}

TEST(CleanFieldCache, EveryByteCounts) {
  for (std::size_t n = 0; n < 26; ++n) {
    constexpr std::size_t kSizes[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 100, 1500};
    const std::size_t size = kSizes[n / 2];
    const PrefilterOutcome asked = kBoth[n % 2];
    CleanFieldCache memo;
    std::string text(size, 'a');
    const Field field = field_of(text);
    memo.keep(memo.key_of(field), field, {0, 1}, asked);
    for (std::size_t i = 0; i < size; ++i) {
      text[i] = 'b';
      EXPECT_FALSE(memo.find(field).known) << size << " " << i;
      text[i] = 'a';
    }
    EXPECT_TRUE(memo.find(field).known);
  }
}

TEST(CleanFieldCache, LongFieldsAreKeptUpToALimit) {
  CleanFieldCache memo;
  const std::string longest(CleanFieldCache::kMaxFieldBytes - 1, 'a');
  const std::string longer(CleanFieldCache::kMaxFieldBytes, 'a');
  for (const std::string& text : {longest, longer})
    memo.keep(memo.key_of(field_of(text)), field_of(text), {0, 1}, PrefilterOutcome::kSomeMatcher);
  EXPECT_TRUE(memo.find(field_of(longest)).known);
  EXPECT_FALSE(memo.find(field_of(longer)).known);
}

// A name may be longer than all that is kept.
TEST(CleanFieldCache, ShortFieldsOfLongNamesAreNotKept) {
  CleanFieldCache memo;
  const std::string name(2 * CleanFieldCache::kBytes, 'n');
  const Field field = field_of("1", name);
  memo.keep(memo.key_of(field), field, {0, 1}, PrefilterOutcome::kSomeMatcher);
  EXPECT_FALSE(memo.find(field).known);
}

// Overwritten entries are forgotten; all others are found as they were stored.
TEST(CleanFieldCache, WhatWasKeptLongestAgoGoes) {
  CleanFieldCache memo;
  std::mt19937 random(7);
  std::vector<std::string> kept;
  std::size_t bytes = 0;
  while (bytes < 3 * CleanFieldCache::kBytes) {
    std::string text(1 + random() % 9000, '\0');
    for (char& c : text) c = static_cast<char>(random());
    bytes += text.size() + 1;
    const Field field = field_of(text);
    EXPECT_FALSE(memo.find(field).known);
    memo.keep(memo.key_of(field), field, {0, static_cast<std::uint16_t>(kept.size())},
              PrefilterOutcome::kSomeMatcher);
    EXPECT_TRUE(memo.find(field).known);
    kept.push_back(std::move(text));
  }
  std::size_t behind = 0;  // bytes kept after this one
  std::size_t known = 0;
  for (std::size_t i = kept.size(); i-- > 0;) {
    const CleanFieldCache::Answer answer = memo.find(field_of(kept[i]));
    if (behind + kept[i].size() > CleanFieldCache::kBytes) {
      EXPECT_FALSE(answer.known) << i;
    }
    if (answer.known) {
      EXPECT_EQ(answer.cost.deep, i);
    }
    known += answer.known ? 1 : 0;
    behind += kept[i].size() + 1;
  }
  EXPECT_GT(known, 400u);
}

// However many come once: they take each other's place.
TEST(CleanFieldCache, WhatCameAgainStays) {
  constexpr std::uint32_t kOften = 1000;
  const auto often = [](std::uint32_t i) { return "often" + std::to_string(i); };
  CleanFieldCache memo;
  for (int time = 0; time < 2; ++time) {
    for (std::uint32_t i = 0; i < kOften; ++i) {
      const std::string text = often(i);
      const Field field = field_of(text);
      if (!memo.find(field).known)
        memo.keep(memo.key_of(field), field, {0, static_cast<std::uint16_t>(i)},
                  PrefilterOutcome::kNoMatcher);
    }
  }
  for (std::uint32_t i = 0; i < 4 * CleanFieldCache::kSets; ++i) {
    const std::string text = "once" + std::to_string(i);
    memo.keep(memo.key_of(field_of(text)), field_of(text), {0, 1}, PrefilterOutcome::kNoMatcher);
  }
  std::uint32_t known = 0;
  for (std::uint32_t i = 0; i < kOften; ++i) {
    const std::string text = often(i);
    const CleanFieldCache::Answer answer = memo.find(field_of(text));
    known += answer.known && answer.cost.deep == static_cast<std::uint16_t>(i) ? 1 : 0;
  }
  // Two of them may share a set: then one stays for certain.
  EXPECT_GT(known, kOften - 50);
}

// A verdict does not depend on the requests before.
TEST(CleanFieldCache, VerdictsAreThoseOfAFreshScratch) {
  const auto engine = Engine::build({});
  ASSERT_TRUE(engine);
  const auto old = (*engine)->make_scratch();
  const std::string pieces[] = {"hello+world",
                                "1'+or+'1'='1",
                                "%3Cscript%3Ealert(1)",
                                "cat+/etc/passwd",
                                ";id",
                                "eyJhIjoiYiJ9",
                                "{\"a\":\"b\"}",
                                "../../etc/passwd",
                                "id",
                                "x=1",
                                "&a=",
                                "&b="};
  std::mt19937 random(11);
  Verdict was;
  Verdict now;
  std::size_t findings = 0;
  for (int round = 0; round < 300; ++round) {
    std::string value;
    for (unsigned i = 0; i <= random() % 3; ++i) value += pieces[random() % std::size(pieces)];
    std::string padded = random() % 4 == 0 ? std::string(1000, 'w') + "+" + value : value;
    const std::string bytes = "GET /p?a=" + padded + " HTTP/1.1\r\nHost: h\r\nUser-Agent: " + value +
                              "\r\nCookie: c=" + value + "; d=e\r\n\r\n";
    const auto fresh = (*engine)->make_scratch();
    (*engine)->inspect(split_request(bytes), *fresh, now);
    (*engine)->inspect(split_request(bytes), *old, was);
    ASSERT_EQ(was.findings.size(), now.findings.size()) << bytes;
    for (std::size_t i = 0; i < now.findings.size(); ++i) {
      EXPECT_EQ(was.findings[i].rule, now.findings[i].rule) << bytes;
      EXPECT_EQ(was.findings[i].payload, now.findings[i].payload) << bytes;
    }
    EXPECT_EQ(was.limit_reached, now.limit_reached);
    EXPECT_EQ(old->work_units(), fresh->work_units()) << bytes;
    findings += now.findings.size();
  }
  EXPECT_GT(findings, 300u);
}

// Nor on how often a value stands in a document.
TEST(CleanFieldCache, RepeatedValuesCostAndMeanTheSameInAFreshScratch) {
  const auto engine = Engine::build({});
  ASSERT_TRUE(engine);
  const auto old = (*engine)->make_scratch();
  const std::string values[] = {"plain",
                                "see https://shop.example/a?b=c&d=e",
                                "%2527 or 1=1-- -",
                                "1' or '1'='1",
                                "{\\\"a\\\":\\\"x\\\"}",
                                "50%25 of a & b; c | d"};
  Verdict was;
  Verdict now;
  for (const std::string& value : values) {
    std::string body = "[";
    for (int i = 0; i < 6; ++i) body += "{\"v\":\"" + value + "\",\"w\":\"" + std::to_string(i) + "\"},";
    body += "{\"v\":\"end\"}]";
    const std::string bytes = "POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\n" + body;
    const auto fresh = (*engine)->make_scratch();
    (*engine)->inspect(split_request(bytes), *fresh, now);
    for (int round = 0; round < 2; ++round) {
      (*engine)->inspect(split_request(bytes), *old, was);
      EXPECT_EQ(was.findings.size(), now.findings.size()) << value;
      EXPECT_EQ(old->work_units(), fresh->work_units()) << value;
    }
    EXPECT_EQ(now.findings.empty(), value.find("1=1") == value.npos && value.find("'1'") == value.npos)
        << value;
  }
}

// Takes as many steps as the text says at its beginning, and finds what ends with a B.
class StepsAsTold final : public Analyzer {
 public:
  StepsAsTold() { rule_.number = 1; }
  std::string_view name() const noexcept override { return "told"; }
  std::span<const Rule> rules() const noexcept override { return {&rule_, 1}; }
  void analyze(std::string_view text, const FieldContext&, std::vector<Hit>& hits) const override {
    std::uint64_t steps = 0;
    std::from_chars(text.data(), text.data() + text.size(), steps);
    count_steps(steps);
    if (text.ends_with('B')) hits.push_back({0, 0, static_cast<std::uint32_t>(text.size()), {}, false, {}});
  }

 private:
  Rule rule_;
};

// Nor where the request reaches the limit of its cost: in a field that is known or comes twice, in one that
// it leaves something for, and in the last one.
TEST(CleanFieldCache, VerdictsAtTheLimitOfCostAreThoseOfAFreshScratch) {
  std::vector<std::unique_ptr<Analyzer>> analyzers;
  analyzers.push_back(std::make_unique<StepsAsTold>());
  Engine::Options options;
  options.builtin_rules = false;
  const auto engine = Engine::build(std::move(analyzers), {}, options);
  ASSERT_TRUE(engine);
  const auto request = [](const std::string& members) {
    return "POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{" + members + "}";
  };
  const std::string words(200, 'w');
  const struct {
    const char* what;
    std::string members;
    bool finds;
  } kRows[] = {{"the last field crosses it", "\"a\":\"9000\"", false},
               {"one of two that are the same crosses it", "\"a\":[\"9000\",\"9000\"]", false},
               {"a field leaves another its own part",
                "\"a\":\"9000" + words + "\\\\x41%41&#65;\",\"b\":\"100" + words + "\\\\x42\"", true},
               {"twins leave another its own part",
                "\"a\":[\"9000" + words + "\\\\x41%41&#65;\",\"9000" + words +
                    "\\\\x41%41&#65;\"],\"b\":\"100" + words + "\\\\x42\"",
                true}};
  for (const auto& row : kRows) {
    const auto old = (*engine)->make_scratch();
    Verdict was;
    Verdict now;
    for (int i = 0; i < 2; ++i) (*engine)->inspect(split_request(request(row.members)), *old, was);
    const std::uint64_t limit = old->work_limit();
    EXPECT_FALSE(was.limit_reached);
    std::size_t limited = 0;
    std::size_t found = 0;
    constexpr std::uint64_t kApart = 2'000;
    constexpr std::uint64_t kTried = 150;
    for (std::uint64_t i = 0; i < kTried; ++i) {
      const std::uint64_t steps = limit - 250'000 + i * kApart;
      const std::string bytes = request("\"z\":\"" + std::to_string(steps) + "\"," + row.members);
      const auto fresh = (*engine)->make_scratch();
      (*engine)->inspect(split_request(bytes), *fresh, now);
      (*engine)->inspect(split_request(bytes), *old, was);
      EXPECT_EQ(was.limit_reached, now.limit_reached) << row.what << ' ' << steps;
      EXPECT_EQ(was.findings.size(), now.findings.size()) << row.what << ' ' << steps;
      if (!now.limit_reached) {
        EXPECT_EQ(old->work_units(), fresh->work_units()) << row.what << ' ' << steps;
      }
      limited += now.limit_reached ? 1 : 0;
      found += now.findings.size();
    }
    EXPECT_GT(limited, 3u) << row.what;
    EXPECT_LT(limited, kTried - 3u) << row.what;
    EXPECT_EQ(found != 0, row.finds) << row.what;
  }
}

}  // namespace
}  // namespace wafd::detect
