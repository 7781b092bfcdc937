// Every analyser is linear in its text, also in texts made to be slow: steps are counted, so that the answer
// is the same on every machine.
#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "detect/analyze/http/http_violation.h"
#include "detect/analyzers.h"
#include "tests/detect/steps/step_count.h"

namespace wafd::detect {
namespace {

// Openings that are never closed, names that never end, and words that make an analyser look on: repeated,
// each invites to read the rest of the text again from everywhere.
constexpr const char* kUnits[] = {
    // shells
    ";", "`", "$(", "'", "\"", "\"$(", "${", "a;", "&&cat ", "if x ", "for %a ", "<", ">x.php ", "$a ", "\\",
    "^a", "() {", "cat /", "*", "/?", ";cat \"", ";id '", "(){", "{id,", "\n", "\na1 uid ", "x=;$x ", "`cat ",
    ";.shell ", "a b c `id` ", "\ngit x|id;", "${a:0:1}\n", "$(<a) ", "&('a')", " -exec id", "for a; do id;",
    "cat<a;", "<<a\n", "echo a|", "%a% ", "[char]9+", "|id&&", ";(id)", "x `id` ",
    // HTML and script
    "<a ", "<a<", "'\\'", "/[", "[", "(", "<style>", "<script>", " onx=", " onload=", ";\t",
    "a:", "t:", "data:", "url(", "\xbcscript ", "[]+", "alert ", "\\u0", "<x:", "document.", "a[(", "{{",
    "a[\"b\"+", "javascript:", "`${", "<!--", "/*", "&#x6a", "a=>", "</", "+ADw-",
    // server code
    "${lower:", "<%", "<?", "@", "T(", "O:1:\"", "$a[", "('", "$", "{", "a.b.", "@type", "__proto__",
    "constructor", "$1:", "<!-- #", "@{[", "#{a(", "java.lang.", "f(", "<?php $a.", "rO0AB", "{%a",
    "a{\"b\":",
    // query languages
    "select ", "union all ", "a or ", "1=1 and ", "/*!", "--\n", "case when ", "concat(", "0x61 ", "(select ",
    ";exec ", "(&(", "(|(a=*", "or '1'='", "$where:", "{\"$ne\":", "//a[", "||", "n'", "q'[", "e'\\",
    // paths, addresses, lines, uploads
    "../", "..%2f", "http://", "http://1.", "file:", "php://filter/", ".php.", "%0d%0a",
    "\r\nSet-Cookie:", "<!ENTITY a ", "<!DOCTYPE ", "%a;", "\r\nRCPT TO:", "=cmd|", "a@", "\x01", "\xff\xfe"};

constexpr std::size_t kSmall = 4000;

std::string repeated(std::string_view unit, std::size_t size) {
  std::string text;
  while (text.size() < size) text += unit;
  return text;
}

std::uint64_t steps_of(const Analyzer& analyzer, const std::string& text) {
  std::pmr::monotonic_buffer_resource memory;
  FieldContext context;
  context.location = Location::kBody;
  context.memory = &memory;
  std::vector<Hit> hits;
  const std::uint64_t before = steps_so_far();
  analyzer.analyze(text, context, hits);
  return steps_so_far() - before;
}

// Four times the text: four times the steps, and a fifth for tables that grow; a square would be sixteen.
TEST(Steps, OfEveryAnalyzerAreLinearInTheText) {
  std::uint64_t most = 0;
  for (const auto& analyzer : all_analyzers()) {
    for (const char* unit : kUnits) {
      const std::uint64_t small = steps_of(*analyzer, repeated(unit, kSmall));
      const std::uint64_t large = steps_of(*analyzer, repeated(unit, 4 * kSmall));
      EXPECT_GT(small, 0u);
      EXPECT_LE(large, 5 * small + 1000)
          << analyzer->name() << " on " << testing::PrintToString(unit) << ": " << small;
      most = std::max(most, large / (4 * kSmall));
    }
  }
  EXPECT_LT(most, 1000u);  // a step is about a nanosecond
}

// The counter itself: a text compared with all of its ends, in our code and in the library's.
TEST(Steps, OfASquareAreSeen) {
  const auto steps_of_square = [](std::size_t size) {
    const std::string text(size, 'a');
    const std::uint64_t before = steps_so_far();
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_EQ(std::string_view(text).substr(i).find('b'), std::string::npos);
    return steps_so_far() - before;
  };
  EXPECT_GT(steps_of_square(4 * kSmall), 10 * steps_of_square(kSmall));
}

std::uint64_t steps_of_request(const std::string& headers, const std::string& body) {
  const auto analyzer = make_http_violation_analyzer();
  const std::string octets = "POST /a HTTP/1.1\r\nHost: shop.example\r\n" + headers + "\r\n";
  Request request;
  request.head = octets;
  request.body = body;
  const std::uint64_t before = steps_so_far();
  RequestHead head;
  head.parse(request.head);
  std::vector<RequestHit> hits;
  analyzer->analyze(request, head, hits);
  return steps_so_far() - before;
}

TEST(Steps, OfHttpViolationAreLinearInTheRequest) {
  const auto compare = [](auto headers, auto body) {
    const std::uint64_t small = steps_of_request(headers(1), body(1));
    EXPECT_LE(steps_of_request(headers(4), body(4)), 5 * small) << headers(1).substr(0, 40);
  };
  const auto none = [](std::size_t) { return std::string(); };
  const auto lines = [](std::string_view line) {
    return [line](std::size_t times) { return repeated(line, times * 40000); };
  };
  compare([](std::size_t) { return std::string("Transfer-Encoding: chunked\r\n"); }, lines("1;a\r\nx\r\n"));
  compare(lines("X-A" + std::string(400, '\x01') + ":b\r\n"), none);
  compare(
      [](std::size_t times) {
        return "Transfer-Encoding:\r\n" + repeated(" ,,,,,,,,,,,,,,,,\r\n", times * 40000);
      },
      none);
  for (const char* name : {"Content-Length", "Transfer-Encoding"})
    compare(
        [name](std::size_t times) {
          return std::string(name) + ": " + std::string(times * 40000, ',') + "\r\n";
        },
        none);
}

}  // namespace
}  // namespace wafd::detect
