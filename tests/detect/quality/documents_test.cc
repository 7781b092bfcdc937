// 2,400 requests with what people write about programs and what programs send about themselves, each in a
// place where it may stand: at most one of a thousand is denied at balanced. And what a sensitivity denies,
// each stricter one denies.
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tests/detect/quality/engine_under_test.h"
#include "tests/support/ordinary/ordinary_values.h"
#include "tests/support/variations/codings.h"
#include "tests/support/variations/raw_request.h"

namespace wafd::detect {
namespace {

using variations::json_escape;
using variations::make_request;
using variations::percent_encode;

constexpr std::size_t kDocuments = 2400;
constexpr std::size_t kMaxQueryBytes = 600;

// Sources of shells and their code in short texts. Only a long text that is a document all through quotes
// code; in a shorter one, and in a query, a command between backticks or behind a sign is what an attack is.
constexpr std::array kKnownLimits{KnownLimit{"manual", 100}, KnownLimit{"settings and data", 3}};

std::string multipart(std::string_view text) {
  constexpr std::string_view kPart = "--part\r\nContent-Disposition: form-data; name=";
  return fmt::format(
      "{}\"note\"\r\n\r\n{}\r\n{}\"file\"; filename=\"note.txt\"\r\nContent-Type: text/plain\r\n\r\n{}\r\n"
      "--part--\r\n",
      kPart, text, kPart, text);
}

// The same text, in the place that `turn` says.
std::string request_with(std::string_view text, std::size_t turn) {
  const std::string json = json_escape(text);
  switch (turn % 6) {
    case 0:
      if (text.size() <= kMaxQueryBytes)
        return make_request("/search?page=3&q=" + percent_encode(text, "._-~"), "", "");
      [[fallthrough]];
    case 1:
      return make_request("/posts/save", "application/x-www-form-urlencoded",
                          "id=7&publish=1&body=" + percent_encode(text, "._-~"));
    case 2:
      return make_request("/api/notes", "application/json",
                          R"({"id":7,"author":{"name":"Eve"},"text":")" + json + R"(","tags":["a"]})");
    case 3:
      return make_request(
          "/graphql", "application/json",
          R"({"query":"mutation S($t: String!) { save(text: $t) { id } }","variables":{"t":")" + json +
              "\"}}");
    case 4:
      return make_request("/upload", "multipart/form-data; boundary=part", multipart(text));
    default:
      return make_request("/paste", "text/plain; charset=utf-8", std::string(text) + "\n");
  }
}

TEST(OrdinaryDocuments, AtMostOneOfAThousandIsDenied) {
  const std::vector<ordinary::Value> values = ordinary::ordinary_documents(kDocuments, 1);
  ASSERT_GE(values.size(), 2000u);
  std::map<std::string, std::size_t> strict;
  std::set<std::string> found;
  const bool explain = std::getenv("WAFD_EXPLAIN") != nullptr;  // shows what strict denies too
  std::map<std::string, std::size_t> denied;
  std::size_t suspected = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    engine().inspect(request_with(values[i].text, i));
    const bool low = engine().denies(Sensitivity::kLow);
    const bool balanced = engine().denies(Sensitivity::kBalanced);
    const bool at_strict = engine().denies(Sensitivity::kStrict);
    EXPECT_LE(low, balanced) << values[i].text;
    EXPECT_LE(balanced, at_strict) << values[i].text;
    if (!at_strict) continue;
    ++suspected;
    ++strict[values[i].kind];
    if (balanced) ++denied[values[i].kind];
    if (balanced || explain)
      found.insert((balanced ? "balanced " : "strict ") + engine().why() + " <- " + values[i].text);
  }
  for (const std::string& one : found) fmt::print("{}\n", one);
  for (const auto& [kind, count] : strict)
    fmt::print("strict denies {} requests with documents of kind {}\n", count, kind);
  EXPECT_LE(beyond_limits(denied, kKnownLimits) * 1000, values.size());
  EXPECT_LE(suspected * 100, values.size() * 30) << "strict is for sites where such texts are no matter";
}

}  // namespace
}  // namespace wafd::detect
