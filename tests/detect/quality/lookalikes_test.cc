// More than 2,000 requests of more than 40 kinds that applications and people send about programs, with the
// words and signs of attacks: at most one of a thousand is denied at balanced.
#include "tests/detect/quality/lookalikes.h"

#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/detect/quality/engine_under_test.h"

namespace wafd::detect {
namespace {

// Commands and scripts in texts that are too short to be documents, where an attack would stand in the same
// way; and addresses of the server itself that a proxy is asked to fetch.
constexpr std::array kKnownLimits{KnownLimit{"CI and deployment YAML", 6},
                                  KnownLimit{"Dockerfile and server configuration", 4},
                                  KnownLimit{"PHP source", 5},
                                  KnownLimit{"cron and log lines", 5},
                                  KnownLimit{"editor and document models", 10},
                                  KnownLimit{"error telemetry", 5},
                                  KnownLimit{"forum post with code", 5},
                                  KnownLimit{"paths and URLs as values", 5},
                                  KnownLimit{"question with a snippet", 10},
                                  KnownLimit{"review of a pull request", 5},
                                  KnownLimit{"scripts in administration", 5},
                                  KnownLimit{"settings of an application", 5},
                                  KnownLimit{"shell in documentation", 45},
                                  KnownLimit{"shell source", 13}};

constexpr std::size_t kTurns = 5;  // of each template, with other fillings and in another place

TEST(LookAlikeRequests, AtMostOneOfAThousandIsDenied) {
  const auto templates = lookalikes::read_templates(WAFD_SOURCE_DIR "/tests/detect/quality/lookalikes");
  const bool explain = std::getenv("WAFD_EXPLAIN") != nullptr;  // shows what strict denies too
  std::set<std::string> kinds;
  std::map<std::string, std::size_t> strict;
  std::size_t count = 0;
  std::map<std::string, std::size_t> denied;
  std::size_t denied_all = 0;
  std::size_t suspected = 0;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    kinds.insert(templates[i].kind);
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
      ++count;
      const std::string request = lookalikes::request_of(templates[i], turn, i * kTurns + turn + 1);
      engine().inspect(request);
      const bool balanced = engine().denies(Sensitivity::kBalanced);
      if (!engine().denies(Sensitivity::kStrict)) continue;
      ++suspected;
      ++strict[templates[i].kind];
      if (balanced) ++denied[templates[i].kind];
      denied_all += balanced ? 1 : 0;
      if (balanced || explain)
        fmt::print("{}, {}: {} <- {}\n", templates[i].kind, balanced ? "balanced" : "strict", engine().why(),
                   request);
    }
  }
  ASSERT_GE(count, 2000u);
  ASSERT_GE(kinds.size(), 40u);
  for (const auto& [kind, of_kind] : strict)
    fmt::print("strict denies {} requests of kind \"{}\"\n", of_kind, kind);
  fmt::print("{} requests of {} kinds: {} denied at balanced, {} at strict\n", count, kinds.size(),
             denied_all, suspected);
  EXPECT_LE(beyond_limits(denied, kKnownLimits) * 1000, count);
}

}  // namespace
}  // namespace wafd::detect
