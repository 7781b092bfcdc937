// The cost of judging is linear in the request: counted in units of bytes and tokens, so that the answer is
// the same on every machine.
#include "detect/core/cost_budget.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/detect/shapes.h"
#include "detect/core/bytes.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "tests/detect/full_engine.h"

namespace wafd::detect {
namespace {

// The dearest analyser on the longest text that it is given at once.
constexpr std::uint64_t kUnitsOfOneCall = (16u << 10) * 150u;

std::uint64_t units_of(const std::string& bytes, bool& limited) {
  static const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  full_engine().inspect(split_request(bytes), *scratch, verdict);
  limited = verdict.limit_reached;
  return scratch->work_units();
}

// Four times the bytes: four times the work, what the overlap of pieces adds (a seventh), and analysers that
// wake in later pieces alone: below six times; a square would be sixteen. What reaches a limit is not
// compared.
TEST(CostBudget, IsLinearInTheBytesOfEveryShape) {
  std::size_t compared = 0;
  for (const bench::Shape& shape : bench::shapes()) {
    for (const std::size_t size : {4000u, 16000u}) {
      bool limited = false;
      bool limited_too = false;
      const std::uint64_t small = units_of(shape.make(size), limited);
      const std::uint64_t large = units_of(shape.make(4 * size), limited_too);
      EXPECT_GT(small, size) << shape.name;
      if (limited || limited_too) continue;
      EXPECT_LE(large, 6 * small) << shape.name << " of " << size << ": " << small << ", " << large;
      ++compared;
    }
  }
  EXPECT_GE(compared, 25u);
}

// A megabyte of whatever shape, and beyond that one call of an analyser, which was begun below the limit.
TEST(CostBudget, OfEveryShapeIsBoundedForEachByte) {
  constexpr std::size_t kBytes = 1u << 20;
  for (const bench::Shape& shape : bench::shapes()) {
    bool limited = false;
    const std::string bytes = shape.make(kBytes);
    EXPECT_LE(units_of(bytes, limited), CostBudget::limit_of(bytes.size()) + kUnitsOfOneCall) << shape.name;
  }
}

// Ordinary texts that cost much for their size, in each of three kinds of requests: a page with references of
// HTML and escapes of URLs, and a program.
constexpr std::string_view kPage =
    "<p>Ab dem <strong>1. M\xc3\xa4rz</strong> finden Sie uns wie bisher am &quot;Hafen 7&quot; (Hof, 2. "
    "OG). Die "
    "Anfahrt steht in \"Wege\"; gibt's Fragen, rufen Sie an.</p>\n<table><tr><td colspan=\"2\">9:00 bis "
    "18:30</td></tr></table>\n<p>An <a href=\"mailto:info@shop.example?subject=Umzug&amp;body=Guten%20Tag\">"
    "info@shop.example</a>, 089 / 123.</p>\n";
constexpr std::string_view kProgram =
    "static int log_request(struct request *r, char *buf, size_t n) {\n  size_t used = 0;\n  if (r->code >= "
    "400 && "
    "r->uri[0] != 0) {\n    for (struct header *h = r->headers; h != NULL; h = h->next) {\n      if (h->size "
    "> n - used) "
    "break;\n      memcpy(buf + used, h->text, h->size); /* it's no string */\n      used += h->size;\n    "
    "}\n    return "
    "snprintf(buf + used, n - used, \"%s: %d\\n\", r->name, r->code);\n  }\n  return -1;\n}\n\n";

TEST(CostBudget, OrdinaryTextsStayBelowIt) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto in_form = [&](std::string_view text) {
    std::string coded;
    for (const char c : text) {
      if (is_alnum(c))
        coded += c;
      else if (c == ' ')
        coded += '+';
      else
        coded.append({'%', kHex[byte(c) >> 4], kHex[byte(c) & 15]});
    }
    return coded;
  };
  std::size_t judged = 0;
  for (const std::string_view unit : {kPage, kProgram}) {
    for (const std::size_t size : {1000u, 4000u, 16000u}) {
      std::string text;
      for (int line = 0; text.size() < size; ++line)
        text += std::to_string(line * 7919) + ' ' + std::string(unit);
      const std::string head = "POST /save HTTP/1.1\r\nHost: shop.example\r\nContent-Type: ";
      for (const std::string& bytes :
           {head + "application/x-www-form-urlencoded\r\n\r\ncontent=" + in_form(text),
            head + "text/plain\r\n\r\n" + text,
            head +
                "multipart/form-data; boundary=x\r\n\r\n--x\r\nContent-Disposition: form-data; "
                "name=\"a\"\r\n\r\n" +
                text + "\r\n--x--\r\n"}) {
        bool limited = false;
        const std::uint64_t units = units_of(bytes, limited);
        EXPECT_FALSE(limited) << bytes.size();
        EXPECT_LE(units * 10, CostBudget::limit_of(bytes.size()) * 9) << bytes.size() << bytes.substr(0, 90);
        ++judged;
      }
    }
  }
  EXPECT_EQ(judged, 18u);
}

// One change in a text that wakes many matchers: they are asked about what is near it, not about all once
// more.
TEST(CostBudget, AChangeCostsWhatStandsNearIt) {
  const std::string head = "POST /save HTTP/1.1\r\nHost: shop.example\r\nContent-Type: text/plain\r\n\r\n";
  std::string text;
  while (text.size() < 1400)
    text += "if (a[1] = 'x') { $b = <c> | `d` & $(e) }; select f from g where h = \"i\" -- j\n";
  bool limited = false;
  const std::uint64_t plain = units_of(head + text, limited);
  std::string changed = text;
  changed.replace(700, 3, "%41");
  const std::uint64_t once = units_of(head + changed, limited);
  EXPECT_LE(4 * once, 7 * plain);
  EXPECT_GT(once, plain);
}

// A signature whose first condition holds in every field looks through the request for its others once.
TEST(CostBudget, IsLinearInTheFieldsThatBeginASignature) {
  const auto fields = [](std::size_t count) {
    std::string bytes = "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\na=1";
    for (std::size_t i = 0; i < count; ++i) bytes += "&_method=__construct";
    return bytes;
  };
  bool limited = false;
  const std::uint64_t small = units_of(fields(500), limited);
  EXPECT_LE(units_of(fields(2000), limited), 5 * small);
  EXPECT_FALSE(limited);
}

// Also of bodies in which no matcher reads anything.
TEST(CostBudget, SeesTheReadingOfABody) {
  std::string binary(300'000, '\0');
  for (std::size_t i = 0; i < binary.size(); ++i) binary[i] = static_cast<char>(i * 37 % 251);
  bool limited = false;
  for (const char* type : {"image/png", "application/octet-stream", "text/xml", "application/json"}) {
    const std::string head = std::string("POST / HTTP/1.1\r\nContent-Type: ") + type + "\r\n\r\n";
    EXPECT_GE(units_of(head + binary, limited), CostBudget::kDecodeUnits * binary.size()) << type;
  }
}

TEST(CostBudget, AFieldCannotUseUpWhatIsAnothersOwn) {
  constexpr std::uint64_t kOwn = CostBudget::kOwnUnitsPerByte;
  CostBudget budget;
  budget.begin_request();
  budget.allow(40);
  const std::uint64_t allowed = CostBudget::limit_of(40);
  budget.begin_fields(30);
  budget.begin_field(10);
  EXPECT_TRUE(budget.take(allowed - 20 * kOwn));
  EXPECT_FALSE(budget.take(1));
  budget.begin_field(10);
  EXPECT_TRUE(budget.take(10 * kOwn));
  EXPECT_FALSE(budget.take(1));
  budget.begin_field(10);
  EXPECT_TRUE(budget.take(4 * kOwn));
  EXPECT_FALSE(budget.exhausted());
  EXPECT_TRUE(budget.take(6 * kOwn));
  EXPECT_TRUE(budget.exhausted());
  EXPECT_EQ(budget.used(), allowed);
}

TEST(CostBudget, FurtherDecodingsHaveWhatTheFieldsThemselvesLeft) {
  CostBudget budget;
  budget.begin_request();
  budget.allow(1000);
  const std::uint64_t allowed = CostBudget::limit_of(1000);
  budget.add(allowed - 5);
  budget.begin_field(0);
  EXPECT_TRUE(budget.take(2));
  budget.begin_field(0);
  EXPECT_FALSE(budget.take(4));
  EXPECT_TRUE(budget.take(3)) << "what a field leaves is there for the next";
  EXPECT_TRUE(budget.exhausted());
  budget.begin_field(1);
  EXPECT_FALSE(budget.take(1)) << "beyond the limit nothing is anybody's own";
}

TEST(CostBudget, WhatWasDoneBeforeItCouldBeToldCounts) {
  CostBudget budget;
  budget.begin_request();
  budget.allow(0);
  budget.begin_field(0);
  budget.drain(CostBudget::limit_of(0) + 7);
  EXPECT_FALSE(budget.take(1));
  EXPECT_TRUE(budget.exhausted());
  EXPECT_EQ(budget.used(), CostBudget::limit_of(0) + 7);
}

TEST(CostBudget, IsCountedAnewForEachRequestAndTheSameAgain) {
  const std::string bytes = "GET /?q=%27%20or%201%3D1-- HTTP/1.1\r\nHost: a.example\r\n\r\n";
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  full_engine().inspect(split_request(bytes), *scratch, verdict);
  const std::uint64_t first = scratch->work_units();
  EXPECT_GT(first, bytes.size() / 2);
  full_engine().inspect(split_request(bytes), *scratch, verdict);
  EXPECT_EQ(scratch->work_units(), first);
}

}  // namespace
}  // namespace wafd::detect
