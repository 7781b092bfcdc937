// What a byte of hostile text costs in each kind of request, beside a byte of plain text in the same run.
//
//   hostile_bench [--bytes N] [--rounds N] [--every]
//
// Every unit of tests/detect/steps is repeated in a request of each kind. Of each kind the dearest is
// printed: CPU time and steps (detect/core/cost_budget.h) a byte, each request judged with new working
// memory, the best of --rounds. --every: a line for each kind and unit.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <time.h>

#include "bench/detect/shapes.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "tests/detect/steps/hostile_requests.h"

namespace {

using wafd::Verdict;
using wafd::detect::Engine;

struct Cost {
  double ns = 0;  // a byte
  double steps = 0;
  bool limit = false;
};

double thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

const wafd::bench::Shape& shape(std::string_view name) {
  return *std::find_if(wafd::bench::shapes().begin(), wafd::bench::shapes().end(),
                       [name](const auto& one) { return name == one.name; });
}

Cost cost_of(const Engine& engine, const std::string& bytes, int rounds) {
  // New memory is dear to touch for the first time, and a worker has done so long ago.
  static const std::string touches = shape("form").make(4u << 10);
  Cost cost{1e18, 0, false};
  Verdict verdict;
  for (int round = 0; round < rounds; ++round) {
    const auto scratch = engine.make_scratch();
    engine.inspect(wafd::detect::split_request(touches), *scratch, verdict);
    const double begin = thread_cpu_ns();
    engine.inspect(wafd::detect::split_request(bytes), *scratch, verdict);
    cost.ns = std::min(cost.ns, thread_cpu_ns() - begin);
    cost.steps = static_cast<double>(scratch->work_units());
  }
  cost.limit = verdict.limit_reached;
  cost.ns /= static_cast<double>(bytes.size());
  cost.steps /= static_cast<double>(bytes.size());
  return cost;
}

void print(std::string_view kind, const Cost& cost, const Cost& plain, std::string_view unit) {
  fmt::print("{:<36} {:>7.1f} ns {:>7.1f} steps  ratio {:>6.1f} {} {}\n", kind, cost.ns, cost.steps,
             cost.ns / plain.ns, cost.limit ? "limit" : "-    ", fmt::format("{}", unit));
}

std::string visible(std::string_view unit) {
  std::string out;
  for (const char c : unit)
    out += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", wafd::byte(c));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"CPU time and steps of hostile requests by kind"};
  std::size_t bytes = 16u << 10;
  int rounds = 2;
  bool every = false;
  app.add_option("--bytes", bytes, "of each request")->check(CLI::Range(1, 1 << 20));
  app.add_option("--rounds", rounds)->check(CLI::Range(1, 100));
  app.add_flag("--every", every, "a line for each kind and unit");
  CLI11_PARSE(app, argc, argv);
  const auto engine = Engine::build({});
  if (!engine) {
    fmt::print(stderr, "{}\n", engine.error().what);
    return 1;
  }
  const Cost plain = cost_of(**engine, shape("prose").make(bytes), 5 * rounds);
  print("plain text", plain, plain, "");
  for (const wafd::detect::HostileRequest& kind : wafd::detect::kHostileRequests) {
    Cost worst;
    std::string_view worst_unit;
    for (const std::string_view unit : wafd::detect::kHostileUnits) {
      const Cost cost = cost_of(**engine, kind.make(unit, bytes), rounds);
      if (every) print(kind.name, cost, plain, visible(unit));
      if (cost.ns <= worst.ns) continue;
      worst = cost;
      worst_unit = unit;
    }
    if (!every) print(kind.name, worst, plain, visible(worst_unit));
  }
  return 0;
}
